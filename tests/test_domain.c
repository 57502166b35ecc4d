/* ranks: 1 */
/*
  Laws at the edges of their domains: the moduli at rest that a deck asks for, the parameters for which the energy has a
  lower bound, and elements of almost no volume. All laws of the list, with every law that has the keys of Lame.
*/
#include "splines.h"
#include "laws.h"
#include "law/common/isotropic.h"
#include "law/common/lame.h"
#include <math.h>

enum { ROOM = SPLINE_N_PAR };

static const double nus[]     = {0.3, 0.45, 0.49, 0.2, 0.125, 0.1, 0, -0.1, -0.3, -0.5, -0.9};
static const double lambdas[] = {-0.7, -0.6, -0.3, -0.1, 0, 0.2, 0.3, 1. / 3, 0.34, 0.5, 0.9, 1, 2, 50}; // over mu

/* ---- parameters of a deck ---------------------------------------------------------------------------------------- */

/* par of a law with the keys of Lame, the same in all lanes, from two of them; false if they are refused. */
static int read_par(const wring_law *law, const char *const key[2], const double value[2], double (*par)[WRING_LANES])
{
  char           name[64], text[64];
  double         one[LAME_N_PAR];
  wring_options *o;

  CHECK(law->n_par == LAME_N_PAR, "%s has %d parameters", law->name, law->n_par);
  PetscCallAbort(PETSC_COMM_SELF, wring_options_create(PETSC_COMM_SELF, &o));
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "material_%s", key[i]);
    snprintf(text, sizeof text, "%.17g", value[i]);
    PetscCallAbort(PETSC_COMM_SELF, wring_options_set(o, name, text, "deck.yaml:3"));
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode refused = law->set_par(law, o, "material_", "material_", one);
  PetscCallAbort(PETSC_COMM_SELF, PetscPopErrorHandler());
  PetscCallAbort(PETSC_COMM_SELF, wring_options_destroy(&o));
  for (int i = 0; i < LAME_N_PAR && !refused; i++)
    for (int lane = 0; lane < WRING_LANES; lane++) par[i][lane] = one[i];
  return !refused;
}

/* The i-th material with the key young, NULL past the end. */
static const wring_law *lame_law(int i)
{
  const wring_law *law = NULL;
  for (int j = 0; (law = wring_law_material(j)); j++)
    if (wring_option_find(law->options, "young") && i-- == 0) return law;
  return NULL;
}

static int of_young(const wring_law *law, double young, double nu, double (*par)[WRING_LANES])
{
  return read_par(law, (const char *const[]){"young", "poisson"}, (const double[]){young, nu}, par);
}

static int of_mu(const wring_law *law, double mu, double lambda, double (*par)[WRING_LANES])
{
  return read_par(law, (const char *const[]){"mu", "lambda"}, (const double[]){mu, lambda}, par);
}

/* ---- moduli at rest ---------------------------------------------------------------------------------------------- */

/* Column j of d2psi/dF2 at F = I, by differences of the gradient of order 4. */
static void difference(const wring_law *law, wring_in par, int j, double column[9])
{
  static const double  at[4] = {1, -1, 2, -2}, weight[4] = {8. / 12, -8. / 12, -1. / 12, 1. / 12}, step = 1e-3;
  WRING_ALIGNED double z[9][WRING_LANES], p[9][WRING_LANES];
  for (int i = 0; i < 9; i++) column[i] = 0;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 9; i++)
      for (int lane = 0; lane < WRING_LANES; lane++) z[i][lane] = (i % 4 == 0) + (i == j) * at[k] * step;
    test_gradient(law, par, (wring_in)z, p);
    for (int i = 0; i < 9; i++) column[i] += weight[k] / step * p[i][0];
  }
}

/*
  At rest d2psi/dF2 is that of linear elasticity, mu |e|^2 + lambda/2 (tr e)^2, e = (H + H^T)/2, with the deck's Young's
  modulus and Poisson's ratio. Fails if a law takes parameters of its formula for those of Lame.
*/
static void check_moduli(const wring_law *law, double young, double nu)
{
  const double         mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
  double               column[9];
  WRING_ALIGNED double par[LAME_N_PAR][WRING_LANES];

  if (!of_young(law, young, nu, par)) {
    CHECK(nu < 0, "%s: poisson %g is refused", law->name, nu);
    return;
  }
  for (int j = 0; j < 9; j++) {
    const int a = j / 3, b = j % 3;
    difference(law, (wring_in)par, j, column);
    for (int i = 0; i < 9; i++) {
      const int    c = i / 3, d = i % 3;
      const double expected = lambda * (a == b && c == d) + mu * ((a == c && b == d) + (a == d && b == c));
      CHECK(fabs(column[i] - expected) <= 1e-9 * (2 * mu + fabs(lambda)),
            "%s, poisson %g: modulus %d %d at rest is %.10g, expected %.10g", law->name, nu, i, j, column[i], expected);
    }
  }
}

