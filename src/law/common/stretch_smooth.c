/*
  The proxes of blocks in which every z is well shaped, without singular vectors: p = z f(C) with C = z^T z and f(s_i^2)
  = t_i/s_i. The quadratic f through the three eigenvalues of C is expressed by divided differences, which the law
  supplies in closed form, so that eigenvalues may be arbitrarily close. docs/theory.md (3.41)-(3.44)
*/
#include "stretch_prox.h"
#include "base/block3.h"

enum { MAX_PASSES = 10, S00 = 0, S11, S22, S01, S02, S12 };

static const double least_square = 1e-6; // least mean s^2; the largest is its inverse
static const double aspect       = 100;  // largest s_0^2/s_2^2: the round-off of C is relative to s_0^2
static const double least_part   = 0.1;  // fraction of a stretch that a step must leave
static const double round_off    = 1e-12;
static const double small_step   = 2e-8; // relative: the error after such a step is of the order of its square
static const double definite     = 1e-6; // leading minors relative to the products of diagonal entries
static const double least_spread = 1e-2; // least rho + (psi_i - psi_j)/(t_i - t_j), as a fraction of rho

typedef double lanes[WRING_LANES];

/* C of z, its eigenvalues in descending order, and their square roots. */
typedef struct {
  lanes gram[6], square[3], s[3];
} spectrum;

static double worst_of(const lanes a)
{
  double most = 0;
#pragma omp simd reduction(max : most)
  for (int l = 0; l < WRING_LANES; l++) most = block3_max(a[l], most);
  return most;
}

/* 1 if every z is right-handed, not flat, and within bounds in size. */
static int find_spectrum(wring_in z, spectrum *w)
{
  WRING_ALIGNED lanes bad;
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const mat3   f    = mat3_load(z, l);
    const sym3   c    = mat3_gram(f);
    const vec3   e    = sym3_eigenvalues(c);
    const double mean = c.s00 + c.s11 + c.s22, det = mat3_det(f, mat3_cofactor(f));
    const int    good = (mean > 3 * least_square) & (mean < 3 / least_square) & (e.x < aspect * e.z) & (det > 0);
    w->gram[S00][l] = c.s00, w->gram[S11][l] = c.s11, w->gram[S22][l] = c.s22;
    w->gram[S01][l] = c.s01, w->gram[S02][l] = c.s02, w->gram[S12][l] = c.s12;
    w->square[0][l] = e.x, w->square[1][l] = e.y, w->square[2][l] = e.z;
    w->s[0][l] = sqrt(e.x), w->s[1][l] = sqrt(e.y), w->s[2][l] = sqrt(e.z);
    bad[l] = good ? 0 : 1;
  }
  return worst_of(bad) == 0;
}

/*
  Takes a full Newton step in every lane. Returns a value <= 0 if every step is small, and infinity if the objective of
  a lane has increased or is not safely convex, or if a step would leave too small a fraction of a stretch.
*/
static double step(const wring_stretches *at, const double *rho, wring_in s, double (*restrict t)[WRING_LANES],
                   double *restrict phi)
{
  WRING_ALIGNED lanes worst;
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const double t0 = t[0][l], t1 = t[1][l], t2 = t[2][l], s0 = s[0][l], s1 = s[1][l], s2 = s[2][l], r = rho[l];
    const double d0 = t0 - s0, d1 = t1 - s1, d2 = t2 - s2;
    const double g0 = at->d[0][l] + r * d0, g1 = at->d[1][l] + r * d1, g2 = at->d[2][l] + r * d2;
    const double h00 = at->a[S00][l] + r, h11 = at->a[S11][l] + r, h22 = at->a[S22][l] + r, h01 = at->a[S01][l],
                 h02 = at->a[S02][l], h12 = at->a[S12][l];
    const double c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    const double c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    const double det = h00 * c00 + h01 * c01 + h02 * c02, product = h00 * h11, inverse = -1 / det;
    const double e0 = inverse * (c00 * g0 + c01 * g1 + c02 * g2), e1 = inverse * (c01 * g0 + c11 * g1 + c12 * g2);
    const double e2     = inverse * (c02 * g0 + c12 * g1 + c22 * g2);
    const double value  = at->psi[l] + 0.5 * r * (d0 * d0 + d1 * d1 + d2 * d2);
    const double size   = fabs(at->psi[l]) + (h00 + h11 + h22) * (s0 * s0 + t0 * t0);
    const int    convex = (h00 > 0) & (c22 > definite * product) & (det > definite * product * fabs(h22)); // Sylvester
    const int short_enough = (e0 > (least_part - 1) * t0) & (e1 > (least_part - 1) * t1) & (e2 > (least_part - 1) * t2);
    const int upright      = t2 > 0; // t_0 >= t_1 >= |t_2| at the start
    const int good         = convex & short_enough & upright & (value <= phi[l] + round_off * size);
    const double small0 = fabs(e0) - small_step * t0, small1 = fabs(e1) - small_step * t1,
                 small2 = fabs(e2) - small_step * t2;
    t[0][l] = t0 + e0, t[1][l] = t1 + e1, t[2][l] = t2 + e2;
    phi[l]   = value;
    worst[l] = good ? block3_max(small0, block3_max(small1, small2)) : INFINITY;
  }
  return worst_of(worst);
}

