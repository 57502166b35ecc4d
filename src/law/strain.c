/*
  Strain (as rigid as possible): psi(F) = k/2 |F - R|^2, R the rotation closest to F; k [Pa].
  In stretches k/2 sum (s_i - 1)^2. docs/theory.md (3.13); [Chao et al. 2010], [Liu, Bouaziz, Kavan 2017].
*/
#include "base/block3.h"
#include "law/common/distance.h"
#include "law/common/isotropic.h"
#include "law/common/keys.h"
#include "law/common/closed_forms.h"

enum { K, N_PAR };

static const wring_option options[] = {
  {"stiffness", WRING_REAL, .unit = "Pa", .range = "(0,inf)",
   .help = "Stiffness k of the energy density k/2 |F - R|^2."},
  {0},
};

static void project(WRING_SELF, wring_in par, wring_in z, wring_out p)
{
  (void)par;
  wring_block3_rotation(z, p);
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 d = mat3_sub(mat3_load(z, lane), mat3_load((wring_in)r, lane));
    psi[lane]    = 0.5 * par[K][lane] * mat3_dot(d, d);
  }
}

/* R is stationary in |F - R|, so the gradient is that of a fixed R. */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 d = mat3_sub(mat3_load(z, lane), mat3_load((wring_in)r, lane));
    psi[lane]    = 0.5 * par[K][lane] * mat3_dot(d, d);
    mat3_store(p, lane, mat3_scale(par[K][lane], d));
  }
}

/* k (|g|^2 I - dR) */
static void contracted(const wring_law *self, wring_in par, wring_in z, wring_in g, wring_out h)
{
  WRING_ALIGNED double r[9][WRING_LANES], turn[6][WRING_LANES];

  if (!wring_turn_vertex(z, g, r, turn)) {
    wring_isotropic_contracted(self, par, z, g, h);
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const vec3   row = vertex_row(g, lane);
    const double k   = par[K][lane];
    const sym3   t   = vertex_load((wring_in)turn, lane);
    vertex_store(h, lane, sym3_combine(-k, t, 1, sym3_of_vector(k * vec3_dot(row, row), 0, row)));
  }
}

/* k (a . b - a . DR(b)); filtered or where R turns fast, by the modes. */
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
    const mat3 x = mat3_load(a, lane), y = mat3_load(b, lane);
    sum[0][lane] = par[K][lane] * (mat3_dot(x, x) - turn[0][lane]);
    sum[1][lane] = par[K][lane] * (mat3_dot(x, y) - turn[1][lane]);
    sum[2][lane] = par[K][lane] * (mat3_dot(y, y) - turn[2][lane]);
  }
}

/* psi_i = k (s_i - 1) */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double k = par[K][lane], s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    m->a[0][lane] = m->a[1][lane] = m->a[2][lane] = k;
    m->a[3][lane] = m->a[4][lane] = m->a[5][lane] = 0;
    m->flip[0][lane] = m->flip[1][lane] = m->flip[2][lane] = k;
    m->twist[0][lane]                                      = k * (1 - 2 * wring_isotropic_pair(s0, s1));
    m->twist[1][lane]                                      = k * (1 - 2 * wring_isotropic_pair(s0, s2));
    m->twist[2][lane]                                      = k * (1 - 2 * wring_isotropic_pair(s1, s2));
  }
}

/* C = |F - R|, k = the stiffness; dC = (F - R)/C, since R is stationary. */
static void constraint(WRING_SELF, int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  WRING_ALIGNED double r[9][WRING_LANES];

  (void)j;
  wring_block3_rotation(z, r);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f = mat3_load(z, lane), d = mat3_sub(f, mat3_load((wring_in)r, lane));
    const double squared = mat3_dot(d, d);
    const int    nothing = squared <= LAW_ROOT_NOISE * mat3_dot(f, f);
    const double inverse = nothing ? 0 : block3_rsqrt(squared);
    C[lane]              = squared * inverse;
    k[lane]              = par[K][lane];
    mat3_store(dC, lane, mat3_scale(inverse, d));
  }
}

static const wring_isotropic rule = {.modes = modes};

static const char *const example[] = {"stiffness", "1e6", NULL};

const wring_law wring_law_strain = {
  .name         = "strain",
  .kind         = WRING_LAW_MATERIAL,
  .n_par        = N_PAR,
  .options      = options,
  .set_par      = wring_law_get_in_order,
  .example      = example,
  .pose         = WRING_POSE_SHAPE,
  .energy       = energy,
  .fused        = fused,
  .contracted   = contracted,
  .products     = products,
  .project      = project,
  .slope        = wring_law_slope_of_stiffness,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = wring_distance_prox, // R is closest to p too, docs/theory.md 3.7
  WRING_ISOTROPIC(rule),
};
