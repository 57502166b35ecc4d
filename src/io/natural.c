#include "natural.h"

PetscErrorCode wring_natural_unit(int width, MPI_Datatype *unit)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous(width, MPI_DOUBLE, unit));
  PetscCallMPI(MPI_Type_commit(unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_natural_rows(const wring_mesh *m, PetscInt *begin, PetscInt *n)
{
  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->forest.natural, n, NULL, NULL, NULL));
  PetscCallMPI(MPI_Scan(n, begin, 1, MPIU_INT, MPI_SUM, m->comm));
  *begin -= *n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_natural_gather(const wring_mesh *m, int width, const double *value, double **row)
{
  PetscInt     n;
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->forest.natural, &n, NULL, NULL, NULL));
  PetscCall(PetscMalloc1((size_t)n * (size_t)width, row));
  PetscCall(wring_natural_unit(width, &unit));
  PetscCall(PetscSFReduceBegin(m->forest.natural, unit, value, *row, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(m->forest.natural, unit, value, *row, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_natural_scatter(const wring_mesh *m, int width, const double *row, double *value)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCall(wring_natural_unit(width, &unit));
  PetscCall(PetscSFBcastBegin(m->forest.natural, unit, row, value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.natural, unit, row, value, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}
