#define _POSIX_C_SOURCE 200809L // fileno
/* The commands of the program: one array, from which usage, error messages and help are generated. */
#include "io/plot.h"
#include "study/common/command_keys.h"
#include "study/common/plugins.h"
#include "study/common/usage.h"
#include "study/compare/compare_grid.h"
#include "study/help/help.h"
#include "study/mesh/mesh_command.h"
#include "study/common/provenance.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <wring/io.h>
#include <wring/study.h>

static const char deck[] = "DECK [-key value ...]";

static const wring_usage commands[] = {
  {"run", deck, "march in time", wring_study_run, PETSC_TRUE},
  {"compare", deck, "one step by several solvers, measured on the same g", wring_study_compare, PETSC_TRUE},
  {"converge", deck, "a deck on finer meshes and time steps: orders and limits", wring_study_converge, PETSC_TRUE},
  {"evaluate", deck, "g, its parts and its gradient at given positions", wring_study_evaluate, PETSC_FALSE},
  {"check", deck, "what would run, and how much memory it needs", wring_study_check, PETSC_FALSE},
  {"bench", "[-key value ...]", "this machine's bandwidth, kernels and solvers", wring_study_bench, PETSC_TRUE},
  {"mesh", "COMMAND ...", "make, describe, convert and refine meshes", NULL, PETSC_FALSE},
  {"help", "[deck|KEY|COMMAND]",
   "the keys of a deck, a command; man: a man page, bash: completion, reference: a page of keys", NULL, PETSC_FALSE},
  {"version", "", "versions of wring and of its libraries", NULL, PETSC_FALSE},
  {0},
};

enum { USAGE = 1024 }; // characters

static const char *usage_text(size_t size, char *text)
{
  text[0] = '\0';
  wring_usage_append("wring", commands, size, text);
  return text;
}

/* The keys of a deck, checked once for all commands. */
PetscErrorCode wring_study_check_keys(wring_options *o)
{
  wring_catalogue *c;

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&c));
  PetscCall(wring_options_settle(o, c->n, c->entry));
  PetscCall(wring_variants_check(o, c));
  PetscCall(wring_options_check(o, c->n, c->entry, wring_problem_words));
  PetscCall(wring_parameter_grid_check(o, c));
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_study_draw(wring_ending *end)
{
  wring_plot_draw(&end->pictures, (PetscBool)(end->status != WRING_EXIT_STOPPED && !end->no_pictures));
}

/* ---- handling of the arguments of a command ---------------------------------------------------------------------- */

/* The words of the program, and the same without its plugins. */
typedef struct {
  int    n_all, n;
  char **all, **word; // word: [n], from the name of the command on
  char   plugins[4 * PETSC_MAX_PATH_LEN];
} call;

/* Whether "--json" is among the words of check; *n: the words without it. */
static PetscBool take_json(const wring_usage *c, int *n, char **args)
{
  const int words = *n;
  for (int i = *n = 0; i < words; i++) {
    args[*n] = args[i];
    *n += c->study != wring_study_check || strcmp(args[i], "--json") != 0;
  }
  return (PetscBool)(*n < words);
}

