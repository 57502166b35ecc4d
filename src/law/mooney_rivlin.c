/*
  Compressible Mooney-Rivlin: psi(F) = c10 (|F|^2 J^(-2/3) - 3) + c01 (|cof F|^2 J^(-4/3) - 3) + kappa/2 (J - 1)^2, J =
  det F; c10, c01, kappa [Pa]; +infinity for J below LAW_LEAST_VOLUME. docs/theory.md (3.19); [Bonet, Wood 2008].

  With y = J^(-1/3) and G = y F, det G = 1, the first two terms are c10 (|G|^2 - 3) + c01 (|cof G|^2 - 3).
*/
#include "base/block3.h"
#include "law/common/isotropic.h"
#include "law/common/keys.h"
#include "law/common/stretch_prox.h"
#include "law/common/closed_forms.h"
#include "law/pressure.h"
#include <math.h>

enum { C10, C01, KAPPA, N_PAR };

static const wring_option options[] = {
  {"c10", WRING_REAL, .unit = "Pa", .range = "[0,inf)",
   .help = "Modulus of |F|^2 J^(-2/3) - 3; c10 + c01 is half the shear modulus."},
  {"c01", WRING_REAL, .unit = "Pa", .range = "[0,inf)", .help = "Modulus of |cof F|^2 J^(-4/3) - 3."},
  {"kappa", WRING_REAL, .unit = "Pa", .range = "(0,inf)", .help = "Bulk modulus, of (J - 1)^2/2 in mooney_rivlin."},
  {0},
};

static PetscErrorCode set_par(WRING_SELF, const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  PetscFunctionBegin;
  PetscCall(wring_law_get_in_order(self, o, prefix, fallback, par));
  if (par[C10] + par[C01] == 0) {
    const char *const at = wring_law_prefix(o, prefix, fallback, "c01");
    WRING_REFUSE(wring_options_comm(o), "%s: %sc01 and c10 are both 0; expected at least one above 0",
                 wring_options_origin(o, at, "c01"), at);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J, 1/J and y = J^(-1/3); all 1 outside the domain. */
typedef struct {
  int    inside;
  double j, inverse, y;
} volume;

BLOCK3_INLINE volume volume_of(double j)
{
  const int    inside = j >= LAW_LEAST_VOLUME; // false for NaN
  const double safe   = inside ? j : 1;
  return (volume){inside, safe, 1 / safe, block3_rcbrt(safe)};
}

/* |A|^2 - 3 of A = I + K with det A = 1: tr K = -(i2 + det K), so that no term of first order in K remains. */
BLOCK3_INLINE double excess(mat3 k, double i2, double det)
{
  return mat3_dot(k, k) - 2 * (i2 + det);
}

/* |G|^2 - 3 and |cof G|^2 - 3. */
typedef struct {
  double g, cofactor;
} excesses;

/*
  Near rest K = G - I = y H + (y - 1) I with H = F - I, y - 1 = (1/J - 1)/(1 + y + y^2), and cof G - I = tr(K) I - K^T +
  cof K, which has determinant 1 as well. A density far smaller than c10 is then still accurate.
*/
BLOCK3_INLINE excesses near_rest(mat3 h, volume v)
{
  const double change = mat3_det_change(h, mat3_cofactor(h));
  const double y = v.y, less = -change * v.inverse / (1 + y + y * y);
  const mat3   k = mat3_shift(mat3_scale(y, h), less), c = mat3_cofactor(k);
  const double i2 = mat3_trace(c), det = mat3_det(k, c);
  const mat3   l = mat3_sub(mat3_shift(c, -(i2 + det)), mat3_transpose(k)), cl = mat3_cofactor(l);
  return (excesses){excess(k, i2, det), excess(l, mat3_trace(cl), mat3_det(l, cl))};
}

BLOCK3_INLINE double density(double c10, double c01, double kappa, mat3 f, mat3 cofactor, volume v)
{
  const mat3     h    = mat3_shift(f, -1);
  const excesses near = near_rest(h, v);
  const double   y2 = v.y * v.y, g = y2 * mat3_dot(f, f) - 3, co = y2 * (y2 * mat3_dot(cofactor, cofactor)) - 3;
  const int      is_near  = mat3_dot(h, h) <= 0.25;
  const double   change   = mat3_det_change(h, mat3_cofactor(h));
  const double   isochore = c10 * (is_near ? near.g : g) + c01 * (is_near ? near.cofactor : co);
  return v.inside ? isochore + 0.5 * kappa * change * change : INFINITY;
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   f = mat3_load(z, lane), cofactor = mat3_cofactor(f);
    const volume v = volume_of(mat3_det(f, cofactor));
    psi[lane]      = density(par[C10][lane], par[C01][lane], par[KAPPA][lane], f, cofactor, v);
  }
}

/*
  (2 A + 2 B I1) F - 2 B F F^T F + c cof F/J with A = c10 y^2, B = c01 y^4, c = -2/3 A I1 - 4/3 B I2 + kappa (J - 1) J.
  Outside the domain A = c10 + c01 and the other terms are 0.
*/
typedef struct {
  int    inside;
  double a, b, i1, i2, c, inverse;
} stress;

BLOCK3_INLINE stress stress_of(double c10, double c01, double kappa, double i1, double i2, double j)
{
  const volume v  = volume_of(j);
  const double y2 = v.y * v.y, a = c10 * y2, b = c01 * y2 * y2;
  const double c = -2. / 3 * a * i1 - 4. / 3 * b * i2 + kappa * (v.j - 1) * v.j;
  return (stress){v.inside, v.inside ? a : c10 + c01, v.inside ? b : 0, i1, i2, v.inside ? c : 0, v.inverse};
}

static void fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double c10 = par[C10][lane], c01 = par[C01][lane], kappa = par[KAPPA][lane];
    const mat3   f = mat3_load(z, lane), cofactor = mat3_cofactor(f);
    const double j = mat3_det(f, cofactor), i1 = mat3_dot(f, f);
    const stress s     = stress_of(c10, c01, kappa, i1, mat3_dot(cofactor, cofactor), j);
    const sym3   g     = mat3_gram(f);
    const double twice = 2 * s.b, m = 2 * s.a;
    const mat3   w = {m + twice * (i1 - g.s00), -twice * g.s01,           -twice * g.s02,
                      -twice * g.s01,           m + twice * (i1 - g.s11), -twice * g.s12,
                      -twice * g.s02,           -twice * g.s12,           m + twice * (i1 - g.s22)};
    psi[lane]      = density(c10, c01, kappa, f, cofactor, volume_of(j));
    mat3_store(p, lane, mat3_combine(1, mat3_mul(f, w), s.c * s.inverse, cofactor));
  }
}

