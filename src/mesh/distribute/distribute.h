/* Private to src/mesh: a mesh distributed and assessed with parts that are cut in a given way. */
#pragma once
#include "mesh/partition/partition.h"

/* wring_mesh_distribute with c->n_part parts, one for each rank. */
PetscErrorCode wring_mesh_distribute_cut(MPI_Comm comm, const wring_cut *c, wring_mesh_data **data, wring_mesh **m);

/* wring_mesh_measure_cut for parts that are cut in this way. */
PetscErrorCode wring_mesh_assess_cut(MPI_Comm comm, const wring_cut *c, const wring_mesh_data *d, wring_mesh_cut *cut);
