/*
  Additive continuous collision detection [Li et al. 2021]: steps that are certainly free are added. A step ends where
  the slab between two planes, normal to the vector between the closest points at its start, becomes too narrow: corners
  move linearly, hence this time is exact, and no earlier than that of the bound by the largest speed. (9.15) Bodies
  that turn leave such a slab after about their distance over their size, in radians; the plane of a triangle, or those
  along two edges, turn with them, and are tried where a slab ends early. (9.15a)
*/
#include "ccd.h"
#include "base/vector3.h"
#include <float.h>
#include <math.h>

enum { MOST_STEPS = 512, MOST_CUTS = 24 };
static const double near = 0.05; // near enough: of the way from the first distance to the least one, and of a time

typedef struct {
  int    corners, first;
  double y[3 * WRING_MOST_CORNERS], dy[3 * WRING_MOST_CORNERS]; // m, from the first corner
} motion;

/*
  The last time until which the slab of normal n is at least `width` [m] wide, infinite if it does not become narrower;
  0 if it is narrower at time t.
*/
static double slab_end(const motion *m, const double n[3], double width, double t)
{
  double end = INFINITY;
  for (int i = 0; i < m->first; i++)
    for (int j = m->first; j < m->corners; j++) {
      double apart[3], change[3];
      wring_subtract3(m->y + 3 * i, m->y + 3 * j, apart);
      wring_subtract3(m->dy + 3 * i, m->dy + 3 * j, change);
      const double room = wring_dot3(n, apart) - width, rate = wring_dot3(n, change);
      if (!(room + t * rate >= 0)) return 0;
      if (rate < 0) end = fmin(end, -room / rate);
    }
  return end;
}

/* ---- the plane of a triangle, or planes of two edges ------------------------------------------------------------- */

/* At time t: two vectors that span the plane, and one from the plane, or from the second edge, to the other body. */
static void span_at(wring_pair_kind kind, const motion *m, double t, double e[3][3])
{
  static const int of_triangle[3][2] = {{2, 1}, {3, 1}, {0, 1}}, of_edges[3][2] = {{1, 0}, {3, 2}, {0, 2}};
  const int(*const of)[2] = kind == WRING_PAIR_POINT_TRIANGLE ? of_triangle : of_edges;
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < 3; k++) {
      const int to = 3 * of[a][0] + k, from = 3 * of[a][1] + k;
      e[a][k] = m->y[to] - m->y[from] + t * (m->dy[to] - m->dy[from]);
    }
}

static double norm3(const double a[3])
{
  return sqrt(wring_dot3(a, a));
}

/* Whether the distance of the planes is at least `width` [m] between two times, on the side of `sign`: (9.15a). */
static int planes_stay_apart(double a[3][3], double b[3][3], double sign, double width)
{
  double N[3][3], other[3], size[3], n[3];
  for (int k = 0; k < 3; k++) size[k] = fmax(norm3(a[k]), norm3(b[k]));
  const double error = 16 * DBL_EPSILON * size[0] * size[1] * size[2];
  wring_cross3(a[0], a[1], N[0]);
  wring_cross3(b[0], b[1], N[2]);
  wring_cross3(a[0], b[1], N[1]);
  wring_cross3(b[0], a[1], other);
  for (int k = 0; k < 3; k++) N[1][k] = 0.5 * (N[1][k] + other[k]);
  for (int k = 0; k < 3; k++) n[k] = norm3(N[k]);
  const double s[4]    = {wring_dot3(N[0], a[2]), (wring_dot3(N[0], b[2]) + 2 * wring_dot3(N[1], a[2])) / 3,
                          (2 * wring_dot3(N[1], b[2]) + wring_dot3(N[2], a[2])) / 3, wring_dot3(N[2], b[2])};
  const double most[4] = {n[0], (n[0] + 2 * n[1]) / 3, (2 * n[1] + n[2]) / 3, n[2]};
  int          apart   = 1;
  for (int k = 0; k < 4; k++) apart &= sign * s[k] > width * most[k] + error;
  return apart;
}

/* A time until which the planes are at least `width` [m] apart from time t on; t: they are not. */
static double planes_end(wring_pair_kind kind, const motion *m, double width, double t)
{
  double a[3][3], b[3][3], n[3], step = 1 - t;
  if (kind != WRING_PAIR_POINT_TRIANGLE && kind != WRING_PAIR_EDGE_EDGE) return t;
  span_at(kind, m, t, a);
  wring_cross3(a[0], a[1], n);
  const double sign = wring_dot3(n, a[2]) < 0 ? -1 : 1;
  if (!planes_stay_apart(a, a, sign, width)) return t;
  for (int k = 0; k < MOST_CUTS && t < 1; k++) {
    const double end = step < 1 - t ? t + step : 1;
    span_at(kind, m, end, b);
    if (planes_stay_apart(a, b, sign, width)) {
      t = end;
      for (int i = 0; i < 9; i++) a[i / 3][i % 3] = b[i / 3][i % 3];
      step *= 2;
    } else {
      step /= 2;
      if (step < near * t) break;
    }
  }
  return t;
}

/* The unit vector n between the closest points at time t, or that turned; returns their distance. */
static double direction(wring_pair_kind kind, const motion *m, double t, int turned, double n[3])
{
  double     at[3 * WRING_MOST_CORNERS];
  wring_foot foot;
  for (int i = 0; i < 3 * m->corners; i++) at[i] = m->y[i] + t * m->dy[i];
  wring_pair_closest(kind, at, &foot);
  if (turned) wring_pair_turn(kind, at, &foot);
  return wring_foot_normal(&foot, n);
}

/* Sets m; returns the errors of widths of slabs and of the rounding of positions [m], 0 if no corner moves. */
static double set_motion(wring_pair_kind kind, const double *x, const double *dx, motion *m)
{
  double largest = 0;
  int    moves   = 0;
  m->corners     = wring_pair_corners(kind);
  m->first       = wring_pair_first(kind);
  for (int i = 0; i < 3 * m->corners; i++) {
    m->y[i]  = x[i] - x[i % 3];
    m->dy[i] = dx[i] - dx[i % 3];
    largest  = fmax(largest, fabs(x[i]) + fabs(dx[i]));
    moves |= dx[i] != 0;
  }
  return moves ? 32 * DBL_EPSILON * largest : 0;
}

double wring_pair_bound(wring_pair_kind kind, const double *x, const double *dx, double radius, double keep)
{
  motion       m;
  double       n[3], t = 0;
  const double error = set_motion(kind, x, dx, &m);
  if (error == 0) return 1;
  double       d     = direction(kind, &m, 0, 0, n);
  const double width = radius + keep * (d - radius) + error, enough = width + near * (d - width);
  for (int k = 0; k < MOST_STEPS && t < 1 && d > enough; k++) {
    double end = slab_end(&m, n, width, t);
    if (!(end > t)) {
      direction(kind, &m, t, 1, n);
      end = slab_end(&m, n, width, t);
    }
    if (end < 1) end = fmax(end, planes_end(kind, &m, width + error, t));
    if (!(end > t)) return t;
    t = fmin(end, 1);
    d = direction(kind, &m, t, 0, n);
  }
  return t;
}

int wring_pair_stays_apart(wring_pair_kind kind, const double *x, const double *dx, const double n[3], double w)
{
  motion       m;
  const double error = set_motion(kind, x, dx, &m);
  return error == 0 || slab_end(&m, n, w + error, 0) >= 1;
}
