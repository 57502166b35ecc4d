/* Attachment: psi(x) = k/2 |x - t|^2, a spring of length 0 to the target t [m]; k [N/m]. */
#include "base/block3.h"
#include "law/common/root.h"
#include "law/common/passes.h"

enum { K, TARGET, N_PAR = TARGET + 3 };

static void project(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
  (void)z;
  for (int c = 0; c < 3; c++) {
    for (int lane = 0; lane < WRING_LANES; lane++) p[c][lane] = par[TARGET + c][lane];
  }
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double x = z[0][lane] - par[TARGET][lane], y = z[1][lane] - par[TARGET + 1][lane];
    const double w = z[2][lane] - par[TARGET + 2][lane];
    psi[lane]      = 0.5 * par[K][lane] * (x * x + y * y + w * w);
  }
}

static void gradient(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) p[c][lane] = par[K][lane] * (z[c][lane] - par[TARGET + c][lane]);
  }
}

static void hessian(WRING_SELF, wring_filter filter, wring_in par, wring_in z, wring_out h)
{
  (void)filter, (void)z;
  for (int i = 0; i < 9; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) h[i][lane] = i % 4 == 0 ? par[K][lane] : 0;
  }
}

/* (k t + rho z)/(k + rho) */
static void prox(WRING_SELF, wring_in par, const double *rho, wring_in z, wring_out p)
{
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double k = par[K][lane];
      p[c][lane]     = (k * par[TARGET + c][lane] + rho[lane] * z[c][lane]) / (k + rho[lane]);
    }
  }
}

/* C = |x - t|, dC = (x - t)/C; the difference has the rounding error of positions. */
static void constraint(WRING_SELF, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  (void)j;
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const vec3   x       = {z[0][lane], z[1][lane], z[2][lane]};
    const vec3   t       = {par[TARGET][lane], par[TARGET + 1][lane], par[TARGET + 2][lane]};
    const vec3   d       = vec3_combine(1, x, -1, t);
    const double squared = vec3_dot(d, d);
    const int    nothing = squared <= LAW_ROOT_NOISE * (vec3_dot(x, x) + vec3_dot(t, t));
    const double length = sqrt(squared), inverse = nothing ? 0 : 1 / length;
    C[lane]     = nothing ? 0 : length;
    k[lane]     = par[K][lane];
    dC[0][lane] = inverse * d.x, dC[1][lane] = inverse * d.y, dC[2][lane] = inverse * d.z;
  }
}

/* C_c = x_c - t_c: the scalar form |x - t| has no gradient at x = t. */
static void row(WRING_SELF, int c, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  for (int i = 0; i < 3; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) dC[i][lane] = i == c;
  }
  for (int lane = 0; lane < WRING_LANES; lane++) {
    C[lane] = z[c][lane] - par[TARGET + c][lane];
    k[lane] = par[K][lane];
  }
}

static const double example[N_PAR] = {1e4, 0.3, 0.1, 0.2};

const wring_law wring_law_attachment = {
  .name         = "attachment",
  .q            = 1,
  .n_par        = N_PAR,
  .example_par  = example,
  .pose         = WRING_POSE_PROJECT,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = wring_law_fused_by_parts,
  .hessian      = hessian,
  .project      = project,
  .slope        = wring_law_slope_of_stiffness,
  .n_constraint = 1,
  .constraint   = constraint,
  .n_row        = 3,
  .row          = row,
  .prox         = prox,
};
