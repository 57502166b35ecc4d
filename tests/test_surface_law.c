/* ranks: 1 */
/*
  Laws of membranes (q = 2) and of bending: derivatives by finite differences, semidefinite parts, invariance, rest, and
  projection and prox compared with a search for the minimum. Fails if a formula, a sign or an index is wrong, if the
  decomposition of flat 3 x 2 matrices is not accurate to round-off, or if a Hessian that should be semidefinite is not.
*/
#include "law_blocks.h"
#include <math.h>
#include <string.h>
#include <wring/law.h>
#include "base/block3.h"

enum { MAX_PAR = 3, N_LAW = 5, N_CASE = 7 };

static const wring_law *const laws[N_LAW] = {&wring_law_membrane_strain, &wring_law_membrane_strain_limit,
                                             &wring_law_membrane_area, &wring_law_bending_isometric,
                                             &wring_law_bending_rigid};

static int is_bending(const wring_law *law)
{
  return law->q == 1;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* k of order 1, then limits near 0.9 and 1.1, or the curvature at rest; different in every lane. */
static void random_par(const wring_law *law, uint64_t *state, double par[MAX_PAR][WRING_LANES])
{
  for (int lane = 0; lane < WRING_LANES; lane++) {
    par[0][lane] = 1 + 0.5 * test_random(state);
    par[1][lane] = (is_bending(law) ? 1 : 0.9) + 0.03 * test_random(state);
    par[2][lane] = 1.1 + 0.03 * test_random(state);
  }
}

/* Stretches: near rest, stretched, compressed, equal, one of each, almost flat, far beyond the area's limit. */
static void stretches(int kind, uint64_t *state, double s[2])
{
  static const double middle[N_CASE][2] = {{1, 1},     {1.6, 1.3},  {0.6, 0.4}, {1.3, 1.3},
                                           {1.4, 0.6}, {1.2, 0.05}, {3, 2.5}};
  for (int i = 0; i < 2; i++)
    s[i] = middle[kind][i] * (1 + (kind == 3 || kind == 0 ? 0.02 : 0.05) * test_random(state));
  if (kind == 3) s[1] = s[0];
}

static void random_z(const wring_law *law, int kind, uint64_t *state, block_z z)
{
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double       u[9], s[2];
    const double angle = 3 * test_random(state), c = cos(angle), d = sin(angle), v[4] = {c, -d, d, c};
    test_rotation(state, u);
    stretches(kind, state, s);
    for (int i = 0; i < 3 * law->q; i++)
      z[i][lane] = is_bending(law)
                     ? u[i] * s[0]
                     : u[3 * (i / 2)] * s[0] * v[2 * (i % 2)] + u[3 * (i / 2) + 1] * s[1] * v[2 * (i % 2) + 1];
  }
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

static const double fd_step = 1e-4;

/* No stretch may be at a limit, where the curvature jumps: cases avoid 0.87 ... 0.93 and 1.07 ... 1.13. */
static void check_derivatives(const wring_law *law, int kind, wring_in par, block_z z)
{
  const int             n = 3 * law->q;
  WRING_ALIGNED block_z p, at, moved;
  WRING_ALIGNED block_h h;
  WRING_ALIGNED double  psi[WRING_LANES];

  law->fused(law, par, (wring_in)z, psi, p);
  law->hessian(law, WRING_FILTER_NONE, par, (wring_in)z, h);
  for (int j = 0; j < n; j++) {
    double  slope[WRING_LANES] = {0};
    block_z column             = {0};
    for (int k = 0; k < 4; k++) {
      memcpy(moved, z, sizeof moved);
      for (int lane = 0; lane < WRING_LANES; lane++) moved[j][lane] += fd_at[k] * fd_step;
      law->fused(law, par, (wring_in)moved, psi, at);
      for (int lane = 0; lane < WRING_LANES; lane++) {
        slope[lane] += fd_weight[k] / fd_step * psi[lane];
        for (int i = 0; i < n; i++) column[i][lane] += fd_weight[k] / fd_step * at[i][lane];
      }
    }
    for (int lane = 0; lane < WRING_LANES; lane++) {
      check_close(p[j][lane], slope[lane], 1e-6 * (largest(n, p, lane) + 1e-3), law, kind, "gradient");
      for (int i = 0; i < n; i++) {
        check_close(h[n * i + j][lane], column[i][lane], 1e-6 * (largest(n * n, h, lane) + 1e-3), law, kind, "Hessian");
        CHECK(h[n * i + j][lane] == h[n * j + i][lane], "%s, case %d: Hessian is not symmetric", law->name, kind);
      }
    }
  }
}

/* ---- energy, projection, prox, constraint ------------------------------------------------------------------------ */

static double psi_at(const wring_law *law, wring_in par, const block_z z, int lane)
{
  WRING_ALIGNED double psi[WRING_LANES];
  law->energy(law, par, (wring_in)z, psi);
  return psi[lane];
}

/* psi = k/2 |z - p|^2, and psi(p) = 0; gradient k (z - p); psi = k C^2/2, and the gradient is k C dC. */
static void check_projection(const wring_law *law, int kind, wring_in par, block_z z)
{
  const int             n = 3 * law->q;
  WRING_ALIGNED block_z p, g, dC;
  WRING_ALIGNED double  psi[WRING_LANES], k[WRING_LANES], C[WRING_LANES], k_C[WRING_LANES], rest[WRING_LANES];

  law->project(law, par, (wring_in)z, p);
  law->slope(law, par, k);
  law->fused(law, par, (wring_in)z, psi, g);
  law->constraint(law, 0, par, (wring_in)z, C, dC, k_C);
  law->energy(law, par, (wring_in)p, rest);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double square = 0;
    for (int i = 0; i < n; i++) {
      const double d = z[i][lane] - p[i][lane];
      square += d * d;
      check_close(g[i][lane], k[lane] * d, 1e-13, law, kind, "gradient of a projection");
      check_close(k_C[lane] * C[lane] * dC[i][lane], g[i][lane], 1e-13, law, kind, "gradient of the constraint");
    }
    check_close(psi[lane], 0.5 * k[lane] * square, 1e-13, law, kind, "energy of a projection");
    check_close(0.5 * k_C[lane] * C[lane] * C[lane], psi[lane], 1e-13, law, kind, "energy of the constraint");
    check_close(rest[lane], 0, 1e-24, law, kind, "energy of the projection");
  }
}

