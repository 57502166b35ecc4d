/*
  Layer 10, files: decks, CSV, Gmsh, VTK frames, checkpoints. Depends on meshes and named arrays, not on solvers.

  src/io, in reading order:
    file.h              files that appear only when complete: written as "<path>.part", synced, renamed
    directory.c         what a directory holds; a directory and its parents; src/output/output.c prepares that of a run
    deck.c              a YAML deck and the command line
    csv.c               tables of numbers
    json.h              JSON files and values
    print.h             lines and tables on the screen
    plot.h              gnuplot scripts, and pictures by them
    gmsh_write.c        Gmsh 4.1; readers of meshes are in src/mesh/read
    vtk/                frames: a .vtu of one (vtk.c), a .vtkhdf of many (vtkhdf.c)
    natural.h           values by original vertex number, in blocks by rank
    crc.h               checksums that all ranks compute together
    sha256.c            the hash of an input file, by which results name it
    hdf5.h              tables in an HDF5 file
    sealed.h            such a file, written by all ranks, read back and sealed at its end
    mesh_tables.h       the tables of a mesh
    checkpoint.c        one checkpoint, and the mesh file beside it; checkpoint_files.c: those of a directory
  Not here: the meaning of keys (problem), the times of output (src/output).

  Output files are atomic: an existing file of the same name is unchanged until the new one is complete and synced;
  after a failure on any rank no ".part" remains. Only a killed process leaves one, which the next write replaces. A
  .vtkhdf grows: each frame is there whole or not at all.

  Rank 0 holds no more vertices or tets than other ranks, except that wring_csv_read and wring_gmsh_write hold the whole
  table or mesh; wring_csv_write_vertices prints all rows, and holds one rank's block at a time.

  Threads: only the thread that calls MPI may call these functions. HDF5's error printer, a setting of the process, is
  turned off during a call and restored. Keys with prefix petsc_ change PETSc's options database, which belongs to the
  process.
*/
#pragma once
#include <wring/mesh.h>

/* ---- decks ------------------------------------------------------------------------------------------------------- */

/*
  Reads a YAML deck of at most 16 MiB on rank 0, broadcasts it, and sets each of its keys with origin "file:line"; keys
  with prefix petsc_ go to PETSc's options database instead. Then sets the keys of the command line's "-key value" pairs
  (args [n_args]). Refused with file and line: syntax errors, repeated keys (also in another case), tags, anchors and
  lists of maps. Collective.
*/
PetscErrorCode wring_deck_read(const char *file, int n_args, char **args, wring_options *o);

/* Sets only the keys of the command line's "-key value" pairs. Collective. */
PetscErrorCode wring_deck_read_arguments(int n_args, char **args, wring_options *o);

/* ---- hashes of files --------------------------------------------------------------------------------------------- */

enum { WRING_SHA256_TEXT = 65 }; // 64 hexadecimal digits and a final 0

/* The SHA-256 of all bytes of a file, as `sha256sum` prints it; "" if e is set. Not collective. */
void wring_file_sha256(const char *path, char text[WRING_SHA256_TEXT], wring_error *e);

/* The seal of a checkpoint, "wringCRC" and the checksum of its bytes in hexadecimal; "" without one. Not collective. */
enum { WRING_SEAL_TEXT = 17 };
void wring_checkpoint_seal(const char *file, char text[WRING_SEAL_TEXT], wring_error *e);

/* ---- CSV input --------------------------------------------------------------------------------------------------- */

/*
  Reads a table of numbers whose first line is exactly `header`, such as "vertex,x,y,z"; columns "[,damping]" at its end
  are optional, with the value NAN if they are missing. Blank lines, and those that begin with #, are skipped. Numbers
  have a decimal point in any locale. Columns named vertex, a or b (vertices) or tet hold integers in [0, n_number).
  unique: no number of column 0 may repeat; complete: every number must occur. row [*n][width], width = number of
  columns in the header including the optional ones, freed by the caller with PetscFree. On bad input e holds
  "file.csv:7: ..." and *row is NULL. Not collective: call on one rank.
*/
PetscErrorCode wring_csv_read(const char *file, const char *header, PetscInt n_number, PetscBool unique,
                              PetscBool complete, PetscInt *n, int *width, double **row, wring_error *e);

/* The line of a row of such a file, which is read again up to there, for a message. Not collective. */
PetscInt64 wring_csv_line(const char *file, PetscInt row);

/* ---- CSV and text output ----------------------------------------------------------------------------------------- */

/* Writes a table in original vertex order: header "vertex,<columns>", values [n_owned][width] as %.17g. Collective. */
PetscErrorCode wring_csv_write_vertices(const char *file, const wring_mesh *m, const char *columns, int width,
                                        const double *value);

