/*
  Volume: psi(F) = k/2 |F - p|^2, p = the closest F with min <= det F <= max; k [Pa]. docs/theory.md (3.46),
  (3.49)-(3.52); [Bouaziz et al. 2014].
*/
#include "base/block3.h"
#include "law/common/limit.h"
#include "law/pressure.h"
#include <float.h>

typedef double lanes[WRING_LANES];

static const wring_option options[] = {
  {"volume_stiffness", WRING_REAL, .unit = "Pa", .range = "(0,inf)",
   .help = "Stiffness k of the energy density k/2 |F - p|^2, p the closest F with det F between min and max."},
  {"volume_min", WRING_REAL, .range = "(0,inf)", .value = "1",
   .help = "Smallest det F, the ratio of volume to rest volume, without energy."},
  {"volume_max", WRING_REAL, .range = "(0,inf)", .value = "1", .help = "Largest det F without energy."},
  {0},
};

/* ---- the closest stretches of a given product -------------------------------------------------------------------- */

/*
  Stationary points t_i (t_i - s_i) = nu for all i, as functions of y = t_2: nu = y (y - s_2), and t_0 and t_1 are the
  larger roots. g = log(t_0 t_1 y/tau) is 0 where the product is tau; slope = dg/dlog y.
*/
typedef struct {
  double nu, t0, t1, g, slope;
} stationary;

BLOCK3_INLINE stationary stationary_at(double s0, double s1, double s2, double tau, double y)
{
  const double nu = y * (y - s2), w0 = sqrt(block3_max(s0 * s0 + 4 * nu, DBL_MIN));
  const double w1 = sqrt(block3_max(s1 * s1 + 4 * nu, DBL_MIN)), t0 = 0.5 * (s0 + w0), t1 = 0.5 * (s1 + w1);
  return (stationary){nu, t0, t1, block3_log(t0 * t1 * y / tau),
                      1 + y * (2 * y - s2) * (1 / (t0 * w0) + 1 / (t1 * w1))};
}

/* A root of g in [low, high], with g < 0 at low; the search starts at y. */
typedef struct {
  lanes y, low, high, change; // change: the last step of log y, 0 or round-off when the lane has converged
} search;

static const double converged = 4 * DBL_EPSILON; // largest change of a lane that stays where it is

/* Newton's method on log y with steps of at most 1 in a bracket; a step that leaves the bracket becomes a bisection. */
static void step(wring_in s, const lanes tau, search *w)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double     y      = w->y[lane];
    const stationary a      = stationary_at(s[0][lane], s[1][lane], s[2][lane], tau[lane], y);
    const double     newton = a.slope > 0 ? -a.g / a.slope : INFINITY, u = block3_min(block3_max(newton, -1), 1);
    const double     next   = y * (2 + u) / (2 - u); // exp u up to u^3/12
    const double     low    = a.g < 0 ? block3_max(w->low[lane], y) : w->low[lane];
    const double     high   = a.g < 0 ? w->high[lane] : block3_min(w->high[lane], y);
    const int        inside = (next >= low) & (next <= high) & (a.slope > 0), going = w->change[lane] > converged;
    const double     middle = low > 0 ? sqrt(low) * sqrt(high) : 0.5 * high, to = inside ? next : middle;
    w->low[lane] = low, w->high[lane] = high;
    w->y[lane]      = going ? to : y;
    w->change[lane] = going ? fabs(to - y) / y : w->change[lane];
  }
}

enum { FIXED_STEPS = 4, MAX_STEPS = 80 };

/* 1 if any lane still changes; NaN counts as converged. */
static int moves(const search *w)
{
  int any = 0;
  for (int lane = 0; lane < WRING_LANES; lane++) any |= w->change[lane] > converged;
  return any;
}

/*
  Newton's step of log y for P = t_0 t_1 y = tau. log(tau/P) is 2 (tau - P)/(tau + P) up to its third power, and its
  slope is 1 + y (2 y - s_2) (t_0 w_0 + t_1 w_1)/(t_0 w_0 t_1 w_1).
*/
BLOCK3_INLINE double plain_step(double s0, double s1, double s2, double tau, double y)
{
  const double nu = y * (y - s2), w0 = sqrt(s0 * s0 + 4 * nu), w1 = sqrt(s1 * s1 + 4 * nu);
  const double t0 = 0.5 * (s0 + w0), t1 = 0.5 * (s1 + w1), product = t0 * t1 * y, a = t0 * w0, b = t1 * w1;
  return 2 * (tau - product) * (a * b) / ((tau + product) * (a * b + y * (2 * y - s2) * (a + b)));
}