/*
  With f = F g, c = (cof F) g/J and i = 2 A f + 4 B (I1 f - F F^T f), the derivatives of the invariants in the vertex,
    2 A |g|^2 I + 2 B ((|g|^2 I1 - |f|^2) I - |g|^2 F F^T + f f^T) + (10/9 A I1 + 28/9 B I2 + kappa J^2) c c^T
    - 2/3 (i c^T + c i^T);
  I2 is quadratic in the vertex, as is |f|^2. Outside the domain 2 (c10 + c01) |g|^2 I.
*/
static void contracted(WRING_SELF, wring_in par, wring_in z, wring_in g, wring_out K)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3   z_ = mat3_load(z, lane), cofactor = mat3_cofactor(z_);
    const double j = mat3_det(z_, cofactor), i1 = mat3_dot(z_, z_), i2 = mat3_dot(cofactor, cofactor);
    const stress s   = stress_of(par[C10][lane], par[C01][lane], par[KAPPA][lane], i1, i2, j);
    const vec3   row = vertex_row(g, lane), f = mat3_apply(z_, row), ff = sym3_apply(vertex_rows(z_), f);
    const vec3   c    = mat3_apply(mat3_scale(s.inside ? s.inverse : 0, cofactor), row);
    const double size = vec3_dot(row, row), of_f = 2 * s.a + 4 * s.b * i1, of_ff = -4 * s.b;
    const vec3   i     = vec3_combine(-2. / 3 * of_f, f, -2. / 3 * of_ff, ff);
    const double same  = 2 * s.a * size + 2 * s.b * (size * i1 - vec3_dot(f, f));
    const double twice = 10. / 9 * s.a * i1 + 28. / 9 * s.b * i2 + par[KAPPA][lane] * j * j;
    const sym3   k     = sym3_combine(1, sym3_of_vector(same, 2 * s.b, f), -2 * s.b * size, vertex_rows(z_));
    vertex_store(K, lane, sym3_add_product(sym3_combine(1, k, 1, sym3_of_vector(0, twice, c)), i, c));
  }
}

