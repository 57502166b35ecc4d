/* The barrier of IPC [Li et al. 2020] of a pair, its derivatives, and the mollifier of edges near parallel. */
#include "barrier.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

enum { CORNERS = WRING_MOST_CORNERS, DOF = 3 * CORNERS };

void wring_barrier(double d, double gap, double b[3])
{
  const double u = d / gap, s = u - 1;
  memset(b, 0, 3 * sizeof *b);
  if (u >= 1) return;
  b[0] = INFINITY;
  if (!(u > 0)) return;
  const double l = log(u);
  b[0]           = -gap * s * s * l;
  b[1]           = -2 * s * l - s * s / u;
  b[2]           = (-2 * l - 4 * s / u + s * s / (u * u)) / gap;
}

double wring_pair_sine2(const double *X)
{
  double u[3], v[3];
  wring_subtract3(X + 3, X, u);
  wring_subtract3(X + 9, X + 6, v);
  return 1e-3 * wring_dot3(u, u) * wring_dot3(v, v);
}

/* ---- sums of squares --------------------------------------------------------------------------------------------- */

/* A Hessian in progress, a sum of terms a w w^T; H is NULL if it is not asked for. */
typedef struct {
  int     n;
  double *H; // [n][n]
} hessian;

static void add_square(const hessian *h, double a, const double w[DOF])
{
  for (int i = 0; i < h->n; i++)
    for (int j = 0; j < h->n; j++) h->H[i * h->n + j] += a * w[i] * w[j];
}

static double norm(int n, const double *w)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += w[i] * w[i];
  return sqrt(sum);
}

/* The positive part of a (u v^T + v u^T). */
static void add_product(const hessian *h, double a, const double u[DOF], const double v[DOF])
{
  const double uu = norm(h->n, u), vv = norm(h->n, v);
  double       w[DOF];
  if (!(uu > 0 && vv > 0)) return;
  for (int i = 0; i < h->n; i++) w[i] = u[i] / uu + (a < 0 ? -v[i] / vv : v[i] / vv);
  add_square(h, 0.5 * fabs(a) * uu * vv, w);
}

/* ---- the barrier of a distance ----------------------------------------------------------------------------------- */

/* A direction of a foot's parameters: s of wring_foot, then e = sum of s[i] x[i]. */
enum { ROW = CORNERS + 3 };

static void mix(double a, double *u, double b, const double *v) // u = a u + b v
{
  for (int i = 0; i < ROW; i++) u[i] = a * u[i] + b * v[i];
}

static double row_dot(const double *u, const double *v)
{
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2] + u[3] * v[3];
}

/* Directions of unit vectors e that are normal to each other, and so are their s. */
static void set_rows(const double *x, int corners, const wring_foot *foot, double row[2][ROW])
{
  for (int a = 0; a < foot->n_free; a++) {
    double *const e = row[a] + CORNERS;
    memcpy(row[a], foot->s[a], sizeof foot->s[a]);
    for (int k = 0; k < 3; k++) e[k] = 0;
    for (int i = 3; i < 3 * corners; i++) e[i % 3] += row[a][i / 3] * (x[i] - x[i % 3]);
    if (a == 1) mix(1, row[1], -wring_dot3(e, row[0] + CORNERS), row[0]);
    mix(1 / norm(3, e), row[a], 0, row[a]);
  }
  if (foot->n_free < 2) return;
  const double pq    = row_dot(row[0], row[1]);
  const double angle = 0.5 * atan2(2 * pq, row_dot(row[0], row[0]) - row_dot(row[1], row[1]));
  double       first[ROW];
  memcpy(first, row[0], sizeof first);
  mix(cos(angle), row[0], sin(angle), row[1]);
  mix(cos(angle), row[1], -sin(angle), first);
}

/* The positive part of -slope times the Hessian of the distance d, n the unit vector of the foot. (9.18) */
static void add_curvature(const hessian *h, const double *x, const wring_foot *foot, double slope, double d,
                          const double n[3])
{
  double       row[2][ROW];
  const double size = norm(CORNERS, foot->c);
  set_rows(x, h->n / 3, foot, row);
  for (int a = 0; a < foot->n_free; a++) {
    const double s = norm(CORNERS, row[a]), mixed = slope * size * s, pure = 0.5 * slope * d * s * s;
    const double value = pure + hypot(pure, mixed), length2 = mixed * mixed + value * value;
    double       w[DOF];
    for (int i = 0; i < h->n; i++)
      w[i] = mixed * foot->c[i / 3] / size * row[a][CORNERS + i % 3] + value * row[a][i / 3] / s * n[i % 3];
    if (length2 > 0) add_square(h, value / length2, w);
  }
}

/* ---- the mollifier ----------------------------------------------------------------------------------------------- */

/* m(C) = (2 - C/sine2) C/sine2, C = |u x v|^2 of the edges u and v; 1 from C = sine2 on. (9.19) */
typedef struct {
  double u[3], v[3], w[3]; // w = u x v
  double m, slope, bend;   // m, dm/dC [1/m^4], d2m/dC2 [1/m^8]
} mollifier;

