/*
  Private to src/contact: vertices that pass through a wall. A vertex inside a body is pushed towards the nearest point
  of its surface, so that one past the middle of a wall leaves it on the other side. docs/theory.md (9.11)
*/
#pragma once
#include <wring/base.h>

/* A vertex inside a body: the direction in which it would leave on the side where it came in. */
typedef struct {
  PetscInt vertex, body;
  double   out[3];
} wring_entry;

typedef struct {
  PetscInt     n, n_next, room, room_next;
  wring_entry *entry; // [n] of the last step, by vertex
  wring_entry *next;  // [n_next] of the step that is being measured
} wring_crossings;

PetscBool wring_are_opposite(const double n[3], const double o[3]); // unit vectors, by (9.11)

/*
  Adds a vertex that is inside a body at the end of the step and pushed out along n. Vertices are added in ascending
  order, at most once for each body. Not collective, as all functions here.
*/
PetscErrorCode wring_crossings_add(wring_crossings *c, PetscInt vertex, PetscInt body, const double n[3]);

/* Counts the added vertices that are pushed against their direction of the last step, and goes on to the next step. */
PetscInt64     wring_crossings_count(wring_crossings *c);
PetscErrorCode wring_crossings_destroy(wring_crossings *c);
