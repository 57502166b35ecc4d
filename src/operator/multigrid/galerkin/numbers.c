/* The numbers of P^T A P by rows, where its pattern is known. */
#include "row.h"
#include <omp.h>

/* ---- numbers of ghosts ------------------------------------------------------------------------------------------- */

/* A product in work. */
typedef struct {
  const wring_level        *fine, *coarse;
  const wring_level_values *a;
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

static void compute_row(const product *g, PetscInt i, wring_galerkin_row *v)
{
  const wring_csr *const own = &g->coarse->own, *const ghost = &g->coarse->ghost;
  const PetscInt ghosts = ghost->start ? ghost->start[i + 1] : 0, first = ghost->start ? ghost->start[i] : 0;
  for (PetscInt k = own->start[i]; k < own->start[i + 1]; k++) v->coarse[own->column[k]].value = 0;
  for (PetscInt k = first; k < ghosts; k++)
    if (g->column[ghost->column[k]] >= 0) v->coarse[g->column[ghost->column[k]]].value = 0;
  wring_galerkin_row_by_matrix(g->fine, g->a, i, v);
  wring_galerkin_row_by_interpolation(g->fine, g->a, v);
  for (PetscInt k = own->start[i]; k < own->start[i + 1]; k++) g->own[k] = v->coarse[own->column[k]].value;
  for (PetscInt k = first; k < ghosts; k++) {
    const PetscInt column = g->column[ghost->column[k]];
    g->ghost[k]           = column >= 0 ? v->coarse[column].value : 0;
  }
}

static PetscErrorCode compute_own(const product *g)
{
  const wring_interpolation *const p = &g->fine->from_coarse;
  const PetscInt                   n = g->coarse->n;
  int                              n_thread;
  wring_galerkin_row              *v;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_rows_create(g->fine, p->n_coarse + p->n_ghost, &n_thread, &v));
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1)
  for (int s = 0; s < wring_strips(n); s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) compute_row(g, i, &v[omp_get_thread_num()]);
  }
  PetscCall(wring_galerkin_rows_destroy(n_thread, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- parts from other ranks -------------------------------------------------------------------------------------- */

/* The entry of a row, NULL if it is not in the pattern. */
static double *find_entry(const wring_csr *a, PetscInt row, PetscInt column, double *value)
{
  for (PetscInt k = a->start[row]; k < a->start[row + 1]; k++)
    if (a->column[k] == column) return value + k;
  return NULL;
}

static PetscErrorCode add_part(const product *g, const wring_galerkin_part *p)
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

static PetscErrorCode add_parts(const product *g)
{
  PetscInt             n;
  wring_galerkin_part *part;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_get_parts(g->fine, g->a, g->coarse, &n, &part));
  for (PetscInt k = 0; k < n; k++) PetscCall(add_part(g, &part[k]));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin(const wring_level *fine, const wring_level_values *a, const wring_level *coarse,
                              double *own, double *ghost)
{
  product g = {.fine = fine, .coarse = coarse, .a = a, .own = own, .ghost = ghost};

  PetscFunctionBegin;
  PetscCall(number_columns(&g));
  PetscCall(compute_own(&g));
  if (fine->from_coarse.fetch.of) PetscCall(add_parts(&g));
  PetscCall(PetscFree2(g.global, g.column));
  PetscFunctionReturn(PETSC_SUCCESS);
}