/* "--json" is -check_json -. */
static PetscErrorCode set_json(wring_options *o)
{
  const char *const origin = wring_options_origin(o, "check_", "json");

  PetscFunctionBegin;
  if (origin && strcmp(origin, WRING_COMMAND_LINE) == 0)
    WRING_REFUSE(wring_options_comm(o), "%s: check_json is given beside --json, expected one of them", origin);
  PetscCall(wring_options_set(o, "check_json", "-", WRING_COMMAND_LINE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode study(MPI_Comm comm, const wring_usage *c, const call *w, wring_ending *end)
{
  const PetscBool of_deck = (PetscBool)(c->arguments == deck);
  char **const    args    = w->word + 1;
  int             n       = w->n - 1;
  wring_options  *o;
  char            text[USAGE];
  wring_output    out = {.plots = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(wring_options_create(comm, &o));
  const PetscBool json = take_json(c, &n, args);
  if (of_deck && (n < 1 || args[0][0] == '-'))
    WRING_REFUSE(comm, "%s: no deck given%s%s, expected %s", c->name, n < 1 ? "" : " before ", n < 1 ? "" : args[0],
                 usage_text(sizeof text, text));
  if (of_deck) {
    PetscCall(wring_deck_read(args[0], n - 1, args + 1, o));
  } else {
    PetscCall(PetscSNPrintf(text, sizeof text, "wring %s", c->name));
    PetscCall(wring_options_set_deck(o, text));
    PetscCall(wring_deck_read_arguments(n, args, o));
  }
  if (json) PetscCall(set_json(o));
  PetscCall(wring_plugins_keep(w->plugins, o));
  PetscCall(wring_provenance_keep_words(w->n_all, w->all, o));
  if (of_deck) {
    PetscCall(wring_study_check_keys(o));
    if (c->study != wring_study_check) PetscCall(wring_keys_check_command(o, c->name)); // check tells of all of them
    PetscCall(wring_output_read(o, &out));
  }
  end->no_pictures = (PetscBool)!out.plots;
  PetscCall(c->study(comm, o, end));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Help has one word, or two, if they are a command of `wring mesh`. */
static PetscErrorCode words(MPI_Comm comm, const wring_usage *c, int n, char **args)
{
  const PetscBool help = (PetscBool)(strcmp(c->name, "help") == 0);
  const int       most = !help ? 0 : n > 0 && strcmp(args[0], "mesh") == 0 ? 2 : 1;
  char            text[USAGE];

  PetscFunctionBegin;
  if (n > most)
    WRING_REFUSE(comm, "%s: unexpected argument '%.40s', expected %s", c->name, args[most],
                 usage_text(sizeof text, text));
  if (help)
    PetscCall(wring_help(comm, commands, n, args));
  else
    wring_study_version(comm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- choice of the command --------------------------------------------------------------------------------------- */

static const wring_usage *find(int argc, char **argv)
{
  const char *const name  = argc > 1 ? argv[1] : "";
  const PetscBool   asked = (PetscBool)(strcmp(name, "--version") == 0 || strcmp(name, "-v") == 0);
  return wring_usage_find(commands, asked ? "version" : name);
}

static PetscBool asks_for_help(int n, char **args)
{
  for (int i = 0; i < n; i++)
    if (strcmp(args[i], "-h") == 0 || strcmp(args[i], "--help") == 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscBool wring_study_stops(int argc, char **argv)
{
  const wring_usage *const c = find(argc, argv);
  return (PetscBool)(c && c->stops);
}

/* Of the program, or "mesh info" of `wring mesh`. */
static PetscErrorCode refuse_unknown(MPI_Comm comm, const char *name)
{
  const char *const of_mesh = wring_usage_nearest(wring_mesh_usage, name);
  const char       *nearest = wring_usage_nearest(commands, name);
  char              text[USAGE];

  PetscFunctionBegin;
  const PetscBool mesh =
    (PetscBool)(of_mesh && (!nearest || wring_edit_distance(name, of_mesh) < wring_edit_distance(name, nearest)));
  if (mesh) nearest = of_mesh;
  usage_text(sizeof text, text);
  wring_usage_append("wring mesh", wring_mesh_usage, sizeof text, text);
  WRING_REFUSE(comm, "unknown command %.40s%s%s%s, expected %s", name, nearest ? ", did you mean " : "",
               mesh ? "mesh " : "", nearest ? nearest : "", text);
}

/* Text that is the result, and does not fit a disk; a closed pipe has had what it asked for. */
static PetscErrorCode check_text(MPI_Comm comm)
{
  wring_error error = {""};
  struct stat status;
  const int   failed = fflush(stdout) || ferror(stdout);

  PetscFunctionBegin;
  if (failed && !(fstat(fileno(stdout), &status) == 0 && S_ISFIFO(status.st_mode)))
    wring_error_set(&error, "standard output: cannot be written to its end");
  PetscCall(wring_error_raise_output(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs the command of w->word[0]. */
static PetscErrorCode run_command(MPI_Comm comm, const wring_usage *c, call *w, wring_ending *end)
{
  const PetscBool is_mesh = (PetscBool)(strcmp(c->name, "mesh") == 0);

  PetscFunctionBegin;
  PetscCall(wring_plugins_load(comm, &w->n, w->word, sizeof w->plugins, w->plugins));
  const PetscBool help = asks_for_help(w->n - 1, w->word + 1);
  if (help) {
    PetscCall(wring_help(comm, commands, is_mesh && w->n > 2 && w->word[1][0] != '-' ? 2 : 1, w->word));
  } else if (c->study) {
    PetscCall(study(comm, c, w, end));
  } else if (is_mesh) {
    PetscCall(wring_study_mesh(comm, w->n - 1, w->word + 1, end));
  } else {
    PetscCall(words(comm, c, w->n - 1, w->word + 1));
  }
  if (help || !c->stops) PetscCall(check_text(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_command(MPI_Comm comm, int argc, char **argv, wring_ending *end)
{
  const wring_usage *const c = find(argc, argv);
  call                     w = {.n_all = argc, .n = argc - 1, .all = argv};
  char                     text[USAGE];

  PetscFunctionBegin;
  if (argc < 2) WRING_REFUSE(comm, "no command, expected %s", usage_text(sizeof text, text));
  if (!c && asks_for_help(1, argv + 1)) {
    wring_help_short(comm, commands);
    PetscCall(check_text(comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!c) PetscCall(refuse_unknown(comm, argv[1]));
  PetscCall(PetscMalloc1(argc, &w.word));
  PetscCall(PetscArraycpy(w.word, argv + 1, argc - 1));
  PetscCall(run_command(comm, c, &w, end));
  PetscCall(PetscFree(w.word));
  wring_notes_count();
  PetscFunctionReturn(PETSC_SUCCESS);
}
