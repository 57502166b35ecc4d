/* Private to src/term: kernels of one block, inlined with constant m and q. docs/theory.md (3.1), (3.2) */
#pragma once
#include "term_impl.h"
#include "vertex_rows.h"
#include <stdlib.h>
#include <string.h>

enum { LANES = WRING_LANES, MAX_M = QUADRATIC, MAX_Q = 3, MAX_PAIRS = MAX_M * (MAX_M + 1) / 2 };

typedef double lanes[LANES];

/* Calls body, a TERM_INLINE, with the term's m and q as constants, without which its loops would not be vectorised. */
TERM_INLINE void with_stencil(const wring_term *t, void (*body)(int, int, void *), void *context)
{
  const int m = t->m, q = t->law->q;
#define STENCIL(M, Q)                                                                                                  \
  if (m == (M) && q == (Q)) {                                                                                          \
    body(M, Q, context);                                                                                               \
    return;                                                                                                            \
  }
  STENCILS
#undef STENCIL
  abort(); // no builder makes another one
}

/* The quadrature points of an element, the constant 1 but for second-order tets. */
TERM_INLINE int points_of(const wring_term *t, int m)
{
  return m == QUADRATIC ? t->points : 1;
}

/* ---- second-order tets: derivatives of x in the reference coordinates. docs/theory.md (3.1b) --------------------- */

/*
  Arrays of lanes are passed from here on as a pointer to the first of the WIDTH lanes that are processed, its rows
  LANES apart.
*/

/* Coordinate c of the columns d [27] of the free vertices: corners 0 1 2, then the middles 01 12 20 03 13 23. */
TERM_INLINE void load_coordinate(const double *restrict d, int c, lane_values v[9])
{
  for (int a = 0; a < 9; a++) load_lanes(d + (3 * a + c) * LANES, &v[a]);
}

/* One coordinate of dx/dL_k at a point L, in registers: sums of products alone, for fused multiply-add. */
TERM_INLINE void derive(const double *L, const lane_values v[9], lane_values D[3])
{
  const double      l0 = 4 * L[0], l1 = 4 * L[1], l2 = 4 * L[2], l3 = 4 * L[3];
  const lane_values last = l0 * v[6] + l1 * v[7] + l2 * v[8];
  D[0]                   = (l0 - 1) * v[0] - last + l1 * v[3] + l2 * v[5] + l3 * v[6];
  D[1]                   = (l1 - 1) * v[1] - last + l0 * v[3] + l2 * v[4] + l3 * v[7];
  D[2]                   = (l2 - 1) * v[2] - last + l0 * v[5] + l1 * v[4] + l3 * v[8];
}

/* z = D coef at a point, from the columns d [27] of the free vertices, in registers. */
TERM_INLINE void load_point_part(int q, const double *L, const double *coef, const double *restrict d,
                                 double *restrict z)
{
  lane_values g[9];
  for (int i = 0; i < 3 * q; i++) load_lanes(coef + i * LANES, &g[i]);
  for (int c = 0; c < 3; c++) {
    lane_values v[9], D[3];
    load_coordinate(d, c, v);
    derive(L, v, D);
    for (int k = 0; k < q; k++) {
      const lane_values sum = D[0] * g[k] + D[1] * g[q + k] + D[2] * g[2 * q + k];
      store_lanes(&sum, z + (q * c + k) * LANES);
    }
  }
}

TERM_INLINE void load_point(int q, const double *L, const double *coef, const double (*restrict d)[LANES],
                            double (*restrict z)[LANES])
{
  for (int l = 0; l < LANES; l += WIDTH) load_point_part(q, L, coef + l, *d + l, *z + l);
}

/* f += a u + b v, in this order, for fused multiply-add. */
TERM_INLINE void add_multiples(double a, const lane_values *u, double b, const lane_values *v, double *f)
{
  lane_values sum;
  load_lanes(f, &sum);
  sum = sum + a * *u + b * *v;
  store_lanes(&sum, f);
}

TERM_INLINE void add_multiple(double a, const lane_values *u, double *f)
{
  lane_values sum;
  load_lanes(f, &sum);
  sum += a * *u;
  store_lanes(&sum, f);
}

