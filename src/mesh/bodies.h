/* Private to the library: values of vertices over all ranks, and over all that elements connect. Collective. */
#pragma once
#include <wring/mesh.h>

/* value [n_local] of this type becomes op over the ranks that have the vertex, on all of them. */
PetscErrorCode wring_mesh_reduce(const wring_mesh *m, MPI_Datatype type, MPI_Op op, void *value);

/*
  value [n_local] becomes the least of its body: of the vertices that are connected on any rank. parent [n_local]: what
  this rank's elements connect (base/forest.h).
*/
PetscErrorCode wring_mesh_spread_least(const wring_mesh *m, PetscInt *parent, PetscInt *value);
