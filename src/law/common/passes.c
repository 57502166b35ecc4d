#include "passes.h"
#include "isotropic.h"
#include <math.h>

enum { MAX_ROWS = 9 };

void wring_law_energy_by_fused(const wring_law *self, wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double p[MAX_ROWS][WRING_LANES];

  self->fused(self, par, z, psi, p);
}

void wring_law_slope_of_stiffness(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[0][lane];
}

void wring_law_root(const wring_law *self, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  const double *const  modulus = par[((const wring_isotropic *)self->rule)->modulus];
  WRING_ALIGNED double psi[WRING_LANES], inverse[WRING_LANES];

  (void)j;
  self->fused(self, par, z, psi, dC);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const int    nothing = 2 * psi[lane] <= LAW_ROOT_NOISE * modulus[lane];
    const double root    = sqrt(nothing ? 1 : 2 * psi[lane]);
    C[lane]              = nothing ? 0 : root;
    inverse[lane]        = nothing ? 0 : 1 / root;
    k[lane]              = 1;
  }
  for (int i = 0; i < 9; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) dC[i][lane] *= inverse[lane];
  }
}
