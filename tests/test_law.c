/* ranks: 1 */
/*
  Laws: derivatives by finite differences, invariance, projection, slopes, the edge of the domain, the list of laws.
  Fails if a formula, a sign or an index of a law is wrong, if a lane reads another lane's parameters, or if a Hessian
  that should be semidefinite is not. Every law of the list is tested with the parameters of its example, for the
  functions in its table; those named here also with parameters that give negative curvature.
*/
#include "splines.h"
#include "laws.h"
#include "law_blocks.h"
#include "limit_laws.h"
#include "refused.h"
#include "law/common/isotropic.h"
#include <math.h>
#include <string.h>
#include <wring/law.h>

enum { MAX_PAR = SPLINE_N_PAR, N_LAW = 14, N_MATERIAL = 9, N_CASE = 6 };

static const wring_law *const laws[N_LAW] = {
  &wring_law_strain,     &wring_law_corotated,         &wring_law_fixed_corotated, &wring_law_stvk,
  &wring_law_neohookean, &wring_law_stable_neohookean, &wring_law_mooney_rivlin,   &wring_law_polynomial,
  &wring_law_spline,     &wring_law_attachment,        &wring_law_spring,          &wring_law_fibre,
  &wring_law_volume,     &wring_law_strain_limit}; // N_MATERIAL materials first

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/*
  Parameters of order 1 that differ from lane to lane. The first, mu or k, is small in odd cases, because a nearly
  incompressible neohookean has negative curvature in its stretches too.
*/
static void random_par(const wring_law *law, int kind, uint64_t *state, double par[MAX_PAR][WRING_LANES])
{
  if (law == &wring_law_spline) {
    test_spline_par(state, par);
    return;
  }
  for (int i = 0; i < law->n_par; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++)
      par[i][lane] = (i == 0 && kind % 2 ? 0.1 : 1) * (1 + 0.5 * test_random(state));
  }
}

/* Stretches of six kinds: near rest, stretched, compressed, two equal, flat, inverted. */
static void stretches(int kind, uint64_t *state, double s[3])
{
  static const double middle[N_CASE][3] = {{1, 1, 1},     {2, 1.5, 1.2}, {0.7, 0.5, 0.4},
                                           {1.3, 1.3, 1}, {1.2, 1, 0.1}, {1.2, 0.9, -0.4}};
  for (int i = 0; i < 3; i++) s[i] = middle[kind][i] * (1 + (kind == 3 ? 0 : 0.1) * test_random(state));
}

/* F = U diag(s) V^T of a triangle; V is a rotation in the plane. */
static double f32_entry(const double u[9], const double s[3], double angle, int i, int j)
{
  const double c = cos(angle), t = sin(angle);
  return u[3 * i] * s[0] * (j ? -t : c) + u[3 * i + 1] * s[1] * (j ? c : t);
}

/* Local values of case `kind`: F = U diag(s) V^T, or an edge or point vector of length about 1. */
static void random_z(const wring_law *law, int kind, uint64_t *state, block_z z)
{
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double u[9], v[9], s[3];
    test_rotation(state, u);
    test_rotation(state, v);
    stretches(kind, state, s);
    if (law->positive) s[2] = fabs(s[2]);
    for (int i = 0; i < 3 * law->q; i++) {
      z[i][lane] = law->q == 3   ? test_usv(u, s, v, i / 3, i % 3)
                   : law->q == 2 ? f32_entry(u, s, 3 * v[0], i / 2, i % 2)
                                 : u[i] * s[0];
    }
  }
}