/* Coordinate c of f [27] += the transpose of `derive` applied to D. */
TERM_INLINE void add_coordinate(const double *L, int c, const lane_values D[3], double *restrict f)
{
  const double      l0 = 4 * L[0], l1 = 4 * L[1], l2 = 4 * L[2], l3 = 4 * L[3];
  const lane_values sum = D[0] + D[1] + D[2];
  f += c * LANES;
  add_multiple(l0 - 1, &D[0], f);
  add_multiple(l1 - 1, &D[1], f + 3 * LANES);
  add_multiple(l2 - 1, &D[2], f + 6 * LANES);
  add_multiples(l1, &D[0], l0, &D[1], f + 9 * LANES);
  add_multiples(l2, &D[1], l1, &D[2], f + 12 * LANES);
  add_multiples(l2, &D[0], l0, &D[2], f + 15 * LANES);
  add_multiples(l3, &D[0], -l0, &sum, f + 18 * LANES);
  add_multiples(l3, &D[1], -l1, &sum, f + 21 * LANES);
  add_multiples(l3, &D[2], -l2, &sum, f + 24 * LANES);
}

/* f [27] += the forces of w p at a point, in registers; weight may be NULL: 1. */
TERM_INLINE void add_point_part(int q, const double *L, const double *coef, const double *weight,
                                const double *restrict p, double *restrict f)
{
  lane_values g[9], w = {0};
  if (weight) load_lanes(weight, &w);
  for (int i = 0; i < 3 * q; i++) load_lanes(coef + i * LANES, &g[i]);
  for (int c = 0; c < 3; c++) {
    lane_values r[3], D[3];
    for (int k = 0; k < q; k++) load_lanes(p + (q * c + k) * LANES, &r[k]);
    for (int k = 0; k < 3; k++) {
      const lane_values sum = q == 3 ? r[0] * g[3 * k] + r[1] * g[3 * k + 1] + r[2] * g[3 * k + 2] : r[0] * g[k];
      D[k]                  = weight ? w * sum : sum;
    }
    add_coordinate(L, c, D, f);
  }
}

TERM_INLINE void add_point_forces(int q, const double *L, const double *coef, const double *weight,
                                  const double (*restrict p)[LANES], double (*restrict f)[LANES])
{
  for (int l = 0; l < LANES; l += WIDTH) add_point_part(q, L, coef + l, weight ? weight + l : NULL, *p + l, *f + l);
}

/* ---- G ----------------------------------------------------------------------------------------------------------- */

/* z = D coef with n columns D [3 n]. */
TERM_INLINE void apply_coef(int n, int q, const double *coef, const double (*restrict D)[LANES],
                            double (*restrict z)[LANES])
{
  const double(*restrict g)[LANES] = (const double(*)[LANES])coef;
  for (int c = 0; c < 3; c++) {
    for (int k = 0; k < q; k++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) {
        double sum = 0;
        for (int a = 0; a < n; a++) sum += D[3 * a + c][l] * (g ? g[q * a + k][l] : 1);
        z[q * c + k][l] = sum;
      }
    }
  }
}

/* z = G x: columns D_a = x_a - x_last (or x itself for points), z = D coef. */
TERM_INLINE void form_z(int m, int q, const double *L, const double *coef, const double (*restrict x)[LANES],
                        double (*restrict z)[LANES])
{
  WRING_ALIGNED lanes d[3 * MAX_M];
  for (int i = 0; i < 3 * free_vertices(m); i++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) d[i][l] = m > 1 ? x[i][l] - x[3 * (m - 1) + i % 3][l] : x[i][l];
  }
  if (m == QUADRATIC)
    load_point(q, L, coef, (wring_in)d, z);
  else
    apply_coef(free_vertices(m), q, coef, (wring_in)d, z);
}

/* f = w p coef^T of n columns, f [3 n]; w [LANES] or NULL: 1. */
TERM_INLINE void form_columns(int n, int q, const double *coef, const double *w, const double (*restrict p)[LANES],
                              double (*restrict f)[LANES])
{
  const double(*restrict g)[LANES] = (const double(*)[LANES])coef;
  for (int a = 0; a < n; a++) {
    for (int c = 0; c < 3; c++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) {
        double sum = 0;
        for (int k = 0; k < q; k++) sum += (g ? g[q * a + k][l] : 1) * p[q * c + k][l];
        f[3 * a + c][l] = w ? w[l] * sum : sum;
      }
    }
  }
}