/*
  The common case of stretches whose product is near tau: a fixed number of Newton steps from s_2, without a bracket. A
  lane keeps the result, and has converged, if the last step is so small that the next one would be round-off, and if it
  is in the bracket, where g has one root.
*/
static void find_near_root(wring_in s, const lanes tau, search *w)
{
  WRING_ALIGNED lanes y, u;

#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) y[lane] = s[2][lane];
  for (int i = 0; i < FIXED_STEPS; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      u[lane] = plain_step(s[0][lane], s[1][lane], s[2][lane], tau[lane], y[lane]);
      y[lane] += y[lane] * (u[lane] + 0.5 * u[lane] * u[lane]);
    }
  }
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const int near  = (fabs(u[lane]) < 1e-9) & (y[lane] >= w->low[lane]) & (y[lane] <= w->high[lane]) & (y[lane] > 0);
    w->y[lane]      = near ? y[lane] : w->y[lane];
    w->change[lane] = near ? 0 : INFINITY;
  }
}

static void find_root(wring_in s, const lanes tau, search *w)
{
  for (int i = 0; i < MAX_STEPS && moves(w); i++) step(s, tau, w);
}

/* 1 if g is 0 up to the rounding errors of log y, which slope amplifies, and of g. */
BLOCK3_INLINE int is_root(stationary a)
{
  return fabs(a.g) < block3_min(1e-6, 1e-13 * (1 + fabs(a.slope)));
}

/* Keeps the nearer of two values of y; the end of an interval without a root counts as infinitely far. */
static void keep_nearer(wring_in s, const lanes tau, const lanes other, lanes y)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double     s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    const stationary a  = stationary_at(s0, s1, s2, tau[lane], y[lane]);
    const stationary b  = stationary_at(s0, s1, s2, tau[lane], other[lane]);
    const double     a0 = a.t0 - s0, a1 = a.t1 - s1, a2 = y[lane] - s2, b0 = b.t0 - s0, b1 = b.t1 - s1;
    const double     b2 = other[lane] - s2, near = is_root(a) ? a0 * a0 + a1 * a1 + a2 * a2 : INFINITY;
    const double     far = is_root(b) ? b0 * b0 + b1 * b1 + b2 * b2 : INFINITY;
    y[lane]              = far < near ? other[lane] : y[lane];
  }
}

/*
  y of the closest point with the product tau. above: s_0 s_1 s_2 > tau; then y < s_2, and y is the larger root of t_2
  (t_2 - s_2) = nu if it is above s_2/2, the smaller root if it is below. The smaller root flattens one direction and
  can be nearer if the product must decrease to half or less.
*/
static void closest(wring_in s, const lanes tau, const int *above, lanes y)
{
  WRING_ALIGNED search larger, smaller;
  int                  flatten = 0, flat[WRING_LANES];
#pragma omp simd reduction(| : flatten)
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    flat[lane]           = above[lane] & (s0 * s1 * s2 > 2 * tau[lane]);
    larger.low[lane]     = above[lane] ? 0.5 * s2 : block3_max(s2, 0);
    larger.high[lane]    = above[lane] ? s2 : INFINITY;
    larger.y[lane]       = above[lane] ? s2 : block3_max(s2, tau[lane] / ((s0 + 1) * (s1 + 1)));
    smaller.low[lane]    = 0;
    smaller.high[lane]   = 0.5 * s2;
    smaller.y[lane]      = block3_min(tau[lane] / (s0 * s1), 0.5 * s2);
    smaller.change[lane] = flat[lane] ? INFINITY : 0;
    flatten |= flat[lane];
  }
  find_near_root(s, tau, &larger);
  find_root(s, tau, &larger);
  for (int lane = 0; lane < WRING_LANES; lane++) y[lane] = larger.y[lane];
  if (!flatten) return;
  find_root(s, tau, &smaller);
  for (int lane = 0; lane < WRING_LANES; lane++) smaller.y[lane] = flat[lane] ? smaller.y[lane] : y[lane];
  keep_nearer(s, tau, smaller.y, y);
}

/* t [3] and nu at the stretches s; t = s and nu = 0 where the volume is within the limits. */
static void closest_stretches(wring_in par, wring_in s, wring_out t, lanes nu)
{
  WRING_ALIGNED lanes tau, y;
  int                 above[WRING_LANES], inside[WRING_LANES];
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double J = s[0][lane] * s[1][lane] * s[2][lane], low = par[LIMIT_MIN][lane], high = par[LIMIT_MAX][lane];
    inside[lane] = (J >= low) & (J <= high);
    above[lane]  = J > high;
    tau[lane]    = above[lane] ? high : inside[lane] ? J : low;
  }
  closest(s, tau, above, y);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double     s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane];
    const stationary a = stationary_at(s0, s1, s2, tau[lane], y[lane]);
    t[0][lane]         = inside[lane] ? s0 : a.t0;
    t[1][lane]         = inside[lane] ? s1 : a.t1;
    t[2][lane]         = inside[lane] ? s2 : y[lane];
    nu[lane]           = inside[lane] ? 0 : a.nu;
  }
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

