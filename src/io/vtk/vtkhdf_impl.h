/*
  Tables of a frames.vtkhdf, and where a rank's rows of a frame are. Private to src/io/vtk. Read in this order:

    vtkhdf_tables.c   the tables of a frame, their rows by layout
    vtkhdf_create.c   a new file, with the frames of an old one
    vtkhdf_commit.c   makes a frame visible; keeps the first frames of a file
    vtkhdf.c          appends a frame
*/
#pragma once
#include "io/hdf5.h"

/* What a table has rows of. */
typedef enum {
  WRING_PARTS,
  WRING_IDS,
  WRING_OFFSETS,
  WRING_CELLS,
  WRING_VERTICES,
  WRING_STEPS,
  WRING_N_UNIT
} wring_unit;

typedef struct wring_vtkhdf_table {
  wring_table                      in_file;
  char                             path[128]; // the name of in_file
  wring_unit                       unit;
  PetscBool                        fixed;  // once in a layout
  const void                      *value;  // rows of this rank in a frame
  const struct wring_vtkhdf_table *before; // without a value: the table whose rows before this frame it has
} wring_vtkhdf_table;

/* Numbers of a layout: of its first frame, of parts, points, cells, corners of cells. A row of /wring/layouts. */
typedef struct {
  int64_t first, parts, points, cells, ids;
} wring_layout;

typedef struct {
  wring_hdf5          h;
  wring_error         error;
  char                path[PETSC_MAX_PATH_LEN + 8]; // of the open file
  MPI_Comm            comm;
  PetscMPIInt         rank;
  int64_t             parts;                                    // ranks of comm
  int64_t             n_layout, frames, room;                   // frames in the file; room for how many
  wring_layout       *layout;                                   // [n_layout], the last one is that of new frames
  int64_t             mine[WRING_N_UNIT], before[WRING_N_UNIT]; // rows of this rank in a frame; of ranks before it
  int                 n_table;
  wring_vtkhdf_table *table;
  int64_t            *ids, *offsets; // cells of this rank, NULL until they are needed
  uint8_t            *types;
} wring_vtkhdf_file;

/* ---- tables (vtkhdf_tables.c) ------------------------------------------------------------------------------------ */

extern const wring_table wring_vtkhdf_layouts, wring_vtkhdf_step, wring_vtkhdf_values;

/* The tables of a frame; *this_layout: its numbers on all ranks, first = 0. Collective. */
PetscErrorCode wring_vtkhdf_tables(wring_vtkhdf_file *f, const wring_frame *frame, wring_layout *this_layout);
PetscErrorCode wring_vtkhdf_cells(wring_vtkhdf_file *f, const wring_frame *frame); // makes ids, offsets, types
PetscErrorCode wring_vtkhdf_free(wring_vtkhdf_file *f);

/* Rows of a table before those of frame number `frame` and its layout; rows that frames up to `frames` have. */
int64_t wring_vtkhdf_row(const wring_vtkhdf_file *f, const wring_vtkhdf_table *t, int64_t frame);
int64_t wring_vtkhdf_unit(const wring_layout *l, wring_unit unit); // rows of a frame, of all ranks

/* Writes the rows of a frame: those of its layout too, if it is the first of it. Collective. */
void wring_vtkhdf_write(wring_vtkhdf_file *f, int64_t frame, int64_t step, PetscBool with_layout);

/* ---- files ------------------------------------------------------------------------------------------------------- */

/*
  Creates "<path>.part" with the layouts of f and room for f->room frames, and the first f->frames frames of path;
  f->h is open then. Collective.
*/
PetscErrorCode wring_vtkhdf_create(wring_vtkhdf_file *f, const char *path, uint64_t frame_bytes);

/* Sets the number and times [s] of the frames of a file by one write. Rank 0. */
void wring_vtkhdf_commit(const char *file, int64_t n, const double *time, wring_error *e);

/* Times of the frames of a file, freed with PetscFree; *n = 0 and NULL if there is none. Rank 0. */
PetscErrorCode wring_vtkhdf_times(const char *file, int64_t *n, double **time, wring_error *e);
