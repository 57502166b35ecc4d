/*
  Layer 10, files: decks, CSV, VTK frames, checkpoints. Knows meshes, states and named arrays, never a solver.
  Files appear whole: they are written under a name that ends in ".part", synced, and renamed.
*/
#pragma once
#include <wring/mesh.h>

/* ---- decks ------------------------------------------------------------------------------------------------------- */

/*
  Reads a YAML deck on rank 0, broadcasts it, and sets every key of it; keys behind "petsc_" go to PETSc's own options
  database instead. Syntax errors, repeated keys (also in another case), tags, anchors and lists of maps are refused with
  file and line. Then takes the command line's "-key value" pairs (args [n_args]). Collective.
*/
PetscErrorCode wring_deck_read(const char *file, int n_args, char **args, wring_options *o);

/* The command line's "-key value" pairs alone. Refused in one line. Collective. */
PetscErrorCode wring_deck_read_arguments(int n_args, char **args, wring_options *o);

/* ---- CSV input --------------------------------------------------------------------------------------------------- */

/*
  Reads a table of numbers whose first line is exactly `header` ("vertex,x,y,z"; "[,damping]" at its end is optional and then
  0). Columns named vertex, a or b (of vertices) or tet must be integers in [0, n_number). unique: column 0 may not repeat;
  complete: it must name every one; empty lines only at the end. On bad input e gives "file.csv:7: ..." and *row is NULL. Not collective: call on one rank.
  row [*n][width], width = the header's columns with the optional one, freed with PetscFree by the caller.
*/
PetscErrorCode wring_csv_read(const char *file, const char *header, PetscInt n_number, PetscBool unique,
                              PetscBool complete, PetscInt *n, int *width, double **row, wring_error *e);

/* ---- CSV and text output ----------------------------------------------------------------------------------------- */

/* A vertex table in original order: header "vertex,<columns>", values [n_owned][width] %.17g. Collective. */
PetscErrorCode wring_csv_write_vertices(const char *file, const wring_mesh *m, const char *columns, int width,
                                        const double *value);

/* Makes a directory and its parents. Collective. Refused if it cannot be made or written to. */
PetscErrorCode wring_make_directory(MPI_Comm comm, const char *path);

/* ---- meshes ------------------------------------------------------------------------------------------------------- */

/*
  Gmsh 4.1, ASCII (%.17g) or binary: wring_mesh_read gives the same mesh bit by bit, in its order, but for the order of
  set_element, which becomes that of the sets. Regions are physical volumes; triangles, lines and the other vertices of sets are
  physical surfaces, curves and points. A region in no set of its name becomes a set too, unless it is tag0. Not collective: call
  on one rank. The file appears whole or not at all.
*/
PetscErrorCode wring_gmsh_write(const char *file, const wring_mesh_data *d, PetscBool binary, wring_error *e);

/* ---- VTK --------------------------------------------------------------------------------------------------------- */

typedef enum { WRING_FLOAT64, WRING_FLOAT32, WRING_INT64, WRING_INT32, WRING_UINT8 } wring_type;

typedef struct {
  const char *name;
  wring_type  type;
  int         components;
  const void *value; // [n][components] of this rank
} wring_field;

/* Cells of one shape: m = 1 vertex, 2 line, 3 triangle, 4 tet; corner [n][m] local vertices, tets turned as in wring_mesh. */
typedef struct {
  PetscInt        n;
  int             m;
  const PetscInt *corner;
} wring_cells;

/*
  One .vtu: a Piece per rank with its n_local points; appended raw data, UInt64 headers; one collective MPI-IO write. x, point
  fields [n_local][..]; cell fields follow the order of the cells arrays. Every rank gives the same fields, a rank without
  points with n_local = 0. compress: zlib, a sixth of the bytes for three times the time. Refused with path and reason; then nothing is left. Collective.
*/
PetscErrorCode wring_vtk_write(MPI_Comm comm, const char *file, double time, PetscBool compress, PetscInt n_local,
                               const double *x, int n_cells, const wring_cells *cells, int n_point_fields,
                               const wring_field *point, int n_cell_fields, const wring_field *cell);

/* The .pvd: file names (relative to it) and times, rewritten whole. Not collective: call on rank 0. */
PetscErrorCode wring_pvd_write(const char *file, PetscInt n, const char *const *frame, const double *time,
                               wring_error *e);

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

/* A named array per vertex of the state: owned values [n_owned][components]. */
typedef struct {
  const char *name; // "position", "velocity"
  int         components;
  double     *value;
} wring_checkpoint_field;

/*
  One HDF5 file in original vertex order, with the mesh (wring_mesh_slice's data), step, time, fields and a checksum of
  each dataset. Collective.
*/
PetscErrorCode wring_checkpoint_write(const char *file, const wring_mesh *m, PetscInt step, double time, int n,
                                      const wring_checkpoint_field *field);

/* "<directory>/checkpoint_NNNNNN.h5" of a step. Not collective. */
PetscErrorCode wring_checkpoint_name(const char *directory, PetscInt64 step, size_t size, char *file);

/* Removes all checkpoints of a directory but the `keep` of the highest steps. Collective. */
PetscErrorCode wring_checkpoint_prune(MPI_Comm comm, const char *directory, PetscInt keep);

/*
  The newest whole checkpoint, every byte verified; path is a checkpoint file or an output directory. A damaged one in
  a directory gives a note, and the one before is tried. Refused with what was looked for. Collective.
*/
PetscErrorCode wring_checkpoint_find(MPI_Comm comm, const char *path, size_t size, char *file);

/* The mesh of a checkpoint on rank 0 (NULL elsewhere), and its step and time on all. Refused if damaged. Collective. */
PetscErrorCode wring_checkpoint_read_mesh(MPI_Comm comm, const char *file, wring_mesh_data **data, PetscInt *step,
                                          double *time);

/* Whether a checkpoint has a field of this name. Refused if it cannot be read. Collective. */
PetscErrorCode wring_checkpoint_has(MPI_Comm comm, const char *file, const char *name, PetscBool *has);

/* Fields of a checkpoint, onto any number of ranks; the mesh must have as many vertices. Refused if damaged. Collective. */
PetscErrorCode wring_checkpoint_read_fields(const char *file, const wring_mesh *m, int n,
                                            const wring_checkpoint_field *field);
