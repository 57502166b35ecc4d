/* PETSc's AIJ matrices as arrays. */
#include "aij.h"

static PetscErrorCode get_part(Mat A, wring_aij *a)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &a->n, &a->start, &a->column, &done));
  if (!done) WRING_REFUSE(PetscObjectComm((PetscObject)A), "operator: expected a matrix of type aij");
  PetscCall(MatSeqAIJGetArrayRead(A, &a->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_part(Mat A, wring_aij *a)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a->value));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &a->n, &a->start, &a->column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_rows_get(Mat A, wring_rows *r)
{
  PetscBool mpi;

  PetscFunctionBegin;
  *r = (wring_rows){.part = {A}};
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &r->part[0], &r->part[1], &r->global));
  PetscCall(MatGetOwnershipRange(A, &r->first, NULL));
  PetscCall(MatGetOwnershipRangeColumn(A, &r->column, NULL));
  PetscCall(get_part(r->part[0], &r->own));
  if (r->part[1]) PetscCall(get_part(r->part[1], &r->ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_rows_restore(wring_rows *r)
{
  PetscFunctionBegin;
  if (r->part[1]) PetscCall(restore_part(r->part[1], &r->ghost));
  PetscCall(restore_part(r->part[0], &r->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_rows_collect(Mat A, IS rows, Mat *S)
{
  const PetscInt one = rows ? 1 : 0;
  PetscInt       n;
  IS             columns;
  Mat           *list;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, NULL, &n));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &columns));
  PetscCall(MatCreateSubMatrices(A, one, &rows, &columns, MAT_INITIAL_MATRIX, &list));
  *S = one ? list[0] : NULL;
  if (*S) PetscCall(PetscObjectReference((PetscObject)*S));
  PetscCall(MatDestroySubMatrices(one, &list));
  PetscCall(ISDestroy(&columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_aij_collect(Mat A, PetscBool want, Mat *S)
{
  PetscInt n;
  IS       all;

  PetscFunctionBegin;
  *S = A;
  if (wring_comm_size(PetscObjectComm((PetscObject)A)) == 1) PetscFunctionReturn(PetscObjectReference((PetscObject)A));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &all));
  PetscCall(wring_rows_collect(A, want ? all : NULL, S));
  PetscCall(ISDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_aij_neighbours(Mat A, wring_neighbours *n)
{
  wring_rows  r;
  PetscInt    n_ghost;
  PetscLayout columns;

  PetscFunctionBegin;
  *n = (wring_neighbours){.asked = {.comm = PetscObjectComm((PetscObject)A)}};
  PetscCall(wring_rows_get(A, &r));
  if (r.part[1]) {
    PetscCall(MatGetSize(r.part[1], NULL, &n_ghost));
    PetscCall(MatGetLayouts(A, NULL, &columns));
    PetscCall(wring_neighbours_create(columns, n_ghost, r.global, n));
  }
  PetscCall(wring_rows_restore(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
