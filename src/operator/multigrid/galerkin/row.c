/*
  A row of P^T A P. It is first summed over the rows i of the finer level that refer to it, to a row of P^T A, then
  multiplied by P. Each thread has a number for every column of both products; of the coarse row only those in use are
  cleared and read.
*/
#include "row.h"

PetscErrorCode wring_galerkin_row_create(const wring_level *l, PetscInt width, wring_galerkin_row *v)
{
  const size_t n = (size_t)l->n + (size_t)l->n_ghost, m = (size_t)width;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &v->fine, n + 1, &v->fine_list));
  PetscCall(PetscMalloc2(m, &v->coarse, m + 1, &v->coarse_list));
  for (size_t j = 0; j < n; j++) v->fine[j].row = -1;
  for (size_t j = 0; j < m; j++) v->coarse[j].row = -1;
  v->n_fine = v->n_coarse = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_row_destroy(wring_galerkin_row *v)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(v->fine, v->fine_list));
  PetscCall(PetscFree2(v->coarse, v->coarse_list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_rows_create(const wring_level *l, PetscInt width, int *n_thread, wring_galerkin_row **v)
{
  PetscFunctionBegin;
  *n_thread = l->n > WRING_SERIAL_BELOW ? wring_max_threads() : 1;
  PetscCall(PetscMalloc1((size_t)*n_thread, v));
  for (int t = 0; t < *n_thread; t++) PetscCall(wring_galerkin_row_create(l, width, &(*v)[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_rows_destroy(int n_thread, wring_galerkin_row **v)
{
  PetscFunctionBegin;
  for (int t = 0; t < n_thread; t++) PetscCall(wring_galerkin_row_destroy(&(*v)[t]));
  PetscCall(PetscFree(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Adds w times row i of A, whose columns begin at `shift`. The list is written for known columns too, which is cheaper
  than a branch.
*/
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

void wring_galerkin_row_by_matrix(const wring_level *l, const wring_level_values *a, PetscInt row,
                                  wring_galerkin_row *v)
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

/* What row j of P is multiplied by. */
static inline double get_factor(const wring_level_values *a, const wring_galerkin_row *v, PetscInt j)
{
  return v->fine[j].value * (a->scale ? a->scale[j] : 1);
}

void wring_galerkin_row_by_interpolation_listed(const wring_level *l, const wring_level_values *a, PetscInt row,
                                                wring_galerkin_row *v)
{
  const wring_csr *const P = &l->from_coarse.P;
  v->n_coarse              = 0;
  for (PetscInt k = 0; k < v->n_fine; k++) {
    const PetscInt j = v->fine_list[k];
    const double   f = get_factor(a, v, j);
    for (PetscInt m = P->start[j]; m < P->start[j + 1]; m++)
      wring_galerkin_row_add(row, P->column[m], f * P->value[m], v);
  }
}

void wring_galerkin_row_by_interpolation(const wring_level *l, const wring_level_values *a, wring_galerkin_row *v)
{
  const wring_csr *const P = &l->from_coarse.P;
  for (PetscInt k = 0; k < v->n_fine; k++) {
    const PetscInt j = v->fine_list[k];
    const double   f = get_factor(a, v, j);
    for (PetscInt m = P->start[j]; m < P->start[j + 1]; m++) v->coarse[P->column[m]].value += f * P->value[m];
  }
}
