#include "block3.h"
#include <string.h>

/* ---- signed singular values -------------------------------------------------------------------------------------- */

/* B = F V with the rotation V, by columns. */
typedef struct {
  vec3 b0, b1, b2, v0, v1, v2;
} columns;

/* Renames the columns 1, 2, 0 -> 0, 1, 2: an even permutation, at no cost. */
BLOCK3_INLINE columns rename_columns(columns a)
{
  return (columns){a.b1, a.b2, a.b0, a.v1, a.v2, a.v0};
}

/* Makes b0 and b1 orthogonal: Hestenes' one-sided Jacobi rotation. */
BLOCK3_INLINE columns orthogonalize(columns a)
{
  const plane3 g = plane3_jacobi(vec3_dot(a.b0, a.b0), vec3_dot(a.b0, a.b1), vec3_dot(a.b1, a.b1));
  return (columns){vec3_combine(g.c, a.b0, -g.s, a.b1), vec3_combine(g.s, a.b0, g.c, a.b1), a.b2,
                   vec3_combine(g.c, a.v0, -g.s, a.v1), vec3_combine(g.s, a.v0, g.c, a.v1), a.v2};
}

/* If the second column is longer: b0, b1 -> b1, -b0, which is a rotation. */
BLOCK3_INLINE columns order(columns a)
{
  const int second = vec3_dot(a.b0, a.b0) < vec3_dot(a.b1, a.b1);
  return (columns){vec3_select(second, a.b1, a.b0), vec3_select(second, vec3_minus(a.b0), a.b1), a.b2,
                   vec3_select(second, a.v1, a.v0), vec3_select(second, vec3_minus(a.v0), a.v1), a.v2};
}

/* Orthogonal columns, sorted: pairs (0,1), (1,2), (2,0) made orthogonal; then (1,2), (0,1), (1,2) ordered. */
BLOCK3_INLINE columns sweep_and_sort(columns a)
{
  a = rename_columns(orthogonalize(a));
  a = rename_columns(orthogonalize(a));
  a = rename_columns(orthogonalize(a));
  a = order(rename_columns(a));
  a = order(rename_columns(rename_columns(a)));
  a = order(rename_columns(a));
  return rename_columns(rename_columns(a));
}

/* The rotation that takes (x, y) to (r, 0), r >= 0; the identity where both are 0. */
BLOCK3_INLINE plane3 givens(double x, double y)
{
  const double w = x * x + y * y, r = block3_rsqrt(w + 1e-290);
  return (plane3){w > 1e-280 ? x * r : 1, w > 1e-280 ? y * r : 0, 0};
}

typedef struct {
  mat3 u, v;
  vec3 s;
} svd3;

/*
  B = U diag(s) by three Givens rotations of the rows (1,2), (0,1), (1,2): B has orthogonal columns, so that the entries
  above the diagonal are round-off, and the last diagonal entry has the sign of det B.
*/
BLOCK3_INLINE svd3 factor(columns a)
{
  const plane3 g  = givens(a.b0.y, a.b0.z);
  const double y  = g.c * a.b0.y + g.s * a.b0.z;
  const plane3 h  = givens(a.b0.x, y);
  const double y1 = g.c * a.b1.y + g.s * a.b1.z, z1 = g.c * a.b1.z - g.s * a.b1.y;
  const double y2 = g.c * a.b2.y + g.s * a.b2.z, z2 = g.c * a.b2.z - g.s * a.b2.y;
  const double y1h = h.c * y1 - h.s * a.b1.x, y2h = h.c * y2 - h.s * a.b2.x;
  const plane3 k = givens(y1h, z1);
  return (svd3){.u = {h.c, -h.s * k.c, h.s * k.s, g.c * h.s, g.c * h.c * k.c - g.s * k.s, -g.c * h.c * k.s - g.s * k.c,
                      g.s * h.s, g.s * h.c * k.c + g.c * k.s, g.c * k.c - g.s * h.c * k.s},
                .v = {a.v0.x, a.v1.x, a.v2.x, a.v0.y, a.v1.y, a.v2.y, a.v0.z, a.v1.z, a.v2.z},
                .s = {h.c * a.b0.x + h.s * y, k.c * y1h + k.s * z1, k.c * z2 - k.s * y2h}};
}