static void energy(const wring_law *law, wring_in par, block_z z, double psi[WRING_LANES])
{
  law->energy(law, par, (wring_in)z, psi);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/*
  Second derivatives of a spline have kinks between its pieces, for example at 1; differences must not extend over them.
*/
static double fd_step(const wring_law *law, int order)
{
  return !test_has_file(law) ? 1e-3 : order == 1 ? 1e-5 : 1e-7;
}

/*
  Differences over a kink of psi or of its derivatives, which limits have, change with the step. Such entries are
  skipped: none for the laws named here with their parameters, less than half for any law.
*/
typedef struct {
  int compared, kinks;
} fd_count;

static fd_count differences;

/* Compares one entry with its differences, with a step and with half of it. */
static void compare(double ours, const double fd[2], double tolerance, const wring_law *law, int kind, const char *what)
{
  if (law->slope == test_scaled_slope && fabs(fd[0] - fd[1]) > 0.1 * tolerance) {
    differences.kinks++;
    return;
  }
  differences.compared++;
  check_close(ours, fd[0], tolerance, law, kind, what);
}

/* d psi/dz_i by differences. */
static void difference_energy(const wring_law *law, wring_in par, block_z z, int i, double step,
                              double slope[WRING_LANES])
{
  WRING_ALIGNED block_z moved;
  WRING_ALIGNED double  psi[WRING_LANES];
  for (int lane = 0; lane < WRING_LANES; lane++) slope[lane] = 0;
  for (int k = 0; k < 4; k++) {
    memcpy(moved, z, sizeof moved);
    for (int lane = 0; lane < WRING_LANES; lane++) moved[i][lane] += fd_at[k] * step;
    energy(law, par, moved, psi);
    for (int lane = 0; lane < WRING_LANES; lane++) slope[lane] += fd_weight[k] / step * psi[lane];
  }
}

static void check_gradient(const wring_law *law, int kind, wring_in par, block_z z)
{
  WRING_ALIGNED block_z p;
  double                slope[2][WRING_LANES];

  test_gradient(law, par, (wring_in)z, p);
  for (int i = 0; i < 3 * law->q; i++) {
    for (int k = 0; k < 2; k++) difference_energy(law, par, z, i, fd_step(law, 1) / (1 + k), slope[k]);
    for (int lane = 0; lane < WRING_LANES; lane++)
      compare(p[i][lane], (const double[]){slope[0][lane], slope[1][lane]},
              1e-6 * (largest(3 * law->q, p, lane) + 1e-3), law, kind, "gradient");
  }
}

/* Column j of d2psi/dz2 by differences. */
static void difference_gradient(const wring_law *law, wring_in par, block_z z, int j, double step, block_z column)
{
  WRING_ALIGNED block_z p, moved;
  memset(column, 0, sizeof(block_z));
  for (int k = 0; k < 4; k++) {
    memcpy(moved, z, sizeof moved);
    for (int lane = 0; lane < WRING_LANES; lane++) moved[j][lane] += fd_at[k] * step;
    test_gradient(law, par, (wring_in)moved, p);
    for (int i = 0; i < 3 * law->q; i++) {
      for (int lane = 0; lane < WRING_LANES; lane++) column[i][lane] += fd_weight[k] / step * p[i][lane];
    }
  }
}

static void check_hessian(const wring_law *law, int kind, wring_in par, block_z z)
{
  const int             n = 3 * law->q;
  WRING_ALIGNED block_z column[2];
  WRING_ALIGNED block_h h;

  law->hessian(law, WRING_FILTER_NONE, par, (wring_in)z, h);
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < 2; k++) difference_gradient(law, par, z, j, fd_step(law, 2) / (1 + k), column[k]);
    for (int i = 0; i < n; i++) {
      for (int lane = 0; lane < WRING_LANES; lane++) {
        compare(h[n * i + j][lane], (const double[]){column[0][i][lane], column[1][i][lane]},
                1e-6 * largest(n * n, h, lane) + 1e-12, law, kind, "Hessian");
        CHECK(h[n * i + j][lane] == h[n * j + i][lane], "%s, case %d: Hessian is not symmetric", law->name, kind);
      }
    }
  }
}

/*
  The blocks of three rows of G are the filtered Hessian contracted with these. Fails if a block is transposed, or if a
  mode has the direction of another vertex.
*/
static void check_blocks(const wring_law *law, int kind, wring_in par, block_z z)
{
  WRING_ALIGNED double  g[9][WRING_LANES], K[54][WRING_LANES];
  WRING_ALIGNED block_h h;

  if (!law->blocks) return;
  for (int i = 0; i < 9 * WRING_LANES; i++)
    g[i / WRING_LANES][i % WRING_LANES] = 2 * wring_uniform((uint64_t)(100 * kind + i)) - 1;
  law->hessian(law, WRING_FILTER_CLAMP, par, (wring_in)z, h);
  law->blocks(law, WRING_FILTER_CLAMP, par, (wring_in)z, (wring_in)g, K);
  for (int a = 0, k = 0; a < 3; a++) {
    for (int b = a; b < 3; b++) {
      for (int i = 0; i < 9; i++, k++) {
        for (int lane = 0; lane < WRING_LANES; lane++) {
          double sum = 0;
          for (int t = 0; t < 9; t++)
            sum += g[3 * a + t / 3][lane] * g[3 * b + t % 3][lane] *
                   h[9 * (3 * (i / 3) + t / 3) + 3 * (i % 3) + t % 3][lane];
          CHECK(fabs(K[k][lane] - sum) <= 1e-12 * largest(81, h, lane), "%s, case %d: block %d %d is %g, not %g",
                law->name, kind, a, b, K[k][lane], sum);
        }
      }
    }
  }
}

/*
  The Hessian of one vertex with row g of G is the Hessian contracted with g. Fails if a closed form has a wrong term or
  order.
*/
static void check_contracted(const wring_law *law, int kind, wring_in par, block_z z)
{
  static const int      row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  const int             n = 3 * law->q, q = law->q;
  WRING_ALIGNED double  g[3][WRING_LANES], K[6][WRING_LANES];
  WRING_ALIGNED block_h h;

  for (int k = 0; k < 3; k++)
    for (int lane = 0; lane < WRING_LANES; lane++)
      g[k][lane] = 2 * wring_uniform((uint64_t)(100 * kind + 8 * k + lane)) - 1;
  law->hessian(law, WRING_FILTER_NONE, par, (wring_in)z, h);
  wring_law_contract(law, PETSC_FALSE, par, (wring_in)z, (wring_in)g, K);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    for (int i = 0; i < 6; i++) {
      double sum = 0;
      for (int k = 0; k < q; k++)
        for (int l = 0; l < q; l++) sum += g[k][lane] * g[l][lane] * h[n * (q * row[i] + k) + q * column[i] + l][lane];
      check_close(K[i][lane], sum, 1e-11 * largest(n * n, h, lane), law, kind, "Hessian of a vertex");
    }
  }
}

