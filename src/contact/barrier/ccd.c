/*
  Additive continuous collision detection [Li et al. 2021]: steps that are certainly free are added. A step ends where
  the slab between two planes, normal to the vector between the closest points at its start, becomes too narrow: corners
  move linearly, hence this time is exact, and no earlier than that of the bound by the largest speed. (9.15)
*/
#include "ccd.h"
#include "base/vector3.h"
#include <float.h>
#include <math.h>

enum { MOST_STEPS = 512 };       // a pair that turns steps by about its distance over its size, in radians
static const double near = 0.05; // of the way from the distance at the start to the least one, which is near enough

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
