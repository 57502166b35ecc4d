/* Boxes of tetrahedra on several ranks. */
#pragma once
#include "check.h"
#include <wring/mesh.h>

/* A box that rank 0 makes, distributed over comm. */
static inline PetscErrorCode test_distribute_box(MPI_Comm comm, const wring_box *box, wring_mesh **m)
{
  wring_mesh_data *d = NULL;
  PetscMPIInt      rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) PetscCall(wring_mesh_box(PETSC_COMM_SELF, box, &d, &(wring_error){""}));
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, &d, m));
  CHECK(d == NULL, "distribute consumes the data");
  PetscFunctionReturn(PETSC_SUCCESS);
}
