/* ranks: 1 */
/*
  Block kernels on 24 classes of F, compared with singular values in long double. Fails if a rotation or SVD loses
  accuracy for inverted, flat, tiny or huge matrices, if the test that selects blocks for the SVD misses a bad lane, or
  if a lane that is not finite changes its neighbours.
*/
#include "base/block3.h"
#include "check.h"
#include <string.h>

enum { N_BLOCK = 64 };

typedef double block[9][WRING_LANES];

/* F = size U diag(s) V^T with random rotations, or size (shift I + noise N) with N uniform in (-1, 1). */
typedef struct {
  const char *name;
  double      s[3], size, shift, noise;
} matrix_class;

static const matrix_class classes[] = {
  {"near a rotation", {1, 1, 1}, 1, 1, 0.15},
  {"random", {0}, 1, 0, 1},
  {"rotation", {1, 1, 1}, 1, 0, 0},
  {"flat, 1e-3", {1, 1, 1e-3}, 1, 0, 0},
  {"flat, 1e-8", {1, 0.5, 1e-8}, 1, 0, 0},
  {"rank 2", {1, 1, 0}, 1, 0, 0},
  {"needle, 1e-3", {1, 1e-3, 5e-4}, 1, 0, 0},
  {"needle, 1e-6", {1, 1e-6, 5e-7}, 1, 0, 0},
  {"inverted", {1, 0.9, -0.5}, 1, 0, 0},
  {"inverted, near the cut locus", {1, 0.5, -0.499}, 1, 0, 0},
  {"inverted, nearer the cut locus", {1, 0.5, -0.5 + 1e-6}, 1, 0, 0},
  {"mirror", {1, 1, -1}, 1, 0, 0},
  {"rank 1", {1, 0, 0}, 1, 0, 0},
  {"zero", {0, 0, 0}, 1, 0, 0},
  {"random, 1e-100", {0}, 1e-100, 0, 1},
  {"random, 1e60", {0}, 1e60, 0, 1},
  {"near the identity by an ulp", {1, 1, 1}, 1, 1, 2e-16},
  {"random, 1e-200", {0}, 1e-200, 0, 1},
  {"random, 1e200", {0}, 1e200, 0, 1},
  {"inverted, 1e-40", {1, 0.9, -0.5}, 1e-40, 0, 0},
  {"two equal, large", {1, 1, 0.7}, 1, 0, 0},
  {"two equal, small", {1, 0.7, 0.7}, 1, 0, 0},
  {"two close", {1, 1 - 1e-9, 0.8}, 1, 0, 0},
  {"all close", {1, 1 - 1e-7, 1 - 2e-7}, 1, 0, 0},
};

/* ---- matrices and their singular values -------------------------------------------------------------------------- */

static void random_block(const matrix_class *c, uint64_t *state, block f)
{
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double u[9], v[9];
    test_rotation(state, u);
    test_rotation(state, v);
    for (int i = 0; i < 9; i++) {
      const double noise = c->shift * (i % 4 == 0) + c->noise * test_random(state);
      const double value = u[i / 3 * 3] * c->s[0] * v[i % 3 * 3] + u[i / 3 * 3 + 1] * c->s[1] * v[i % 3 * 3 + 1] +
                           u[i / 3 * 3 + 2] * c->s[2] * v[i % 3 * 3 + 2];
      f[i][lane] = c->size * (c->noise > 0 ? noise : value);
    }
  }
}

static long double dot(const long double a[3], const long double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static long double det(long double b[3][3])
{
  return b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) - b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
         b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
}

/* Signed singular values, sorted, by one-sided Jacobi rotations of the columns, to about 1e-18. */
static void reference_values(block f, int lane, long double s[3])
{
  long double b[3][3];
  for (int i = 0; i < 9; i++) b[i % 3][i / 3] = f[i][lane];
  const long double sign = det(b) < 0 ? -1 : 1;
  for (int sweep = 0; sweep < 30; sweep++) {
    for (int pair = 0; pair < 3; pair++) {
      long double      *p = b[pair == 2], *q = b[pair == 0 ? 1 : 2];
      const long double g = dot(p, q), zeta = (dot(q, q) - dot(p, p)) / (2 * g);
      if (g == 0) continue;
      const long double t = (zeta < 0 ? -1 : 1) / (fabsl(zeta) + sqrtl(1 + zeta * zeta)), c = 1 / sqrtl(1 + t * t);
      for (int i = 0; i < 3; i++) {
        const long double x = p[i], y = q[i];
        p[i] = c * (x - t * y), q[i] = c * (t * x + y);
      }
    }
  }
  for (int i = 0; i < 3; i++) s[i] = sqrtl(dot(b[i], b[i]));
  for (int i = 0; i < 3; i++) {
    const int         k = i % 2; // compare (0,1), (1,2), (0,1)
    const long double x = s[k], y = s[k + 1];
    s[k] = fmaxl(x, y), s[k + 1] = fminl(x, y);
  }
  s[2] *= sign;
}

