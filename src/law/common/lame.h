/* Lame parameters of an isotropic material, from young and poisson or from mu and lambda. */
#pragma once
#include <wring/law.h>

enum { LAME_MU, LAME_LAMBDA, LAME_N_PAR };

extern const wring_option wring_lame_options[]; // young, poisson, mu, lambda
extern const char *const  wring_lame_example[];

/*
  par = {mu, lambda} [Pa] from exactly one of the two pairs. Where keys with prefix name a pair, that pair holds, and
  a key of it that prefix lacks is taken from fallback; otherwise fallback's pair holds. fallback may be NULL.
  Collective.
*/
wring_law_reader wring_lame_get;

/* Refuses the par that wring_lame_get has read, naming the second key of the pair that holds. Collective. */
PetscErrorCode wring_lame_refuse(const wring_options *o, const char *prefix, const char *fallback, const double *par,
                                 const char *expected);
