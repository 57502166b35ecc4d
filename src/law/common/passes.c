#include "passes.h"

enum { MAX_ROWS = 9 };

void wring_law_energy_by_fused(const wring_law *self, wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double p[MAX_ROWS][WRING_LANES];

  self->fused(self, par, z, psi, p);
}

void wring_law_gradient_by_fused(const wring_law *self, wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];

  self->fused(self, par, z, psi, p);
}

void wring_law_fused_by_parts(const wring_law *self, wring_in par, wring_in z, double *psi, wring_out p)
{
  self->energy(self, par, z, psi);
  self->gradient(self, par, z, p);
}

void wring_law_slope_of_stiffness(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[0][lane];
}
