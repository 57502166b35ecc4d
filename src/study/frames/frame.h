/* One frame: the points and cells of a problem and their values. Private to src/study/frames. */
#pragma once
#include "fields.h"

/* Cells in this order; vertices are cells only in a mesh without tets and triangles. */
enum { WRING_TETS, WRING_TRIANGLES, WRING_LINES, WRING_POINTS, WRING_KINDS };

/* The cells of a rank, which do not change in a run. */
typedef struct {
  PetscInt    n[WRING_KINDS], total;
  PetscInt   *corner[WRING_KINDS]; // local vertices; those of tets of order 1 belong to the mesh
  wring_cells cells[WRING_KINDS];
} wring_frame_cells;

PetscErrorCode wring_frame_cells_create(const wring_problem *p, wring_frame_cells *c); // not collective
PetscErrorCode wring_frame_cells_destroy(wring_frame_cells *c);

/*
  What remains of them if the tets are replaced by the triangles of their surface: rows of cells (for a triangle, its
  tet) and of points, and the cells by places in these points.
*/
typedef struct {
  PetscInt    n_cell, *cell;   // [n_cell] in the order of the frame's cells
  PetscInt    n_point, *point; // [n_point] local vertices, ascending
  PetscInt   *corner[WRING_KINDS];
  wring_cells cells[WRING_KINDS];
} wring_frame_skin;

PetscErrorCode wring_frame_skin_create(const wring_problem *p, const wring_frame_cells *c, wring_frame_skin *s);
PetscErrorCode wring_frame_skin_destroy(wring_frame_skin *s); // not collective; s may be all zero

/* A frame and its arrays. */
typedef struct wring_frame_values wring_frame_values;

/*
  The frame of the present state: of all cells, or of a skin (NULL: all); floating-point numbers in single precision, if
  wanted; fields by choice. Until it is destroyed, the state may not change. Collective.
*/
PetscErrorCode wring_frame_create(wring_problem *p, unsigned fields, PetscBool single, const wring_frame_skin *skin,
                                  wring_frame_values **v, wring_frame *frame);
PetscErrorCode wring_frame_destroy(wring_problem *p, wring_frame_values **v);

/* The frame of no cells: names and types of its fields. Not collective. */
PetscErrorCode wring_frame_describe(unsigned fields, PetscBool single, wring_frame_values **v, wring_frame *frame);
PetscErrorCode wring_frame_forget(wring_frame_values **v);
