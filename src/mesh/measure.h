/*
  Private to src/mesh: a slice of a mesh with the vertices of its elements, and what elements of different slices share.
*/
#pragma once
#include "base/exchange.h"
#include <wring/mesh.h>

typedef struct {
  MPI_Comm               comm;
  const wring_mesh_data *d; // borrowed
  PetscLayout            block;
  PetscInt               n_used;
  PetscInt              *used;  // [n_used] the vertices of this slice's elements, ascending
  double                *X;     // [n_used][3]
  PetscInt              *owner; // [n_used] rank
  PetscInt              *tet;   // [n_tet][4] places in used
  PetscInt              *lower; // [n_set_element][4] the same for those of sets: 2 or 3, then repetitions
  wring_exchange         x;     // from each used vertex to its block
  PetscInt              *asked; // [x.n_got] vertices of this block, from 0
} wring_view;

/* Over all ranks, on all of them; each edge and face counts once. Collective. */
PetscErrorCode wring_view_measure_edges(const wring_view *w, wring_mesh_measures *m);
PetscErrorCode wring_view_count_boundary(const wring_view *w, wring_mesh_measures *m);
PetscErrorCode wring_view_count_components(const wring_view *w, wring_mesh_measures *m);
