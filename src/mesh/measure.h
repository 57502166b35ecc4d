/*
  Private to src/mesh: a slice of a mesh with the vertices of its elements, and what elements of different slices share.
*/
#pragma once
#include "base/exchange.h"
#include <wring/mesh.h>

typedef struct {
  MPI_Comm               comm;
  const wring_mesh_data *d; // borrowed
  PetscLayout            slice;
  PetscInt               n_used;
  PetscInt              *used;  // [n_used] the vertices of this slice's elements, ascending
  double                *X;     // [n_used][3]
  PetscInt              *tet;   // [n_tet][4] places in used
  PetscInt              *lower; // [n_set_element][4] the same for those of sets: 2 or 3, then repetitions
  wring_exchange         x;     // from each used vertex to its slice
  PetscInt               n_edge;
  uint64_t              *edge;   // [n_edge] of order 2: keys of the edges of the slice's elements, ascending; else NULL
  double                *middle; // [n_edge][3] m, the positions at their middles; NaN: the midpoint
} wring_view;

/*
  The edges of this slice's tets, and with `lower` of its lines and triangles: *key [*n], ascending, once each, freed by
  the caller. Not collective.
*/
PetscErrorCode wring_view_list_edges(const wring_view *w, PetscBool lower, PetscInt *n, uint64_t **key);

/* Sets the last three fields, of a mesh of order 2. Collective. */
PetscErrorCode wring_view_find_middles(wring_view *w);

/*
  Volume, area and length of curved elements, v [3] and [2] places in used. *jacobian: the least Jacobian at the corners
  and at 14 points over its mean, 1 if edges are straight and have their middles half-way.
*/
double wring_view_tet_volume(const wring_view *w, PetscInt e, double *jacobian);
double wring_view_triangle_area(const wring_view *w, const PetscInt v[3]);
double wring_view_line_length(const wring_view *w, const PetscInt v[2]);

/* Over all ranks, on all of them; each edge and face counts once. Collective. */
PetscErrorCode wring_view_measure_edges(const wring_view *w, wring_mesh_measures *m);
PetscErrorCode wring_view_count_boundary(const wring_view *w, wring_mesh_measures *m);
PetscErrorCode wring_view_count_components(const wring_view *w, wring_mesh_measures *m);
