/*
  Private to src/contact: values at corners of contacts, of which other ranks own some. A place is an owned vertex, or
  n_owned + the index of a far corner.
*/
#pragma once
#include <wring/mesh.h>

typedef struct {
  const wring_mesh *mesh;   // borrowed
  wring_phases     *phases; // to which exchanges are counted; borrowed, may be NULL; not changed by `build`
  PetscLayout       layout;
  PetscSF           sf;     // roots: owned vertices; leaves: 0 ... n - 1
  PetscBool         any;    // some rank has far corners
  PetscInt          n;      // far corners
  PetscInt         *global; // [n] their global numbers, ascending
} wring_corners;

/*
  Finds the places of corners, place [n], -1 where home[i].rank is -1. Replaces earlier far corners; *c begins as a zero
  struct. Collective.
*/
PetscErrorCode wring_corners_build(const wring_mesh *m, PetscInt n, const PetscSFNode *home, PetscInt *place,
                                   wring_corners *c);
PetscErrorCode wring_corners_destroy(wring_corners *c);

/* far [n] from the owners' values; far [n] added to the owners' values. Collective. */
PetscErrorCode wring_corners_fetch(const wring_corners *c, MPI_Datatype type, const void *owned, void *far);
PetscErrorCode wring_corners_add(const wring_corners *c, MPI_Datatype type, const void *far, void *owned);

/* The row of three numbers at a place, in owned or far; not to be written if these are constant. */
static inline double *wring_corners_at(const wring_corners *c, PetscInt place, const double *owned, const double *far)
{
  const PetscInt n_owned = c->mesh->n_owned;
  return (double *)(place < n_owned ? owned + 3 * (size_t)place : far + 3 * (size_t)(place - n_owned));
}

static inline PetscInt wring_corners_global(const wring_corners *c, PetscInt place)
{
  return place < c->mesh->n_owned ? c->mesh->number.begin + place : c->global[place - c->mesh->n_owned];
}
