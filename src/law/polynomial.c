/*
  Polynomial: psi(F) = mu sum (s_i - 1)^4 of the stretches s; mu [Pa]; no stiffness at rest, stiff far from it; finite
  for every F. docs/theory.md (3.20); [Xu et al. 2015], [Liu, Bouaziz, Kavan 2017].

  With the closest rotation R and E = R^T F - I, symmetric, psi = mu |E^2|^2 and dpsi/dF = 4 mu R E^3; the stretches are
  not needed.
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/keys.h"
#include "law/common/stretch_prox.h"

enum { MU, N_PAR };

static const wring_option options[] = {
  {"mu", WRING_REAL, .unit = "Pa", .range = "(0,inf)",
   .help = "Modulus of the energy density mu sum (s_i - 1)^4 of polynomial."},
  {0},
};

/* E = R^T (F - R), without the skew part that rounding leaves. */
BLOCK3_INLINE mat3 biot(mat3 rotation, mat3 f)
{
  const mat3   e   = mat3_mul(mat3_transpose(rotation), mat3_sub(f, rotation));
  const double e01 = 0.5 * (e.a01 + e.a10), e02 = 0.5 * (e.a02 + e.a20), e12 = 0.5 * (e.a12 + e.a21);
  return (mat3){e.a00, e01, e02, e01, e.a11, e12, e02, e12, e.a22};
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 e = biot(mat3_load((wring_in)r, lane), mat3_load(z, lane)), square = mat3_mul(e, e);
    psi[lane] = par[MU][lane] * mat3_dot(square, square);
  }
}

static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
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

/*
  psi_i = 4 mu e_i^3, e_i = s_i - 1; e_i^3 -+ e_j^3 = (e_i -+ e_j) (e_i^2 +- e_i e_j + e_j^2), e_i + e_j = s_i + s_j -
  2.
*/
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
    m->third[lane]                                = -k * (e0 + e1 + e2);
    m->twist[0][lane] = k * (1 - 2 * wring_isotropic_pair(s0, s1)) * (e0 * e0 - e0 * e1 + e1 * e1);
    m->twist[1][lane] = k * (1 - 2 * wring_isotropic_pair(s0, s2)) * (e0 * e0 - e0 * e2 + e2 * e2);
    m->twist[2][lane] = k * (1 - 2 * wring_isotropic_pair(s1, s2)) * (e1 * e1 - e1 * e2 + e2 * e2);
  }
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

/* 12 times the integral of 4 mu e^4 over [-1/2, 1/2]. docs/theory.md (4.4) */
static void slope(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 0.6 * par[MU][lane];
}

/*
  In the prox the t_i are independent, t_i lies between s_i and 1 and the objective is convex, so that Newton's method
  converges and t_1 + t_2 >= 0.
*/
static const wring_isotropic rule = {.modes = modes, .stretches = stretches, .smooth = PETSC_TRUE, .modulus = MU};

static const char *const example[] = {"mu", "1e6", NULL};

const wring_law wring_law_polynomial = {
  .name       = "polynomial",
  .n_par      = N_PAR,
  .options    = options,
  .set_par    = wring_law_get_in_order,
  .example    = example,
  .energy     = energy,
  .fused      = fused,
  .contracted = wring_isotropic_contracted,
  .products   = wring_isotropic_products,
  .slope      = slope,
  WRING_MATERIAL(rule),
};
