/* Private to src/contact: surface vertices that have gone through a body in one step. docs/theory.md 9 */
#pragma once
#include "mesh/surface/skin.h"

/*
  Counts the surface vertices of this rank that, on straight ways from `from` to x [n_local][3] m, ghosts up to date,
  went in through a triangle of another body and out through one of it. A triangle that a vertex nearly met, by a
  thousandth of their distance at `from`, counts as met. Collective.
*/
PetscErrorCode wring_jumps_count(const wring_mesh *m, const wring_skin *s, const double *from, const double *x,
                                 PetscInt64 *jumps);