/* max |A^T A - I|, NaN if A has one */
static double orthogonality(double (*a)[WRING_LANES], int lane)
{
  double worst = 0;
  for (int i = 0; i < 9; i++) {
    double d = -(i % 4 == 0);
    for (int k = 0; k < 3; k++) d += a[3 * k + i / 3][lane] * a[3 * k + i % 3][lane];
    if (!(fabs(d) <= worst)) worst = fabs(d);
  }
  return worst;
}

static void check_is_rotation(double (*a)[WRING_LANES], int lane, const char *what, const char *name)
{
  long double b[3][3];
  for (int i = 0; i < 9; i++) b[i / 3][i % 3] = a[i][lane];
  const double error = orthogonality(a, lane);
  CHECK(error < 1e-14, "%s of %s: |R^T R - I| = %g", what, name, error);
  CHECK(det(b) > 0, "%s of %s: a reflection", what, name);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* F = U diag(s) V^T, with the reference values s and rotations U and V. */
static void check_svd(block f, const char *name)
{
  WRING_ALIGNED block  u, v;
  WRING_ALIGNED double s[3][WRING_LANES];

  wring_block3_svd((wring_in)f, u, s, v);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    long double exact[3];
    reference_values(f, lane, exact);
    const double tolerance = 1e-14 * (double)exact[0];
    check_is_rotation(u, lane, "U", name);
    check_is_rotation(v, lane, "V", name);
    for (int i = 0; i < 3; i++)
      CHECK(fabs((double)(s[i][lane] - exact[i])) <= tolerance, "s_%d of %s: %.17g, expected %.17g", i, name,
            s[i][lane], (double)exact[i]);
    for (int i = 0; i < 9; i++) {
      double value = 0;
      for (int k = 0; k < 3; k++) value += u[i / 3 * 3 + k][lane] * s[k][lane] * v[i % 3 * 3 + k][lane];
      CHECK(fabs(value - f[i][lane]) <= tolerance, "U S V^T of %s: entry %d is off by %g of s_0", name, i,
            fabs(value - f[i][lane]) / (double)exact[0]);
    }
  }
}

/* R is a rotation, R^T F is symmetric, and tr R^T F reaches its maximum over rotations, s_0 + s_1 + s_2. */
static void check_rotation(block f, const char *name)
{
  WRING_ALIGNED block r;

  wring_block3_rotation((wring_in)f, r);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    long double exact[3], trace = 0;
    reference_values(f, lane, exact);
    const long double tolerance = 1e-14L * exact[0];
    check_is_rotation(r, lane, "R", name);
    for (int i = 0; i < 9; i++) trace += (long double)r[i][lane] * f[i][lane];
    CHECK(exact[0] + exact[1] + exact[2] - trace <= tolerance, "R of %s: tr R^T F is %g of s_0 below its maximum", name,
          (double)((exact[0] + exact[1] + exact[2] - trace) / exact[0]));
    for (int i = 0; i < 9; i++) {
      long double skew = 0;
      for (int k = 0; k < 3; k++)
        skew += (long double)r[3 * k + i / 3][lane] * f[3 * k + i % 3][lane] -
                (long double)r[3 * k + i % 3][lane] * f[3 * k + i / 3][lane];
      CHECK(fabsl(skew) <= tolerance, "R^T F of %s: skew by %g of s_0", name, (double)(fabsl(skew) / exact[0]));
    }
  }
}

static void test_classes(void)
{
  uint64_t            state = 11;
  WRING_ALIGNED block f;

  for (size_t c = 0; c < sizeof classes / sizeof classes[0]; c++) {
    for (int b = 0; b < N_BLOCK; b++) {
      random_block(&classes[c], &state, f);
      check_svd(f, classes[c].name);
      check_rotation(f, classes[c].name);
    }
  }
}

