/* The pattern of vertices that share an element. docs/theory.md (4.1) */
#include "incidence.h"
#include "base/count.h"
#include "base/sort.h"

/* ---- the elements at a vertex ------------------------------------------------------------------------------------ */

static PetscBool is_element(const wring_term *t, PetscInt position)
{
  return (PetscBool)(block_weight(t, position / LANES)[position % LANES] > 0);
}

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
    if (!is_element(t, e)) continue;
    vertices_of(t, e, v);
    for (int a = 0; a < t->m; a++) next[v[a] + 1]++;
  }
  PetscCall(add_up(n, next));
  PetscCall(PetscMalloc1((size_t)next[n], &in->item));
  for (PetscInt e = 0; e < positions; e++) {
    if (!is_element(t, e)) continue;
    vertices_of(t, e, v);
    for (int a = 0; a < t->m; a++) in->item[next[v[a]]++] = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_elements_create(PetscInt n, PetscInt n_term, wring_term *const *term, wring_elements *e)
{
  PetscFunctionBegin;
  *e = (wring_elements){.n = n, .n_term = n_term, .term = term};
  PetscCall(PetscCalloc1(n_term, &e->in));
  for (PetscInt i = 0; i < n_term; i++) PetscCall(list_elements(term[i], n, &e->in[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_elements_destroy(wring_elements *e)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < e->n_term; i++) {
    PetscCall(PetscFree(e->in[i].start));
    PetscCall(PetscFree(e->in[i].item));
  }
  PetscCall(PetscFree(e->in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

/* Row v has at most this number of columns. */
static PetscInt most_columns(const wring_elements *e, PetscInt v)
{
  PetscInt n = 1;
  for (PetscInt i = 0; i < e->n_term; i++) n += (e->in[i].start[v + 1] - e->in[i].start[v]) * (e->term[i]->m - 1);
  return n;
}

PetscErrorCode wring_tables_create(const wring_elements *e, tables *all)
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

/* list: the columns of row v in any order; returns their number. h is empty before and after. */
static PetscInt list_columns(const wring_elements *e, PetscInt v, table *h, PetscInt *list)
{
  PetscInt n = 1, u[MAX_M];
  list[0]    = v;
  put(h, v, 0);
  for (PetscInt i = 0; i < e->n_term; i++) {
    for (PetscInt k = e->in[i].start[v]; k < e->in[i].start[v + 1]; k++) {
      vertices_of(e->term[i], e->in[i].item[k], u);
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
static PetscErrorCode reserve_strips(const wring_elements *e, size_t **start, PetscInt **column)
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
static void list_strip(const wring_elements *e, const tables *all, int s, wring_pattern *p, PetscInt *column)
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

PetscErrorCode wring_pattern_of(const wring_elements *e, const tables *all, wring_pattern **pattern)
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

PetscErrorCode wring_pattern_create(PetscInt n_local, PetscInt n_terms, wring_term *const *terms,
                                    wring_pattern **pattern)
{
  wring_elements e;
  tables         all;

  PetscFunctionBegin;
  PetscCall(wring_elements_create(n_local, n_terms, terms, &e));
  PetscCall(wring_tables_create(&e, &all));
  PetscCall(wring_pattern_of(&e, &all, pattern));
  PetscCall(PetscFree(all.memory));
  PetscCall(wring_elements_destroy(&e));
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

void wring_pattern_copy_rows(const wring_pattern *p, int bs, const double *value, double *to)
{
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < p->n; i++) {
    const PetscInt n     = p->start[i + 1] - p->start[i];
    const size_t   first = (size_t)p->start[i] * (size_t)(bs * bs);
    for (PetscInt k = 0; k < n; k++) {
      for (int c = 0; c < bs * bs; c++)
        to[first + (c / bs) * n * bs + k * bs + c % bs] = value[first + k * bs * bs + c];
    }
  }
}
