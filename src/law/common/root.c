#include "root.h"
#include <math.h>

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
