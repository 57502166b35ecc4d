/*
  P^T A P by rows of the coarse matrix. Row I is first summed over the rows i of the finer level that refer to it, to a
  row of P^T A, then multiplied by P. Each thread has a number for every column of both products; of the coarse row only
  those in the pattern are cleared and read. A rank also computes its part of rows that other ranks own, and sends it
  to them.
*/
#include "galerkin.h"
#include "base/exchange.h"
#include <omp.h>

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* A row of P^T A by columns of the finer level, ghosts from n on; its columns are listed. */
typedef struct {
  double   *value; // [n + n_ghost]
  PetscInt *mark;  // [n + n_ghost] the last row with this column, -1: none
  PetscInt *list;  // [n + n_ghost + 1]
  PetscInt  n_list;
  double   *sum; // [columns of P] the row of P^T A P
} work_row;

/*
  Adds w times row i of A, whose columns begin at `shift`. The list is written for known columns too, which is cheaper
  than a branch.
*/
static inline void add_entries(const wring_csr *A, const double *value, PetscInt shift, PetscInt i, PetscInt row,
                               double w, work_row *v)
{
  PetscInt n = v->n_list;
  for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
    const PetscInt  j     = shift + A->column[k];
    const PetscBool known = (PetscBool)(v->mark[j] == row);
    v->list[n]            = j;
    n += !known;
    v->mark[j]  = row;
    v->value[j] = (known ? v->value[j] : 0) + w * value[k];
  }
  v->n_list = n;
}

/* v = this rank's part of a row of P^T A: `row` of R times A. */
static void multiply_by_matrix(const wring_level *l, const wring_level_values *a, PetscInt row, work_row *v)
{
  const wring_csr *const R = &l->from_coarse.R;
  v->n_list                = 0;
  for (PetscInt k = R->start[row]; k < R->start[row + 1]; k++) {
    const PetscInt i = R->column[k];
    const double   w = R->value[k] * (a->scale ? a->scale[i] : 1);
    add_entries(&l->own, a->own, 0, i, row, w, v);
    if (l->ghost.start) add_entries(&l->ghost, a->ghost, l->n, i, row, w, v);
  }
}

/* v->sum += v times P. */
static void multiply_by_interpolation(const wring_level *l, const wring_level_values *a, work_row *v)
{
  const wring_csr *const P = &l->from_coarse.P;
  for (PetscInt k = 0; k < v->n_list; k++) {
    const PetscInt j = v->list[k];
    const double   f = v->value[j] * (a->scale ? a->scale[j] : 1);
    for (PetscInt m = P->start[j]; m < P->start[j + 1]; m++) v->sum[P->column[m]] += f * P->value[m];
  }
}

static PetscErrorCode create_work(const wring_level *l, PetscInt width, work_row *v)
{
  const size_t n = (size_t)l->n + (size_t)l->n_ghost;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &v->value, n, &v->mark, n + 1, &v->list, (size_t)width, &v->sum));
  for (size_t j = 0; j < n; j++) v->mark[j] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_work(work_row *v)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(v->value, v->mark, v->list, v->sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers of ghosts ------------------------------------------------------------------------------------------- */

/* A product in work. */
typedef struct {
  const wring_level        *fine, *coarse;
  const wring_level_values *a;
  PetscInt                  width;  // columns that P refers to
  PetscInt                 *global; // [coarse->n_ghost] numbers of the columns of coarse->ghost
  PetscInt                 *column; // [coarse->n_ghost] the same as columns of P; -1: P does not refer to it
  double                   *own, *ghost;
} product;

static PetscErrorCode number_columns(product *g)
{
  const wring_interpolation *const p = &g->fine->from_coarse;
  const wring_level *const         c = g->coarse;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->n_ghost, &g->global, c->n_ghost, &g->column));
  PetscCall(wring_level_number_ghosts(c, &c->near, g->global));
  for (PetscInt i = 0; i < c->n_ghost; i++) {
    PetscInt at = -1;
    if (p->n_ghost > 0) PetscCall(PetscFindInt(g->global[i], p->n_ghost, p->global, &at));
    g->column[i] = at < 0 ? -1 : c->n + at;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows of this rank ------------------------------------------------------------------------------------------- */

static void compute_row(const product *g, PetscInt i, work_row *v)
{
  const wring_csr *const own = &g->coarse->own, *const ghost = &g->coarse->ghost;
  const PetscInt ghosts = ghost->start ? ghost->start[i + 1] : 0, first = ghost->start ? ghost->start[i] : 0;
  for (PetscInt k = own->start[i]; k < own->start[i + 1]; k++) v->sum[own->column[k]] = 0;
  for (PetscInt k = first; k < ghosts; k++)
    if (g->column[ghost->column[k]] >= 0) v->sum[g->column[ghost->column[k]]] = 0;
  multiply_by_matrix(g->fine, g->a, i, v);
  multiply_by_interpolation(g->fine, g->a, v);
  for (PetscInt k = own->start[i]; k < own->start[i + 1]; k++) g->own[k] = v->sum[own->column[k]];
  for (PetscInt k = first; k < ghosts; k++) {
    const PetscInt column = g->column[ghost->column[k]];
    g->ghost[k]           = column >= 0 ? v->sum[column] : 0;
  }
}

static PetscErrorCode compute_own(const product *g)
{
  const PetscInt n        = g->coarse->n;
  const int      n_thread = n > WRING_SERIAL_BELOW ? wring_max_threads() : 1;
  work_row      *v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n_thread, &v));
  for (int t = 0; t < n_thread; t++) PetscCall(create_work(g->fine, g->width, &v[t]));
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1)
  for (int s = 0; s < wring_strips(n); s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) compute_row(g, i, &v[omp_get_thread_num()]);
  }
  for (int t = 0; t < n_thread; t++) PetscCall(destroy_work(&v[t]));
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows of other ranks ----------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt64 row, column; // global
  double     value;
} part;

