/*
  Spline: psi(F) = sum a(s_i) + sum_(i<j) b(s_i s_j) + c(s_0 s_1 s_2) of the stretches s, where a', b' and c' [Pa] are
  tabulated and interpolated by cubics with continuous slopes, and a(1) = b(1) = c(1) = 0; finite for every F.
  docs/theory.md (3.21); [Valanis, Landel 1967], [Xu et al. 2015], [Liu, Bouaziz, Kavan 2017].

  a', b' and c' at 1 need not be 0, but a'(1) + 2 b'(1) + c'(1) = 0. With e_i = s_i - 1, the linear parts of a, b and c
  add up to
    (b'(1) + c'(1)) sum_(i<j) e_i e_j + c'(1) e_0 e_1 e_2.
  The tables hold the rest, which is of second order, so that a density far smaller than the moduli is still accurate.
*/
#include "law/common/spline.h"
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/keys.h"
#include "law/common/stretch_prox.h"
#include <string.h>

static const wring_option options[] = {
  {"file", WRING_PATH,
   .help = "CSV `function,x,value[,slope]` of spline: the derivatives of a, b and c [Pa] at increasing x, up to 64 "
           "points each."},
  {0},
};

static PetscErrorCode set_par(WRING_SELF, const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  char file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(
    wring_options_get_path(o, wring_law_prefix(o, prefix, fallback, "file"), options, "file", sizeof file, file));
  PetscCall(wring_spline_read(o, file, par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the three functions ----------------------------------------------------------------------------------------- */

/* The arguments of the functions. */
enum { S0, S1, S2, S01, S02, S12, S012, N_ARGUMENT };

/* The arguments of a function: n from the first. */
typedef struct {
  int function, first, n;
} argument_list;

static const argument_list lists[] = {{SPLINE_A, S0, 3}, {SPLINE_B, S01, 3}, {SPLINE_C, S012, 1}};

/*
  For each argument x: the index and the numbers of its piece, and the derivative of a, b or c minus its value at 1, its
  slope, and its integral from 1.
*/
typedef struct {
  double x[N_ARGUMENT][WRING_LANES], piece[N_ARGUMENT][WRING_LANES], row[N_ARGUMENT][PIECE_ROWS][WRING_LANES];
  double value[N_ARGUMENT][WRING_LANES], slope[N_ARGUMENT][WRING_LANES], integral[N_ARGUMENT][WRING_LANES];
} splines;

static void set_arguments(wring_in s, double (*x)[WRING_LANES])
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    x[S0][lane] = s0, x[S1][lane] = s1, x[S2][lane] = s2;
    x[S01][lane] = s0 * s1, x[S02][lane] = s0 * s2, x[S12][lane] = s1 * s2, x[S012][lane] = s0 * s1 * s2;
  }
}

/* The pieces of the arguments of a function: the number of breaks <= x. */
static void find_pieces(wring_in par, argument_list list, wring_in x, wring_out piece)
{
  const wring_in breaks = par + spline_break_row(list.function);
  int            most   = 0;
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const int count = (int)par[SPLINE_COUNT + list.function][lane];
    most            = count > most ? count : most;
  }
  for (int i = list.first; i < list.first + list.n; i++) {
    WRING_ALIGNED double sum[WRING_LANES] = {0};
    for (int p = 0; p < most; p++) {
#pragma omp simd
      for (int lane = 0; lane < WRING_LANES; lane++) sum[lane] += x[i][lane] >= breaks[p][lane] ? 1 : 0; // false: NaN
    }
    memcpy(piece[i], sum, sizeof sum);
  }
}

enum { NEAR_PIECES = 6 };

