/*
  The energy of a pair: the barrier against its formula, its derivatives by finite differences, forces and torques that
  add up to 0, and the Hessian, which is semidefinite and equals the sum of positive parts that is stated: those are
  found here by eigenvalues of finite differences. A wrong term, sign or factor fails.
*/
#include "check.h"
#include "contact/barrier/barrier.h"
#include <float.h>

enum { DOF = 3 * WRING_MOST_CORNERS };

static const double step = 1e-5;

static void check_barrier(void)
{
  const double gap = 0.02;
  double       b[3], less[3], more[3];
  for (double d = 0.0005; d < 1.2 * gap; d += 0.00037) {
    const double h = 1e-6 * d, u = d / gap, exact = u < 1 ? -gap * (u - 1) * (u - 1) * log(u) : 0;
    wring_barrier(d, gap, b);
    wring_barrier(d - h, gap, less);
    wring_barrier(d + h, gap, more);
    CHECK(fabs(b[0] - exact) <= 1e-15, "b(%g) is %g, not %g", d, b[0], exact);
    for (int k = 0; k < 2; k++) {
      const double slope = (more[k] - less[k]) / (2 * h);
      CHECK(fabs(b[k + 1] - slope) <= 1e-7 * (fabs(slope) + 1), "derivative %d at %g: %g, %g", k, d, b[k + 1], slope);
    }
  }
  wring_barrier(0, gap, b);
  CHECK(b[0] == INFINITY && b[1] == 0 && b[2] == 0, "b(0) is %g", b[0]);
  wring_barrier(gap, gap, b);
  CHECK(b[0] == 0 && b[1] == 0 && b[2] == 0, "b(gap) is %g", b[0]);
}

/* ---- matrices by finite differences, and their positive parts ---------------------------------------------------- */

/* H [n][n] = the derivative of gradient, made symmetric. */
typedef void gradient_of(const void *context, const double *x, double *g);

static void differentiate(int n, gradient_of *gradient, const void *context, const double *x, double *H)
{
  double T[DOF * DOF];
  for (int i = 0; i < n; i++) {
    double y[DOF], less[DOF], more[DOF];
    memcpy(y, x, sizeof *y * (size_t)n);
    y[i] = x[i] - step;
    gradient(context, y, less);
    y[i] = x[i] + step;
    gradient(context, y, more);
    for (int j = 0; j < n; j++) T[i * n + j] = (more[j] - less[j]) / (2 * step);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) H[i * n + j] = 0.5 * (T[i * n + j] + T[j * n + i]);
}

/* One rotation of Jacobi's method: S [n][n] in place, columns of V. */
static void rotate(int n, double *S, double *V, int p, int q)
{
  if (S[p * n + q] == 0) return;
  const double a = 0.5 * atan2(2 * S[p * n + q], S[q * n + q] - S[p * n + p]), c = cos(a), s = sin(a);
  for (int k = 0; k < n; k++) {
    const double u = S[k * n + p], v = S[k * n + q], y = V[k * n + p], z = V[k * n + q];
    S[k * n + p] = c * u - s * v, S[k * n + q] = s * u + c * v;
    V[k * n + p] = c * y - s * z, V[k * n + q] = s * y + c * z;
  }
  for (int k = 0; k < n; k++) {
    const double u = S[p * n + k], v = S[q * n + k];
    S[p * n + k] = c * u - s * v, S[q * n + k] = s * u + c * v;
  }
}

/* The eigenvalues of S [n][n], which is overwritten, and its eigenvectors, columns of V. */
static void decompose(int n, double *S, double *V, double *value)
{
  for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 20; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) rotate(n, S, V, p, q);
  for (int i = 0; i < n; i++) value[i] = S[i * (n + 1)];
}

static double least_eigenvalue(int n, const double *H)
{
  double S[DOF * DOF], V[DOF * DOF], value[DOF], least = INFINITY;
  memcpy(S, H, sizeof *H * (size_t)(n * n));
  decompose(n, S, V, value);
  for (int i = 0; i < n; i++) least = fmin(least, value[i]);
  return least;
}