/* ---- lower bounds ------------------------------------------------------------------------------------------------ */

/* The least psi plus a bound of its rounding, over F = diag(s) with stretches of many sizes; inverted too. */
static double least_energy(const wring_law *law, wring_in par)
{
  enum { N = 41 };
  double               s[N], least = INFINITY;
  WRING_ALIGNED double z[9][WRING_LANES], psi[WRING_LANES];
  for (int i = 0; i < 20; i++) s[i] = pow(10, -16 + i) / 1.01, s[20 + i] = 0.1 + 0.1 * i;
  s[40] = 10;
  for (int i = 0; i < 9; i++)
    for (int lane = 0; lane < WRING_LANES; lane++) z[i][lane] = 0;
  for (int n = 0; n < 2 * N * N * N; n += WRING_LANES) { // a shape in each lane
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const int at = PetscMin(n + lane, 2 * N * N * N - 1), sign = at % 2 ? -1 : 1;
      z[0][lane] = s[at / 2 % N], z[4][lane] = s[at / 2 / N % N], z[8][lane] = sign * s[at / 2 / N / N];
    }
    law->energy(law, par, (wring_in)z, psi);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double square = z[0][lane] * z[0][lane] + z[4][lane] * z[4][lane] + z[8][lane] * z[8][lane];
      least               = fmin(least, psi[lane] + 1e-12 * par[LAME_MU][lane] * (1 + square));
    }
  }
  return least;
}

/* Whether psi < 0 at t I with t near 1. */
static int lower_than_rest(const wring_law *law, wring_in par)
{
  WRING_ALIGNED double z[9][WRING_LANES], psi[WRING_LANES];
  for (int i = 0; i < 9; i++)
    for (int lane = 0; lane < WRING_LANES; lane++) z[i][lane] = i % 4 == 0 ? 0.99 + 0.02 * (lane % 2) : 0;
  law->energy(law, par, (wring_in)z, psi);
  return psi[0] < 0 || psi[1] < 0;
}

/*
  For all parameters that are taken, psi is at least 0, or for stable_neohookean min(0, (lambda - mu)/2), docs/theory.md
  (3.21c); for those that are refused less, or rest of stable_neohookean is not a minimum. Fails if a law takes
  parameters without a lower bound, refuses others, or treats lambda unlike poisson.
*/
static void check_bound(const wring_law *law, int taken, double mu, double lambda)
{
  const int            stable = law == &wring_law_stable_neohookean;
  WRING_ALIGNED double par[LAME_N_PAR][WRING_LANES];
  for (int lane = 0; lane < WRING_LANES; lane++) par[LAME_MU][lane] = mu, par[LAME_LAMBDA][lane] = lambda;
  const double bound = stable ? fmin(0, (lambda - mu) / 2) : 0, least = least_energy(law, (wring_in)par);
  if (taken)
    CHECK(least >= bound, "%s with lambda %g mu has the energy %g mu < %g mu", law->name, lambda / mu, least / mu,
          bound / mu);
  else
    CHECK(stable ? lower_than_rest(law, (wring_in)par) : least < -mu, "%s refuses lambda %g mu, psi >= %g mu",
          law->name, lambda / mu, least / mu);
}

static void test_bounds(const wring_law *law)
{
  const int            stable = law == &wring_law_stable_neohookean;
  WRING_ALIGNED double par[LAME_N_PAR][WRING_LANES];
  for (size_t i = 0; i < sizeof nus / sizeof nus[0]; i++) {
    const double nu = nus[i], mu = 3 / (2 * (1 + nu)), lambda = 3 * nu / ((1 + nu) * (1 - 2 * nu)) + stable * mu;
    check_bound(law, of_young(law, 3, nu, par), mu, lambda);
  }
  for (size_t i = 0; i < sizeof lambdas / sizeof lambdas[0]; i++)
    check_bound(law, of_mu(law, 3, 3 * lambdas[i], par), 3, 3 * lambdas[i]);
}

/* ---- elements of almost no volume -------------------------------------------------------------------------------- */

static void check_finite(const wring_law *law, double size, const char *what, int n, wring_in a)
{
  for (int i = 0; i < n; i++)
    for (int lane = 0; lane < WRING_LANES; lane++)
      CHECK(isfinite(a[i][lane]), "%s, J = %g, shape %d: %s is %g", law->name, size, lane, what, a[i][lane]);
}

