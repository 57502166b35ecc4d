/*
  A material, psi(F) = k/4 |F^T F - I|^2, k [Pa]. In stretches: k/4 sum (s_i^2 - 1)^2.
*/
#include "base/block3.h"
#include "law/common/keys.h"
#include "law/common/passes.h"
#include "law/common/stretch_prox.h"

enum { K, N_PAR };

static const wring_option options[] = {
  {"stiffness", WRING_REAL, .unit = "Pa", .range = "(0,inf)",
   .help = "Stiffness k of the energy density k/4 |F^T F - I|^2 of green."},
  {0},
};

/* F (F^T F - I) is dpsi/dF over k. */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[K][lane];
    const mat3   f = mat3_load(z, lane);
    const sym3   c = mat3_gram(f);
    const mat3   e = {c.s00 - 1, c.s01, c.s02, c.s01, c.s11 - 1, c.s12, c.s02, c.s12, c.s22 - 1};
    psi[lane]      = 0.25 * k * mat3_dot(e, e);
    mat3_store(p, lane, mat3_scale(k, mat3_mul(f, e)));
  }
}

/* d2psi/ds_i^2 = k (3 s_i^2 - 1); the stretches do not couple. */
static void store_curvature(wring_in par, wring_in s, double (*a)[WRING_LANES])
{
  for (int i = 0; i < 3; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      a[i][lane]     = par[K][lane] * (3 * s[i][lane] * s[i][lane] - 1);
      a[3 + i][lane] = 0;
    }
  }
}

/* psi_i = k (s_i^3 - s_i), so that (psi_i -+ psi_j)/(s_i -+ s_j) = k (s_i^2 +- s_i s_j + s_j^2 - 1). */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
  static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};

  store_curvature(par, s, m->a);
  for (int i = 0; i < 3; i++) {
    const double *const a = s[pair[i][0]], *const b = s[pair[i][1]];
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double squares = a[lane] * a[lane] + b[lane] * b[lane] - 1;
      m->flip[i][lane]     = par[K][lane] * (squares + a[lane] * b[lane]);
      m->twist[i][lane]    = par[K][lane] * (squares - a[lane] * b[lane]);
    }
  }
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) at->psi[lane] = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double e = s[i][lane] * s[i][lane] - 1;
      at->psi[lane] += 0.25 * par[K][lane] * e * e;
      at->d[i][lane] = par[K][lane] * e * s[i][lane];
    }
  }
  store_curvature(par, s, at->a);
}

/* 12 times the integral of (s - 1) k (s^3 - s) over [1/2, 3/2]. docs/theory.md (4.2) */
static void slope(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 2.15 * par[K][lane];
}

static const wring_isotropic rule = {.modes = modes, .stretches = stretches, .modulus = K};

static const char *const example[] = {"stiffness", "1e6", NULL};

const wring_law wring_law_green = {
  .name         = "green",
  .kind         = WRING_LAW_MATERIAL,
  .q            = 3,
  .n_par        = N_PAR,
  .options      = options,
  .set_par      = wring_law_get_in_order,
  .example      = example,
  .energy       = wring_law_energy_by_fused,
  .fused        = fused,
  .hessian      = wring_isotropic_hessian,
  .slope        = slope,
  .prox         = wring_stretch_prox,
  .n_constraint = 1,
  .constraint   = wring_law_root,
  .rule         = &rule,
};