static void keep_positive(int n, double *H)
{
  double S[DOF * DOF], V[DOF * DOF], value[DOF];
  memcpy(S, H, sizeof *H * (size_t)(n * n));
  decompose(n, S, V, value);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      H[i * n + j] = 0;
      for (int k = 0; k < n; k++) H[i * n + j] += fmax(value[k], 0) * V[i * n + k] * V[j * n + k];
    }
}

static double largest_difference(int n, const double *a, const double *b)
{
  double most = 0, size = 1;
  for (int i = 0; i < n; i++) {
    most = test_worse(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return most / size;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static void energy_gradient(const void *context, const double *x, double *g)
{
  double psi;
  wring_pair_energy(context, x, &psi, g, NULL, NULL);
}

/* The gradient of the distance. */
static void distance_gradient(const void *context, const double *x, double *g)
{
  const wring_pair_law *const law = context;
  wring_foot                  f;
  wring_pair_closest(law->kind, x, &f);
  for (int i = 0; i < 3 * wring_pair_corners(law->kind); i++) g[i] = f.c[i / 3] * f.r[i % 3] / sqrt(f.distance2);
}

static void check_gradient(const wring_pair_law *law, const double *x, const double *g)
{
  const int n = 3 * wring_pair_corners(law->kind);
  for (int i = 0; i < n; i++) {
    double y[DOF], less, more;
    memcpy(y, x, sizeof *y * (size_t)n);
    y[i] = x[i] - step;
    wring_pair_energy(law, y, &less, NULL, NULL, NULL);
    y[i] = x[i] + step;
    wring_pair_energy(law, y, &more, NULL, NULL, NULL);
    const double slope = (more - less) / (2 * step);
    CHECK(fabs(slope - g[i]) < 1e-5 * (fabs(slope) + 1), "kind %d: force %d is %g, not %g", law->kind, i, g[i], slope);
  }
}

static void check_balance(const wring_pair_law *law, const double *x, const double *g)
{
  double force[3] = {0}, torque[3] = {0}, size = 0;
  for (int i = 0; i < 3 * wring_pair_corners(law->kind); i += 3)
    for (int k = 0; k < 3; k++) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      force[k] += g[i + k];
      torque[k] += x[i + a] * g[i + b] - x[i + b] * g[i + a];
      size += fabs(g[i + k]);
    }
  for (int k = 0; k < 3; k++)
    CHECK(fabs(force[k]) <= 1e-14 * size && fabs(torque[k]) <= 1e-12 * size, "kind %d: force %g and torque %g of %g",
          law->kind, force[k], torque[k], size);
}

/* b'' grad d grad d^T + positive part of b' times the Hessian of d. */
static void check_hessian(const wring_pair_law *law, const double *x, const double *H)
{
  const int  n = 3 * wring_pair_corners(law->kind);
  double     expected[DOF * DOF], g[DOF], b[3];
  wring_foot f;
  wring_pair_closest(law->kind, x, &f);
  wring_barrier(sqrt(f.distance2) - law->radius, law->gap, b);
  distance_gradient(law, x, g);
  differentiate(n, distance_gradient, law, x, expected);
  for (int i = 0; i < n * n; i++) expected[i] *= b[1];
  keep_positive(n, expected);
  for (int i = 0; i < n * n; i++) expected[i] += b[2] * g[i / n] * g[i % n];
  const double error = largest_difference(n * n, H, expected);
  CHECK(error < 1e-4, "kind %d: a relative difference of %g to the Hessian by finite differences", law->kind, error);
}

/* H is semidefinite, and not less than the Hessian, from which nothing but negative parts is left out. */
static void check_bounds(const wring_pair_law *law, const double *x, const double *H)
{
  const int n = 3 * wring_pair_corners(law->kind);
  double    exact[DOF * DOF], size = 1;
  differentiate(n, energy_gradient, law, x, exact);
  for (int i = 0; i < n * n; i++) size = fmax(size, fabs(H[i])), exact[i] = H[i] - exact[i];
  const double least = least_eigenvalue(n, H), above = least_eigenvalue(n, exact);
  CHECK(least > -1e-12 * size, "kind %d: an eigenvalue of %g among entries of %g", law->kind, least, size);
  CHECK(above > -1e-4 * size, "kind %d: H less the Hessian has an eigenvalue of %g among %g", law->kind, above, size);
}

/* True where finite differences stay inside one region, away from parallel edges and from the barrier's ends. */
static int is_smooth(const wring_pair_law *law, const double *x)
{
  wring_foot f;
  wring_pair_closest(law->kind, x, &f);
  const double d = sqrt(f.distance2) - law->radius;
  if (d < 0.05 || d > 0.9 * law->gap) return 0;
  for (int i = 0; i < 3 * wring_pair_corners(law->kind); i++) {
    double     y[DOF];
    wring_foot near;
    memcpy(y, x, sizeof *y * (size_t)(3 * wring_pair_corners(law->kind)));
    for (int side = -1; side < 2; side += 2) {
      y[i] = x[i] + 100 * side * step;
      wring_pair_closest(law->kind, y, &near);
      if (near.n_free != f.n_free) return 0;
      for (int k = 0; k < WRING_MOST_CORNERS; k++)
        if ((near.c[k] == 0) != (f.c[k] == 0) || (f.n_free == 2 && fabs(near.c[k] - f.c[k]) > 0.1)) return 0;
    }
  }
  return 1;
}

static int smooth[WRING_N_PAIR]; // pairs of each kind whose derivatives were checked

static void check_pair(const wring_pair_law *law, const double *x)
{
  double psi, g[DOF], H[DOF * DOF];
  wring_pair_energy(law, x, &psi, g, H, NULL);
  check_balance(law, x, g);
  if (!is_smooth(law, x)) return;
  smooth[law->kind]++;
  check_gradient(law, x, g);
  check_bounds(law, x, H);
  if (law->sine2 == 0) check_hessian(law, x, H);
}

/* ---- the mollifier ----------------------------------------------------------------------------------------------- */

/* Edges at an angle; from parallel to the end of the mollifier and beyond it, the energy has no jump. */
static void check_mollifier(void)
{
  const double         rest[DOF] = {-1, 0, 0, 1, 0, 0, 0, -1, 0.2, 0, 1, 0.2};
  const wring_pair_law law       = {WRING_PAIR_EDGE_EDGE, 1, 0, wring_pair_sine2(rest)};
  double               last = 0, most = 0;
  for (int i = 0; i <= 2000; i++) {
    const double a = 4e-5 * i, c = cos(a), s = sin(a);
    const double x[DOF] = {-1, 0, 0, 1, 0, 0, -c, -s, 0.2, c, s, 0.2};
    double       psi, g[DOF], H[DOF * DOF];
    wring_pair_energy(&law, x, &psi, g, H, NULL);
    check_balance(&law, x, g);
    CHECK(i > 0 || psi == 0, "parallel edges have the energy %g", psi);
    most = test_worse(most, fabs(psi - last));
    last = psi;
    if (i % 100 == 50) {
      check_gradient(&law, x, g);
      check_bounds(&law, x, H);
    }
    CHECK(least_eigenvalue(DOF, H) > -1e-9, "edges at %g: an eigenvalue below 0", a);
  }
  CHECK(fabs(last - 1.0300) < 1e-3, "crossing edges 0.2 apart have the energy %.5f", last);
  CHECK(most < 0.01, "a jump of the energy by %g", most);
}

int main(int argc, char **argv)
{
  uint64_t state = 1;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  check_barrier();
  for (int q = 0; q < 400; q++)
    for (int kind = 0; kind < WRING_N_PAIR; kind++) {
      double x[DOF];
      for (int i = 0; i < DOF; i++) x[i] = test_random(&state);
      const double         edges = kind == WRING_PAIR_EDGE_EDGE ? (q % 3) * 0.2 * wring_pair_sine2(x) * 1e3 : 0;
      const wring_pair_law law   = {(wring_pair_kind)kind, 2, q % 2 * 0.1, edges};
      check_pair(&law, x);
    }
  for (int kind = 0; kind < WRING_N_PAIR; kind++) CHECK(smooth[kind] > 0, "kind %d: no derivative was checked", kind);
  check_mollifier();
  PetscCall(PetscFinalize());
  return 0;
}
