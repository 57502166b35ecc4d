/*
  ranks: 1 2
  The error handler that base.h offers to programs. test_handler.sh calls this program with an argument. Without an
  argument: bad input is printed once and returned, and printed again after `reported` is cleared.
*/
#include "check.h"

static PetscErrorCode refuse(int n)
{
  PetscFunctionBegin;
  WRING_REFUSE(PETSC_COMM_WORLD, "deck:%d: refused", n);
}

/* Rank 1 fails while the others wait for it. */
static PetscErrorCode fail_alone(PetscMPIInt rank)
{
  PetscFunctionBegin;
  PetscCheck(rank != 1, PETSC_COMM_SELF, PETSC_ERR_LIB, "a fault of rank 1");
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  wring_error_handler handler = {.program = "client", .status = 5};
  PetscMPIInt         rank;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(wring_error_handler_push(&handler));
  if (argc > 1 && !strcmp(argv[1], "alone")) {
    (void)fail_alone(rank);
  } else {
    CHECK(refuse(1) == PETSC_ERR_USER_INPUT && handler.reported, "bad input is returned");
    CHECK(refuse(2) == PETSC_ERR_USER_INPUT, "and not printed again");
    handler.reported = PETSC_FALSE;
    CHECK(refuse(3) == PETSC_ERR_USER_INPUT, "until this is cleared");
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscFinalize());
  return 0;
}