/*
  In stretches psi_i = (2 A + 2 B I1) s_i - 2 B s_i^3 + c r_i, r_i = 1/s_i. Outside the domain r = 0 and psi_i = 2 (c10
  + c01) s_i.
*/
typedef struct {
  stress v;
  double volumetric, s0, s1, s2, r0, r1, r2; // volumetric: kappa J (2 J - 1) = s_i s_j d2/ds_i ds_j kappa/2 (J - 1)^2
} stretched;

BLOCK3_INLINE stretched stretched_of(wring_in par, wring_in s, int lane)
{
  const double s0 = s[0][lane], s1 = s[1][lane], s2 = s[2][lane], j = s0 * s1 * s2, kappa = par[KAPPA][lane];
  const double i1 = s0 * s0 + s1 * s1 + s2 * s2, i2 = s0 * s0 * (s1 * s1) + s1 * s1 * (s2 * s2) + s2 * s2 * (s0 * s0);
  const stress v = stress_of(par[C10][lane], par[C01][lane], kappa, i1, i2, j);
  const double r = v.inside ? v.inverse : 0;
  return (stretched){v, v.inside ? kappa * j * (2 * j - 1) : 0, s0, s1, s2, r * s1 * s2, r * s0 * s2, r * s0 * s1};
}

/* d2psi/ds_i^2; outside the domain 2 (c10 + c01), consistent with the gradient there. */
BLOCK3_INLINE double own_curvature(stretched w, double kappa, double s, double r)
{
  const stress v = w.v;
  const double j = w.s0 * w.s1 * w.s2, r2 = r * r;
  const double of_a = v.a * (10. / 9 * (v.i1 * r2) - 2. / 3),
               of_b = v.b * (28. / 9 * (v.i2 * r2) - 10. / 3 * (v.i1 - s * s));
  return v.inside ? of_a + of_b + kappa * (j * r) * (j * r) : 2 * v.a;
}

/* d2psi/ds_i ds_j */
BLOCK3_INLINE double cross_curvature(stretched w, double si, double sj, double ri, double rj)
{
  const stress v    = w.v;
  const double rr   = ri * rj;
  const double of_a = v.a * (4. / 9 * (v.i1 * rr) - 4. / 3 * (si * rj + sj * ri));
  const double of_b =
    v.b * (4 * si * sj + 16. / 9 * (v.i2 * rr) - 8. / 3 * (si * rj * (v.i1 - si * si) + sj * ri * (v.i1 - sj * sj)));
  return of_a + of_b + w.volumetric * rr;
}

BLOCK3_INLINE void store_curvature(stretched w, wring_in par, int lane, double (*a)[WRING_LANES])
{
  const double kappa = par[KAPPA][lane];
  a[0][lane]         = own_curvature(w, kappa, w.s0, w.r0);
  a[1][lane]         = own_curvature(w, kappa, w.s1, w.r1);
  a[2][lane]         = own_curvature(w, kappa, w.s2, w.r2);
  a[3][lane]         = cross_curvature(w, w.s0, w.s1, w.r0, w.r1);
  a[4][lane]         = cross_curvature(w, w.s0, w.s2, w.r0, w.r2);
  a[5][lane]         = cross_curvature(w, w.s1, w.s2, w.r1, w.r2);
}

/* (psi_i + psi_j)/(s_i + s_j) with sign = -1, (psi_i - psi_j)/(s_i - s_j) with sign = 1. */
BLOCK3_INLINE double pair_curvature(stretched w, double sign, double si, double sj, double ri, double rj)
{
  return 2 * w.v.a + 2 * w.v.b * (w.v.i1 - (si * si + sign * si * sj + sj * sj)) - sign * w.v.c * ri * rj;
}

static void modes(wring_in par, wring_in s, wring_isotropic_modes *m)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched w = stretched_of(par, s, lane);
    store_curvature(w, par, lane, m->a);
    m->twist[0][lane] = pair_curvature(w, -1, w.s0, w.s1, w.r0, w.r1);
    m->twist[1][lane] = pair_curvature(w, -1, w.s0, w.s2, w.r0, w.r2);
    m->twist[2][lane] = pair_curvature(w, -1, w.s1, w.s2, w.r1, w.r2);
    m->flip[0][lane]  = pair_curvature(w, 1, w.s0, w.s1, w.r0, w.r1);
    m->flip[1][lane]  = pair_curvature(w, 1, w.s0, w.s2, w.r0, w.r2);
    m->flip[2][lane]  = pair_curvature(w, 1, w.s1, w.s2, w.r1, w.r2);
    m->third[lane]    = 2 * w.v.b * (w.s0 + w.s1 + w.s2) - w.v.c * w.r0 * w.r1 * w.r2;
  }
}

