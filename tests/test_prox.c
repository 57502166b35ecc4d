/* ranks: 1 */
/*
  p = argmin psi(p) + rho/2 |p - z|^2 of every law: stationary, minimal among points near and far, equivariant, and
  correct for a z that is flat, inverted or 0. Fails if a closed form has a wrong factor or misses a kink, or if Newton
  stops early, leaves the domain or mixes lanes.

  WRING_PROX_SEEDS is the number of random sequences, 3 without it; tests/nightly.sh takes 100.
*/
#include "splines.h"
#include "laws.h"
#include "law_blocks.h"
#include "limit_laws.h"
#include "base/block3.h"
#include <float.h>
#include <wring/law.h>

enum { MAX_PAR = SPLINE_N_PAR, N_CASE = 13, CLOSE = 12, N_RHO = 4 };

static const wring_law *const laws[] = {&wring_law_strain,        &wring_law_corotated,   &wring_law_fixed_corotated,
                                        &wring_law_stvk,          &wring_law_neohookean,  &wring_law_stable_neohookean,
                                        &wring_law_mooney_rivlin, &wring_law_polynomial,  &wring_law_spline,
                                        &wring_law_attachment,    &wring_law_spring,      &wring_law_fibre,
                                        &wring_law_volume,        &wring_law_strain_limit};

enum { N_LAW = sizeof laws / sizeof laws[0] };

/*
  Factors of the law's slope k, so large that objectives that are not convex for every rho have one minimum for these z.
*/
static const double rho_of_k[N_RHO] = {0.6, 1, 30, 1e8};

/* A law with its parameters, rho and z of a block. */
typedef struct {
  const wring_law      *law;
  int                   kind, n; // rows of z
  WRING_ALIGNED double  par[MAX_PAR][WRING_LANES], rho[WRING_LANES];
  WRING_ALIGNED block_z z;
} input;

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/*
  Near rest, stretched, compressed, two equal, flat, inverted, inside out, flat and long, crushed, a line, 0, huge,
  close.
*/
static void stretches(int kind, uint64_t *state, double s[3])
{
  static const double middle[N_CASE][3] = {
    {1, 1, 1},      {2, 1.5, 1.2},   {0.7, 0.5, 0.4}, {1.3, 1.3, 1}, {1.2, 1, 0},   {1.2, 0.9, -0.4}, {1.5, 1.4, -1.3},
    {9, 0.2, -0.1}, {1, 1e-3, 1e-5}, {1, 0, 0},       {0, 0, 0},     {60, 50, -40}, {0.9, 0.9, 0.9}};
  const double range = kind == 3 ? 0 : kind == CLOSE ? pow(10, -9 + 8 * test_random(state)) : 0.1;
  for (int i = 0; i < 3; i++) s[i] = middle[kind][i] * (1 + range * test_random(state));
}

static input make(const wring_law *law, int kind, double factor, uint64_t *state)
{
  input                a = {.law = law, .kind = kind, .n = 3 * law->q};
  WRING_ALIGNED double k[WRING_LANES];
  if (law == &wring_law_spline) test_spline_par(state, a.par);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double u[9], v[9], s[3];
    for (int i = 0; i < law->n_par && law != &wring_law_spline; i++)
      a.par[i][lane] = (i == 0 && kind % 2 ? 0.1 : 1) * (1 + 0.5 * test_random(state));
    test_rotation(state, u);
    test_rotation(state, v);
    stretches(kind, state, s);
    for (int i = 0; i < a.n; i++) a.z[i][lane] = law->q == 3 ? test_usv(u, s, v, i / 3, i % 3) : u[i] * s[0];
  }
  test_limit_par(law, kind, a.par);
  law->slope(law, (wring_in)a.par, k);
  for (int lane = 0; lane < WRING_LANES; lane++) a.rho[lane] = factor * k[lane];
  return a;
}

/*
  A law of the list with the parameters of its example, divided by its k; stretches or lengths from near those at rest
  to twice these.
*/
static input make_listed(const wring_law *law, const wring_law *scaled, int kind, double rho, uint64_t *state)
{
  input a = {.law = scaled, .kind = kind, .n = 3 * law->q};
  test_example_par(law, MAX_PAR, state, a.par);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double u[9], v[9], s[3];
    test_rotation(state, u);
    test_rotation(state, v);
    stretches(kind, state, s);
    if (law->q == 2) v[0] = v[4] = cos(kind + lane), v[1] = -(v[3] = sin(kind + lane)), s[2] = 0;
    for (int i = 0; i < a.n; i++) a.z[i][lane] = law->q == 1 ? u[i] * s[0] : test_usv(u, s, v, i / law->q, i % law->q);
    a.rho[lane] = rho;
  }
  return a;
}

