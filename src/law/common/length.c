#include "length.h"
#include "base/block3.h"

enum { K = LENGTH_STIFFNESS, LENGTH = LENGTH_REST };

typedef struct {
  double length;
  vec3   direction;
} edge;

BLOCK3_INLINE edge edge_of(wring_in z, int lane)
{
  const vec3   d      = {z[0][lane], z[1][lane], z[2][lane]};
  const double length = sqrt(vec3_dot(d, d)), inverse = 1 / (length > 0 ? length : 1);
  return (edge){length, {length > 0 ? d.x * inverse : 1, d.y * inverse, d.z * inverse}};
}

void wring_length_project(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e = edge_of(z, lane);
    const double l = par[LENGTH][lane];
    p[0][lane] = l * e.direction.x, p[1][lane] = l * e.direction.y, p[2][lane] = l * e.direction.z;
  }
}

void wring_length_energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double stretch = edge_of(z, lane).length - par[LENGTH][lane];
    psi[lane]            = 0.5 * par[K][lane] * stretch * stretch;
  }
}

void wring_length_fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e       = edge_of(z, lane);
    const double stretch = e.length - par[LENGTH][lane], force = par[K][lane] * stretch;
    psi[lane]  = 0.5 * force * stretch;
    p[0][lane] = force * e.direction.x, p[1][lane] = force * e.direction.y, p[2][lane] = force * e.direction.z;
  }
}

/*
  k (a I + (1 - a) d d^T) with the direction d and a = 1 - l/|z|, which is filtered. |z| is taken to be at least 1e-12
  l, since the curvature is -infinity at z = 0.
*/
void wring_length_hessian(WRING_SELF, wring_filter filter, wring_in par, wring_in z, wring_out h)
{
  const double share = filter;

#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e = edge_of(z, lane);
    const double k = par[K][lane], l = par[LENGTH][lane], length = block3_max(e.length, 1e-12 * l);
    const double r = length > 0 ? 1 - l / length : 1, a = r + share * block3_max(-r, 0), b = k * (1 - a);
    const vec3   d = e.direction;
    mat3_store(h, lane,
               (mat3){k * a + b * d.x * d.x, b * d.x * d.y, b * d.x * d.z, b * d.x * d.y, k * a + b * d.y * d.y,
                      b * d.y * d.z, b * d.x * d.z, b * d.y * d.z, k * a + b * d.z * d.z});
  }
}

/* The vector along z of length (k l + rho |z|)/(k + rho). */
void wring_length_prox(WRING_SELF, wring_in par, const double *rho, wring_in z, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e      = edge_of(z, lane);
    const double k      = par[K][lane];
    const double length = (k * par[LENGTH][lane] + rho[lane] * e.length) / (k + rho[lane]);
    p[0][lane] = length * e.direction.x, p[1][lane] = length * e.direction.y, p[2][lane] = length * e.direction.z;
  }
}

/* C = |z| - l, dC = z/|z|. */
void wring_length_constraint(WRING_SELF, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  (void)j;
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e = edge_of(z, lane);
    const double l = par[LENGTH][lane], stretch = e.length - l;
    const int    nothing = stretch * stretch <= LAW_ROOT_NOISE * (e.length * e.length + l * l);
    const double unit    = nothing ? 0 : 1;
    C[lane]              = unit * stretch;
    k[lane]              = par[K][lane];
    dC[0][lane] = unit * e.direction.x, dC[1][lane] = unit * e.direction.y, dC[2][lane] = unit * e.direction.z;
  }
}

/*
  The length along the direction d = z/|z| of the projection l d, held constant: C = z.d - l. Unlike the constraint, it
  has a gradient where C = 0.
*/
void wring_length_row(const wring_law *self, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  WRING_ALIGNED double p[3][WRING_LANES];

  (void)j;
  self->project(self, par, z, p);
  self->slope(self, par, k);
  for (int l = 0; l < WRING_LANES; l++) {
    const double length = sqrt(p[0][l] * p[0][l] + p[1][l] * p[1][l] + p[2][l] * p[2][l]);
    for (int i = 0; i < 3; i++) dC[i][l] = p[i][l] / length;
    C[l] = z[0][l] * dC[0][l] + z[1][l] * dC[1][l] + z[2][l] * dC[2][l] - length;
  }
}

const char *wring_length_fault(WRING_SELF, wring_in par)
{
  for (int lane = 0; lane < WRING_LANES; lane++) {
    if (par[LENGTH][lane] <= 0) return "a spring of length 0 has no direction";
  }
  return NULL;
}