/* Every function of a law at z is finite, but for psi and C, which may be +infinity. */
static void check_at(const wring_law *law, double size, wring_in par, wring_in z)
{
  const int            n = 3 * law->q;
  WRING_ALIGNED double p[9][WRING_LANES], h[81][WRING_LANES], psi[2][WRING_LANES], k[WRING_LANES];

  law->energy(law, par, z, psi[0]);
  law->fused(law, par, z, psi[1], p);
  for (int lane = 0; lane < WRING_LANES; lane++)
    for (int i = 0; i < 2; i++)
      CHECK(isfinite(psi[i][lane]) || psi[i][lane] == INFINITY, "%s, J = %g: energy %g", law->name, size, psi[i][lane]);
  check_finite(law, size, "fused gradient", n, (wring_in)p);
  test_gradient(law, par, z, p);
  check_finite(law, size, "gradient", n, (wring_in)p);
  for (int filter = WRING_FILTER_NONE; law->hessian && filter <= WRING_FILTER_ABSOLUTE; filter++) {
    law->hessian(law, (wring_filter)filter, par, z, h);
    check_finite(law, size, "Hessian", n * n, (wring_in)h);
    for (int i = 0; i < n; i++)
      for (int lane = 0; lane < WRING_LANES; lane++) p[i][lane] = 1 - 0.3 * i;
    wring_law_multiply(law, (wring_filter)filter, par, z, (wring_in)p, (wring_in)p, h);
    check_finite(law, size, "product", 3, (wring_in)h);
    wring_law_contract(law, PETSC_FALSE, par, z, (wring_in)p, h);
    check_finite(law, size, "Hessian of a vertex", 6, (wring_in)h);
  }
  if (law->project) law->project(law, par, z, p);
  if (law->project) check_finite(law, size, "projection", n, (wring_in)p);
  law->slope(law, par, k);
  if (law->prox) law->prox(law, par, k, z, p);
  if (law->prox) check_finite(law, size, "prox", n, (wring_in)p);
  for (int j = 0; j < law->n_constraint; j++) {
    law->constraint(law, j, par, z, psi[0], p, k);
    check_finite(law, size, "gradient of a constraint", n, (wring_in)p);
  }
}

/* Shapes: one short side, two, three; of a line or an edge its length. z row by row, one shape in each lane. */
static void flatten(int q, double J, double (*z)[WRING_LANES])
{
  const double root = sqrt(J), third = cbrt(J);
  const double s[WRING_LANES][3] = {{1, 1, J},   {J, 1, 1},   {root, root, 1}, {1, root, root}, {third, third, third},
                                    {2, J, 0.5}, {-1, -1, J}, {1, 1, -J}};
  for (int i = 0; i < 3 * q; i++)
    for (int lane = 0; lane < WRING_LANES; lane++)
      z[i][lane] = q == 1 ? (i == lane % 3) * J : i % (q + 1) == 0 && i / q < q ? s[lane][i / q] : 0;
}

/*
  From J = 1e-50 down to 0, and at a few sizes above the threshold. Fails if a power of 1/J overflows: psi is +infinity
  before that, and derivatives are finite.
*/
static void test_flat(const wring_law *law, wring_in par)
{
  static const double  sizes[] = {1e-10,  1e-50,  1.1e-80, 9e-81,  1e-99,  1e-101,
                                  1e-160, 1e-200, 1e-300,  1e-310, 1e-320, 0};
  WRING_ALIGNED double z[9][WRING_LANES];
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    flatten(law->q, sizes[i], z);
    check_at(law, sizes[i], par, (wring_in)z);
  }
}

/* What elements keep of a law with `volumetric`, under a pressure. */
static void test_flat_element(const wring_law *law, double (*par)[WRING_LANES])
{
  WRING_ALIGNED double of_element[8][WRING_LANES];
  double               one[8], kept[8], u[3];
  for (int i = 0; i < law->n_par; i++) one[i] = par[i][0];
  law->volumetric->keep(one, kept);
  kept[law->volumetric->element->n_par - 1] = 1e5;
  for (int i = 0; i < law->volumetric->element->n_par; i++)
    for (int lane = 0; lane < WRING_LANES; lane++) of_element[i][lane] = kept[i];
  test_flat(law->volumetric->element, (wring_in)of_element);
  for (double J = 1e-50; J > 0; J /= 10) {
    law->volumetric->energy(one, J, u);
    CHECK(u[0] >= 0 && isfinite(u[1]) && isfinite(u[2]), "%s: U at J = %g: %g %g %g", law->name, J, u[0], u[1], u[2]);
  }
}

int main(int argc, char **argv)
{
  uint64_t             state = 5;
  WRING_ALIGNED double par[ROOM][WRING_LANES];
  const wring_law     *law;
  int                  n = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (; (law = lame_law(n)); n++)
    for (size_t i = 0; i < sizeof nus / sizeof nus[0]; i++) check_moduli(law, 3, nus[i]);
  CHECK(n >= 5, "%d laws with young and poisson", n);
  for (int i = 0; i < n; i++) test_bounds(lame_law(i));
  for (int i = 0; (law = wring_law_at(i)); i++) {
    test_example_par(law, ROOM, &state, par);
    test_flat(law, (wring_in)par);
    if (law->volumetric) test_flat_element(law, par);
  }
  PetscCall(PetscFinalize());
  return 0;
}
