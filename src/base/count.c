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

PetscErrorCode wring_count_check(MPI_Comm comm, PetscInt64 rows, int width, const char *where, const char *what)
{
  wring_error error = {""};

  PetscFunctionBegin;
  wring_count_fits(rows, width, where, what, &error);
  PetscCall(wring_error_raise(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

wring_share wring_equal_share(MPI_Comm comm, PetscInt64 all)
{
  const PetscMPIInt rank = wring_comm_rank(comm), size = wring_comm_size(comm);
  return (wring_share){all, all / size * rank + PetscMin(rank, all % size), all / size + (rank < all % size)};
}

PetscInt wring_share_holder(MPI_Comm comm, PetscInt64 all, PetscInt64 i)
{
  const PetscMPIInt size = wring_comm_size(comm);
  const PetscInt64  n = all / size, longer = all % size;
  return (PetscInt)(i < longer * (n + 1) ? i / (n + 1) : longer + (i - longer * (n + 1)) / n);
}
