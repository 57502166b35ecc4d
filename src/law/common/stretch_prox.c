/*
  Newton's method for three stretches, in all lanes of a block at once. Every pass evaluates the law once, at a trial
  point t + alpha e of each lane. A lane whose trial is accepted moves there and computes its next Newton direction e;
  otherwise it halves alpha. A lane that has converged keeps e = 0 until the others have converged.
*/
#include "stretch_prox.h"
#include "base/block3.h"

enum { MAX_PASSES = 200, S00 = 0, S11, S22, S01, S02, S12 };

static const double rest_start  = 1e-3;  // fraction of the way from s to rest: leaves points stationary by symmetry
static const double least_start = 0.1;   // least initial value of a stretch that must be positive
static const double shrink      = 0.1;   // a step leaves at least this fraction of such a stretch
static const double least_size  = 1e-7;  // of the largest positive stretch: phi has no minimum, the infimum is at 0
static const double sufficient  = 1e-4;  // fraction of the decrease that the slope predicts
static const double round_off   = 1e-12; // relative to the terms of phi
static const double small_step  = 1e-8;  // relative: the error after such a Newton step is of the order of its square
static const double stationary  = 1e-13; // gradient of phi relative to its terms
static const double stagnant    = 0.25;  // a small step that leaves more than this fraction of the gradient is the last
static const double give_up     = 1e-3;  // alpha at which the search ends beside a small step; else:
static const double exhausted   = 1e-16; // alpha at which the search ends
static const double definite    = 1e-10; // leading minors relative to the products of diagonal entries
static const double flattest    = 1e-10; // least modulus of an eigenvalue of H, relative to rho

typedef double lanes[WRING_LANES];

/* The iterate t, phi(t) = psi + rho/2 |t - s|^2, the direction e, and the slope of phi along it. */
typedef struct {
  lanes t[3], e[3];
  lanes phi, slope, alpha;
  lanes left, end;    // sum of the moduli of the gradient of phi; alpha at which the search ends
  lanes taken, going; // 1 or 0: the last trial was accepted; the lane has not converged
} search;

/* Values at a trial point. */
typedef struct {
  lanes t[3], g[3];   // gradient of phi
  lanes phi, size;    // size: sum of the magnitudes of the terms of phi
  lanes left, forces; // sums of the moduli of g and of its terms
} trial;

static int any(const lanes a)
{
  int some = 0;
  for (int l = 0; l < WRING_LANES; l++) some |= a[l] > 0;
  return some;
}

/* The largest step <= 1 along e that keeps t positive. */
BLOCK3_INLINE double longest_step(double t, double e)
{
  return t + e < shrink * t ? (shrink - 1) * t / e : 1;
}

/*
  Replaces t by the signed singular values of diag(t): sorted moduli, the last with the sign of the product. psi is a
  function of these, also after a step that violates t_0 >= t_1 >= |t_2|, and they are closer to s than t is: the
  objective at U diag(t) V^T does not exceed that at t.
*/
static void order(lanes *t)
{
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const double a = fabs(t[0][l]), b = fabs(t[1][l]), c = fabs(t[2][l]);
    const double high = block3_max(a, b), low = block3_min(a, b), last = block3_min(low, c), rest = block3_max(low, c);
    const int    negative = (t[0][l] < 0) ^ (t[1][l] < 0) ^ (t[2][l] < 0);
    t[0][l] = block3_max(high, rest), t[1][l] = block3_min(high, rest), t[2][l] = negative ? -last : last;
  }
}

static void evaluate(const wring_isotropic *rule, wring_in par, const double *rho, wring_in s, const search *w,
                     trial *y, wring_stretches *at)
{
  for (int i = 0; i < 3; i++) {
#pragma omp simd
    for (int l = 0; l < WRING_LANES; l++) y->t[i][l] = w->t[i][l] + w->alpha[l] * w->e[i][l];
  }
  order(y->t);
  rule->stretches(par, (wring_in)y->t, at);
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    double squared = 0, size = fabs(at->psi[l]), left = 0, forces = 0;
    for (int i = 0; i < 3; i++) {
      const double t = y->t[i][l], d = t - s[i][l];
      squared += d * d;
      size += rho[l] * (t * t + s[i][l] * s[i][l]) + fabs(at->a[i][l]) * t * t;
      y->g[i][l] = at->d[i][l] + rho[l] * d;
      left += fabs(y->g[i][l]);
      forces += fabs(at->d[i][l]) + rho[l] * (fabs(t) + fabs(s[i][l]));
    }
    y->phi[l]  = at->psi[l] + 0.5 * rho[l] * squared;
    y->size[l] = size, y->left[l] = left, y->forces[l] = forces;
  }
}