static void prox(const input *a, block_z p)
{
  a->law->prox(a->law, (wring_in)a->par, a->rho, (wring_in)a->z, p);
}

static double length(int n, double (*a)[WRING_LANES], int lane)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i][lane] * a[i][lane];
  return sqrt(sum);
}

/* psi(p) + rho/2 |p - z|^2. */
static void objective(input *a, block_z p, double phi[WRING_LANES])
{
  WRING_ALIGNED double psi[WRING_LANES];
  a->law->energy(a->law, (wring_in)a->par, (wring_in)p, psi);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double squared = 0;
    for (int i = 0; i < a->n; i++) squared += (p[i][lane] - a->z[i][lane]) * (p[i][lane] - a->z[i][lane]);
    phi[lane] = psi[lane] + 0.5 * a->rho[lane] * squared;
  }
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* psi of laws with the rotation closest to F has no gradient where s_1 + s_2 = 0. */
static int has_kink(const input *a, const double s[3])
{
  const int near = s[1] + s[2] < 1e-6 * s[0];
  return near && (a->law == &wring_law_corotated || (a->law->q == 3 && a->law->slope == test_scaled_slope));
}

/* mooney_rivlin near z = 0 has no minimum if rho is large: its infimum is at p = 0, where psi is +infinity. */
static int vanishes(const input *a, const double s[3])
{
  return a->law == &wring_law_mooney_rivlin && a->kind == 10 && s[0] < 2e-7;
}

/*
  Error of the gradient by the rounding of p alone: F^{-T} of an almost flat p, with the powers of J in it up to the
  power -8/3 of the least stretch; det F of a huge one.
*/
static double rounding(const input *a, const double s[3])
{
  if (a->law->positive) return 4e-15 * (1 + s[0]) / s[2];
  const int of_volume = a->law == &wring_law_stable_neohookean || a->law == &wring_law_fixed_corotated ||
                        a->law == &wring_law_spline || (a->law->q == 3 && a->law->slope == test_scaled_slope);
  return of_volume ? 1e-16 * s[0] * s[0] * s[1] * s[1] : 0;
}

/* dpsi/dz(p) + rho (p - z) = 0, except at a kink, which only check_least tests. */
static void check_stationary(input *a)
{
  WRING_ALIGNED block_z p, g, u, v;
  WRING_ALIGNED double  s[3][WRING_LANES] = {{0}};
  prox(a, p);
  if (a->law->q == 3) wring_block3_svd((wring_in)p, u, s, v);
  test_gradient(a->law, (wring_in)a->par, (wring_in)p, g);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double scale = length(a->n, g, lane) + a->rho[lane] * (1 + length(a->n, p, lane) + length(a->n, a->z, lane));
    const double at[3] = {s[0][lane], s[1][lane], s[2][lane]};
    for (int i = 0; i < a->n; i++) {
      CHECK(isfinite(p[i][lane]), "%s, case %d: p is %g", a->law->name, a->kind, p[i][lane]);
      if (has_kink(a, at) || vanishes(a, at)) continue;
      const double left = g[i][lane] + a->rho[lane] * (p[i][lane] - a->z[i][lane]);
      CHECK(fabs(left) <= (1e-12 + rounding(a, at)) * scale,
            "%s, case %d: gradient of the objective %g of %g, stretches %g %g %g, rho %g", a->law->name, a->kind, left,
            scale, at[0], at[1], at[2], a->rho[lane]);
    }
  }
}

/* No point up to 10^farthest away has a lower objective. */
static void check_least(input *a, double farthest, uint64_t *state)
{
  WRING_ALIGNED block_z p, moved;
  WRING_ALIGNED double  least[WRING_LANES], phi[WRING_LANES];
  prox(a, p);
  objective(a, p, least);
  for (int trial = 0; trial < 400; trial++) {
    const double step = pow(10, farthest - trial % 8);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double size = step * (1 + length(a->n, a->z, lane));
      for (int i = 0; i < a->n; i++) moved[i][lane] = p[i][lane] + size * test_random(state);
    }
    objective(a, moved, phi);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double scale = a->rho[lane] * (1 + length(a->n, a->z, lane) * length(a->n, a->z, lane));
      CHECK(phi[lane] >= least[lane] - 1e-14 * scale, "%s, case %d: %.17g is below p's %.17g, at a distance of %g",
            a->law->name, a->kind, phi[lane], least[lane], step);
    }
  }
}

