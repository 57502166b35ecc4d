/*
  Private to src/term: vertices as rows of four numbers (x, y, z and one that the caller chooses), and their
  transposition to lanes. A row is one 256-bit vector where the processor has them, so that a corner takes one load
  instead of three, and an addition one store.

  A vector holds WIDTH of the LANES of a block, which is processed in LANES / WIDTH parts: gcc 12 keeps vectors wider
  than the processor's in memory and permutes them number by number, which takes four times as long as all the rest.
*/
#pragma once
#include <wring/base.h>
#if defined(__AVX512F__)
  #include <immintrin.h>
#endif

#define TERM_INLINE static inline __attribute__((always_inline))

typedef double vertex_row __attribute__((vector_size(4 * sizeof(double))));
/* In arrays of double. Copies by memcpy become two of 16 bytes in gcc 12, which a load of 32 bytes has to wait for. */
typedef vertex_row vertex_row_stored __attribute__((aligned(sizeof(double)), may_alias));

/* Not by value: how vectors of more than 16 bytes are returned depends on whether the processor has AVX. */
TERM_INLINE void load_row(const double *x, vertex_row *v)
{
  *v = *(const vertex_row_stored *)x;
}

TERM_INLINE void store_row(const vertex_row *v, double *x)
{
  *(vertex_row_stored *)x = *v;
}

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif

typedef double lane_values __attribute__((vector_size(WIDTH * sizeof(double)))); // one number of each lane

/* The coordinates of a corner of each lane, and the fourth numbers of the rows. */
typedef struct {
  lane_values x, y, z, w;
} lane_corner;

#if defined(__AVX512F__)

typedef lane_values row_pair;

/* Eight rows as the pairs of rows 0 and 2, 1 and 3, 4 and 6, 5 and 7, which are the cheapest to transpose. */
typedef struct {
  row_pair r02, r13, r46, r57;
} lane_rows;

/* (x, y), one instruction, for which gcc 12 emits four. */
TERM_INLINE void join_rows(const double *x, const double *y, row_pair *p)
{
  *p = (row_pair)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(x)), _mm256_loadu_pd(y), 1);
}

TERM_INLINE void load_rows(const double *const at[WIDTH], lane_rows *r)
{
  join_rows(at[0], at[2], &r->r02);
  join_rows(at[1], at[3], &r->r13);
  join_rows(at[4], at[6], &r->r46);
  join_rows(at[5], at[7], &r->r57);
}

TERM_INLINE void split_pair(const row_pair *p, vertex_row *a, vertex_row *b)
{
  *a = __builtin_shufflevector(*p, *p, 0, 1, 2, 3);
  *b = __builtin_shufflevector(*p, *p, 4, 5, 6, 7);
}

TERM_INLINE void split_rows(const lane_rows *r, vertex_row row[WIDTH])
{
  split_pair(&r->r02, row, row + 2);
  split_pair(&r->r13, row + 1, row + 3);
  split_pair(&r->r46, row + 4, row + 6);
  split_pair(&r->r57, row + 5, row + 7);
}

TERM_INLINE void subtract_rows(lane_rows *r, const lane_rows *s)
{
  r->r02 -= s->r02, r->r13 -= s->r13, r->r46 -= s->r46, r->r57 -= s->r57;
}

/* In registers: interleaves pairs of rows, then joins the halves. */
TERM_INLINE void rows_to_lanes(const lane_rows *r, lane_corner *v)
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
TERM_INLINE void lanes_to_rows(const lane_corner *v, lane_rows *r)
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

#else

/* A row for each lane. */
typedef struct {
  vertex_row r0, r1, r2, r3;
} lane_rows;

TERM_INLINE void load_rows(const double *const at[WIDTH], lane_rows *r)
{
  load_row(at[0], &r->r0);
  load_row(at[1], &r->r1);
  load_row(at[2], &r->r2);
  load_row(at[3], &r->r3);
}

TERM_INLINE void split_rows(const lane_rows *r, vertex_row row[WIDTH])
{
  row[0] = r->r0, row[1] = r->r1, row[2] = r->r2, row[3] = r->r3;
}

TERM_INLINE void subtract_rows(lane_rows *r, const lane_rows *s)
{
  r->r0 -= s->r0, r->r1 -= s->r1, r->r2 -= s->r2, r->r3 -= s->r3;
}

/* In registers: interleaves pairs of rows, then joins the halves. */
TERM_INLINE void rows_to_lanes(const lane_rows *r, lane_corner *v)
{
  const vertex_row xz0 = __builtin_shufflevector(r->r0, r->r1, 0, 4, 2, 6); // x0 x1 z0 z1
  const vertex_row xz2 = __builtin_shufflevector(r->r2, r->r3, 0, 4, 2, 6);
  const vertex_row yw0 = __builtin_shufflevector(r->r0, r->r1, 1, 5, 3, 7);
  const vertex_row yw2 = __builtin_shufflevector(r->r2, r->r3, 1, 5, 3, 7);
  v->x                 = __builtin_shufflevector(xz0, xz2, 0, 1, 4, 5);
  v->y                 = __builtin_shufflevector(yw0, yw2, 0, 1, 4, 5);
  v->z                 = __builtin_shufflevector(xz0, xz2, 2, 3, 6, 7);
  v->w                 = __builtin_shufflevector(yw0, yw2, 2, 3, 6, 7);
}

/* The reverse. */
TERM_INLINE void lanes_to_rows(const lane_corner *v, lane_rows *r)
{
  const vertex_row xy0 = __builtin_shufflevector(v->x, v->y, 0, 4, 2, 6); // x0 y0 x2 y2
  const vertex_row xy1 = __builtin_shufflevector(v->x, v->y, 1, 5, 3, 7);
  const vertex_row zw0 = __builtin_shufflevector(v->z, v->w, 0, 4, 2, 6);
  const vertex_row zw1 = __builtin_shufflevector(v->z, v->w, 1, 5, 3, 7);
  r->r0                = __builtin_shufflevector(xy0, zw0, 0, 1, 4, 5);
  r->r2                = __builtin_shufflevector(xy0, zw0, 2, 3, 6, 7);
  r->r1                = __builtin_shufflevector(xy1, zw1, 0, 1, 4, 5);
  r->r3                = __builtin_shufflevector(xy1, zw1, 2, 3, 6, 7);
}

#endif

typedef lane_values lane_values_stored __attribute__((aligned(sizeof(double)), may_alias)); // in arrays of double

TERM_INLINE void load_lanes(const double *a, lane_values *v)
{
  *v = *(const lane_values_stored *)a;
}

TERM_INLINE void store_lanes(const lane_values *v, double *a)
{
  *(lane_values_stored *)a = *v;
}

/* Adds row l to at[l], in the order of lanes since vertices may be equal. */
TERM_INLINE void add_rows(const lane_rows *r, double *const at[WIDTH])
{
  vertex_row row[WIDTH], v;
  split_rows(r, row);
  for (int l = 0; l < WIDTH; l++) {
    load_row(at[l], &v);
    v += row[l];
    store_row(&v, at[l]);
  }
}

TERM_INLINE void put_rows(const lane_rows *r, double *const at[WIDTH])
{
  vertex_row row[WIDTH];
  split_rows(r, row);
  for (int l = 0; l < WIDTH; l++) store_row(&row[l], at[l]);
}
