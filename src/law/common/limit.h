/*
  Laws psi(F) = k/2 |F - p|^2 with p = U diag(t) V^T the closest F whose stretches t lie in a set, F = U diag(s) V^T. If
  the set is invariant under permutations and under changes of two signs, p has the singular vectors of F.
  docs/theory.md 3.8
*/
#pragma once
#include "isotropic.h"
#include "passes.h"

enum { LIMIT_K, LIMIT_MIN, LIMIT_MAX, LIMIT_N_PAR };

/*
  The rule of a law: its modes, for wring_isotropic_hessian, and the set.
    holds   1 if all lanes are certainly in the set, which saves the decomposition; NULL if the test is not cheaper.
    excess  e [3] = s - t with s_0 >= s_1 >= |s_2|, exactly 0 if s is in the set.
*/
typedef struct {
  wring_isotropic isotropic;
  int (*holds)(wring_in par, wring_in z);
  void (*excess)(wring_in par, wring_in s, wring_out e);
} wring_limit;

wring_law_map        wring_limit_project;
wring_law_fused      wring_limit_fused;
wring_law_prox       wring_limit_prox;
wring_law_constraint wring_limit_constraint; // C = |F - p|, with the k of the law

/* par from the law's three keys NAME_stiffness, NAME_min and NAME_max, min at most max. */
wring_law_reader wring_limit_set_par;

/* The members of a table with this rule, besides name, options, example and volumetric. */
#define WRING_LIMIT(itsrule)                                                                                           \
  .kind = WRING_LAW_ON_TOP, .n_par = LIMIT_N_PAR, .set_par = wring_limit_set_par, .energy = wring_law_energy_by_fused, \
  .fused = wring_limit_fused, .contracted = wring_isotropic_contracted, .products = wring_isotropic_products,          \
  .project = wring_limit_project, .slope = wring_law_slope_of_stiffness, .prox = wring_limit_prox, .n_constraint = 1,  \
  .constraint = wring_limit_constraint, WRING_ISOTROPIC(itsrule)
