/* ranks: 1 */
/*
  Projections of volume and strain_limit onto the F whose det F, or whose stretches, are between limits. Fails if p is
  outside them, is not stationary or not the closest, is the farther of two stationary points, or if an F inside is
  moved.
*/
#include "base/block3.h"
#include "check.h"
#include <math.h>
#include <wring/law.h>

enum { N_CASE = 14 };

typedef double block_z[9][WRING_LANES];

static const wring_law *const laws[] = {&wring_law_volume, &wring_law_strain_limit};

/* One law with its limits, and a block of z. */
typedef struct {
  const wring_law      *law;
  int                   kind;
  WRING_ALIGNED double  par[3][WRING_LANES];
  WRING_ALIGNED block_z z;
} input;

/*
  Near rest, stretched, compressed, equal, flat, inverted, inside out, crushed, a line, 0, huge, about to flatten.
*/
static const double middle[N_CASE][3] = {
  {1, 1, 1},       {2, 1.5, 1.2}, {0.7, 0.5, 0.4}, {1.3, 1.3, 1}, {1.2, 1, 0},     {1.2, 0.9, -0.4}, {1.5, 1.4, -1.3},
  {1, 1e-3, 1e-5}, {1, 0, 0},     {0, 0, 0},       {60, 50, 40},  {1.9, 1.9, 1.9}, {2.02, 2, 1.98},  {2.2, 1.4, 0.71}};

static input make(const wring_law *law, int kind, double low, double high, uint64_t *state)
{
  input a = {.law = law, .kind = kind};
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double u[9], v[9], s[3];
    test_rotation(state, u);
    test_rotation(state, v);
    for (int i = 0; i < 3; i++) s[i] = middle[kind][i] * (1 + (lane ? 0.02 : 0) * test_random(state));
    for (int i = 0; i < 9; i++) a.z[i][lane] = test_usv(u, s, v, i / 3, i % 3);
    a.par[0][lane] = 1 + 0.5 * test_random(state), a.par[1][lane] = low, a.par[2][lane] = high;
  }
  return a;
}

static double distance2(block_z a, block_z b, int lane)
{
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += (a[i][lane] - b[i][lane]) * (a[i][lane] - b[i][lane]);
  return sum;
}

/* The amount by which p violates the limits. */
static double violation(const input *a, const double t[3], int lane)
{
  const double low = a->par[1][lane], high = a->par[2][lane], J = t[0] * t[1] * t[2];
  if (a->law == &wring_law_volume) return fmax(low - J, J - high);
  return fmax(low - t[2], t[0] - high);
}

/*
  p has the singular vectors of z, is feasible, and z - p is a multiple of the gradient of det F at p, which points
  outwards: the conditions of Karush, Kuhn and Tucker.
*/
static void check_stationary(input *a)
{
  WRING_ALIGNED block_z p, u, v;
  WRING_ALIGNED double  t[3][WRING_LANES];
  a->law->project(a->law, (wring_in)a->par, (wring_in)a->z, p);
  wring_block3_svd((wring_in)p, u, t, v);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s[3]     = {t[0][lane], t[1][lane], t[2][lane]},
                 size     = 1 + sqrt(mat3_dot(mat3_load((wring_in)a->z, lane), mat3_load((wring_in)a->z, lane)));
    const double rounding = 1e-14 * size * (a->law == &wring_law_volume ? s[0] * s[1] + 1 : 1);
    CHECK(violation(a, s, lane) <= rounding, "%s, case %d: p is %g outside", a->law->name, a->kind,
          violation(a, s, lane));
    if (a->law != &wring_law_volume) continue;
    const mat3 f = mat3_load((wring_in)p, lane), c = mat3_cofactor(f), d = mat3_sub(mat3_load((wring_in)a->z, lane), f);
    const double multiplier = mat3_dot(d, c) / mat3_dot(c, c), J = s[0] * s[1] * s[2];
    const mat3   left = mat3_combine(1, d, -multiplier, c);
    CHECK(sqrt(mat3_dot(left, left)) <= 2e-14 * size, "case %d: %g of z - p is not along the gradient", a->kind,
          sqrt(mat3_dot(left, left)));
    CHECK(fabs(multiplier) * sqrt(mat3_dot(c, c)) <= 1e-14 * size ||
            (multiplier > 0) == (J > 0.5 * (a->par[1][lane] + a->par[2][lane])) || a->par[1][lane] == a->par[2][lane],
          "case %d: z - p points inwards", a->kind);
  }
}

/* Makes t feasible: unchanged if it is inside, otherwise scaled or clamped. */
static void make_feasible(const input *a, int lane, double t[3])
{
  const double low = a->par[1][lane], high = a->par[2][lane], J = t[0] * t[1] * t[2];
  for (int i = 0; i < 3; i++) {
    if (a->law == &wring_law_strain_limit) t[i] = fmin(fmax(t[i], low), high);
  }
  if (a->law == &wring_law_volume && J < low) t[2] *= low / J;
  if (a->law == &wring_law_volume && J > high) t[2] *= high / J;
}

