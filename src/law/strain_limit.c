/*
  Strain limit: psi(F) = k/2 |F - p|^2, p = F with its signed stretches clamped to [min, max]; k [Pa]. In stretches k/2
  sum (s_i - clamp s_i)^2, which is 0 between the limits. docs/theory.md (3.47); [Bouaziz et al. 2014].
*/
#include "base/block3.h"
#include "law/common/limit.h"

static const wring_option options[] = {
  {"strain_limit_stiffness", WRING_REAL, .unit = "Pa", .range = "(0,inf)",
   .help = "Stiffness k of the energy density k/2 |F - p|^2, p = F with its stretches between min and max."},
  {"strain_limit_min", WRING_REAL, .range = "[0,inf)", .help = "Smallest stretch without energy."},
  {"strain_limit_max", WRING_REAL, .range = "(0,inf)", .help = "Largest stretch without energy."},
  {0},
};

static void excess(wring_in par, wring_in s, wring_out e)
{
  for (int i = 0; i < 3; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++)
      e[i][lane] = s[i][lane] - block3_min(block3_max(s[i][lane], par[LIMIT_MIN][lane]), par[LIMIT_MAX][lane]);
  }
}

/* (e_i - e_j)/(s_i - s_j); for equal stretches 1 outside the limits and 0 inside. */
BLOCK3_INLINE double difference(double si, double sj, double ei, double ej)
{
  const double gap = si - sj;
  return gap > 0 ? (ei - ej) / gap : ei != 0;
}

/* psi_i = k e_i with e_i = s_i - clamp s_i */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
  WRING_ALIGNED double e[3][WRING_LANES];

  excess(par, s, e);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[LIMIT_K][lane], s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    const double e0 = e[0][lane], e1 = e[1][lane], e2 = e[2][lane];
    m->a[0][lane] = k * (e0 != 0), m->a[1][lane] = k * (e1 != 0), m->a[2][lane] = k * (e2 != 0);
    m->a[3][lane] = m->a[4][lane] = m->a[5][lane] = 0;
    m->flip[0][lane]                              = k * difference(s0, s1, e0, e1);
    m->flip[1][lane]                              = k * difference(s0, s2, e0, e2);
    m->flip[2][lane]                              = k * difference(s1, s2, e1, e2);
    m->twist[0][lane]                             = k * (e0 + e1) * wring_isotropic_pair(s0, s1);
    m->twist[1][lane]                             = k * (e0 + e2) * wring_isotropic_pair(s0, s2);
    m->twist[2][lane]                             = k * (e1 + e2) * wring_isotropic_pair(s1, s2);
  }
}

static const wring_limit rule = {.isotropic = {.modes = modes}, .excess = excess};

static const char *const example[] = {
  "strain_limit_stiffness", "1e6", "strain_limit_min", "0.95", "strain_limit_max", "1.05", NULL};

const wring_law wring_law_strain_limit = {
  .name    = "strain_limit",
  .options = options,
  .example = example,
  WRING_LIMIT(rule),
};
