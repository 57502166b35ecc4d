/* Blocks of local values of laws, and their comparison: the semidefinite parts of Hessians, rotations. */
#pragma once
#include "check.h"
#include <wring/law.h>

enum { MAX_Z = 9 }; // rows of z of any law

typedef double block_z[MAX_Z][WRING_LANES];
typedef double block_h[MAX_Z * MAX_Z][WRING_LANES];

/* Central differences of order 4, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h: truncation and round-off near 1e-12. */
static const double fd_at[4] = {1, -1, 2, -2}, fd_weight[4] = {8. / 12, -8. / 12, -1. / 12, 1. / 12};

static inline void check_close(double a, double b, double tolerance, const wring_law *law, int kind, const char *what)
{
  CHECK(fabs(a - b) <= tolerance, "%s, case %d: %s: %.17g and %.17g differ by %.2e > %.2e", law->name, kind, what, a, b,
        fabs(a - b), tolerance);
}

static inline double largest(int n, double (*a)[WRING_LANES], int lane)
{
  double m = 0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i][lane]));
  return m;
}

/* out = Q in Q'^T, Q' [q][q]; an edge is rotated by Q only. */
static inline void test_turn(int q, const double left[9], const double *right, block_z in, block_z out)
{
  memset(out, 0, sizeof(block_z));
  for (int i = 0; i < 9 * q * q; i++) {
    const int r = i / (3 * q * q), c = i / (q * q) % 3, k = i / q % q, m = i % q;
    for (int lane = 0; lane < WRING_LANES; lane++)
      out[q * r + k][lane] += left[3 * r + c] * in[q * c + m][lane] * (q > 1 ? right[q * k + m] : 1);
  }
}

/*
  Eigenvalues of the symmetric a [n][n] by cyclic Jacobi rotations; a becomes diagonal, and the columns of v are the
  eigenvectors.
*/
static inline void jacobi(int n, double a[MAX_Z][MAX_Z], double v[MAX_Z][MAX_Z])
{
  for (int i = 0; i < n * n; i++) v[i / n][i % n] = i / n == i % n;
  for (int turn = 0; turn < 20 * n * n; turn++) {
    const int p = turn / n % n, q = turn % n;
    if (p >= q) continue;
    const double angle = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(angle), s = sin(angle);
    for (int i = 0; i < n; i++) {
      const double x = a[i][p], y = a[i][q], vx = v[i][p], vy = v[i][q];
      a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
      v[i][p] = c * vx - s * vy, v[i][q] = s * vx + c * vy;
    }
    for (int i = 0; i < n; i++) {
      const double x = a[p][i], y = a[q][i];
      a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
    }
  }
}

/*
  The filtered Hessian is V max(D, 0) V^T or V |D| V^T of the plain Hessian V D V^T: semidefinite, and equal to it where
  that is semidefinite.
*/
static inline void check_filter(const wring_law *law, wring_filter filter, int kind, wring_in par, block_z z)
{
  const int             n = 3 * law->q;
  WRING_ALIGNED block_h h, filtered;

  law->hessian(law, WRING_FILTER_NONE, par, (wring_in)z, h);
  law->hessian(law, filter, par, (wring_in)z, filtered);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double       a[MAX_Z][MAX_Z], v[MAX_Z][MAX_Z], least = INFINITY;
    const double size = largest(n * n, h, lane);
    for (int i = 0; i < n * n; i++) a[i / n][i % n] = h[i][lane];
    jacobi(n, a, v);
    for (int i = 0; i < n * n; i++) {
      double expected = 0;
      for (int k = 0; k < n; k++) {
        const double e = filter == WRING_FILTER_CLAMP ? fmax(a[k][k], 0) : fabs(a[k][k]);
        expected += v[i / n][k] * e * v[i % n][k];
      }
      check_close(filtered[i][lane], expected, 1e-11 * size, law, kind, "semidefinite part");
    }
    for (int i = 0; i < n; i++) least = fmin(least, a[i][i]);
    for (int i = 0; least >= 0 && i < n * n; i++)
      check_close(filtered[i][lane], h[i][lane], 1e-13 * size, law, kind, "semidefinite Hessian, which a filter keeps");
    for (int i = 0; i < n * n; i++) a[i / n][i % n] = filtered[i][lane];
    jacobi(n, a, v);
    for (int i = 0; i < n; i++)
      CHECK(a[i][i] >= -1e-10 * size, "%s, case %d: eigenvalue %g of a semidefinite Hessian of size %g", law->name,
            kind, a[i][i], size);
  }
}
