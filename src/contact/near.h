/*
  Private to src/contact: finds the vertices of a surface that are near triangles of it. docs/theory.md (9.4), (9.5)
*/
#pragma once
#include "simplices.h"

/* A vertex and a triangle, first what pairs are sorted by. */
typedef struct {
  PetscInt    vertex;      // owned, local
  PetscInt    original[3]; // of the corners
  PetscSFNode home[3];     // of the corners
  PetscInt    body;        // of the triangle
  PetscInt    fair;        // 1: the vertex was outside at rest, that is of another body or in front of the triangle
} wring_near;

/* The pairs to be found. */
typedef struct {
  double reach;         // m: distance of the vertex from the triangle at x
  double front, behind; // m: excludes pairs of one body that at rest are nearer than `front`, or nearer than `behind`
                        // with the vertex behind the triangle or in its plane
  wring_phases *phases; // of wring_broad
} wring_near_range;

/*
  Finds the pairs at x [n_local][3], ghosts up to date: *near [*n], each pair once, sorted by vertex and then by the
  triangle's original numbers, freed with PetscFree. Excluded are pairs whose vertex is a corner of the triangle or a
  neighbour of one along an edge of the surface, pairs that `range` excludes, and vertices and triangles that are not
  finite. The result is the same for any partition. *compared, which may be NULL: as of wring_broad_find, a measure of
  the work. Collective.
*/
PetscErrorCode wring_near_find(const wring_mesh *m, const wring_skin *s, const double *x, const wring_near_range *range,
                               PetscInt *n, wring_near **near, PetscInt64 *compared);

/*
  The same of two edges of different bodies, of simplices of this rank: `vertex` and corner 0 are of the body with the
  lower number, corners 1 and 2 of `body`. front and behind do not matter.
*/
PetscErrorCode wring_near_find_edges(const wring_mesh *m, const wring_skin *s, PetscInt n_simplex,
                                     const wring_simplex *simplex, const double *x, const wring_near_range *range,
                                     PetscInt *n, wring_near **near);

/* The vertices and triangles of the surface, *simplex [*n], in this order; freed by PetscFree. Not collective. */
PetscErrorCode wring_near_simplices(const wring_skin *s, PetscInt *n, wring_simplex **simplex);
