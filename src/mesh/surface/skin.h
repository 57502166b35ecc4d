/*
  Private to src/mesh and src/contact: the surface of the tetrahedra of a distributed mesh. Memory is proportional to
  this rank's part of the surface, except for two numbers a vertex.

  Map of mesh/surface, in reading order:
    faces.c     finds tets that share a face, on one rank and on several
    skin.c      the surface of the tets of all ranks, with neighbours and bodies; faces of second order cut in four
    surface.c   wring_mesh_surface: triangles of a set, oriented outward
    elements.c  lines and triangles of a set, and hinges, on their owners
    face.c      integrals over triangles and faces
    nearest.h   the nearest point of a triangle
*/
#pragma once
#include <wring/mesh.h>

typedef struct {
  PetscInt     n;        // triangles: faces of this rank's tets that no other tet of any rank has, of order 2 in parts
  PetscInt    *corner;   // [n][3] local vertices, counter-clockwise seen from outside
  PetscInt    *face;     // [n] 4 e + a: the face of tet e opposite to its corner a
  PetscInt     n_vertex; // owned vertices of triangles on any rank
  PetscInt    *vertex;   // [n_vertex] local, ascending
  PetscInt    *ring_start; // [n_vertex + 1]
  PetscInt    *ring;       // [ring_start[n_vertex]] original numbers of neighbours along edges of triangles, ascending
  PetscInt    *body;       // [n_local] the lowest original number of the vertices connected to this one by tets
  PetscSFNode *home;       // [n_local] the owner's rank and the vertex's local number there
} wring_skin;

/*
  The face of tet e opposite to corner a: v [6], its corners, counter-clockwise seen from outside, then of order 2 the
  middles of its edges 01 12 20. Returns their number.
*/
int wring_mesh_face(const wring_mesh *m, PetscInt e, int a, PetscInt *v);

PetscErrorCode wring_skin_create(const wring_mesh *m, wring_skin **s); // collective
PetscErrorCode wring_skin_destroy(wring_skin **s);
