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
