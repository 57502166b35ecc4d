/* Rows of P^T A P with the parts of other ranks, and its numbers in a pattern that is known. */
#include "product.h"
#include "base/grow.h"
#include <omp.h>

/* ---- rows of other ranks ----------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt             n, room, same; // room of part and of to
  wring_galerkin_part *part;
  PetscInt            *to;
} parts;

/* Appends the row v->coarse, whose global number is `row`. */
static PetscErrorCode append(const wring_interpolation *q, PetscInt row, PetscMPIInt to, const wring_galerkin_row *v,
                             parts *p)
{
  const PetscInt64 needed = (PetscInt64)p->n + v->n_coarse;

  PetscFunctionBegin;
  PetscCall(wring_grow(needed, &p->room, sizeof *p->part, &p->part));
  PetscCall(wring_grow(needed, &p->same, sizeof *p->to, &p->to));
  for (PetscInt k = 0; k < v->n_coarse; k++, p->n++) {
    const PetscInt j = v->coarse_list[k];
    p->to[p->n]      = to;
    p->part[p->n]    = (wring_galerkin_part){row, wring_interpolation_number(q, j), v->coarse[j].value};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computes rows of others, and gets the parts of those of this rank, by rank. Collective. */
static PetscErrorCode get_parts(wring_galerkin_product *g)
{
  const wring_interpolation *const q = &g->fine->from_coarse;
  const wring_exchange *const      x = &q->own_columns.asked;
  parts                            p = {.n = 0};
  wring_galerkin_row              *v;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_rows_create(g, 1, &v));
  for (PetscMPIInt r = 0; r < x->n_to; r++) {
    for (PetscInt i = x->to_start[r]; i < x->to_start[r + 1]; i++) {
      wring_galerkin_row_compute(g->fine, g->a, q->n_coarse + i, PETSC_TRUE, v);
      PetscCall(append(q, q->own_columns.global[i], x->to[r], v, &p));
    }
  }
  PetscCall(wring_galerkin_rows_destroy(1, &v));
  PetscCall(wring_exchange_rows(g->fine->comm, p.n, p.to, sizeof *g->part, p.part, &g->n_part, &g->part));
  PetscCall(PetscFree(p.to));
  PetscCall(PetscFree(p.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static PetscInt find(PetscInt n, const PetscInt *number, PetscInt wanted)
{
  const PetscInt at = wring_first_from(n, number, wanted);
  return at < n && number[at] == wanted ? at : -1;
}

/* The column with a global number; -1: there is none. */
static PetscInt find_column(const wring_galerkin_product *g, PetscInt number)
{
  const wring_interpolation *const p     = &g->fine->from_coarse;
  const PetscInt                   local = number - p->first;
  if (local >= 0 && local < p->n_coarse) return local;
  const PetscInt ghost = find(p->columns.n_ghost, p->columns.global, number);
  if (ghost >= 0) return p->n_coarse + ghost;
  const PetscInt other = find(g->n_other, g->other, number);
  return other < 0 ? -1 : p->n_coarse + p->columns.n_ghost + other;
}

static PetscErrorCode order_by_row(wring_galerkin_product *g)
{
  const wring_interpolation *const p = &g->fine->from_coarse;
  PetscInt                        *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)p->n_coarse + 1, &g->start, (size_t)g->n_part, &g->order));
  PetscCall(PetscMalloc1((size_t)g->n_part, &row));
  for (PetscInt k = 0; k < g->n_part; k++) g->order[k] = k, row[k] = g->part[k].row - p->first;
  PetscCall(wring_sort_buckets(g->n_part, g->order, row, p->n_coarse, g->start));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_product_create(const wring_level *fine, const wring_level_values *a,
                                             wring_galerkin_product *g)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  *g = (wring_galerkin_product){.fine = fine, .a = a};
  if (!fine->from_coarse.fetch.of) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_parts(g));
  PetscCall(PetscMalloc2((size_t)g->n_part, &g->column, (size_t)g->n_part, &g->other));
  for (PetscInt k = 0; k < g->n_part; k++)
    if (find_column(g, g->part[k].column) < 0) g->other[n++] = g->part[k].column;
  PetscCall(PetscSortRemoveDupsInt(&n, g->other));
  g->n_other = n;
  for (PetscInt k = 0; k < g->n_part; k++) g->column[k] = find_column(g, g->part[k].column);
  PetscCall(order_by_row(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_product_destroy(wring_galerkin_product *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(g->part));
  PetscCall(PetscFree2(g->column, g->other));
  PetscCall(PetscFree2(g->start, g->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

void wring_galerkin_product_row(const wring_galerkin_product *g, PetscInt i, PetscBool list, wring_galerkin_row *v)
{
  wring_galerkin_row_compute(g->fine, g->a, i, list, v);
  if (!g->start) return;
  for (PetscInt k = g->start[i]; k < g->start[i + 1]; k++)
    wring_galerkin_row_add(i, g->column[g->order[k]], g->part[g->order[k]].value, v);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The column of the product of entry k of a pattern; column NULL: the same. */
static inline PetscInt column_of(const wring_csr *pattern, const PetscInt *column, PetscInt k)
{
  return column ? column[pattern->column[k]] : pattern->column[k];
}

static void clear_row(const wring_csr *pattern, PetscInt i, const PetscInt *column, wring_galerkin_row *v)
{
  for (PetscInt k = pattern->start[i]; k < pattern->start[i + 1]; k++)
    v->coarse[column_of(pattern, column, k)] = (wring_galerkin_entry){0, i};
}

static void take_row(const wring_csr *pattern, PetscInt i, const PetscInt *column, const wring_galerkin_row *v,
                     double *value)
{
  for (PetscInt k = pattern->start[i]; k < pattern->start[i + 1]; k++)
    value[k] = v->coarse[column_of(pattern, column, k)].value;
}

static PetscErrorCode compute(const wring_galerkin_product *g, const wring_level *coarse, const PetscInt *column,
                              double *own, double *ghost)
{
  const int           n_thread = wring_row_threads(g->fine->n);
  wring_galerkin_row *v;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_rows_create(g, n_thread, &v));
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1)
  for (PetscInt i = 0; i < coarse->n; i++) {
    wring_galerkin_row *const mine = &v[omp_get_thread_num()];
    clear_row(&coarse->own, i, NULL, mine);
    if (coarse->ghost.start) clear_row(&coarse->ghost, i, column, mine);
    wring_galerkin_product_row(g, i, PETSC_FALSE, mine);
    take_row(&coarse->own, i, NULL, mine, own);
    if (coarse->ghost.start) take_row(&coarse->ghost, i, column, mine, ghost);
  }
  PetscCall(wring_galerkin_rows_destroy(n_thread, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin(const wring_level *fine, const wring_level_values *a, const wring_level *coarse,
                              double *own, double *ghost)
{
  wring_galerkin_product g;
  PetscInt              *column;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_product_create(fine, a, &g));
  PetscCall(PetscMalloc1(coarse->n_ghost, &column));
  for (PetscInt i = 0; i < coarse->n_ghost; i++) {
    column[i] = find_column(&g, coarse->near.global[i]);
    PetscCheck(column[i] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A column of a coarse matrix is not in P^T A P");
  }
  PetscCall(compute(&g, coarse, column, own, ghost));
  PetscCall(PetscFree(column));
  PetscCall(wring_galerkin_product_destroy(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}
