/* Lame parameters of an isotropic material, from young and poisson or from mu and lambda. */
#pragma once
#include <wring/law.h>

enum { LAME_MU, LAME_LAMBDA, LAME_N_PAR };

extern const wring_option wring_lame_options[]; // young, poisson, mu, lambda
extern const char *const  wring_lame_example[];

/*
  par = {mu, lambda} [Pa] from exactly one of the two pairs. If a key of a pair is set with prefix, that pair is read,
  and its other key is taken from fallback if it is not set with prefix; otherwise the pair of fallback is read.
  fallback may be NULL. Refused are values for which psi has no lower bound, docs/theory.md 3.2, by the form of psi:
    get          of mu |E|^2 + lambda/2 (tr E)^2 with a strain E
    get_bounded  where lambda multiplies a square that is a function of J alone
    get_stable   of stable_neohookean, (3.21a): lambda of young and poisson is that of Lame plus mu
*/
wring_law_reader wring_lame_get, wring_lame_get_bounded, wring_lame_get_stable;

/* What an element keeps of psi under `volumetric: mean`: mu alone, Poisson's ratio 0 at rest, and no pressure yet. */
PetscBool wring_lame_keep_mu(const double *par, double *element_par);

/* k = 2 mu + lambda: dpsi/ds_0 at s_1 = s_2 = 1 is k (s_0 - 1), linear in s_0. docs/theory.md (4.4) */
wring_law_slope wring_lame_slope;
