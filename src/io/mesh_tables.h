/*
  The tables of a mesh in an HDF5 file, in original order: mesh_rest_position, mesh_tet, mesh_region, mesh_region_names
  and mesh_set_names (bytes, each name ends with a zero byte), mesh_set_start, mesh_set_vertex, mesh_set_element (set
  and vertices of lines and triangles, the last -1 for lines). Indices have 32 bits if all numbers of the mesh fit, else
  64; those of checkpoints of version 1 always have 64.

  A mesh of order 2 is stored as that of its corners, with mesh_middle_position: the positions of the vertices at the
  middles of edges, in the order of their numbers. mesh_set_vertex has these vertices too.
*/
#pragma once
#include "hdf5.h"

/* The bytes of the tables, on all ranks. Collective. */
PetscErrorCode wring_mesh_tables_size(const wring_mesh *m, uint64_t *bytes);

/* Every rank writes its slice (wring_mesh_slice), which is freed table by table. Collective. */
PetscErrorCode wring_mesh_tables_write(wring_hdf5 *h, const wring_mesh *m);

/*
  Every rank reads an equal share of the rows of each table, and checks it: *data, its slice, freed by the caller. An
  error is set on some ranks. Collective.
*/
PetscErrorCode wring_mesh_tables_read(wring_hdf5 *h, MPI_Comm comm, wring_mesh_data **data);
