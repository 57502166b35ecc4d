#include "distance.h"
#include "base/block3.h"

/* p <- z - p; square [WRING_LANES] = |z - p|^2 */
static void subtract(int q, wring_in z, wring_out p, double *square)
{
  for (int i = 0; i < 3 * q; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) p[i][lane] = z[i][lane] - p[i][lane];
  }
  for (int lane = 0; lane < WRING_LANES; lane++) square[lane] = 0;
  for (int i = 0; i < 3 * q; i += 3) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const vec3 d = {p[i][lane], p[i + 1][lane], p[i + 2][lane]};
      square[lane] += vec3_dot(d, d);
    }
  }
}

static void scale(int q, const double *factor, wring_out p)
{
  for (int i = 0; i < 3 * q; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) p[i][lane] *= factor[lane];
  }
}

void wring_distance_fused(const wring_law *self, wring_in par, wring_in z, double *psi, wring_out p)
{
  self->project(self, par, z, p);
  subtract(self->q, z, p, psi);
  for (int lane = 0; lane < WRING_LANES; lane++) psi[lane] *= 0.5 * par[0][lane];
  scale(self->q, par[0], p);
}

void wring_distance_prox(const wring_law *self, wring_in par, const double *rho, wring_in z, wring_out p)
{
  WRING_ALIGNED double of_p[WRING_LANES], of_z[WRING_LANES];

  self->project(self, par, z, p);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[0][lane], inverse = 1 / (k + rho[lane]);
    of_p[lane] = inverse * k, of_z[lane] = inverse * rho[lane];
  }
  for (int i = 0; i < 3 * self->q; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) p[i][lane] = of_p[lane] * p[i][lane] + of_z[lane] * z[i][lane];
  }
}

/* The difference has the rounding errors of z and p, and |p| <= |z| + |z - p|. */
void wring_distance_constraint(const wring_law *self, int j, wring_in par, wring_in z, double *C, wring_out dC,
                               double *k)
{
  WRING_ALIGNED double size[WRING_LANES] = {0}, inverse[WRING_LANES];

  (void)j;
  self->project(self, par, z, dC);
  subtract(self->q, z, dC, C);
  for (int i = 0; i < 3 * self->q; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) size[lane] += z[i][lane] * z[i][lane];
  }
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const int    nothing = C[lane] <= LAW_ROOT_NOISE * size[lane];
    const double length  = sqrt(C[lane]);
    C[lane]              = nothing ? 0 : length;
    inverse[lane]        = nothing ? 0 : 1 / (nothing ? 1 : length);
    k[lane]              = par[0][lane];
  }
  scale(self->q, inverse, dC);
}

void wring_distance_point_hessian(WRING_SELF, wring_filter filter, wring_in par, wring_in z, wring_out h)
{
  (void)filter, (void)z;
  for (int i = 0; i < 9; i++) {
    for (int lane = 0; lane < WRING_LANES; lane++) h[i][lane] = i % 4 == 0 ? par[0][lane] : 0;
  }
}
