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
static void copy_components(const wring_operator *op, int part, PetscInt n, PetscBool clear, const double *from,
                            double *to)
{
  for (PetscInt i = 0; i < n; i++) {
    if (op->of[i % 3] == part)
      to[i] = from[i];
    else if (clear)
      to[i] = 0;
  }
}

PetscErrorCode wring_operator_solve_parts(wring_operator *op, double rtol, const double *b, double *x,
                                          PetscBool *reached)
{
  PetscInt n, most = 0;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(op->part->A, &n, NULL));
  n *= 3;
  if (!op->b) PetscCall(PetscMalloc2(n, &op->b, n, &op->x));
  for (int k = 0; k < op->n_part; k++) {
    wring_operator_part *const part = &op->part[k];
    PetscBool                  ok   = PETSC_TRUE;
    copy_components(op, k, n, PETSC_TRUE, b, op->b);
    copy_components(op, k, n, PETSC_TRUE, x, op->x);
    part->info.iterations = 0;
    PetscCall(part->ops->solve(part, rtol, NULL, op->b, op->x, &ok));
    copy_components(op, k, n, PETSC_FALSE, op->x, x);
    most = PetscMax(most, part->info.iterations);
    if (!ok) *reached = PETSC_FALSE;
  }
  op->part->info.iterations = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}
