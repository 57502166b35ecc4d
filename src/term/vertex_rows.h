/*
  Private to src/term: vertices as rows of four numbers (x, y, z and one that the caller chooses), and their
  transposition to lanes. A row is one 256-bit vector where the processor has them, so that a corner takes one load
  instead of three, and an addition one store.
*/
#pragma once
#include <wring/base.h>
#if defined(__AVX512F__)
  #include <immintrin.h>
#endif

typedef double   vertex_row __attribute__((vector_size(4 * sizeof(double))));
typedef double   row_pair __attribute__((vector_size(8 * sizeof(double))));
typedef row_pair lane_values; // one number of each lane

#define VERTEX_ROWS_INLINE static inline __attribute__((always_inline))

/* Not by value: how vectors of more than 16 bytes are returned depends on whether the processor has AVX. */
VERTEX_ROWS_INLINE void load_row(const double *x, vertex_row *v)
{
  __builtin_memcpy(v, x, sizeof *v);
}

VERTEX_ROWS_INLINE void store_row(const vertex_row *v, double *x)
{
  __builtin_memcpy(x, v, sizeof *v);
}

/* (x, y), one instruction of AVX-512, for which gcc 12 emits four. */
VERTEX_ROWS_INLINE void join_rows(const double *x, const double *y, row_pair *p)
{
#if defined(__AVX512F__)
  *p = (row_pair)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(x)), _mm256_loadu_pd(y), 1);
#else
  vertex_row a, b;
  load_row(x, &a);
  load_row(y, &b);
  *p = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/* Eight rows as the pairs of rows 0 and 2, 1 and 3, 4 and 6, 5 and 7, which are the cheapest to transpose. */
typedef struct {
  row_pair r02, r13, r46, r57;
} eight_rows;

VERTEX_ROWS_INLINE void load_rows(const double *x, const uint16_t *at, eight_rows *r)
{
  _Static_assert(WRING_LANES == 8, "eight rows");
  join_rows(x + at[0], x + at[2], &r->r02);
  join_rows(x + at[1], x + at[3], &r->r13);
  join_rows(x + at[4], x + at[6], &r->r46);
  join_rows(x + at[5], x + at[7], &r->r57);
}

VERTEX_ROWS_INLINE void subtract_rows(eight_rows *r, const eight_rows *s)
{
  r->r02 -= s->r02, r->r13 -= s->r13, r->r46 -= s->r46, r->r57 -= s->r57;
}

/* The coordinates of a corner of each lane, and the fourth numbers of the rows. */
typedef struct {
  lane_values x, y, z, w;
} lane_corner;

VERTEX_ROWS_INLINE void load_lanes(const double *a, lane_values *v)
{
  __builtin_memcpy(v, a, sizeof *v);
}

VERTEX_ROWS_INLINE void store_lanes(const lane_values *v, double *a)
{
  __builtin_memcpy(a, v, sizeof *v);
}

/* In registers: interleaves pairs of rows, then joins the halves. */
VERTEX_ROWS_INLINE void rows_to_lanes(const eight_rows *r, lane_corner *v)
{
  const row_pair xz0 = __builtin_shufflevector(r->r02, r->r13, 0, 8, 2, 10, 4, 12, 6, 14); // x0 x1 z0 z1 x2 x3 z2 z3
  const row_pair xz4 = __builtin_shufflevector(r->r46, r->r57, 0, 8, 2, 10, 4, 12, 6, 14);
  const row_pair yw0 = __builtin_shufflevector(r->r02, r->r13, 1, 9, 3, 11, 5, 13, 7, 15);
  const row_pair yw4 = __builtin_shufflevector(r->r46, r->r57, 1, 9, 3, 11, 5, 13, 7, 15);
  v->x               = __builtin_shufflevector(xz0, xz4, 0, 1, 4, 5, 8, 9, 12, 13);
  v->y               = __builtin_shufflevector(yw0, yw4, 0, 1, 4, 5, 8, 9, 12, 13);
  v->z               = __builtin_shufflevector(xz0, xz4, 2, 3, 6, 7, 10, 11, 14, 15);
  v->w               = __builtin_shufflevector(yw0, yw4, 2, 3, 6, 7, 10, 11, 14, 15);
}

/* The reverse. */
VERTEX_ROWS_INLINE void lanes_to_rows(const lane_corner *v, eight_rows *r)
{
  const row_pair xy0 = __builtin_shufflevector(v->x, v->y, 0, 8, 2, 10, 4, 12, 6, 14); // x0 y0 x2 y2 x4 y4 x6 y6
  const row_pair xy1 = __builtin_shufflevector(v->x, v->y, 1, 9, 3, 11, 5, 13, 7, 15);
  const row_pair zw0 = __builtin_shufflevector(v->z, v->w, 0, 8, 2, 10, 4, 12, 6, 14);
  const row_pair zw1 = __builtin_shufflevector(v->z, v->w, 1, 9, 3, 11, 5, 13, 7, 15);
  r->r02             = __builtin_shufflevector(xy0, zw0, 0, 1, 8, 9, 2, 3, 10, 11);
  r->r46             = __builtin_shufflevector(xy0, zw0, 4, 5, 12, 13, 6, 7, 14, 15);
  r->r13             = __builtin_shufflevector(xy1, zw1, 0, 1, 8, 9, 2, 3, 10, 11);
  r->r57             = __builtin_shufflevector(xy1, zw1, 4, 5, 12, 13, 6, 7, 14, 15);
}

/* Adds the first row of a pair to f, then the second to g, in this order since f and g may be the same vertex. */
VERTEX_ROWS_INLINE void add_pair(const row_pair *p, double *f, double *g)
{
  const vertex_row a = __builtin_shufflevector(*p, *p, 0, 1, 2, 3), b = __builtin_shufflevector(*p, *p, 4, 5, 6, 7);
  vertex_row       v;
  load_row(f, &v);
  v += a;
  store_row(&v, f);
  load_row(g, &v);
  v += b;
  store_row(&v, g);
}

VERTEX_ROWS_INLINE void add_rows(const eight_rows *r, const uint16_t *at, double *f)
{
  add_pair(&r->r02, f + at[0], f + at[2]);
  add_pair(&r->r13, f + at[1], f + at[3]);
  add_pair(&r->r46, f + at[4], f + at[6]);
  add_pair(&r->r57, f + at[5], f + at[7]);
}
