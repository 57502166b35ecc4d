/*
  Laws of membranes: functions psi(F) = psi(s_0, s_1) of the singular values of a 3 x 2 matrix F that are k/2 times the
  squared distance to the closest matrix P(F) of a set, psi = k/2 |F - P|^2. docs/theory.md (3.53)-(3.59)

  par[0] of each law is k [N/m]. Their other functions are those of distance.h.

  In the basis u_i v_j^T, u_2 the normal, the Hessian couples the stretches by a and has four more eigenvectors,
    twist  (u_0 v_1^T - u_1 v_0^T)/sqrt 2   with eigenvalue (psi_0 + psi_1)/(s_0 + s_1),
    flip   (u_0 v_1^T + u_1 v_0^T)/sqrt 2   with eigenvalue (psi_0 - psi_1)/(s_0 - s_1),
    out    u_2 v_i^T                        with eigenvalue psi_i/s_i,   psi_i = dpsi/ds_i.
*/
#pragma once
#include "distance.h"

typedef struct {
  double a[3][WRING_LANES]; // d2psi/ds_i ds_j: 00, 11, 01
  double twist[WRING_LANES], flip[WRING_LANES], out[2][WRING_LANES];
} wring_membrane_modes;

/*
  The rule of a law; s [2].
    target  the stretches t [2] of the closest matrix P = (u_0, u_1) diag(t) V^T.
    modes   of the Hessian.
*/
typedef struct {
  void (*target)(wring_in par, wring_in s, wring_out t);
  void (*modes)(wring_in par, wring_in s, wring_membrane_modes *m);
} wring_membrane;

wring_law_map     wring_membrane_project;
wring_law_hessian wring_membrane_hessian;

/* The members of a table with this rule, besides name, n_par and example_par. */
#define WRING_MEMBRANE(itsrule)                                                                                        \
  .q = 2, .project = wring_membrane_project, .hessian = wring_membrane_hessian, .rule = &(itsrule), WRING_DISTANCE

/* A stretch, or the sum of both, as a divisor: bounded away from 0, where psi has no derivative. */
static inline double wring_membrane_divisor(double s)
{
  return s > 1e-10 ? s : 1e-10;
}