/* f = G^T p of a block: the free vertices, then minus their sum at the last vertex. */
TERM_INLINE void form_forces(int m, int q, const double *L, const double *coef, const double (*restrict p)[LANES],
                             double (*restrict f)[LANES])
{
  if (m == QUADRATIC) {
    memset(f, 0, 27 * sizeof *f);
    add_point_forces(q, L, coef, NULL, p, f);
  } else {
    form_columns(free_vertices(m), q, coef, NULL, p, f);
  }
  for (int c = 0; c < 3 && m > 1; c++) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      double last = 0;
      for (int a = 0; a < free_vertices(m); a++) last -= f[3 * a + c][l];
      f[3 * (m - 1) + c][l] = last;
    }
  }
}

/*
  Rows of G of the free vertices, g [free q] lanes: the coefficients, or for second-order tets those of a point L. NULL:
  1. Returns coef or g.
*/
TERM_INLINE const double *form_rows(int m, int q, const double *L, const double *coef, lanes *g)
{
  if (m != QUADRATIC) return coef;
  for (int k = 0; k < q; k++) { // column k of G is the transpose applied to column k of coef: one coordinate at a time
    WRING_ALIGNED lanes f[27] = {{0}};
    for (int l = 0; l < LANES; l += WIDTH) {
      lane_values D[3];
      for (int a = 0; a < 3; a++) load_lanes(coef + (q * a + k) * LANES + l, &D[a]);
      add_coordinate(L, 0, D, *f + l);
    }
    for (int a = 0; a < 9; a++) memcpy(g[q * a + k], f[3 * a], sizeof *g);
  }
  return (const double *)g;
}

TERM_INLINE void store_corner(const lane_corner *v, double *restrict xyz)
{
  store_lanes(&v->x, xyz);
  store_lanes(&v->y, xyz + LANES);
  store_lanes(&v->z, xyz + 2 * LANES);
}

TERM_INLINE void load_corner(const double *restrict xyz, lane_corner *v)
{
  load_lanes(xyz, &v->x);
  load_lanes(xyz + LANES, &v->y);
  load_lanes(xyz + 2 * LANES, &v->z);
  v->w = (lane_values){0};
}

/* Rows of vertices, x [vertices][4]. */
TERM_INLINE void load_vertices(const double *x, const PetscInt *vertex, lane_rows *r)
{
  const double *row[WIDTH];
  for (int l = 0; l < WIDTH; l++) row[l] = x + (size_t)4 * vertex[l];
  load_rows(row, r);
}

/* Rows of private vertices, x [vertices][4]. */
TERM_INLINE void load_private(const double *x, const uint16_t *at, lane_rows *r)
{
  const double *row[WIDTH];
  for (int l = 0; l < WIDTH; l++) row[l] = x + at[l];
  load_rows(row, r);
}

TERM_INLINE void add_private(const lane_rows *r, const uint16_t *at, double *f)
{
  double *row[WIDTH];
  for (int l = 0; l < WIDTH; l++) row[l] = f + at[l];
  add_rows(r, row);
}

/* xe [3 m] = the corners of a block, x private [vertices][4]. */
TERM_INLINE void gather(int m, const uint16_t *corner, const double *x, double (*restrict xe)[LANES])
{
  lane_rows   r;
  lane_corner v;
  for (int l = 0; l < LANES; l += WIDTH) {
    for (int a = 0; a < m; a++) {
      load_private(x, corner + a * LANES + l, &r);
      rows_to_lanes(&r, &v);
      store_corner(&v, xe[3 * a] + l);
    }
  }
}

/* The corner `at` of each lane minus `last`. */
TERM_INLINE void gather_column(const uint16_t *at, const double *x, const lane_rows *last, lane_corner *d)
{
  lane_rows r;
  load_private(x, at, &r);
  subtract_rows(&r, last);
  rows_to_lanes(&r, d);
}

