/*
  Strain of a membrane: psi(F) = k/2 |F - R|^2, R the closest matrix with orthonormal columns; k [N/m]. In stretches
  k/2 sum (s_i - 1)^2. docs/theory.md (3.53); [Bouaziz et al. 2014].
*/
#include "base/block3.h"
#include "law/common/membrane.h"

enum { K, N_PAR };

static void target(wring_in par, wring_in s, wring_out t)
{
  (void)par, (void)s;
  for (int lane = 0; lane < WRING_LANES; lane++) t[0][lane] = t[1][lane] = 1;
}

/* psi_i = k (s_i - 1) */
static void modes(wring_in par, wring_in s, wring_membrane_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[K][lane], s0 = s[0][lane], s1 = s[1][lane];
    m->a[0][lane] = m->a[1][lane] = m->flip[lane] = k;
    m->a[2][lane]                                 = 0;
    m->twist[lane]                                = k * (1 - 2 / wring_membrane_divisor(s0 + s1));
    m->out[0][lane]                               = k * (1 - 1 / wring_membrane_divisor(s0));
    m->out[1][lane]                               = k * (1 - 1 / wring_membrane_divisor(s1));
  }
}

static void project(wring_in par, wring_in z, wring_out p)
{
  wring_membrane_project(target, par, z, p);
}

static void energy(wring_in par, wring_in z, double *psi)
{
  wring_membrane_energy(target, par, z, psi);
}

static void fused(wring_in par, wring_in z, double *psi, wring_out p)
{
  wring_membrane_fused(target, par, z, psi, p);
}

static void gradient(wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];

  fused(par, z, psi, p);
}

static void hessian(wring_in par, wring_in z, wring_out h)
{
  wring_membrane_hessian(modes, PETSC_FALSE, par, z, h);
}

static void hessian_psd(wring_in par, wring_in z, wring_out h)
{
  wring_membrane_hessian(modes, PETSC_TRUE, par, z, h);
}

static void prox(wring_in par, const double *rho, wring_in z, wring_out p)
{
  wring_membrane_prox(target, par, rho, z, p);
}

static void constraint(int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  (void)j;
  wring_membrane_constraint(target, par, z, C, dC, k);
}

const wring_law wring_law_membrane_strain = {
  .name         = "membrane_strain",
  .q            = 2,
  .n_par        = N_PAR,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .project      = project,
  .slope        = wring_membrane_slope,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};
