/* Private to src/term/descent: the Newton step of one vertex. docs/theory.md (5.30) */
#pragma once
#include "descent_impl.h"
#include "base/block3.h"

static const double descent_singular = 1e-12; // of the largest entry, for pivots; its cube for determinants
static const double descent_least    = 1e-6;  // of the largest eigenvalue, where eigenvalues are replaced

/* The largest entry of K. */
static inline double descent_size(const double K[6])
{
  double size = 0;
  for (int i = 0; i < 6; i++) size = fmax(size, fabs(K[i]));
  return size;
}

/* d = -K^{-1} f by L D L^T; 0 if K is not safely positive definite. */
static inline int descent_solve_definite(const double K[6], const double f[3], double d[3])
{
  const double least = descent_singular * descent_size(K);
  const double l10 = K[3] / K[0], l20 = K[5] / K[0], d1 = K[1] - l10 * K[3], s = K[4] - l20 * K[3];
  const double l21 = s / d1, d2 = K[2] - l20 * K[5] - l21 * s;
  if (!(K[0] > least && d1 > least && d2 > least)) return 0;
  const double y0 = -f[0], y1 = -f[1] - l10 * y0, y2 = -f[2] - l20 * y0 - l21 * y1;
  d[2] = y2 / d2;
  d[1] = y1 / d1 - l21 * d[2];
  d[0] = y0 / K[0] - l10 * d[1] - l20 * d[2];
  return 1;
}

/* The same with the absolute values of the eigenvalues, which gives a descent direction; 0 if K = 0. */
static inline int descent_solve_absolute(const double K[6], const double f[3], double d[3])
{
  const eigen3 e         = sym3_eigen((sym3){K[0], K[1], K[2], K[3], K[5], K[4]});
  const double lambda[3] = {fabs(e.s.s00), fabs(e.s.s11), fabs(e.s.s22)};
  const double largest   = fmax(lambda[0], fmax(lambda[1], lambda[2]));
  const vec3   v[3] = {e.v0, e.v1, e.v2}, force = {f[0], f[1], f[2]};
  d[0] = d[1] = d[2] = 0;
  if (!(largest > 0)) return 0;
  for (int i = 0; i < 3; i++) {
    const double part = -vec3_dot(v[i], force) / fmax(lambda[i], descent_least * largest);
    d[0] += part * v[i].x, d[1] += part * v[i].y, d[2] += part * v[i].z;
  }
  return 1;
}

/* d = -K^{-1} f for any K; 0 where its determinant is tiny. */
static inline int descent_solve_any(const double K[6], const double f[3], double d[3])
{
  const sym3   c   = sym3_adjugate((sym3){K[0], K[1], K[2], K[3], K[5], K[4]});
  const double det = K[0] * c.s00 + K[3] * c.s01 + K[5] * c.s02, size = descent_size(K);
  const vec3   v = sym3_apply(c, (vec3){f[0], f[1], f[2]});
  if (!(fabs(det) > descent_singular * size * size * size)) return 0;
  d[0] = -v.x / det, d[1] = -v.y / det, d[2] = -v.z / det;
  return 1;
}

/* Makes d = 0 in the components of `held`. */
static inline void descent_hold(int held, wring_descent_sum *s)
{
  static const int off[3][2] = {{3, 5}, {3, 4}, {4, 5}};
  const double     size      = descent_size(s->K);
  for (int c = 0; c < 3; c++) {
    if (!(held >> c & 1)) continue;
    s->f[c] = s->K[off[c][0]] = s->K[off[c][1]] = 0;
    s->K[c]                                     = size > 0 ? size : 1;
  }
}

/* The step d of a vertex with the sums s; 0 if it has none. */
static inline void descent_step(PetscBool search, const wring_descent_sum *s, double d[3])
{
  int solved;
  if (search)
    solved = descent_solve_definite(s->K, s->f, d) || descent_solve_absolute(s->K, s->f, d);
  else
    solved = descent_solve_any(s->K, s->f, d);
  if (!solved || !isfinite(d[0] + d[1] + d[2])) d[0] = d[1] = d[2] = 0;
}
