/* Meshes from files and boxes, for problems and for `wring mesh`. */
#pragma once
#include <wring/mesh.h>

enum { WRING_MESH_OPTIONS = 16 }; // room for a table

/* The slices of the mesh of a file; prints its notices. Errors name file, line and fault. Collective. */
PetscErrorCode wring_mesh_file_read(MPI_Comm comm, const char *file, double scale, wring_mesh_data **data);

/* The same, with the file's numbers of vertices if `tags`. */
PetscErrorCode wring_mesh_file_read_tagged(MPI_Comm comm, const char *file, double scale, PetscBool tags,
                                           wring_mesh_data **data);

/*
  The box of the keys `prefix` + size, cells, origin, jitter: its slices on the ranks of o. Errors name the place of
  cells. Collective.
*/
PetscErrorCode wring_mesh_box_make(const wring_options *o, const char *prefix, wring_mesh_data **data);

/*
  Copies the entries of wring_mesh_options whose keys begin with `head`, and an entry with a NULL key, into table
  [WRING_MESH_OPTIONS]; a head that ends with '_' is cut off the keys. Returns their number. Not collective.
*/
int wring_mesh_select_options(const char *head, wring_option *table);
