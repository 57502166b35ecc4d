/*
  Private to src/mesh and src/contact: the surface of the tetrahedra of a distributed mesh. Memory proportional to what is here
  of the surface, but for two numbers a vertex.
*/
#pragma once
#include <wring/mesh.h>

typedef struct {
  PetscInt  n;          // triangles: faces of this rank's tets that no other tet of any rank has
  PetscInt *corner;     // [n][3] local vertices; their order turns to the left seen from outside
  PetscInt  n_vertex;   // owned vertices of triangles, of any rank's
  PetscInt *vertex;     // [n_vertex] local, ascending
  PetscInt *ring_start; // [n_vertex + 1]
  PetscInt
    *ring; // [ring_start[n_vertex]] original numbers of the neighbours of each along edges of triangles, ascending
  PetscInt    *body; // [n_local] the least original number of the vertices that tets join to this one
  PetscSFNode *home; // [n_local] the owner's rank and the vertex's local number there
} wring_skin;

PetscErrorCode wring_skin_create(const wring_mesh *m, wring_skin **s); // collective
PetscErrorCode wring_skin_destroy(wring_skin **s);
