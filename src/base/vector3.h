/* Private to the library: products and distances of vectors in double [3]. */
#pragma once
#include <math.h>

static inline double wring_dot3(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c is neither a nor b. */
static inline void wring_cross3(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline void wring_subtract3(const double a[3], const double b[3], double c[3]) // c = a - b
{
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static inline double wring_distance3(const double a[3], const double b[3])
{
  double d[3];
  wring_subtract3(a, b, d);
  return sqrt(wring_dot3(d, d));
}
