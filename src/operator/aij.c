/* PETSc's AIJ matrices as arrays. */
#include "aij.h"

PetscErrorCode wring_aij_get(Mat A, wring_aij *a)
{
  PetscBool done;

  PetscFunctionBegin;
  *a = (wring_aij){.A = A};
  if (!A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &a->n, &a->start, &a->column, &done));
  if (!done) WRING_REFUSE(PetscObjectComm((PetscObject)A), "operator: expected a matrix of type aij");
  PetscCall(MatSeqAIJGetArrayRead(A, &a->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_aij_restore(wring_aij *a)
{
  PetscBool done;

  PetscFunctionBegin;
  if (!a->A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJRestoreArrayRead(a->A, &a->value));
  PetscCall(MatRestoreRowIJ(a->A, 0, PETSC_FALSE, PETSC_FALSE, &a->n, &a->start, &a->column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_aij_split(Mat A, Mat *own, Mat *ghost, const PetscInt **global)
{
  PetscBool mpi;

  PetscFunctionBegin;
  *own    = A;
  *ghost  = NULL;
  *global = NULL;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, own, ghost, global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_aij_neighbours(Mat A, wring_neighbours *n)
{
  Mat             own, ghost;
  const PetscInt *global;
  PetscInt        n_ghost;
  PetscLayout     columns;

  PetscFunctionBegin;
  *n = (wring_neighbours){.comm = PetscObjectComm((PetscObject)A)};
  PetscCall(wring_aij_split(A, &own, &ghost, &global));
  if (!ghost) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(ghost, NULL, &n_ghost));
  PetscCall(MatGetLayouts(A, NULL, &columns));
  PetscCall(wring_neighbours_create(columns, n_ghost, global, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
