#include "count.h"
#include <stdio.h>

PetscBool wring_count_fits(PetscInt64 rows, int width, const char *where, const char *what, wring_error *e)
{
  const PetscInt64 most = PETSC_MAX_INT / width;
  char             many[64];
  if (rows <= most) return PETSC_TRUE;
  snprintf(many, sizeof many, rows == INT64_MAX ? "more than 9e18" : "%lld", (long long)rows);
  wring_error_set(e, "%s: %s %s are too many for the %d-bit integers of this PETSc, expected at most %lld", where, many,
                  what, (int)(8 * sizeof(PetscInt)), (long long)most);
  return PETSC_FALSE;
}