/* d [3 free]: the free corners minus the last one, or the corner of a point. */
TERM_INLINE void gather_columns(int m, const uint16_t *corner, const double *x, double (*restrict d)[LANES])
{
  lane_rows   last;
  lane_corner v;
  for (int l = 0; l < LANES; l += WIDTH) {
    load_private(x, corner + (m - 1) * LANES + l, &last);
    for (int a = 0; a < m - 1; a++) {
      gather_column(corner + a * LANES + l, x, &last, &v);
      store_corner(&v, d[3 * a] + l);
    }
    if (m == 1) {
      rows_to_lanes(&last, &v);
      store_corner(&v, *d + l);
    }
  }
}

/* Adds fe [3 m] to the corners of a block, f private [vertices][4]. */
TERM_INLINE void scatter(int m, const uint16_t *corner, const double (*restrict fe)[LANES], double *f)
{
  lane_rows   r;
  lane_corner v;
  for (int l = 0; l < LANES; l += WIDTH) {
    for (int a = 0; a < m; a++) {
      load_corner(fe[3 * a] + l, &v);
      lanes_to_rows(&v, &r);
      add_private(&r, corner + a * LANES + l, f);
    }
  }
}

/* Adds v to the corner `at` of each lane and subtracts it from `last`. */
TERM_INLINE void scatter_column(const lane_corner *v, const uint16_t *at, lane_rows *last, double *f)
{
  lane_rows r;
  lanes_to_rows(v, &r);
  add_private(&r, at, f);
  subtract_rows(last, &r);
}

/* Adds fe [3 free] to the free corners of a block and minus their sum to the last one. */
TERM_INLINE void scatter_columns(int m, const uint16_t *corner, const double (*restrict fe)[LANES], double *f)
{
  lane_corner v;
  for (int l = 0; l < LANES; l += WIDTH) {
    lane_rows last = {0};
    for (int a = 0; a < free_vertices(m); a++) {
      load_corner(fe[3 * a] + l, &v);
      scatter_column(&v, corner + a * LANES + l, &last, f);
    }
    if (m > 1) add_private(&last, corner + (m - 1) * LANES + l, f);
  }
}

/* ---- tets: the same with columns and forces in registers, since stores would limit the speed of these loops ------ */

/* Row c of z = D coef: column k is the sum over a of coordinate c of D_a times g [3 a + k]. */
TERM_INLINE void store_row_of_z(const lane_values *d0, const lane_values *d1, const lane_values *d2,
                                const lane_values *g, double *restrict z)
{
  for (int k = 0; k < 3; k++) {
    const lane_values sum = *d0 * g[k] + *d1 * g[3 + k] + *d2 * g[6 + k];
    store_lanes(&sum, z + k * LANES);
  }
}

TERM_INLINE void load_tets_part(const uint16_t *corner, const double *coef, const double *x, double *restrict z)
{
  lane_rows   last;
  lane_corner d0, d1, d2;
  lane_values g[9];
  load_private(x, corner + 3 * LANES, &last);
  gather_column(corner, x, &last, &d0);
  gather_column(corner + LANES, x, &last, &d1);
  gather_column(corner + 2 * LANES, x, &last, &d2);
  for (int i = 0; i < 9; i++) load_lanes(coef + i * LANES, &g[i]);
  store_row_of_z(&d0.x, &d1.x, &d2.x, g, z);
  store_row_of_z(&d0.y, &d1.y, &d2.y, g, z + 3 * LANES);
  store_row_of_z(&d0.z, &d1.z, &d2.z, g, z + 6 * LANES);
}

TERM_INLINE void load_tets(const uint16_t *corner, const double *coef, const double *x, double (*restrict z)[LANES])
{
  for (int l = 0; l < LANES; l += WIDTH) load_tets_part(corner + l, coef + l, x, *z + l);
}

/* v = w p g with the row g [3] of coef: the force at a free corner. */
TERM_INLINE void form_corner(const lane_values *p, const double *coef, const lane_values *w, lane_corner *v)
{
  lane_values g[3];
  for (int k = 0; k < 3; k++) load_lanes(coef + k * LANES, &g[k]);
  v->x = *w * (p[0] * g[0] + p[1] * g[1] + p[2] * g[2]);
  v->y = *w * (p[3] * g[0] + p[4] * g[1] + p[5] * g[2]);
  v->z = *w * (p[6] * g[0] + p[7] * g[1] + p[8] * g[2]);
  v->w = (lane_values){0};
}