/*
  Eigenvectors of F^T F by three two-sided Jacobi sweeps, V; its round-off is 1e-16 s_0^2, too large for small singular
  values, which one sweep of one-sided rotations of the columns of F V corrects. [Golub, Van Loan 2013, 8.5-8.6]
*/
BLOCK3_INLINE svd3 signed_svd(mat3 f)
{
  const double size = mat3_max_abs(f), scale = size > 1e-290 ? size : 1;
  f                 = mat3_scale(1 / scale, f);
  const eigen3  e   = sym3_eigen_coarse(mat3_gram(f));
  const columns a   = {mat3_apply(f, e.v0), mat3_apply(f, e.v1), mat3_apply(f, e.v2), e.v0, e.v1, e.v2};
  svd3          svd = factor(sweep_and_sort(a));
  svd.s             = (vec3){scale * svd.s.x, scale * svd.s.y, scale * svd.s.z};
  return svd;
}

/* Two one-sided rotations: the second corrects the round-off of the first, which is relative to s_0^2. */
BLOCK3_INLINE svd3 tall_svd(vec3 f0, vec3 f1)
{
  const double size  = mat3_max_abs((mat3){f0.x, f0.y, f0.z, f1.x, f1.y, f1.z, 0, 0, 0});
  const double scale = size > 1e-290 ? size : 1, inverse = 1 / scale;
  const vec3   b0 = vec3_combine(inverse, f0, 0, f0), b1 = vec3_combine(inverse, f1, 0, f1);
  columns      a   = {b0, b1, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  svd3         svd = factor(order(orthogonalize(orthogonalize(a))));
  // round-off may have exchanged equal values
  svd.s = (vec3){scale * block3_max(svd.s.x, svd.s.y), scale * block3_min(svd.s.x, svd.s.y), 0};
  return svd;
}

void wring_block32_svd(wring_in f, wring_out u, wring_out s, wring_out v)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const svd3 svd = tall_svd((vec3){f[0][lane], f[2][lane], f[4][lane]}, (vec3){f[1][lane], f[3][lane], f[5][lane]});
    mat3_store(u, lane, svd.u);
    s[0][lane] = svd.s.x, s[1][lane] = svd.s.y;
    v[0][lane] = svd.v.a00, v[1][lane] = svd.v.a01, v[2][lane] = svd.v.a10, v[3][lane] = svd.v.a11;
  }
}

/* ---- closest rotation -------------------------------------------------------------------------------------------- */

/* Invariants of F and the largest root l = s_0 + s_1 + s_2 of p(l) = l^4 - 2 I1 l^2 - 8 J l + I1^2 - 4 I2. */
typedef struct {
  double i1, j, p0; // |F|^2, det F, I1^2 - 4 I2 with I2 = |cof F|^2
} quartic;

/*
  An upper bound of l: l^2 = I1 + 2 q and q^2 = I2 + 2 J l for q = s_0 s_1 + s_1 s_2 + s_2 s_0, with l <= sqrt(3 I1) for
  J > 0 and l >= s_0 >= sqrt(I1/3) for J < 0.
*/
BLOCK3_INLINE double root_bound(quartic q, double i2)
{
  const double b = block3_sqrt(q.i1) * (q.j > 0 ? 1.7320508075688772 : 0.57735026918962576);
  return block3_sqrt(q.i1 + 2 * block3_sqrt(block3_max(i2 + 2 * q.j * b, 0)));
}

/* The same to 1e-4; it may be below l. */
BLOCK3_INLINE double root_guess(quartic q, double i2)
{
  const double b = block3_sqrt_roughly(q.i1) * (q.j > 0 ? 1.7320508075688772 : 0.57735026918962576);
  return block3_sqrt_roughly(q.i1 + 2 * block3_sqrt_roughly(block3_max(i2 + 2 * q.j * b, 0)));
}

