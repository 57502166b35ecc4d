/* Private to src/contact: second derivatives of contacts between vertices, pair by pair. */
#pragma once
#include "corners.h"

enum { WRING_PAIR_NUMBERS = 12 }; // of the corners of a pair, at most

/*
  The semidefinite Hessian at x of pair i between its corners, H [n][n] N/m, and their places [n/3]; returns n, three
  for each corner, or 0 if the pair does not push. H may be NULL.
*/
typedef int wring_pair_hessian(const void *context, const double *x, PetscInt i, double *H, PetscInt *place);

/* The pairs of this rank at x, all borrowed. */
typedef struct {
  PetscInt             n;
  const wring_corners *corners;
  wring_pair_hessian  *of;
  const void          *context;
  const double        *x;
} wring_blocks;

/* What the functions of wring/contact.h with these names do. */
PetscErrorCode wring_blocks_count(const wring_blocks *b, PetscInt *count, PetscBool *joined);
PetscErrorCode wring_blocks_add(const wring_blocks *b, const char *held, Mat H);
PetscErrorCode wring_blocks_add_components(const wring_blocks *b, const char *held, const Mat A[3]);
PetscErrorCode wring_blocks_add_diagonal(const wring_blocks *b, double *diagonal);
PetscErrorCode wring_blocks_add_products(const wring_blocks *b, const double *u, const double *v, double sum[3]);
