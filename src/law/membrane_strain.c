/*
  Strain of a membrane: psi(F) = k/2 |F - R|^2, R the closest matrix with orthonormal columns; k [N/m]. In stretches
  k/2 sum (s_i - 1)^2. docs/theory.md (3.53); [Bouaziz et al. 2014].
*/
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

static const wring_membrane rule = {.target = target, .modes = modes};

static const double example[N_PAR] = {1e3};

const wring_law wring_law_membrane_strain = {
  .name        = "membrane_strain",
  .n_par       = N_PAR,
  .example_par = example,
  WRING_MEMBRANE(rule),
};
