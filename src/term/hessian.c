/*
  The Hessian of a term, added to blocks, and products with these. docs/theory.md (3.2)

  A thread sums the element matrices of a chunk in blocks of its own, which stay in a cache, one for each pair of
  vertices of an element. Then all threads add these sums to the matrix, those of one chunk after another, each thread
  to some of its blocks, so that the result does not depend on the number of threads. An element matrix is symmetric: of
  its blocks (a, b) those with a <= b are computed.
*/
#include "base/sort.h"
#include "kernels.h"
#include <omp.h>

enum { SUM_BITS = 16 };

struct wring_scatter {
  int         n_pair, n_once; // pairs of corners; chunks that are processed at a time
  PetscInt    most;           // sums of a chunk
  uint16_t   *to;             // [n_block][pairs][LANES] the sum that a block of an element matrix is added to
  uint8_t    *turned;         // [n_block][pairs] the lanes of which the transpose is added
  PetscInt   *start;          // [n_chunk + 1] first entry
  PetscInt64 *entry;          // by number of the block that a sum is added to: this, the sum, whether it is transposed
  double     *sum;            // [n_once][most][9]
};

/* The index of block (a, b), a <= b, of m x m. */
static inline int pair_of(int m, int a, int b)
{
  return a * m - a * (a - 1) / 2 + b - a;
}

/* ---- where matrices are added ------------------------------------------------------------------------------------ */

static inline PetscInt64 entry_of(PetscInt block, PetscInt sum, int turned)
{
  return ((PetscInt64)block << SUM_BITS | sum) << 1 | turned;
}

static inline PetscInt block_of(PetscInt64 entry)
{
  return (PetscInt)(entry >> (SUM_BITS + 1));
}

/* Of a thread: the sums of a chunk, found by their vertices in a table of `places`, a power of two. */
typedef struct {
  PetscInt  places, sums, n;    // n: entries
  uint64_t *pair;               // [places] two vertices, the smaller one first, as one number above 0; 0: free
  PetscInt *sum;                // [places] the sum, whether the transpose is kept first
  uint64_t *block, *block_work; // [n] where sums are added
  PetscInt *what, *what_work;   // [n] the sum, whether it is transposed
} chunk_sums;

static void add_entry(chunk_sums *c, PetscInt block, int turned)
{
  c->block[c->n]  = (uint64_t)block;
  c->what[c->n++] = c->sums << 1 | turned;
}

/* A new sum, of vertices u <= w: to the block (u, w), or its transpose to (w, u), where these are kept. */
static PetscInt add_sum_of(chunk_sums *c, const wring_pattern *p, const wring_block_values *v, PetscInt u, PetscInt w)
{
  const PetscInt uw     = wring_block_of_entry(v, p, u, wring_pattern_find(p, u, w));
  const PetscInt wu     = u == w ? -1 : wring_block_of_entry(v, p, w, wring_pattern_find(p, w, u));
  const int      turned = uw < 0 || (wu >= 0 && wu < uw);
  add_entry(c, turned ? wu : uw, 0);
  if (uw >= 0 && wu >= 0) add_entry(c, turned ? uw : wu, 1);
  return c->sums++ << 1 | turned;
}

/* The sum of the block (a, b), and whether its transpose is added; by Fibonacci hashing [Knuth 1998, section 6.4]. */
static PetscInt find_sum(chunk_sums *c, const wring_pattern *p, const wring_block_values *v, PetscInt a, PetscInt b)
{
  const PetscInt u = PetscMin(a, b), w = PetscMax(a, b);
  const uint64_t pair = (uint64_t)u * (uint64_t)p->n + (uint64_t)w + 1;
  PetscInt       at   = (PetscInt)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (c->places - 1);
  while (c->pair[at] && c->pair[at] != pair) at = (at + 1) & (c->places - 1);
  if (!c->pair[at]) c->sum[at] = add_sum_of(c, p, v, u, w);
  c->pair[at] = pair;
  return a > b ? c->sum[at] ^ 1 : c->sum[at];
}

