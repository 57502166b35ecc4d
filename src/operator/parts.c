/*
  Different matrices of x, y and z, where attachments hold single components: each gets the
  right-hand sides of its components and zeros for the others. docs/theory.md (3.11b)
*/
#include "operator_impl.h"

int wring_operator_find_parts(const Mat A[3], int of[3])
{
  of[0] = 0;
  of[1] = A[1] != A[0];
  of[2] = A[2] == A[0] ? 0 : A[2] == A[1] ? 1 : 1 + of[1];
  return 1 + PetscMax(of[1], of[2]);
}

/* to = from at the components of a part; to is 0 at the others if clear is set, otherwise as before. */
static PetscErrorCode copy_components(const wring_operator *op, int part, PetscBool clear, Vec from, Vec to)
{
  PetscInt      n;
  const double *a;
  double       *b;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(from, &n));
  PetscCall(VecGetArrayRead(from, &a));
  PetscCall(VecGetArray(to, &b));
  for (PetscInt i = 0; i < n; i++) {
    if (op->of[i % 3] == part)
      b[i] = a[i];
    else if (clear)
      b[i] = 0;
  }
  PetscCall(VecRestoreArray(to, &b));
  PetscCall(VecRestoreArrayRead(from, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_vectors(wring_operator *op, Vec b)
{
  PetscInt n;

  PetscFunctionBegin;
  if (op->b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecCreate(op->set.comm, &op->b));
  PetscCall(VecSetSizes(op->b, n, PETSC_DETERMINE));
  PetscCall(VecSetType(op->b, VECSTANDARD));
  PetscCall(VecDuplicate(op->b, &op->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_solve_parts(wring_operator *op, double rtol, Vec b, Vec x, PetscBool *reached)
{
  PetscInt most = 0;

  PetscFunctionBegin;
  PetscCall(create_vectors(op, b));
  for (int k = 0; k < op->n_part; k++) {
    wring_operator_part *const part = &op->part[k];
    PetscBool                  ok   = PETSC_TRUE;
    PetscCall(copy_components(op, k, PETSC_TRUE, b, op->b));
    PetscCall(copy_components(op, k, PETSC_TRUE, x, op->x));
    part->info.iterations = 0;
    PetscCall(part->ops->solve(part, rtol, NULL, op->b, op->x, &ok));
    PetscCall(copy_components(op, k, PETSC_FALSE, op->x, x));
    most = PetscMax(most, part->info.iterations);
    if (!ok) *reached = PETSC_FALSE;
  }
  op->part->info.iterations = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}