/*
  The definite model of the Hessian of a vertex has no negative eigenvalue for any deformation: its principal minors are
  not negative. It is the exact one of stable_neohookean, whose lambda is positive. Fails if a term that can be negative
  is in it.
*/
static void check_definite(const wring_law *law, int kind, wring_in par, block_z z)
{
  WRING_ALIGNED double g[3][WRING_LANES], K[6][WRING_LANES], exact[6][WRING_LANES];

  for (int k = 0; k < 3; k++)
    for (int lane = 0; lane < WRING_LANES; lane++)
      g[k][lane] = 2 * wring_uniform((uint64_t)(100 * kind + 8 * k + lane)) - 1;
  wring_law_contract(law, PETSC_TRUE, par, (wring_in)z, (wring_in)g, K);
  wring_law_contract(law, PETSC_FALSE, par, (wring_in)z, (wring_in)g, exact);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double a = K[0][lane], b = K[1][lane], c = K[2][lane], d = K[3][lane], e = K[4][lane], f = K[5][lane];
    const double size  = fmax(largest(6, K, lane), largest(6, exact, lane));
    const double two   = fmin(a * b - d * d, fmin(b * c - e * e, a * c - f * f));
    const double three = a * (b * c - e * e) - d * (d * c - e * f) + f * (d * e - b * f);
    CHECK(fmin(a, fmin(b, c)) >= -1e-12 * size && two >= -1e-12 * size * size && three >= -1e-12 * size * size * size,
          "%s, %d: minors %g, %g, %g", law->name, kind, fmin(a, fmin(b, c)), two, three);
    for (int i = 0; i < 6 && law == &wring_law_stable_neohookean; i++)
      check_close(K[i][lane], exact[i][lane], 1e-12 * size, law, kind, "definite model");
  }
}

/* a . h b */
static double product(int n, const block_h h, const block_z a, const block_z b, int lane)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += a[i][lane] * h[n * i + j][lane] * b[j][lane];
  return sum;
}

/*
  Products with two directions are those of the filtered Hessian. Fails if a closed form has a wrong term, is used with
  a filter, or a mode has another eigenvalue or direction than in the Hessian.
*/
static void check_products(const wring_law *law, wring_filter filter, int kind, wring_in par, block_z z)
{
  const int             n = 3 * law->q;
  WRING_ALIGNED double  sum[3][WRING_LANES];
  WRING_ALIGNED block_z a, b;
  WRING_ALIGNED block_h h;

  for (int i = 0; i < n; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) {
      a[i][lane] = 2 * wring_uniform((uint64_t)(1000 * kind + 8 * i + lane)) - 1;
      b[i][lane] = 2 * wring_uniform((uint64_t)(1000 * kind + 500 + 8 * i + lane)) - 1;
    }
  }
  law->hessian(law, filter, par, (wring_in)z, h);
  wring_law_multiply(law, filter, par, (wring_in)z, (wring_in)a, (wring_in)b, sum);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double most = 1e-11 * largest(n * n, h, lane);
    check_close(sum[0][lane], product(n, h, a, a, lane), most, law, kind, "a . h a");
    check_close(sum[1][lane], product(n, h, a, b, lane), most, law, kind, "a . h b");
    check_close(sum[2][lane], product(n, h, b, b, lane), most, law, kind, "b . h b");
  }
}

/* ---- energy, gradient and projection ----------------------------------------------------------------------------- */

static void check_fused(const wring_law *law, int kind, wring_in par, block_z z)
{
  WRING_ALIGNED block_z p, p_fused;
  WRING_ALIGNED double  psi[WRING_LANES], psi_fused[WRING_LANES];

  energy(law, par, z, psi);
  test_gradient(law, par, (wring_in)z, p);
  law->fused(law, par, (wring_in)z, psi_fused, p_fused);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    check_close(psi_fused[lane], psi[lane], 1e-14 * (fabs(psi[lane]) + 1), law, kind, "fused energy");
    for (int i = 0; i < 3 * law->q; i++)
      check_close(p_fused[i][lane], p[i][lane], 1e-14 * (fabs(p[i][lane]) + 1), law, kind, "fused gradient");
  }
}

/* Rotates the lanes of a by one. */
static void turn_lanes(int n, double (*a)[WRING_LANES])
{
  for (int i = 0; i < n; i++) {
    const double last = a[i][WRING_LANES - 1];
    memmove(a[i] + 1, a[i], (WRING_LANES - 1) * sizeof last);
    a[i][0] = last;
  }
}

/* A lane reads only its own values and parameters: rotating the lanes by one rotates the results by one. */
static void check_lanes(const wring_law *law, int kind, wring_in par, block_z z)
{
  const int             n = 3 * law->q;
  WRING_ALIGNED block_z p, p_turned, z_turned;
  WRING_ALIGNED block_h h, h_turned;
  WRING_ALIGNED double  psi[2][WRING_LANES], k[2][WRING_LANES], par_turned[MAX_PAR][WRING_LANES];

  memcpy(z_turned, z, sizeof z_turned);
  memcpy(par_turned, par, sizeof par_turned);
  turn_lanes(n, z_turned);
  turn_lanes(MAX_PAR, par_turned);
  law->fused(law, par, (wring_in)z, psi[0], p);
  law->hessian(law, WRING_FILTER_NONE, par, (wring_in)z, h);
  law->slope(law, par, k[0]);
  law->fused(law, (wring_in)par_turned, (wring_in)z_turned, psi[1], p_turned);
  law->hessian(law, WRING_FILTER_NONE, (wring_in)par_turned, (wring_in)z_turned, h_turned);
  law->slope(law, (wring_in)par_turned, k[1]);
  turn_lanes(1, psi);
  turn_lanes(1, k);
  turn_lanes(n, p);
  turn_lanes(n * n, h);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    check_close(psi[1][lane], psi[0][lane], 1e-14, law, kind, "energy in another lane");
    check_close(k[1][lane], k[0][lane], 0, law, kind, "slope in another lane");
    for (int i = 0; i < n; i++)
      check_close(p_turned[i][lane], p[i][lane], 1e-13, law, kind, "gradient in another lane");
    for (int i = 0; i < n * n; i++)
      check_close(h_turned[i][lane], h[i][lane], 1e-13 * largest(n * n, h, lane), law, kind, "Hessian in another lane");
  }
}