/*
  Moves the lanes whose phi decreases sufficiently or, where rounding hides the decrease, whose slope along e does not
  grow. A lane has converged after a small full step to a point where the gradient is round-off: small compared with its
  terms, or hardly smaller than before. A small step alone does not suffice, since the curvature of a large and flat
  element may change within it. A lane whose alpha is exhausted stops where it is, and so does one that shrinks to 0.
*/
static void judge(const trial *y, int positive, search *w)
{
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const double e0 = w->e[0][l], e1 = w->e[1][l], e2 = w->e[2][l], t0 = y->t[0][l], t1 = y->t[1][l], t2 = y->t[2][l];
    const double promised = -w->alpha[l] * w->slope[l], slope = y->g[0][l] * e0 + y->g[1][l] * e1 + y->g[2][l] * e2;
    const int    falls = y->phi[l] <= w->phi[l] - sufficient * promised;
    const int    level = (promised <= round_off * y->size[l]) & (fabs(slope) <= fabs(w->slope[l]));
    const int    take  = (falls | level) & (w->going[l] > 0);
    const double most  = block3_max(1, block3_max(fabs(t0), block3_max(fabs(t1), fabs(t2))));
    const double r0 = fabs(e0) / (positive ? t0 : most), r1 = fabs(e1) / (positive ? t1 : most);
    const double r2  = fabs(e2) / (positive ? t2 : most);
    const int small  = (block3_max(r0, block3_max(r1, r2)) <= small_step) & (w->alpha[l] == 1) & (w->phi[l] < INFINITY);
    const int round  = (y->left[l] <= stationary * y->forces[l]) | (y->left[l] > stagnant * w->left[l]);
    const int spent  = !take & (w->alpha[l] < w->end[l]);
    const int shrunk = take & positive & (t0 < least_size);
    w->t[0][l] = take ? t0 : w->t[0][l], w->t[1][l] = take ? t1 : w->t[1][l], w->t[2][l] = take ? t2 : w->t[2][l];
    w->phi[l]   = take ? y->phi[l] : w->phi[l];
    w->left[l]  = take ? y->left[l] : w->left[l];
    w->end[l]   = !take ? w->end[l] : small ? give_up : exhausted;
    w->alpha[l] = take ? 1 : 0.5 * w->alpha[l];
    w->going[l] = (take & small & round) | spent | shrunk ? 0 : w->going[l];
    w->taken[l] = take;
  }
}

/* ---- the direction ----------------------------------------------------------------------------------------------- */

/* a + rho I of a lane. */
BLOCK3_INLINE sym3 curvature(const wring_stretches *at, double rho, int l)
{
  return (sym3){at->a[S00][l] + rho, at->a[S11][l] + rho, at->a[S22][l] + rho,
                at->a[S01][l],       at->a[S02][l],       at->a[S12][l]};
}

/* e = -H^{-1} g; bad: 1 where H is not safely positive definite and e is not usable. */
static void newton_direction(const wring_stretches *at, const double *rho, wring_in g, lanes *e, lanes bad)
{
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const sym3   h = curvature(at, rho[l], l), c = sym3_adjugate(h);
    const vec3   v   = sym3_apply(c, (vec3){g[0][l], g[1][l], g[2][l]});
    const double det = h.s00 * c.s00 + h.s01 * c.s01 + h.s02 * c.s02, product = h.s00 * h.s11;
    const int    good =
      (h.s00 > 0) & (h.s11 > 0) & (h.s22 > 0) & (c.s22 > definite * product) & (det > definite * product * h.s22);
    bad[l]  = !good;
    e[0][l] = -v.x / det, e[1][l] = -v.y / det, e[2][l] = -v.z / det;
  }
}

/* The step along an eigenvector: -(its component of g)/|its eigenvalue|, at most most. */
BLOCK3_INLINE double cautious(double g, double eigenvalue, double rho, double most)
{
  return block3_max(block3_min(-g / block3_max(fabs(eigenvalue), flattest * rho), most), -most);
}

