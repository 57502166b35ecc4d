#include "consensus.h"

PetscErrorCode wring_tell_neighbours(MPI_Comm comm, PetscMPIInt n_to, const PetscMPIInt *to, const PetscInt64 *number,
                                     PetscMPIInt *n_from, PetscMPIInt **from, PetscInt64 **got)
{
  PetscBuildTwoSidedType type;

  PetscFunctionBegin;
  PetscCall(PetscCommBuildTwoSidedGetType(comm, &type));
  PetscCall(PetscCommBuildTwoSidedSetType(comm, PETSC_BUILDTWOSIDED_IBARRIER));
  PetscCall(PetscCommBuildTwoSided(comm, 1, MPIU_INT64, n_to, to, number, n_from, from, got));
  PetscCall(PetscCommBuildTwoSidedSetType(comm, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sf_set_up(PetscSF sf)
{
  const MPI_Comm         comm = PetscObjectComm((PetscObject)sf);
  PetscBuildTwoSidedType type;

  PetscFunctionBegin;
  PetscCall(PetscCommBuildTwoSidedGetType(comm, &type));
  PetscCall(PetscCommBuildTwoSidedSetType(comm, PETSC_BUILDTWOSIDED_IBARRIER));
  PetscCall(PetscSFSetUp(sf));
  PetscCall(PetscCommBuildTwoSidedSetType(comm, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sf_create(MPI_Comm comm, PetscInt n_root, PetscInt n_global, PetscInt n, PetscInt *leaf,
                               const PetscInt *root, PetscSF *sf)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, n_root, n_global, 1, &layout));
  PetscCall(PetscSFCreate(comm, sf));
  PetscCall(PetscSFSetGraphLayout(*sf, layout, n, leaf, PETSC_OWN_POINTER, root));
  PetscCall(wring_sf_set_up(*sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}
