/*
  Private to src/contact: the points, edges and triangles that take part in contacts, each on one rank. docs/theory.md
  (9.20)
*/
#pragma once
#include "mesh/surface/skin.h"

/* Of one to three corners, which are local vertices of this rank. */
typedef struct {
  int         corners;
  PetscBool   bare;      // a point or an edge without a triangle
  PetscInt    vertex[3]; // by ascending original number
  double      area;      // m^2 at rest: its part of the triangles at it; 0 if it is bare
  double      normal[3]; // of an edge: the sum of the unit normals at rest of its triangles, seen from outside
  PetscSFNode beside[2]; // of an edge: the third corner of that which it goes around counter-clockwise; of another one
} wring_simplex;

static inline void wring_simplex_gather(const wring_simplex *s, const double *x, double *corners) // [s->corners][3]
{
  for (int k = 0; k < 3 * s->corners; k++) corners[k] = x[3 * (size_t)s->vertex[k / 3] + (size_t)(k % 3)];
}

/* Elements that are not of tets, on any ranks that have their vertices; repetitions are dropped. */
typedef struct {
  PetscInt        n_triangle, n_line;
  const PetscInt *triangle, *line; // [n_triangle][3], [n_line][2] local vertices
} wring_extra_sides;

/*
  The surface of the tets and the extra elements: *simplex [*n], freed by PetscFree: its triangles, their edges and the
  extra lines once, and the owned vertices of these and of nothing (neither tet nor element). The union over ranks does
  not depend on the partition. Collective.
*/
PetscErrorCode wring_simplices_find(const wring_mesh *m, const wring_skin *skin, const wring_extra_sides *extra,
                                    PetscInt *n, wring_simplex **simplex);
