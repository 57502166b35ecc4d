/*
  The numbers of P^T A P for a coarse matrix whose pattern is known: what a change of values takes in the place of
  PETSc's product, which finds the pattern each time. docs/theory.md (4.19)
*/
#pragma once
#include "level.h"

/* Values of a level's matrix in double, in the order of its entries; entry (i, j) is times scale[i] scale[j]. */
typedef struct {
  const double *own, *ghost;
  const float  *scale; // [n + n_ghost]; NULL: 1
} wring_level_values;

/*
  own and ghost, values of `coarse` in the order of its entries, from those of `fine` and its interpolation. Sums do not
  depend on the number of threads. Collective.
*/
PetscErrorCode wring_galerkin(const wring_level *fine, const wring_level_values *a, const wring_level *coarse,
                              double *own, double *ghost);

/* ---- level_renew.c ---- */

/*
  New values in a level: its matrix, its scaling and its smoother. Without a->scale, a is scaled as the level is now.
  q [n + n_ghost]: new over old scaling. Refuses a matrix that is not positive definite. Collective.
*/
PetscErrorCode wring_level_renew(wring_level *l, const wring_level_values *a, float *q);

/* Multiplies the scaling of P by the changes of the levels' scalings, fine [n_fine], coarse [n_coarse]. Collective. */
PetscErrorCode wring_interpolation_rescale(wring_interpolation *p, const float *fine, const float *coarse);