static int holds(wring_in par, wring_in z)
{
  WRING_ALIGNED lanes J;
  int                 all = 1;

#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 f = mat3_load(z, lane);
    J[lane]      = mat3_det(f, mat3_cofactor(f));
  }
  for (int lane = 0; lane < WRING_LANES; lane++)
    all &= J[lane] >= par[LIMIT_MIN][lane] && J[lane] <= par[LIMIT_MAX][lane];
  return all;
}

static void excess(wring_in par, wring_in s, wring_out e)
{
  WRING_ALIGNED lanes t[3], nu;

  closest_stretches(par, s, t, nu);
  for (int i = 0; i < 3; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) e[i][lane] = s[i][lane] - t[i][lane];
  }
}

/* nu/(t_i t_j + sign nu), bounded where the closest point is not unique: t_i t_j = -sign nu. */
BLOCK3_INLINE double pair_mode(double ti, double tj, double nu, double sign)
{
  const double tt = ti * tj;
  return nu / block3_max(tt + sign * nu, 1e-10 * tt);
}

/* docs/theory.md (3.51), (3.52): q_i = 2 t_i - s_i, d the sum of q_i q_j/t_k. */
static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
  WRING_ALIGNED lanes t[3], shift;

  closest_stretches(par, s, t, shift);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double nu = shift[lane], t0 = t[0][lane], t1 = t[1][lane], t2 = t[2][lane];
    const double q0 = 2 * t0 - s[0][lane], q1 = 2 * t1 - s[1][lane], q2 = 2 * t2 - s[2][lane];
    const double k = nu != 0 ? par[LIMIT_K][lane] : 0, d = q1 * q2 / t0 + q0 * q2 / t1 + q0 * q1 / t2;
    const double c = k / (nu != 0 ? d : 1);
    m->a[0][lane]  = k - c * t0 * (q2 / t1 + q1 / t2);
    m->a[1][lane]  = k - c * t1 * (q2 / t0 + q0 / t2);
    m->a[2][lane]  = k - c * t2 * (q1 / t0 + q0 / t1);
    m->a[3][lane] = c * q2, m->a[4][lane] = c * q1, m->a[5][lane] = c * q0;
    m->flip[0][lane] = k * pair_mode(t0, t1, nu, 1), m->twist[0][lane] = -k * pair_mode(t0, t1, nu, -1);
    m->flip[1][lane] = k * pair_mode(t0, t2, nu, 1), m->twist[1][lane] = -k * pair_mode(t0, t2, nu, -1);
    m->flip[2][lane] = k * pair_mode(t1, t2, nu, 1), m->twist[2][lane] = -k * pair_mode(t1, t2, nu, -1);
  }
}

static const wring_limit rule = {.isotropic = {.modes = modes}, .holds = holds, .excess = excess};

static const char *const example[] = {"volume_stiffness", "1e6", "volume_min", "0.99", "volume_max", "1.01", NULL};

/* ---- volumetric: mean -------------------------------------------------------------------------------------------- */

/* Nothing: the material keeps the element stable. */
static PetscBool keep(const double *par, double *element_par)
{
  for (int i = 0; i < LIMIT_N_PAR; i++) element_par[i] = par[i];
  element_par[LIMIT_N_PAR] = 0;
  return PETSC_TRUE;
}

/* U = k/6 (J - t)^2, t the closest J with min <= t <= max: near t = 1, what psi is for F = J^(1/3) I. */
static void volume_energy(const double *par, double J, double u[3])
{
  const double low = par[LIMIT_MIN], high = par[LIMIT_MAX], modulus = par[LIMIT_K] / 3;
  const double excess = J < low ? J - low : J > high ? J - high : 0;
  u[0] = 0.5 * modulus * excess * excess, u[1] = modulus * excess, u[2] = excess != 0 ? modulus : 0;
}

static void no_modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
  (void)par, (void)s;
  *m = (wring_isotropic_modes){0};
}

static const wring_isotropic pressed = {.modes = no_modes, .pressure = LIMIT_N_PAR};

static const wring_law element = {
  .name = "volume", .kind = WRING_LAW_ON_TOP, .n_par = LIMIT_N_PAR + 1, WRING_PRESSED(pressed)};

static const wring_volumetric mean = {.element = &element, .keep = keep, .energy = volume_energy};

const wring_law wring_law_volume = {
  .name       = "volume",
  .options    = options,
  .example    = example,
  .volumetric = &mean,
  WRING_LIMIT(rule),
};
