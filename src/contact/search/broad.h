/*
  Private to src/contact: pairs of simplices that are or come near each other on their ways, by trees of boxes; a
  spatial hash distributes the simplices to the ranks. docs/theory.md (9.5), (9.21)
*/
#pragma once
#include "contact/simplices.h"

/* A simplex as the ranks of its cells see it. */
typedef struct {
  int         corners;
  PetscBool   bare;
  PetscInt    body;        // that of its first corner
  PetscInt    original[3]; // of the corners
  PetscSFNode home[3];     // of the corners, rank -1 beyond them
  double      area;        // m^2
  double      x[9], d[9];  // m: the way of the corners is x + t d, t in [0, 1]
  double      X[9];        // m, at rest
  double      normal[3];   // of wring_simplex
  PetscSFNode beside[2];
} wring_seen;

/* Rows [corners][3] of a, then those of b. */
static inline void wring_join_seen(const wring_seen *a, const double *of_a, const wring_seen *b, const double *of_b,
                                   double *row)
{
  for (int i = 0; i < 3 * a->corners; i++) row[i] = of_a[i];
  for (int i = 0; i < 3 * b->corners; i++) row[3 * a->corners + i] = of_b[i];
}

/* The pairs to be found: a has at most as many corners as b; if as many, a has the lower numbers. */
typedef struct {
  double        reach;        // m
  PetscBool     wanted[3][3]; // [corners of a - 1][corners of b - 1]
  size_t        size;         // bytes of a row
  const void   *context;
  wring_phases *phases; // to which the search is counted; borrowed, may be NULL
  /*
    Whether the pair is kept, and its row, which is sent to rank *to. Called by threads.
  */
  PetscBool (*keep)(const void *context, const wring_seen *a, const wring_seen *b, void *row, PetscInt *to);
} wring_broad;

/*
  Finds the pairs of the n simplices of all ranks that are no farther apart than `reach` at some t of their ways, and
  others whose boxes meet: rows *found [*n_found][size], in no order, freed by PetscFree. x and d [n_local][3], ghosts
  up to date; d may be NULL, 0. Simplices that are not finite are left out. Each pair is found once, whatever the
  partition. *compared, which may be NULL: boxes that this rank compared. Collective.
*/
PetscErrorCode wring_broad_find(const wring_mesh *m, const wring_skin *skin, PetscInt n, const wring_simplex *simplex,
                                const double *x, const double *d, const wring_broad *how, PetscInt *n_found,
                                void *found, PetscInt64 *compared);
