#include "slices.h"
#include "base/grow.h"
#include "base/map.h"
#include "base/sort.h"

PetscErrorCode wring_slices_find_owners(PetscLayout slice, PetscInt n, PetscInt *number)
{
  PetscMPIInt owner;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(PetscLayoutFindOwner(slice, number[i], &owner));
    number[i] = owner;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_slices_fetch(PetscLayout slice, PetscInt n, const PetscInt *number, size_t width,
                                  const void *table, void *row)
{
  wring_exchange x;

  PetscFunctionBegin;
  PetscCall(wring_exchange_ask(slice, n, number, &x));
  PetscCall(wring_exchange_fetch(&x, width, table, row));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tet becomes places in *number [*n], in the order in which the numbers appear. */
static PetscErrorCode number_corners(PetscInt n_tet, PetscInt *tet, PetscInt *n, PetscInt **number)
{
  wring_map map  = {0};
  PetscInt  room = 0, place;

  PetscFunctionBegin;
  *n      = 0;
  *number = NULL;
  for (PetscInt i = 0; i < 4 * n_tet; i++) {
    PetscCall(wring_map_add(&map, tet[i], *n, &place));
    if (place == *n) {
      PetscCall(wring_grow((PetscInt64)*n + 1, &room, sizeof **number, number));
      (*number)[(*n)++] = tet[i];
    }
    tet[i] = place;
  }
  PetscCall(wring_map_destroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that lie far from each other. */
static PetscErrorCode compact_sparse(PetscInt n_tet, PetscInt *tet, PetscInt *n, PetscInt **vertex)
{
  PetscInt *number, *order, *place;

  PetscFunctionBegin;
  PetscCall(number_corners(n_tet, tet, n, &number));
  PetscCall(PetscMalloc2((size_t)*n, &order, (size_t)*n, &place));
  PetscCall(wring_order_numbers(*n, number, order));
  PetscCall(PetscMalloc1((size_t)*n, vertex));
  for (PetscInt i = 0; i < *n; i++) {
    place[order[i]] = i;
    (*vertex)[i]    = number[order[i]];
  }
  for (PetscInt i = 0; i < 4 * n_tet; i++) tet[i] = place[tet[i]];
  PetscCall(PetscFree2(order, place));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers in [least, least + range): by a table of the range. */
static PetscErrorCode compact_dense(PetscInt n_tet, PetscInt *tet, PetscInt least, PetscInt range, PetscInt *n,
                                    PetscInt **vertex)
{
  const size_t all = 4 * (size_t)n_tet;
  PetscInt    *place; // whether a number is there, then its place

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)range, &place));
  for (size_t i = 0; i < all; i++) place[tet[i] - least] = 1;
  *n = 0;
  for (PetscInt v = 0; v < range; v++) *n += place[v];
  PetscCall(PetscMalloc1((size_t)*n, vertex));
  *n = 0;
  for (PetscInt v = 0; v < range; v++) {
    if (!place[v]) continue;
    (*vertex)[*n] = least + v;
    place[v]      = (*n)++;
  }
  for (size_t i = 0; i < all; i++) tet[i] = place[tet[i] - least];
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_slices_compact(PetscInt n_tet, PetscInt *tet, PetscInt *n, PetscInt **vertex)
{
  PetscInt least = PETSC_MAX_INT, largest = 0;

  PetscFunctionBegin;
  for (size_t i = 0; i < 4 * (size_t)n_tet; i++) {
    least   = PetscMin(least, tet[i]);
    largest = PetscMax(largest, tet[i]);
  }
  if (n_tet > 0 && largest - least < 2 * n_tet)
    PetscCall(compact_dense(n_tet, tet, least, largest - least + 1, n, vertex));
  else
    PetscCall(compact_sparse(n_tet, tet, n, vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}
