/*
  Saint Venant-Kirchhoff: psi(F) = mu |E|^2 + lambda/2 (tr E)^2, E = (F^T F - I)/2; mu, lambda [Pa]; finite for every F,
  but the stress decreases as an element is flattened. docs/theory.md (3.17); [Bonet, Wood 2008].
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/lame.h"
#include "law/common/stretch_prox.h"
#include "law/common/closed_forms.h"

/* E = (H + H^T + H^T H)/2 of H = F - I, which avoids the cancellation of F^T F - I near rest. */
BLOCK3_INLINE sym3 green(mat3 f)
{
  const mat3 h = mat3_shift(f, -1);
  const sym3 g = mat3_gram(h);
  return (sym3){h.a00 + 0.5 * g.s00,           h.a11 + 0.5 * g.s11,           h.a22 + 0.5 * g.s22,
                0.5 * (h.a01 + h.a10 + g.s01), 0.5 * (h.a02 + h.a20 + g.s02), 0.5 * (h.a12 + h.a21 + g.s12)};
}

BLOCK3_INLINE double density(double mu, double lambda, sym3 e)
{
  const double trace = sym3_trace(e), off = e.s01 * e.s01 + e.s02 * e.s02 + e.s12 * e.s12;
  return mu * (e.s00 * e.s00 + e.s11 * e.s11 + e.s22 * e.s22 + 2 * off) + 0.5 * lambda * trace * trace;
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++)
    psi[lane] = density(par[LAME_MU][lane], par[LAME_LAMBDA][lane], green(mat3_load(z, lane)));
}

/* F (2 mu E + lambda tr E) */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const mat3   f = mat3_load(z, lane);
    const sym3   e = green(f);
    psi[lane]      = density(mu, lambda, e);
    mat3_store(p, lane, mat3_mul(f, sym3_shifted(lambda * sym3_trace(e), 2 * mu, e)));
  }
}

/* (g . S g) I + (lambda + mu) f f^T + mu |g|^2 F F^T with f = F g, S = 2 mu E + lambda tr(E) I */
static void contracted(WRING_SELF, wring_in par, wring_in z, wring_in g, wring_out K)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const mat3   f    = mat3_load(z, lane);
    const vec3   row  = vertex_row(g, lane);
    const sym3   e    = green(f);
    const vec3   eg   = sym3_apply(e, row);
    const double size = vec3_dot(row, row), same = 2 * mu * vec3_dot(row, eg) + lambda * sym3_trace(e) * size;
    const sym3   k = sym3_of_vector(same, lambda + mu, mat3_apply(f, row));
    vertex_store(K, lane, sym3_combine(1, k, mu * size, vertex_rows(f)));
  }
}

/* dE along a, (F^T a + a^T F)/2 */
BLOCK3_INLINE sym3 green_along(mat3 f, mat3 a)
{
  return mat3_symmetric(mat3_mul(mat3_transpose(f), a));
}

/* 2 mu A . B + lambda tr A tr B */
BLOCK3_INLINE double isotropic_product(double mu, double lambda, sym3 a, sym3 b)
{
  const double off = a.s01 * b.s01 + a.s02 * b.s02 + a.s12 * b.s12;
  return 2 * mu * (a.s00 * b.s00 + a.s11 * b.s11 + a.s22 * b.s22 + 2 * off) + lambda * sym3_trace(a) * sym3_trace(b);
}

/* 2 mu dE(a) . dE(b) + lambda tr dE(a) tr dE(b) + (2 mu E + lambda tr E) . a^T b; filtered, by the modes. */
static void products(const wring_law *self, wring_filter filter, wring_in par, wring_in z, wring_in a, wring_in b,
                     wring_out sum)
{
  if (filter) {
    wring_isotropic_products(self, filter, par, z, a, b, sum);
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const mat3   f = mat3_load(z, lane), x = mat3_load(a, lane), y = mat3_load(b, lane);
    const sym3   e = green(f), ex = green_along(f, x), ey = green_along(f, y);
    sum[0][lane] = isotropic_product(mu, lambda, ex, ex) + isotropic_product(mu, lambda, e, green_along(x, x));
    sum[1][lane] = isotropic_product(mu, lambda, ex, ey) + isotropic_product(mu, lambda, e, green_along(x, y));
    sum[2][lane] = isotropic_product(mu, lambda, ey, ey) + isotropic_product(mu, lambda, e, green_along(y, y));
  }
}