int wring_stretch_newton(const wring_isotropic *rule, wring_in par, const double *rho, wring_in s, wring_out t)
{
  WRING_ALIGNED wring_stretches at;
  WRING_ALIGNED lanes           phi;
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    t[0][l] = s[0][l], t[1][l] = s[1][l], t[2][l] = s[2][l];
    phi[l] = INFINITY;
  }
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    rule->stretches(par, (wring_in)t, &at);
    const double left = step(&at, rho, s, t, phi);
    if (left <= 0) return 1;
    if (left == INFINITY) return 0;
  }
  return 0;
}

/* A lane's f = value + first (C - c_2) + second (C - c_2) (C - c_1). */
typedef struct {
  double value, first, second;
} quadratic;

/* From g_ij = (t_i - t_j)/(s_i - s_j) and g_012, the divided difference of these. */
BLOCK3_INLINE quadratic divide(vec3 s, double t1, double t2, double g12, double g012)
{
  const double s01 = s.x + s.y, s12 = s.y + s.z, s02 = s.x + s.z, pair = s.y * s.z * s12;
  const double inverse = 1 / (pair * s.x * s01 * s02), lower = s.y * g12 - t1;
  return (quadratic){t2 * (inverse * s.x * s.y * s01 * s12 * s02), lower * (inverse * s.x * s01 * s02),
                     inverse * (pair * g012 - lower * (s01 + s.z))};
}

/* z f(C) of a lane; e: eigenvalues of C. */
BLOCK3_INLINE mat3 apply(quadratic f, mat3 z, sym3 c, double e1, double e2)
{
  const double a = f.first - f.second * e1, b00 = c.s00 - e2, b11 = c.s11 - e2, b22 = c.s22 - e2;
  const sym3   m   = {a + f.second * c.s00, a + f.second * c.s11, a + f.second * c.s22,
                      f.second * c.s01,     f.second * c.s02,     f.second * c.s12};
  const double p00 = f.value + m.s00 * b00 + m.s01 * c.s01 + m.s02 * c.s02,
               p11 = f.value + m.s01 * c.s01 + m.s11 * b11 + m.s12 * c.s12;
  const double p22 = f.value + m.s02 * c.s02 + m.s12 * c.s12 + m.s22 * b22,
               p01 = m.s00 * c.s01 + m.s01 * b11 + m.s02 * c.s12;
  const double p02 = m.s00 * c.s02 + m.s01 * c.s12 + m.s02 * b22, p12 = m.s01 * c.s02 + m.s11 * c.s12 + m.s12 * b22;
  return mat3_mul(z, (mat3){p00, p01, p02, p01, p11, p12, p02, p12, p22});
}

int wring_stretch_smooth(const wring_isotropic *rule, wring_in par, const double *rho, wring_in z, wring_out p)
{
  WRING_ALIGNED lanes                 t[3], bad;
  WRING_ALIGNED spectrum              w;
  WRING_ALIGNED wring_isotropic_modes m;

  if (!find_spectrum(z, &w) || !wring_stretch_newton(rule, par, rho, (wring_in)w.s, t)) return 0;
  rule->modes(par, (wring_in)t, &m);
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) {
    const double r = rho[l], h01 = r + m.flip[0][l], h02 = r + m.flip[1][l], h12 = r + m.flip[2][l];
    const double inverse = r / (h01 * h02 * h12), g12 = inverse * h01 * h02, g012 = inverse * r * m.third[l];
    const vec3   s = {w.s[0][l], w.s[1][l], w.s[2][l]};
    const sym3   c = {w.gram[S00][l], w.gram[S11][l], w.gram[S22][l], w.gram[S01][l], w.gram[S02][l], w.gram[S12][l]};
    const quadratic f    = divide(s, t[1][l], t[2][l], g12, g012);
    const int       good = (h01 > least_spread * r) & (h02 > least_spread * r) & (h12 > least_spread * r);
    bad[l]               = good ? 0 : 1;
    mat3_store(p, l, apply(f, mat3_load(z, l), c, w.square[1][l], w.square[2][l]));
  }
  return worst_of(bad) == 0;
}
