/* Private to src/contact: parts of a surface that have gone through a body in one step. docs/theory.md 9 */
#pragma once
#include "simplices.h"

/*
  Counts the surface vertices, and of `edge` [n_edge] those of the body with the lower number, of this rank that on
  straight ways from `from` to x [n_local][3] m, ghosts up to date, went in through a triangle, or an edge, of another
  body and out through one of it. What they nearly met, by a thousandth of their distance at `from`, counts as met.
  Collective.
*/
PetscErrorCode wring_jumps_count(const wring_mesh *m, const wring_skin *s, PetscInt n_edge, const wring_simplex *edge,
                                 const double *from, const double *x, PetscInt64 *jumps);
