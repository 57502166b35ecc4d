/*
  Fixed corotated elasticity: psi(F) = mu |F - R|^2 + lambda/2 (J - 1)^2, R the rotation closest to F, J = det F; mu,
  lambda [Pa]; finite for every F. In stretches mu sum (s_i - 1)^2 + lambda/2 (s_0 s_1 s_2 - 1)^2. docs/theory.md
  (3.18); [Stomakhin et al. 2012].
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/lame.h"
#include "law/common/stretch_prox.h"
#include "law/common/closed_forms.h"
#include "law/pressure.h"

/* J - 1 from R^T (F - R), free of cancellation near rest. */
BLOCK3_INLINE double volume_change(mat3 rotation, mat3 d)
{
  const mat3 h = mat3_mul(mat3_transpose(rotation), d);
  return mat3_det_change(h, mat3_cofactor(h));
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   rotation = mat3_load((wring_in)r, lane), d = mat3_sub(mat3_load(z, lane), rotation);
    const double change = volume_change(rotation, d);
    psi[lane]           = par[LAME_MU][lane] * mat3_dot(d, d) + 0.5 * par[LAME_LAMBDA][lane] * change * change;
  }
}

/* 2 mu (F - R) + lambda (J - 1) cof F */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f = mat3_load(z, lane), rotation = mat3_load((wring_in)r, lane), d = mat3_sub(f, rotation);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane], change = volume_change(rotation, d);
    psi[lane] = mu * mat3_dot(d, d) + 0.5 * lambda * change * change;
    mat3_store(p, lane, mat3_combine(2 * mu, d, lambda * change, mat3_cofactor(f)));
  }
}

/* Terms of the derivatives in the stretches: psi_i = 2 mu (s_i - 1) + c j_i with j_i = dJ/ds_i, c = lambda (J - 1). */
typedef struct {
  double mu, lambda, c, j0, j1, j2;
} stretched;

BLOCK3_INLINE stretched stretched_of(wring_in par, wring_in s, int lane)
{
  const double lambda = par[LAME_LAMBDA][lane], s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
  return (stretched){par[LAME_MU][lane], lambda, lambda * (s0 * s1 * s2 - 1), s1 * s2, s0 * s2, s0 * s1};
}

/* 2 mu (|g|^2 I - dR) + lambda c c^T with c = (cof F) g */
static void contracted(const wring_law *self, wring_in par, wring_in z, wring_in g, wring_out K)
{
  WRING_ALIGNED double r[9][WRING_LANES], turn[6][WRING_LANES];

  if (!wring_turn_vertex(z, g, r, turn)) {
    wring_isotropic_contracted(self, par, z, g, K);
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const vec3   row = vertex_row(g, lane), c = mat3_apply(mat3_cofactor(mat3_load(z, lane)), row);
    const double mu = par[LAME_MU][lane], lambda = par[LAME_LAMBDA][lane];
    const sym3   k = sym3_of_vector(2 * mu * vec3_dot(row, row), lambda, c);
    vertex_store(K, lane, sym3_combine(1, k, -2 * mu, vertex_load((wring_in)turn, lane)));
  }
}

