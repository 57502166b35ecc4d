/*
  Spline: psi(F) = sum a(s_i) + sum_(i<j) b(s_i s_j) + c(s_0 s_1 s_2) of the stretches s, where a', b' and c' [Pa] are tabulated
  and interpolated by cubics with continuous slopes, and a(1) = b(1) = c(1) = 0; finite for every F.
  docs/theory.md (3.44); [Valanis, Landel 1967], [Xu et al. 2015], [Liu, Bouaziz, Kavan 2017].

  a', b' and c' at 1 need not be 0, but a'(1) + 2 b'(1) + c'(1) is. With e_i = s_i - 1, the linear parts of a, b and c add up to
    (b'(1) + c'(1)) sum_(i<j) e_i e_j + c'(1) e_0 e_1 e_2;
  the tables hold the rest, which is of second order: a density far smaller than the moduli keeps its digits.
*/
#include "spline.h"
#include "base/block3.h"
#include "isotropic.h"
#include "keys.h"
#include "stretch_prox.h"
#include "root.h"

static const wring_option options[] = {
  {.key  = "file",
   .type = WRING_PATH,
   .help = "CSV `function,x,value[,slope]` of spline: the derivatives of a, b and c [Pa] at increasing x, up to 64 "
           "points each."},
  {.key = NULL},
};

static PetscErrorCode set_par(const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  char file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(
    wring_options_get_path(o, wring_law_prefix(o, prefix, fallback, "file"), options, "file", sizeof file, file));
  PetscCall(wring_spline_read(wring_options_comm(o), file, par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one function ------------------------------------------------------------------------------------------------ */

/* The piece that holds s: the number of breaks up to s, by bisection. */
BLOCK3_INLINE int64_t piece_of(wring_in par, int function, int lane, double s)
{
  const double *restrict breaks = &par[spline_break_row(function)][lane];
  int64_t p                     = 0;
  p += s >= breaks[(p + 64) * WRING_LANES] ? 64 : 0;
  p += s >= breaks[(p + 32) * WRING_LANES] ? 32 : 0;
  p += s >= breaks[(p + 16) * WRING_LANES] ? 16 : 0;
  p += s >= breaks[(p + 8) * WRING_LANES] ? 8 : 0;
  p += s >= breaks[(p + 4) * WRING_LANES] ? 4 : 0;
  p += s >= breaks[(p + 2) * WRING_LANES] ? 2 : 0;
  p += s >= breaks[(p + 1) * WRING_LANES] ? 1 : 0;
  return p;
}

typedef struct {
  double base, y, m, c, d, integral;
} piece;

BLOCK3_INLINE piece load_piece(wring_in par, int function, int lane, int64_t p)
{
  const double *restrict row = &par[spline_piece_row(function, 0)][lane] + p * WRING_LANES;
  const int64_t next         = SPLINE_PIECES * WRING_LANES;
  return (piece){row[PIECE_BASE * next], row[PIECE_Y * next], row[PIECE_M * next],
                 row[PIECE_C * next],    row[PIECE_D * next], row[PIECE_INTEGRAL * next]};
}

/* A function's derivative at s less that at 1, its slope, and its integral from 1. */
typedef struct {
  double value, slope, integral;
} spline;

BLOCK3_INLINE spline spline_at(wring_in par, int function, int lane, double s)
{
  const piece  q = load_piece(par, function, lane, piece_of(par, function, lane, s));
  const double t = s - q.base;
  return (spline){q.y + t * (q.m + t * (q.c + t * q.d)), q.m + t * (2 * q.c + t * (3 * q.d)),
                  q.integral + t * (q.y + t * (0.5 * q.m + t * (q.c * (1. / 3) + t * (0.25 * q.d))))};
}

/* (p(t) - p(u))/(t - u) of a piece, t = x - base, u = y - base. */
BLOCK3_INLINE double divided_in_piece(piece q, double x, double y)
{
  const double t = x - q.base, u = y - q.base;
  return q.m + q.c * (t + u) + q.d * (t * t + t * u + u * u);
}

BLOCK3_INLINE double value_in_piece(piece q, double x)
{
  const double t = x - q.base;
  return q.y + t * (q.m + t * (q.c + t * q.d));
}

/*
  (f(x) - f(y))/(x - y) without cancellation in one piece and over the break between two neighbours, where it is a mean of the
  two pieces' own; elsewhere x and y are a whole piece apart.
*/
BLOCK3_INLINE double divided(wring_in par, int function, int lane, double x, double y)
{
  const double  high = block3_max(x, y), low = block3_min(x, y);
  const int64_t p = piece_of(par, function, lane, high), q = piece_of(par, function, lane, low);
  const piece   above = load_piece(par, function, lane, p), below = load_piece(par, function, lane, q);
  const double  at    = par[spline_break_row(function) + (p > 0 ? p : 1)][lane];
  const double  apart = p > q ? high - low : 1;
  const double  across =
    (divided_in_piece(above, high, at) * (high - at) + divided_in_piece(below, at, low) * (at - low)) / apart;
  const double far = (value_in_piece(above, high) - value_in_piece(below, low)) / apart;
  return p == q ? divided_in_piece(above, high, low) : p == q + 1 ? across : far;
}

/* ---- energy and gradient ----------------------------------------------------------------------------------------- */

/* psi and psi_i at stretches s [3]. */
static void evaluate(wring_in par, wring_in s, double *psi, double (*d)[WRING_LANES])
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], e0 = s0 - 1, e1 = s1 - 1, e2 = s2 - 1;
    const double pair = par[SPLINE_PAIR][lane], volume = par[SPLINE_VOLUME][lane];
    const spline a0 = spline_at(par, SPLINE_A, lane, s0), a1 = spline_at(par, SPLINE_A, lane, s1);
    const spline a2 = spline_at(par, SPLINE_A, lane, s2), b01 = spline_at(par, SPLINE_B, lane, s0 * s1);
    const spline b02 = spline_at(par, SPLINE_B, lane, s0 * s2), b12 = spline_at(par, SPLINE_B, lane, s1 * s2);
    const spline c = spline_at(par, SPLINE_C, lane, s0 * s1 * s2);
    psi[lane]      = a0.integral + a1.integral + a2.integral + b01.integral + b02.integral + b12.integral + c.integral +
                pair * (e0 * e1 + e0 * e2 + e1 * e2) + volume * (e0 * e1 * e2);
    d[0][lane] = a0.value + s1 * b01.value + s2 * b02.value + s1 * s2 * c.value + pair * (e1 + e2) + volume * (e1 * e2);
    d[1][lane] = a1.value + s0 * b01.value + s2 * b12.value + s0 * s2 * c.value + pair * (e0 + e2) + volume * (e0 * e2);
    d[2][lane] = a2.value + s0 * b02.value + s1 * b12.value + s0 * s1 * c.value + pair * (e0 + e1) + volume * (e0 * e1);
  }
}