/*
  Householder's step of order 4: two steps reduce an error of a hundredth of l to round-off, unless the root is nearly
  double.
*/
BLOCK3_INLINE double householder(quartic q, double l)
{
  const double l2 = l * l, p = (l2 - 2 * q.i1) * l2 - 8 * q.j * l + q.p0, d = 4 * ((l2 - q.i1) * l - 2 * q.j);
  const double d2 = d * d,
               ph = p * (6 * l2 - 2 * q.i1); // half the second derivative times p; a sixth of the third is 4 l
  return l - p * (d2 - ph) / (d * (d2 - 2 * ph) + 4 * l * p * p + 1e-300);
}

/*
  Laguerre's step for degree 4: it converges cubically, and from above it never passes the largest root of a real-rooted
  polynomial.
*/
BLOCK3_INLINE double laguerre(quartic q, double l)
{
  const double l2 = l * l, p = (l2 - 2 * q.i1) * l2 - 8 * q.j * l + q.p0;
  const double dp = 4 * ((l2 - q.i1) * l - 2 * q.j), d2p = 12 * l2 - 4 * q.i1;
  return l - 4 * p / (dp + block3_sqrt(block3_max(9 * dp * dp - 12 * p * d2p, 0)) + 1e-300);
}

BLOCK3_INLINE double newton(quartic q, double l)
{
  const double l2 = l * l, p = (l2 - 2 * q.i1) * l2 - 8 * q.j * l + q.p0;
  return l - p / (4 * ((l2 - q.i1) * l - 2 * q.j) + 1e-300);
}

/*
  R = dl/dF = [(l^2 + I1) F + 2 l cof F - 2 F F^T F] / (l^3 - I1 l - 2 J), by implicit differentiation of p(l) = 0.
  p is the characteristic polynomial of the 4x4 matrix of Horn's quaternion method [Theobald 2005]; its use for the
  rotation of F: [Lin, Chitalu, Komura 2022].
*/
BLOCK3_INLINE mat3 rotation_of_root(mat3 f, mat3 k, sym3 c, quartic q, double l)
{
  const double d = 1 / ((l * l - q.i1) * l - 2 * q.j + 1e-300), s = (l * l + q.i1) * d, t = -2 * d;
  return mat3_combine(2 * l * d, k, 1, mat3_mul(f, sym3_shifted(s, t, c)));
}

BLOCK3_INLINE quartic quartic_of(mat3 f, mat3 k, sym3 c, double i2)
{
  const double i1 = sym3_trace(c);
  return (quartic){i1, mat3_det(f, k), i1 * i1 - 4 * i2};
}

BLOCK3_INLINE mat3 rotation_closed_form(mat3 f)
{
  const mat3    k  = mat3_cofactor(f);
  const sym3    c  = mat3_gram(f);
  const double  i2 = mat3_dot(k, k);
  const quartic q  = quartic_of(f, k, c, i2);
  return rotation_of_root(f, k, c, q, newton(q, laguerre(q, laguerre(q, root_bound(q, i2)))));
}

/* One Newton-Schulz step R (3 I - R^T R)/2, which squares the defect |R^T R - I|. */
BLOCK3_INLINE mat3 schulz(mat3 r, sym3 gram)
{
  return mat3_mul(r, sym3_shifted(1.5, -0.5, gram));
}

/* sum (R^T R - I)^2 over the upper triangle */
BLOCK3_INLINE double defect(sym3 gram)
{
  const double d0 = gram.s00 - 1, d1 = gram.s11 - 1, d2 = gram.s22 - 1;
  return d0 * d0 + d1 * d1 + d2 * d2 + gram.s01 * gram.s01 + gram.s02 * gram.s02 + gram.s12 * gram.s12;
}

/* The rotation by the vector 2 w through Cayley's map: (1 + [w])(1 - [w])^{-1}. */
BLOCK3_INLINE mat3 cayley(vec3 w)
{
  const double q = 2 / (1 + vec3_dot(w, w));
  return (mat3){1 - q * (w.y * w.y + w.z * w.z), q * (w.x * w.y - w.z),           q * (w.x * w.z + w.y),
                q * (w.x * w.y + w.z),           1 - q * (w.x * w.x + w.z * w.z), q * (w.y * w.z - w.x),
                q * (w.x * w.z - w.y),           q * (w.y * w.z + w.x),           1 - q * (w.x * w.x + w.y * w.y)};
}

