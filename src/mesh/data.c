#include "data.h"

PetscErrorCode wring_mesh_data_create(PetscInt n_vertex, PetscInt n_tet, wring_mesh_data **d)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(d));
  (*d)->n_vertex = n_vertex;
  (*d)->n_tet    = n_tet;
  PetscCall(PetscMalloc1(3 * (size_t)n_vertex, &(*d)->X));
  PetscCall(PetscMalloc1(4 * (size_t)n_tet, &(*d)->tet));
  PetscCall(PetscMalloc1((size_t)n_tet, &(*d)->region));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_data_destroy(wring_mesh_data **d)
{
  PetscFunctionBegin;
  if (!*d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*d)->X));
  PetscCall(PetscFree((*d)->tet));
  PetscCall(PetscFree((*d)->region));
  PetscCall(PetscFree((*d)->set_start));
  PetscCall(PetscFree((*d)->set_vertex));
  PetscCall(PetscFree((*d)->set_element));
  PetscCall(wring_names_clear(&(*d)->regions));
  PetscCall(wring_names_clear(&(*d)->sets));
  PetscCall(PetscFree(*d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