/* psi = k/2 |z - p|^2 and dpsi/dz = k (z - p), with the k of slope. */
static void check_projection(const wring_law *law, int kind, wring_in par, block_z z)
{
  WRING_ALIGNED block_z p, g;
  WRING_ALIGNED double  psi[WRING_LANES], k[WRING_LANES];

  if (!law->project) return;
  law->project(law, par, (wring_in)z, p);
  law->slope(law, par, k);
  law->fused(law, par, (wring_in)z, psi, g);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    double distance2 = 0;
    for (int i = 0; i < 3 * law->q; i++) {
      const double d = z[i][lane] - p[i][lane];
      distance2 += d * d;
      check_close(g[i][lane], k[lane] * d, 1e-14, law, kind, "gradient of a projection");
    }
    check_close(psi[lane], 0.5 * k[lane] * distance2, 1e-14, law, kind, "energy of a projection");
  }
}

/* z -> Q z Q'^T does not change psi. Points are not invariant, and edges are rotated by Q only. */
static void check_invariance(const wring_law *law, int kind, wring_in par, block_z z, uint64_t *state)
{
  WRING_ALIGNED block_z turned;
  WRING_ALIGNED double  psi[WRING_LANES], psi_turned[WRING_LANES];
  double                left[9], right[9];

  if (law == &wring_law_attachment) return;
  test_rotation(state, left);
  test_rotation(state, right);
  test_turn(law->q, left, right, z, turned);
  energy(law, par, z, psi);
  energy(law, par, turned, psi_turned);
  for (int lane = 0; lane < WRING_LANES; lane++)
    check_close(psi_turned[lane], psi[lane], 1e-13 * (fabs(psi[lane]) + 1), law, kind, "energy after a rotation");
}

static void check_rest(const wring_law *law, wring_in par, uint64_t *state)
{
  WRING_ALIGNED block_z z, p;
  WRING_ALIGNED double  psi[WRING_LANES];

  for (int lane = 0; lane < WRING_LANES; lane++) {
    double r[9];
    test_rotation(state, r);
    for (int i = 0; i < 3 * law->q; i++) {
      z[i][lane] = r[i];
      if (law == &wring_law_attachment) z[i][lane] = par[1 + i][lane];
      if (law == &wring_law_spring || law == &wring_law_fibre)
        z[i][lane] = r[i] * par[1][lane] / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    }
  }
  law->fused(law, par, (wring_in)z, psi, p);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    check_close(psi[lane], 0, 1e-14, law, -1, "energy at rest");
    for (int i = 0; i < 3 * law->q; i++) check_close(p[i][lane], 0, 2e-14, law, -1, "stress at rest");
  }
}

/* psi by its definition, in long double: invariants I1, I2 and J, parameters a, b, c. */
static long double defined(const wring_law *law, const long double f[9], long double a, long double b, long double c)
{
  long double g[9] = {0}, i1, i2, e2 = 0;
  for (int i = 0; i < 27; i++) g[i / 3] += f[3 * (i % 3) + i / 9] * f[3 * (i % 3) + i / 3 % 3];
  i1 = g[0] + g[4] + g[8];
  for (int i = 0; i < 9; i++) e2 += (g[i] - (i % 4 == 0)) * (g[i] - (i % 4 == 0)) / 4;
  i2 = g[0] * g[4] + g[4] * g[8] + g[8] * g[0] - g[1] * g[1] - g[2] * g[2] - g[5] * g[5];
  const long double j =
    f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
  if (law == &wring_law_stvk) return a * e2 + b / 8 * (i1 - 3) * (i1 - 3);
  if (law == &wring_law_mooney_rivlin)
    return a * (i1 * powl(j, -2.L / 3) - 3) + b * (i2 * powl(j, -4.L / 3) - 3) + c / 2 * (j - 1) * (j - 1);
  const long double change = law == &wring_law_neohookean ? logl(j) : j - 1;
  return a / 2 * (i1 - 3) - a * change + b / 2 * change * change;
}

/*
  A body at rest under a tiny load: psi is 1e12 times smaller than mu, and must keep its digits. Fails if psi is
  computed as a difference of terms of first order. The reference is the definition in long double.
*/
static void check_small_strain(const wring_law *law)
{
  uint64_t              state = 11;
  WRING_ALIGNED block_z z;
  WRING_ALIGNED double  par[MAX_PAR][WRING_LANES], psi[WRING_LANES];

  for (int lane = 0; lane < WRING_LANES; lane++) {
    par[0][lane] = 3, par[1][lane] = 5, par[2][lane] = 7;
    for (int i = 0; i < 9; i++) z[i][lane] = (i % 4 == 0) + 1e-6 * test_random(&state);
  }
  law->energy(law, (wring_in)par, (wring_in)z, psi);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    long double f[9];
    for (int i = 0; i < 9; i++) f[i] = z[i][lane];
    const double expected = (double)defined(law, f, 3, 5, 7);
    check_close(psi[lane], expected, 1e-5 * expected, law, -1, "small strain");
  }
}

