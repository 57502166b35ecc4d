/*
  Proxes of laws psi(F) = psi(s_0, s_1, s_2) of the signed singular values: p = argmin psi(p) + rho/2 |p - z|^2.

  With z = U diag(s) V^T the minimiser is p = U diag(t) V^T, t = argmin psi(t) + rho/2 |t - s|^2, since no other p with
  the stretches t is closer to z: von Neumann's trace inequality. docs/theory.md (3.37)
*/
#pragma once
#include "isotropic.h"

/*
  p by Newton's method from the stretches of z; the law's rule is a wring_isotropic with stretches. Every step lowers
  the objective: where that is not convex, p is a local minimiser below the start. If law->positive, psi is +infinity
  unless all stretches are positive; the start is clamped to that. The stretches of p are exact to about 1e-13. With a
  spread, blocks of well-shaped z need no singular vectors.
*/
wring_law_prox wring_stretch_prox;

/*
  The same for blocks whose z are all well shaped. Returns 0, and p is undefined, where they are not, or where a Newton
  step would have to be shortened.
*/
int wring_stretch_smooth(const wring_isotropic *rule, wring_in par, const double *rho, wring_in z, wring_out p);

/* p = U diag(t) V^T; t [3]. */
void wring_stretch_assemble(wring_in u, wring_in t, wring_in v, wring_out p);
