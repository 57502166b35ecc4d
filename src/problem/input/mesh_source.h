/* Meshes from files and boxes, for problems and for `wring mesh`. */
#pragma once
#include <wring/mesh.h>

enum { WRING_MESH_OPTIONS = 16 }; // room for a table

/* The slices of the mesh of a file, with its numbers of vertices if `tags`; prints its notices. Collective. */
PetscErrorCode wring_mesh_file_read(MPI_Comm comm, const char *file, double scale, PetscBool tags,
                                    wring_mesh_data **data);

/*
  The box that was read from the keys `prefix` + size, cells, origin, jitter, of which the first two are required: its
  slices on the ranks of o. Errors name the place of cells. Collective.
*/
PetscErrorCode wring_mesh_box_make(const wring_options *o, const char *prefix, const wring_box *box,
                                   wring_mesh_data **data);

/*
  Copies the entries of wring_mesh_options whose keys begin with `head`, and an entry with a NULL key, into table
  [WRING_MESH_OPTIONS]; a head that ends with '_' is cut off the keys. Returns their number. Not collective.
*/
int wring_mesh_select_options(const char *head, wring_option *table);