static void energy(wring_in par, wring_in z, double *psi)
{
  WRING_ALIGNED double u[9][WRING_LANES], s[3][WRING_LANES], v[9][WRING_LANES], d[3][WRING_LANES];

  wring_block3_svd(z, u, s, v);
  evaluate(par, (wring_in)s, psi, d);
}

/* U diag(psi_i) V^T */
static void fused(wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double u[9][WRING_LANES], s[3][WRING_LANES], v[9][WRING_LANES], d[3][WRING_LANES];

  wring_block3_svd(z, u, s, v);
  evaluate(par, (wring_in)s, psi, d);
  wring_stretch_assemble((wring_in)u, (wring_in)d, (wring_in)v, p);
}

static void gradient(wring_in par, wring_in z, wring_out p)
{
  WRING_ALIGNED double psi[WRING_LANES];

  fused(par, z, psi, p);
}

/* ---- curvature --------------------------------------------------------------------------------------------------- */

/* d2psi/ds_i ds_j: b' and b'' at s_i s_j, c' and c'' at J, s_k the third stretch. */
BLOCK3_INLINE double cross_curvature(double si, double sj, double sk, double b, double b_slope, double c,
                                     double c_slope)
{
  return b + si * sj * b_slope + sk * c + si * sj * (sk * sk) * c_slope;
}

