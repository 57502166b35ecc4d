#include "closed_forms.h"

static const double least_pair = 1e-2; // of tr Y = 2 (s_0 + s_1 + s_2), for s_1 + s_2, of a vertex
static const double definite   = 1e-3; // least det Y, relative to the cube of its trace, of products; 1/27 at rest

/* Y = tr(S) I - S of S = R^T F, without the skew part that rounding leaves. */
BLOCK3_INLINE sym3 pairs_of(mat3 r, mat3 f)
{
  const mat3 s = mat3_mul(mat3_transpose(r), f);
  return (sym3){s.a11 + s.a22,          s.a00 + s.a22,          s.a00 + s.a11,
                -0.5 * (s.a01 + s.a10), -0.5 * (s.a02 + s.a20), -0.5 * (s.a12 + s.a21)};
}

/* det Y, given the adjugate of Y */
BLOCK3_INLINE double determinant(sym3 y, sym3 adjugate)
{
  return y.s00 * adjugate.s00 + y.s01 * adjugate.s01 + y.s02 * adjugate.s02;
}

BLOCK3_INLINE vec3 cross(vec3 a, vec3 b)
{
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* X^T a X */
BLOCK3_INLINE sym3 congruent(sym3 a, vec3 x0, vec3 x1, vec3 x2)
{
  const vec3 a0 = sym3_apply(a, x0), a1 = sym3_apply(a, x1), a2 = sym3_apply(a, x2);
  return (sym3){vec3_dot(x0, a0), vec3_dot(x1, a1), vec3_dot(x2, a2),
                vec3_dot(x0, a1), vec3_dot(x0, a2), vec3_dot(x1, a2)};
}

int wring_turn_vertex(wring_in f, wring_in g, wring_out r, wring_out turn)
{
  WRING_ALIGNED double room[WRING_LANES];
  int                  safe = 1;

  wring_block3_rotation(f, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   b   = mat3_load((wring_in)r, lane);
    const vec3   row = vertex_row(g, lane);
    const sym3   y = pairs_of(b, mat3_load(f, lane)), a = sym3_adjugate(y);
    const double det = determinant(y, a), inverse = 1 / det;
    const double x = sym3_trace(a) * sym3_trace(y);
    const sym3   t = congruent(a, cross(row, (vec3){b.a00, b.a01, b.a02}), cross(row, (vec3){b.a10, b.a11, b.a12}),
                               cross(row, (vec3){b.a20, b.a21, b.a22}));
    room[lane]     = det - least_pair * x; // det Y/tr adj Y is at most the smallest pair and at least a third of it
    vertex_store(turn, lane, sym3_combine(inverse, t, 0, t));
  }
  for (int lane = 0; lane < WRING_LANES; lane++) safe &= room[lane] > 0; // false for NaN
  return safe;
}

/* The axial vector of A - A^T, times -1. */
BLOCK3_INLINE vec3 skew_part(mat3 a)
{
  return (vec3){a.a12 - a.a21, a.a20 - a.a02, a.a01 - a.a10};
}

int wring_turn_products(wring_in f, wring_in a, wring_in b, wring_out r, wring_out turn)
{
  WRING_ALIGNED double room[WRING_LANES];
  int                  safe = 1;

  wring_block3_rotation(f, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   rotation = mat3_load((wring_in)r, lane), rt = mat3_transpose(rotation);
    const sym3   k = pairs_of(rotation, mat3_load(f, lane)), c = sym3_adjugate(k);
    const double det = determinant(k, c), trace = sym3_trace(k);
    const sym3   m = sym3_combine(1 / det, c, 0, c);
    const vec3   x = skew_part(mat3_mul(rt, mat3_load(a, lane))), y = skew_part(mat3_mul(rt, mat3_load(b, lane)));
    const vec3   mx = sym3_apply(m, x);
    turn[0][lane] = vec3_dot(x, mx), turn[1][lane] = vec3_dot(y, mx), turn[2][lane] = vec3_dot(y, sym3_apply(m, y));
    room[lane] = trace > 0 ? det - definite * trace * trace * trace : -1;
  }
  for (int lane = 0; lane < WRING_LANES; lane++) safe &= room[lane] > 0; // false for NaN
  return safe;
}

/* s g . g I + t c c^T with c = (cof F) g: J is linear in one vertex. */
BLOCK3_INLINE mat3 diagonal_block(double s, double t, vec3 g, vec3 c)
{
  const sym3 k = sym3_of_vector(s * vec3_dot(g, g), t, c);
  return (mat3){k.s00, k.s01, k.s02, k.s01, k.s11, k.s12, k.s02, k.s12, k.s22};
}

/* s g_a . g_b I + t c_a c_b^T + p d2J_ij, d2J_ij = sum_k e_ijk w_k with w = F (g_a x g_b) */
BLOCK3_INLINE mat3 block_of(double s, double t, double p, mat3 f, vec3 ga, vec3 gb, vec3 ca, vec3 cb)
{
  const vec3   w = mat3_apply(mat3_scale(p, f), cross(ga, gb)), c = {t * ca.x, t * ca.y, t * ca.z};
  const double d = s * vec3_dot(ga, gb);
  return (mat3){c.x * cb.x + d,   c.x * cb.y + w.z, c.x * cb.z - w.y, c.y * cb.x - w.z, c.y * cb.y + d,
                c.y * cb.z + w.x, c.z * cb.x + w.y, c.z * cb.y - w.x, c.z * cb.z + d};
}

void wring_second_blocks(const wring_second_derivative *at, wring_in f, wring_in g, wring_out K)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s = at->identity[lane], t = at->volume[lane], p = at->pressure[lane];
    const mat3   a = mat3_load(f, lane), cofactor = mat3_cofactor(a);
    const vec3   g0 = vertex_row(g, lane), g1 = vertex_row(g + 3, lane), g2 = vertex_row(g + 6, lane);
    const vec3   c0 = mat3_apply(cofactor, g0), c1 = mat3_apply(cofactor, g1), c2 = mat3_apply(cofactor, g2);
    mat3_store(K, lane, diagonal_block(s, t, g0, c0));
    mat3_store(K + 9, lane, block_of(s, t, p, a, g0, g1, c0, c1));
    mat3_store(K + 18, lane, block_of(s, t, p, a, g0, g2, c0, c2));
    mat3_store(K + 27, lane, diagonal_block(s, t, g1, c1));
    mat3_store(K + 36, lane, block_of(s, t, p, a, g1, g2, c1, c2));
    mat3_store(K + 45, lane, diagonal_block(s, t, g2, c2));
  }
}

void wring_second_products(const wring_second_derivative *at, wring_in f, wring_in a, wring_in b, wring_out sum)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s = at->identity[lane], t = at->volume[lane], p = at->pressure[lane];
    const mat3   m = mat3_load(f, lane), c = mat3_cofactor(m), x = mat3_load(a, lane), y = mat3_load(b, lane);
    const mat3   along = mat3_cofactor_along(m, x);
    const double jx = mat3_dot(c, x), jy = mat3_dot(c, y);
    sum[0][lane] = s * mat3_dot(x, x) + t * jx * jx + p * mat3_dot(along, x);
    sum[1][lane] = s * mat3_dot(x, y) + t * jx * jy + p * mat3_dot(along, y);
    sum[2][lane] = s * mat3_dot(y, y) + t * jy * jy + 2 * p * mat3_dot(m, mat3_cofactor(y));
  }
}
