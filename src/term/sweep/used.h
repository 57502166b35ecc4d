/*
  Private to src/term: the colours in use at each vertex, as bits. The first words of all vertices are in arrays; others
  are in a hash table, so that a vertex of 100,000 springs needs 100,000 bits and its neighbours one word each.
*/
#pragma once
#include "base/map.h"
#include <wring/mesh.h>

enum {
  USED_BITS  = 8 * sizeof(PetscInt) - 1, // colours of a word: all bits of a PetscInt but the sign
  USED_WORDS = 4                         // of every vertex in arrays
};

typedef struct {
  PetscInt vertex, word; // local
} used_place;

typedef struct {
  const wring_mesh  *mesh;  // borrowed
  PetscInt          *first; // [USED_WORDS][n_local]
  PetscInt          *full;  // [n_local] words of a vertex, from the first on, of which all bits are set
  wring_map          place; // of further words in `more`
  PetscInt           n_more, room;
  PetscInt          *more;
  PetscInt           n_changed, changed_room;
  used_place        *changed; // [n_changed] words of shared vertices with a new bit since the last wring_used_share
  const PetscSFNode *owner;   // [n_local - n_owned] of ghosts
  PetscInt          *sharer_start, *sharer; // ranks that have an owned vertex as a ghost: [n_owned + 1] and their list
} wring_used;

PetscErrorCode wring_used_create(const wring_mesh *m, wring_used *u); // collective
PetscErrorCode wring_used_destroy(wring_used *u);

/* Takes the first colour that is free at all of vertex [m]. */
PetscErrorCode wring_used_take(wring_used *u, int m, const PetscInt *vertex, PetscInt *colour);

/* Unites the colours of vertices over all ranks. Collective. */
PetscErrorCode wring_used_share(wring_used *u);
