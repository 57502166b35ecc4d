/* P^T A P with its pattern, as a matrix of PETSc. */
#include "base/sort.h"
#include "operator/multigrid/assemble.h"
#include "product.h"

/* A product in work, with a row for each thread. */
typedef struct {
  wring_galerkin_product product;
  wring_galerkin_row    *row;
} work;

static PetscBool append_row(const void *of, int thread, PetscInt i, wring_new_rows *rows)
{
  const work *const         w     = of;
  wring_galerkin_row *const v     = &w->row[thread];
  const size_t              begin = rows->n;

  wring_galerkin_product_row(&w->product, i, PETSC_TRUE, v);
  if (!wring_new_rows_reserve(rows, (size_t)v->n_coarse)) return PETSC_FALSE;
  for (PetscInt k = 0; k < v->n_coarse; k++, rows->n++) {
    rows->column[rows->n] = wring_galerkin_number(&w->product, v->coarse_list[k]);
    rows->value[rows->n]  = v->coarse[v->coarse_list[k]].value;
  }
  wring_sort_row(v->n_coarse, rows->column + begin, rows->value + begin);
  return PETSC_TRUE;
}

PetscErrorCode wring_galerkin_matrix(const wring_level *fine, const wring_level_values *a, Mat *C)
{
  const PetscInt n = fine->from_coarse.n_coarse;
  work           w;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_product_create(fine, a, &w.product));
  const int n_thread = wring_row_threads(fine->n);
  PetscCall(wring_galerkin_rows_create(&w.product, n_thread, &w.row));
  PetscCall(wring_assemble(fine->comm, n, n, n_thread, append_row, &w, C));
  PetscCall(wring_galerkin_rows_destroy(n_thread, &w.row));
  PetscCall(wring_galerkin_product_destroy(&w.product));
  PetscFunctionReturn(PETSC_SUCCESS);
}
