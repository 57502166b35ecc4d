#include "vertex.h"

static const double least_pair = 1e-2; // of tr Y = 2 (s_0 + s_1 + s_2), for s_1 + s_2

/* Y = tr(S) I - S of S = R^T F, without the skew part that rounding leaves. */
BLOCK3_INLINE sym3 pairs_of(mat3 r, mat3 f)
{
  const mat3 s = mat3_mul(mat3_transpose(r), f);
  return (sym3){s.a11 + s.a22,          s.a00 + s.a22,          s.a00 + s.a11,
                -0.5 * (s.a01 + s.a10), -0.5 * (s.a02 + s.a20), -0.5 * (s.a12 + s.a21)};
}

BLOCK3_INLINE sym3 adjugate(sym3 y)
{
  return (sym3){y.s11 * y.s22 - y.s12 * y.s12, y.s00 * y.s22 - y.s02 * y.s02, y.s00 * y.s11 - y.s01 * y.s01,
                y.s02 * y.s12 - y.s01 * y.s22, y.s01 * y.s12 - y.s02 * y.s11, y.s01 * y.s02 - y.s12 * y.s00};
}

BLOCK3_INLINE vec3 cross(vec3 a, vec3 b)
{
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* X^T a X */
BLOCK3_INLINE sym3 congruent(sym3 a, vec3 x0, vec3 x1, vec3 x2)
{
  const vec3 a0 = vertex_apply_sym(a, x0), a1 = vertex_apply_sym(a, x1), a2 = vertex_apply_sym(a, x2);
  return (sym3){vec3_dot(x0, a0), vec3_dot(x1, a1), vec3_dot(x2, a2),
                vec3_dot(x0, a1), vec3_dot(x0, a2), vec3_dot(x1, a2)};
}

int wring_vertex_turn(wring_in f, wring_in g, wring_out r, wring_out turn)
{
  WRING_ALIGNED double room[WRING_LANES];
  int                  safe = 1;

  wring_block3_rotation(f, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   b   = mat3_load((wring_in)r, lane);
    const vec3   row = vertex_row(g, lane);
    const sym3   y = pairs_of(b, mat3_load(f, lane)), a = adjugate(y);
    const double det = y.s00 * a.s00 + y.s01 * a.s01 + y.s02 * a.s02, inverse = 1 / det;
    const double x = (a.s00 + a.s11 + a.s22) * (y.s00 + y.s11 + y.s22);
    const sym3   t = congruent(a, cross(row, (vec3){b.a00, b.a01, b.a02}), cross(row, (vec3){b.a10, b.a11, b.a12}),
                               cross(row, (vec3){b.a20, b.a21, b.a22}));
    room[lane]     = det - least_pair * x; // det Y/tr adj Y is at most the smallest pair and at least a third of it
    vertex_store(turn, lane, sym3_combine(inverse, t, 0, t));
  }
  for (int lane = 0; lane < WRING_LANES; lane++) safe &= room[lane] > 0; // false for NaN
  return safe;
}
