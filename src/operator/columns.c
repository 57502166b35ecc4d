/* Interleaved vectors [n][3] to columns [3][n], and back. */
#include "operator_impl.h"

PetscErrorCode wring_operator_gather(const double *v, int component, Vec one)
{
  PetscInt n;
  double  *to;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(one, &n));
  PetscCall(VecGetArrayWrite(one, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = v[3 * i + component];
  PetscCall(VecRestoreArrayWrite(one, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_operator_scatter(Vec one, int component, double *v)
{
  PetscInt      n;
  const double *from;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(one, &n));
  PetscCall(VecGetArrayRead(one, &from));
  for (PetscInt i = 0; i < n; i++) v[3 * i + component] = from[i];
  PetscCall(VecRestoreArrayRead(one, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_operator_to_columns(PetscInt n, const double *v, double *columns)
{
  for (int c = 0; c < 3; c++)
    for (PetscInt i = 0; i < n; i++) columns[c * n + i] = v[3 * i + c];
}

void wring_operator_from_columns(PetscInt n, const double *columns, double *v)
{
  for (PetscInt i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) v[3 * i + c] = columns[c * n + i];
}