/* sum_j k_j C_j^2/2 - psi, which may be a constant. */
static void constraint_defect(const wring_law *law, wring_in par, block_z z, double defect[WRING_LANES])
{
  WRING_ALIGNED block_z dC;
  WRING_ALIGNED double  C[WRING_LANES], k[WRING_LANES];

  energy(law, par, z, defect);
  for (int lane = 0; lane < WRING_LANES; lane++) defect[lane] = -defect[lane];
  for (int j = 0; j < law->n_constraint; j++) {
    law->constraint(law, j, par, (wring_in)z, C, dC, k);
    for (int lane = 0; lane < WRING_LANES; lane++) defect[lane] += 0.5 * k[lane] * C[lane] * C[lane];
  }
}

/* dC_j/dz_i by differences with a step far below C, because the curvature of C grows as C becomes small. */
static void difference_constraint(const wring_law *law, int j, wring_in par, block_z z, int i, double step,
                                  double slope[WRING_LANES])
{
  WRING_ALIGNED block_z moved, unused;
  WRING_ALIGNED double  C[WRING_LANES], k[WRING_LANES];
  for (int lane = 0; lane < WRING_LANES; lane++) slope[lane] = 0;
  for (int at = 0; at < 4; at++) {
    memcpy(moved, z, sizeof moved);
    for (int lane = 0; lane < WRING_LANES; lane++) moved[i][lane] += fd_at[at] * step;
    law->constraint(law, j, par, (wring_in)moved, C, unused, k);
    for (int lane = 0; lane < WRING_LANES; lane++) slope[lane] += fd_weight[at] / step * C[lane];
  }
}

static void check_constraint_gradient(const wring_law *law, int j, int kind, wring_in par, block_z z)
{
  WRING_ALIGNED block_z dC;
  WRING_ALIGNED double  C[WRING_LANES], k[WRING_LANES];
  double                slope[2][WRING_LANES];

  law->constraint(law, j, par, (wring_in)z, C, dC, k);
  for (int i = 0; i < 3 * law->q; i++) {
    for (int n = 0; n < 2; n++) difference_constraint(law, j, par, z, i, 1e-4 / (1 + n), slope[n]);
    for (int lane = 0; lane < WRING_LANES; lane++)
      compare(dC[i][lane], (const double[]){slope[0][lane], slope[1][lane]},
              1e-6 * (largest(3 * law->q, dC, lane) + 1e-3), law, kind, "gradient of a constraint");
  }
}

/* psi must be sum_j k_j C_j^2/2 up to a constant, and dC_j the derivative of C_j. */
static void check_constraints(const wring_law *law, int kind, wring_in par, block_z z)
{
  WRING_ALIGNED block_z half;
  double                here[WRING_LANES], there[WRING_LANES];

  if (!law->constraint) return;
  for (int i = 0; i < 3 * law->q; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) half[i][lane] = 0.5 * z[i][lane];
  }
  constraint_defect(law, par, z, here);
  constraint_defect(law, par, half, there);
  for (int lane = 0; lane < WRING_LANES; lane++)
    check_close(here[lane], there[lane], 1e-13 * (10 + fabs(here[lane])), law, kind, "energy of constraints");
  for (int j = 0; j < law->n_constraint; j++) check_constraint_gradient(law, j, kind, par, z);
}

static void test_properties(const wring_law *law)
{
  uint64_t              state = 7;
  WRING_ALIGNED block_z z;
  WRING_ALIGNED double  par[MAX_PAR][WRING_LANES];

  for (int kind = 0; kind < N_CASE; kind++) {
    random_par(law, kind, &state, par);
    test_limit_par(law, kind, par);
    random_z(law, kind, &state, z);
    check_gradient(law, kind, (wring_in)par, z);
    check_hessian(law, kind, (wring_in)par, z);
    check_blocks(law, kind, (wring_in)par, z);
    check_contracted(law, kind, (wring_in)par, z);
    check_definite(law, kind, (wring_in)par, z);
    for (int filter = WRING_FILTER_NONE; filter <= WRING_FILTER_ABSOLUTE; filter++)
      check_products(law, (wring_filter)filter, kind, (wring_in)par, z);
    for (int filter = WRING_FILTER_CLAMP; filter <= WRING_FILTER_ABSOLUTE; filter++)
      check_filter(law, (wring_filter)filter, kind, (wring_in)par, z);
    check_fused(law, kind, (wring_in)par, z);
    check_lanes(law, kind, (wring_in)par, z);
    check_projection(law, kind, (wring_in)par, z);
    check_constraints(law, kind, (wring_in)par, z);
    check_invariance(law, kind, (wring_in)par, z, &state);
  }
  check_rest(law, (wring_in)par, &state);
}

