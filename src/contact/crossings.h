/*
  Private to src/contact: vertices that pass through a wall. A vertex inside a body is pushed towards the nearest
  triangle, so that one past the middle of a wall leaves it on the other side. docs/theory.md (9.10)
*/
#pragma once
#include "pairs.h"

/* A vertex inside a body: the direction in which it would leave on the side where it came in. */
typedef struct {
  PetscInt vertex, body;
  double   out[3];
} wring_entry;

typedef struct {
  PetscInt     n;
  wring_entry *entry; // [n] by vertex
} wring_crossings;

/*
  pair [n]: those that touch at the end of a step, sorted by vertex. Keeps the entries of vertices that are inside (d <
  0), adds new ones, and counts those that are pushed against their `out`. Not collective.
*/
PetscErrorCode wring_crossings_update(wring_crossings *c, PetscInt n, const wring_pair *pair, PetscInt64 *crossed);
PetscErrorCode wring_crossings_destroy(wring_crossings *c);