TERM_INLINE void scatter_tets_part(const uint16_t *corner, const double *coef, const double *weight,
                                   const double *restrict p, double *f)
{
  lane_rows   last = {0};
  lane_corner v;
  lane_values w, r[9];
  load_lanes(weight, &w);
  for (int i = 0; i < 9; i++) load_lanes(p + i * LANES, &r[i]);
  for (int a = 0; a < 3; a++) {
    form_corner(r, coef + 3 * a * LANES, &w, &v);
    scatter_column(&v, corner + a * LANES, &last, f);
  }
  add_private(&last, corner + 3 * LANES, f);
}

/* f += w G^T p, f private [vertices][4]. */
TERM_INLINE void scatter_tets(const uint16_t *corner, const double *coef, const double *weight,
                              const double (*restrict p)[LANES], double *f)
{
  for (int l = 0; l < LANES; l += WIDTH) scatter_tets_part(corner + l, coef + l, weight + l, *p + l, f);
}

/* The sum of w a over lanes in a fixed order; padded lanes are skipped, even if a is infinite. */
static inline double weighted_sum(const double *restrict w, const double *restrict a)
{
  double e[LANES];
#pragma omp simd
  for (int l = 0; l < LANES; l++) e[l] = w[l] > 0 ? w[l] * a[l] : 0;
  return ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
}

/* Copies the positions of a chunk's vertices to x_private [vertices][4]. */
static inline void load_chunk(const wring_term *t, PetscInt c, const double *x, double *x_private)
{
  const PetscInt  n      = t->chunk_vertex[c + 1] - t->chunk_vertex[c];
  const PetscInt *vertex = t->vertex + t->chunk_vertex[c];
  for (PetscInt i = 0; i < n; i++) {
    const double    *v   = x + 3 * vertex[i];
    const vertex_row row = {v[0], v[1], v[2], 0}; // a loop over coordinates would become a gather, which is slow
    store_row(&row, x_private + 4 * i);
  }
}

/*
  Adds the sums of a chunk's vertices to f; those of vertices that other chunks add to as well go to rows of `share`.
*/
static inline void store_chunk(const wring_term *t, PetscInt c, const double *f_private, double *f)
{
  const PetscInt  n = t->chunk_vertex[c + 1] - t->chunk_vertex[c], n_own = t->chunk_own[c];
  const PetscInt *vertex = t->vertex + t->chunk_vertex[c];
  for (PetscInt i = 0; i < n_own; i++) {
    for (int k = 0; k < 3; k++) f[3 * vertex[i] + k] += f_private[4 * i + k];
  }
  memcpy(t->share + 4 * (size_t)t->chunk_row[c], f_private + 4 * (size_t)n_own, (size_t)(n - n_own) * 4 * sizeof *f);
}

/* Prefetches the data of block b, which are read from memory as one stream per array. */
TERM_INLINE void prefetch_block(const wring_term *t, PetscInt b, int m, int q)
{
  const int           points = points_of(t, m);
  const double *const coef   = row_coef(t, b * points);
  for (int i = 0; coef && i < points * columns_of(m) * q; i++) __builtin_prefetch(coef + (size_t)i * LANES);
  for (int i = 0; i < points; i++) __builtin_prefetch(t->weight + ((size_t)b * points + i) * LANES);
  for (int i = 0; i < m; i += 4) __builtin_prefetch(t->corner + ((size_t)b * m + i) * LANES);
}

/* The barycentric coordinates of a point of second-order tets. */
TERM_INLINE const double *point_of(const wring_term *t, int m, int p)
{
  return m == QUADRATIC ? t->rule->L[p] : NULL;
}

/* The columns d [27] of block b of second-order tets, from which load_z computes z at each of its points. */
TERM_INLINE void load_columns(const wring_term *t, PetscInt b, int m, const double *x_private, lanes *d)
{
  if (m == QUADRATIC) gather_columns(m, t->corner + (size_t)b * m * LANES, x_private, d);
}