/* 12 times the integral of (s - 1) dpsi/ds_0 over [1/2, 3/2] at s_1 = s_2 = 1, by Simpson's rule. */
static void check_slope(const wring_law *law, wring_in par)
{
  enum { N = 2000 };
  WRING_ALIGNED block_z z, p;
  WRING_ALIGNED double  k[WRING_LANES];
  double                integral[WRING_LANES] = {0};

  for (int i = 0; i <= N; i++) {
    const double s = 0.5 + (double)i / N, weight = (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) / (3. * N);
    for (int j = 0; j < 9; j++) {
      for (int lane = 0; lane < WRING_LANES; lane++) z[j][lane] = j == 0 ? s : j % 4 == 0;
    }
    test_gradient(law, par, (wring_in)z, p);
    for (int lane = 0; lane < WRING_LANES; lane++) integral[lane] += 12 * weight * (s - 1) * p[0][lane];
  }
  law->slope(law, par, k);
  for (int lane = 0; lane < WRING_LANES; lane++) check_close(k[lane], integral[lane], 1e-10, law, -1, "slope");
}

/* ---- every law of the list --------------------------------------------------------------------------------------- */

/* psi and its gradient are 0 at the law's projection, or at a rotation. */
static void check_least(const wring_law *law, wring_in par, block_z z, uint64_t *state)
{
  WRING_ALIGNED block_z rest, p;
  WRING_ALIGNED double  psi[WRING_LANES];

  if (law->project) {
    law->project(law, par, (wring_in)z, rest);
  } else {
    double r[9];
    test_rotation(state, r);
    for (int i = 0; i < 3 * law->q; i++) {
      for (int lane = 0; lane < WRING_LANES; lane++) rest[i][lane] = r[3 * (i / law->q) + i % law->q];
    }
  }
  law->fused(law, par, (wring_in)rest, psi, p);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    check_close(psi[lane], 0, 1e-13, law, -1, "energy at rest");
    for (int i = 0; i < 3 * law->q; i++) check_close(p[i][lane], 0, 1e-12, law, -1, "stress at rest");
  }
}

/* Rows are constraints of the same energy: sum_j k_j C_j^2/2 - psi has the same value at two points. */
static void check_rows(const wring_law *law, int kind, wring_in par, block_z z)
{
  wring_law as_constraint = *law;

  if (!law->n_row || (law->row_fault && law->row_fault(test_original(law), par))) return;
  as_constraint.n_constraint = law->n_row;
  as_constraint.constraint   = law->row;
  check_constraints(&as_constraint, kind, par, z);
}

/* Tests the functions in the law's table, with the parameters of its example. */
static void test_listed(const wring_law *law)
{
  uint64_t              state  = 29;
  const wring_law       scaled = test_scaled(law);
  WRING_ALIGNED block_z z;
  WRING_ALIGNED double  par[MAX_PAR][WRING_LANES] = {{0}};

  differences = (fd_count){0, 0};
  for (int kind = 0; kind < N_CASE; kind++) {
    test_example_par(law, MAX_PAR, &state, par);
    random_z(law, kind, &state, z);
    check_gradient(&scaled, kind, (wring_in)par, z);
    if (law->hessian) check_hessian(&scaled, kind, (wring_in)par, z);
    if (law->hessian)
      for (int filter = WRING_FILTER_CLAMP; filter <= WRING_FILTER_ABSOLUTE; filter++)
        check_filter(&scaled, (wring_filter)filter, kind, (wring_in)par, z);
    check_fused(&scaled, kind, (wring_in)par, z);
    if (law->hessian) check_lanes(&scaled, kind, (wring_in)par, z);
    check_projection(&scaled, kind, (wring_in)par, z);
    check_constraints(&scaled, kind, (wring_in)par, z);
    check_rows(&scaled, kind, (wring_in)par, z);
    check_least(&scaled, (wring_in)par, z, &state);
  }
  CHECK(differences.kinks < differences.compared, "%s: %d differences reach over kinks, %d do not", law->name,
        differences.kinks, differences.compared);
  if (law->kind == WRING_LAW_MATERIAL) check_slope(&scaled, (wring_in)par);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/*
  Compares with the numbers of an independent implementation: Young's modulus 1e5 Pa, Poisson's ratio 0.35, polynomial
  of 1 Pa, ...
*/
static void test_slopes(void)
{
  static const struct {
    const wring_law *law;
    double           par[3], k;
  } known[]                  = {{&wring_law_strain, {7}, 7},
                                {&wring_law_corotated, {3, 5}, 11},
                                {&wring_law_fixed_corotated, {3, 5}, 11},
                                {&wring_law_stvk, {3, 5}, 1.075 * 11},
                                {&wring_law_stable_neohookean, {3, 5}, 8},
                                {&wring_law_polynomial, {3}, 1.8},
                                {&wring_law_neohookean, {1e5 / 2.7, 1e5 * 0.35 / (1.35 * 0.3)}, 197839.162}};
  uint64_t             state = 3;
  WRING_ALIGNED double par[MAX_PAR][WRING_LANES], k[WRING_LANES];

  for (int i = 0; i < N_MATERIAL; i++) {
    random_par(laws[i], 0, &state, par);
    check_slope(laws[i], (wring_in)par);
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    for (int row = 0; row < 3; row++) {
      for (int lane = 0; lane < WRING_LANES; lane++) par[row][lane] = known[i].par[row];
    }
    known[i].law->slope(known[i].law, (wring_in)par, k);
    check_close(k[0], known[i].k, 1e-8 * known[i].k, known[i].law, -1, "slope");
  }
}

/* Outside the domain psi is +infinity, never NaN, and derivatives are finite; a block may contain both kinds. */
static void test_edge_of_domain(const wring_law *law)
{
  static const double   j[WRING_LANES] = {1, 0, -1, -1e-300, 1e-310, 0.5, NAN, 2};
  WRING_ALIGNED block_z z              = {0}, p;
  WRING_ALIGNED block_h h;
  WRING_ALIGNED double  par[3][WRING_LANES], psi[WRING_LANES];

  for (int lane = 0; lane < WRING_LANES; lane++) {
    par[0][lane] = par[1][lane] = par[2][lane] = 1e5;
    z[0][lane] = z[4][lane] = 1, z[8][lane] = j[lane];
  }
  law->fused(law, (wring_in)par, (wring_in)z, psi, p);
  law->hessian(law, WRING_FILTER_CLAMP, (wring_in)par, (wring_in)z, h);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    if (j[lane] >= LAW_LEAST_VOLUME)
      CHECK(isfinite(psi[lane]), "%s, J = %g: energy %g", law->name, j[lane], psi[lane]);
    else
      CHECK(psi[lane] == INFINITY, "%s, J = %g: energy %g", law->name, j[lane], psi[lane]);
    for (int i = 0; i < 9 && !isnan(j[lane]); i++)
      CHECK(isfinite(p[i][lane]), "%s, J = %g: gradient", law->name, j[lane]);
    for (int i = 0; i < 81 && !isnan(j[lane]); i++)
      CHECK(isfinite(h[i][lane]), "%s, J = %g: Hessian", law->name, j[lane]);
  }
  law->energy(law, (wring_in)par, (wring_in)z, psi);
  for (int lane = 0; lane < WRING_LANES; lane++)
    CHECK(j[lane] >= LAW_LEAST_VOLUME || psi[lane] == INFINITY, "%s, J = %g: energy %g", law->name, j[lane], psi[lane]);
}

