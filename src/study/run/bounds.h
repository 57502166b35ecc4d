/* The positions that a run accepts: those of a state that diverges have no relation to the loads. */
#pragma once
#include <wring/problem.h>

typedef struct {
  double centre[3], size; // m: of the box around the vertices at rest and at the start; its diagonal
} wring_bounds;

/* Of the mesh and the state of the problem. Collective. */
PetscErrorCode wring_bounds_create(const wring_problem *p, wring_bounds *b);

/*
  Whether x is acceptable: no edge of a tetrahedron, triangle or spring is longer than 1e6 times the size, which is a
  strain of more than 1e6, and no vertex is farther than 1e12 times the size from the centre, where a double resolves
  the size to four digits. Otherwise notes what is found. A box of size 0 accepts everything. One reduction, and a halo
  exchange if a vertex is very far off. Collective.
*/
PetscErrorCode wring_bounds_check(wring_problem *p, const wring_bounds *b, Vec x, PetscBool *within);
