/* Balls about boxes of runs of vertices. */
#include "balls.h"
#include <math.h>

static double less(double a, double b)
{
  return a < b ? a : b; // b if a is not a number
}

static double more(double a, double b)
{
  return a > b ? a : b;
}

wring_ball wring_ball_around(PetscInt n, const double *x, const double *q)
{
  wring_ball ball;
  double     low[3], high[3], motion[3] = {0}, across = 0, way = 0;
  for (int c = 0; c < 3; c++) low[c] = INFINITY, high[c] = -INFINITY;
  for (PetscInt v = 0; v < n; v++) {
    for (PetscInt c = 0, i = 3 * v; c < 3; c++, i++) {
      low[c]    = less(x[i], low[c]);
      high[c]   = more(x[i], high[c]);
      motion[c] = q ? more(fabs(x[i] - q[i]), motion[c]) : 0;
    }
  }
  for (int c = 0; c < 3; c++) {
    const double half = 0.5 * (high[c] - low[c]);
    ball.centre[c]    = low[c] + half;
    across += half * half;
    way += motion[c] * motion[c];
  }
  ball.radius = sqrt(across);
  ball.motion = sqrt(way);
  return ball;
}
