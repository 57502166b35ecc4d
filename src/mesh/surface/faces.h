/* Private to src/mesh: finds tets that share a face. */
#pragma once
#include <wring/base.h>

/* Corners of the face opposite to each corner of a tet with positive volume, counter-clockwise seen from outside. */
extern const int wring_face_corner[4][3];

/*
  neighbour [n_tet][4]: the tet across the face opposite to corner a of tet e, or -1 on the boundary. If a face belongs
  to more than two tets, crowd holds three of them, ascending; otherwise crowd[0] is -1. O(n_tet).
*/
PetscErrorCode wring_faces_match(PetscInt n_vertex, PetscInt n_tet, const PetscInt *tet, PetscInt *neighbour,
                                 PetscInt crowd[3]);

/*
  The same for order 2: the middles of the edges 01 12 20 of this face, as columns of m->mid, which is [6] for each tet.
*/
extern const int wring_face_mid[4][3];

/* The parts of a triangle that is cut in four: corners 0 1 2, then the middles of its edges 01 12 20. */
extern const int wring_triangle_part[4][3];

/*
  Cuts a line into two or a triangle into four: row is one of m->set_element, mid the vertices at the middles of its
  edges 01 12 20; part [4][4] has the form of rows. Returns their number: 1, the row itself, if mid[0] is negative.
*/
int wring_set_element_cut(const PetscInt row[4], const PetscInt mid[3], PetscInt *part);
