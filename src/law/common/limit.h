/*
  Laws psi(F) = k/2 |F - p|^2 with p = U diag(t) V^T the closest F whose stretches t lie in a set, F = U diag(s) V^T. Where the
  set is unchanged by permutations and by pairs of signs, p has the singular vectors of F. docs/theory.md 3.8
*/
#pragma once
#include <wring/law.h>

enum { LIMIT_K, LIMIT_MIN, LIMIT_MAX, LIMIT_N_PAR };

/* Which set: laws differ in nothing else, but for their Hessians. */
typedef struct {
  /* Whether all lanes are in the set for certain, which saves their decomposition; NULL: that takes no less. */
  int (*holds)(wring_in par, wring_in z);
  /* excess [3] = s - t with s_0 >= s_1 >= |s_2|, exactly 0 where s is in the set. */
  void (*excess)(wring_in par, wring_in s, wring_out excess);
} wring_limit;

void wring_limit_project(const wring_limit *limit, wring_in par, wring_in z, wring_out p);
void wring_limit_fused(const wring_limit *limit, wring_in par, wring_in z, double *psi, wring_out p);
void wring_limit_prox(const wring_limit *limit, wring_in par, const double *rho, wring_in z, wring_out p);

/* C = |F - p|, with the k of the law. */
void wring_limit_constraint(const wring_limit *limit, wring_in par, wring_in z, double *C, wring_out dC, double *k);

void wring_limit_slope(wring_in par, double *k);

/* par from the keys NAME_stiffness, NAME_min and NAME_max of law->options, with min at most max. Collective. */
PetscErrorCode wring_limit_set_par(const wring_law *law, const wring_options *o, const char *prefix,
                                   const char *fallback, double *par);