/* No point near the prox, and no random point, has a lower objective. */
static void check_prox(const wring_law *law, int kind, wring_in par, block_z z, uint64_t *state)
{
  const int             n = 3 * law->q;
  WRING_ALIGNED block_z p, other;
  WRING_ALIGNED double  rho[WRING_LANES];
  double                least[WRING_LANES];

  for (int lane = 0; lane < WRING_LANES; lane++) rho[lane] = exp(2 * test_random(state));
  law->prox(law, par, rho, (wring_in)z, p);
  for (int trial = 0; trial < 400; trial++) {
    const double size = trial == 0 ? 0 : trial < 200 ? 1e-3 : 1;
    for (int i = 0; i < n; i++)
      for (int lane = 0; lane < WRING_LANES; lane++) other[i][lane] = p[i][lane] + size * test_random(state);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      double phi = psi_at(law, par, other, lane);
      for (int i = 0; i < n; i++)
        phi += 0.5 * rho[lane] * (other[i][lane] - z[i][lane]) * (other[i][lane] - z[i][lane]);
      if (trial == 0) least[lane] = phi;
      CHECK(phi >= least[lane] - 1e-12, "%s, case %d: prox has %.17g, another point %.17g", law->name, kind,
            least[lane], phi);
    }
  }
}

/* z -> Q z Q'^T, with Q' in the plane, does not change psi. */
static void check_invariance(const wring_law *law, int kind, wring_in par, block_z z, uint64_t *state)
{
  WRING_ALIGNED block_z turned;
  WRING_ALIGNED double  psi[WRING_LANES], psi_turned[WRING_LANES];
  double                left[9];
  const double          angle = 3 * test_random(state), right[4] = {cos(angle), -sin(angle), sin(angle), cos(angle)};

  test_rotation(state, left);
  test_turn(law->q, left, right, z, turned);
  law->energy(law, par, (wring_in)z, psi);
  law->energy(law, par, (wring_in)turned, psi_turned);
  for (int lane = 0; lane < WRING_LANES; lane++)
    check_close(psi_turned[lane], psi[lane], 1e-13 * (psi[lane] + 1), law, kind, "energy after a rotation");
}

