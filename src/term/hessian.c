/*
  The Hessian of a term, added to blocks, and products with these. docs/theory.md (3.2)

  Elements are processed in batches of chunks. All threads compute the element matrices of a batch; then each thread
  adds to some blocks. A block sums its elements in a fixed order, batch after batch, so that the sums do not depend on
  the number of threads. An element matrix is symmetric: of its blocks (a, b) those with a <= b are kept.
*/
#include "kernels.h"

enum { GROUP = 16, BATCH_CHUNKS = 4 };
enum { MAX_PAIRS = MAX_M * (MAX_M + 1) / 2 };

/* Items of a block of a batch: pairs of corners, numbered by element of the batch, then pair. */
struct wring_scatter {
  int       n_pair;
  PetscInt  n_chunk, n_batch; // chunks of a batch, batches
  PetscInt *batch;            // [n_batch + 1] first block
  PetscInt *block;            // [blocks of all batches] its number
  PetscInt *start;            // [blocks + 1] first item
  uint16_t *plain;            // [blocks] items that are added as they are; the others are transposed
  uint16_t *item;             // [items]
  double   *K;                // [elements of a batch][pairs][9]
};

/* The index of block (a, b), a <= b, of m x m. */
static inline int pair_of(int m, int a, int b)
{
  return a * m - a * (a - 1) / 2 + b - a;
}

/* ---- where matrices are added ------------------------------------------------------------------------------------ */

/* The chunks and blocks of a batch. */
typedef struct {
  PetscInt c0, c1, b0;
} batch_range;

static batch_range range_of(const wring_term *t, const wring_scatter *s, PetscInt batch)
{
  const PetscInt c0 = batch * s->n_chunk;
  return (batch_range){c0, PetscMin(c0 + s->n_chunk, t->n_chunk), t->chunk_block[c0]};
}

/* key: number of a block, whether the item is transposed, item; sorted as they are to be added. */
enum { ITEM_BITS = 16 };

static void add_key(PetscInt block, int turned, PetscInt item, PetscInt *n, PetscInt64 *key)
{
  if (block >= 0) key[(*n)++] = ((PetscInt64)block << 1 | turned) << ITEM_BITS | item;
}

/* The items of the elements [first, end); a pair of which a vertex is a ghost has two. */
static PetscInt list_keys(const wring_term *t, PetscInt first, PetscInt end, const wring_pattern *p,
                          const wring_block_values *to, PetscInt64 *key)
{
  const int n_pair = t->m * (t->m + 1) / 2;
  PetscInt  v[MAX_M], n = 0;
  for (PetscInt position = first; position < end; position++) {
    if (!term_is_real(t, position)) continue;
    term_vertices(t, position, v);
    for (int a = 0; a < t->m; a++) {
      for (int b = a; b < t->m; b++) {
        const PetscInt item = (position - first) * n_pair + pair_of(t->m, a, b);
        add_key(wring_block_of_entry(to, p, v[a], wring_pattern_find(p, v[a], v[b])), 0, item, &n, key);
        if (b > a) add_key(wring_block_of_entry(to, p, v[b], wring_pattern_find(p, v[b], v[a])), 1, item, &n, key);
      }
    }
  }
  return n;
}

/* Of sorted keys. */
static void store_batch(PetscInt batch, PetscInt n, const PetscInt64 *key, wring_scatter *s)
{
  PetscInt last = -1, b = s->batch[batch], at = s->start[b];
  for (PetscInt k = 0; k < n; k++, at++) {
    const PetscInt block = (PetscInt)(key[k] >> (ITEM_BITS + 1));
    if (block != last) {
      s->start[b] = at;
      s->block[b] = last = block;
      s->plain[b++]      = 0;
    }
    if (!(key[k] >> ITEM_BITS & 1)) s->plain[b - 1]++;
    s->item[at] = (uint16_t)key[k];
  }
  s->start[b]         = at;
  s->batch[batch + 1] = b;
}

