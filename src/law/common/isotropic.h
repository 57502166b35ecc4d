/*
  Laws psi(F) = psi(s_0, s_1, s_2) of the signed singular values, F = U diag(s) V^T: their Hessians and products with
  these, and the functions that such a law supplies as its rule.

  In the basis u_i v_j^T of 3x3 matrices, d2psi/dF2 couples only the three stretches, by d2psi/ds_i ds_j, and each pair
  u_i v_j^T, u_j v_i^T. The eigenvectors of a pair, divided by sqrt(2), are
    twist  u_i v_j^T - u_j v_i^T  with eigenvalue (psi_i + psi_j)/(s_i + s_j),
    flip   u_i v_j^T + u_j v_i^T  with eigenvalue (psi_i - psi_j)/(s_i - s_j),   psi_i = dpsi/ds_i.
  [Smith, de Goes, Kim 2019]. A law supplies these in closed form, without a division by s_i - s_j.
*/
#pragma once
#include "closed_forms.h"

typedef struct {
  double a[6][WRING_LANES];     // d2psi/ds_i ds_j: 00, 11, 22, 01, 02, 12
  double twist[3][WRING_LANES]; // pairs 01, 02, 12
  double flip[3][WRING_LANES];
  double third[WRING_LANES]; // (flip_12 - flip_01)/(s_0 - s_2), which is symmetric; only of laws that are `smooth`
} wring_isotropic_modes;

/* psi at stretches s, dpsi/ds_i, and d2psi/ds_i ds_j in the order of the modes. */
typedef struct {
  double psi[WRING_LANES], d[3][WRING_LANES], a[6][WRING_LANES];
} wring_stretches;

/*
  The rule of a law; s [3].
    modes      at s_0 >= s_1 >= |s_2|; for the Hessian.
    second     psi'' without singular vectors, for the Hessian without a filter. NULL: it has another form.
    stretches  for the prox: stretch_prox.h.
    smooth     the modes contain `third`: well-shaped blocks have a prox without singular vectors.
    modulus    row of par [Pa] that sets the scale of psi; for the constraint: passes.h.
    pressure   row of par with p [Pa], for psi + p s_0 s_1 s_2: `modes` and `second` are of psi. 0: none; ../pressure.h.
    law        with a pressure: the law of psi; NULL: psi = 0.
*/
typedef struct {
  void (*modes)(wring_in par, wring_in s, wring_isotropic_modes *m);
  void (*second)(wring_in par, wring_in f, wring_second_derivative *at);
  void (*stretches)(wring_in par, wring_in s, wring_stretches *at);
  PetscBool        smooth;
  int              modulus, pressure;
  const wring_law *law;
} wring_isotropic;

/*
  Laws with `positive` are infinite below this J: derivatives have powers of 1/J up to 10/3, of a flat element under
  mooney_rivlin, which stay in the range of doubles.
*/
#define LAW_LEAST_VOLUME 1e-80

/* For laws whose rule is a wring_isotropic or begins with one. */
wring_law_hessian    wring_isotropic_hessian;
wring_law_blocks     wring_isotropic_blocks;
wring_law_contracted wring_isotropic_contracted;
wring_law_products   wring_isotropic_products;

/* The members of the table of such a law, besides its products and `contracted`. */
#define WRING_ISOTROPIC(itsrule)                                                                                       \
  .q = 3, .hessian = wring_isotropic_hessian, .blocks = wring_isotropic_blocks, .rule = &(itsrule)

/* 1/(s_i + s_j) of the three pairs, bounded where psi has no derivative: s_i + s_j = 0. */
static inline double wring_isotropic_pair(double si, double sj)
{
  return 1 / (si + sj > 1e-10 ? si + sj : 1e-10);
}