/* Matrices with orthonormal columns have no energy; flat ones give finite results. */
static void check_rest(const wring_law *law, wring_in par, uint64_t *state)
{
  WRING_ALIGNED block_z z, p;
  WRING_ALIGNED block_h h;
  WRING_ALIGNED double  psi[WRING_LANES];

  if (is_bending(law)) return;
  for (int kind = 0; kind < 6; kind++) { // at rest; flat: rank 1 in x, in a diagonal, tiny, 0; huge
    const double size = kind == 3 ? 1e-120 : kind == 4 ? 0 : kind == 5 ? 1e60 : 1;
    for (int lane = 0; lane < WRING_LANES; lane++) {
      double r[9];
      test_rotation(state, r);
      for (int i = 0; i < 6; i++)
        z[i][lane] = size * (kind == 0 || kind == 5 ? r[3 * (i / 2) + i % 2]
                             : kind == 1            ? (i % 2 ? 0 : r[i / 2])
                                                    : r[i / 2] * (i % 2 ? 0.7 : 1.3));
    }
    law->fused(law, par, (wring_in)z, psi, p);
    law->hessian(law, WRING_FILTER_NONE, par, (wring_in)z, h);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      if (kind == 0) check_close(psi[lane], 0, 1e-28, law, kind, "energy at rest");
      if (kind == 0) check_close(largest(6, p, lane), 0, 1e-14, law, kind, "stress at rest");
      CHECK(isfinite(psi[lane]), "%s: psi of kind %d is %g", law->name, kind, psi[lane]);
      for (int i = 0; i < 6; i++) CHECK(isfinite(p[i][lane]), "%s: gradient of kind %d", law->name, kind);
      for (int i = 0; i < 36; i++) CHECK(isfinite(h[i][lane]), "%s: Hessian of kind %d", law->name, kind);
    }
  }
}

/* ---- the decomposition ------------------------------------------------------------------------------------------- */

/*
  f = U diag(s) V^T with rotations, to round-off relative to the largest stretch; U is orthonormal also for an almost
  flat f.
*/
static void check_svd(uint64_t *state)
{
  static const double ratio[] = {1, 1 - 1e-9, 0.5, 1e-6, 1e-9, 1e-13, 1e-15, 1e-17, 0};
  for (int kind = 0; kind < 9 * 3; kind++) {
    WRING_ALIGNED block_z f;
    WRING_ALIGNED double  u[9][WRING_LANES], s[2][WRING_LANES], v[4][WRING_LANES];
    const double          size = kind % 3 == 0 ? 1 : kind % 3 == 1 ? 1e-100 : 1e100;
    for (int lane = 0; lane < WRING_LANES; lane++) {
      double       r[9];
      const double a = 4 * test_random(state), w[4] = {cos(a), -sin(a), sin(a), cos(a)},
                   t[2] = {size, size * ratio[kind / 3]};
      test_rotation(state, r);
      for (int i = 0; i < 6; i++)
        f[i][lane] = r[3 * (i / 2)] * t[0] * w[2 * (i % 2)] + r[3 * (i / 2) + 1] * t[1] * w[2 * (i % 2) + 1];
    }
    wring_block32_svd((wring_in)f, u, s, v);
    for (int lane = 0; lane < WRING_LANES; lane++) {
      CHECK(s[0][lane] >= s[1][lane] && s[1][lane] >= 0, "stretches %g, %g", s[0][lane], s[1][lane]);
      for (int i = 0; i < 6; i++) {
        const double again = u[3 * (i / 2)][lane] * s[0][lane] * v[2 * (i % 2)][lane] +
                             u[3 * (i / 2) + 1][lane] * s[1][lane] * v[2 * (i % 2) + 1][lane];
        CHECK(fabs(again - f[i][lane]) <= 4e-15 * size, "kind %d: entry %d is %.17g, expected %.17g", kind, i, again,
              f[i][lane]);
      }
      for (int i = 0; i < 9; i++) {
        double product = 0;
        for (int k = 0; k < 3; k++) product += u[3 * k + i / 3][lane] * u[3 * k + i % 3][lane];
        CHECK(fabs(product - (i % 4 == 0)) <= 4e-15, "kind %d: U is not orthonormal, %.17g", kind, product);
      }
      CHECK(fabs(v[0][lane] * v[0][lane] + v[2][lane] * v[2][lane] - 1) <= 4e-15, "kind %d: V", kind);
    }
  }
}

int main(int argc, char **argv)
{
  uint64_t              state = 11;
  WRING_ALIGNED double  par[MAX_PAR][WRING_LANES];
  WRING_ALIGNED block_z z;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  check_svd(&state);
  for (int i = 0; i < N_LAW; i++) {
    for (int round = 0; round < 10 * N_CASE; round++) {
      const int kind = round % N_CASE;
      random_par(laws[i], &state, par);
      random_z(laws[i], kind, &state, z);
      check_derivatives(laws[i], kind, (wring_in)par, z);
      for (int filter = WRING_FILTER_CLAMP; filter <= WRING_FILTER_ABSOLUTE; filter++)
        check_filter(laws[i], (wring_filter)filter, kind, (wring_in)par, z);
      check_projection(laws[i], kind, (wring_in)par, z);
      check_prox(laws[i], kind, (wring_in)par, z, &state);
      check_invariance(laws[i], kind, (wring_in)par, z, &state);
      check_rest(laws[i], (wring_in)par, &state);
    }
  }
  PetscCall(PetscFinalize());
  return 0;
}