/*
  Terms of the derivatives in the stretches: psi_i = mu s_i^3 + c s_i, c = lambda/2 t - mu, t = s_0^2 + s_1^2 + s_2^2 -
  3.
*/
BLOCK3_INLINE double linear_part(double mu, double lambda, double s0, double s1, double s2)
{
  return 0.5 * lambda * (s0 * s0 + s1 * s1 + s2 * s2 - 3) - mu;
}

static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane], s0 = s[0][lane], s1 = s[1][lane];
    const double s2 = s[2][lane], c = linear_part(mu, lambda, s0, s1, s2);
    m->a[0][lane] = (3 * mu + lambda) * s0 * s0 + c;
    m->a[1][lane] = (3 * mu + lambda) * s1 * s1 + c;
    m->a[2][lane] = (3 * mu + lambda) * s2 * s2 + c;
    m->a[3][lane] = lambda * s0 * s1, m->a[4][lane] = lambda * s0 * s2, m->a[5][lane] = lambda * s1 * s2;
    m->twist[0][lane] = mu * (s0 * s0 - s0 * s1 + s1 * s1) + c,
    m->flip[0][lane]  = mu * (s0 * s0 + s0 * s1 + s1 * s1) + c;
    m->twist[1][lane] = mu * (s0 * s0 - s0 * s2 + s2 * s2) + c,
    m->flip[1][lane]  = mu * (s0 * s0 + s0 * s2 + s2 * s2) + c;
    m->twist[2][lane] = mu * (s1 * s1 - s1 * s2 + s2 * s2) + c,
    m->flip[2][lane]  = mu * (s1 * s1 + s1 * s2 + s2 * s2) + c;
    m->third[lane]    = -mu * (s0 + s1 + s2);
  }
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], c = linear_part(mu, lambda, s0, s1, s2);
    const double q0 = s0 * s0 - 1, q1 = s1 * s1 - 1, q2 = s2 * s2 - 1, t = q0 + q1 + q2;
    at->psi[lane]  = 0.25 * mu * (q0 * q0 + q1 * q1 + q2 * q2) + 0.125 * lambda * t * t;
    at->d[0][lane] = (mu * q0 + 0.5 * lambda * t) * s0;
    at->d[1][lane] = (mu * q1 + 0.5 * lambda * t) * s1;
    at->d[2][lane] = (mu * q2 + 0.5 * lambda * t) * s2;
    at->a[0][lane] = (3 * mu + lambda) * s0 * s0 + c;
    at->a[1][lane] = (3 * mu + lambda) * s1 * s1 + c;
    at->a[2][lane] = (3 * mu + lambda) * s2 * s2 + c;
    at->a[3][lane] = lambda * s0 * s1, at->a[4][lane] = lambda * s0 * s2, at->a[5][lane] = lambda * s1 * s2;
  }
}

/* dpsi/ds_0 at s_1 = s_2 = 1 is (mu + lambda/2) (s^3 - s). docs/theory.md (4.4) */
static void slope(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = 1.075 * (2 * par[LAME_MU][lane] + par[LAME_LAMBDA][lane]);
}

static const wring_isotropic rule = {.modes = modes, .stretches = stretches, .smooth = PETSC_TRUE, .modulus = LAME_MU};

const wring_law wring_law_stvk = {
  .name       = "stvk",
  .n_par      = LAME_N_PAR,
  .options    = wring_lame_options,
  .set_par    = wring_lame_get,
  .example    = wring_lame_example,
  .energy     = energy,
  .fused      = fused,
  .contracted = contracted,
  .products   = products,
  .slope      = slope,
  WRING_MATERIAL(rule),
};
