/*
  Different matrices of x, y and z, where attachments hold single components: an operator for each, which gets the
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

/* An operator with the settings of another, without a matrix. */
static PetscErrorCode copy_settings(const wring_operator *op, wring_operator **part)
{
  wring_operator *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  *p          = *op;
  p->ops      = NULL;
  p->data     = NULL;
  p->A        = NULL;
  p->in       = NULL;
  p->out      = NULL;
  p->b        = NULL;
  p->x        = NULL;
  p->other[0] = NULL;
  p->other[1] = NULL;
  p->n_part   = 1;
  p->info     = (wring_operator_info){.type = NULL};
  *part       = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_create_parts(wring_operator *op, int n_part, const int of[3])
{
  PetscFunctionBegin;
  op->n_part = n_part;
  for (int c = 0; c < 3; c++) op->of[c] = of[c];
  for (int k = 0; k < n_part - 1; k++) {
    if (!op->other[k]) PetscCall(copy_settings(op, &op->other[k]));
    op->other[k]->use = op->use;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
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
  PetscCall(VecCreate(op->comm, &op->b));
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
    wring_operator *const part = wring_operator_of(op, k);
    PetscBool             ok   = PETSC_TRUE;
    PetscCall(copy_components(op, k, PETSC_TRUE, b, op->b));
    PetscCall(copy_components(op, k, PETSC_TRUE, x, op->x));
    part->info.iterations = 0;
    PetscCall(part->ops->solve(part, rtol, op->b, op->x, &ok));
    PetscCall(copy_components(op, k, PETSC_FALSE, op->x, x));
    most = PetscMax(most, part->info.iterations);
    if (!ok) *reached = PETSC_FALSE;
  }
  op->info.iterations = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}