/* Padded lanes keep zeros: they have no weight. */
static void list_chunk(const wring_term *t, PetscInt chunk, const wring_pattern *p, const wring_block_values *values,
                       chunk_sums *c, wring_scatter *s)
{
  PetscInt v[MAX_M];
  c->sums = c->n = 0;
  memset(c->pair, 0, (size_t)c->places * sizeof *c->pair);
  for (PetscInt at = t->chunk_block[chunk] * LANES; at < t->chunk_block[chunk + 1] * LANES; at++) {
    const PetscInt row = at / LANES * s->n_pair;
    const int      l   = at % LANES;
    if (!term_is_real(t, at)) continue;
    term_vertices(t, at, v);
    for (int a = 0, pair = 0; a < t->m; a++) {
      for (int b = a; b < t->m; b++, pair++) {
        const PetscInt sum              = find_sum(c, p, values, v[a], v[b]);
        s->to[(row + pair) * LANES + l] = (uint16_t)(sum >> 1);
        s->turned[row + pair]           = (uint8_t)(s->turned[row + pair] | (sum & 1) << l);
      }
    }
  }
  wring_sort_keys_with(c->n, c->block, c->what, c->block_work, c->what_work);
}

/* Room for the sums of one chunk. */
static PetscErrorCode create_sums(PetscInt items, chunk_sums *c)
{
  PetscFunctionBegin;
  for (c->places = 2; c->places < 2 * items;) c->places *= 2;
  PetscCall(PetscMalloc2(c->places, &c->pair, c->places, &c->sum));
  PetscCall(
    PetscMalloc4(2 * items, &c->block, 2 * items, &c->block_work, 2 * items, &c->what, 2 * items, &c->what_work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_sums(chunk_sums *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(c->pair, c->sum));
  PetscCall(PetscFree4(c->block, c->block_work, c->what, c->what_work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By threads, which leave room between the entries of chunks; it is given back at the end. */
static PetscErrorCode build(const wring_term *t, const wring_pattern *p, const wring_block_values *v, wring_scatter *s)
{
  const PetscInt of_block = LANES * s->n_pair, room = 2 * of_block;
  PetscInt       most = 0;
  chunk_sums    *c;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->n_once, &c));
  for (int i = 0; i < s->n_once; i++) PetscCall(create_sums(t->chunk_blocks * of_block, &c[i]));
  PetscCall(PetscMalloc1((size_t)t->n_block * (size_t)room, &s->entry));
#pragma omp parallel for schedule(dynamic) reduction(max : most)
  for (PetscInt i = 0; i < t->n_chunk; i++) {
    chunk_sums *const mine = &c[omp_get_thread_num()];
    list_chunk(t, i, p, v, mine, s);
    PetscInt64 *const entry = s->entry + (size_t)t->chunk_block[i] * (size_t)room;
    for (PetscInt k = 0; k < mine->n; k++)
      entry[k] = entry_of((PetscInt)mine->block[k], mine->what[k] >> 1, (int)(mine->what[k] & 1));
    s->start[i + 1] = mine->n;
    most            = PetscMax(most, mine->sums);
  }
  s->start[0] = 0;
  s->most     = most;
  for (PetscInt i = 0; i < t->n_chunk; i++) {
    const PetscInt64 *const from = s->entry + (size_t)t->chunk_block[i] * (size_t)room;
    memmove(s->entry + s->start[i], from, (size_t)s->start[i + 1] * sizeof *from);
    s->start[i + 1] += s->start[i];
  }
  PetscCall(PetscRealloc((size_t)s->start[t->n_chunk] * sizeof *s->entry, &s->entry));
  for (int i = 0; i < s->n_once; i++) PetscCall(destroy_sums(&c[i]));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scatter_create(const wring_term *t, const wring_pattern *p, const wring_block_values *v,
                                    wring_scatter **scatter)
{
  const int      n_pair = t->m * (t->m + 1) / 2;
  const size_t   rows   = (size_t)t->n_block * (size_t)n_pair;
  wring_scatter *s;

  PetscFunctionBegin;
  PetscCheck(t->chunk_blocks * LANES * n_pair <= 1 << SUM_BITS, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "A chunk is too large");
  PetscCall(PetscNew(&s));
  s->n_pair = n_pair;
  s->n_once = omp_get_max_threads();
  PetscCall(PetscCalloc2(rows * LANES, &s->to, rows, &s->turned));
  PetscCall(PetscMalloc1(t->n_chunk + 1, &s->start));
  PetscCall(build(t, p, v, s));
  PetscCall(PetscMalloc1((size_t)s->n_once * (size_t)s->most * 9, &s->sum));
  *scatter = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scatter_destroy(wring_scatter **s)
{
  PetscFunctionBegin;
  if (!*s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2((*s)->to, (*s)->turned));
  PetscCall(PetscFree((*s)->start));
  PetscCall(PetscFree((*s)->entry));
  PetscCall(PetscFree((*s)->sum));
  PetscCall(PetscFree(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- element matrices -------------------------------------------------------------------------------------------- */

/* hg = h G_b^T, [3 q][3]. */
TERM_INLINE void times_coef(int q, wring_in g, wring_in h, lanes (*hg)[3])
{
  for (int i = 0; i < 3 * q; i++) {
    for (int d = 0; d < 3; d++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) {
        double sum = 0;
        for (int k = 0; k < q; k++) sum += h[i * 3 * q + q * d + k][l] * g[k][l];
        hg[i][d][l] = sum;
      }
    }
  }
}

/* K_ab = w G_a h G_b^T, a <= b, for the free vertices; added to K for second-order tets. */
TERM_INLINE void free_matrix(int m, int q, const double *coef, const double *w, wring_in h, lanes *K)
{
  WRING_ALIGNED const lanes one[1] = {{1, 1, 1, 1, 1, 1, 1, 1}};
  const wring_in            g      = coef ? (wring_in)coef : one;
  WRING_ALIGNED lanes       hg[3 * MAX_Q][3];
  for (int b = 0; b < free_vertices(m); b++) {
    times_coef(q, g + q * b, h, hg);
    for (int a = 0; a <= b; a++) {
      for (int i = 0; i < 9; i++) {
        double *const to = K[9 * pair_of(m, a, b) + i];
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
          double sum = 0;
          for (int k = 0; k < q; k++) sum += g[q * a + k][l] * hg[q * (i / 3) + k][i % 3][l];
          to[l] = m == QUADRATIC ? to[l] + w[l] * sum : w[l] * sum;
        }
      }
    }
  }
}

/* The same from the blocks h of the law. */
TERM_INLINE void place_blocks(const double *w, wring_in h, lanes *K)
{
  for (int a = 0; a < 3; a++) {
    for (int i = 9 * a; i < 27; i++, h++) {
      double *const to = K[9 * pair_of(4, a, a) + i - 9 * a];
      for (int l = 0; l < LANES; l++) to[l] = w[l] * (*h)[l];
    }
  }
}

/* The rows of the free vertices of tets whose law computes their blocks, or NULL. */
static inline wring_in rows_of_blocks(const term_row *r, wring_filtering which)
{
  const PetscBool blocks = (PetscBool)(r->t->m == 4 && r->t->law->blocks && !row_is_pressed(r, which));
  return blocks ? (wring_in)row_coef(r->t, r->row) : NULL;
}

/* The last vertex follows from translation invariance: rows and columns of K sum to zero. */
TERM_INLINE void complete_matrix(int m, lanes *K)
{
  const int n_free = free_vertices(m), last = m - 1;
  if (m == 1) return;
  for (int a = 0; a <= last; a++) {
    for (int i = 0; i < 9; i++) {
      double *const to = K[9 * pair_of(m, a, last) + i];
      for (int l = 0; l < LANES; l++) to[l] = 0;
      for (int b = 0; b < n_free; b++) {
        const double *const row = K[a <= b ? 9 * pair_of(m, a, b) + i : 9 * pair_of(m, b, a) + 3 * (i % 3) + i / 3];
#pragma omp simd
        for (int l = 0; l < LANES; l++) to[l] -= row[l];
      }
    }
  }
}

/* Exchanges K [i] and K [j] of the lanes `turned`. */
TERM_INLINE void turn_lanes(unsigned turned, double *restrict ki, double *restrict kj)
{
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    const unsigned on = turned >> l & 1;
    const double   i = ki[l], j = kj[l];
    ki[l] = on ? j : i, kj[l] = on ? i : j;
  }
}

TERM_INLINE void add_four(const lanes *K, int l, double *const at[WIDTH])
{
  lane_corner v;
  lane_rows   r;
  load_lanes(K[0] + l, &v.x);
  load_lanes(K[1] + l, &v.y);
  load_lanes(K[2] + l, &v.z);
  load_lanes(K[3] + l, &v.w);
  lanes_to_rows(&v, &r);
  add_rows(&r, at);
}

/* Adds the lanes of a block K [9] to their sums. */
TERM_INLINE void add_block(const uint16_t *to, unsigned turned, lanes *K, double *sum)
{
  if (turned) turn_lanes(turned, K[1], K[3]), turn_lanes(turned, K[2], K[6]), turn_lanes(turned, K[5], K[7]);
  for (int l = 0; l < LANES; l += WIDTH) {
    double *first[WIDTH], *second[WIDTH];
    for (int k = 0; k < WIDTH; k++) second[k] = (first[k] = sum + 9 * (size_t)to[l + k]) + 4;
    add_four(K, l, first);
    add_four(K + 4, l, second);
    for (int k = 0; k < WIDTH; k++) first[k][8] += K[8][l + k];
  }
}

/* Sums of the points of a block [9 pairs]. */
typedef struct {
  wring_filtering      which;
  const wring_scatter *s;
  double              *sum; // of the chunk
  lanes                K[9 * MAX_PAIRS];
} work_matrix;

TERM_INLINE void add_matrix(int m, int q, void *context)
{
  const row_hessian *const w      = context;
  const term_row *const    r      = w->r;
  const wring_term *const  t      = r->t;
  work_matrix *const       work   = r->context;
  const int                n_pair = m * (m + 1) / 2;
  WRING_ALIGNED lanes      g[9 * MAX_Q], own[9 * MAX_PAIRS];
  lanes *const             K = m == QUADRATIC ? work->K : own; // own: known to overlap nothing
  if (m == QUADRATIC && r->point == 0) memset(K, 0, sizeof work->K);
  const double *const weight = t->weight + (size_t)r->row * LANES;
  if (m == 4 && q == 3 && rows_of_blocks(r, work->which))
    place_blocks(weight, w->h, K);
  else
    free_matrix(m, q, form_rows(m, q, point_of(t, m, r->point), row_coef(t, r->row), g), weight, w->h, K);
  if (r->point < points_of(t, m) - 1) return;
  complete_matrix(m, K);
  const size_t row = (size_t)r->block * (size_t)n_pair;
  for (int pair = 0; pair < n_pair; pair++)
    add_block(work->s->to + (row + (size_t)pair) * LANES, work->s->turned[row + (size_t)pair], K + 9 * pair, work->sum);
}

static void map_matrix(const term_row *r)
{
  const work_matrix *const work = r->context;
  WRING_ALIGNED lanes      h[9 * MAX_Q * MAX_Q];
  wring_term_row_hessian(r, work->which, rows_of_blocks(r, work->which), h);
  with_stencil(r->t, add_matrix, &(row_hessian){r, (wring_in)h});
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static void sum_chunk(const wring_term *t, wring_filtering which, const double *x, PetscInt c, const wring_scatter *s,
                      double *sum)
{
  WRING_ALIGNED work_matrix work = {.which = which, .s = s, .sum = sum};
  memset(sum, 0, (size_t)s->most * 9 * sizeof *sum);
  wring_pass_blocks(&(wring_pass){.t = t, .map = map_matrix, .context = &work}, t->chunk_block[c],
                    t->chunk_block[c + 1], x);
}

/* Adds a sum [9], or its transpose, to a block. */
static inline void add_sum(const double *restrict sum, int turned, double *restrict to)
{
  for (int i = 0; i < 9 && !turned; i++) to[i] += sum[i];
  for (int i = 0; i < 9 && turned; i++) to[i] += sum[3 * (i % 3) + i / 3];
}

/* Adds the sums of the chunks [c0, c1) to a part of the blocks, of n_once. */
static void add_part(const wring_scatter *s, PetscInt c0, PetscInt c1, int part, double *value)
{
  PetscInt low = PETSC_MAX_INT, high = 0;
  for (PetscInt c = c0; c < c1; c++) {
    if (s->start[c] == s->start[c + 1]) continue;
    low  = PetscMin(low, block_of(s->entry[s->start[c]]));
    high = PetscMax(high, block_of(s->entry[s->start[c + 1] - 1]) + 1);
  }
  const PetscInt64 width = PetscMax((PetscInt64)high - low, 0), n = s->n_once;
  const PetscInt64 from = entry_of((PetscInt)(low + width * part / n), 0, 0);
  const PetscInt64 to   = entry_of((PetscInt)(low + width * (part + 1) / n), 0, 0);
  for (PetscInt c = c0; c < c1; c++) {
    const double *const sum   = s->sum + (size_t)(c - c0) * (size_t)s->most * 9;
    const PetscInt      first = s->start[c], n_entry = s->start[c + 1] - first;
    PetscInt            k = first + wring_find_key(n_entry, (const uint64_t *)s->entry + first, (uint64_t)from);
    for (; k < s->start[c + 1] && s->entry[k] < to; k++) {
      const PetscInt64 e = s->entry[k];
      add_sum(sum + 9 * (e >> 1 & ((1 << SUM_BITS) - 1)), (int)(e & 1), value + 9 * (size_t)block_of(e));
    }
  }
}

void wring_term_add_hessian(const wring_term *t, wring_filtering which, const double *x, wring_scatter *s,
                            double *value)
{
  if (!t->active) return;
#pragma omp parallel
  for (PetscInt c0 = 0; c0 < t->n_chunk; c0 += s->n_once) {
    const PetscInt c1 = PetscMin(c0 + s->n_once, t->n_chunk);
#pragma omp for schedule(static, 1)
    for (PetscInt c = c0; c < c1; c++) sum_chunk(t, which, x, c, s, s->sum + (size_t)(c - c0) * (size_t)s->most * 9);
#pragma omp for schedule(static, 1)
    for (int part = 0; part < s->n_once; part++) add_part(s, c0, c1, part, value);
  }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

typedef double four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

/*
  y [begin, end) = rows of the product. A block that is kept also gives the product of its transpose to a row of this
  strip; rows read those of others themselves. Of a block its rows are read as four numbers: the first two with one
  of the next row, the last with one before.
*/
static void multiply_strip(const wring_block_values *v, PetscInt begin, PetscInt end, const PetscInt *column,
                           PetscInt first, const PetscInt *below, const double *x, double *y)
{
  for (PetscInt e = 3 * begin; e < 3 * end; e++) y[e] = 0;
  for (PetscInt i = begin; i < end; i++) {
    const double *const   xi = x + 3 * i;
    const PetscInt *const at = column + v->own[i] + v->other[i], *const last = at + v->own[i + 1] - v->own[i];
    const PetscInt *early  = below + (v->own[i] - v->upper[i]);
    const double   *block  = v->value + 9 * (size_t)v->upper[i];
    four            row[3] = {{0}}, turned = {0}, lower = {0};
    for (const PetscInt *j = at; j < last && *j - first < begin; j++, early++) {
      const double *const xj = x + 3 * (*j - first), *const b = v->value + 9 * (size_t)*early;
      turned += *(const four *)b * xj[0] + *(const four *)(b + 3) * xj[1];
      lower += *(const four *)(b + 5) * xj[2];
    }
    for (const PetscInt *k = last - (v->upper[i + 1] - v->upper[i]); k < last; k++, block += 9) {
      const PetscInt      j  = *k - first;
      const double *const xj = x + 3 * j;
      double *const       yj = y + 3 * j;
      const four          b0 = *(const four *)block, b1 = *(const four *)(block + 3), b2 = *(const four *)(block + 5);
      row[0] += b0 * (four){xj[0], xj[1], xj[2], 0};
      row[1] += b1 * (four){xj[0], xj[1], xj[2], 0};
      row[2] += b2 * (four){0, xj[0], xj[1], xj[2]};
      if (j == i || j >= end) continue;
      const four to = b0 * xi[0] + b1 * xi[1], rest = b2 * xi[2];
      for (int c = 0; c < 3; c++) yj[c] += to[c] + rest[c + 1];
    }
    for (int r = 0; r < 3; r++)
      y[3 * i + r] += row[r][0] + row[r][1] + row[r][2] + row[r][3] + turned[r] + lower[r + 1];
  }
}

void wring_block_values_multiply(const wring_block_values *v, const PetscInt *column, PetscInt begin,
                                 const PetscInt *below, const double *x, double *y)
{
  const PetscInt n = v->n_owned;
#pragma omp parallel for schedule(static)
  for (PetscInt s = 0; s < n; s += WRING_BLOCK_STRIP)
    multiply_strip(v, s, PetscMin(s + WRING_BLOCK_STRIP, n), column, begin, below, x, y);
}