/* Lanes are independent: in a block of all classes with one lane that is not finite, the others are rotations. */
static void test_mixed_block(void)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY, 0x1p-1060};
  uint64_t            state = 5;
  WRING_ALIGNED block f, one, r;

  for (int k = 0; k < 4; k++) {
    for (int lane = 0; lane < WRING_LANES; lane++) {
      random_block(&classes[3 * k + lane % 3], &state, one);
      for (int i = 0; i < 9; i++) f[i][lane] = lane == 2 ? bad[k] : one[i][lane];
    }
    wring_block3_rotation((wring_in)f, r);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      if (lane != 2) check_is_rotation(r, lane, "R", "a mixed block");
    }
  }
}

/* Bits do not depend on the lane of an element or on its neighbours, for which the block may need other methods. */
static void test_lanes(void)
{
  uint64_t             state = 41;
  WRING_ALIGNED block  f, one, r, u, v, r0, u0, v0;
  WRING_ALIGNED double s[3][WRING_LANES], s0[3][WRING_LANES];

  for (size_t c = 0; c < 8 * sizeof classes / sizeof classes[0]; c++) {
    for (int lane = 0; lane < WRING_LANES; lane++) {
      random_block(&classes[(c * (size_t)(lane + 1)) % (sizeof classes / sizeof classes[0])], &state, one);
      for (int i = 0; i < 9; i++) f[i][lane] = one[i][lane];
    }
    wring_block3_rotation((wring_in)f, r);
    wring_block3_svd((wring_in)f, u, s, v);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const int other = WRING_LANES - 1 - lane;
      for (int i = 0; i < 9; i++) {
        for (int l = 0; l < WRING_LANES; l++) one[i][l] = f[i][lane];
      }
      wring_block3_rotation((wring_in)one, r0);
      wring_block3_svd((wring_in)one, u0, s0, v0);
      for (int i = 0; i < 9; i++)
        CHECK(r[i][lane] == r0[i][other] && u[i][lane] == u0[i][other] && v[i][lane] == v0[i][other] &&
                s[i / 3][lane] == s0[i / 3][other],
              "class %d: entry %d depends on the lane or its neighbours", (int)c, i);
    }
  }
}

/* In place: r may be f. */
static void test_in_place(void)
{
  uint64_t            state = 23;
  WRING_ALIGNED block f, r;

  for (size_t c = 0; c < sizeof classes / sizeof classes[0]; c++) {
    random_block(&classes[c], &state, f);
    wring_block3_rotation((wring_in)f, r);
    wring_block3_rotation((wring_in)f, f);
    CHECK(!memcmp(f, r, sizeof r), "rotation of %s in place", classes[c].name);
  }
}

static void test_scalars(void)
{
  for (double x = 1e-307; x < 1e307; x *= 1.00371) {
    const double root = (double)(block3_rsqrt(x) * sqrtl(x) - 1), logarithm = (double)(block3_log(x) - logl(x));
    CHECK(fabs(root) < 4e-16, "1/sqrt(%g) is off by %g", x, root);
    CHECK(fabs(block3_sqrt_roughly(x) / sqrt(x) - 1) < 1.01e-4, "sqrt(%g), roughly", x);
    CHECK(fabs((double)(block3_rcbrt(x) * cbrtl(x) - 1)) < 5e-16, "1/cbrt(%g)", x);
    CHECK(fabs(logarithm) <= 2.3e-16 * fabs(log(x)), "log(%g) is off by %g", x, logarithm);
  }
  for (double d = 1e-15; d < 0.5; d *= 1.01) { // near 1, where log x is small and relative accuracy is hard
    CHECK(fabsl(block3_log(1 + d) / logl(1 + d) - 1) < 2.3e-16L, "log(1 + %g)", d);
    CHECK(fabsl(block3_log(1 - d) / logl(1 - d) - 1) < 2.3e-16L, "log(1 - %g)", d);
  }
  CHECK(block3_log(1) == 0 && block3_sqrt(0) == 0, "log 1 and sqrt 0");
}