typedef struct {
  PetscInt  n, room;
  part     *part;
  PetscInt *to;
} parts;

/* Clears v->sum at the columns of a row, which it lists: mark [width] is the last row that had a column. */
static PetscInt list_columns(const product *g, PetscInt row, PetscInt *mark, PetscInt *list, work_row *v)
{
  const wring_csr *const P = &g->fine->from_coarse.P;
  PetscInt               n = 0;
  for (PetscInt k = 0; k < v->n_list; k++) {
    for (PetscInt m = P->start[v->list[k]]; m < P->start[v->list[k] + 1]; m++) {
      const PetscInt column = P->column[m];
      if (mark[column] == row) continue;
      mark[column]   = row;
      v->sum[column] = 0;
      list[n++]      = column;
    }
  }
  return n;
}

static PetscErrorCode reserve(parts *p, PetscInt n)
{
  PetscFunctionBegin;
  if (p->n + n <= p->room) PetscFunctionReturn(PETSC_SUCCESS);
  p->room = 2 * (p->n + n);
  PetscCall(PetscRealloc(sizeof *p->part * (size_t)p->room, &p->part));
  PetscCall(PetscRealloc(sizeof *p->to * (size_t)p->room, &p->to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's part of the rows that others own. */
static PetscErrorCode compute_others(const product *g, parts *p)
{
  const wring_interpolation *const q = &g->fine->from_coarse;
  const wring_neighbours *const    o = &q->own_columns;
  PetscInt                        *mark, *list, *global;
  work_row                         v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(g->width, &mark, g->width, &list, o->n_ghost, &global));
  PetscCall(create_work(g->fine, g->width, &v));
  PetscCall(wring_level_number_ghosts(g->coarse, o, global));
  for (PetscInt i = 0; i < g->width; i++) mark[i] = -1;
  for (PetscMPIInt r = 0; r < o->n_owner; r++) {
    for (PetscInt i = o->ghost_start[r]; i < o->ghost_start[r + 1]; i++) {
      const PetscInt row = q->n_coarse + i;
      multiply_by_matrix(g->fine, g->a, row, &v);
      const PetscInt n = list_columns(g, row, mark, list, &v);
      multiply_by_interpolation(g->fine, g->a, &v);
      PetscCall(reserve(p, n));
      for (PetscInt k = 0; k < n; k++, p->n++) {
        const PetscInt j = list[k];
        p->to[p->n]      = o->owner[r];
        p->part[p->n] =
          (part){global[i], j < q->n_coarse ? g->coarse->first + j : q->global[j - q->n_coarse], v.sum[j]};
      }
    }
  }
  PetscCall(destroy_work(&v));
  PetscCall(PetscFree3(mark, list, global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entry of a row, NULL if it is not in the pattern. */
static double *find_entry(const wring_csr *a, PetscInt row, PetscInt column, double *value)
{
  for (PetscInt k = a->start[row]; k < a->start[row + 1]; k++)
    if (a->column[k] == column) return value + k;
  return NULL;
}

static PetscErrorCode add_part(const product *g, const part *p)
{
  const PetscInt row   = (PetscInt)p->row - g->coarse->first;
  PetscInt       at    = (PetscInt)p->column - g->coarse->first;
  double        *entry = NULL;

  PetscFunctionBegin;
  if (at >= 0 && at < g->coarse->n) {
    entry = find_entry(&g->coarse->own, row, at, g->own);
  } else if (g->coarse->n_ghost > 0) {
    PetscCall(PetscFindInt((PetscInt)p->column, g->coarse->n_ghost, g->global, &at));
    if (at >= 0) entry = find_entry(&g->coarse->ghost, row, at, g->ghost);
  }
  PetscCheck(entry, PETSC_COMM_SELF, PETSC_ERR_PLIB, "An entry of P^T A P is not in the pattern of the coarse matrix");
  *entry += p->value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_others(const product *g)
{
  parts    mine = {.n = 0};
  PetscInt n;
  part    *got;

  PetscFunctionBegin;
  PetscCall(compute_others(g, &mine));
  PetscCall(wring_exchange_rows(g->coarse->comm, mine.n, mine.to, sizeof *got, mine.part, &n, &got));
  for (PetscInt k = 0; k < n; k++) PetscCall(add_part(g, &got[k]));
  PetscCall(PetscFree(got));
  PetscCall(PetscFree(mine.to));
  PetscCall(PetscFree(mine.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin(const wring_level *fine, const wring_level_values *a, const wring_level *coarse,
                              double *own, double *ghost)
{
  const wring_interpolation *const p = &fine->from_coarse;
  product                          g = {.fine = fine, .coarse = coarse, .a = a, .own = own, .ghost = ghost};

  PetscFunctionBegin;
  g.width = p->n_coarse + PetscMax(p->n_ghost, p->own_columns.n_ghost);
  PetscCall(number_columns(&g));
  PetscCall(compute_own(&g));
  if (p->fetch.of) PetscCall(add_others(&g));
  PetscCall(PetscFree2(g.global, g.column));
  PetscFunctionReturn(PETSC_SUCCESS);
}
