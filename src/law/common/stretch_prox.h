/*
  Proxes of laws psi(F) = psi(s_0, s_1, s_2) of the signed singular values: p = argmin psi(p) + rho/2 |p - z|^2.

  With z = U diag(s) V^T the minimiser is p = U diag(t) V^T, t = argmin psi(t) + rho/2 |t - s|^2: by von Neumann's trace
  inequality no other p with the stretches t is closer to z. docs/theory.md (3.39)
*/
#pragma once
#include "isotropic.h"
#include "passes.h"

/*
  p by Newton's method from the stretches of z; the law's rule is a wring_isotropic with stretches. Every step lowers
  the objective; if that is not convex, p is a local minimiser with a smaller value than the start. If law->positive,
  psi is +infinity unless all stretches are positive, and the start is clamped to positive stretches. The stretches of p
  are exact to about 1e-13. If the rule is smooth, blocks of well-shaped z need no singular vectors.
*/
wring_law_prox wring_stretch_prox;

/* The members of a material's table with this rule, which has stretches and a modulus. */
#define WRING_MATERIAL(itsrule)                                                                                        \
  .kind = WRING_LAW_MATERIAL, .n_constraint = 1, .constraint = wring_law_root, .prox = wring_stretch_prox,             \
  WRING_ISOTROPIC(itsrule)

/*
  wring_stretch_prox for blocks in which every z is well shaped. Returns 0 and leaves p undefined if one is not, or if a
  Newton step would have to be shortened.
*/
int wring_stretch_smooth(const wring_isotropic *rule, wring_in par, const double *rho, wring_in z, wring_out p);

/*
  t [3] from the stretches s [3] of z by full Newton steps in all lanes, the common case. Returns 0 and leaves t
  undefined if a lane has a stretch <= 0, is not safely convex, or needs a shorter step or more than ten.
*/
int wring_stretch_newton(const wring_isotropic *rule, wring_in par, const double *rho, wring_in s, wring_out t);

/* p = U diag(t) V^T; t [3]. */
void wring_stretch_assemble(wring_in u, wring_in t, wring_in v, wring_out p);