/*
  The names in a directory, one after another, each with its final 0, and an empty one at the end; names that begin with
  a dot are left out. Freed by the caller with free. NULL if there is no such directory, and NULL with an error if it
  cannot be read to its end. Not collective.
*/
char *wring_list_directory(const char *path, wring_error *e);

/* The number in a name such as "frame_000012.vtu": stem "frame_", six digits or more, end ".vtu"; -1: another name. */
PetscInt64 wring_file_number(const char *name, const char *stem, const char *end);

/* Creates a directory and its parents; if one cannot be created or written to, all of them are removed. Collective. */
PetscErrorCode wring_make_directory(MPI_Comm comm, const char *path);

/* Sets the error with which it could not be created or written to; writes nothing. Not collective. */
void wring_check_directory(const char *path, wring_error *e);

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* What gnuplot has to draw: script [n] of rank 0, without their ending .gp. */
typedef struct {
  int    n;
  char **script;
} wring_pictures;

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

/*
  Writes Gmsh 4.1, ASCII (%.17g) or binary. wring_mesh_read then returns the same mesh bit for bit and in the same
  order, except that set_element is ordered by set. Regions are physical volumes; triangles, lines and the other
  vertices of sets are physical surfaces, curves and points. A region without a set of the same name is also read as a
  set, unless its name is tag0. Not collective: call on one rank.
*/
PetscErrorCode wring_gmsh_write(const char *file, const wring_mesh_data *d, PetscBool binary, wring_error *e);

/* ---- VTK --------------------------------------------------------------------------------------------------------- */

typedef enum { WRING_FLOAT64, WRING_FLOAT32, WRING_INT64, WRING_INT32, WRING_UINT8 } wring_type;

typedef struct {
  const char *name;
  wring_type  type;
  int         components;
  const void *value; // [n][components] of this rank; 6 are those of a symmetric tensor, 9 those of a tensor
  PetscBool   fixed; // the same in every frame of a run: a file of many frames has it once
} wring_field;

/*
  Cells of one shape, with m vertices: 1 vertex, 2 line, 3 triangle, 4 tet, 10 tet of order 2: corners, then those at
  the middles of edges as in wring_mesh; corner [n][m] local vertices, tets oriented as in wring_mesh.
*/
typedef struct {
  PetscInt        n;
  int             m;
  const PetscInt *corner;
} wring_cells;

/*
  A state of this rank's points and cells; a rank may have none. Every rank has the same shapes and fields. Values of
  cells follow the order of the cells arrays. Arrays are borrowed.
*/
typedef struct {
  double             time; // s
  PetscInt           n_point;
  wring_field        points; // [n_point][3] m, "Points"
  int                n_cells;
  const wring_cells *cells; // [n_cells]
  int                n_point_field, n_cell_field;
  const wring_field *point_field, *cell_field;
} wring_frame;

/*
  One .vtu: a Piece per rank; appended raw data, UInt64 headers; every rank writes its own bytes. Tensors of 6 (XX YY ZZ
  XY YZ XZ) or 9 components (row by row) get these names, as ParaView orders them. compress: zlib, about a sixth of the
  bytes and three times the time. Refusals name path and reason. Collective.
*/
PetscErrorCode wring_vtk_write(MPI_Comm comm, const char *file, PetscBool compress, const wring_frame *frame);

/* Writes the .pvd: names of frames (relative to it) and their times [s]. Not collective: call on rank 0. */
void wring_pvd_write(const char *file, PetscInt n, const char *const *frame, const double *time, wring_error *e);

/* ---- VTKHDF ------------------------------------------------------------------------------------------------------ */

/*
  A file of many frames: VTKHDF 2.0 of type UnstructuredGrid with a group Steps (VTK file formats, "VTKHDF format
  specification"), which ParaView 5.12 and later read. A part per rank. Connectivity, offsets, types and fixed fields
  are there once for each layout, a layout being the cells, fixed fields and ranks of consecutive frames; points and
  other fields for each frame. Tables have room for expected frames, of which they have up to twice as many, or 1,024;
  it takes no disk space before it is written (a sparse file) and is reserved frame by frame. A frame becomes visible by
  one write of one block of metadata, after its values are on the disk: a reader sees it whole or not at all, whenever
  the program is killed. Outside of /VTKHDF, /wring has the step of each frame, the sizes of each layout and the times,
  twice: 16 bytes for each frame that there is room for. Values is a soft link to one of the tables of times, whose
  length is NSteps.
*/
typedef struct {
  PetscInt  frames; // in the file
  PetscInt  room;   // for this number
  PetscBool ready;  // this run has written to the file: its layout is the last one
} wring_vtkhdf;

/* Sets an error if a file, which may be missing, has other fields than this frame, without its values. Rank 0. */
PetscErrorCode wring_vtkhdf_check(const char *file, const wring_frame *frame, wring_error *e);

