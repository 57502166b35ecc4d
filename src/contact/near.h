/* Private to src/contact: finds the vertices of a surface that are near triangles of it. docs/theory.md (9.4), (9.5) */
#pragma once
#include "simplices.h"

/* A vertex and a triangle, first what pairs are sorted by. */
typedef struct {
  PetscInt    vertex;      // owned, local
  PetscInt    original[3]; // of the corners
  PetscSFNode home[3];     // of the corners
  PetscInt    body;        // of the triangle
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
  Two edges, the first one of the body with the lower number; first what pairs are sorted by. Corner 0 is `vertex`,
  1 the other end of the first edge, 2 and 3 are the second edge; 4 and 5 are beside the first one, 6 and 7 the second.
*/
enum { WRING_EDGES_CORNERS = 8 };

typedef struct {
  PetscInt    vertex;                        // owned, local
  PetscInt    original[3];                   // of corners 1 to 3
  PetscSFNode home[WRING_EDGES_CORNERS - 1]; // of corners 1 to 7
  PetscInt    body;                          // of the second edge
  PetscBool   own;                           // both are of one body
} wring_near_edges;

/*
  The same of edges of triangles [n_simplex] of this rank. Of one body, pairs are excluded that have a common triangle
  or corner, or that at rest are nearer than `front`, or nearer than `behind` without being in front of each other.
*/
PetscErrorCode wring_near_find_edges(const wring_mesh *m, const wring_skin *s, PetscInt n_simplex,
                                     const wring_simplex *simplex, const double *x, const wring_near_range *range,
                                     PetscInt *n, wring_near_edges **near);

/* The vertices and triangles of the surface, *simplex [*n], in this order; freed by PetscFree. Not collective. */
PetscErrorCode wring_near_simplices(const wring_skin *s, PetscInt *n, wring_simplex **simplex);
