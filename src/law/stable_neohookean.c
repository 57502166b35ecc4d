/*
  Stable neo-Hookean: psi(F) = mu/2 (|F|^2 - 3) - mu (J - 1) + lambda/2 (J - 1)^2, J = det F; mu, lambda [Pa]; finite
  for every F. Parameters of Lame at rest: mu, lambda - mu. docs/theory.md (3.16); [Smith et al. 2018; Macklin, Mueller
  2021].
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/pressure.h"
#include "law/common/lame.h"
#include "law/common/stretch_prox.h"
#include "law/common/closed_forms.h"

/* H = F - I, its cofactors, and J - 1 = tr H + i2 + det H, i2 the second invariant of H. */
typedef struct {
  mat3   h;
  double i2, det, change;
} strain;

BLOCK3_INLINE strain strain_of(mat3 f)
{
  const mat3   h = mat3_shift(f, -1), c = mat3_cofactor(h);
  const double i2 = mat3_trace(c), det = mat3_det(h, c);
  return (strain){h, i2, det, mat3_trace(h) + i2 + det};
}

/* |F|^2 - 3 = 2 tr H + |H|^2: the terms of first order cancel, so that small densities are accurate. */
BLOCK3_INLINE double density(double mu, double lambda, strain e)
{
  return mu * (0.5 * mat3_dot(e.h, e.h) - e.i2 - e.det) + 0.5 * lambda * e.change * e.change;
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++)
    psi[lane] = density(par[LAME_MU][lane], par[LAME_LAMBDA][lane], strain_of(mat3_load(z, lane)));
}

/* mu F + (lambda (J - 1) - mu) cof F */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const mat3   f = mat3_load(z, lane);
    const strain e = strain_of(f);
    psi[lane]      = density(mu, lambda, e);
    mat3_store(p, lane, mat3_combine(mu, f, lambda * e.change - mu, mat3_cofactor(f)));
  }
}

/* mu |g|^2 + lambda (cof F g) (cof F g)^T: J is linear in one vertex, so that d2J adds nothing. */
static void contracted(WRING_SELF, wring_in par, wring_in z, wring_in g, wring_out K)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const vec3   row = vertex_row(g, lane), c = mat3_apply(mat3_cofactor(mat3_load(z, lane)), row);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    vertex_store(K, lane, sym3_of_vector(mu * vec3_dot(row, row), lambda, c));
  }
}

/* mu, lambda, lambda (J - 1) - mu */
static void second(wring_in par, wring_in f, wring_second_derivative *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    at->identity[lane] = par[LAME_MU][lane];
    at->volume[lane]   = par[LAME_LAMBDA][lane];
    at->pressure[lane] = par[LAME_LAMBDA][lane] * strain_of(mat3_load(f, lane)).change - par[LAME_MU][lane];
  }
}

/* Terms of the derivatives in the stretches: psi_i = mu s_i + c j_i with j_i = dJ/ds_i, c = lambda (J - 1) - mu. */
typedef struct {
  double mu, lambda, c, j0, j1, j2;
} stretched;

BLOCK3_INLINE stretched stretched_of(wring_in par, wring_in s, int lane)
{
  const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
  const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
  return (stretched){mu, lambda, lambda * (s0 * s1 * s2 - 1) - mu, s1 * s2, s0 * s2, s0 * s1};
}

/* d2psi/ds_i ds_j */
BLOCK3_INLINE void store_curvature(stretched v, wring_in s, int lane, double (*a)[WRING_LANES])
{
  a[0][lane] = v.mu + v.lambda * v.j0 * v.j0;
  a[1][lane] = v.mu + v.lambda * v.j1 * v.j1;
  a[2][lane] = v.mu + v.lambda * v.j2 * v.j2;
  a[3][lane] = v.c * s[2][lane] + v.lambda * v.j0 * v.j1;
  a[4][lane] = v.c * s[1][lane] + v.lambda * v.j0 * v.j2;
  a[5][lane] = v.c * s[0][lane] + v.lambda * v.j1 * v.j2;
}