/*
  For rho -> infinity p equals z up to |dpsi/dz|/rho; positive laws are skipped for a flat or inverted z, which they
  cannot reach.
*/
static void check_limit(input *a)
{
  WRING_ALIGNED block_z p, g;
  if (a->law->positive && a->kind > 3 && a->kind != CLOSE) return;
  for (int lane = 0; lane < WRING_LANES; lane++) a->rho[lane] *= 1e8;
  prox(a, p);
  test_gradient(a->law, (wring_in)a->par, (wring_in)a->z, g);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double most = 1.1 * length(a->n, g, lane) / a->rho[lane] + 1e-14 * (1 + length(a->n, a->z, lane));
    for (int i = 0; i < a->n; i++) {
      CHECK(fabs(p[i][lane] - a->z[i][lane]) <= most, "%s, case %d: %g, not z = %g", a->law->name, a->kind, p[i][lane],
            a->z[i][lane]);
    }
  }
}

/* prox(Q z Q'^T) = Q prox(z) Q'^T; skipped where several p are minimal: kinks of psi, z = 0, and for attachments. */
static void check_equivariance(input *a, uint64_t *state)
{
  WRING_ALIGNED block_z p, expected, turned;
  double                left[9], right[9];
  input                 b = *a;
  if (a->law == &wring_law_attachment || (a->kind > 5 && a->kind != CLOSE)) return;
  test_rotation(state, left);
  test_rotation(state, right);
  prox(a, p);
  test_turn(a->law->q, left, right, p, expected);
  test_turn(a->law->q, left, right, a->z, b.z);
  prox(&b, turned);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    for (int i = 0; i < a->n; i++) {
      CHECK(fabs(turned[i][lane] - expected[i][lane]) <= 1e-11, "%s, case %d: turned %g, expected %g", a->law->name,
            a->kind, turned[i][lane], expected[i][lane]);
    }
  }
}

/* Lanes are independent: reversing the block reverses p. */
static void check_lanes(input *a)
{
  WRING_ALIGNED block_z p, reversed;
  input                 b = *a;
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const int from = lane % 2 ? lane : WRING_LANES - 2 - lane; // odd lanes stay
    for (int i = 0; i < MAX_Z; i++) b.z[i][lane] = a->z[i][from];
    for (int i = 0; i < MAX_PAR; i++) b.par[i][lane] = a->par[i][from];
    b.rho[lane] = a->rho[from];
  }
  prox(a, p);
  prox(&b, reversed);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const int from = lane % 2 ? lane : WRING_LANES - 2 - lane;
    for (int i = 0; i < a->n; i++)
      CHECK(fabs(reversed[i][lane] - p[i][from]) <= 1e-12 * (1 + fabs(p[i][from])), "%s, case %d: %g in another lane",
            a->law->name, a->kind, reversed[i][lane] - p[i][from]);
  }
}

/*
  A lane does not change, up to rounding, next to one that is turned inside out, for which the block needs singular
  vectors.
*/
static void check_neighbour(input *a)
{
  WRING_ALIGNED block_z p, beside;
  input                 b = *a;
  if (a->kind > 3 && a->kind != CLOSE) return;
  for (int i = 0; i < a->n; i++) b.z[i][WRING_LANES - 1] *= -1;
  prox(a, p);
  prox(&b, beside);
  for (int lane = 0; lane < WRING_LANES - 1; lane++) {
    for (int i = 0; i < a->n; i++)
      CHECK(fabs(beside[i][lane] - p[i][lane]) <= 1e-12 * (1 + fabs(p[i][lane])), "%s, case %d: %g beside a bad lane",
            a->law->name, a->kind, beside[i][lane] - p[i][lane]);
  }
}

/* The prox of a minimiser of psi is this point. */
static void check_rest(const wring_law *law, uint64_t *state)
{
  WRING_ALIGNED block_z p;
  input                 a = make(law, 0, 1, state);
  test_limit_par(law, 3, a.par);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double r[9];
    test_rotation(state, r);
    for (int i = 0; i < a.n; i++) {
      a.z[i][lane] = r[i];
      if (law == &wring_law_attachment) a.z[i][lane] = a.par[1 + i][lane];
      if (law == &wring_law_spring || law == &wring_law_fibre)
        a.z[i][lane] = r[i] * a.par[1][lane] / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    }
  }
  prox(&a, p);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    for (int i = 0; i < a.n; i++)
      CHECK(fabs(p[i][lane] - a.z[i][lane]) <= 1e-14, "%s moves the rest state by %g", law->name,
            p[i][lane] - a.z[i][lane]);
  }
}