/* z at point p of block b of the chunk whose positions are in x_private, and whose columns are in d. */
TERM_INLINE void load_z(const wring_term *t, PetscInt b, int p, int m, int q, const double *x_private, const lanes *d,
                        lanes *z)
{
  const uint16_t *const corner = t->corner + (size_t)b * m * LANES;
  const double *const   coef   = row_coef(t, b * points_of(t, m) + p);
  WRING_ALIGNED lanes   own[3 * MAX_M];
  if (m == QUADRATIC) {
    load_point(q, point_of(t, m, p), coef, d, z);
  } else if (m == 4 && q == 3) {
    load_tets(corner, coef, x_private, z);
  } else {
    gather_columns(m, corner, x_private, own);
    apply_coef(free_vertices(m), q, coef, (wring_in)own, z);
  }
}

/*
  f += w G^T p at a point of block b, f private. Those of second-order tets are added to `columns` [27], which
  scatter_columns adds to f after the last point.
*/
TERM_INLINE void add_forces(const wring_term *t, PetscInt b, int point, int m, int q, wring_in p, lanes *columns,
                            double *f_private)
{
  const uint16_t *const corner = t->corner + (size_t)b * m * LANES;
  const PetscInt        row    = b * points_of(t, m) + point;
  const double *const   weight = t->weight + (size_t)row * LANES;
  WRING_ALIGNED lanes   f[3 * MAX_M];
  if (m == QUADRATIC) {
    add_point_forces(q, point_of(t, m, point), row_coef(t, row), weight, p, columns);
  } else if (m == 4 && q == 3) {
    scatter_tets(corner, row_coef(t, row), weight, p, f_private);
  } else {
    form_columns(free_vertices(m), q, row_coef(t, row), weight, p, f);
    scatter_columns(m, corner, (wring_in)f, f_private);
  }
}

/* det F, with F = z of a tet, row by row. */
static inline double determinant(wring_in z, int l)
{
  return z[0][l] * (z[4][l] * z[8][l] - z[5][l] * z[7][l]) - z[1][l] * (z[3][l] * z[8][l] - z[5][l] * z[6][l]) +
         z[2][l] * (z[3][l] * z[7][l] - z[4][l] * z[6][l]);
}

/* cof F in all lanes; F and c [9]. */
static inline void cofactors(wring_in F, lanes *c)
{
  for (int i = 0; i < 9; i++) {
    const int r0 = 3 * ((i / 3 + 1) % 3), r1 = 3 * ((i / 3 + 2) % 3), c0 = (i % 3 + 1) % 3, c1 = (i % 3 + 2) % 3;
    for (int l = 0; l < LANES; l++) c[i][l] = F[r0 + c0][l] * F[r1 + c1][l] - F[r0 + c1][l] * F[r1 + c0][l];
  }
}

/* The rows of G of all corners, [m q]. */
TERM_INLINE void corner_rows(int m, int q, const double *coef, double (*g)[LANES])
{
  const int n = free_vertices(m) * q;
  for (int i = 0; i < m * q; i++) {
    for (int l = 0; l < LANES; l++) g[i][l] = i >= n ? 0 : coef ? coef[i * LANES + l] : 1;
  }
  for (int i = 0; i < n && m > 1; i++) {
    for (int l = 0; l < LANES; l++) g[n + i % q][l] -= g[i][l];
  }
}

/* The rows of the free vertices of block b at point p; room [9 q] for those of second-order tets. */
static inline const double *block_rows(const wring_term *t, PetscInt b, int p, lanes *room)
{
  const PetscInt row = b * t->points + p;
  if (t->m == QUADRATIC) return form_rows(QUADRATIC, t->law->q, t->rule->L[p], row_coef(t, row), room);
  return row_coef(t, row);
}

/* G of all m vertices [m][q] of one lane, from rows of the free ones, NULL: 1. */
static inline void lane_coef(const wring_term *t, const double *rows, int lane, double *g)
{
  const int n_free = free_vertices(t->m), q = t->law->q;
  for (int i = 0; i < t->m * q; i++) g[i] = 0;
  for (int a = 0; a < n_free; a++) {
    for (int k = 0; k < q; k++) {
      g[q * a + k] = rows ? rows[(q * a + k) * LANES + lane] : 1;
      if (t->m > 1) g[q * (t->m - 1) + k] -= g[q * a + k];
    }
  }
}

/* The Hessian h of a row, for functions of constant m and q. */
typedef struct {
  const term_row *r;
  wring_in        h;
} row_hessian;