/*
  2 mu (a . b - a . DR(b)) + lambda (cof F . a)(cof F . b) + lambda (J - 1) d2J(a, b); filtered or where R turns fast,
  by the modes.
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
    const mat3   f = mat3_load(z, lane), c = mat3_cofactor(f), x = mat3_load(a, lane), y = mat3_load(b, lane);
    const mat3   along = mat3_cofactor_along(f, x);
    const double q = lambda * (mat3_det(f, c) - 1), jx = mat3_dot(c, x), jy = mat3_dot(c, y);
    sum[0][lane] = 2 * mu * (mat3_dot(x, x) - turn[0][lane]) + lambda * jx * jx + q * mat3_dot(along, x);
    sum[1][lane] = 2 * mu * (mat3_dot(x, y) - turn[1][lane]) + lambda * jx * jy + q * mat3_dot(along, y);
    sum[2][lane] = 2 * mu * (mat3_dot(y, y) - turn[2][lane]) + lambda * jy * jy + 2 * q * mat3_dot(f, mat3_cofactor(y));
  }
}

/* d2psi/ds_i ds_j */
BLOCK3_INLINE void store_curvature(stretched v, wring_in s, int lane, double (*a)[WRING_LANES])
{
  a[0][lane] = 2 * v.mu + v.lambda * v.j0 * v.j0;
  a[1][lane] = 2 * v.mu + v.lambda * v.j1 * v.j1;
  a[2][lane] = 2 * v.mu + v.lambda * v.j2 * v.j2;
  a[3][lane] = v.c * s[2][lane] + v.lambda * v.j0 * v.j1;
  a[4][lane] = v.c * s[1][lane] + v.lambda * v.j0 * v.j2;
  a[5][lane] = v.c * s[0][lane] + v.lambda * v.j1 * v.j2;
}

static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched v  = stretched_of(par, s, lane);
    const double    s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], twice = 2 * v.mu;
    store_curvature(v, s, lane, m->a);
    m->twist[0][lane] = twice * (1 - 2 * wring_isotropic_pair(s0, s1)) + v.c * s2, m->flip[0][lane] = twice - v.c * s2;
    m->twist[1][lane] = twice * (1 - 2 * wring_isotropic_pair(s0, s2)) + v.c * s1, m->flip[1][lane] = twice - v.c * s1;
    m->twist[2][lane] = twice * (1 - 2 * wring_isotropic_pair(s1, s2)) + v.c * s0, m->flip[2][lane] = twice - v.c * s0;
    m->third[lane] = -v.c;
  }
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched v  = stretched_of(par, s, lane);
    const double    e0 = s[0][lane] - 1, e1 = s[1][lane] - 1, e2 = s[2][lane] - 1;
    const double    change = s[0][lane] * s[1][lane] * s[2][lane] - 1;
    at->psi[lane]          = v.mu * (e0 * e0 + e1 * e1 + e2 * e2) + 0.5 * v.lambda * change * change;
    at->d[0][lane] = 2 * v.mu * e0 + v.c * v.j0, at->d[1][lane] = 2 * v.mu * e1 + v.c * v.j1;
    at->d[2][lane] = 2 * v.mu * e2 + v.c * v.j2;
    store_curvature(v, s, lane, at->a);
  }
}

/*
  The prox keeps t_1 + t_2 >= 0, where R is closest to p: the objective decreases away from that boundary.
  docs/theory.md 3.7
*/
static const wring_isotropic rule = {.modes = modes, .stretches = stretches, .smooth = PETSC_TRUE, .modulus = LAME_MU};

/* ---- volumetric: mean -------------------------------------------------------------------------------------------- */

/* U = (lambda)/2 (J - 1)^2 */
static void volume_energy(const double *par, double J, double u[3])
{
  const double modulus = par[LAME_LAMBDA];
  u[0] = 0.5 * modulus * (J - 1) * (J - 1), u[1] = modulus * (J - 1), u[2] = modulus;
}

static const wring_isotropic pressed = {.modes = modes, .pressure = LAME_N_PAR, .law = &wring_law_fixed_corotated};

static const wring_law element = {
  .name = "fixed_corotated", .kind = WRING_LAW_MATERIAL, .n_par = LAME_N_PAR + 1, WRING_PRESSED(pressed)};

static const wring_volumetric mean = {.element = &element, .keep = wring_lame_keep_mu, .energy = volume_energy};

const wring_law wring_law_fixed_corotated = {
  .name        = "fixed_corotated",
  .n_par       = LAME_N_PAR,
  .options     = wring_lame_options,
  .set_par     = wring_lame_get_bounded,
  .example     = wring_lame_example,
  .energy      = energy,
  .fused       = fused,
  .contracted  = contracted,
  .definite_mu = 2,
  .products    = products,
  .slope       = wring_lame_slope,
  .volumetric  = &mean,
  WRING_MATERIAL(rule),
};
