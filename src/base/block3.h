/*
  3x3 algebra for blocks of WRING_LANES elements, private to the library.

  The inline functions work on one lane: they are branch-free, take and return structs of named doubles by value, and
  are written for the body of a loop over lanes with "#pragma omp simd", which gcc and clang then vectorise. Taking the
  address of such a struct inside the loop, or an array in it, would prevent this. A block of matrices is double
  [9][WRING_LANES], row by row, aligned to 64 bytes.
*/
#pragma once
#include <wring/base.h>
#include <math.h>

#define BLOCK3_INLINE static inline __attribute__((always_inline))

typedef struct {
  double x, y, z;
} vec3;

typedef struct {
  double a00, a01, a02, a10, a11, a12, a20, a21, a22;
} mat3;

/* ---- whole blocks ------------------------------------------------------------------------------------------------ */

/*
  r = the rotation closest to f in the Frobenius norm: R = U V^T of the signed SVD, accurate to a few 1e-15. Defined for
  every finite f: if several rotations are equally close (f = 0, inverted with s_2 = -s_3), r is one of them. r may be
  f.
*/
void wring_block3_rotation(wring_in f, wring_out r);

/*
  f = U diag(s) V^T with rotations U and V (det = 1) and s_0 >= s_1 >= |s_2|, sign(s_2) = sign(det f); s
  [3][WRING_LANES].
  Errors are a few 1e-15 of s_0. A matrix below 1e-290 is treated as 0. The outputs must not overlap f or each other.
*/
void wring_block3_svd(wring_in f, wring_out u, wring_out s, wring_out v);

/*
  The same for 3 x 2 matrices f [6], row by row: f = (u_0, u_1) diag(s) V^T with s_0 >= s_1 >= 0; u [9] is a rotation,
  whose third column is normal to the other two, s [2], v [4] a rotation.
*/
void wring_block32_svd(wring_in f, wring_out u, wring_out s, wring_out v);

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

typedef union {
  double   real;
  uint64_t bits;
} block3_word;

BLOCK3_INLINE double block3_max(double a, double b)
{
  return a > b ? a : b;
}

BLOCK3_INLINE double block3_min(double a, double b)
{
  return a < b ? a : b;
}

/*
  1/sqrt(x) to about 1.5 ulp for x >= 0, a large finite number at x = 0. An initial guess from the exponent, with an
  error of 3.5%, then the series of (1 - e)^(-1/2), e = 1 - x y^2, of order 5 and of order 3: several times faster than
  sqrt and division.
*/
BLOCK3_INLINE double block3_rsqrt(double x)
{
  block3_word w = {.real = x};
  w.bits        = 0x5fe6eb50c7b537a9u - (w.bits >> 1);
  double y = w.real, e = 1 - x * y * y;
  y += y * e * (1. / 2 + e * (3. / 8 + e * (5. / 16 + e * (35. / 128))));
  e = 1 - x * y * y;
  return y + y * e * (1. / 2 + e * (3. / 8));
}

BLOCK3_INLINE double block3_sqrt(double x)
{
  return x * block3_rsqrt(x);
}

/* sqrt(x) to 1e-4, for initial guesses: only the series of order 3. */
BLOCK3_INLINE double block3_sqrt_roughly(double x)
{
  block3_word w  = {.real = x};
  w.bits         = 0x5fe6eb50c7b537a9u - (w.bits >> 1);
  const double y = w.real, e = 1 - x * y * y;
  return x * (y + y * e * (1. / 2 + e * (3. / 8)));
}

/*
  R(s^2) of log(1 + f) = f - f^2/2 + s (f^2/2 + R), s = f/(2 + f), for 1 + f in [sqrt(1/2), sqrt(2)): the method and the
  constants of FreeBSD's e_log.c (Sun Microsystems 1993).
*/
BLOCK3_INLINE double block3_log_series(double s2)
{
  return s2 * (6.666666666666735130e-01 +
               s2 * (3.999999999940941908e-01 +
                     s2 * (2.857142874366239149e-01 +
                           s2 * (2.222219843214978396e-01 +
                                 s2 * (1.818357216161805012e-01 +
                                       s2 * (1.531383769920937332e-01 + s2 * 1.479819860511658591e-01))))));
}

