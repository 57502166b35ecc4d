/* One frame: points and cells of a problem and the fields that output.fields names. Private to src/output/frames. */
#pragma once
#include <wring/problem.h>

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Cells in this order; vertices are cells only in a mesh without tets and triangles. */
enum { WRING_TETS, WRING_TRIANGLES, WRING_LINES, WRING_POINTS, WRING_KINDS };

/*
  The cells of a rank, which do not change in a run: all of them; or, with the triangles of their surface in the place
  of the tets, some rows of all cells (for a triangle, its tet) and of points.
*/
typedef struct {
  PetscInt    total;             // of all cells
  PetscInt    n_cell, *cell;     // [n_cell] rows of all cells; NULL: all of them
  PetscInt    n_point, *point;   // [n_point] local vertices, ascending; NULL: all of them
  wring_cells kind[WRING_KINDS]; // corners by their places among the points
  PetscInt   *own[WRING_KINDS];  // corners that are not arrays of the mesh
} wring_frame_cells;

PetscErrorCode wring_frame_cells_create(const wring_problem *p, PetscBool surface, wring_frame_cells *c);
PetscErrorCode wring_frame_cells_destroy(wring_frame_cells *c); // not collective; c may be all zero, and is then

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Those that are computed only if they are chosen come last. */
enum {
  WRING_DISPLACEMENT,
  WRING_VELOCITY,
  WRING_VERTEX,
  WRING_J,
  WRING_ENERGY_DENSITY,
  WRING_REGION,
  WRING_RANK,
  WRING_STRESS,               // Pa, of tets, NaN where J <= 0
  WRING_VON_MISES,            // Pa, likewise
  WRING_DEFORMATION_GRADIENT, // of tets, row by row
  WRING_MEMBRANE_FORCE,       // N/m, of triangles, NaN where the area is 0
  WRING_CONTACT_PRESSURE,     // Pa, of surface vertices, 0 elsewhere
  WRING_FRICTION_TRACTION,    // Pa, on the bodies, likewise
  WRING_N_FIELD
};

typedef enum { WRING_AT_POINTS, WRING_OF_CELLS } wring_field_place;

/* The fields that output.fields names, as bits of `chosen`. Refused: one that no element has. Collective. */
PetscErrorCode wring_fields_choose(const wring_problem *p, unsigned *chosen);

/*
  Bytes of the chosen fields of a point or a cell with real numbers of `real` bytes: of those that are the same in all
  frames, or of the others. Not collective.
*/
double wring_fields_bytes(unsigned chosen, wring_field_place place, PetscBool fixed, double real);
double wring_fields_memory(unsigned chosen); // bytes of a cell that the choice adds to a frame; not collective

/* A frame and its arrays. */
typedef struct {
  wring_frame   frame;
  wring_field   point[WRING_N_FIELD], cell[WRING_N_FIELD];
  void         *value[WRING_N_FIELD]; // of all local vertices or all cells, 0 in cells where a field is not defined
  const double *x, *v;                // [n_local][3] m, m/s, borrowed
  int           n_copy;
  void         *copy[1 + WRING_N_FIELD]; // of some rows, or in single precision
} wring_frame_values;

/* The frame of no cells: names and types of its fields; nothing to destroy. Not collective. */
void wring_frame_describe(unsigned chosen, PetscBool single, wring_frame_values *a);

/*
  The frame of the present state: of these cells; floating-point numbers in single precision, if wanted; fields by
  choice. Until it is destroyed, the state may not change. Collective.
*/
PetscErrorCode wring_frame_create(wring_problem *p, unsigned chosen, PetscBool single, const wring_frame_cells *c,
                                  wring_frame_values *a);
PetscErrorCode wring_frame_destroy(wring_problem *p, wring_frame_values *a);
