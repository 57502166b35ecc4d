/*
  Compressible neo-Hookean: psi(F) = mu/2 (|F|^2 - 3) - mu log J + lambda/2 log^2 J, J = det F; mu, lambda [Pa];
  +infinity for J below LAW_LEAST_VOLUME. docs/theory.md (3.15); [Bonet, Wood 2008].
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/lame.h"
#include "law/common/stretch_prox.h"
#include "law/common/closed_forms.h"
#include "law/pressure.h"

/* log J and 1/J, both 0 outside the domain, so that derivatives are finite there. */
typedef struct {
  int    inside;
  double log, inverse;
} volume;

BLOCK3_INLINE volume volume_of(double j)
{
  const int    inside = j >= LAW_LEAST_VOLUME; // false for NaN
  const double safe   = inside ? j : 1;
  return (volume){inside, block3_log(safe), inside ? 1 / safe : 0};
}

/*
  psi with F = I + H and J - 1 = tr H + i2 + det H, i2 the second invariant of H. The terms of first order cancel,
    psi = mu (|H|^2/2 - i2 - det H + d) + lambda/2 (J - 1 - d)^2,   d = J - 1 - log J,
  so that a density far smaller than mu is still accurate.
*/
BLOCK3_INLINE double density_near_rest(double mu, double lambda, mat3 h, mat3 cofactor, double volume_change)
{
  const double d = block3_log_defect(volume_change), log = volume_change - d;
  return mu * (0.5 * mat3_dot(h, h) - mat3_trace(cofactor) - mat3_det(h, cofactor) + d) + 0.5 * lambda * log * log;
}

BLOCK3_INLINE double density(double mu, double lambda, mat3 f, volume v)
{
  const mat3   h = mat3_shift(f, -1), c = mat3_cofactor(h);
  const double volume_change = mat3_det_change(h, c);
  const double near          = density_near_rest(mu, lambda, h, c, volume_change);
  const double far           = 0.5 * mu * (mat3_dot(f, f) - 3) - mu * v.log + 0.5 * lambda * v.log * v.log;
  const double psi           = fabs(volume_change) <= 0.25 ? near : far;
  return v.inside ? psi : INFINITY;
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f = mat3_load(z, lane);
    const volume v = volume_of(mat3_det(f, mat3_cofactor(f)));
    psi[lane]      = density(par[LAME_MU][lane], par[LAME_LAMBDA][lane], f, v);
  }
}

/* mu F + (lambda log J - mu) F^{-T} */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const mat3   f = mat3_load(z, lane), cofactor = mat3_cofactor(f);
    const volume v = volume_of(mat3_det(f, cofactor));
    psi[lane]      = density(mu, lambda, f, v);
    mat3_store(p, lane, mat3_combine(mu, f, (lambda * v.log - mu) * v.inverse, cofactor));
  }
}

/* mu |g|^2 I + (mu + lambda (1 - log J)) c c^T/J^2 with c = (cof F) g; outside the domain mu |g|^2 I */
static void contracted(WRING_SELF, wring_in par, wring_in z, wring_in g, wring_out K)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f = mat3_load(z, lane), cofactor = mat3_cofactor(f);
    const volume v   = volume_of(mat3_det(f, cofactor));
    const vec3   row = vertex_row(g, lane), c = mat3_apply(mat3_scale(v.inverse, cofactor), row);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    vertex_store(K, lane, sym3_of_vector(mu * vec3_dot(row, row), mu + lambda * (1 - v.log), c));
  }
}

/* With c = lambda log J - mu: mu, (lambda - c)/J^2, c/J; outside the domain mu, 0, 0 */
static void second(wring_in par, wring_in f, wring_second_derivative *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   a     = mat3_load(f, lane);
    const volume v     = volume_of(mat3_det(a, mat3_cofactor(a)));
    const double c     = par[LAME_LAMBDA][lane] * v.log - par[LAME_MU][lane];
    at->identity[lane] = par[LAME_MU][lane];
    at->volume[lane]   = (par[LAME_LAMBDA][lane] - c) * v.inverse * v.inverse;
    at->pressure[lane] = c * v.inverse;
  }
}

/*
  Terms of the derivatives in the stretches: psi_i = mu s_i + c/s_i, c = lambda log J - mu. Outside the domain psi_i =
  mu s_i.
*/
typedef struct {
  int    inside;
  double mu, lambda, log, c, i0, i1, i2; // i: 1/s
} stretched;

BLOCK3_INLINE stretched stretched_of(wring_in par, wring_in s, int lane)
{
  const double mu = par[LAME_MU][lane], s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
  const volume v      = volume_of(s0 * s1 * s2);
  const double lambda = v.inside ? par[LAME_LAMBDA][lane] : 0, c = v.inside ? lambda * v.log - mu : 0;
  return (stretched){v.inside, mu, lambda, v.log, c, v.inverse * s1 * s2, v.inverse * s0 * s2, v.inverse * s0 * s1};
}

