/*
  ranks: 1 2 4
  The error handler that base.h offers to programs, and test_handler.sh counts what it prints. "alone": one rank fails.
  Otherwise bad input is printed once and returned, and printed again after `reported` is cleared.
*/
#include <wring/problem.h>
#include <wring/study.h> // wring_study_check_keys
#include "keys.h"
#include "refused.h"

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

/* A body on this communicator, of a deck that has a typing mistake or not. */
static PetscErrorCode make_body(MPI_Comm comm, const char *solver)
{
  wring_options *o;
  wring_problem *p;

  PetscFunctionBegin;
  PetscCall(wring_options_create(comm, &o));
  PetscCall(test_set(o, "material_", "model=corotated young=1e5 poisson=0.3 density=1000"));
  PetscCall(test_set(o, "", "mesh_box_size=2,1,1 mesh_box_cells=4,2,2 time_step=1e-2"));
  PetscCall(wring_options_set(o, "solver_type", solver, "host"));
  PetscCall(wring_study_check_keys(o));
  PetscCall(wring_problem_create(comm, o, &p));
  PetscCall(wring_problem_destroy(&p));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last rank of a communicator finds a fault. */
static PetscErrorCode raise_of_last(MPI_Comm comm, PetscErrorCode (*raise)(MPI_Comm, const wring_error *))
{
  wring_error e = {""};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm), size = wring_comm_size(comm);
  if (rank == size - 1) wring_error_set(&e, "deck:4: refused");
  PetscCall(raise(comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every second rank refuses, on a communicator of these ranks, and the others go on. Fails if a rank of it does not
  get the code, if others are told, if one of them waits for ever, or if the world is aborted.
*/
static PetscErrorCode refuse_on_half(PetscMPIInt rank, wring_error_handler *handler)
{
  const PetscBool refused = (PetscBool)(rank % 2);
  MPI_Comm        half;
  PetscErrorCode  code;

  PetscFunctionBegin;
  handler->reported = PETSC_FALSE;
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, refused, rank, &half));
  __lsan_disable();
  code = make_body(half, refused ? "qnn" : "qn");
  __lsan_enable();
  CHECK(code == (refused ? PETSC_ERR_USER_INPUT : PETSC_SUCCESS), "rank %d: code %d", rank, (int)code);
  CHECK(handler->reported == refused, "rank %d", rank);
  if (refused) {
    CHECK(raise_of_last(half, wring_error_raise) == PETSC_ERR_USER_INPUT, "the fault of one rank");
    CHECK(raise_of_last(half, wring_error_raise_output) == WRING_ERR_OUTPUT, "a failed output");
    CHECK(make_body(half, "qn") == PETSC_SUCCESS, "a deck without fault after that");
  }
  PetscCallMPI(MPI_Comm_free(&half));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  wring_error_handler handler = {.program = "client", .status = 5};

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  PetscCall(wring_error_handler_push(&handler));
  if (argc > 1 && !strcmp(argv[1], "alone")) {
    (void)fail_alone(rank);
  } else {
    CHECK(refuse(1) == PETSC_ERR_USER_INPUT && handler.reported, "bad input is returned");
    CHECK(refuse(2) == PETSC_ERR_USER_INPUT, "and not printed again");
    handler.reported = PETSC_FALSE;
    CHECK(refuse(3) == PETSC_ERR_USER_INPUT, "until this is cleared");
    PetscCall(refuse_on_half(rank, &handler));
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscFinalize());
  return 0;
}
