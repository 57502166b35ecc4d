/*
  Private to the library: the limit on counts. The entries of a table, rows times width, must be countable by PetscInt;
  this is checked when a table is created, so that loops over its rows need no wider integers. And the shares of ranks.
*/
#pragma once
#include <wring/base.h>

/* a b and a + b for a, b >= 0; INT64_MAX on overflow. */
static inline PetscInt64 wring_count_times(PetscInt64 a, PetscInt64 b)
{
  return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static inline PetscInt64 wring_count_plus(PetscInt64 a, PetscInt64 b)
{
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Items [begin, begin + n) of all: equal shares of ranks, of which the first have one more if they cannot be equal. */
typedef struct {
  PetscInt64 all, begin, n;
} wring_share;

wring_share wring_equal_share(MPI_Comm comm, PetscInt64 all);

/* The rank that has item i. */
PetscInt wring_share_holder(MPI_Comm comm, PetscInt64 all, PetscInt64 i);

/*
  Whether rows x width <= PETSC_MAX_INT. If not, sets the error: "<where>: <rows> <what> are too many for the 32-bit
  integers of this PETSc, expected at most <limit>". Not collective.
*/
PetscBool wring_count_fits(PetscInt64 rows, int width, const char *where, const char *what, wring_error *e);

/* Raises that error of the lowest rank that has it. Collective. */
PetscErrorCode wring_count_check(MPI_Comm comm, PetscInt64 rows, int width, const char *where, const char *what);
