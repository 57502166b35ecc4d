/*
  The pattern of vertices that share an element, and the scalar A in it, by rows. Threads share the rows; a row sums
  over the elements at its vertex in their order, so that sums do not depend on the number of threads.
  docs/theory.md (4.1)
*/
#include "kernels.h"
#include "base/count.h"
#include "base/sort.h"
#include <omp.h>

/* ---- the elements at a vertex ------------------------------------------------------------------------------------ */

/* Of one term. */
typedef struct {
  PetscInt *start; // [n_local + 1]
  PetscInt *item;  // positions of the elements, ascending; without padded ones
} incidence;

typedef struct {
  PetscInt           n, n_term;
  wring_term *const *term;
  incidence         *in; // [n_term]
} elements;

static PetscErrorCode add_up(PetscInt n, PetscInt *start)
{
  wring_error error = {""};
  PetscInt64  all   = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < n; v++) all += start[v + 1];
  PetscCheck(wring_count_fits(all, 1, "matrix on one rank", "neighbours of vertices", &error), PETSC_COMM_SELF,
             PETSC_ERR_SUP, "%s", error.text);
  for (PetscInt v = 0; v < n; v++) start[v + 1] += start[v];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_elements(const wring_term *t, PetscInt n, incidence *in)
{
  const PetscInt positions = t->n_block * LANES;
  PetscInt       v[MAX_M];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n + 2, &in->start)); // first of vertex v - 1, while the items are listed
  PetscInt *const next = in->start + 1;
  for (PetscInt e = 0; e < positions; e++) {
    if (!term_is_real(t, e)) continue;
    term_vertices(t, e, v);
    for (int a = 0; a < t->m; a++) next[v[a] + 1]++;
  }
  PetscCall(add_up(n, next));
  PetscCall(PetscMalloc1((size_t)next[n], &in->item));
  for (PetscInt e = 0; e < positions; e++) {
    if (!term_is_real(t, e)) continue;
    term_vertices(t, e, v);
    for (int a = 0; a < t->m; a++) in->item[next[v[a]]++] = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_elements(elements *e)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < e->n_term; i++) {
    PetscCall(PetscFree(e->in[i].start));
    PetscCall(PetscFree(e->in[i].item));
  }
  PetscCall(PetscFree(e->in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a set of columns ------------------------------------------------------------------------------------------- */

/* A hash table with open addresses. An empty place has the key -1. */
typedef struct {
  uint32_t  mask;
  PetscInt *key, *value; // [mask + 1]
} table;

/* The place of key, or the empty one where it belongs. */
static inline uint32_t find_place(const table *h, PetscInt key)
{
  uint32_t at = (uint32_t)key * 2654435769u >> 7 & h->mask;
  while (h->key[at] != key && h->key[at] >= 0) at = (at + 1) & h->mask;
  return at;
}

/* Adds key with a value unless it is there. */
static inline PetscBool put(table *h, PetscInt key, PetscInt value)
{
  const uint32_t at = find_place(h, key);
  if (h->key[at] == key) return PETSC_FALSE;
  h->key[at]   = key;
  h->value[at] = value;
  return PETSC_TRUE;
}

/* Memory of all threads: a table and a list each, for rows of at most `most` columns. */
typedef struct {
  size_t    size; // of a table
  PetscInt *memory;
} tables;

/* Of the calling thread; list: as many numbers. */
static inline table get_table(const tables *all, PetscInt **list)
{
  PetscInt *const first = all->memory + 3 * all->size * (size_t)omp_get_thread_num();
  *list                 = first + 2 * all->size;
  return (table){(uint32_t)all->size - 1, first, first + all->size};
}

/* Row v has at most this number of columns. */
static PetscInt most_columns(const elements *e, PetscInt v)
{
  PetscInt n = 1;
  for (PetscInt i = 0; i < e->n_term; i++) n += (e->in[i].start[v + 1] - e->in[i].start[v]) * (e->term[i]->m - 1);
  return n;
}

static PetscErrorCode create_tables(const elements *e, tables *all)
{
  PetscInt most = 1;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < e->n; v++) most = PetscMax(most, most_columns(e, v));
  all->size = 64;
  while (all->size < 2 * (size_t)most) all->size *= 2;
  PetscCall(PetscMalloc1(3 * all->size * (size_t)wring_max_threads(), &all->memory));
  for (size_t i = 0; i < 3 * all->size * (size_t)wring_max_threads(); i++) all->memory[i] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

/* list: the columns of row v in any order; returns their number. h is empty before and after. */
static PetscInt list_columns(const elements *e, PetscInt v, table *h, PetscInt *list)
{
  PetscInt n = 1, u[MAX_M];
  list[0]    = v;
  put(h, v, 0);
  for (PetscInt i = 0; i < e->n_term; i++) {
    for (PetscInt k = e->in[i].start[v]; k < e->in[i].start[v + 1]; k++) {
      term_vertices(e->term[i], e->in[i].item[k], u);
      for (int a = 0; a < e->term[i]->m; a++)
        if (put(h, u[a], n)) list[n++] = u[a];
    }
  }
  for (PetscInt k = n - 1; k >= 0; k--) h->key[find_place(h, list[k])] = -1; // last in, first out: no search fails
  return n;
}

/* Part s of the rows begins here, of wring_strips(n). */
static PetscInt strip(PetscInt n, int s)
{
  return (PetscInt)((int64_t)n * s / wring_strips(n));
}

/*
  start [strips + 1]: places for the columns of each strip, at most. Rows are written without gaps, so that the places
  left over are never touched and take no memory.
*/
static PetscErrorCode reserve_strips(const elements *e, size_t **start, PetscInt **column)
{
  const int n = wring_strips(e->n);

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n + 1, start));
  for (int s = 0; s < n; s++) {
    (*start)[s + 1] = (*start)[s];
    for (PetscInt v = strip(e->n, s); v < strip(e->n, s + 1); v++) (*start)[s + 1] += (size_t)most_columns(e, v);
  }
  PetscCall(PetscMalloc1((*start)[n], column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sorted columns of a strip's rows, one row after the other, and p->start[v + 1] = their number in row v. */
static void list_strip(const elements *e, const tables *all, int s, wring_pattern *p, PetscInt *column)
{
  for (PetscInt v = strip(e->n, s); v < strip(e->n, s + 1); v++) {
    PetscInt      *list;
    table          h = get_table(all, &list);
    const PetscInt n = list_columns(e, v, &h, list);
    for (PetscInt k = 0; k < n; k++) column[k] = list[k];
    wring_sort_row(n, column, NULL);
    p->start[v + 1] = n;
    column += n;
  }
}

static PetscErrorCode make_pattern(const elements *e, const tables *all, wring_pattern **pattern)
{
  const int      n = wring_strips(e->n);
  wring_pattern *p;
  size_t        *first;
  PetscInt      *column;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  p->n = e->n;
  PetscCall(PetscMalloc1((size_t)e->n + 1, &p->start));
  p->start[0] = 0;
  PetscCall(reserve_strips(e, &first, &column));
#pragma omp parallel for schedule(static)
  for (int s = 0; s < n; s++) list_strip(e, all, s, p, column + first[s]);
  PetscCall(add_up(e->n, p->start));
  PetscCall(PetscMalloc1((size_t)p->start[e->n], &p->column));
#pragma omp parallel for schedule(static)
  for (int s = 0; s < n; s++) {
    const PetscInt from = p->start[strip(e->n, s)], to = p->start[strip(e->n, s + 1)];
    for (PetscInt k = from; k < to; k++) p->column[k] = column[first[s] + (size_t)(k - from)];
  }
  PetscCall(PetscFree(first));
  PetscCall(PetscFree(column));
  *pattern = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pattern_destroy(wring_pattern **p)
{
  PetscFunctionBegin;
  if (!*p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*p)->start));
  PetscCall(PetscFree((*p)->column));
  PetscCall(PetscFree(*p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_pattern_find(const wring_pattern *p, PetscInt u, PetscInt v)
{
  PetscInt low = p->start[u], high = p->start[u + 1];
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (p->column[middle] <= v)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* ---- A ----------------------------------------------------------------------------------------------------------- */

/* wk [n_block][LANES]: factor w k of the elements of a term with one point. */
static void find_slopes(const wring_term *t, double factor, double *wk)
{
#pragma omp parallel for schedule(static)
  for (PetscInt b = 0; b < t->n_block; b++) {
    WRING_ALIGNED lanes k[1];
    row_slope(t, b, k[0]);
    for (int l = 0; l < LANES; l++) wk[b * LANES + l] = factor * block_weight(t, b)[l] * k[0][l];
  }
}

/* Row v of G^T G of an element, times wk; h: the columns of the row in `value`. */
static inline void add_element(const wring_term *t, PetscInt position, double wk, PetscInt v, const table *h,
                               double *value)
{
  const int q = t->law->q;
  PetscInt  u[MAX_M];
  double    g[MAX_M * MAX_Q];
  int       i = 0;
  term_vertices(t, position, u);
  lane_coef(t, row_coef(t, position / LANES), (int)(position % LANES), g);
  while (u[i] != v) i++;
  for (int j = 0; j < t->m; j++) {
    double sum = 0;
    for (int a = 0; a < q; a++) sum += g[q * i + a] * g[q * j + a];
    value[h->value[find_place(h, u[j])]] += wk * sum;
  }
}

static void add_elements_of(const wring_term *t, const incidence *in, const tables *all, const double *wk,
                            const wring_pattern *p, double *value)
{
#pragma omp parallel for schedule(static)
  for (PetscInt v = 0; v < p->n; v++) {
    const PetscInt first = p->start[v], n = p->start[v + 1] - first;
    PetscInt      *list;
    table          h = get_table(all, &list);
    if (in->start[v] == in->start[v + 1]) continue;
    for (PetscInt k = 0; k < n; k++) put(&h, p->column[first + k], k);
    for (PetscInt k = in->start[v]; k < in->start[v + 1]; k++)
      add_element(t, in->item[k], wk[in->item[k]], v, &h, value + first);
    for (PetscInt k = n - 1; k >= 0; k--) h.key[find_place(&h, p->column[first + k])] = -1;
  }
}

/* value += wk G^T G of the element with vertices v. */
static void add_product(const wring_term *t, const double *g, double wk, const PetscInt *v, const wring_pattern *p,
                        double *value)
{
  const int q = t->law->q;
  for (int i = 0; i < t->m; i++) {
    for (int j = 0; j < t->m; j++) {
      double sum = 0;
      for (int a = 0; a < q; a++) sum += g[q * i + a] * g[q * j + a];
      value[wring_pattern_find(p, v[i], v[j])] += wk * sum;
    }
  }
}

/* value += factor w k G^T G of a term with several points. */
static void add_points(const wring_term *t, const wring_pattern *p, double factor, double *value)
{
  PetscInt            v[MAX_M];
  double              g[MAX_M * MAX_Q];
  WRING_ALIGNED lanes k[1], room[9 * MAX_Q];
  for (PetscInt row = 0; row < t->n_block * t->points; row++) {
    const PetscInt      b    = row / t->points;
    const double *const rows = block_rows(t, b, (int)(row % t->points), room), *const w = t->weight + row * LANES;
    row_slope(t, row, k[0]);
    for (int l = 0; l < LANES; l++) {
      if (!term_is_real(t, b * LANES + l)) continue;
      term_vertices(t, b * LANES + l, v);
      lane_coef(t, rows, l, g);
      add_product(t, g, factor * w[l] * k[0][l], v, p, value);
    }
  }
}

/* value [nnz] += factor w k G^T G of the active terms. */
static PetscErrorCode add_terms(const elements *e, const tables *all, double factor, const wring_pattern *p,
                                double *value)
{
  double *wk;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < e->n_term; i++) {
    const wring_term *const t = e->term[i];
    if (!t->active) continue;
    if (t->points > 1) {
      add_points(t, p, factor, value);
      continue;
    }
    PetscCall(wring_blocks_create((size_t)t->n_block * LANES, &wk));
    find_slopes(t, factor, wk);
    add_elements_of(t, &e->in[i], all, wk, p, value);
    wring_blocks_destroy(&wk);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_laplacian_create(PetscInt n_local, PetscInt n_terms, wring_term *const *terms, double factor,
                                      wring_pattern **p, double **value)
{
  elements e = {.n = n_local, .n_term = n_terms, .term = terms};
  tables   all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n_terms, &e.in));
  for (PetscInt i = 0; i < n_terms; i++) PetscCall(list_elements(terms[i], n_local, &e.in[i]));
  PetscCall(create_tables(&e, &all));
  PetscCall(make_pattern(&e, &all, p));
  if (value) PetscCall(PetscCalloc1((size_t)(*p)->start[n_local], value));
  if (value) PetscCall(add_terms(&e, &all, factor, *p, *value));
  PetscCall(PetscFree(all.memory));
  PetscCall(destroy_elements(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pattern_create(PetscInt n_local, PetscInt n_terms, wring_term *const *terms, wring_pattern **p)
{
  PetscFunctionBegin;
  PetscCall(wring_laplacian_create(n_local, n_terms, terms, 0, p, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