/*
  The numbers of the pieces of an argument. Lanes are mostly in one piece or in few neighbouring ones, which are read as
  vectors and selected from; else each lane reads its own.
*/
static void load_pieces(wring_in par, int function, const double *piece, double (*row)[WRING_LANES])
{
  const wring_in from  = par + spline_piece_row(function, 0);
  int            first = SPLINE_PIECES, last = 0;
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const int p = (int)piece[lane];
    first       = p < first ? p : first;
    last        = p > last ? p : last;
  }
  if (last - first >= NEAR_PIECES) {
    for (int lane = 0; lane < WRING_LANES; lane++) {
      for (int r = 0; r < PIECE_ROWS; r++) row[r][lane] = from[r * SPLINE_PIECES + (int)piece[lane]][lane];
    }
    return;
  }
  for (int r = 0; r < PIECE_ROWS; r++) {
    const wring_in of_row = from + r * SPLINE_PIECES;
    memcpy(row[r], of_row[first], sizeof row[r]);
    for (int p = first + 1; p <= last; p++) {
#pragma omp simd
      for (int lane = 0; lane < WRING_LANES; lane++) row[r][lane] = piece[lane] >= p ? of_row[p][lane] : row[r][lane];
    }
  }
}

static void look_up(wring_in par, wring_in s, splines *w)
{
  set_arguments(s, w->x);
  for (int k = 0; k < SPLINE_FUNCTIONS; k++) {
    find_pieces(par, lists[k], (wring_in)w->x, w->piece);
    for (int i = lists[k].first; i < lists[k].first + lists[k].n; i++)
      load_pieces(par, lists[k].function, w->piece[i], w->row[i]);
  }
  for (int i = 0; i < N_ARGUMENT; i++) {
    double(*const row)[WRING_LANES] = w->row[i];
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double y = row[PIECE_Y][lane], m = row[PIECE_M][lane], c = row[PIECE_C][lane], d = row[PIECE_D][lane];
      const double t       = w->x[i][lane] - row[PIECE_BASE][lane];
      w->value[i][lane]    = y + t * (m + t * (c + t * d));
      w->slope[i][lane]    = m + t * (2 * c + t * (3 * d));
      w->integral[i][lane] = row[PIECE_INTEGRAL][lane] + t * (y + t * (0.5 * m + t * (c * (1. / 3) + t * (0.25 * d))));
    }
  }
}

/* ---- energy and gradient ----------------------------------------------------------------------------------------- */

/* psi and psi_i at stretches s [3]. */
static void evaluate(wring_in par, wring_in s, const splines *w, double *psi, double (*d)[WRING_LANES])
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], e0 = s0 - 1, e1 = s1 - 1, e2 = s2 - 1;
    const double pair = par[SPLINE_PAIR][lane], volume = par[SPLINE_VOLUME][lane];
    const double b01 = w->value[S01][lane], b02 = w->value[S02][lane], b12 = w->value[S12][lane];
    const double c     = w->value[S012][lane];
    const double of_a  = w->integral[S0][lane] + w->integral[S1][lane] + w->integral[S2][lane];
    const double of_b  = w->integral[S01][lane] + w->integral[S02][lane] + w->integral[S12][lane];
    const double pairs = e0 * e1 + e0 * e2 + e1 * e2;
    psi[lane]          = of_a + of_b + w->integral[S012][lane] + pair * pairs + volume * (e0 * e1 * e2);
    d[0][lane]         = w->value[S0][lane] + s1 * b01 + s2 * b02 + s1 * s2 * c + pair * (e1 + e2) + volume * (e1 * e2);
    d[1][lane]         = w->value[S1][lane] + s0 * b01 + s2 * b12 + s0 * s2 * c + pair * (e0 + e2) + volume * (e0 * e2);
    d[2][lane]         = w->value[S2][lane] + s0 * b02 + s1 * b12 + s0 * s1 * c + pair * (e0 + e1) + volume * (e0 * e1);
  }
}

/* U diag(psi_i) V^T */
static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  WRING_ALIGNED double  u[9][WRING_LANES], s[3][WRING_LANES], v[9][WRING_LANES], d[3][WRING_LANES];
  WRING_ALIGNED splines w;

  wring_block3_svd(z, u, s, v);
  look_up(par, (wring_in)s, &w);
  evaluate(par, (wring_in)s, &w, psi, d);
  wring_stretch_assemble((wring_in)u, (wring_in)d, (wring_in)v, p);
}

/* ---- curvature --------------------------------------------------------------------------------------------------- */

/* d2psi/ds_i ds_j: b' and b'' at s_i s_j, c' and c'' at J, s_k the third stretch. */
BLOCK3_INLINE double cross_curvature(double si, double sj, double sk, double b, double b_slope, double c,
                                     double c_slope)
{
  return b + si * sj * b_slope + sk * c + si * sj * (sk * sk) * c_slope;
}

