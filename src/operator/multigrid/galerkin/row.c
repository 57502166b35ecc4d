/*
  A row of P^T A P. It is first summed over the rows i of the finer level that refer to it, to a row of P^T A, then
  multiplied by P. Each thread has a number for every column of both products; only those in use are cleared and read.
*/
#include "product.h"

static PetscErrorCode create(size_t n, wring_galerkin_entry **entry, PetscInt **list)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, entry, n + 1, list));
  for (size_t j = 0; j < n; j++) (*entry)[j].row = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_rows_create(const wring_galerkin_product *g, int n_thread, wring_galerkin_row **v)
{
  const wring_interpolation *const p     = &g->fine->from_coarse;
  const PetscInt                   width = p->n_coarse + p->columns.n_ghost + g->n_other;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_thread, v));
  for (wring_galerkin_row *row = *v; row < *v + n_thread; row++) {
    PetscCall(create((size_t)g->fine->n + (size_t)g->fine->n_ghost, &row->fine, &row->fine_list));
    PetscCall(create((size_t)width, &row->coarse, &row->coarse_list));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_rows_destroy(int n_thread, wring_galerkin_row **v)
{
  PetscFunctionBegin;
  for (int t = 0; t < n_thread; t++) {
    PetscCall(PetscFree2((*v)[t].fine, (*v)[t].fine_list));
    PetscCall(PetscFree2((*v)[t].coarse, (*v)[t].coarse_list));
  }
  PetscCall(PetscFree(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds w times row i of A, whose columns begin at `shift`. */
static inline void add_entries(const wring_csr *A, const double *value, PetscInt shift, PetscInt i, PetscInt row,
                               double w, wring_galerkin_row *v)
{
  PetscInt n = v->n_fine;
  for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
    const PetscInt              j     = shift + A->column[k];
    wring_galerkin_entry *const e     = &v->fine[j];
    const PetscBool             known = (PetscBool)(e->row == row);
    v->fine_list[n]                   = j;
    n += !known;
    *e = (wring_galerkin_entry){(known ? e->value : 0) + w * value[k], row};
  }
  v->n_fine = n;
}

/* v->fine = `row` of R times A. */
static void multiply_by_matrix(const wring_level *l, const wring_level_values *a, PetscInt row, wring_galerkin_row *v)
{
  const wring_csr *const R = &l->from_coarse.R;
  v->n_fine                = 0;
  for (PetscInt k = R->start[row]; k < R->start[row + 1]; k++) {
    const PetscInt i = R->column[k];
    const double   w = R->value[k] * (a->scale ? a->scale[i] : 1);
    add_entries(&l->own, a->own, 0, i, row, w, v);
    if (l->ghost.start) add_entries(&l->ghost, a->ghost, l->n, i, row, w, v);
  }
}

/* v->coarse = v->fine, of `row`, times P. */
static inline void multiply_by_interpolation(const wring_level *l, const wring_level_values *a, PetscInt row,
                                             PetscBool list, wring_galerkin_row *v)
{
  const wring_csr *const P = &l->from_coarse.P;
  v->n_coarse              = 0;
  for (PetscInt k = 0; k < v->n_fine; k++) {
    const PetscInt j = v->fine_list[k];
    const double   f = v->fine[j].value * (a->scale ? a->scale[j] : 1);
    for (PetscInt m = P->start[j]; m < P->start[j + 1]; m++) {
      if (list)
        wring_galerkin_row_add(row, P->column[m], f * P->value[m], v);
      else
        v->coarse[P->column[m]].value += f * P->value[m];
    }
  }
}

void wring_galerkin_row_compute(const wring_level *l, const wring_level_values *a, PetscInt row, PetscBool list,
                                wring_galerkin_row *v)
{
  multiply_by_matrix(l, a, row, v);
  if (list)
    multiply_by_interpolation(l, a, row, PETSC_TRUE, v);
  else
    multiply_by_interpolation(l, a, row, PETSC_FALSE, v);
}
