/* wring help and wring version. */
#include "help.h"
#include "study/common/command_keys.h"
#include "study/mesh/mesh_command.h"
#include "study/common/provenance.h"
#include "io/print.h"
#include <string.h>
#include <wring/study.h>

/* ---- commands ---------------------------------------------------------------------------------------------------- */

void wring_help_short(MPI_Comm comm, const wring_usage *commands)
{
  wring_usage_print(comm, "wring", commands);
  wring_usage_print(comm, "wring mesh", wring_mesh_usage);
  wring_print(comm, "\nA DECK is a YAML file; `-a_b value` sets its key a: {b: value}.\n"
                    "wring COMMAND --help describes a command, wring help KEY the keys that begin with KEY, "
                    "wring help deck all.\n");
}

typedef struct {
  MPI_Comm           comm;
  const wring_usage *commands;
  const char        *command;
  int                column;
  char               before[2048]; // "|mesh|set|"
} family_list;

/* The first part of a key: that of its owner, "solver" of solver_qn_history; otherwise that before NAME or all. */
static int family_size(const char *key, const char *owners)
{
  const char *const name  = strstr(key, "_NAME");
  const size_t      owner = strcspn(owners, " ,");
  if (strncmp(key, owners, owner) == 0 && (!key[owner] || key[owner] == '_')) return (int)owner;
  return (int)(name ? (size_t)(name - key) : strcspn(key, "_"));
}

static PetscErrorCode add_family(void *context, const char *key, const wring_option *option, const char *owners)
{
  family_list *const l = context;
  char               family[256];

  PetscFunctionBegin;
  (void)option;
  snprintf(family, sizeof family, "|%.*s|", family_size(key, owners), key);
  if (strstr(l->before, family)) PetscFunctionReturn(PETSC_SUCCESS);
  const size_t end = strlen(l->before);
  snprintf(l->before + end, sizeof l->before - end, "%s", family);
  family[strlen(family) - 1] = '\0';
  const PetscBool own        = (PetscBool)(!strcmp(family + 1, "mesh") || !strcmp(family + 1, l->command));
  if (wring_usage_find(l->commands, family + 1) && !own) PetscFunctionReturn(PETSC_SUCCESS); // all keys of a command
  const int         width   = (int)strlen(family) + 1;
  const char *const between = !end ? "\n    " : l->column + width > 76 ? ",\n    " : ", ";
  wring_print(l->comm, "%s%s", between, family + 1);
  l->column = (l->column + width > 76 ? 0 : l->column) + width;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Usage, the keys that begin with its name, and of a command with a deck where the others are described. */
static PetscErrorCode print_command(MPI_Comm comm, const wring_usage *commands, const wring_usage *u,
                                    const wring_catalogue *c)
{
  family_list l = {.comm = comm, .commands = commands, .command = u->name};
  PetscInt    n;
  char        prefix[64];

  PetscFunctionBegin;
  snprintf(prefix, sizeof prefix, "%s_", u->name);
  wring_print(comm, "wring %s %s\n    %s\n\n", u->name, u->arguments, u->help);
  if (strcmp(u->name, "mesh") == 0) PetscCall(wring_mesh_help(comm, NULL));
  PetscCall(wring_options_help(comm, c->n, c->entry, prefix, &n));
  if (n) wring_print(comm, "\n");
  if (strncmp(u->arguments, "DECK", 4) != 0) PetscFunctionReturn(PETSC_SUCCESS);
  wring_print(comm, "Keys of the deck, or -key value; `wring help time` describes those of time:");
  PetscCall(wring_options_visit(c->n, c->entry, NULL, add_family, &l, &n));
  wring_print(comm, "\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static const char family_help[] =
  "\n---- region NAME ----\nregion_NAME_KEY: every KEY of material_, for the region NAME of the mesh.\n"
  "\n---- variant NAME ----\nvariant_NAME_KEY: every KEY of the solver type in variant_NAME_type.\n";

/* Keys may be written as in the documentation: time.limit is time_limit. */
static PetscErrorCode print_keys(MPI_Comm comm, const char *key, const wring_catalogue *c)
{
  PetscInt n;
  char     asked[256];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(asked, strcmp(key, "deck") == 0 ? "" : key + strspn(key, "-"), sizeof asked));
  for (char *at = asked; *at; at++) *at = *at == '.' ? '_' : *at;
  PetscCall(wring_options_help(comm, c->n, c->entry, asked[0] ? asked : NULL, &n));
  if (n == 0) PetscCall(wring_options_refuse_help(comm, c->n, c->entry, asked));
  if (!asked[0]) wring_print(comm, "%s", family_help);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_help(MPI_Comm comm, const wring_usage *commands, int n, char *const *words)
{
  const char *const        word    = n ? words[0] : "deck";
  const wring_usage *const command = wring_usage_find(commands, word);
  wring_catalogue         *c;
  PetscBool                page = PETSC_FALSE;

  PetscFunctionBegin;
  if (n == 0) wring_help_short(comm, commands);
  if (n == 0) wring_print(comm, "\n");
  PetscCall(wring_keys_create(&c));
  if (n == 2)
    PetscCall(wring_mesh_help(comm, words[1]));
  else
    PetscCall(wring_help_page(comm, word, commands, c, &page));
  if (n < 2 && !page && command) PetscCall(print_command(comm, commands, command, c));
  if (n < 2 && !page && !command) PetscCall(print_keys(comm, word, c));
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_study_version(MPI_Comm comm)
{
  char line[512];
  wring_version_line(sizeof line, line);
  wring_print(comm, "%s, OpenMP %d, %d-bit PetscInt\n", line, (int)_OPENMP, (int)(8 * sizeof(PetscInt)));
}
