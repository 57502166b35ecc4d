/*
  Second derivatives in closed form, without singular vectors: the Hessian of psi in one vertex of an element, K of
  `contracted`, and the products of `products` with two directions. For F = sum_a x_a g_a^T and a move d of the vertex
  with row g, dF = d g^T, J = det F is linear in d with gradient (cof F) g. docs/theory.md (5.29), (5.30)
*/
#pragma once
#include "base/block3.h"
#include <wring/law.h>

BLOCK3_INLINE vec3 vertex_row(wring_in g, int lane)
{
  return (vec3){g[0][lane], g[1][lane], g[2][lane]};
}

/* F F^T */
BLOCK3_INLINE sym3 vertex_rows(mat3 f)
{
  return mat3_gram(mat3_transpose(f));
}

BLOCK3_INLINE sym3 sym3_combine(double s, sym3 a, double t, sym3 b)
{
  return (sym3){s * a.s00 + t * b.s00, s * a.s11 + t * b.s11, s * a.s22 + t * b.s22,
                s * a.s01 + t * b.s01, s * a.s02 + t * b.s02, s * a.s12 + t * b.s12};
}

/* s I + t v v^T */
BLOCK3_INLINE sym3 sym3_of_vector(double s, double t, vec3 v)
{
  return (sym3){s + t * v.x * v.x, s + t * v.y * v.y, s + t * v.z * v.z, t * v.x * v.y, t * v.x * v.z, t * v.y * v.z};
}

/* a + u v^T + v u^T */
BLOCK3_INLINE sym3 sym3_add_product(sym3 a, vec3 u, vec3 v)
{
  return (sym3){a.s00 + 2 * u.x * v.x,         a.s11 + 2 * u.y * v.y,         a.s22 + 2 * u.z * v.z,
                a.s01 + u.x * v.y + u.y * v.x, a.s02 + u.x * v.z + u.z * v.x, a.s12 + u.y * v.z + u.z * v.y};
}

BLOCK3_INLINE void vertex_store(wring_out K, int lane, sym3 k)
{
  K[0][lane] = k.s00, K[1][lane] = k.s11, K[2][lane] = k.s22;
  K[3][lane] = k.s01, K[4][lane] = k.s12, K[5][lane] = k.s02;
}

BLOCK3_INLINE sym3 vertex_load(wring_in K, int lane)
{
  return (sym3){K[0][lane], K[1][lane], K[2][lane], K[3][lane], K[5][lane], K[4][lane]};
}

/*
  The derivative DR of the rotation R closest to F = f, r [9] = R: with S = R^T F, Y = tr(S) I - S and the axial vectors
  x and y of the skew parts of R^T a and R^T b, a . DR(b) = x . Y^(-1) y. Both return 0, and then turn is not to be
  used, if Y is close to singular in a lane, s_1 + s_2 near 0: then another rotation is nearly as close, and turn is
  accurate only from singular vectors.
    vertex    turn [6] = the derivative of R g in the vertex, X^T Y^(-1) X with the columns g x R^T e_c of X
    products  turn [3] = a . DR(a), a . DR(b), b . DR(b), a and b [9]; docs/theory.md 3.4
*/
int wring_turn_vertex(wring_in f, wring_in g, wring_out r, wring_out turn);
int wring_turn_products(wring_in f, wring_in a, wring_in b, wring_out r, wring_out turn);

/* psi'' [dF, dF'] = identity dF . dF' + volume (cof F . dF)(cof F . dF') + pressure d2J(dF, dF') */
typedef struct {
  double identity[WRING_LANES], volume[WRING_LANES], pressure[WRING_LANES];
} wring_second_derivative;

/* The blocks of rows g [9] of three vertices, and products with a and b, of this second derivative; as law.h says. */
void wring_second_blocks(const wring_second_derivative *at, wring_in f, wring_in g, wring_out K);
void wring_second_products(const wring_second_derivative *at, wring_in f, wring_in a, wring_in b, wring_out sum);
