#include "isotropic.h"
#include "base/block3.h"
#include "closed_forms.h"
#include <string.h>

enum { S00, S11, S22, S01, S02, S12 };

static void lift(wring_filter filter, double (*a)[WRING_LANES])
{
  const double share = filter;

  for (int i = 0; i < 3; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) a[i][lane] += share * block3_max(-a[i][lane], 0);
  }
}

/* s + t v v^T */
BLOCK3_INLINE sym3 add_square(sym3 s, double t, vec3 v)
{
  return (sym3){s.s00 + t * v.x * v.x, s.s11 + t * v.y * v.y, s.s22 + t * v.z * v.z,
                s.s01 + t * v.x * v.y, s.s02 + t * v.x * v.z, s.s12 + t * v.y * v.z};
}

/*
  1 if every lane is safely positive definite: its leading minors (Sylvester) are compared with powers of the trace.
  This is the common case and needs no eigenvectors. 1e-8 is far above round-off and far below the stiffness.
*/
static int is_definite(double (*a)[WRING_LANES])
{
  int definite = 1;
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double s00 = a[S00][lane], s11 = a[S11][lane], s01 = a[S01][lane], s02 = a[S02][lane], s12 = a[S12][lane];
    const double s22 = a[S22][lane], t = s00 + s11 + s22, minor = s00 * s11 - s01 * s01;
    const double det = s22 * minor - s00 * s12 * s12 - s11 * s02 * s02 + 2 * s01 * s02 * s12;
    definite &= (s00 > 1e-8 * t) & (minor > 1e-8 * t * t) & (det > 1e-8 * t * t * t) & (t > 0);
  }
  return definite;
}

/* Filters the eigenvalues; a semidefinite matrix is left unchanged to the last bit. */
static void lift_stretches(wring_filter filter, double (*a)[WRING_LANES])
{
  const double share = filter;
  if (is_definite(a)) return;
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    sym3         s = {a[S00][lane], a[S11][lane], a[S22][lane], a[S01][lane], a[S02][lane], a[S12][lane]};
    const eigen3 e = sym3_eigen(s);
    s              = add_square(s, share * block3_max(-e.s.s00, 0), e.v0);
    s              = add_square(s, share * block3_max(-e.s.s11, 0), e.v1);
    s              = add_square(s, share * block3_max(-e.s.s22, 0), e.v2);
    a[S00][lane] = s.s00, a[S11][lane] = s.s11, a[S22][lane] = s.s22;
    a[S01][lane] = s.s01, a[S02][lane] = s.s02, a[S12][lane] = s.s12;
  }
}

/* Adds the modes of p s_0 s_1 s_2 for the pairs 01, 02, 12: its second derivative is p s_k, k the third stretch. */
static void add_pressure(const double *p, wring_in s, wring_isotropic_modes *m)
{
  for (int pair = 0; pair < 3; pair++) {
    const double *const third = s[2 - pair];
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      const double mixed = p[lane] * third[lane];
      m->a[S01 + pair][lane] += mixed;
      m->twist[pair][lane] += mixed;
      m->flip[pair][lane] -= mixed;
    }
  }
}

/* F = U diag(s) V^T, u and v [9], s [3], and the filtered modes there. */
static void find_modes(const wring_law *self, wring_filter filter, wring_in par, wring_in f, wring_out u, wring_out s,
                       wring_out v, wring_isotropic_modes *modes)
{
  const wring_isotropic *const rule = self->rule;

  wring_block3_svd(f, u, s, v);
  rule->modes(par, (wring_in)s, modes);
  if (rule->pressure) add_pressure(par[rule->pressure], (wring_in)s, modes);
  if (!filter) return;
  lift_stretches(filter, modes->a);
  lift(filter, modes->twist);
  lift(filter, modes->flip);
}

/* Whether the law has psi'' at f in closed form, *at; only without a filter. */
static PetscBool find_second(const wring_law *self, wring_filter filter, wring_in par, wring_in f,
                             wring_second_derivative *at)
{
  const wring_isotropic *const rule = self->rule;
  if (filter || !rule->second) return PETSC_FALSE;
  rule->second(par, f, at);
  for (int lane = 0; rule->pressure && lane < WRING_LANES; lane++) at->pressure[lane] += par[rule->pressure][lane];
  return PETSC_TRUE;
}