static void test_eigen(void)
{
  uint64_t state = 31;
  for (int k = 0; k < 1000; k++) {
    double a[6];
    for (int i = 0; i < 6; i++) a[i] = test_random(&state);
    const sym3   s      = {a[0], a[1], a[2], a[3], a[4], a[5]};
    const eigen3 e      = sym3_eigen(s);
    const vec3   v[3]   = {e.v0, e.v1, e.v2};
    const double val[3] = {e.s.s00, e.s.s11, e.s.s22};
    for (int i = 0; i < 3; i++) {
      const vec3 av = {a[0] * v[i].x + a[3] * v[i].y + a[4] * v[i].z, a[3] * v[i].x + a[1] * v[i].y + a[5] * v[i].z,
                       a[4] * v[i].x + a[5] * v[i].y + a[2] * v[i].z};
      const vec3 d  = vec3_combine(1, av, -val[i], v[i]);
      CHECK(vec3_dot(d, d) < 1e-28, "eigenvector %d: |A v - e v| = %g", i, sqrt(vec3_dot(d, d)));
      CHECK(fabs(vec3_dot(v[i], v[(i + 1) % 3])) < 1e-14, "eigenvectors are not orthogonal");
    }
  }
}

static double spectral_error(sym3 a, double s, vec3 v)
{
  const vec3 d = vec3_combine(1, sym3_apply(a, v), -s, v);
  return sqrt(vec3_dot(d, d));
}

/*
  A = V diag(s) V^T with eigenvalues that are far, close, equal, of both signs, 0, tiny and huge: residuals, order, and
  right-handed orthonormal axes. Fails if close eigenvalues cost accuracy or an axis has the wrong sign.
*/
static void test_spectral(void)
{
  static const double values[][3] = {{3, 2, 1},         {1, 1, 1},          {2, 1, 1},          {2, 2, 1},
                                     {1, 1 - 1e-8, -1}, {1, -1, -1 - 1e-8}, {0, 0, 0},          {1, 0, 0},
                                     {1, 0, -1},        {1e-60, 5e-61, 0},  {1e60, 1e60, -1e60}};
  uint64_t            state       = 37;
  for (int k = 0; k < 2200; k++) {
    const double *const s = values[k % 11], size = fmax(fabs(s[0]), fabs(s[2]));
    double              v[9], a[9]               = {0};
    test_rotation(&state, v);
    for (int i = 0; i < 9; i++) {
      for (int j = 0; j < 3; j++)
        a[i] += (k < 11 ? i / 3 == j : v[i / 3 * 3 + j]) * s[j] * (k < 11 ? i % 3 == j : v[i % 3 * 3 + j]);
    }
    const sym3      m = {a[0], a[4], a[8], a[1], a[2], a[5]};
    const spectral3 e = sym3_spectral(m);
    const vec3      c = {e.v0.y * e.v1.z - e.v0.z * e.v1.y, e.v0.z * e.v1.x - e.v0.x * e.v1.z,
                         e.v0.x * e.v1.y - e.v0.y * e.v1.x};
    const vec3      d = vec3_combine(1, c, -1, e.v2);
    CHECK(e.s.x >= e.s.y && e.s.y >= e.s.z, "case %d: %g %g %g", k % 11, e.s.x, e.s.y, e.s.z);
    CHECK(fabs(e.s.x - s[0]) <= 3e-15 * size && fabs(e.s.y - s[1]) <= 3e-15 * size &&
            fabs(e.s.z - s[2]) <= 3e-15 * size,
          "case %d: %.17g %.17g %.17g", k % 11, e.s.x, e.s.y, e.s.z);
    CHECK(spectral_error(m, e.s.x, e.v0) <= 4e-15 * size && spectral_error(m, e.s.y, e.v1) <= 4e-15 * size &&
            spectral_error(m, e.s.z, e.v2) <= 4e-15 * size,
          "case %d: A v - s v", k % 11);
    CHECK(vec3_dot(d, d) < 1e-29 && fabs(vec3_dot(e.v0, e.v1)) < 2e-15 && fabs(vec3_dot(e.v0, e.v0) - 1) < 2e-15,
          "case %d: the axes are not a rotation", k % 11);
  }
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  test_classes();
  test_mixed_block();
  test_lanes();
  test_in_place();
  test_scalars();
  test_eigen();
  test_spectral();
  PetscCall(PetscFinalize());
  return 0;
}