/*
  log x for normal x > 0, within 1 ulp: x = 2^k (1 + f), without the branches of e_log.c. The result for other x is
  meaningless.
*/
BLOCK3_INLINE double block3_log(double x)
{
  const block3_word w        = {.real = x};
  const uint64_t    k        = (w.bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu)) >> 52; // biased
  const block3_word m        = {.bits = w.bits - ((k - 1023) << 52)};
  const block3_word r        = {.bits = 0x4330000000000000u | k}; // 2^52 + k, as no vector instruction converts k
  const double      exponent = r.real - (0x1p52 + 1023), f = m.real - 1, s = f / (2 + f), half = 0.5 * f * f;
  const double      log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
  return exponent * log2_high - ((half - (s * (half + block3_log_series(s * s)) + exponent * log2_low)) - f);
}

/* f - log(1 + f), of second order in f, with full relative accuracy for |f| <= 1/4. */
BLOCK3_INLINE double block3_log_defect(double f)
{
  const double s = f / (2 + f), half = 0.5 * f * f;
  return half - s * (half + block3_log_series(s * s));
}

/*
  x^(-1/3) for normal x > 0, within 2 ulp: x = 2^(3 q + r) m, m in [sqrt(1/2), sqrt(2)), r in {-1, 0, 1}; for m a linear
  guess with an error of 1.4%, then the series of (1 - e)^(-1/3), e = 1 - m y^3, of order 4 and of order 2. The result
  for other x is meaningless.
*/
BLOCK3_INLINE double block3_rcbrt(double x)
{
  const block3_word w        = {.real = x};
  const uint64_t    k        = (w.bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu)) >> 52; // biased
  const block3_word mantissa = {.bits = w.bits - ((k - 1023) << 52)};
  const block3_word biased   = {.bits = 0x4330000000000000u | k}; // 2^52 + k
  const double      exponent = biased.real - (0x1p52 + 1023);
  const block3_word third    = {.real = exponent * (1. / 3) + 0x1.8p52}; // its last bits are q
  const double      r = exponent - 3 * (third.real - 0x1.8p52), m = mantissa.real;
  const block3_word power = {.bits = (1023 + 0x4338000000000000u - third.bits) << 52}; // 2^(-q)
  const double      rest  = r > 0.5 ? 0.79370052598409974 : r < -0.5 ? 1.2599210498948732 : 1;
  double            y = 1.3408 - 0.32753 * m, e = 1 - m * y * y * y;
  y += y * e * (1. / 3 + e * (2. / 9 + e * (14. / 81 + e * (35. / 243))));
  e = 1 - m * y * y * y;
  y += y * e * (1. / 3 + e * (2. / 9));
  return y * rest * power.real;
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