/* d2psi/ds_i ds_j */
static void curvature(wring_in par, wring_in s, double (*a)[WRING_LANES])
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], j0 = s1 * s2, j1 = s0 * s2, j2 = s0 * s1;
    const double c_rest = par[SPLINE_VOLUME][lane], b_rest = par[SPLINE_PAIR][lane] - c_rest;
    const spline a0 = spline_at(par, SPLINE_A, lane, s0), a1 = spline_at(par, SPLINE_A, lane, s1);
    const spline a2 = spline_at(par, SPLINE_A, lane, s2), b01 = spline_at(par, SPLINE_B, lane, j2);
    const spline b02 = spline_at(par, SPLINE_B, lane, j1), b12 = spline_at(par, SPLINE_B, lane, j0);
    const spline c       = spline_at(par, SPLINE_C, lane, s0 * j0);
    const double c_value = c_rest + c.value;
    a[0][lane]           = a0.slope + s1 * s1 * b01.slope + s2 * s2 * b02.slope + j0 * j0 * c.slope;
    a[1][lane]           = a1.slope + s0 * s0 * b01.slope + s2 * s2 * b12.slope + j1 * j1 * c.slope;
    a[2][lane]           = a2.slope + s0 * s0 * b02.slope + s1 * s1 * b12.slope + j2 * j2 * c.slope;
    a[3][lane]           = cross_curvature(s0, s1, s2, b_rest + b01.value, b01.slope, c_value, c.slope);
    a[4][lane]           = cross_curvature(s0, s2, s1, b_rest + b02.value, b02.slope, c_value, c.slope);
    a[5][lane]           = cross_curvature(s1, s2, s0, b_rest + b12.value, b12.slope, c_value, c.slope);
  }
}

/*
  (psi_i - psi_j)/(s_i - s_j) = a'[s_i, s_j] - b'(s_i s_j) + s_k^2 b'[s_i s_k, s_j s_k] - s_k c'(J), where f[x, y] is a divided
  difference, and
  (psi_i + psi_j)/(s_i + s_j) = (a'(s_i) + a'(s_j) + s_k (b'(s_i s_k) + b'(s_j s_k)))/(s_i + s_j) + b'(s_i s_j) + s_k c'(J).
*/
static void pair_modes(wring_in par, wring_in s, int i, int j, int k, double *twist, double *flip)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double si = s[i][lane], sj = s[j][lane], sk = s[k][lane];
    const double c_rest = par[SPLINE_VOLUME][lane], b_rest = par[SPLINE_PAIR][lane] - c_rest,
                 a_rest = -2 * b_rest - c_rest;
    const double ai = spline_at(par, SPLINE_A, lane, si).value, aj = spline_at(par, SPLINE_A, lane, sj).value;
    const double bi = spline_at(par, SPLINE_B, lane, si * sk).value, bj = spline_at(par, SPLINE_B, lane, sj * sk).value;
    const double b      = b_rest + spline_at(par, SPLINE_B, lane, si * sj).value;
    const double shared = b + sk * (c_rest + spline_at(par, SPLINE_C, lane, si * sj * sk).value);
    const double sum    = ai + aj + 2 * a_rest + sk * (bi + bj + 2 * b_rest);
    twist[lane]         = sum * wring_isotropic_pair(si, sj) + shared;
    flip[lane] =
      divided(par, SPLINE_A, lane, si, sj) + sk * sk * divided(par, SPLINE_B, lane, si * sk, sj * sk) - shared;
  }
}

static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
  curvature(par, s, m->a);
  pair_modes(par, s, 0, 1, 2, m->twist[0], m->flip[0]);
  pair_modes(par, s, 0, 2, 1, m->twist[1], m->flip[1]);
  pair_modes(par, s, 1, 2, 0, m->twist[2], m->flip[2]);
}

static void hessian(wring_in par, wring_in z, wring_out h)
{
  wring_isotropic_hessian(modes, PETSC_FALSE, par, z, h);
}

static void hessian_psd(wring_in par, wring_in z, wring_out h)
{
  wring_isotropic_hessian(modes, PETSC_TRUE, par, z, h);
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
  evaluate(par, s, at->psi, at->d);
  curvature(par, s, at->a);
}

static void prox(wring_in par, const double *rho, wring_in z, wring_out p)
{
  wring_stretch_prox(stretches, 0, par, rho, z, p);
}

/* By quadrature that is exact for cubics, once the file is read. docs/theory.md (4.2) */
static void slope(wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[SPLINE_MODULUS][lane];
}

static void constraint(int j, wring_in par, wring_in z, double *C, wring_out dC, double *k)
{
  (void)j;
  wring_law_root(fused, par[SPLINE_MODULUS], par, z, C, dC, k);
}

const wring_law wring_law_spline = {
  .name         = "spline",
  .q            = 3,
  .n_par        = SPLINE_N_PAR,
  .options      = options,
  .set_par      = set_par,
  .energy       = energy,
  .gradient     = gradient,
  .fused        = fused,
  .hessian      = hessian,
  .hessian_psd  = hessian_psd,
  .slope        = slope,
  .n_constraint = 1,
  .constraint   = constraint,
  .prox         = prox,
};
