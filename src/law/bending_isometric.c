/*
  Isometric bending: psi(z) = k/2 |z|^2, z [1/m] the curvature vector of a hinge, linear in positions; k [N m].
  docs/theory.md (3.60); [Bergou et al. 2006].
*/
#include "base/block3.h"
#include "law/common/passes.h"
#include <wring/law.h>

enum { K, N_PAR };

static void project(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
  (void)par, (void)z;
  for (int c = 0; c < 3; c++) {
    for (int lane = 0; lane < WRING_LANES; lane++) p[c][lane] = 0;
  }
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const vec3 d = {z[0][lane], z[1][lane], z[2][lane]};
    psi[lane]    = 0.5 * par[K][lane] * vec3_dot(d, d);
  }
}

static void gradient(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) p[c][lane] = par[K][lane] * z[c][lane];
  }
}

static void hessian(WRING_SELF, wring_filter filter, wring_in par, wring_in z, wring_out h)
{
  (void)filter, (void)z;
  for (int i = 0; i < 9; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) h[i][lane] = i % 4 == 0 ? par[K][lane] : 0;
  }
}

/* rho z/(k + rho) */
static void prox(WRING_SELF, wring_in par, const double *rho, wring_in z, wring_out p)
{
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) p[c][lane] = rho[lane] / (par[K][lane] + rho[lane]) * z[c][lane];
  }
}

/* C = |z|, dC = z/|z|, or 0 at z = 0. */
static void constraint(WRING_SELF, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  (void)j;
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const vec3   d      = {z[0][lane], z[1][lane], z[2][lane]};
    const double length = sqrt(vec3_dot(d, d)), inverse = length > 0 ? 1 / (length > 0 ? length : 1) : 0;
    C[lane]     = length;
    k[lane]     = par[K][lane];
    dC[0][lane] = inverse * d.x, dC[1][lane] = inverse * d.y, dC[2][lane] = inverse * d.z;
  }
}

static const double example[N_PAR] = {1e-2};

const wring_law wring_law_bending_isometric = {
  .name         = "bending_isometric",
  .q            = 1,
  .n_par        = N_PAR,
  .example_par  = example,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = wring_law_fused_by_parts,
  .hessian      = hessian,
  .project      = project,
  .slope        = wring_law_slope_of_stiffness,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};
