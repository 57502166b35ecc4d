/*
  The Hessian of a term, added to the blocks of rows. docs/theory.md (3.2)

  Elements are processed in batches of chunks. All threads compute the element matrices of a batch; then each thread
  adds the rows of some vertices. A vertex sums its elements in their order, batch after batch, so that the sums do not
  depend on the number of threads. An element matrix is symmetric: of its blocks (a, b) those with a <= b are kept.
*/
#include "kernels.h"

enum { GROUP = 16, BATCH_CHUNKS = 4 };
enum { MAX_PAIRS = MAX_M * (MAX_M + 1) / 2 };

/* The elements of a row are items of a batch: an element of the batch, its corner, and its columns in the row. */
struct wring_scatter {
  int       m, n_value; // vertices of an element; values of its matrix that are kept
  PetscInt  n_batch;
  PetscInt *batch;  // [n_batch + 1] first row of a batch
  PetscInt *vertex; // [rows] local vertex of a row
  PetscInt *start;  // [rows + 1] first item of a row
  int32_t  *item;   // [items] MAX_M times the position of the element in the batch, plus its corner
  int32_t  *place;  // [items][m] of the corners in the row
  double   *K;      // [elements of a batch][pairs][9]
};

/* The index of block (a, b), a <= b, of m x m. */
static inline int pair_of(int m, int a, int b)
{
  return a * m - a * (a - 1) / 2 + b - a;
}

/* ---- where rows are added ---------------------------------------------------------------------------------------- */

/* The chunks and blocks of a batch. */
typedef struct {
  PetscInt c0, c1, b0;
} batch_range;

static batch_range range_of(const wring_term *t, PetscInt batch)
{
  const PetscInt c0 = batch * BATCH_CHUNKS;
  return (batch_range){c0, PetscMin(c0 + BATCH_CHUNKS, t->n_chunk), t->chunk_block[c0]};
}

/* While rows are listed: the row of each vertex in the batch or -1, the next item of each row. */
typedef struct {
  PetscInt *row_of, *next, n_row;
} builder;

/* Makes the rows of a batch, of its vertices in the order of its elements, and counts their items. */
static void count_items(const wring_term *t, PetscInt first, PetscInt end, wring_scatter *s, builder *b)
{
  PetscInt v[MAX_M];
  for (PetscInt position = first; position < end; position++) {
    if (!term_is_real(t, position)) continue;
    term_vertices(t, position, v);
    for (int a = 0; a < t->m; a++) {
      if (b->row_of[v[a]] < 0) {
        b->row_of[v[a]]      = b->n_row;
        s->vertex[b->n_row]  = v[a];
        s->start[++b->n_row] = 0;
      }
      s->start[b->row_of[v[a]] + 1]++;
    }
  }
}

static void list_items(const wring_term *t, PetscInt first, PetscInt end, const wring_pattern *p, const int32_t *place,
                       wring_scatter *s, builder *b)
{
  PetscInt v[MAX_M];
  for (PetscInt position = first; position < end; position++) {
    if (!term_is_real(t, position)) continue;
    term_vertices(t, position, v);
    for (int a = 0; a < t->m; a++) {
      const PetscInt at = b->next[b->row_of[v[a]]]++;
      s->item[at]       = (int32_t)((position - first) * MAX_M + a);
      for (int c = 0; c < t->m; c++) s->place[t->m * at + c] = place[wring_pattern_find(p, v[a], v[c])];
    }
  }
}

static void build_batch(const wring_term *t, PetscInt batch, const wring_pattern *p, const int32_t *place,
                        wring_scatter *s, builder *b)
{
  const batch_range r     = range_of(t, batch);
  const PetscInt    first = r.b0 * LANES, end = t->chunk_block[r.c1] * LANES, first_row = b->n_row;
  count_items(t, first, end, s, b);
  for (PetscInt i = first_row; i < b->n_row; i++) {
    s->start[i + 1] += s->start[i];
    b->next[i] = s->start[i];
  }
  list_items(t, first, end, p, place, s, b);
  for (PetscInt i = first_row; i < b->n_row; i++) b->row_of[s->vertex[i]] = -1;
  s->batch[batch + 1] = b->n_row;
}

