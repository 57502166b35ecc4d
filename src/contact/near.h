/*
  Private to src/contact: which vertices of a surface are near which triangles of it, found by a spatial hash whose
  cells are dealt to all ranks. docs/theory.md (9.4), (9.5)
*/
#pragma once
#include "mesh/surface/skin.h"

/* A vertex and a triangle. */
typedef struct {
  PetscInt    vertex;      // owned, local
  PetscInt    original[3]; // of the corners
  PetscSFNode home[3];     // of the corners
  PetscInt    body;        // of the triangle
  PetscInt    fair;        // whether the vertex was outside at rest: of another body, or in front of the triangle
} wring_near;

/* Which pairs are looked for. */
typedef struct {
  double reach;         // m: distance of the vertex from the triangle at x
  double front, behind; // m: pairs of one body that at rest are nearer than this, or nearer and with the vertex behind
                        // the triangle or in its plane, are left out
} wring_near_range;

/*
  The pairs at x [n_local][3], ghosts up to date, one for each, by vertex and then by the triangle's original numbers:
  *near [*n], freed with PetscFree. Left out are pairs in which the vertex is a corner, or a neighbour of one along an
  edge of the surface, those of `range`, and vertices and triangles that are not finite. The same on any partition.
  Collective.
*/
PetscErrorCode wring_near_find(const wring_mesh *m, const wring_skin *s, const double *x, const wring_near_range *range,
                               PetscInt *n, wring_near **near);