BLOCK3_INLINE double stretch_gradient(stretched w, double s, double r)
{
  return 2 * (w.v.a + w.v.b * (w.v.i1 - s * s)) * s + w.v.c * r;
}

static void stretches(wring_in par, wring_in s, wring_stretches *at)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const stretched w        = stretched_of(par, s, lane);
    const double    change   = w.s0 * w.s1 * w.s2 - 1;
    const double    isochore = w.v.a * w.v.i1 + w.v.b * w.v.i2 - 3 * (par[C10][lane] + par[C01][lane]);
    at->psi[lane]            = w.v.inside ? isochore + 0.5 * par[KAPPA][lane] * change * change : INFINITY;
    at->d[0][lane]           = stretch_gradient(w, w.s0, w.r0);
    at->d[1][lane]           = stretch_gradient(w, w.s1, w.r1);
    at->d[2][lane]           = stretch_gradient(w, w.s2, w.r2);
    store_curvature(w, par, lane, at->a);
  }
}

/* The integral of (s - 1) s^n over [1/2, 3/2]. */
static double moment(double n)
{
  return (pow(1.5, n + 2) - pow(0.5, n + 2)) / (n + 2) - (pow(1.5, n + 1) - pow(0.5, n + 1)) / (n + 1);
}

/*
  f = dpsi/ds_0 at s_1 = s_2 = 1 is 4/3 c10 (s^(1/3) - s^(-5/3)) + 4/3 c01 (s^(-1/3) - s^(-7/3)) + kappa (s - 1).
  docs/theory.md (4.4)
*/
static void slope(WRING_SELF, wring_in par, double *k)
{
  const double of_c10 = 16 * (moment(1. / 3) - moment(-5. / 3)), of_c01 = 16 * (moment(-1. / 3) - moment(-7. / 3));
  for (int lane = 0; lane < WRING_LANES; lane++)
    k[lane] = of_c10 * par[C10][lane] + of_c01 * par[C01][lane] + par[KAPPA][lane];
}

static const wring_isotropic rule = {.modes = modes, .stretches = stretches, .smooth = PETSC_TRUE, .modulus = KAPPA};

static const char *const example[] = {"c10", "1e6", "c01", "1e6", "kappa", "1e6", NULL};

/* ---- volumetric: mean -------------------------------------------------------------------------------------------- */

/* The bulk modulus 2/3 mu of Poisson's ratio 0, mu = 2 (c10 + c01): the rest of psi does not resist a change of J. */
static double kept_bulk(const double *par)
{
  return PetscMin(par[KAPPA], 4. / 3 * (par[C10] + par[C01]));
}

static PetscBool keep(const double *par, double *element_par)
{
  element_par[C10] = par[C10], element_par[C01] = par[C01], element_par[KAPPA] = kept_bulk(par);
  element_par[N_PAR] = 0;
  return (PetscBool)(par[KAPPA] > kept_bulk(par));
}

/* U = (kappa less what is kept)/2 (J - 1)^2 */
static void volume_energy(const double *par, double J, double u[3])
{
  const double modulus = par[KAPPA] - kept_bulk(par);
  u[0] = 0.5 * modulus * (J - 1) * (J - 1), u[1] = modulus * (J - 1), u[2] = modulus;
}

static const wring_isotropic pressed = {.modes = modes, .pressure = N_PAR, .law = &wring_law_mooney_rivlin};

static const wring_law element = {.name     = "mooney_rivlin",
                                  .kind     = WRING_LAW_MATERIAL,
                                  .n_par    = N_PAR + 1,
                                  .positive = PETSC_TRUE,
                                  WRING_PRESSED(pressed)};

static const wring_volumetric mean = {.element = &element, .keep = keep, .energy = volume_energy};

const wring_law wring_law_mooney_rivlin = {
  .name       = "mooney_rivlin",
  .n_par      = N_PAR,
  .options    = options,
  .set_par    = set_par,
  .example    = example,
  .positive   = PETSC_TRUE,
  .energy     = energy,
  .fused      = fused,
  .contracted = contracted,
  .products   = wring_isotropic_products,
  .slope      = slope,
  .volumetric = &mean,
  WRING_MATERIAL(rule),
};
