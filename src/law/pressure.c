#include "pressure.h"
#include "base/block3.h"

static const wring_isotropic *rule_of(const wring_law *self)
{
  return self->rule;
}

static const double *pressure_of(const wring_law *self, wring_in par)
{
  return par[rule_of(self)->pressure];
}

void wring_pressed_energy(const wring_law *self, wring_in par, wring_in z, double *psi)
{
  const wring_law *const law = rule_of(self)->law;
  for (int lane = 0; lane < WRING_LANES; lane++) psi[lane] = 0;
  if (law) law->energy(law, par, z, psi);
}

/* dpsi/dF + p cof F */
void wring_pressed_fused(const wring_law *self, wring_in par, wring_in z, double *psi, wring_out p)
{
  const wring_law *const law      = rule_of(self)->law;
  const double *const    pressure = pressure_of(self, par);
  for (int lane = 0; lane < WRING_LANES; lane++) psi[lane] = 0;
  for (int i = 0; i < 9; i++)
    for (int lane = 0; lane < WRING_LANES; lane++) p[i][lane] = 0;
  if (law) law->fused(law, par, z, psi, p);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 a = mat3_load((wring_in)p, lane);
    mat3_store(p, lane, mat3_combine(1, a, pressure[lane], mat3_cofactor(mat3_load(z, lane))));
  }
}

/* Those of psi and p d2J(a, b); filtered, or of laws with a closed form, those of isotropic.h. */
void wring_pressed_products(const wring_law *self, wring_filter filter, wring_in par, wring_in z, wring_in a,
                            wring_in b, wring_out sum)
{
  const wring_law *const law      = rule_of(self)->law;
  const double *const    pressure = pressure_of(self, par);
  if (filter || rule_of(self)->second) {
    wring_isotropic_products(self, filter, par, z, a, b, sum);
    return;
  }
  for (int i = 0; i < 3; i++)
    for (int lane = 0; lane < WRING_LANES; lane++) sum[i][lane] = 0;
  if (law) wring_law_multiply(law, filter, par, z, a, b, sum);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double p = pressure[lane];
    const mat3   f = mat3_load(z, lane), x = mat3_load(a, lane), y = mat3_load(b, lane);
    const mat3   along = mat3_cofactor_along(f, x);
    sum[0][lane] += p * mat3_dot(along, x);
    sum[1][lane] += p * mat3_dot(along, y);
    sum[2][lane] += 2 * p * mat3_dot(f, mat3_cofactor(y));
  }
}

void wring_pressed_slope(const wring_law *self, wring_in par, double *k)
{
  const wring_law *const law = rule_of(self)->law;
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 0;
  if (law) law->slope(law, par, k);
}