/* d2psi/ds_i ds_j */
static void curvature(wring_in par, wring_in s, const splines *w, double (*a)[WRING_LANES])
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], j0 = s1 * s2, j1 = s0 * s2, j2 = s0 * s1;
    const double c_rest = par[SPLINE_VOLUME][lane], b_rest = par[SPLINE_PAIR][lane] - c_rest;
    const double b01 = w->slope[S01][lane], b02 = w->slope[S02][lane], b12 = w->slope[S12][lane];
    const double c = c_rest + w->value[S012][lane], c_slope = w->slope[S012][lane];
    a[0][lane] = w->slope[S0][lane] + s1 * s1 * b01 + s2 * s2 * b02 + j0 * j0 * c_slope;
    a[1][lane] = w->slope[S1][lane] + s0 * s0 * b01 + s2 * s2 * b12 + j1 * j1 * c_slope;
    a[2][lane] = w->slope[S2][lane] + s0 * s0 * b02 + s1 * s1 * b12 + j2 * j2 * c_slope;
    a[3][lane] = cross_curvature(s0, s1, s2, b_rest + w->value[S01][lane], b01, c, c_slope);
    a[4][lane] = cross_curvature(s0, s2, s1, b_rest + w->value[S02][lane], b02, c, c_slope);
    a[5][lane] = cross_curvature(s1, s2, s0, b_rest + w->value[S12][lane], b12, c, c_slope);
  }
}

/* (f(x) - f(y))/(x - y) of a piece, t = x - base, u = y - base. */
BLOCK3_INLINE double divided_in_piece(double m, double c, double d, double t, double u)
{
  return m + c * (t + u) + d * (t * t + t * u + u * u);
}

/*
  The divided difference (f(x) - f(y))/(x - y) of two arguments of one function, x >= y. It is free of cancellation if x
  and y lie in one piece or in two neighbouring pieces, where it is a mean of theirs; otherwise at least a whole piece
  lies between x and y.
*/
static void divide(const splines *w, int i, int j, double *quotient)
{
  const double(*const high)[WRING_LANES] = w->row[i];
  const double(*const low)[WRING_LANES]  = w->row[j];
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double x = w->x[i][lane], y = w->x[j][lane], between = w->piece[i][lane] - w->piece[j][lane];
    const double at = between == 0 ? y : high[PIECE_LOWER][lane], apart = between == 0 ? 1 : x - y;
    const double of_high = divided_in_piece(high[PIECE_M][lane], high[PIECE_C][lane], high[PIECE_D][lane],
                                            x - high[PIECE_BASE][lane], at - high[PIECE_BASE][lane]);
    const double of_low  = divided_in_piece(low[PIECE_M][lane], low[PIECE_C][lane], low[PIECE_D][lane],
                                            at - low[PIECE_BASE][lane], y - low[PIECE_BASE][lane]);
    const double across  = (of_high * (x - at) + of_low * (at - y)) / apart;
    const double far     = (w->value[i][lane] - w->value[j][lane]) / apart;
    quotient[lane]       = between == 0 ? of_high : between == 1 ? across : far;
  }
}

