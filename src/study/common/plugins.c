#include "plugins.h"
#include <string.h>
#include <wring/plugin.h>
#include <wring/problem.h>
#include <wring/study.h>

const wring_option wring_plugin_options[] = {
  {"plugin", WRING_WORDS,
   .help = "On the command line of any command, as often as needed: a library that adds laws, solvers, integrators or "
           "shapes."},
  {0},
};

void wring_plugins_builtin(const char *builtin[WRING_FAMILIES])
{
  builtin[WRING_NO_FAMILY]   = "";
  builtin[WRING_LAWS]        = &wring_law_names[1];
  builtin[WRING_SOLVERS]     = wring_option_find(wring_solver_options, "type")->choices;
  builtin[WRING_INTEGRATORS] = wring_option_find(wring_time_options, "integrator")->choices;
  builtin[WRING_SHAPES]      = wring_option_find(wring_collider_options, "shape")->choices;
}

/* The file of "-plugin FILE", "--plugin FILE" or "-plugin=FILE", "" if it is missing; *used: words read, 0: none. */
static const char *file_of(int n, char *const *words, int *used)
{
  const char *const word = words[0] + (strncmp(words[0], "--", 2) == 0), *const value = strchr(word, '=');
  const size_t size = value ? (size_t)(value - word) : strlen(word);
  *used             = 0;
  if (size != strlen("-plugin") || strncmp(word, "-plugin", size) != 0) return NULL;
  *used = value || n < 2 ? 1 : 2;
  return value ? value + 1 : n > 1 ? words[1] : "";
}

PetscErrorCode wring_plugins_load(MPI_Comm comm, int *n, char **words, size_t size, char *list)
{
  const char *builtin[WRING_FAMILIES];
  int         kept = 0;

  PetscFunctionBegin;
  list[0] = '\0';
  wring_plugins_builtin(builtin);
  for (int i = 0, used; i < *n; i += PetscMax(used, 1)) {
    const char *const file = file_of(*n - i, words + i, &used);
    if (!used) words[kept++] = words[i];
    if (!used) continue;
    if (!file[0] || file[0] == '-' || strpbrk(file, ", \t\n") || strlen(list) + strlen(file) + 2 > size)
      WRING_REFUSE(comm, "command line: -plugin %.200s: expected a file name without commas and blanks", file);
    PetscCall(wring_plugin_load(comm, file, builtin));
    if (list[0]) strcat(list, ",");
    strcat(list, file);
  }
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_plugins_keep(const char *list, wring_options *o)
{
  const char *const origin = wring_options_origin(o, "", "plugin");

  PetscFunctionBegin;
  if (origin)
    WRING_REFUSE(wring_options_comm(o), "%s: a deck has no plugins, expected -plugin FILE.so on the command line",
                 origin);
  if (list[0]) PetscCall(wring_options_set(o, "plugin", list, WRING_COMMAND_LINE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
