/*
  Limits of area: psi(F) = k/2 |F - P|^2, P the closest matrix whose product of singular values lies in [min, max]; k
  [N/m]. docs/theory.md (3.55)-(3.59); [Bouaziz et al. 2014].
*/
#include "base/block3.h"
#include "law/common/membrane.h"

enum { K, MIN, MAX, N_PAR, NEWTON_STEPS = 40 };

static const double degenerate =
  1e-12; // relative to 4 sqrt(c), least h': the closest point of the hyperbola is almost not unique

/* sqrt(c) of the product c = t_0 t_1, the sum and the difference of the stretches s, y below; free: 1 where P = F. */
typedef struct {
  double root[WRING_LANES], sum[WRING_LANES], gap[WRING_LANES], y[WRING_LANES], free[WRING_LANES];
} hyperbola;

/*
  The closest point of t_0 t_1 = c is sqrt(c) (sqrt(1 + y^2) + y, sqrt(1 + y^2) - y) with y the root of the convex h(y)
  = 4 sqrt(c) y - S y/sqrt(1 + y^2) - D, S = s_0 + s_1, D = s_0 - s_1. Newton's method starts above the root, so that
  its iterates decrease to it monotonically: (3.57).
*/
static void find_closest(wring_in par, wring_in s, hyperbola *a)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s0 = s[0][lane], s1 = s[1][lane], product = s0 * s1;
    const double c = block3_min(block3_max(product, par[MIN][lane]), par[MAX][lane]);
    a->root[lane]  = sqrt(c);
    a->sum[lane]   = s0 + s1;
    a->gap[lane]   = s0 - s1;
    a->free[lane]  = c == product;
    a->y[lane]     = s0 / (2 * a->root[lane]);
  }
  WRING_ALIGNED double fall[WRING_LANES]; // not as a reduction, which clang does not vectorise
  int                  moved = 1;
  for (int i = 0; i < NEWTON_STEPS && moved; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double y = a->y[lane], S = a->sum[lane], four = 4 * a->root[lane], w = 1 / sqrt(1 + y * y);
      const double h = four * y - S * y * w - a->gap[lane], slope = block3_max(four - S * w * w * w, degenerate * four);
      a->y[lane] = block3_max(y - block3_max(h, 0) / slope, 0);
      fall[lane] = y - a->y[lane];
    }
    moved = 0;
    for (int lane = 0; lane < WRING_LANES; lane++) moved |= fall[lane] > 0;
  }
}

static void target(wring_in par, wring_in s, wring_out t)
{
  WRING_ALIGNED hyperbola a;

  find_closest(par, s, &a);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double y = a.y[lane], x = sqrt(1 + y * y), larger = a.root[lane] * (x + y);
    t[0][lane] = a.free[lane] > 0 ? s[0][lane] : larger;
    t[1][lane] = a.free[lane] > 0 ? s[1][lane] : a.root[lane] / (x + y);
  }
}

/*
  With p = t_0 + t_1 = 2 sqrt(c) sqrt(1 + y^2) and m = t_0 - t_1 = 2 sqrt(c) y: psi_S = k/2 (S - p), psi_D = k/2 (D -
  m), and h' dy = y/sqrt(1 + y^2) dS + dD. D/m = 2 - S/(2 sqrt(c) sqrt(1 + y^2)) at the root, without a division by y:
  (3.59).
*/
static void modes(wring_in par, wring_in s, wring_membrane_modes *m)
{
  WRING_ALIGNED hyperbola a;

  find_closest(par, s, &a);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double on = a.free[lane] > 0 ? 0 : par[K][lane], y = a.y[lane], x = sqrt(1 + y * y), root = a.root[lane];
    const double S = a.sum[lane], least = degenerate * root, part = y / x;
    const double slope = block3_max(4 * root - S / (x * x * x), 4 * least),
                 ratio = block3_max(2 * root - S / (2 * x), least);
    const double cc = 1 - 2 * root * part * part / slope, dd = 1 - 2 * root / slope, cd = -2 * root * part / slope;
    const double t0 = root * (x + y), t1 = root / (x + y);
    m->a[0][lane]   = 0.5 * on * (cc + 2 * cd + dd);
    m->a[1][lane]   = 0.5 * on * (cc - 2 * cd + dd);
    m->a[2][lane]   = 0.5 * on * (cc - dd);
    m->twist[lane]  = on * (1 - 2 * root * x / wring_membrane_divisor(S));
    m->flip[lane]   = on * (1 - root / ratio);
    m->out[0][lane] = on * (1 - t0 / wring_membrane_divisor(s[0][lane]));
    m->out[1][lane] = on * (1 - t1 / wring_membrane_divisor(s[1][lane]));
  }
}

static const wring_membrane rule = {.target = target, .modes = modes};

static const double example[N_PAR] = {1e3, 0.9, 1.1};

const wring_law wring_law_membrane_area = {
  .name        = "membrane_area",
  .n_par       = N_PAR,
  .example_par = example,
  WRING_MEMBRANE(rule),
};