BLOCK3_INLINE double vec3_dot(vec3 a, vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* s a + t b */
BLOCK3_INLINE vec3 vec3_combine(double s, vec3 a, double t, vec3 b)
{
  return (vec3){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

BLOCK3_INLINE vec3 vec3_minus(vec3 a)
{
  return (vec3){-a.x, -a.y, -a.z};
}

/* a where the condition holds, else b */
BLOCK3_INLINE vec3 vec3_select(int condition, vec3 a, vec3 b)
{
  return (vec3){condition ? a.x : b.x, condition ? a.y : b.y, condition ? a.z : b.z};
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

BLOCK3_INLINE mat3 mat3_load(wring_in f, int lane)
{
  return (mat3){f[0][lane], f[1][lane], f[2][lane], f[3][lane], f[4][lane],
                f[5][lane], f[6][lane], f[7][lane], f[8][lane]};
}

BLOCK3_INLINE void mat3_store(wring_out f, int lane, mat3 a)
{
  f[0][lane] = a.a00, f[1][lane] = a.a01, f[2][lane] = a.a02;
  f[3][lane] = a.a10, f[4][lane] = a.a11, f[5][lane] = a.a12;
  f[6][lane] = a.a20, f[7][lane] = a.a21, f[8][lane] = a.a22;
}

BLOCK3_INLINE mat3 mat3_transpose(mat3 a)
{
  return (mat3){a.a00, a.a10, a.a20, a.a01, a.a11, a.a21, a.a02, a.a12, a.a22};
}

/* s a + t b */
BLOCK3_INLINE mat3 mat3_combine(double s, mat3 a, double t, mat3 b)
{
  return (mat3){s * a.a00 + t * b.a00, s * a.a01 + t * b.a01, s * a.a02 + t * b.a02,
                s * a.a10 + t * b.a10, s * a.a11 + t * b.a11, s * a.a12 + t * b.a12,
                s * a.a20 + t * b.a20, s * a.a21 + t * b.a21, s * a.a22 + t * b.a22};
}

BLOCK3_INLINE mat3 mat3_scale(double s, mat3 a)
{
  return (mat3){s * a.a00, s * a.a01, s * a.a02, s * a.a10, s * a.a11, s * a.a12, s * a.a20, s * a.a21, s * a.a22};
}

BLOCK3_INLINE mat3 mat3_sub(mat3 a, mat3 b)
{
  return (mat3){a.a00 - b.a00, a.a01 - b.a01, a.a02 - b.a02, a.a10 - b.a10, a.a11 - b.a11,
                a.a12 - b.a12, a.a20 - b.a20, a.a21 - b.a21, a.a22 - b.a22};
}

BLOCK3_INLINE double mat3_dot(mat3 a, mat3 b)
{
  return a.a00 * b.a00 + a.a01 * b.a01 + a.a02 * b.a02 + a.a10 * b.a10 + a.a11 * b.a11 + a.a12 * b.a12 + a.a20 * b.a20 +
         a.a21 * b.a21 + a.a22 * b.a22;
}

BLOCK3_INLINE mat3 mat3_mul(mat3 a, mat3 b)
{
  return (mat3){a.a00 * b.a00 + a.a01 * b.a10 + a.a02 * b.a20, a.a00 * b.a01 + a.a01 * b.a11 + a.a02 * b.a21,
                a.a00 * b.a02 + a.a01 * b.a12 + a.a02 * b.a22, a.a10 * b.a00 + a.a11 * b.a10 + a.a12 * b.a20,
                a.a10 * b.a01 + a.a11 * b.a11 + a.a12 * b.a21, a.a10 * b.a02 + a.a11 * b.a12 + a.a12 * b.a22,
                a.a20 * b.a00 + a.a21 * b.a10 + a.a22 * b.a20, a.a20 * b.a01 + a.a21 * b.a11 + a.a22 * b.a21,
                a.a20 * b.a02 + a.a21 * b.a12 + a.a22 * b.a22};
}

BLOCK3_INLINE vec3 mat3_apply(mat3 a, vec3 v)
{
  return (vec3){a.a00 * v.x + a.a01 * v.y + a.a02 * v.z, a.a10 * v.x + a.a11 * v.y + a.a12 * v.z,
                a.a20 * v.x + a.a21 * v.y + a.a22 * v.z};
}

/* A + s I */
BLOCK3_INLINE mat3 mat3_shift(mat3 a, double s)
{
  return (mat3){a.a00 + s, a.a01, a.a02, a.a10, a.a11 + s, a.a12, a.a20, a.a21, a.a22 + s};
}

BLOCK3_INLINE double mat3_trace(mat3 a)
{
  return a.a00 + a.a11 + a.a22;
}

/* d det/dA = det(A) A^{-T} */
BLOCK3_INLINE mat3 mat3_cofactor(mat3 a)
{
  return (mat3){a.a11 * a.a22 - a.a12 * a.a21, a.a12 * a.a20 - a.a10 * a.a22, a.a10 * a.a21 - a.a11 * a.a20,
                a.a21 * a.a02 - a.a22 * a.a01, a.a22 * a.a00 - a.a20 * a.a02, a.a20 * a.a01 - a.a21 * a.a00,
                a.a01 * a.a12 - a.a02 * a.a11, a.a02 * a.a10 - a.a00 * a.a12, a.a00 * a.a11 - a.a01 * a.a10};
}

/* The derivative of the cofactors of A along B. */
BLOCK3_INLINE mat3 mat3_cofactor_along(mat3 a, mat3 b)
{
  return (mat3){a.a11 * b.a22 + b.a11 * a.a22 - a.a12 * b.a21 - b.a12 * a.a21,
                a.a12 * b.a20 + b.a12 * a.a20 - a.a10 * b.a22 - b.a10 * a.a22,
                a.a10 * b.a21 + b.a10 * a.a21 - a.a11 * b.a20 - b.a11 * a.a20,
                a.a21 * b.a02 + b.a21 * a.a02 - a.a22 * b.a01 - b.a22 * a.a01,
                a.a22 * b.a00 + b.a22 * a.a00 - a.a20 * b.a02 - b.a20 * a.a02,
                a.a20 * b.a01 + b.a20 * a.a01 - a.a21 * b.a00 - b.a21 * a.a00,
                a.a01 * b.a12 + b.a01 * a.a12 - a.a02 * b.a11 - b.a02 * a.a11,
                a.a02 * b.a10 + b.a02 * a.a10 - a.a00 * b.a12 - b.a00 * a.a12,
                a.a00 * b.a11 + b.a00 * a.a11 - a.a01 * b.a10 - b.a01 * a.a10};
}

/* det A, given the cofactors of A */
BLOCK3_INLINE double mat3_det(mat3 a, mat3 cofactor)
{
  return a.a00 * cofactor.a00 + a.a01 * cofactor.a01 + a.a02 * cofactor.a02;
}

/* det(I + H) - 1 without cancellation, given the cofactors of H, whose trace is the second invariant of H */
BLOCK3_INLINE double mat3_det_change(mat3 h, mat3 cofactor)
{
  return mat3_trace(h) + mat3_trace(cofactor) + mat3_det(h, cofactor);
}

BLOCK3_INLINE double mat3_max_abs(mat3 a)
{
  const double r0 = block3_max(block3_max(fabs(a.a00), fabs(a.a01)), fabs(a.a02));
  const double r1 = block3_max(block3_max(fabs(a.a10), fabs(a.a11)), fabs(a.a12));
  const double r2 = block3_max(block3_max(fabs(a.a20), fabs(a.a21)), fabs(a.a22));
  return block3_max(block3_max(r0, r1), r2);
}

/* ---- symmetric matrices and their eigenvectors by Jacobi's method ------------------------------------------------ */

typedef struct {
  double s00, s11, s22, s01, s02, s12;
} sym3;

BLOCK3_INLINE double sym3_trace(sym3 s)
{
  return s.s00 + s.s11 + s.s22;
}

/* s I + t S */
BLOCK3_INLINE mat3 sym3_shifted(double s, double t, sym3 a)
{
  return (mat3){s + t * a.s00, t * a.s01, t * a.s02, t * a.s01,    s + t * a.s11,
                t * a.s12,     t * a.s02, t * a.s12, s + t * a.s22};
}

/* (A + A^T)/2 */
BLOCK3_INLINE sym3 mat3_symmetric(mat3 a)
{
  return (sym3){a.a00, a.a11, a.a22, 0.5 * (a.a01 + a.a10), 0.5 * (a.a02 + a.a20), 0.5 * (a.a12 + a.a21)};
}

BLOCK3_INLINE vec3 sym3_apply(sym3 s, vec3 v)
{
  return (vec3){s.s00 * v.x + s.s01 * v.y + s.s02 * v.z, s.s01 * v.x + s.s11 * v.y + s.s12 * v.z,
                s.s02 * v.x + s.s12 * v.y + s.s22 * v.z};
}

BLOCK3_INLINE sym3 sym3_adjugate(sym3 a)
{
  return (sym3){a.s11 * a.s22 - a.s12 * a.s12, a.s00 * a.s22 - a.s02 * a.s02, a.s00 * a.s11 - a.s01 * a.s01,
                a.s02 * a.s12 - a.s01 * a.s22, a.s01 * a.s12 - a.s02 * a.s11, a.s01 * a.s02 - a.s12 * a.s00};
}

/* A^T A */
BLOCK3_INLINE sym3 mat3_gram(mat3 a)
{
  return (sym3){a.a00 * a.a00 + a.a10 * a.a10 + a.a20 * a.a20, a.a01 * a.a01 + a.a11 * a.a11 + a.a21 * a.a21,
                a.a02 * a.a02 + a.a12 * a.a12 + a.a22 * a.a22, a.a00 * a.a01 + a.a10 * a.a11 + a.a20 * a.a21,
                a.a00 * a.a02 + a.a10 * a.a12 + a.a20 * a.a22, a.a01 * a.a02 + a.a11 * a.a12 + a.a21 * a.a22};
}

/* Cosine, sine and tangent of a plane rotation: (x, y) -> (c x - s y, s x + c y). */
typedef struct {
  double c, s, t;
} plane3;

/*
  The rotation, by at most 45 degrees, that makes [pp pq; pq qq] diagonal: tan 2a = 2 pq/(qq - pp), so that
  cos 2a = |d|/r with d = qq - pp, r^2 = d^2 + 4 pq^2, and c, s follow from half angles without cancellation.
*/
BLOCK3_INLINE plane3 plane3_jacobi(double pp, double pq, double qq)
{
  const double d = qq - pp, ad = fabs(d) + 1e-100, h = d < 0 ? -2 * pq : 2 * pq;
  const double ri = block3_rsqrt(ad * ad + h * h), c2 = 0.5 + 0.5 * ad * ri, ci = block3_rsqrt(c2);
  const double s = 0.5 * h * ri * ci;
  return (plane3){c2 * ci, s, s * ci};
}

/* The partly diagonalised S of the eigenproblem, in the basis of the columns v0, v1, v2. */
typedef struct {
  sym3 s;
  vec3 v0, v1, v2;
} eigen3;

/* Annihilates s01, then renames the axes 1, 2, 0 -> 0, 1, 2: three steps are a sweep over all three pairs. */
BLOCK3_INLINE eigen3 eigen3_step(eigen3 e)
{
  const plane3 g  = plane3_jacobi(e.s.s00, e.s.s01, e.s.s11);
  const double d0 = e.s.s00 - g.t * e.s.s01, d1 = e.s.s11 + g.t * e.s.s01;
  const double s02 = g.c * e.s.s02 - g.s * e.s.s12, s12 = g.s * e.s.s02 + g.c * e.s.s12;
  const vec3   v0 = vec3_combine(g.c, e.v0, -g.s, e.v1), v1 = vec3_combine(g.s, e.v0, g.c, e.v1);
  return (eigen3){{d1, e.s.s22, d0, s12, 0, s02}, v1, e.v2, v0};
}

BLOCK3_INLINE eigen3 eigen3_sweep(eigen3 e)
{
  return eigen3_step(eigen3_step(eigen3_step(e)));
}

/* Three sweeps: the largest off-diagonal entry in 6e6 matrices was 2e-5 of the norm; 2e-20 after a fourth. */
BLOCK3_INLINE eigen3 sym3_eigen_coarse(sym3 s)
{
  const eigen3 e = {s, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return eigen3_sweep(eigen3_sweep(eigen3_sweep(e)));
}

/* Eigenvalues s00, s11, s22 (not sorted) and orthonormal eigenvectors v0, v1, v2 to round-off. */
BLOCK3_INLINE eigen3 sym3_eigen(sym3 s)
{
  return eigen3_sweep(sym3_eigen_coarse(s));
}

/* The root y in [sqrt 3, 2] of y^3 - 3 y = 2 x, 0 <= x <= 1: a polynomial with an error of 3e-9 and a Newton step. */
BLOCK3_INLINE double cubic3_root(double x)
{
  const double x2 = x * x, x4 = x2 * x2;
  const double low  = 1.73205081 + 0.333332799 * x + x2 * (-0.0962100435 + 0.0492176639 * x);
  const double high = -0.0302495264 + 0.0188401492 * x + x2 * (-0.00994513636 + 0.00358192113 * x - 0.00061864038 * x2);
  const double y    = low + x4 * high;
  return y - (y * (y * y - 3) - 2 * x) / (3 * y * y - 3);
}

/* S = mean I + D, q^2 = |D|^2/6, 1/q (a large number for D = 0), and r = det(D/q)/2. */
typedef struct {
  double mean, q2, qi, r;
  sym3   d;
} deviator3;

BLOCK3_INLINE deviator3 sym3_deviator(sym3 s)
{
  const double mean = (s.s00 + s.s11 + s.s22) * (1. / 3), d0 = s.s00 - mean, d1 = s.s11 - mean, d2 = s.s22 - mean;
  const double a = s.s01 * s.s01, b = s.s02 * s.s02, c = s.s12 * s.s12;
  const double q2  = (d0 * d0 + d1 * d1 + d2 * d2) * (1. / 6) + (a + b + c) * (1. / 3);
  const double qi  = block3_rsqrt(q2 + (1e-40 * mean * mean + 1e-300));
  const double det = d0 * (d1 * d2 - c) - d1 * b - d2 * a + 2 * (s.s01 * s.s02 * s.s12);
  return (deviator3){mean, q2, qi, 0.5 * det * qi * (qi * qi), {d0, d1, d2, s.s01, s.s02, s.s12}};
}

/*
  Eigenvalues s_0 >= s_1 >= s_2 by the invariants of the deviator D = q Y, |Y|^2 = 6: its eigenvalues are the roots of
  y^3 - 3 y = 2 r. For |r| the largest is 2 cos(acos(|r|)/3), and the others follow from it. The error of each is a few
  1e-16 of |S| or, if two are close, the square root of that, but not for their elementary symmetric functions. For
  entries between about 1e-20 and 1e20.
*/
BLOCK3_INLINE vec3 sym3_eigenvalues(sym3 s)
{
  const deviator3 d = sym3_deviator(s);
  const double    y = cubic3_root(block3_min(fabs(d.r), 1)), half = 0.5 * sqrt(block3_max(3 * (2 - y) * (2 + y), 0));
  const double    near = half - 0.5 * y, far = half + 0.5 * y, q = d.q2 * d.qi;
  const int       least = d.r < 0;
  return (vec3){d.mean + q * (least ? far : y), d.mean + q * (least ? -near : near), d.mean - q * (least ? y : far)};
}

/* Eigenvalues s.x >= s.y >= s.z and unit eigenvectors, in this order the columns of a rotation. */
typedef struct {
  vec3 s, v0, v1, v2;
} spectral3;

/* The longest column of the adjugate of A, of rank 2, as a unit vector: A's null vector. */
BLOCK3_INLINE vec3 sym3_null_vector(sym3 a)
{
  const sym3   c       = sym3_adjugate(a);
  const vec3   first   = vec3_select(c.s00 >= c.s11, (vec3){c.s00, c.s01, c.s02}, (vec3){c.s01, c.s11, c.s12});
  const vec3   n       = vec3_select(block3_max(c.s00, c.s11) >= c.s22, first, (vec3){c.s02, c.s12, c.s22});
  const double inverse = block3_rsqrt(vec3_dot(n, n));
  return (vec3){inverse * n.x, inverse * n.y, inverse * n.z};
}

/*
  The eigenvalues of S in the plane normal to its eigenvector n, the larger one first, and their eigenvectors v0 and v1,
  by a Jacobi rotation of a basis u, v that makes (u, v, n) a rotation [Duff et al. 2017]; v2 = n, s.z is not set.
*/
BLOCK3_INLINE spectral3 sym3_in_plane(sym3 s, vec3 n)
{
  const double side = n.z < 0 ? -1 : 1, i = -1 / (side + n.z), j = n.x * n.y * i;
  const vec3   u = {1 + side * n.x * n.x * i, side * j, -side * n.x}, v = {j, side + n.y * n.y * i, -n.y};
  const vec3   su = sym3_apply(s, u), sv = sym3_apply(s, v);
  const double uu = vec3_dot(u, su), uv = vec3_dot(u, sv), vv = vec3_dot(v, sv);
  const plane3 g     = plane3_jacobi(uu, uv, vv);
  const int    swap  = vv >= uu; // which of the two rotated axes has the larger eigenvalue
  const double shift = g.t * uv, c = swap ? g.s : g.c, d = swap ? g.c : -g.s;
  return (spectral3){{swap ? vv + shift : uu - shift, swap ? uu - shift : vv + shift, 0},
                     vec3_combine(c, u, d, v),
                     vec3_combine(-d, u, c, v),
                     n};
}

/*
  The eigenvector of the eigenvalue that is farthest from the other two, in closed form, then those in the plane normal
  to it. Errors are a few 1e-16 of |S|, also for eigenvalues that are close or equal: n is the null vector of Y - y I, y
  the root of largest modulus, which is at a distance of at least sqrt 3 from the others. D = 0 gives some n.
  [Eberly 2014]
*/
BLOCK3_INLINE spectral3 sym3_spectral(sym3 s)
{
  const deviator3 d     = sym3_deviator(s);
  const double    y     = cubic3_root(block3_min(fabs(d.r), 1));
  const int       least = d.r < 0; // n belongs to the least eigenvalue, else to the largest
  const double    k = least ? -d.qi : d.qi, e = (least ? -y : y) * (d.q2 * d.qi);
  const vec3      n =
    sym3_null_vector((sym3){k * d.d.s00 - y, k * d.d.s11 - y, k * d.d.s22 - y, k * d.d.s01, k * d.d.s02, k * d.d.s12});
  const spectral3 w = sym3_in_plane(d.d, n);
  return (spectral3){{d.mean + (least ? w.s.x : e), d.mean + (least ? w.s.y : w.s.x), d.mean + (least ? e : w.s.y)},
                     vec3_select(least, w.v0, n),
                     vec3_select(least, w.v1, w.v0),
                     vec3_select(least, n, w.v1)};
}
