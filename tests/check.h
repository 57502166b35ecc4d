/* Shared by all tests: a failed check reports where, what and why, and ends the test on every rank. */
#pragma once
#include <wring/base.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                  \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                    \
    }                                                                                                                  \
  } while (0)

enum { TEST_SKIPPED = 77 }; // exit status that ctest reports as "Skipped"

/* The larger one of two errors; INFINITY if the second is not a number, which fmax would leave out. */
static inline double test_worse(double worst, double error)
{
  return isnan(error) ? INFINITY : fmax(worst, error);
}

/* A uniform number in (-1, 1) from a counter: the same on every machine, rank and run. */
static inline double test_random(uint64_t *state)
{
  *state += 0x9e3779b97f4a7c15u;
  return (double)(wring_mix(*state) >> 11) / 4503599627370496.0 - 1;
}

/* A uniformly random rotation, row by row, from a unit quaternion: a point in the unit ball, normalised. */
static inline void test_rotation(uint64_t *state, double r[9])
{
  double q[4], n = 0;
  do {
    n = 0;
    for (int i = 0; i < 4; i++) q[i] = test_random(state), n += q[i] * q[i];
  } while (n > 1 || n < 0.1);
  for (int i = 0; i < 4; i++) q[i] /= sqrt(n);
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(r, m, sizeof m);
}

/* Entry (i, j) of U diag(s) V^T, 3 x 3. */
static inline double test_usv(const double u[9], const double s[3], const double v[9], int i, int j)
{
  return u[3 * i] * s[0] * v[3 * j] + u[3 * i + 1] * s[1] * v[3 * j + 1] + u[3 * i + 2] * s[2] * v[3 * j + 2];
}

/* A file of n bytes. */
static inline void test_write_bytes(const char *file, size_t n, const char *bytes)
{
  FILE *const f = fopen(file, "wb");
  CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "%s cannot be written", file);
}