/* d2psi/ds_i ds_j */
BLOCK3_INLINE void store_curvature(stretched v, int lane, double (*a)[WRING_LANES])
{
  a[0][lane] = v.mu + (v.lambda - v.c) * v.i0 * v.i0;
  a[1][lane] = v.mu + (v.lambda - v.c) * v.i1 * v.i1;
  a[2][lane] = v.mu + (v.lambda - v.c) * v.i2 * v.i2;
  a[3][lane] = v.lambda * v.i0 * v.i1, a[4][lane] = v.lambda * v.i0 * v.i2, a[5][lane] = v.lambda * v.i1 * v.i2;
}

static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched v = stretched_of(par, s, lane);
    store_curvature(v, lane, m->a);
    m->twist[0][lane] = v.mu + v.c * v.i0 * v.i1, m->flip[0][lane] = v.mu - v.c * v.i0 * v.i1;
    m->twist[1][lane] = v.mu + v.c * v.i0 * v.i2, m->flip[1][lane] = v.mu - v.c * v.i0 * v.i2;
    m->twist[2][lane] = v.mu + v.c * v.i1 * v.i2, m->flip[2][lane] = v.mu - v.c * v.i1 * v.i2;
    m->third[lane] = -v.c * v.i0 * v.i1 * v.i2;
  }
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched v  = stretched_of(par, s, lane);
    const double    s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    const double far = 0.5 * v.mu * (s0 * s0 + s1 * s1 + s2 * s2 - 3) - v.mu * v.log + 0.5 * v.lambda * v.log * v.log;
    at->psi[lane]    = v.inside ? far : INFINITY;
    at->d[0][lane] = v.mu * s0 + v.c * v.i0, at->d[1][lane] = v.mu * s1 + v.c * v.i1;
    at->d[2][lane] = v.mu * s2 + v.c * v.i2;
    store_curvature(v, lane, at->a);
  }
}

/*
  12 times the integral over [1/2, 3/2] of (s - 1) f(s), f = dpsi/ds_0 at s_1 = s_2 = 1: mu s + (lambda log s - mu)/s.
  mu s gives mu, -mu/s gives 12 mu (log 3 - 1), and lambda log(s)/s the difference of
  12 lambda (s log s - s - log(s)^2/2) at the ends. docs/theory.md (4.2).
*/
static void slope(WRING_SELF, wring_in par, double *k)
{
  const double a = log(0.5), b = log(1.5);
  const double of_mu = 12 * log(3) - 11, of_lambda = 12 * (1.5 * b - 0.5 * a - 1 + 0.5 * (a * a - b * b));
  for (int lane = 0; lane < WRING_LANES; lane++)
    k[lane] = of_mu * par[LAME_MU][lane] + of_lambda * par[LAME_LAMBDA][lane];
}

static const wring_isotropic rule = {
  .modes = modes, .second = second, .stretches = stretches, .smooth = PETSC_TRUE, .modulus = LAME_MU};

/* ---- volumetric: mean -------------------------------------------------------------------------------------------- */

/* U = lambda/2 log^2 J */
static void volume_energy(const double *par, double J, double u[3])
{
  const double lambda = par[LAME_LAMBDA];
  const volume v      = volume_of(J);
  u[0]                = v.inside ? 0.5 * lambda * v.log * v.log : INFINITY;
  u[1] = lambda * v.log * v.inverse, u[2] = lambda * (1 - v.log) * v.inverse * v.inverse;
}

static const wring_isotropic pressed = {
  .modes = modes, .second = second, .pressure = LAME_N_PAR, .law = &wring_law_neohookean};

static const wring_law element = {.name     = "neohookean",
                                  .kind     = WRING_LAW_MATERIAL,
                                  .n_par    = LAME_N_PAR + 1,
                                  .positive = PETSC_TRUE,
                                  WRING_PRESSED(pressed)};

static const wring_volumetric mean = {.element = &element, .keep = wring_lame_keep_mu, .energy = volume_energy};

const wring_law wring_law_neohookean = {
  .name       = "neohookean",
  .n_par      = LAME_N_PAR,
  .options    = wring_lame_options,
  .set_par    = wring_lame_get_bounded,
  .example    = wring_lame_example,
  .positive   = PETSC_TRUE,
  .energy     = energy,
  .fused      = fused,
  .contracted = contracted,
  .products   = wring_isotropic_products,
  .slope      = slope,
  .volumetric = &mean,
  WRING_MATERIAL(rule),
};
