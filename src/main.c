/* The program: starts MPI and PETSc, runs one command (src/study/commands.c), and converts errors to an exit status. */
#define _XOPEN_SOURCE 700 // SIGXFSZ
#include <signal.h>
#include <wring/study.h>

static PetscErrorCode start(int *argc, char ***argv)
{
  PetscFunctionBegin;
  wring_memory_return_freed();
  wring_threads_wait_briefly(*argv);
  signal(SIGPIPE, SIG_IGN); // a closed pipe must not end a run
  signal(SIGXFSZ, SIG_IGN); // a file size limit must end a run with an error, as a full disk does
  if (wring_study_stops(*argc, *argv)) wring_study_hold_signals();
  PetscCall(wring_start_libraries(argc, argv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(int argc, char **argv, wring_ending *end)
{
  PetscFunctionBegin;
  PetscCall(wring_check_thread_level(MPI_COMM_WORLD)); // MPI_Init_thread may have provided less than it was asked for
  PetscCall(wring_study_command(MPI_COMM_WORLD, argc, argv, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  wring_ending        end     = {0};
  wring_error_handler handler = {.program = "wring", .status = WRING_EXIT_INTERNAL};
  if (start(&argc, &argv) || wring_error_handler_push(&handler)) return WRING_EXIT_INTERNAL;
  const PetscErrorCode code = run(argc, argv, &end);
  if (code) end.status = code == WRING_ERR_OUTPUT ? WRING_EXIT_OUTPUT : WRING_EXIT_INPUT;
  // PetscFinalize takes it for an internal error if the screen, a closed pipe or a full disk, takes no more text.
  if (fflush(stdout) && !freopen("/dev/null", "w", stdout)) return WRING_EXIT_INTERNAL;
  if (PetscFinalize()) return WRING_EXIT_INTERNAL;
  MPI_Finalize();
  wring_study_draw(&end);
  return end.status;
}