/*
  No other feasible F is closer: tries random stretches of every size, with random and with the same singular vectors.
*/
static void check_closest(input *a, uint64_t *state)
{
  WRING_ALIGNED block_z p, other, u, v;
  WRING_ALIGNED double  s[3][WRING_LANES];
  a->law->project(a->law, (wring_in)a->par, (wring_in)a->z, p);
  wring_block3_svd((wring_in)a->z, u, s, v);
  for (int trial = 0; trial < 3000; trial++) {
    for (int lane = 0; lane < WRING_LANES; lane++) {
      double       t[3], ul[9], vl[9];
      const double spread = pow(10, -(trial % 4));
      for (int i = 0; i < 9; i++) ul[i] = u[i][lane], vl[i] = v[i][lane];
      if (trial % 5 == 0) test_rotation(state, ul);
      for (int i = 0; i < 3; i++)
        t[i] = fabs(s[i][lane]) * (1 + spread * test_random(state)) + 0.5 * spread * fabs(test_random(state)) + 1e-12;
      make_feasible(a, lane, t);
      for (int i = 0; i < 9; i++) other[i][lane] = test_usv(ul, t, vl, i / 3, i % 3);
      CHECK(distance2(other, a->z, lane) >= distance2(p, a->z, lane) * (1 - 1e-12) - 1e-24,
            "%s, case %d: (%g, %g, %g) is at a distance of %g, p at %g", a->law->name, a->kind, t[0], t[1], t[2],
            sqrt(distance2(other, a->z, lane)), sqrt(distance2(p, a->z, lane)));
    }
  }
}

/* An F inside is not changed, and its energy and forces are exactly 0. */
static void check_inside(const wring_law *law, uint64_t *state)
{
  WRING_ALIGNED block_z p, g;
  WRING_ALIGNED double  psi[WRING_LANES];
  input                 a = make(law, 0, 0.8, 1.25, state);
  law->project(law, (wring_in)a.par, (wring_in)a.z, p);
  law->fused(law, (wring_in)a.par, (wring_in)a.z, psi, g);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    CHECK(psi[lane] == 0, "%s: energy %g inside", law->name, psi[lane]);
    for (int i = 0; i < 9; i++) {
      CHECK(p[i][lane] == a.z[i][lane] && g[i][lane] == 0, "%s moves an F inside by %g", law->name,
            p[i][lane] - a.z[i][lane]);
    }
  }
}

/*
  (s, s, s) with s from 1 to 3 projected onto det F = 1: for small s all three stretches shrink, for large s one
  direction flattens. The distance is continuous, and never more than the smaller of the two.
*/
static void check_flattening(void)
{
  const double par[3][WRING_LANES] = {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}};
  WRING_ALIGNED double  limits[3][WRING_LANES], psi[WRING_LANES];
  WRING_ALIGNED block_z z         = {{0}};
  int                   flattened = 0;
  memcpy(limits, par, sizeof par);
  for (int i = 0; i <= 2000; i++) {
    const double s = 1 + i / 1000.;
    for (int k = 0; k < 9; k++) {
      for (int lane = 0; lane < WRING_LANES; lane++) z[k][lane] = k % 4 == 0 ? s : 0;
    }
    wring_law_volume.energy(&wring_law_volume, (wring_in)limits, (wring_in)z, psi);
    double least = 1.5 * (s - 1) * (s - 1); // all three equal
    for (int j = 1; j < 4000; j++) {        // t, t and 1/t^2: the shapes that can be closest
      const double t = s * j / 4000., y = 1 / (t * t);
      least = fmin(least, 0.5 * (2 * (s - t) * (s - t) + (s - y) * (s - y)));
    }
    flattened += least < 1.4999 * (s - 1) * (s - 1);
    CHECK(psi[0] <= least * (1 + 1e-12), "s = %g: energy %.15g, but %.15g is possible", s, psi[0], least);
    CHECK(psi[0] >= least * (1 - 1e-3), "s = %g: energy %.15g, expected %.15g", s, psi[0], least);
  }
  CHECK(flattened > 100 && flattened < 1900, "%d of 2000 are flattened", flattened);
}

int main(int argc, char **argv)
{
  static const double limits[][2] = {{1, 1}, {0.5, 2}, {0.95, 1.05}, {0.01, 0.02}, {3, 3}};
  uint64_t            state       = 23;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int l = 0; l < 2; l++) {
    for (int i = 0; i < 5; i++) {
      for (int kind = 0; kind < N_CASE; kind++) {
        input a = make(laws[l], kind, limits[i][0], limits[i][1], &state);
        check_stationary(&a);
        check_closest(&a, &state);
      }
    }
    check_inside(laws[l], &state);
  }
  check_flattening();
  PetscCall(PetscFinalize());
  return 0;
}
