/*
  Proxes of laws psi(F) = psi(s_0, s_1, s_2) of the signed singular values: p = argmin psi(p) + rho/2 |p - z|^2.

  With z = U diag(s) V^T the minimiser is p = U diag(t) V^T, t = argmin psi(t) + rho/2 |t - s|^2, since no other p with the
  stretches t is closer to z: von Neumann's trace inequality. docs/theory.md (3.37)
*/
#pragma once
#include <wring/law.h>

/* psi at stretches t, dpsi/dt_i, and d2psi/dt_i dt_j in the order 00, 11, 22, 01, 02, 12. */
typedef struct {
  double psi[WRING_LANES], d[3][WRING_LANES], a[6][WRING_LANES];
} wring_stretches;

typedef void wring_stretch_law(wring_in par, wring_in t, wring_stretches *at); // t [3]

/*
  flip [3] = (psi_i - psi_j)/(t_i - t_j) of the pairs 01, 02, 12, psi_i = dpsi/dt_i, in closed form, and
  third = (flip_12 - flip_01)/(t_0 - t_2), which is symmetric.
*/
typedef void wring_stretch_spread(wring_in par, wring_in t, double (*flip)[WRING_LANES], double *third);

/*
  p by Newton's method from the stretches of z. Every step lowers the objective: where that is not convex, p is a local
  minimiser below the start. positive: psi is +infinity unless all t_i > 0; the start is clamped to that.
  The stretches of p are exact to about 1e-13. spread, or NULL: blocks of well-shaped z need no singular vectors.
*/
void wring_stretch_prox(wring_stretch_law *law, wring_stretch_spread *spread, int positive, wring_in par,
                        const double *rho, wring_in z, wring_out p);

/* The same for blocks whose z are all well shaped: 0, and p is anything, where they are not, or Newton's steps not plain. */
int wring_stretch_smooth(wring_stretch_law *law, wring_stretch_spread *spread, wring_in par, const double *rho,
                         wring_in z, wring_out p);

/* p = U diag(t) V^T; t [3]. */
void wring_stretch_assemble(wring_in u, wring_in t, wring_in v, wring_out p);