static PetscErrorCode build(const wring_term *t, PetscInt rows, const wring_pattern *p, const int32_t *place,
                            wring_scatter *s)
{
  builder b = {.n_row = 0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p->n, &b.row_of, rows, &b.next));
  for (PetscInt v = 0; v < p->n; v++) b.row_of[v] = -1;
  s->batch[0] = s->start[0] = 0;
  for (PetscInt i = 0; i < s->n_batch; i++) build_batch(t, i, p, place, s, &b);
  PetscCall(PetscFree2(b.row_of, b.next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scatter_create(const wring_term *t, const wring_pattern *p, const int32_t *place,
                                    wring_scatter **scatter)
{
  const PetscInt rows = t->n_chunk > 0 ? t->chunk_vertex[t->n_chunk] : 0, items = t->n * t->m; // hard: none
  const size_t   elements = (size_t)PetscMin(t->n_block, BATCH_CHUNKS * t->chunk_blocks) * LANES;
  wring_scatter *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->m       = t->m;
  s->n_value = 9 * t->m * (t->m + 1) / 2;
  s->n_batch = (t->n_chunk + BATCH_CHUNKS - 1) / BATCH_CHUNKS;
  PetscCall(PetscMalloc3(s->n_batch + 1, &s->batch, rows, &s->vertex, rows + 1, &s->start));
  PetscCall(PetscMalloc2(items, &s->item, s->m * items, &s->place));
  PetscCall(PetscMalloc1(elements * (size_t)s->n_value, &s->K));
  PetscCall(build(t, rows, p, place, s));
  *scatter = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scatter_destroy(wring_scatter **s)
{
  PetscFunctionBegin;
  if (!*s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3((*s)->batch, (*s)->vertex, (*s)->start));
  PetscCall(PetscFree2((*s)->item, (*s)->place));
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

/* Sums of the points of a block [9 pairs]; out: of the batch [LANES][n_value]. */
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
  for (int l = 0; l < LANES; l++) {
    for (int i = 0; i < n; i++) out[l * n + i] = K[i][l];
  }
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

typedef double two __attribute__((vector_size(16), aligned(sizeof(double)), may_alias));

/* Adds row a of an element matrix to the blocks at `place` of a row. */
static inline __attribute__((always_inline)) void add_item(int m, int a, const double *restrict K,
                                                           const int32_t *restrict place, const wring_block_row *row)
{
  for (int b = 0; b < m; b++) {
    PetscInt            width;
    double *const       to   = wring_block_at(row, place[b], &width);
    const double *const from = K + 9 * pair_of(m, PetscMin(a, b), PetscMax(a, b));
    for (int i = 0; i < 3; i++) { // two numbers at a time: the compiler adds them one by one
      double *const t = to + i * width;
      *(two *)t += a <= b ? (two){from[3 * i], from[3 * i + 1]} : (two){from[i], from[3 + i]};
      t[2] += a <= b ? from[3 * i + 2] : from[6 + i];
    }
  }
}

static void add_row(const wring_scatter *s, PetscInt r, const wring_block_row *row)
{
  for (PetscInt i = s->start[r]; i < s->start[r + 1]; i++) {
    const int      a     = s->item[i] % MAX_M;
    const double  *K     = s->K + (size_t)(s->item[i] / MAX_M) * (size_t)s->n_value;
    const int32_t *place = s->place + (size_t)s->m * (size_t)i;
    if (s->m == 4)
      add_item(4, a, K, place, row);
    else if (s->m == QUADRATIC)
      add_item(QUADRATIC, a, K, place, row);
    else
      add_item(s->m, a, K, place, row);
  }
}

void wring_term_add_hessian(const wring_term *t, wring_filtering which, const double *x, wring_scatter *s,
                            const wring_pattern *p, const wring_block_values *value)
{
  if (!t->active) return;
#pragma omp parallel
  for (PetscInt i = 0; i < s->n_batch; i++) {
    const batch_range r = range_of(t, i);
#pragma omp for schedule(static, 1)
    for (PetscInt g = 0; g < BATCH_CHUNKS * chunk_groups(t); g++) compute_group(t, which, x, r, g, s);
#pragma omp for schedule(static)
    for (PetscInt k = s->batch[i]; k < s->batch[i + 1]; k++) {
      const wring_block_row row = wring_block_row_of(value, p, s->vertex[k]);
      add_row(s, k, &row);
    }
  }
}
