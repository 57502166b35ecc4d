/*
  Polynomial: psi(F) = mu sum (s_i - 1)^4 of the stretches s; mu [Pa]; soft near rest, where it has no stiffness at all, and stiff
  far from it; finite for every F. docs/theory.md (3.20); [Xu et al. 2015], [Liu, Bouaziz, Kavan 2017].

  With the closest rotation R and E = R^T F - I, symmetric, psi = mu |E^2|^2 and dpsi/dF = 4 mu R E^3: no need of the stretches.
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/keys.h"
#include "law/common/stretch_prox.h"
#include "law/common/root.h"
#include <wring/law.h>

enum { MU, N_PAR };

static const wring_option options[] = {
  {.key   = "mu",
   .type  = WRING_REAL,
   .unit  = "Pa",
   .range = "(0,inf)",
   .help  = "Modulus of the energy density mu sum (s_i - 1)^4 of polynomial."},
  {.key = NULL},
};

static PetscErrorCode set_par(const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  PetscFunctionBegin;
  PetscCall(wring_law_get_real(o, prefix, fallback, options, "mu", &par[MU]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* E = R^T (F - R), of which rounding leaves a skew part, and E^2. */
BLOCK3_INLINE mat3 biot(mat3 rotation, mat3 f)
{
  const mat3   e   = mat3_mul(mat3_transpose(rotation), mat3_sub(f, rotation));
  const double e01 = 0.5 * (e.a01 + e.a10), e02 = 0.5 * (e.a02 + e.a20), e12 = 0.5 * (e.a12 + e.a21);
  return (mat3){e.a00, e01, e02, e01, e.a11, e12, e02, e12, e.a22};
}

static void energy(wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 e = biot(mat3_load((wring_in)r, lane), mat3_load(z, lane)), square = mat3_mul(e, e);
    psi[lane] = par[MU][lane] * mat3_dot(square, square);
  }
}

static void fused(wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 rotation = mat3_load((wring_in)r, lane), e = biot(rotation, mat3_load(z, lane)), square = mat3_mul(e, e);
    psi[lane] = par[MU][lane] * mat3_dot(square, square);
    mat3_store(p, lane, mat3_scale(4 * par[MU][lane], mat3_mul(rotation, mat3_mul(square, e))));
  }
}

static void gradient(wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];

  fused(par, z, psi, p);
}

/* psi_i = 4 mu e_i^3, e_i = s_i - 1; e_i^3 -+ e_j^3 = (e_i -+ e_j) (e_i^2 +- e_i e_j + e_j^2), e_i + e_j = s_i + s_j - 2. */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = 4 * par[MU][lane], s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    const double e0 = s0 - 1, e1 = s1 - 1, e2 = s2 - 1;
    m->a[0][lane] = 3 * k * e0 * e0, m->a[1][lane] = 3 * k * e1 * e1, m->a[2][lane] = 3 * k * e2 * e2;
    m->a[3][lane] = m->a[4][lane] = m->a[5][lane] = 0;
    m->flip[0][lane]                              = k * (e0 * e0 + e0 * e1 + e1 * e1);
    m->flip[1][lane]                              = k * (e0 * e0 + e0 * e2 + e2 * e2);
    m->flip[2][lane]                              = k * (e1 * e1 + e1 * e2 + e2 * e2);
    m->twist[0][lane] = k * (1 - 2 * wring_isotropic_pair(s0, s1)) * (e0 * e0 - e0 * e1 + e1 * e1);
    m->twist[1][lane] = k * (1 - 2 * wring_isotropic_pair(s0, s2)) * (e0 * e0 - e0 * e2 + e2 * e2);
    m->twist[2][lane] = k * (1 - 2 * wring_isotropic_pair(s1, s2)) * (e1 * e1 - e1 * e2 + e2 * e2);
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

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[MU][lane], e0 = s[0][lane] - 1, e1 = s[1][lane] - 1, e2 = s[2][lane] - 1;
    const double q0 = e0 * e0, q1 = e1 * e1, q2 = e2 * e2;
    at->psi[lane]  = mu * (q0 * q0 + q1 * q1 + q2 * q2);
    at->d[0][lane] = 4 * mu * q0 * e0, at->d[1][lane] = 4 * mu * q1 * e1, at->d[2][lane] = 4 * mu * q2 * e2;
    at->a[0][lane] = 12 * mu * q0, at->a[1][lane] = 12 * mu * q1, at->a[2][lane] = 12 * mu * q2;
    at->a[3][lane] = at->a[4][lane] = at->a[5][lane] = 0;
  }
}

static void spread(wring_in par, wring_in s, double (*flip)[WRING_LANES], double *third)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = 4 * par[MU][lane], e0 = s[0][lane] - 1, e1 = s[1][lane] - 1, e2 = s[2][lane] - 1;
    flip[0][lane] = k * (e0 * e0 + e0 * e1 + e1 * e1);
    flip[1][lane] = k * (e0 * e0 + e0 * e2 + e2 * e2);
    flip[2][lane] = k * (e1 * e1 + e1 * e2 + e2 * e2);
    third[lane]   = -k * (e0 + e1 + e2);
  }
}

/* Every t_i by itself, between s_i and 1: convex, so that Newton's method finds the least, and t_1 + t_2 >= 0 stays. */
static void prox(wring_in par, const double *rho, wring_in z, wring_out p)
{
  wring_stretch_prox(stretches, spread, 0, par, rho, z, p);
}

/* 12 times the integral of 4 mu e^4 over [-1/2, 1/2]. docs/theory.md (4.4) */
static void slope(wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 0.6 * par[MU][lane];
}

static void constraint(int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  (void)j;
  wring_law_root(fused, par[MU], par, z, C, dC, k);
}

const wring_law wring_law_polynomial = {
  .name         = "polynomial",
  .q            = 3,
  .n_par        = N_PAR,
  .options      = options,
  .set_par      = set_par,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .slope        = slope,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};