/* Room for items, which is given back at the end. */
static PetscErrorCode build(const wring_term *t, PetscInt room, const wring_pattern *p, const wring_block_values *to,
                            wring_scatter *s)
{
  PetscInt64 *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(room, &s->item));
  PetscCall(PetscMalloc1(room, &s->block));
  PetscCall(PetscMalloc1(room, &s->plain));
  PetscCall(PetscMalloc1(room + 1, &s->start));
  PetscCall(PetscMalloc1(2 * (size_t)(s->n_chunk * t->chunk_blocks * LANES * s->n_pair), &key));
  s->batch[0] = s->start[0] = 0;
  for (PetscInt i = 0; i < s->n_batch; i++) {
    const batch_range r = range_of(t, s, i);
    const PetscInt    n = list_keys(t, r.b0 * LANES, t->chunk_block[r.c1] * LANES, p, to, key);
    PetscCall(PetscSortInt64(n, key));
    store_batch(i, n, key, s);
  }
  PetscCall(PetscFree(key));
  const size_t blocks = (size_t)s->batch[s->n_batch];
  PetscCall(PetscRealloc(sizeof *s->item * (size_t)s->start[blocks], &s->item));
  PetscCall(PetscRealloc(sizeof *s->block * blocks, &s->block));
  PetscCall(PetscRealloc(sizeof *s->plain * blocks, &s->plain));
  PetscCall(PetscRealloc(sizeof *s->start * (blocks + 1), &s->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scatter_create(const wring_term *t, const wring_pattern *p, const wring_block_values *v,
                                    wring_scatter **scatter)
{
  const int      n_pair    = t->m * (t->m + 1) / 2;
  const PetscInt per_chunk = t->chunk_blocks * LANES * n_pair, most = 1 << ITEM_BITS;
  wring_scatter *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->n_pair  = n_pair;
  s->n_chunk = PetscMax(PetscMin(BATCH_CHUNKS, most / PetscMax(per_chunk, 1)), 1);
  s->n_batch = (t->n_chunk + s->n_chunk - 1) / s->n_chunk;
  PetscCheck(per_chunk <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A chunk of %d pairs", (int)per_chunk);
  PetscCall(PetscMalloc1(s->n_batch + 1, &s->batch));
  PetscCall(PetscMalloc1((size_t)PetscMin(t->n_block * LANES * n_pair, s->n_chunk * per_chunk) * 9, &s->K));
  PetscCall(build(t, 2 * t->n * n_pair, p, v, s)); // hard: no chunks
  *scatter = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scatter_destroy(wring_scatter **s)
{
  PetscFunctionBegin;
  if (!*s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*s)->batch));
  PetscCall(PetscFree((*s)->item));
  PetscCall(PetscFree((*s)->block));
  PetscCall(PetscFree((*s)->plain));
  PetscCall(PetscFree((*s)->start));
  PetscCall(PetscFree((*s)->K));
  PetscCall(PetscFree(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- element matrices -------------------------------------------------------------------------------------------- */

/* hg = h G_b^T, [3 q][3]. */
static inline __attribute__((always_inline)) void times_coef(int q, wring_in g, wring_in h, lanes (*hg)[3])
{
  for (int i = 0; i < 3 * q; i++) {
    for (int d = 0; d < 3; d++) {
      for (int l = 0; l < LANES; l++) {
        double sum = 0;
        for (int k = 0; k < q; k++) sum += h[i * 3 * q + q * d + k][l] * g[k][l];
        hg[i][d][l] = sum;
      }
    }
  }
}

/* K_ab = w G_a h G_b^T, a <= b, for the free vertices; added to K for second-order tets. */
static inline __attribute__((always_inline)) void free_matrix(int m, int q, const double *coef, const double *w,
                                                              wring_in h, lanes *K)
{
  WRING_ALIGNED const lanes one[1] = {{1, 1, 1, 1, 1, 1, 1, 1}};
  const wring_in            g      = coef ? (wring_in)coef : one;
  WRING_ALIGNED lanes       hg[3 * MAX_Q][3];
  for (int b = 0; b < free_vertices(m); b++) {
    times_coef(q, g + q * b, h, hg);
    for (int a = 0; a <= b; a++) {
      for (int i = 0; i < 9; i++) {
        double *const to = K[9 * pair_of(m, a, b) + i];
        for (int l = 0; l < LANES; l++) {
          double sum = 0;
          for (int k = 0; k < q; k++) sum += g[q * a + k][l] * hg[q * (i / 3) + k][i % 3][l];
          to[l] = m == QUADRATIC ? to[l] + w[l] * sum : w[l] * sum;
        }
      }
    }
  }
}

/* The last vertex follows from translation invariance: rows and columns of K sum to zero. */
static inline __attribute__((always_inline)) void complete_matrix(int m, lanes *K)
{
  const int n_free = free_vertices(m), last = m - 1;
  if (m == 1) return;
  for (int a = 0; a <= last; a++) {
    for (int i = 0; i < 9; i++) {
      const int t = 3 * (i % 3) + i / 3;
      for (int l = 0; l < LANES; l++) {
        double sum = 0;
        for (int b = 0; b < n_free; b++)
          sum -= a <= b ? K[9 * pair_of(m, a, b) + i][l] : K[9 * pair_of(m, b, a) + t][l];
        K[9 * pair_of(m, a, last) + i][l] = sum;
      }
    }
  }
}

/* out [LANES][n], n at least 4, from K [n]: four numbers of all lanes at a time, the last ones with those before. */
static inline __attribute__((always_inline)) void store_matrices(int n, const lanes *K, double *out)
{
  for (int l = 0; l < LANES; l += WIDTH) {
    for (int i = 0; i < n; i += 4) {
      const int   at = i < n - 4 ? i : n - 4;
      lane_corner v;
      lane_rows   r;
      vertex_row  row[WIDTH];
      load_lanes(K[at] + l, &v.x);
      load_lanes(K[at + 1] + l, &v.y);
      load_lanes(K[at + 2] + l, &v.z);
      load_lanes(K[at + 3] + l, &v.w);
      lanes_to_rows(&v, &r);
      split_rows(&r, row);
      for (int k = 0; k < WIDTH; k++) store_row(&row[k], out + (l + k) * n + at);
    }
  }
}

/* Sums of the points of a block [9 pairs]. */
typedef struct {
  wring_filtering which;
  PetscInt        b0; // first block of the batch
  wring_scatter  *s;
  lanes           K[9 * MAX_PAIRS];
} work_matrix;

static inline __attribute__((always_inline)) void add_matrix(int m, int q, void *context)
{
  const row_hessian *const w    = context;
  const term_row *const    r    = w->r;
  const wring_term *const  t    = r->t;
  work_matrix *const       work = r->context;
  const int                n    = 9 * m * (m + 1) / 2;
  double *const            out  = work->s->K + (size_t)(r->block - work->b0) * (size_t)(LANES * n);
  WRING_ALIGNED lanes      g[9 * MAX_Q], own[9 * MAX_PAIRS];
  lanes *const             K = m == QUADRATIC ? work->K : own; // own: known to overlap nothing
  if (m == QUADRATIC && r->point == 0) memset(K, 0, sizeof work->K);
  free_matrix(m, q, form_rows(m, q, point_of(t, m, r->point), row_coef(t, r->row), g),
              t->weight + (size_t)r->row * LANES, w->h, K);
  if (r->point < points_of(t, m) - 1) return;
  complete_matrix(m, K);
  store_matrices(n, (const lanes *)K, out);
}

static void map_matrix(const term_row *r)
{
  const work_matrix *const work = r->context;
  WRING_ALIGNED lanes      h[9 * MAX_Q * MAX_Q];
  wring_term_row_hessian(r, work->which, h);
  with_stencil(r->t, add_matrix, &(row_hessian){r, (wring_in)h});
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* The groups of a chunk, GROUP blocks each. */
static inline PetscInt chunk_groups(const wring_term *t)
{
  return (t->chunk_blocks + GROUP - 1) / GROUP;
}

/* Group g of a batch: GROUP blocks of one chunk. */
static void compute_group(const wring_term *t, wring_filtering which, const double *x, batch_range r, PetscInt g,
                          wring_scatter *s)
{
  const PetscInt            c    = r.c0 + g / chunk_groups(t);
  WRING_ALIGNED work_matrix work = {.which = which, .b0 = r.b0, .s = s};
  if (c >= r.c1) return;
  const PetscInt b0 = t->chunk_block[c] + g % chunk_groups(t) * GROUP, b1 = PetscMin(b0 + GROUP, t->chunk_block[c + 1]);
  if (b0 < b1) wring_pass_blocks(&(wring_pass){.t = t, .map = map_matrix, .context = &work}, b0, b1, x);
}

typedef double eight __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* sum [9]: items [k, end), eight numbers at a time. */
static inline void sum_items(const wring_scatter *s, PetscInt k, PetscInt end, double *sum)
{
  eight  most = {0};
  double last = 0;
  for (; k < end; k++) {
    const double *const from = s->K + 9 * (size_t)s->item[k];
    most += *(const eight *)from;
    last += from[8];
  }
  *(eight *)sum = most;
  sum[8]        = last;
}

/* to [9] += the items of block b. */
static inline void add_items(const wring_scatter *s, PetscInt b, double *to)
{
  const PetscInt middle = s->start[b] + s->plain[b];
  double         plain[9], turned[9];
  sum_items(s, s->start[b], middle, plain);
  sum_items(s, middle, s->start[b + 1], turned);
  for (int i = 0; i < 9; i++) to[i] += plain[i] + turned[3 * (i % 3) + i / 3];
}

void wring_term_add_hessian(const wring_term *t, wring_filtering which, const double *x, wring_scatter *s,
                            double *value)
{
  if (!t->active) return;
#pragma omp parallel
  for (PetscInt i = 0; i < s->n_batch; i++) {
    const batch_range r = range_of(t, s, i);
#pragma omp for schedule(static, 1)
    for (PetscInt g = 0; g < s->n_chunk * chunk_groups(t); g++) compute_group(t, which, x, r, g, s);
#pragma omp for schedule(static)
    for (PetscInt b = s->batch[i]; b < s->batch[i + 1]; b++) add_items(s, b, value + 9 * (size_t)s->block[b]);
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
