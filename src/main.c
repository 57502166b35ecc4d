/* The program: wring COMMAND DECK [-key value ...], wring bench [-key value ...], wring mesh COMMAND FILES [-key value ...]. */
#define _XOPEN_SOURCE 700 // SIGXFSZ
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <wring/io.h>
#include <wring/study.h>

static const struct {
  const char  *name;
  wring_study *study;
} commands[] = {
  {"run", wring_study_run},
  {"compare", wring_study_compare},
  {"evaluate", wring_study_evaluate},
  {"check", wring_study_check},
};

static const char usage[] =
  "wring run|compare|evaluate|check DECK [-key value ...], wring bench [-key value ...], wring mesh info FILE, "
  "wring mesh convert|refine FROM TO, "
  "wring mesh box TO, wring help [deck|KEY], wring version";

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscBool told; // an error is said once, where it is raised; its callers hand it up
} reporter;

/* Bad input and lost output are raised by all ranks alike and lead to exit status 1 or 4; anything else ends the program here. */
static PetscErrorCode report(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                             PetscErrorType type, const char *message, void *context)
{
  reporter *const r = context;
  int             rank, size, all;
  if (type == PETSC_ERROR_REPEAT || r->told) return code;
  r->told = PETSC_TRUE;
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

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode study(MPI_Comm comm, wring_study *command, const char *deck, int n, char **args,
                            wring_exit *status)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(comm, &o));
  PetscCall(wring_deck_read(deck, n, args, o));
  PetscCall(command(comm, o, status));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one study without a deck. */
static PetscErrorCode bench(MPI_Comm comm, int n, char **args, wring_exit *status)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(comm, &o));
  PetscCall(wring_options_set_deck(o, "wring bench"));
  PetscCall(wring_deck_read_arguments(n, args, o));
  PetscCall(wring_study_bench(comm, o, status));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode help(MPI_Comm comm, const char *key)
{
  PetscFunctionBegin;
  if (!key) PetscCall(PetscPrintf(comm, "%s\n\n", usage));
  PetscCall(wring_study_help(comm, key ? key : "deck"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A command that there is has too many words; one that there is not gets the nearest. */
static PetscErrorCode refuse_command(MPI_Comm comm, const char *name)
{
  static const char *const known[] = {"run", "compare", "evaluate", "check", "bench", "help", "version"};
  const char              *nearest = NULL;
  int                      least   = 3; // so many edits do not mean the same word

  PetscFunctionBegin;
  if (!name[0]) WRING_REFUSE(comm, "no command, expected %s", usage);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const int distance = wring_edit_distance(name, known[i]);
    if (distance >= least) continue;
    least   = distance;
    nearest = known[i];
  }
  if (nearest && least == 0) WRING_REFUSE(comm, "%s: too many words, expected %s", name, usage);
  WRING_REFUSE(comm, "unknown command %s%s%s, expected %s", name, nearest ? ", did you mean " : "",
               nearest ? nearest : "", usage);
}

static PetscErrorCode dispatch(MPI_Comm comm, int argc, char **argv, wring_exit *status)
{
  const char *const name = argc > 1 ? argv[1] : "";

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strcmp(name, commands[i].name) != 0) continue;
    if (argc < 3 || argv[2][0] == '-')
      WRING_REFUSE(comm, "%s: no deck given%s%s, expected %s", name, argc < 3 ? "" : " before ",
                   argc < 3 ? "" : argv[2], usage);
    PetscCall(study(comm, commands[i].study, argv[2], argc - 3, argv + 3, status));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (strcmp(name, "bench") == 0)
    PetscCall(bench(comm, argc - 2, argv + 2, status));
  else if (strcmp(name, "mesh") == 0)
    PetscCall(wring_study_mesh(comm, argc - 2, argv + 2, status));
  else if (argc <= 3 && (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0))
    PetscCall(help(comm, argv[2]));
  else if (argc == 2 && (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0)) {
    PetscCall(wring_study_version(comm));
  } else
    PetscCall(refuse_command(comm, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc sees none of our arguments, no file of options and no signals: decks say everything. */
static PetscErrorCode start(int *argc, char ***argv)
{
  static char  program[] = "wring", no_file[] = "-skip_petscrc", no_signals[] = "-no_signal_handler";
  static char *words[] = {program, no_file, no_signals, NULL};
  int          n       = 3, provided;
  char       **w       = words;

  PetscFunctionBegin;
  signal(SIGPIPE, SIG_IGN); // a reader that goes away must not end a march
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files must end it by an error, like a full disk
  if (*argc > 1 && strcmp((*argv)[1], "run") == 0) wring_study_hold_signals();
  PetscCallMPI(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
  PetscCall(PetscInitialize(&n, &w, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  wring_exit status = WRING_EXIT_DONE;
  reporter   r      = {PETSC_FALSE};
  if (start(&argc, &argv)) return WRING_EXIT_INTERNAL;
  if (PetscPushErrorHandler(report, &r)) return WRING_EXIT_INTERNAL;
  const PetscErrorCode code = dispatch(MPI_COMM_WORLD, argc, argv, &status);
  if (code) status = code == WRING_ERR_OUTPUT ? WRING_EXIT_OUTPUT : WRING_EXIT_INPUT;
  if (PetscFinalize()) return WRING_EXIT_INTERNAL;
  MPI_Finalize();
  return status;
}
