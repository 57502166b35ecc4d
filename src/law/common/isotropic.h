/*
  Hessians of laws psi(F) = psi(s_0, s_1, s_2) of the signed singular values, F = U diag(s) V^T.

  In the basis u_i v_j^T of 3x3 matrices, d2psi/dF2 couples only the three stretches, by d2psi/ds_i ds_j, and each pair
  u_i v_j^T, u_j v_i^T, whose eigenvectors are, over sqrt(2),
    twist  u_i v_j^T - u_j v_i^T  with eigenvalue (psi_i + psi_j)/(s_i + s_j),
    flip   u_i v_j^T + u_j v_i^T  with eigenvalue (psi_i - psi_j)/(s_i - s_j),   psi_i = dpsi/ds_i.
  [Smith, de Goes, Kim 2019]. A law gives these in closed form, without a division by s_i - s_j.
*/
#pragma once
#include <wring/law.h>

typedef struct {
  double a[6][WRING_LANES];     // d2psi/ds_i ds_j: 00, 11, 22, 01, 02, 12
  double twist[3][WRING_LANES]; // pairs 01, 02, 12
  double flip[3][WRING_LANES];
} wring_isotropic_modes;

/* The modes at s [3]: s_0 >= s_1 >= |s_2|. */
typedef void wring_isotropic_law(wring_in par, wring_in s, wring_isotropic_modes *m);

/* h [9 9] = d2psi/dF2 of law; with psd its negative eigenvalues are set to 0. */
void wring_isotropic_hessian(wring_isotropic_law *law, PetscBool psd, wring_in par, wring_in f, wring_out h);

/* 1/(s_i + s_j) of the three pairs, finite where psi has no derivative: s_i + s_j = 0. */
static inline double wring_isotropic_pair(double si, double sj)
{
  return 1 / (si + sj > 1e-10 ? si + sj : 1e-10);
}
