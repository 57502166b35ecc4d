/*
  Strain (as rigid as possible): psi(F) = k/2 |F - R|^2, R the rotation closest to F; k [Pa].
  In stretches k/2 sum (s_i - 1)^2. docs/theory.md (3.13); [Chao et al. 2010], [Liu, Bouaziz, Kavan 2017].
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/keys.h"
#include "law/common/root.h"
#include <wring/law.h>

enum { K, N_PAR };

static const wring_option options[] = {
  {.key   = "stiffness",
   .type  = WRING_REAL,
   .unit  = "Pa",
   .range = "(0,inf)",
   .help  = "Stiffness k of the energy density k/2 |F - R|^2."},
  {.key = NULL},
};

static PetscErrorCode set_par(const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  PetscFunctionBegin;
  PetscCall(wring_law_get_real(o, prefix, fallback, options, "stiffness", &par[K]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void project(wring_in par, wring_in z, wring_out p)
{
  (void)par;
  wring_block3_rotation(z, p);
}

static void energy(wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 d = mat3_sub(mat3_load(z, lane), mat3_load((wring_in)r, lane));
    psi[lane]    = 0.5 * par[K][lane] * mat3_dot(d, d);
  }
}

/* R is stationary in |F - R|, so the gradient is that of a fixed R. */
static void fused(wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 d = mat3_sub(mat3_load(z, lane), mat3_load((wring_in)r, lane));
    psi[lane]    = 0.5 * par[K][lane] * mat3_dot(d, d);
    mat3_store(p, lane, mat3_scale(par[K][lane], d));
  }
}

static void gradient(wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];

  fused(par, z, psi, p);
}

/* psi_i = k (s_i - 1) */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[K][lane], s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    m->a[0][lane] = m->a[1][lane] = m->a[2][lane] = k;
    m->a[3][lane] = m->a[4][lane] = m->a[5][lane] = 0;
    m->flip[0][lane] = m->flip[1][lane] = m->flip[2][lane] = k;
    m->twist[0][lane]                                      = k * (1 - 2 * wring_isotropic_pair(s0, s1));
    m->twist[1][lane]                                      = k * (1 - 2 * wring_isotropic_pair(s0, s2));
    m->twist[2][lane]                                      = k * (1 - 2 * wring_isotropic_pair(s1, s2));
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
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[K][lane];
}

/* (k R + rho z)/(k + rho): R is closest to p too, docs/theory.md 3.7. */
static void prox(wring_in par, const double *rho, wring_in z, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[K][lane], a = 1 / (k + rho[lane]);
    mat3_store(p, lane, mat3_combine(a * k, mat3_load((wring_in)r, lane), a * rho[lane], mat3_load(z, lane)));
  }
}

/* C = |F - R|, k = the stiffness; dC = (F - R)/C, since R is stationary. */
static void constraint(int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  (void)j;
  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f = mat3_load(z, lane), d = mat3_sub(f, mat3_load((wring_in)r, lane));
    const double squared = mat3_dot(d, d);
    const int    nothing = squared <= LAW_ROOT_NOISE * mat3_dot(f, f);
    const double inverse = nothing ? 0 : block3_rsqrt(squared);
    C[lane]              = squared * inverse;
    k[lane]              = par[K][lane];
    mat3_store(dC, lane, mat3_scale(inverse, d));
  }
}

const wring_law wring_law_strain = {
  .name         = "strain",
  .q            = 3,
  .n_par        = N_PAR,
  .options      = options,
  .set_par      = set_par,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .project      = project,
  .slope        = slope,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};
