/* ranks: 1 */
/*
  Every law that has the keys of Lame: the moduli at rest that a deck asks for, and the parameters for which the energy
  has a lower bound.
*/
#include "check.h"
#include "law/common/lame.h"
#include <math.h>

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
    law->gradient(law, par, (wring_in)z, p);
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

int main(int argc, char **argv)
{
  const wring_law *law;
  int              n = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (; (law = lame_law(n)); n++)
    for (size_t i = 0; i < sizeof nus / sizeof nus[0]; i++) check_moduli(law, 3, nus[i]);
  CHECK(n >= 5, "%d laws with young and poisson", n);
  for (int i = 0; i < n; i++) test_bounds(lame_law(i));
  PetscCall(PetscFinalize());
  return 0;
}
