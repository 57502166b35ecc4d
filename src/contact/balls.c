/* Balls about boxes of runs of vertices. */
#include "balls.h"
#include <math.h>

enum { LANES = 24 }; // coordinates of 8 vertices

typedef struct {
  double low[LANES], high[LANES], motion[LANES];
} extent;

static double less(double a, double b)
{
  return a < b ? a : b; // b if a is not a number
}

static double more(double a, double b)
{
  return a > b ? a : b;
}

/* Extends e by the first n coordinates of x and q, at most LANES. */
static inline void extend(PetscInt n, const double *x, const double *q, extent *e)
{
#pragma omp simd
  for (PetscInt j = 0; j < n; j++) {
    e->low[j]    = less(x[j], e->low[j]);
    e->high[j]   = more(x[j], e->high[j]);
    e->motion[j] = more(fabs(x[j] - q[j]), e->motion[j]);
  }
}

wring_ball wring_ball_around(PetscInt n, const double *x, const double *q)
{
  wring_ball ball;
  extent     e;
  double     across = 0, way = 0;
  PetscInt   i = 0;
  if (!q) q = x;
  for (int j = 0; j < LANES; j++) {
    e.low[j]    = INFINITY;
    e.high[j]   = -INFINITY;
    e.motion[j] = 0;
  }
  for (; i + LANES <= 3 * n; i += LANES) extend(LANES, x + i, q + i, &e);
  extend(3 * n - i, x + i, q + i, &e);
  for (int j = 3; j < LANES; j++) {
    e.low[j % 3]    = less(e.low[j], e.low[j % 3]);
    e.high[j % 3]   = more(e.high[j], e.high[j % 3]);
    e.motion[j % 3] = more(e.motion[j], e.motion[j % 3]);
  }
  for (int c = 0; c < 3; c++) {
    const double half = 0.5 * (e.high[c] - e.low[c]);
    ball.centre[c]    = e.low[c] + half;
    across += half * half;
    way += e.motion[c] * e.motion[c];
  }
  ball.radius = sqrt(across);
  ball.motion = sqrt(way);
  return ball;
}
