/* Meshes from files and boxes, and bodies of several of them, for problems and for `wring mesh`. */
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
  Copies the entries of wring_mesh_source_options whose keys begin with `head`, and an entry with a NULL key, into table
  [WRING_MESH_OPTIONS]; a head that ends with '_' is cut off the keys. Returns their number. Not collective.
*/
int wring_mesh_select_options(const char *head, wring_option *table);

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* Keys of a body besides wring_mesh_source_options: its place, turn and at; its motion, velocity and spin. */
extern const wring_option wring_place_options[], wring_body_options[];

/* Keys of a body. */
typedef struct {
  wring_mesh_source source;
  double            turn[3], at[3];       // deg, m
  double            velocity[3], spin[3]; // m/s, deg/s
} wring_body;

typedef struct {
  const char *family; // of their keys, "body_"
  PetscInt    n;
  char      **name;   // [n]
  wring_body *body;   // [n]
  PetscBool   placed; // they have files or boxes; else they are parts of one mesh
} wring_bodies;

/* The bodies in keys of a family; refused if some have a mesh of their own and others have not. Collective. */
PetscErrorCode wring_bodies_read(const wring_options *o, const char *family, PetscInt n_schema,
                                 const wring_schema *schema, wring_bodies *b);
PetscErrorCode wring_bodies_destroy(wring_bodies *b);

/* The mesh of placed bodies, in slices. Collective. */
PetscErrorCode wring_bodies_mesh(const wring_options *o, const wring_bodies *b, wring_mesh_data **data);

PetscBool wring_body_has(const char *body, const char *name); // the set or region `name` is NAME or NAME.x
