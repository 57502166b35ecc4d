/*
  Limits of strain: psi(F) = k/2 |F - P|^2, P = F with its singular values clamped to [min, max]; k [N/m].
  docs/theory.md (3.54); [Bouaziz et al. 2014].
*/
#include "base/block3.h"
#include "law/common/membrane.h"

enum { K, MIN, MAX, N_PAR };

static void target(wring_in par, wring_in s, wring_out t)
{
  for (int i = 0; i < 2; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++)
      t[i][lane] = block3_min(block3_max(s[i][lane], par[MIN][lane]), par[MAX][lane]);
  }
}

/* The excess of a stretch beyond the limits, d = psi_i/k, and its derivative. */
BLOCK3_INLINE double beyond(double s, double min, double max)
{
  return block3_max(s - max, 0) + block3_min(s - min, 0);
}

BLOCK3_INLINE double is_beyond(double s, double min, double max)
{
  return s > max ? 1 : s < min ? 1 : 0;
}

/* psi_i = k d(s_i). The divided difference of d lies in [0, 1]; for equal stretches it is the derivative. */
static void modes(wring_in par, wring_in s, wring_membrane_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[K][lane], min = par[MIN][lane], max = par[MAX][lane], s0 = s[0][lane], s1 = s[1][lane];
    const double d0 = beyond(s0, min, max), d1 = beyond(s1, min, max), gap = s0 - s1;
    const int    apart = gap > 1e-8 * s0;
    m->a[0][lane]      = k * is_beyond(s0, min, max);
    m->a[1][lane]      = k * is_beyond(s1, min, max);
    m->a[2][lane]      = 0;
    m->flip[lane]      = apart ? k * (d0 - d1) / (apart ? gap : 1) : k * is_beyond(s0, min, max);
    m->twist[lane]     = k * (d0 + d1) / wring_membrane_divisor(s0 + s1);
    m->out[0][lane]    = k * d0 / wring_membrane_divisor(s0);
    m->out[1][lane]    = k * d1 / wring_membrane_divisor(s1);
  }
}

static const wring_membrane rule = {.target = target, .modes = modes};

static const double example[N_PAR] = {1e3, 0.9, 1.1};

const wring_law wring_law_membrane_strain_limit = {
  .name        = "membrane_strain_limit",
  .n_par       = N_PAR,
  .example_par = example,
  WRING_MEMBRANE(rule),
};