/*
  One Newton step for max tr(R^T F) over rotations: R <- R exp[v], (tr S I - S) v = a with S + [a]/2 the symmetric and
  skew parts of R^T F. It corrects R to second order without leaving the rotations. [Kugelstadt et al. 2018]
*/
BLOCK3_INLINE mat3 rotation_newton(mat3 r, mat3 f)
{
  const mat3   s  = mat3_mul(mat3_transpose(r), f);
  const double ax = s.a21 - s.a12, ay = s.a02 - s.a20, az = s.a10 - s.a01;
  const double h00 = s.a11 + s.a22, h11 = s.a00 + s.a22, h22 = s.a00 + s.a11;
  const double h01 = -0.5 * (s.a01 + s.a10), h02 = -0.5 * (s.a02 + s.a20), h12 = -0.5 * (s.a12 + s.a21);
  const mat3   k    = mat3_cofactor((mat3){h00, h01, h02, h01, h11, h12, h02, h12, h22});
  const double half = 0.5 / (h00 * k.a00 + h01 * k.a01 + h02 * k.a02 + 1e-300); // Cayley's map takes half the angle
  const vec3   w    = {half * (k.a00 * ax + k.a01 * ay + k.a02 * az), half * (k.a10 * ax + k.a11 * ay + k.a12 * az),
                       half * (k.a20 * ax + k.a21 * ay + k.a22 * az)};
  return mat3_mul(r, cayley(w));
}

/* R = U V^T from the singular value decomposition: valid for every finite F. */
static void rotation_by_svd(wring_in f, wring_out r)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const svd3 svd = signed_svd(mat3_load(f, lane));
    mat3_store(r, lane, mat3_mul(svd.u, mat3_transpose(svd.v)));
  }
}

/* Whether all lanes are below the limit; false if one is NaN. */
static int all_below(const double *error, double limit)
{
  int good = 1;
  for (int lane = 0; lane < WRING_LANES; lane++) good &= error[lane] < limit;
  return good;
}

/* r [rows] = other in the lanes that are not below the limit, so that no lane depends on the others of its block. */
static void replace(int rows, const double *error, double limit, wring_in other, wring_out r)
{
  for (int i = 0; i < rows; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) r[i][lane] = error[lane] < limit ? r[i][lane] : other[i][lane];
  }
}

/*
  The closed form with a safe guess and all corrections. It fails if s_1 + s_2 is a tiny fraction of s_0 (its
  denominator is the product of the sums of pairs) or if powers of F exceed the range of doubles; R is then not a
  rotation, or NaN: error >= well. This is rare in practice.
*/
static void rotation_with_care(wring_in f, wring_out r, double *error)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 deformation = mat3_load(f, lane), rotation = rotation_closed_form(deformation);
    const sym3 gram = mat3_gram(rotation);
    error[lane]     = defect(gram);
    mat3_store(r, lane, rotation_newton(schulz(rotation, gram), deformation));
  }
}

static const double exact = 2e-29, well = 1e-14; // largest defects

enum { I1, J, P0, ROOT, QUARTIC }; // rows of quartics

BLOCK3_INLINE quartic quartic_load(wring_in rows, int lane)
{
  return (quartic){rows[I1][lane], rows[J][lane], rows[P0][lane]};
}

/* The quartics of f, and rough guesses of their roots. */
static void form_quartics(wring_in f, wring_out rows)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3    a = mat3_load(f, lane), k = mat3_cofactor(a);
    const double  i2 = mat3_dot(k, k);
    const quartic q  = quartic_of(a, k, mat3_gram(a), i2);
    rows[I1][lane] = q.i1, rows[J][lane] = q.j, rows[P0][lane] = q.p0;
    rows[ROOT][lane] = root_guess(q, i2);
  }
}

