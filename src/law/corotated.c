/*
  Corotated linear elasticity: psi(F) = mu |F - R|^2 + lambda/2 (tr R^T F - 3)^2, R the rotation closest to F; mu,
  lambda [Pa]. In stretches mu sum (s_i - 1)^2 + lambda/2 (sum s_i - 3)^2. docs/theory.md (3.14); [Sifakis, Barbic
  2012].
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/lame.h"
#include "law/common/stretch_prox.h"
#include "law/common/closed_forms.h"

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   rotation = mat3_load((wring_in)r, lane), d = mat3_sub(mat3_load(z, lane), rotation);
    const double trace = mat3_dot(rotation, d); // tr(R^T F) - 3 without cancellation
    psi[lane]          = par[LAME_MU][lane] * mat3_dot(d, d) + 0.5 * par[LAME_LAMBDA][lane] * trace * trace;
  }
}

/* d tr(R^T F)/dF = R, since R is stationary. */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   rotation = mat3_load((wring_in)r, lane), d = mat3_sub(mat3_load(z, lane), rotation);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane], trace = mat3_dot(rotation, d);
    psi[lane] = mu * mat3_dot(d, d) + 0.5 * lambda * trace * trace;
    mat3_store(p, lane, mat3_combine(2 * mu, d, lambda * trace, rotation));
  }
}

/* 2 mu |g|^2 I + lambda (R g) (R g)^T + (lambda (tr R^T F - 3) - 2 mu) dR */
static void contracted(const wring_law *self, wring_in par, wring_in z, wring_in g, wring_out K)
{
  WRING_ALIGNED double r[9][WRING_LANES], turn[6][WRING_LANES];

  if (!wring_turn_vertex(z, g, r, turn)) {
    wring_isotropic_contracted(self, par, z, g, K);
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f = mat3_load(z, lane), rotation = mat3_load((wring_in)r, lane);
    const vec3   row = vertex_row(g, lane);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const double trace = mat3_dot(rotation, mat3_sub(f, rotation));
    const sym3   k     = sym3_of_vector(2 * mu * vec3_dot(row, row), lambda, mat3_apply(rotation, row));
    vertex_store(K, lane, sym3_combine(1, k, lambda * trace - 2 * mu, vertex_load((wring_in)turn, lane)));
  }
}

/*
  2 mu a . b + lambda (R . a)(R . b) + (lambda (tr R^T F - 3) - 2 mu) a . DR(b); filtered or where R turns fast, by the
  modes.
*/
static void products(const wring_law *self, wring_filter filter, wring_in par, wring_in z, wring_in a, wring_in b,
                     wring_out sum)
{
  WRING_ALIGNED double r[9][WRING_LANES], turn[3][WRING_LANES];

  if (filter || !wring_turn_products(z, a, b, r, turn)) {
    wring_isotropic_products(self, filter, par, z, a, b, sum);
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const mat3   rotation = mat3_load((wring_in)r, lane), x = mat3_load(a, lane), y = mat3_load(b, lane);
    const double t  = lambda * mat3_dot(rotation, mat3_sub(mat3_load(z, lane), rotation)) - 2 * mu;
    const double rx = mat3_dot(rotation, x), ry = mat3_dot(rotation, y);
    sum[0][lane] = 2 * mu * mat3_dot(x, x) + lambda * rx * rx + t * turn[0][lane];
    sum[1][lane] = 2 * mu * mat3_dot(x, y) + lambda * rx * ry + t * turn[1][lane];
    sum[2][lane] = 2 * mu * mat3_dot(y, y) + lambda * ry * ry + t * turn[2][lane];
  }
}

/* psi_i = 2 mu (s_i - 1) + lambda t with t = s_0 + s_1 + s_2 - 3 */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], c = 2 * lambda * (s0 + s1 + s2 - 3) - 4 * mu;
    m->a[0][lane] = m->a[1][lane] = m->a[2][lane] = 2 * mu + lambda;
    m->a[3][lane] = m->a[4][lane] = m->a[5][lane] = lambda;
    m->flip[0][lane] = m->flip[1][lane] = m->flip[2][lane] = 2 * mu;
    m->twist[0][lane]                                      = 2 * mu + c * wring_isotropic_pair(s0, s1);
    m->twist[1][lane]                                      = 2 * mu + c * wring_isotropic_pair(s0, s2);
    m->twist[2][lane]                                      = 2 * mu + c * wring_isotropic_pair(s1, s2);
  }
}

/*
  In stretches t of p and s of z: (2 mu + rho) t = rho s + (2 mu + lambda (3 - T)) (1, 1, 1), T = t_0 + t_1 + t_2. If
  this gives t_1 + t_2 < 0, which is possible for lambda (T - 3) > 2 mu, R is not the rotation closest to p, and the
  minimum lies in the kink of psi: t = (t_0, c, -c), or t = (c, c, -c) if that gives t_0 < c. docs/theory.md 3.7.
*/
static void prox_stretches(wring_in par, const double *rho, wring_in s, double (*t)[WRING_LANES])
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane], r = rho[lane], b = 2 * mu + 3 * lambda;
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], a = 1 / (2 * mu + r);
    const double push = b - lambda * (r * (s0 + s1 + s2) + 3 * b) / (b + r);
    const double kink = 0.5 * a * r * (s1 - s2), edge = (b + r * s0) / (2 * mu + lambda + r);
    const double corner = (b + r * (s0 + s1 - s2)) / (3 * (2 * mu + r) + lambda);
    const int    smooth = r * (s1 + s2) + 2 * push >= 0, above = edge >= kink;
    t[0][lane] = smooth ? a * (r * s0 + push) : above ? edge : corner;
    t[1][lane] = smooth ? a * (r * s1 + push) : above ? kink : corner;
    t[2][lane] = smooth ? a * (r * s2 + push) : above ? -kink : -corner;
  }
}

/* If push >= 0 in every lane, t_1 + t_2 >= 0 and R alone is sufficient: p = (rho z + push R)/(2 mu + rho). */
static void prox(WRING_SELF, wring_in par, const double *rho, wring_in z, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES], s[3][WRING_LANES], t[3][WRING_LANES], u[9][WRING_LANES];
  int                  smooth = 1;

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane], b = 2 * mu + 3 * lambda;
    const mat3   f = mat3_load(z, lane), rotation = mat3_load((wring_in)r, lane);
    t[0][lane]     = b - lambda * (rho[lane] * mat3_dot(rotation, f) + 3 * b) / (b + rho[lane]);
    const double a = 1 / (2 * mu + rho[lane]);
    mat3_store(p, lane, mat3_combine(a * rho[lane], f, a * t[0][lane], rotation));
  }
  for (int lane = 0; lane < WRING_LANES; lane++) smooth &= t[0][lane] >= 0;
  if (smooth) return;
  wring_block3_svd(z, u, s, r);
  prox_stretches(par, rho, (wring_in)s, t);
  wring_stretch_assemble((wring_in)u, (wring_in)t, (wring_in)r, p);
}

static const wring_isotropic rule = {.modes = modes, .modulus = LAME_MU};

const wring_law wring_law_corotated = {
  .name         = "corotated",
  .kind         = WRING_LAW_MATERIAL,
  .n_par        = LAME_N_PAR,
  .options      = wring_lame_options,
  .set_par      = wring_lame_get,
  .example      = wring_lame_example,
  .energy       = energy,
  .fused        = fused,
  .contracted   = contracted,
  .products     = products,
  .slope        = wring_lame_slope,
  .n_constraint = 1,
  .constraint   = wring_law_root,
  .prox         = prox,
  WRING_ISOTROPIC(rule),
};