/*
  A nearly incompressible neohookean, stretched strongly, with a small rho: the objective is not convex. p must still be
  stationary and have a lower objective than z.
*/
static void check_falls(uint64_t *state)
{
  WRING_ALIGNED block_z p;
  WRING_ALIGNED double  at_z[WRING_LANES], at_p[WRING_LANES];
  for (int trial = 0; trial < 100; trial++) {
    input a = make(&wring_law_neohookean, 1, 0.05, state);
    for (int lane = 0; lane < WRING_LANES; lane++) a.par[1][lane] = 100 * a.par[0][lane];
    for (int lane = 0; lane < WRING_LANES; lane++) a.rho[lane] = 5 * a.par[0][lane] * (1.1 + test_random(state));
    check_stationary(&a);
    prox(&a, p);
    objective(&a, a.z, at_z);
    objective(&a, p, at_p);
    for (int lane = 0; lane < WRING_LANES; lane++) CHECK(at_p[lane] <= at_z[lane], "p is higher than z");
  }
}

/*
  1e5 random z that are near rest, stretched, compressed, or have close stretches, found by full Newton steps in all
  lanes, against the search with shorter steps, which a lane turned inside out makes the others of its block take.
*/
static void check_paths(uint64_t *state)
{
  static const int kinds[] = {0, 1, 2, 3, CLOSE}, chosen[] = {2, 3, 4, 5, 6, 8}; // laws with a search
  for (int i = 0; i < 14400; i++) {
    input a = make(laws[chosen[i % 6]], kinds[i / 6 % 5], rho_of_k[i / 30 % N_RHO], state);
    check_neighbour(&a);
  }
}

static void check_case(const wring_law *law, int kind, uint64_t *state)
{
  for (int r = 0; r < N_RHO; r++) {
    input a = make(law, kind, rho_of_k[r], state);
    check_stationary(&a);
    check_least(&a, 0.5, state);
    check_equivariance(&a, state);
    check_lanes(&a);
    check_neighbour(&a);
    check_limit(&a);
  }
}

/* Every law of the list that has a prox, with rho for which the objective is convex. */
static void check_listed(const wring_law *law, uint64_t *state)
{
  static const double rho[]  = {1, 30};
  const wring_law     scaled = test_scaled(law);
  if (!law->prox) return;
  for (int kind = 0; kind < 4; kind++) {
    for (int r = 0; r < 2; r++) {
      input a = make_listed(law, &scaled, kind, rho[r], state);
      check_stationary(&a);
      check_least(&a, -1, state);
      check_lanes(&a);
      check_limit(&a);
    }
  }
}

/*
  The points that the prox of strain can reach, docs/theory.md (5.16a): the sum of any two stretches is at least
  2 k/(k + rho). Fails if that bound, which tells when admm has no fixed point, does not hold, or is not attained.
*/
static void check_reach(uint64_t *state)
{
  for (int kind = 0; kind < CLOSE; kind++) {
    for (int r = 0; r < 3; r++) {
      const input           a = make(&wring_law_strain, kind, rho_of_k[r], state);
      WRING_ALIGNED block_z p, u, v, k;
      WRING_ALIGNED double  s[3][WRING_LANES];
      a.law->slope(a.law, (wring_in)a.par, k[0]);
      a.law->prox(a.law, (wring_in)a.par, a.rho, (wring_in)a.z, p);
      wring_block3_svd((wring_in)p, u, s, v);
      for (int lane = 0; lane < WRING_LANES; lane++) {
        const double least = 2 * k[0][lane] / (k[0][lane] + a.rho[lane]), sum = s[1][lane] + s[2][lane];
        CHECK(sum >= least * (1 - 1e-12), "kind %d: stretches %g and %g, expected a sum of at least %g", kind,
              s[1][lane], s[2][lane], least);
        CHECK(kind != 9 || sum <= least * (1 + 1e-9), "kind %d: the bound is not attained, %g > %g", kind, sum, least);
      }
    }
  }
}

static void check_sequence(uint64_t state)
{
  for (int i = 0; i < N_LAW; i++) {
    for (int kind = 0; kind < CLOSE; kind++) check_case(laws[i], kind, &state);
    check_rest(laws[i], &state);
  }
  for (int i = 0; i < N_LAW; i++) check_case(laws[i], CLOSE, &state);
  check_falls(&state);
  check_reach(&state);
  for (int i = 0; wring_law_at(i); i++) check_listed(wring_law_at(i), &state);
}

int main(int argc, char **argv)
{
  const char *const seeds = getenv("WRING_PROX_SEEDS");
  const int         n     = seeds ? atoi(seeds) : 3;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  CHECK(n > 0, "WRING_PROX_SEEDS is %s, expected a number above 0", seeds);
  for (int i = 0; i < n; i++) check_sequence((uint64_t)i);
  check_paths(&(uint64_t){71});
  PetscCall(PetscFinalize());
  return 0;
}