/* Where the energy has no derivative all results are finite: F = 0 and s_1 = -s_2; a spring of length 0. */
static void test_singular_points(void)
{
  WRING_ALIGNED block_z z = {0}, p;
  WRING_ALIGNED block_h h;
  WRING_ALIGNED double  par[MAX_PAR][WRING_LANES], psi[WRING_LANES];
  uint64_t              state = 23;

  for (int i = 0; i < N_LAW; i++) {
    const int n = 3 * laws[i]->q;
    random_par(laws[i], 0, &state, par);
    if (laws[i] == &wring_law_spring) par[1][0] = 0;
    test_limit_par(laws[i], 3, par);
    memset(z, 0, sizeof z);
    if (n == 9) z[0][1] = 1, z[4][1] = 1, z[8][1] = -1; // lane 1: a mirror
    laws[i]->fused(laws[i], (wring_in)par, (wring_in)z, psi, p);
    for (int k = 0; k < n; k++) CHECK(isfinite(p[k][0]) && isfinite(p[k][1]), "%s: gradient", laws[i]->name);
    laws[i]->hessian(laws[i], WRING_FILTER_NONE, (wring_in)par, (wring_in)z, h);
    for (int k = 0; k < n * n; k++) CHECK(isfinite(h[k][0]) && isfinite(h[k][1]), "%s: Hessian", laws[i]->name);
    laws[i]->hessian(laws[i], WRING_FILTER_CLAMP, (wring_in)par, (wring_in)z, h);
    for (int k = 0; k < n * n; k++) CHECK(isfinite(h[k][0]) && isfinite(h[k][1]), "%s: Hessian", laws[i]->name);
  }
  wring_law_spring.project(&wring_law_spring, (wring_in)par, (wring_in)z, p);
  CHECK(p[0][1] == par[1][1] && p[1][1] == 0 && p[2][1] == 0, "a spring of length 0 does not point along x");
}

/* ---- registry ---------------------------------------------------------------------------------------------------- */

static void test_registry(void)
{
  int n = 0;
  for (const wring_law *law; (law = wring_law_material(n)); n++) {
    CHECK(wring_law_find(law->name) == law, "%s is not found", law->name);
    CHECK(law->options && law->set_par, "%s cannot be a material", law->name);
  }
  CHECK(n >= N_MATERIAL, "%d materials", n);
  for (n = 0; wring_law_on_top(n); n++)
    CHECK(wring_law_can(wring_law_on_top(n)) == wring_law_can(&wring_law_strain), "what %s can",
          wring_law_on_top(n)->name);
  CHECK(n == 3 && !wring_law_on_top(-1) && !wring_law_find("fibre"), "%d laws on top of materials", n);
  CHECK(!wring_law_material(-1), "material -1 exists");
  CHECK(wring_law_find("NeoHookean") == &wring_law_neohookean, "names regard case");
  CHECK(!wring_law_find("jelly") && !wring_law_find("spring"), "a law that is no material is found");
  const unsigned all = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN | WRING_CAN_PROJECT | WRING_CAN_SLOPE | WRING_CAN_PROX |
                       WRING_CAN_CONSTRAIN | WRING_CAN_ALONE;
  CHECK(wring_law_can(&wring_law_strain) == all, "what strain can");
  CHECK(!(wring_law_can(&wring_law_neohookean) & WRING_CAN_PROJECT), "neohookean has a projection");
  CHECK(!strcmp(wring_law_can_name(WRING_CAN_PROJECT | WRING_CAN_SLOPE), "projection"), "name of the lowest bit");
}

/* ---- decks ------------------------------------------------------------------------------------------------------- */