/*
  In the bad lanes, the descent direction e = -|H|^{-1} g with the moduli of H's eigenvalues. Next to a saddle these may
  be small compared with rho, and only a step of this length leaves it quickly; none is longer than 1 and the stretches.
*/
static void descent_direction(const wring_stretches *at, const double *rho, const trial *y, const lanes bad, lanes *e)
{
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const eigen3 h    = sym3_eigen(curvature(at, rho[l], l));
    const vec3   g    = {y->g[0][l], y->g[1][l], y->g[2][l]};
    const double most = 1 + y->t[0][l], c0 = cautious(vec3_dot(h.v0, g), h.s.s00, rho[l], most);
    const double c1 = cautious(vec3_dot(h.v1, g), h.s.s11, rho[l], most);
    const double c2 = cautious(vec3_dot(h.v2, g), h.s.s22, rho[l], most);
    e[0][l]         = bad[l] > 0 ? c0 * h.v0.x + c1 * h.v1.x + c2 * h.v2.x : e[0][l];
    e[1][l]         = bad[l] > 0 ? c0 * h.v0.y + c1 * h.v1.y + c2 * h.v2.y : e[1][l];
    e[2][l]         = bad[l] > 0 ? c0 * h.v0.z + c1 * h.v1.z + c2 * h.v2.z : e[2][l];
  }
}

/* The next direction of the lanes that have moved; 0 for the lanes that have converged. */
static void turn(const wring_stretches *at, const double *rho, const trial *y, int positive, search *w)
{
  WRING_ALIGNED lanes e[3], bad;
  newton_direction(at, rho, (wring_in)y->g, e, bad);
  if (any(bad)) descent_direction(at, rho, y, bad, e);
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const int    moved = w->taken[l] > 0, going = w->going[l] > 0;
    const double e0 = moved ? e[0][l] : w->e[0][l], e1 = moved ? e[1][l] : w->e[1][l],
                 e2    = moved ? e[2][l] : w->e[2][l];
    const double slope = y->g[0][l] * e0 + y->g[1][l] * e1 + y->g[2][l] * e2;
    const double longest =
      block3_min(longest_step(w->t[0][l], e0), block3_min(longest_step(w->t[1][l], e1), longest_step(w->t[2][l], e2)));
    w->e[0][l] = going ? e0 : 0, w->e[1][l] = going ? e1 : 0, w->e[2][l] = going ? e2 : 0;
    w->slope[l] = moved ? slope : w->slope[l];
    w->alpha[l] = moved & positive ? longest : w->alpha[l];
  }
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/*
  Starts near the stretches s of z, not at them: s = (1, 0, 0), for example, is a saddle of stable_neohookean, at which
  the gradient does not lead away from it.
*/
static search start(wring_in s, int positive)
{
  search w;
  for (int l = 0; l < WRING_LANES; l++) {
    for (int i = 0; i < 3; i++) {
      const double t = s[i][l] + rest_start * (1 - s[i][l]);
      w.t[i][l]      = positive ? block3_max(t, least_start) : t;
      w.e[i][l]      = 0;
    }
    w.phi[l] = w.left[l] = INFINITY;
    w.end[l]             = exhausted;
    w.slope[l]           = 0;
    w.alpha[l] = w.going[l] = 1;
  }
  return w;
}

void wring_stretch_assemble(wring_in u, wring_in t, wring_in v, wring_out p)
{
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const mat3   a = mat3_load(u, l), b = mat3_load(v, l);
    const double t0 = t[0][l], t1 = t[1][l], t2 = t[2][l];
    const mat3   at = {a.a00 * t0, a.a01 * t1, a.a02 * t2, a.a10 * t0, a.a11 * t1,
                       a.a12 * t2, a.a20 * t0, a.a21 * t1, a.a22 * t2};
    mat3_store(p, l, mat3_mul(at, mat3_transpose(b)));
  }
}

void wring_stretch_prox(const wring_law *self, wring_in par, const double *rho, wring_in z, wring_out p)
{
  const wring_isotropic *const  rule     = self->rule;
  const int                     positive = self->positive;
  WRING_ALIGNED lanes           u[9], s[3], v[9];
  WRING_ALIGNED wring_stretches at;
  WRING_ALIGNED search          w;
  WRING_ALIGNED trial           y;

  if (rule->smooth && wring_stretch_smooth(rule, par, rho, z, p)) return;
  wring_block3_svd(z, u, s, v);
  if (wring_stretch_newton(rule, par, rho, (wring_in)s, w.t)) {
    wring_stretch_assemble((wring_in)u, (wring_in)w.t, (wring_in)v, p);
    return;
  }
  w = start((wring_in)s, positive);
  for (int pass = 0; pass < MAX_PASSES && any(w.going); pass++) {
    evaluate(rule, par, rho, (wring_in)s, &w, &y, &at);
    judge(&y, positive, &w);
    turn(&at, rho, &y, positive, &w);
  }
  wring_stretch_assemble((wring_in)u, (wring_in)w.t, (wring_in)v, p);
}
