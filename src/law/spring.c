/*
  Spring: psi(z) = k/2 (|z| - l)^2, z = x_i - x_j [m]; k [N/m], rest length l [m]. At z = 0 its direction is e_x.
  Rigid bending is the same function of the curvature vector z [1/m] of a hinge: k/2 |z - R z_0|^2 with k [N m] and l = |z_0|, since
  the rotation R that best aligns z_0 to z leaves (|z| - l)^2. docs/theory.md (3.61); [Bouaziz et al. 2014].
  Fibre: the same of z = F d, d the unit rest direction of a tet's fibres, with l = 1; k [Pa]. docs/theory.md (3.4), (3.45)
*/
#include "base/block3.h"
#include "law/common/keys.h"
#include "law/common/root.h"
#include <wring/law.h>

enum { K, LENGTH, N_PAR };

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

static void project(wring_in par, wring_in z, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e = edge_of(z, lane);
    const double l = par[LENGTH][lane];
    p[0][lane] = l * e.direction.x, p[1][lane] = l * e.direction.y, p[2][lane] = l * e.direction.z;
  }
}

static void energy(wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double stretch = edge_of(z, lane).length - par[LENGTH][lane];
    psi[lane]            = 0.5 * par[K][lane] * stretch * stretch;
  }
}

static void fused(wring_in par, wring_in z, double *psi, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e       = edge_of(z, lane);
    const double stretch = e.length - par[LENGTH][lane], force = par[K][lane] * stretch;
    psi[lane]  = 0.5 * force * stretch;
    p[0][lane] = force * e.direction.x, p[1][lane] = force * e.direction.y, p[2][lane] = force * e.direction.z;
  }
}

static void gradient(wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];

  fused(par, z, psi, p);
}

/*
  k (a I + (1 - a) d d^T) with the direction d and a = 1 - l/|z|, at least `least`: 0 makes it semidefinite. |z| counts as
  1e-12 l at least, since the curvature is -infinity at z = 0.
*/
static void curvature(wring_in par, wring_in z, double least, wring_out h)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const edge   e = edge_of(z, lane);
    const double k = par[K][lane], l = par[LENGTH][lane], length = block3_max(e.length, 1e-12 * l);
    const double a = block3_max(length > 0 ? 1 - l / length : 1, least), b = k * (1 - a);
    const vec3   d = e.direction;
    mat3_store(h, lane,
               (mat3){k * a + b * d.x * d.x, b * d.x * d.y, b * d.x * d.z, b * d.x * d.y, k * a + b * d.y * d.y,
                      b * d.y * d.z, b * d.x * d.z, b * d.y * d.z, k * a + b * d.z * d.z});
  }
}

static void hessian(wring_in par, wring_in z, wring_out h)
{
  curvature(par, z, -INFINITY, h);
}

static void hessian_psd(wring_in par, wring_in z, wring_out h)
{
  curvature(par, z, 0, h);
}

static void slope(wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[K][lane];
}

/* Along z, of length (k l + rho |z|)/(k + rho). */
static void prox(wring_in par, const double *rho, wring_in z, wring_out p)
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
static void constraint(int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
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

const wring_law wring_law_spring = {
  .name         = "spring",
  .q            = 1,
  .n_par        = N_PAR,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .project      = project,
  .slope        = slope,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};

const wring_law wring_law_bending_rigid = {
  .name         = "bending_rigid",
  .q            = 1,
  .n_par        = N_PAR,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .project      = project,
  .slope        = slope,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};

static const wring_option fibre_options[] = {
  {.key   = "fibre_stiffness",
   .type  = WRING_REAL,
   .unit  = "Pa",
   .range = "(0,inf)",
   .help  = "Stiffness k of the energy density k/2 (|F d| - 1)^2 of fibres along d."},
  {.key   = "fibre_direction",
   .type  = WRING_REALS,
   .count = 3,
   .help  = "Direction d of the fibres at rest, of any length but 0."},
  {.key  = "fibre_file",
   .type = WRING_PATH,
   .help =
     "CSV `tet,x,y,z`: the direction of every tet, numbered as in the mesh file from 0; instead of fibre.direction."},
  {.key = "fibre_data", .type = WRING_WORD, .help = "The same from the $ElementData of this name in mesh.file (Gmsh)."},
  {.key = NULL},
};

static PetscErrorCode set_fibre_par(const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  PetscFunctionBegin;
  PetscCall(wring_law_get_real(o, prefix, fallback, fibre_options, "fibre_stiffness", &par[K]));
  par[LENGTH] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_law wring_law_fibre = {
  .name         = "fibre",
  .q            = 1,
  .n_par        = N_PAR,
  .options      = fibre_options,
  .set_par      = set_fibre_par,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .project      = project,
  .slope        = slope,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};
