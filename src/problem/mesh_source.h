/* Meshes read from files or made as boxes, as every command has them. */
#pragma once
#include <wring/mesh.h>

enum { WRING_MESH_OPTIONS = 16 }; // room for a table

/* The mesh on rank 0 (NULL elsewhere); prints its notices. Refused with file, line and fault. Collective. */
PetscErrorCode wring_mesh_file_read(MPI_Comm comm, const char *file, double scale, wring_mesh_data **data);

/* The same for the box of the keys `prefix` + size, cells, origin, jitter. Collective. */
PetscErrorCode wring_mesh_box_make(const wring_options *o, const char *prefix, wring_mesh_data **data);

/*
  The entries of wring_mesh_options that begin with `head`, and one with a NULL key, into table [WRING_MESH_OPTIONS]. Where the
  head ends with '_' their keys begin behind it. Returns how many there are.
*/
int wring_mesh_select_options(const char *head, wring_option *table);
