/* Private to src/contact/barrier: the gap, and whether surfaces are apart at the start. docs/theory.md (9.22) */
#pragma once
#include "barrier_pairs.h"

/*
  Sets the gap, also of colliders without one; 0: the lesser of 1e-3 of the diagonal of the box around the vertices at
  rest and a quarter of the least distance at rest; without self-contact, from colliders, if it is above 0. Refuses
  surfaces that touch each other at rest. Sets the slip speed unless it is above 0, and the margin. Collective.
*/
PetscErrorCode wring_barrier_choose_gap(wring_barrier_pairs *p, double gap);

/*
  Refuses surfaces that touch or pass through each other or colliders, and bodies and colliders inside others, at x
  [n_local][3]. Collective.
*/
PetscErrorCode wring_barrier_check_start(const wring_barrier_pairs *p, const double *x);