static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched v  = stretched_of(par, s, lane);
    const double    s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    store_curvature(v, s, lane, m->a);
    m->twist[0][lane] = v.mu + v.c * s2, m->flip[0][lane] = v.mu - v.c * s2;
    m->twist[1][lane] = v.mu + v.c * s1, m->flip[1][lane] = v.mu - v.c * s1;
    m->twist[2][lane] = v.mu + v.c * s0, m->flip[2][lane] = v.mu - v.c * s0;
    m->third[lane] = -v.c;
  }
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched v  = stretched_of(par, s, lane);
    const double    s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], change = s0 * s1 * s2 - 1;
    at->psi[lane]  = v.mu * (0.5 * (s0 * s0 + s1 * s1 + s2 * s2 - 3) - change) + 0.5 * v.lambda * change * change;
    at->d[0][lane] = v.mu * s0 + v.c * v.j0, at->d[1][lane] = v.mu * s1 + v.c * v.j1;
    at->d[2][lane] = v.mu * s2 + v.c * v.j2;
    store_curvature(v, s, lane, at->a);
  }
}

/* dpsi/ds_0 at s_1 = s_2 = 1 is (mu + lambda) (s - 1), linear in s. docs/theory.md (4.2) */
static void slope(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[LAME_MU][lane] + par[LAME_LAMBDA][lane];
}

/* C = |F|, k = mu; dC = 0 at F = 0, where C has no gradient. */
static void deviatoric(wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f    = mat3_load(z, lane);
    const double size = sqrt(mat3_dot(f, f));
    C[lane]           = size;
    k[lane]           = par[LAME_MU][lane];
    mat3_store(dC, lane, mat3_scale(size > 0 ? 1 / size : 0, f));
  }
}

/* C = J - 1 - mu/lambda, k = lambda */
static void volumetric(wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 f = mat3_load(z, lane);
    C[lane]      = strain_of(f).change - par[LAME_MU][lane] / par[LAME_LAMBDA][lane];
    k[lane]      = par[LAME_LAMBDA][lane];
    mat3_store(dC, lane, mat3_cofactor(f));
  }
}

/* psi = mu C_D^2/2 + lambda C_H^2/2 - 3 mu/2 - mu^2/(2 lambda). docs/theory.md (3.35) */
static void constraint(WRING_SELF, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  if (j == 0)
    deviatoric(par, z, C, dC, k);
  else
    volumetric(par, z, C, dC, k);
}

static const wring_isotropic rule = {.modes = modes, .second = second, .stretches = stretches, .smooth = PETSC_TRUE};

/* ---- volumetric: mean -------------------------------------------------------------------------------------------- */

/* psi with lambda = mu, or less: its Poisson's ratio at rest is 0; without lambda, an element would not be stable. */
static PetscBool keep(const double *par, double *element_par)
{
  element_par[LAME_MU]     = par[LAME_MU];
  element_par[LAME_LAMBDA] = PetscMin(par[LAME_LAMBDA], par[LAME_MU]);
  element_par[LAME_N_PAR]  = 0;
  return (PetscBool)(par[LAME_LAMBDA] > par[LAME_MU]);
}

/* U = (lambda - mu)/2 (J - 1)^2 */
static void volume_energy(const double *par, double J, double u[3])
{
  const double modulus = PetscMax(par[LAME_LAMBDA] - par[LAME_MU], 0);
  u[0] = 0.5 * modulus * (J - 1) * (J - 1), u[1] = modulus * (J - 1), u[2] = modulus;
}

static const wring_isotropic pressed = {
  .modes = modes, .second = second, .pressure = LAME_N_PAR, .law = &wring_law_stable_neohookean};

static const wring_law element = {
  .name = "stable_neohookean", .kind = WRING_LAW_MATERIAL, .n_par = LAME_N_PAR + 1, WRING_PRESSED(pressed)};

static const wring_volumetric mean = {.element = &element, .keep = keep, .energy = volume_energy};

const wring_law wring_law_stable_neohookean = {
  .name         = "stable_neohookean",
  .kind         = WRING_LAW_MATERIAL,
  .n_par        = LAME_N_PAR,
  .options      = wring_lame_options,
  .set_par      = wring_lame_get_stable,
  .example      = wring_lame_example,
  .energy       = energy,
  .fused        = fused,
  .contracted   = contracted,
  .definite_mu  = 1,
  .products     = wring_isotropic_products,
  .slope        = slope,
  .n_row        = 2,
  .row          = constraint,
  .prox         = wring_stretch_prox,
  .n_constraint = 2,
  .constraint   = constraint,
  .volumetric   = &mean,
  WRING_ISOTROPIC(rule),
};
