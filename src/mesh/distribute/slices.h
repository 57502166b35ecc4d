/*
  Private to the library: rows of vertices in slices by original number, one slice for each rank (PetscLayout), which
  any rank may ask for; and the vertices of a list of tets.
*/
#pragma once
#include "base/exchange.h"

/* number [n] becomes the rank whose slice has it. */
PetscErrorCode wring_slices_find_owners(PetscLayout slice, PetscInt n, PetscInt *number);

/* row [n][width bytes] from table [slice->n][width] of all ranks. Collective. */
PetscErrorCode wring_slices_fetch(PetscLayout slice, PetscInt n, const PetscInt *number, size_t width,
                                  const void *table, void *row);

/*
  The different numbers in tet [n_tet][4], ascending: *vertex [*n], freed by the caller. tet becomes places in vertex.
  Takes a small multiple of *n of memory, or at most half of that of tet. Not collective.
*/
PetscErrorCode wring_slices_compact(PetscInt n_tet, PetscInt *tet, PetscInt *n, PetscInt **vertex);
