#include "bodies.h"
#include "base/forest.h"

PetscErrorCode wring_mesh_reduce(const wring_mesh *m, MPI_Datatype type, MPI_Op op, void *value)
{
  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(m->forest.halo, type, value, value, op));
  PetscCall(PetscSFReduceEnd(m->forest.halo, type, value, value, op));
  PetscCall(PetscSFBcastBegin(m->forest.halo, type, value, value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, type, value, value, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One round for each rank that a body passes through. */
PetscErrorCode wring_mesh_spread_least(const wring_mesh *m, PetscInt *parent, PetscInt *value)
{
  PetscInt changed;

  PetscFunctionBegin;
  do {
    PetscCall(wring_mesh_reduce(m, MPIU_INT, MPI_MIN, value));
    changed = 0;
    for (PetscInt v = 0; v < m->n_local; v++) {
      const PetscInt root = wring_root(parent, v);
      value[root]         = PetscMin(value[root], value[v]);
    }
    for (PetscInt v = 0; v < m->n_local; v++) {
      const PetscInt least = value[wring_root(parent, v)];
      changed |= value[v] != least;
      value[v] = least;
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPIU_INT, MPI_MAX, m->comm));
  } while (changed);
  PetscFunctionReturn(PETSC_SUCCESS);
}
