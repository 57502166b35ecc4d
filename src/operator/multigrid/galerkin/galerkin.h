/*
  P^T A P by rows, in threads, in the place of PETSc's products, which work on one thread of a rank. Sums do not depend
  on the number of threads. docs/theory.md (4.19)
*/
#pragma once
#include "operator/multigrid/level.h"

/* ---- coarse_matrix.c ---- */

/* C = P^T A P with A's values `a` and P = fine->from_coarse, as aij. Collective. */
PetscErrorCode wring_galerkin_matrix(const wring_level *fine, const wring_level_values *a, Mat *C);

/* ---- product.c ---- */

/*
  own and ghost, values of `coarse` in the order of its entries, from those of `fine` and its interpolation: what a
  change of values takes, where the pattern is known. Collective.
*/
PetscErrorCode wring_galerkin(const wring_level *fine, const wring_level_values *a, const wring_level *coarse,
                              double *own, double *ghost);