/*
  (psi_i - psi_j)/(s_i - s_j) = a'[s_i, s_j] - b'(s_i s_j) + s_k^2 b'[s_i s_k, s_j s_k] - s_k c'(J), where f[x, y] is a
  divided difference, and (psi_i + psi_j)/(s_i + s_j) = (a'(s_i) + a'(s_j) + s_k (b'(s_i s_k) + b'(s_j s_k)))/(s_i +
  s_j) + b'(s_i s_j) + s_k c'(J). s_i >= s_j; ij, ik and jk are the indices of the products.
*/
static void pair_modes(wring_in par, const splines *w, const int stretch[3], const int product[3], double *twist,
                       double *flip)
{
  WRING_ALIGNED double of_a[WRING_LANES], of_b[WRING_LANES], of_negative[WRING_LANES];
  const int i = stretch[0], j = stretch[1], k = stretch[2], ij = product[0], ik = product[1], jk = product[2];

  divide(w, i, j, of_a);
  divide(w, ik, jk, of_b);
  divide(w, jk, ik, of_negative); // where s_k < 0
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double sk = w->x[k][lane], c_rest = par[SPLINE_VOLUME][lane], b_rest = par[SPLINE_PAIR][lane] - c_rest;
    const double shared = b_rest + w->value[ij][lane] + sk * (c_rest + w->value[S012][lane]);
    const double a      = w->value[i][lane] + w->value[j][lane] - 4 * b_rest - 2 * c_rest; // a'(1) = -2 b'(1) - c'(1)
    const double b      = w->value[ik][lane] + w->value[jk][lane] + 2 * b_rest;
    twist[lane]         = (a + sk * b) * wring_isotropic_pair(w->x[i][lane], w->x[j][lane]) + shared;
    flip[lane]          = of_a[lane] + sk * sk * (sk < 0 ? of_negative[lane] : of_b[lane]) - shared;
  }
}

static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
  static const int      stretch[3][3] = {{S0, S1, S2}, {S0, S2, S1}, {S1, S2, S0}};
  static const int      product[3][3] = {{S01, S02, S12}, {S02, S01, S12}, {S12, S01, S02}};
  WRING_ALIGNED splines w;

  look_up(par, s, &w);
  curvature(par, s, &w, m->a);
  for (int i = 0; i < 3; i++) pair_modes(par, &w, stretch[i], product[i], m->twist[i], m->flip[i]);
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
  WRING_ALIGNED splines w;

  look_up(par, s, &w);
  evaluate(par, s, &w, at->psi, at->d);
  curvature(par, s, &w, at->a);
}

/* Computed when the file is read, by a quadrature that is exact for cubics. docs/theory.md (4.2) */
static void slope(WRING_SELF, wring_in par, double *k)
{
  for (int lane = 0; lane < WRING_LANES; lane++) k[lane] = par[SPLINE_MODULUS][lane];
}

/* Neo-Hookean with young 1e6 Pa and poisson 0.4: a' = mu s, c' = (lambda log J - mu)/J. */
static const char example_file[] =
  "function,x,value,slope\n"
  "a,0,0,357142.857\na,0.25,89285.7143,357142.857\na,0.5,178571.429,357142.857\na,0.75,267857.143,357142.857\n"
  "a,1,357142.857,357142.857\na,1.25,446428.571,357142.857\na,1.5,535714.286,357142.857\n"
  "a,1.75,625000,357142.857\na,2,714285.714,357142.857\na,2.25,803571.429,357142.857\n"
  "a,2.5,892857.143,357142.857\na,2.75,982142.857,357142.857\na,3,1071428.57,357142.857\n"
  "c,0.05,-92735207.8,2.42613273e+09\nc,0.1,-36465501.3,507512156\nc,0.15,-20448761.8,199817142\n"
  "c,0.2,-13281699.4,102122783\nc,0.3,-6923680.02,38951949.3\nc,0.4,-4165324.04,19341881.5\n"
  "c,0.5,-2694706.23,11103698.2\nc,0.6,-1811489.58,6987403.27\nc,0.7,-1238112.13,4684183.51\n"
  "c,0.8,-844899.199,3288266.86\nc,0.9,-564064.311,2390406.55\nc,1,-357142.857,1785714.29\n"
  "c,1.1,-200895.87,1363270.15\nc,1.25,-30693.0842,938840.182\nc,1.5,148062.008,536212.63\n"
  "c,2,316533.7,198876.007\nc,3,404101.09,24029.7954\nc,4,405819.415,-12169.1394\n";

static const char *const example[] = {"file", example_file, NULL};

static const wring_isotropic rule = {.modes = modes, .stretches = stretches, .modulus = SPLINE_MODULUS};

const wring_law wring_law_spline = {
  .name       = "spline",
  .n_par      = SPLINE_N_PAR,
  .options    = options,
  .set_par    = set_par,
  .example    = example,
  .energy     = wring_law_energy_by_fused,
  .fused      = fused,
  .contracted = wring_isotropic_contracted,
  .products   = wring_isotropic_products,
  .slope      = slope,
  WRING_MATERIAL(rule),
};
