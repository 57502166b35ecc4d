/* Private to src/mesh: tets that share a face, on one rank and on several. */
#pragma once
#include <wring/base.h>
#include "mesh/tet.h"

/* A face of a tet, or a triangle. */
typedef struct {
  PetscInt   v[3];     // ascending
  PetscInt   opposite; // the other corner of the tet; -1: a triangle
  PetscInt64 place;    // 4 tet + the place of that corner; the number of the triangle
} wring_face;

/* The same face n times: triangles first, then tets by opposite, equal ones by place. */
typedef void wring_face_visitor(void *context, PetscInt n, wring_face *f);

/*
  Visits the faces of tets [n_tet][4] and triangles [n_triangle][3], of which those with a negative third vertex are
  none; vertices are below n_vertex. Not collective.
*/
PetscErrorCode wring_faces_visit(PetscInt n_vertex, PetscInt n_tet, const PetscInt *tet, PetscInt n_triangle,
                                 const PetscInt *triangle, wring_face_visitor *visit, void *context);

/* neighbour [n_tet][4]: the tet across the face opposite to corner a of tet e, or -1 on the boundary. */
PetscErrorCode wring_faces_match(PetscInt n_vertex, PetscInt n_tet, const PetscInt *tet, PetscInt *neighbour);

/*
  Tets of all ranks, whose vertices have original numbers, in slices by rank. other [*n], freed by the caller, of each
  face without a neighbour, in the order of neighbour: the place of the same face, where tets are numbered rank after
  rank, -1: none. Collective.
*/
PetscErrorCode wring_faces_match_ranks(PetscLayout slice, const PetscInt *original, PetscInt n_tet, const PetscInt *tet,
                                       const PetscInt *neighbour, PetscInt *n, PetscInt64 **other);

/*
  Cuts a line into two or a triangle into four: row is one of m->set.element, mid the vertices at the middles of its
  edges 01 12 20; part [4][4] has the form of rows. Returns their number: 1, the row itself, if mid[0] is negative.
*/
int wring_set_element_cut(const PetscInt row[4], const PetscInt mid[3], PetscInt *part);
