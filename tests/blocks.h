/* Meshes of several boxes that share no vertex, for tests of contacts between them. */
#pragma once
#include "check.h"
#include "mesh/data.h"
#include <wring/mesh.h>

/* All boxes as one region; the vertices and tets of the boxes follow each other. Each box is a set, "a", "b", ... */
static inline wring_mesh_data *test_blocks_data(int n, const wring_box *box)
{
  wring_mesh_data *one[8], *all;
  PetscInt         vertices = 0, tets = 0;
  for (int i = 0; i < n; i++) {
    PetscCallAbort(PETSC_COMM_SELF, wring_mesh_box(PETSC_COMM_SELF, &box[i], &one[i], &(wring_error){""}));
    vertices += one[i]->n_vertex;
    tets += one[i]->n_tet;
  }
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_create(vertices, tets, &all));
  PetscCallAbort(PETSC_COMM_SELF, wring_names_add(&all->regions, "box", 3));
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1((size_t)n + 1, &all->set_start));
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1((size_t)vertices, &all->set_vertex));
  vertices = tets = 0;
  for (int i = 0; i < n; i++) {
    const char name = (char)('a' + i);
    PetscCallAbort(PETSC_COMM_SELF, wring_names_add(&all->sets, &name, 1));
    all->set_start[i] = vertices;
    for (PetscInt e = 0; e < 4 * one[i]->n_tet; e++) all->tet[4 * tets + e] = vertices + one[i]->tet[e];
    for (PetscInt e = 0; e < one[i]->n_tet; e++) all->region[tets + e] = 0;
    for (PetscInt v = 0; v < one[i]->n_vertex; v++) all->set_vertex[vertices + v] = vertices + v;
    memcpy(all->X + 3 * vertices, one[i]->X, 3 * (size_t)one[i]->n_vertex * sizeof *all->X);
    vertices += one[i]->n_vertex;
    tets += one[i]->n_tet;
    PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&one[i]));
  }
  all->set_start[n] = vertices;
  return all;
}

static inline wring_mesh *test_blocks(MPI_Comm comm, int n, const wring_box *box)
{
  wring_mesh_data *data = NULL;
  wring_mesh      *mesh;
  PetscMPIInt      rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) data = test_blocks_data(n, box);
  PetscCallAbort(comm, wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, &data, &mesh));
  return mesh;
}