/*
  K = sum_kl c_k b_l h_(ik)(jl) for rows c and b in the basis of V: U M U^T with
    M_ij = a_ij c_i b_j + swap_ij c_j b_i,   M_ii = a_ii c_i b_i + sum_j same_ij c_j b_j
  where same and swap are (flip + twist)/2 and (flip - twist)/2 of a pair.
*/
static void join_rows(const wring_isotropic_modes *m, wring_in u, wring_in c, wring_in b, wring_out K)
{
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double flip0 = 0.5 * m->flip[0][lane], flip1 = 0.5 * m->flip[1][lane], flip2 = 0.5 * m->flip[2][lane];
    const double twist0 = 0.5 * m->twist[0][lane], twist1 = 0.5 * m->twist[1][lane], twist2 = 0.5 * m->twist[2][lane];
    const double same0 = flip0 + twist0, same1 = flip1 + twist1, same2 = flip2 + twist2;
    const double swap0 = flip0 - twist0, swap1 = flip1 - twist1, swap2 = flip2 - twist2;
    const vec3   p = vertex_row(c, lane), q = vertex_row(b, lane), d = {p.x * q.x, p.y * q.y, p.z * q.z};
    const double a01 = m->a[S01][lane], a02 = m->a[S02][lane], a12 = m->a[S12][lane];
    const mat3   inner = {m->a[S00][lane] * d.x + same0 * d.y + same1 * d.z,
                          a01 * p.x * q.y + swap0 * p.y * q.x,
                          a02 * p.x * q.z + swap1 * p.z * q.x,
                          a01 * p.y * q.x + swap0 * p.x * q.y,
                          m->a[S11][lane] * d.y + same0 * d.x + same2 * d.z,
                          a12 * p.y * q.z + swap2 * p.z * q.y,
                          a02 * p.z * q.x + swap1 * p.x * q.z,
                          a12 * p.z * q.y + swap2 * p.y * q.z,
                          m->a[S22][lane] * d.z + same1 * d.x + same2 * d.y};
    const mat3   turn  = mat3_load(u, lane);
    mat3_store(K, lane, mat3_mul(mat3_mul(turn, inner), mat3_transpose(turn)));
  }
}

void wring_isotropic_blocks(const wring_law *self, wring_filter filter, wring_in par, wring_in f, wring_in g,
                            wring_out K)
{
  WRING_ALIGNED double                u[9][WRING_LANES], s[3][WRING_LANES], v[9][WRING_LANES], b[9][WRING_LANES];
  WRING_ALIGNED wring_isotropic_modes modes;
  wring_second_derivative             second;

  if (find_second(self, filter, par, f, &second)) {
    wring_second_blocks(&second, f, g, K);
    return;
  }
  find_modes(self, filter, par, f, u, s, v, &modes);
  for (int i = 0; i < 9; i++) {
#pragma omp simd
    for (int lane = 0; lane < WRING_LANES; lane++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += v[3 * k + i % 3][lane] * g[3 * (i / 3) + k][lane];
      b[i][lane] = sum;
    }
  }
  for (int k = 0; k < 3; k++)
    for (int l = k; l < 3; l++, K += 9) join_rows(&modes, (wring_in)u, (wring_in)(b + 3 * k), (wring_in)(b + 3 * l), K);
}

/* The blocks of the unit vectors as rows. */
void wring_isotropic_hessian(const wring_law *self, wring_filter filter, wring_in par, wring_in f, wring_out h)
{
  WRING_ALIGNED double unit[9][WRING_LANES], K[54][WRING_LANES], (*from)[WRING_LANES] = K;
  for (int i = 0; i < 9 * WRING_LANES; i++) unit[i / WRING_LANES][i % WRING_LANES] = i / WRING_LANES % 4 == 0;
  wring_isotropic_blocks(self, filter, par, f, (wring_in)unit, K);
  for (int k = 0; k < 3; k++) {
    for (int i = 9 * k; i < 27; i++, from++) {
      const int row = 3 * (i % 9 / 3) + k, column = 3 * (i % 3) + i / 9;
      memcpy(h[9 * row + column], *from, sizeof *h);
      memcpy(h[9 * column + row], *from, sizeof *h);
    }
  }
}

/* U^T K U for b = V^T g: the stretches on the diagonal and between axes, twist and flip of every pair. */
BLOCK3_INLINE sym3 contract_modes(const wring_isotropic_modes *m, int lane, vec3 b)
{
  const double p01 = 0.5 * (m->flip[0][lane] + m->twist[0][lane]), m01 = 0.5 * (m->flip[0][lane] - m->twist[0][lane]);
  const double p02 = 0.5 * (m->flip[1][lane] + m->twist[1][lane]), m02 = 0.5 * (m->flip[1][lane] - m->twist[1][lane]);
  const double p12 = 0.5 * (m->flip[2][lane] + m->twist[2][lane]), m12 = 0.5 * (m->flip[2][lane] - m->twist[2][lane]);
  const double x2 = b.x * b.x, y2 = b.y * b.y, z2 = b.z * b.z;
  return (sym3){m->a[S00][lane] * x2 + p01 * y2 + p02 * z2, m->a[S11][lane] * y2 + p01 * x2 + p12 * z2,
                m->a[S22][lane] * z2 + p02 * x2 + p12 * y2, (m->a[S01][lane] + m01) * b.x * b.y,
                (m->a[S02][lane] + m02) * b.x * b.z,        (m->a[S12][lane] + m12) * b.y * b.z};
}

