/*
  The pattern of vertices that share an element, and the scalar A in it, by rows. Threads share the rows; a row sums
  over the elements at its vertex in their order, so that sums do not depend on the number of threads.
  docs/theory.md (4.1)
*/
#include "kernels.h"
#include "base/count.h"
#include "base/sort.h"
#include <omp.h>
#include <string.h>

/* ---- the elements at a vertex ------------------------------------------------------------------------------------ */

/* Of one term. */
typedef struct {
  PetscInt *start; // [n_local + 1]
  PetscInt *item;  // positions of the elements, ascending; without padded ones
  double   *wk;    // [n_block][LANES] factor w k of the elements; NULL: in the pattern only
} incidence;

typedef struct {
  MPI_Comm           comm;
  PetscInt           n, n_term;
  wring_term *const *term;
  incidence         *in; // [n_term]
} elements;

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
  wring_add_up(n, next); // corners of elements, which their tables count
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
    wring_blocks_destroy(&e->in[i].wk);
  }
  PetscCall(PetscFree(e->in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a set of columns ------------------------------------------------------------------------------------------- */

/* A hash table with open addresses. An empty place has the key -1. */
typedef struct {
  uint32_t  mask;
  PetscInt *key; // [mask + 1]
  double   *sum; // [mask + 1]
} table;

/* The place of key, or the empty one where it belongs. */
static inline uint32_t find_place(const table *h, PetscInt key)
{
  uint32_t at = (uint32_t)key * 2654435769u >> 7 & h->mask;
  while (h->key[at] != key && h->key[at] >= 0) at = (at + 1) & h->mask;
  return at;
}

/* Adds value to the sum of key; whether key is new. */
static inline PetscBool add(table *h, PetscInt key, double value)
{
  const uint32_t at = find_place(h, key);
  if (h->key[at] == key) {
    h->sum[at] += value;
    return PETSC_FALSE;
  }
  h->key[at] = key;
  h->sum[at] = value;
  return PETSC_TRUE;
}

/* Memory of all threads: a table and a list each, for rows of at most `most` columns. */
typedef struct {
  size_t    size; // of a table
  PetscInt *memory;
  double   *sum;
} tables;

/* Of the calling thread; list: as many numbers. */
static inline table get_table(const tables *all, PetscInt **list)
{
  const size_t    thread = (size_t)omp_get_thread_num();
  PetscInt *const first  = all->memory + 2 * all->size * thread;
  *list                  = first + all->size;
  return (table){(uint32_t)all->size - 1, first, all->sum + all->size * thread};
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
  const size_t n = all->size * (size_t)wring_max_threads();
  PetscCall(PetscMalloc2(2 * n, &all->memory, n, &all->sum));
  for (size_t i = 0; i < 2 * n; i++) all->memory[i] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

/* row [m]: row v of G^T G of an element with vertices u, times wk. */
static inline void find_row(const wring_term *t, PetscInt position, double wk, PetscInt v, const PetscInt *u,
                            double *row)
{
  const int q = t->law->q;
  double    g[MAX_M * MAX_Q];
  int       i = 0;
  lane_coef(t, row_coef(t, position / LANES), (int)(position % LANES), g);
  while (u[i] != v) i++;
  for (int j = 0; j < t->m; j++) {
    double sum = 0;
    for (int a = 0; a < q; a++) sum += g[q * i + a] * g[q * j + a];
    row[j] = wk * sum;
  }
}

/* list: the columns of row v in any order, with their sums in h, which is empty before; returns their number. */
static PetscInt list_columns(const elements *e, PetscInt v, table *h, PetscInt *list)
{
  PetscInt n = 1, u[MAX_M];
  list[0]    = v;
  add(h, v, 0);
  for (PetscInt i = 0; i < e->n_term; i++) {
    const wring_term *const t          = e->term[i];
    const incidence *const  in         = &e->in[i];
    double                  row[MAX_M] = {0};
    for (PetscInt k = in->start[v]; k < in->start[v + 1]; k++) {
      term_vertices(t, in->item[k], u);
      if (in->wk) find_row(t, in->item[k], in->wk[in->item[k]], v, u, row);
      for (int a = 0; a < t->m; a++)
        if (add(h, u[a], row[a])) list[n++] = u[a];
    }
  }
  return n;
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
    for (PetscInt v = wring_strip(e->n, s); v < wring_strip(e->n, s + 1); v++)
      (*start)[s + 1] += (size_t)most_columns(e, v);
  }
  PetscCall(PetscMalloc1((*start)[n], column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sorted columns of a strip's rows, one row after the other, and p->start[v + 1] = their number in row v. */
static void list_strip(const elements *e, const tables *all, int s, wring_pattern *p, PetscInt *column, double *value)
{
  for (PetscInt v = wring_strip(e->n, s); v < wring_strip(e->n, s + 1); v++) {
    PetscInt      *list;
    table          h = get_table(all, &list);
    const PetscInt n = list_columns(e, v, &h, list);
    memcpy(column, list, sizeof *list * (size_t)n);
    wring_sort_row(n, column, NULL);
    for (PetscInt k = 0; value && k < n; k++) *value++ = h.sum[find_place(&h, column[k])];
    for (PetscInt k = n - 1; k >= 0; k--) h.key[find_place(&h, list[k])] = -1; // last in, first out: no search fails
    p->start[v + 1] = n;
    column += n;
  }
}

/* p->column and value, unless it is NULL, from the strips, whose rows begin at first [strips]. */
static PetscErrorCode join_strips(const elements *e, const size_t *first, const PetscInt *column, const double *sums,
                                  wring_pattern *p, double **value)
{
  PetscInt64 all = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < e->n; v++) all += p->start[v + 1];
  PetscCall(wring_count_check(e->comm, all, 1, "matrix on one rank", "neighbours of vertices"));
  wring_add_up(e->n, p->start);
  PetscCall(PetscMalloc1((size_t)p->start[e->n], &p->column));
  if (value) PetscCall(PetscMalloc1((size_t)p->start[e->n], value));
#pragma omp parallel for schedule(static)
  for (int s = 0; s < wring_strips(e->n); s++) {
    const PetscInt from = p->start[wring_strip(e->n, s)];
    const size_t   n    = (size_t)(p->start[wring_strip(e->n, s + 1)] - from);
    memcpy(p->column + from, column + first[s], sizeof *column * n);
    if (value) memcpy(*value + from, sums + first[s], sizeof *sums * n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* And the values of the elements with wk, unless value is NULL. */
static PetscErrorCode make_pattern(const elements *e, const tables *all, wring_pattern **pattern, double **value)
{
  wring_pattern *p;
  size_t        *first;
  PetscInt      *column;
  double        *sums = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  p->n = e->n;
  PetscCall(PetscMalloc1((size_t)e->n + 1, &p->start));
  PetscCall(reserve_strips(e, &first, &column));
  if (value) PetscCall(PetscMalloc1(first[wring_strips(e->n)], &sums));
#pragma omp parallel for schedule(static)
  for (int s = 0; s < wring_strips(e->n); s++)
    list_strip(e, all, s, p, column + first[s], sums ? sums + first[s] : NULL);
  PetscCall(join_strips(e, first, column, sums, p, value));
  PetscCall(PetscFree(first));
  PetscCall(PetscFree(column));
  PetscCall(PetscFree(sums));
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

/* ---- G^T B G ----------------------------------------------------------------------------------------------------- */

/* K [m (m + 1)/2]: entries (a, b), a <= b, of factor times the sum over the points of G^T B G, of block `at`. */
static void form_products(const wring_term *t, PetscInt at, double factor, wring_in B, wring_out K)
{
  const int           m = t->m, q = t->law->q;
  WRING_ALIGNED lanes room[9 * MAX_Q], g[MAX_M * MAX_Q], gB[MAX_Q];
  memset(K, 0, (size_t)(m * (m + 1) / 2) * sizeof *K);
  for (int point = 0; point < t->points; point++, B += q * q) {
    corner_rows(m, q, block_rows(t, at, point, room), g);
    for (int a = 0, pair = 0; a < m; a++) {
      for (int k = 0; k < q; k++) {
        for (int l = 0; l < LANES; l++) gB[k][l] = 0;
        for (int i = 0; i < q; i++)
          for (int l = 0; l < LANES; l++) gB[k][l] += factor * B[q * i + k][l] * g[q * a + i][l];
      }
      for (int b = a; b < m; b++, pair++)
        for (int k = 0; k < q; k++)
          for (int l = 0; l < LANES; l++) K[pair][l] += gB[k][l] * g[q * b + k][l];
    }
  }
}

void wring_term_add_products(const wring_term *t, PetscInt block, double factor, wring_in B, const wring_pattern *p,
                             double *value)
{
  WRING_ALIGNED lanes K[MAX_PAIRS];
  PetscInt            v[MAX_M];
  form_products(t, block, factor, B, K);
  for (int l = 0; l < LANES; l++) {
    if (!term_is_real(t, block * LANES + l)) continue;
    term_vertices(t, block * LANES + l, v);
    for (int a = 0, pair = 0; a < t->m; a++) {
      value[wring_pattern_find(p, v[a], v[a])] += K[pair++][l];
      for (int b = a + 1; b < t->m; b++, pair++) {
        value[wring_pattern_find(p, v[a], v[b])] += K[pair][l];
        value[wring_pattern_find(p, v[b], v[a])] += K[pair][l];
      }
    }
  }
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

/* value += factor w k G^T G of a term with several points. */
static void add_points(const wring_term *t, const wring_pattern *p, double factor, double *value)
{
  const int           q = t->law->q;
  WRING_ALIGNED lanes k[1], B[WRING_MAX_POINTS * MAX_Q * MAX_Q] = {{0}};
  for (PetscInt b = 0; b < t->n_block; b++) {
    for (int point = 0; point < t->points; point++) {
      const PetscInt row = b * t->points + point;
      row_slope(t, row, k[0]);
      for (int i = 0; i < q; i++)
        for (int l = 0; l < LANES; l++) B[q * q * point + (q + 1) * i][l] = t->weight[row * LANES + l] * k[0][l];
    }
    wring_term_add_products(t, b, factor, (wring_in)B, p, value);
  }
}

/* wk of the active terms with one point. */
static PetscErrorCode find_all_slopes(double factor, elements *e)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < e->n_term; i++) {
    const wring_term *const t = e->term[i];
    if (!t->active || t->points > 1) continue;
    PetscCall(wring_blocks_create((size_t)t->n_block * LANES, &e->in[i].wk));
    find_slopes(t, factor, e->in[i].wk);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_laplacian_create(MPI_Comm comm, PetscInt n_local, PetscInt n_terms, wring_term *const *terms,
                                      double factor, wring_pattern **p, double **value)
{
  elements e = {.comm = comm, .n = n_local, .n_term = n_terms, .term = terms};
  tables   all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n_terms, &e.in));
  for (PetscInt i = 0; i < n_terms; i++) PetscCall(list_elements(terms[i], n_local, &e.in[i]));
  PetscCall(create_tables(&e, &all));
  if (value) PetscCall(find_all_slopes(factor, &e));
  PetscCall(make_pattern(&e, &all, p, value));
  for (PetscInt i = 0; i < n_terms && value; i++)
    if (terms[i]->active && terms[i]->points > 1) add_points(terms[i], *p, factor, *value);
  PetscCall(PetscFree2(all.memory, all.sum));
  PetscCall(destroy_elements(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pattern_create(MPI_Comm comm, PetscInt n_local, PetscInt n_terms, wring_term *const *terms,
                                    wring_pattern **p)
{
  PetscFunctionBegin;
  PetscCall(wring_laplacian_create(comm, n_local, n_terms, terms, 0, p, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