/* Keeps the frames with step <= keep of a file, which may be missing. Rank 0, before the first frame of a run. */
PetscErrorCode wring_vtkhdf_keep(const char *file, PetscInt keep, wring_error *e);

/*
  Appends a frame of a step, whose number is above those in the file; h: all zero before the first frame of a run.
  Creates the file, if it is missing, with room for `expected` frames more, or as many as above. If the file has another
  layout, or no room, all of its frames are copied to a new one, which replaces it. Refused: a file with other fields or
  that is damaged; between frames of a run, a file that another program has changed is an output failure. Collective.
*/
PetscErrorCode wring_vtkhdf_append(MPI_Comm comm, const char *file, PetscInt step, PetscInt expected,
                                   const wring_frame *frame, wring_vtkhdf *h);

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

/* A named array of vertex values, value [n_owned][components]; or one number, the same on all ranks. */
typedef struct {
  const char *name;       // "position", "velocity"
  int         components; // 0: one number
  double     *value;
} wring_checkpoint_field;

/* The name of the file beside the checkpoints of a directory that has their mesh. */
#define WRING_CHECKPOINT_MESH "checkpoints_mesh.h5"
/* The name of the field where an interrupted solve was. */
#define WRING_CHECKPOINT_ITERATE "iterate"

/*
  Writes the mesh file of a directory (the data of wring_mesh_slice, in original order) unless it is there with this
  seal; "": it is not known to have this mesh. On return seal is that of the file, on all ranks. The bytes do not depend
  on the number of ranks. Written as the file below. Collective.
*/
PetscErrorCode wring_checkpoint_write_mesh(const char *directory, const wring_mesh *m, char seal[WRING_SEAL_TEXT]);

/*
  Writes one HDF5 file in original vertex order: step, time [s], fields, the name of the mesh file beside it and its
  seal (NULL: fields alone, without a mesh), a checksum of each table and one of the file. Disk space is reserved first;
  after writing, the file is read back once, each rank an equal share. A failure leaves earlier checkpoints unchanged.
  Collective.
*/
PetscErrorCode wring_checkpoint_write(const char *file, const wring_mesh *m, const char *mesh_seal, PetscInt step,
                                      double time, int n, const wring_checkpoint_field *field);

/* "<directory>/checkpoint_NNNNNN.h5" of a step. Not collective. */
void wring_checkpoint_name(const char *directory, PetscInt64 step, size_t size, char *file);

/* Removes all checkpoints of a directory except the `keep` with the highest steps; if it is 0, their mesh too.
   Collective. */
PetscErrorCode wring_checkpoint_prune(MPI_Comm comm, const char *directory, PetscInt keep);

/* Whether a directory, which may be missing, has a checkpoint, complete or not. Refused if unreadable. Collective. */
PetscErrorCode wring_checkpoint_is_there(MPI_Comm comm, const char *directory, PetscBool *is_there);

/*
  Finds the newest valid checkpoint; path is a checkpoint file or an output directory. Every byte is verified; each rank
  reads an equal share. If a checkpoint in a directory is damaged, a note is printed and the previous one is tried. A
  refusal names what was searched for. Collective.
*/
PetscErrorCode wring_checkpoint_find(MPI_Comm comm, const char *path, size_t size, char *file);

/*
  The functions below read a file returned by wring_checkpoint_find and do not verify it again: HDF5 1.10 crashes on
  files with damaged metadata. Values are still checked by their tables' checksums.
*/

/*
  Reads step and time [s], and the mesh: every rank an equal share of the rows of each table, *data, freed by the
  caller. Every byte of the mesh file is verified, and that the checkpoint belongs to it; each rank reads an equal
  share. Checkpoints of wring 0.1, which have the mesh inside, are read likewise. Refused if the mesh file is missing,
  damaged or another one. Collective.
*/
PetscErrorCode wring_checkpoint_read_mesh(MPI_Comm comm, const char *file, wring_mesh_data **data, PetscInt *step,
                                          double *time);

/* The seal of the mesh file that a checkpoint names; "" if the mesh is inside it. Refused as above. Collective. */
PetscErrorCode wring_checkpoint_mesh_seal(MPI_Comm comm, const char *file, char seal[WRING_SEAL_TEXT]);

/* Whether the file has a field of this name. Refused if the file cannot be read. Collective. */
PetscErrorCode wring_checkpoint_has(MPI_Comm comm, const char *file, const char *name, PetscBool *has);

/* Reads fields; the mesh must have as many vertices as the checkpoint. Refused if damaged. Collective. */
PetscErrorCode wring_checkpoint_read_fields(const char *file, const wring_mesh *m, int n,
                                            const wring_checkpoint_field *field);