/* Reads a deck given as words "key", "value", ..., NULL: par of a law for a region "tooth", or the error. */
static PetscErrorCode read_par(const wring_law *law, const char *const *deck, double *par, PetscErrorCode *refused)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  for (; deck[0]; deck += 2) PetscCall(wring_options_set(o, deck[0], deck[1], "deck.yaml:3"));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  *refused = law->set_par(law, o, "region_tooth_", "material_", par);
  PetscCall(PetscPopErrorHandler());
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const wring_law *law;
  const char      *deck[9];
  double           par[3]; // expected; NAN: the deck is refused
} deck_case;

static const deck_case decks[] = {
  {&wring_law_strain, {"material_stiffness", "3"}, {3}},
  {&wring_law_strain, {"material_stiffness", "3", "region_tooth_stiffness", "4"}, {4}},
  {&wring_law_strain, {NULL}, {NAN}},
  {&wring_law_corotated, {"material_mu", "3", "material_lambda", "-2"}, {3, -2}},
  {&wring_law_corotated, {"material_mu", "3", "material_lambda", "-2.1"}, {NAN}},
  {&wring_law_corotated, {"material_young", "2.5", "material_poisson", "0.25"}, {1, 1}},
  {&wring_law_corotated, {"material_young", "2.5", "material_poisson", "0.25", "region_tooth_young", "5"}, {2, 2}},
  {&wring_law_neohookean,
   {"material_young", "2.5", "material_poisson", "0.25", "region_tooth_mu", "5", "region_tooth_lambda", "7"},
   {5, 7}},
  {&wring_law_neohookean, {"material_young", "2.5", "material_poisson", "0.25", "region_tooth_mu", "5"}, {NAN}},
  {&wring_law_neohookean, {"material_young", "2.5", "material_lambda", "0.25"}, {NAN}},
  {&wring_law_neohookean, {"material_young", "2.5"}, {NAN}},
  {&wring_law_neohookean, {NULL}, {NAN}},
  {&wring_law_stable_neohookean, {"material_young", "2.5", "material_poisson", "0.25"}, {1, 2}},
  {&wring_law_stable_neohookean, {"material_young", "1", "material_poisson", "-0.5"}, {1, 0.5}},
  {&wring_law_neohookean, {"material_young", "2", "material_poisson", "0"}, {1, 0}},
  {&wring_law_stable_neohookean, {"material_mu", "3", "material_lambda", "1"}, {NAN}},
  {&wring_law_stable_neohookean, {"material_mu", "3", "material_lambda", "1.01"}, {3, 1.01}},
  {&wring_law_stvk, {"material_mu", "3", "material_lambda", "4"}, {3, 4}},
  {&wring_law_fixed_corotated, {"material_young", "2.5", "material_poisson", "0.5"}, {NAN}},
  {&wring_law_mooney_rivlin, {"material_c10", "3", "material_c01", "0", "material_kappa", "5"}, {3, 0, 5}},
  {&wring_law_mooney_rivlin, {"material_c10", "0", "material_c01", "0", "material_kappa", "5"}, {NAN}},
  {&wring_law_mooney_rivlin, {"material_c10", "3", "material_c01", "-1", "material_kappa", "5"}, {NAN}},
  {&wring_law_mooney_rivlin, {"material_c10", "3", "material_c01", "1", "material_kappa", "0"}, {NAN}},
  {&wring_law_mooney_rivlin, {"material_c10", "3", "material_c01", "1"}, {NAN}},
  {&wring_law_polynomial, {"material_mu", "3", "region_tooth_mu", "4"}, {4}},
  {&wring_law_polynomial, {"material_mu", "0"}, {NAN}},
};

/*
  A region's key overrides the material's; exactly one pair of elastic parameters is given, the region's if it has one.
*/
static PetscErrorCode test_decks(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof decks / sizeof decks[0]; i++) {
    double         par[3]  = {0, 0, 0};
    PetscErrorCode refused = PETSC_SUCCESS;
    PetscCall(read_par(decks[i].law, decks[i].deck, par, &refused));
    CHECK(!!refused == !!isnan(decks[i].par[0]), "deck %d: error %d", (int)i, (int)refused);
    for (int k = 0; k < 3 && !refused; k++)
      CHECK(fabs(par[k] - decks[i].par[k]) < 1e-14, "deck %d: parameter %d is %g", (int)i, k, par[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a plugin, for example. Fails if a key that the law does not have, or one without a value, is not refused. */
static PetscErrorCode test_wrong_examples(void)
{
  static const char *const wrong[2][3] = {{"stifness", "1", NULL}, {"stiffness", NULL, NULL}};
  wring_law                law         = wring_law_strain;
  wring_options           *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  for (int i = 0; i < 2; i++) {
    law.example = wrong[i];
    CHECK_REFUSED(wring_law_set_example(&law, "material_", "none.csv", o), "law 'strain'", wrong[i][0]);
  }
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int i = 0; i < N_LAW; i++) test_properties(laws[i]);
  for (int i = 0; wring_law_at(i); i++) test_listed(wring_law_at(i));
  check_small_strain(&wring_law_neohookean);
  check_small_strain(&wring_law_stable_neohookean);
  check_small_strain(&wring_law_stvk);
  check_small_strain(&wring_law_mooney_rivlin);
  test_slopes();
  test_edge_of_domain(&wring_law_neohookean);
  test_edge_of_domain(&wring_law_mooney_rivlin);
  test_singular_points();
  test_registry();
  PetscCall(test_decks());
  PetscCall(test_wrong_examples());
  PetscCall(PetscFinalize());
  return 0;
}