static void set_mollifier(const double *x, double sine2, mollifier *a)
{
  wring_subtract3(x + 3, x, a->u);
  wring_subtract3(x + 9, x + 6, a->v);
  wring_cross3(a->u, a->v, a->w);
  const double ratio = wring_dot3(a->w, a->w) / sine2;
  const int    on    = ratio < 1;
  a->m               = on ? (2 - ratio) * ratio : 1;
  a->slope           = on ? 2 * (1 - ratio) / sine2 : 0;
  a->bend            = on ? -2 / (sine2 * sine2) : 0;
}

/* z = (-a, a, -b, b): the derivative of a . u + b . v by the corners. */
static void by_corners(const double a[3], const double b[3], double sign, double z[DOF])
{
  for (int k = 0; k < 3; k++) {
    z[3 + k] = a[k], z[k] = -a[k];
    z[9 + k] = sign * b[k], z[6 + k] = -z[9 + k];
  }
}

/* z = the derivative of f . (u x v) by the corners. */
static void differentiate(const mollifier *a, const double f[3], double z[DOF])
{
  double by_u[3], by_v[3];
  wring_cross3(a->v, f, by_u);
  wring_cross3(f, a->u, by_v);
  by_corners(by_u, by_v, 1, z);
}

/* f [3][3]: orthonormal rows; the first one is that of w, or any if w is 0. */
static void set_frame(const double w[3], double f[3][3])
{
  const double length = sqrt(wring_dot3(w, w));
  int          least  = 0;
  for (int k = 0; k < 3; k++) {
    f[0][k] = length > 0 ? w[k] / length : k == 2;
    if (fabs(f[0][k]) < fabs(f[0][least])) least = k;
  }
  double axis[3] = {0};
  axis[least]    = 1;
  wring_cross3(f[0], axis, f[1]);
  const double size = sqrt(wring_dot3(f[1], f[1]));
  for (int k = 0; k < 3; k++) f[1][k] /= size;
  wring_cross3(f[0], f[1], f[2]);
}

/* Positive parts of b times the Hessian of m. (9.19) */
static void add_mollifier(const hessian *h, const mollifier *a, double b)
{
  const double C      = wring_dot3(a->w, a->w);
  const double bow[3] = {fmax(2 * a->slope + 4 * C * a->bend, 0), 2 * a->slope, 2 * a->slope};
  double       f[3][3], z[DOF];
  set_frame(a->w, f);
  for (int k = 0; k < 3; k++) {
    differentiate(a, f[k], z);
    add_square(h, b * bow[k], z);
  }
  by_corners(f[1], f[2], 1, z);
  add_square(h, b * a->slope * sqrt(C), z);
  by_corners(f[2], f[1], -1, z);
  add_square(h, b * a->slope * sqrt(C), z);
}

/* ---- the energy of a pair ---------------------------------------------------------------------------------------- */

/* The derivatives of the barrier b(d - radius), g times 1 and H times m. */
static void differentiate_barrier(const hessian *h, const double *x, const wring_foot *foot, const double b[3],
                                  double m, double *g)
{
  double       n[3], w[DOF];
  const double d = wring_foot_normal(foot, n);
  for (int i = 0; i < DOF; i++) {
    w[i] = foot->c[i / 3] * n[i % 3];
    g[i] = b[1] * w[i];
  }
  if (!h->H) return;
  add_square(h, m * b[2], w);
  add_curvature(h, x, foot, -m * b[1], d, n);
}

/* The same of the product m b: H has m times that of b already. */
static void mollify(const hessian *h, const mollifier *a, double b, double *g)
{
  double z[DOF];
  differentiate(a, a->w, z);
  if (h->H) {
    add_product(h, 2 * a->slope, z, g);
    add_mollifier(h, a, b);
  }
  for (int i = 0; i < DOF; i++) g[i] = a->m * g[i] + 2 * b * a->slope * z[i];
}

double wring_pair_energy(const wring_pair_law *law, const double *x, double *psi, double *g, double *H,
                         wring_foot *foot)
{
  const hessian     h = {3 * wring_pair_corners(law->kind), H};
  wring_foot        own;
  wring_foot *const at = foot ? foot : &own;
  mollifier         a  = {.m = 1};
  double            b[3], slope[DOF] = {0};
  wring_pair_closest(law->kind, x, at);
  const double d = sqrt(at->distance2);
  wring_barrier(d - law->radius, law->gap, b);
  if (law->sine2 > 0 && b[0] > 0) set_mollifier(x, law->sine2, &a);
  *psi = isfinite(b[0]) ? a.m * b[0] : b[0];
  if (H) memset(H, 0, sizeof *H * (size_t)(h.n * h.n));
  if ((g || H) && b[0] > 0 && isfinite(b[0])) {
    differentiate_barrier(&h, x, at, b, a.m, slope);
    if (a.slope > 0) mollify(&h, &a, b[0], slope);
  }
  if (g) memcpy(g, slope, sizeof *g * (size_t)h.n);
  return d - law->radius;
}