/* K must not overlap the inputs: or else clang adds a scalar loop for that case. */
void wring_isotropic_contracted(const wring_law *self, wring_in par, wring_in f, wring_in g,
                                double (*restrict K)[WRING_LANES])
{
  WRING_ALIGNED double  u[9][WRING_LANES], s[3][WRING_LANES], v[9][WRING_LANES];
  wring_isotropic_modes modes;

  find_modes(self, WRING_FILTER_NONE, par, f, u, s, v, &modes);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 a = mat3_load((wring_in)u, lane), b = mat3_load((wring_in)v, lane);
    const vec3 along = {b.a00 * g[0][lane] + b.a10 * g[1][lane] + b.a20 * g[2][lane],
                        b.a01 * g[0][lane] + b.a11 * g[1][lane] + b.a21 * g[2][lane],
                        b.a02 * g[0][lane] + b.a12 * g[1][lane] + b.a22 * g[2][lane]};
    const sym3 k     = contract_modes(&modes, lane, along);
    const vec3 x = {a.a00, a.a01, a.a02}, y = {a.a10, a.a11, a.a12}, z = {a.a20, a.a21, a.a22};
    const vec3 kx = sym3_apply(k, x), ky = sym3_apply(k, y), kz = sym3_apply(k, z);
    K[0][lane] = vec3_dot(x, kx), K[1][lane] = vec3_dot(y, ky), K[2][lane] = vec3_dot(z, kz);
    K[3][lane] = vec3_dot(x, ky), K[4][lane] = vec3_dot(y, kz), K[5][lane] = vec3_dot(x, kz);
  }
}

/* A pair's part of a . h b, a and b in the basis u_i v_j^T: (flip (a_ij + a_ji)(b_ij + b_ji) + twist ...)/2 */
BLOCK3_INLINE double pair_product(double flip, double twist, double a, double a_swap, double b, double b_swap)
{
  return 0.5 * (flip * (a + a_swap) * (b + b_swap) + twist * (a - a_swap) * (b - b_swap));
}

/* a . h b of a lane for a and b in this basis. */
BLOCK3_INLINE double mode_product(const wring_isotropic_modes *m, int lane, mat3 a, mat3 b)
{
  const sym3 s = {m->a[S00][lane], m->a[S11][lane], m->a[S22][lane], m->a[S01][lane], m->a[S02][lane], m->a[S12][lane]};
  const double stretches = vec3_dot((vec3){a.a00, a.a11, a.a22}, sym3_apply(s, (vec3){b.a00, b.a11, b.a22}));
  return stretches + pair_product(m->flip[0][lane], m->twist[0][lane], a.a01, a.a10, b.a01, b.a10) +
         pair_product(m->flip[1][lane], m->twist[1][lane], a.a02, a.a20, b.a02, b.a20) +
         pair_product(m->flip[2][lane], m->twist[2][lane], a.a12, a.a21, b.a12, b.a21);
}

void wring_isotropic_products(const wring_law *self, wring_filter filter, wring_in par, wring_in f, wring_in a,
                              wring_in b, wring_out sum)
{
  WRING_ALIGNED double                u[9][WRING_LANES], s[3][WRING_LANES], v[9][WRING_LANES];
  WRING_ALIGNED wring_isotropic_modes modes;
  wring_second_derivative             second;

  if (find_second(self, filter, par, f, &second)) {
    wring_second_products(&second, f, a, b, sum);
    return;
  }
  find_modes(self, filter, par, f, u, s, v, &modes);
#pragma omp simd
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const mat3 ut = mat3_transpose(mat3_load((wring_in)u, lane)), w = mat3_load((wring_in)v, lane);
    const mat3 x = mat3_mul(ut, mat3_mul(mat3_load(a, lane), w)), y = mat3_mul(ut, mat3_mul(mat3_load(b, lane), w));
    sum[0][lane] = mode_product(&modes, lane, x, x), sum[1][lane] = mode_product(&modes, lane, x, y);
    sum[2][lane] = mode_product(&modes, lane, y, y);
  }
}
