/*
  Corotated linear elasticity: psi(F) = mu |F - R|^2 + lambda/2 (tr R^T F - 3)^2, R the rotation closest to F; mu, lambda
  [Pa]. In stretches mu sum (s_i - 1)^2 + lambda/2 (sum s_i - 3)^2. docs/theory.md (3.8); [Sifakis, Barbic 2012].
*/
#include "base/block3.h"
#include "isotropic.h"
#include "lame.h"
#include "root.h"
#include <wring/law.h>

static void energy(wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   rotation = mat3_load((wring_in)r, lane), d = mat3_sub(mat3_load(z, lane), rotation);
    const double trace = mat3_dot(rotation, d); // tr(R^T F) - 3 without its cancellation
    psi[lane]          = par[LAME_MU][lane] * mat3_dot(d, d) + 0.5 * par[LAME_LAMBDA][lane] * trace * trace;
  }
}

/* d tr(R^T F)/dF = R, since R is stationary. */
static void fused(wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   rotation = mat3_load((wring_in)r, lane), d = mat3_sub(mat3_load(z, lane), rotation);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane], trace = mat3_dot(rotation, d);
    psi[lane] = mu * mat3_dot(d, d) + 0.5 * lambda * trace * trace;
    mat3_store(p, lane, mat3_combine(2 * mu, d, lambda * trace, rotation));
  }
}

static void gradient(wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];

  fused(par, z, psi, p);
}

/* psi_i = 2 mu (s_i - 1) + lambda t with t = s_0 + s_1 + s_2 - 3 */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], c = 2 * lambda * (s0 + s1 + s2 - 3) - 4 * mu;
    m->a[0][lane] = m->a[1][lane] = m->a[2][lane] = 2 * mu + lambda;
    m->a[3][lane] = m->a[4][lane] = m->a[5][lane] = lambda;
    m->flip[0][lane] = m->flip[1][lane] = m->flip[2][lane] = 2 * mu;
    m->twist[0][lane]                                      = 2 * mu + c * wring_isotropic_pair(s0, s1);
    m->twist[1][lane]                                      = 2 * mu + c * wring_isotropic_pair(s0, s2);
    m->twist[2][lane]                                      = 2 * mu + c * wring_isotropic_pair(s1, s2);
  }
}

static void hessian(wring_in par, wring_in z, wring_out h)
{
  wring_isotropic_hessian(modes, PETSC_FALSE, par, z, h);
}

static void hessian_psd(wring_in par, wring_in z, wring_out h)
{
  wring_isotropic_hessian(modes, PETSC_TRUE, par, z, h);
}

static void slope(wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 2 * par[LAME_MU][lane] + par[LAME_LAMBDA][lane];
}

static void constraint(int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  (void)j;
  wring_law_root(fused, par[LAME_MU], par, z, C, dC, k);
}

const wring_law wring_law_corotated = {
  .name         = "corotated",
  .q            = 3,
  .n_par        = LAME_N_PAR,
  .options      = wring_lame_options,
  .set_par      = wring_lame_get,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .slope        = slope,
  .n_constraint = 1,
  .constraint   = constraint,
};