/* Each operation waits for the one before: a loop so short that the processor works on several iterations at once. */
static void find_roots(wring_out rows)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const quartic q  = quartic_load((wring_in)rows, lane);
    rows[ROOT][lane] = householder(q, householder(q, rows[ROOT][lane]));
  }
}

/* R of the roots and its defect. */
static void rotations_of_roots(wring_in f, wring_in rows, wring_out r, double *error)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 a = mat3_load(f, lane);
    const mat3 rotation =
      rotation_of_root(a, mat3_cofactor(a), mat3_gram(a), quartic_load(rows, lane), rows[ROOT][lane]);
    error[lane] = defect(mat3_gram(rotation));
    mat3_store(r, lane, rotation);
  }
}

/*
  The closed form is U diag(r_0, r_1, r_2) V^T for any l, with r = 1 for the exact root: the error of l shows in R^T R,
  which is the identity to round-off, so that no correction is needed, unless stretches differ by more than a factor of
  three or elements are inverted. Returns 0 if lanes remain whose error is not below `well`: they need the singular
  value decomposition.
*/
static int rotation_without_svd(wring_in f, wring_out r, double *error)
{
  WRING_ALIGNED double other[9][WRING_LANES], left[WRING_LANES], quartics[QUARTIC][WRING_LANES];

  form_quartics(f, quartics);
  find_roots(quartics);
  rotations_of_roots(f, (wring_in)quartics, r, error);
  if (all_below(error, exact)) return 1;
  rotation_with_care(f, other, left);
  replace(9, error, exact, (wring_in)other, r);
  replace(1, error, exact, (wring_in)left, (wring_out)error);
  return all_below(error, well);
}

void wring_block3_rotation(wring_in f, wring_out r)
{
  WRING_ALIGNED double copy[9][WRING_LANES], other[9][WRING_LANES], error[WRING_LANES];

  if ((wring_in)r == f) {
    memcpy(copy, f, sizeof copy);
    f = (wring_in)copy;
  }
  if (rotation_without_svd(f, r, error)) return;
  rotation_by_svd(f, other);
  replace(9, error, well, (wring_in)other, r);
}

/* ---- singular values from the closest rotation ------------------------------------------------------------------- */

/* F = R S with the symmetric S = V diag(s) V^T, whose eigenvalues have the signs of singular values. */
static void svd_of_rotation(wring_in f, wring_in r, wring_out u, wring_out s, wring_out v)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3      rotation = mat3_load(r, lane), p = mat3_mul(mat3_transpose(rotation), mat3_load(f, lane));
    const spectral3 e    = sym3_spectral(mat3_symmetric(p));
    const mat3      axes = {e.v0.x, e.v1.x, e.v2.x, e.v0.y, e.v1.y, e.v2.y, e.v0.z, e.v1.z, e.v2.z};
    mat3_store(u, lane, mat3_mul(rotation, axes));
    mat3_store(v, lane, axes);
    s[0][lane] = e.s.x, s[1][lane] = e.s.y, s[2][lane] = block3_max(e.s.z, -e.s.y); // round-off may exceed |s_1|
  }
}

static void svd_by_jacobi(wring_in f, wring_out u, wring_out s, wring_out v)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const svd3 svd = signed_svd(mat3_load(f, lane));
    mat3_store(u, lane, svd.u);
    mat3_store(v, lane, svd.v);
    s[0][lane] = svd.s.x, s[1][lane] = svd.s.y, s[2][lane] = svd.s.z;
  }
}

void wring_block3_svd(wring_in f, wring_out u, wring_out s, wring_out v)
{
  WRING_ALIGNED double r[9][WRING_LANES], w[3][WRING_LANES], error[WRING_LANES];
  const int            good = rotation_without_svd(f, r, error);

  svd_of_rotation(f, (wring_in)r, u, s, v);
  if (good) return;
  WRING_ALIGNED double other[9][WRING_LANES];
  svd_by_jacobi(f, other, w, r);
  replace(9, error, well, (wring_in)other, u);
  replace(3, error, well, (wring_in)w, s);
  replace(9, error, well, (wring_in)r, v);
}
