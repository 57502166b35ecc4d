/* Lame parameters of an isotropic material, from young and poisson or from mu and lambda. */
#pragma once
#include <wring/law.h>

enum { LAME_MU, LAME_LAMBDA, LAME_N_PAR };

extern const wring_option wring_lame_options[]; // young, poisson, mu, lambda
extern const char *const  wring_lame_example[];

/*
  par = {mu, lambda} [Pa] from exactly one of the two pairs. If a key of a pair is set with prefix, that pair is read,
  and its other key is taken from fallback if it is not set with prefix; otherwise the pair of fallback is read.
  fallback may be NULL. Collective.
*/
wring_law_reader wring_lame_get;

/* Refuses the par that wring_lame_get has read, naming the second key of the pair that was read. Collective. */
PetscErrorCode wring_lame_refuse(const wring_options *o, const char *prefix, const char *fallback, const double *par,
                                 const char *expected);

/* What an element keeps of psi under `volumetric: mean`: mu alone, Poisson's ratio 0 at rest, and no pressure yet. */
PetscBool wring_lame_keep_mu(const double *par, double *element_par);
