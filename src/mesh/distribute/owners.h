/*
  Private to src/mesh: the part that owns each vertex, on the rank whose slice has the vertex.
*/
#pragma once
#include "pieces.h"

typedef struct {
  PetscInt    n_part;
  PetscInt   *owner;    // [block->n] the part of each vertex of this rank's block
  PetscInt   *start;    // [block->n + 1] of touching
  PetscInt   *touching; // the parts with tets at the vertex, ascending
  PetscInt64 *load;     // [n_part] vertices of each part
} wring_owners;

/*
  part [p->n] of the tets. A vertex of tets of several parts goes to the least loaded of them. Vertices without tets are
  pieces of the curve through them, such that the parts own equally many vertices, as far as possible. Depends neither
  on slices nor on pieces. Collective.
*/
PetscErrorCode wring_owners_create(const wring_pieces *p, PetscInt n_part, const PetscInt *part, wring_owners *o);
PetscErrorCode wring_owners_destroy(wring_owners *o);

/* A vertex, by its original number, of an element of a part. */
typedef struct {
  PetscInt vertex, part;
} wring_touch;

/* Sends list [n] to the blocks of their vertices: *got [*n_got] by vertex and part, with repetitions. Collective. */
PetscErrorCode wring_touches_match(const wring_pieces *p, PetscInt n, const wring_touch *list, PetscInt *n_got,
                                   wring_touch **got);
