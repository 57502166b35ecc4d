/*
  Private to src/contact/barrier: Coulomb's friction of pairs whose normal forces are given, a contact of its own beside
  the barrier that gives them. docs/theory.md (9.28) to (9.30)
*/
#pragma once
#include "closest.h"
#include "contact/contact_impl.h"

/* A pair in contact, or a part of the surface at a collider: u = P (sum of c_i (x_i - q_i) - way), P = 1 - n n^T. */
typedef struct {
  int         corners, part;            // the number of the collider; -1: none
  PetscSFNode home[WRING_MOST_CORNERS]; // of the corners
  double      c[WRING_MOST_CORNERS], n[3];
  double      force;    // N: coefficient times normal force
  double      sticking; // m: slip below which the force is less
  double      way[3];   // m: of the collider's material at the point in contact, in the step
  double      arm[3];   // m: from the collider's centre to this point
} wring_slip;

/* Without pairs; the colliders of the barrier are its parts. phases: as of wring_barrier_body. Collective. */
PetscErrorCode wring_friction_create(const wring_contact *barrier, wring_phases *phases, wring_contact **friction);

/*
  The pairs of this rank, slip [n], copied, each on one rank. q [n_owned][3] m: where the step begins, copied; NULL: the
  last one. Collective.
*/
PetscErrorCode wring_friction_set(wring_contact *friction, const double *q, PetscInt n, const wring_slip *slip);

/* Adds the forces on the body of each collider at x [n_local][3] to force [parts][3] N. Collective. */
PetscErrorCode wring_friction_add_forces(wring_contact *friction, const double *x, double *force);
