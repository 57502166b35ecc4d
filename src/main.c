/* The program: starts MPI and PETSc, runs one command (src/study/commands.c), and turns errors into an exit status. */
#define _XOPEN_SOURCE 700 // SIGXFSZ
#include <signal.h>
#include <stdio.h>
#include <wring/study.h>

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscBool printed; // an error is printed once, where it is raised, and returned by its callers
} reporter;

/*
  Bad input and output that cannot be written are raised by all ranks and lead to exit status 1 or 4; any other error
  ends the program here.
*/
static PetscErrorCode report(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                             PetscErrorType type, const char *message, void *context)
{
  reporter *const r = context;
  int             rank, size, all;
  if (type == PETSC_ERROR_REPEAT || r->printed) return code;
  r->printed = PETSC_TRUE;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if ((code != PETSC_ERR_USER_INPUT && code != WRING_ERR_OUTPUT) || size != all) {
    fprintf(stderr, "wring: internal error: %s (%s, %s:%d)\n", message, function, file, line);
    MPI_Abort(MPI_COMM_WORLD, WRING_EXIT_INTERNAL);
  }
  if (rank == 0) fprintf(stderr, "wring: %s\n", message);
  return code;
}

/* PETSc gets none of our arguments, no file of options and no signals: its options are keys of the deck. */
static PetscErrorCode start(int *argc, char ***argv)
{
  static char  program[] = "wring", no_file[] = "-skip_petscrc", no_signals[] = "-no_signal_handler";
  static char *words[] = {program, no_file, no_signals, NULL};
  int          n       = 3, provided;
  char       **w       = words;

  PetscFunctionBegin;
  signal(SIGPIPE, SIG_IGN); // a reader that goes away must not end a march
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files must end it by an error, like a full disk
  if (wring_study_stops(*argc, *argv)) wring_study_hold_signals();
  PetscCallMPI(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
  PetscCall(PetscInitialize(&n, &w, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  wring_ending end = {0};
  reporter     r   = {PETSC_FALSE};
  if (start(&argc, &argv)) return WRING_EXIT_INTERNAL;
  if (PetscPushErrorHandler(report, &r)) return WRING_EXIT_INTERNAL;
  const PetscErrorCode code = wring_study_command(MPI_COMM_WORLD, argc, argv, &end);
  if (code) end.status = code == WRING_ERR_OUTPUT ? WRING_EXIT_OUTPUT : WRING_EXIT_INPUT;
  if (PetscFinalize()) return WRING_EXIT_INTERNAL;
  MPI_Finalize();
  wring_study_draw(&end);
  return end.status;
}
