/* The median of times. */
#pragma once
#include <petscsys.h>

/* The median of a [n], n > 0, which is sorted. */
static inline PetscErrorCode wring_median(PetscInt n, double *a, double *median)
{
  PetscFunctionBegin;
  PetscCall(PetscSortReal(n, a));
  *median = 0.5 * (a[(n - 1) / 2] + a[n / 2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
