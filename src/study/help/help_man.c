/* The man page wring(1) in roff's man macros. */
#include "help.h"
#include "study/mesh/mesh_command.h"
#include <string.h>

/* Prints a text with what roff would interpret escaped. Lines never begin with it. */
static PetscErrorCode put(MPI_Comm comm, const char *text)
{
  PetscFunctionBegin;
  for (; *text; text++) {
    switch (*text) {
    case '\\':
      PetscCall(PetscPrintf(comm, "\\e"));
      break;
    case '-':
      PetscCall(PetscPrintf(comm, "\\-"));
      break;
    case '`':
      PetscCall(PetscPrintf(comm, "\\(oq"));
      break;
    default:
      PetscCall(PetscPrintf(comm, "%c", *text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_commands(MPI_Comm comm, const char *before, wring_usage_entry *entry)
{
  const wring_usage *u;

  PetscFunctionBegin;
  for (int i = 0; (u = entry(i)); i++) {
    PetscCall(PetscPrintf(comm, ".TP\n.B %s %s\n", before, u->name));
    if (u->arguments[0]) {
      PetscCall(PetscPrintf(comm, "\\fI"));
      PetscCall(put(comm, u->arguments));
      PetscCall(PetscPrintf(comm, "\\fR\n.br\n"));
    }
    PetscCall(put(comm, u->help));
    PetscCall(PetscPrintf(comm, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  MPI_Comm comm;
  char     heading[512];
} man_state;

static PetscErrorCode put_key(void *context, const char *key, const wring_option *p, const char *owners)
{
  man_state *const s = context;
  char             accepts[512];

  PetscFunctionBegin;
  if (strcmp(owners, s->heading)) {
    PetscCall(PetscPrintf(s->comm, ".SS "));
    PetscCall(put(s->comm, owners));
    PetscCall(PetscPrintf(s->comm, "\n"));
  }
  snprintf(s->heading, sizeof s->heading, "%s", owners);
  wring_options_describe(p, sizeof accepts, accepts);
  PetscCall(PetscPrintf(s->comm, ".TP\n.B %s\n", key));
  PetscCall(put(s->comm, accepts));
  PetscCall(put(s->comm, p->value ? "; default " : ""));
  PetscCall(put(s->comm, p->value ? p->value : ""));
  PetscCall(PetscPrintf(s->comm, "\n.br\n"));
  PetscCall(put(s->comm, p->help));
  PetscCall(PetscPrintf(s->comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char head[] =
  ".TH WRING 1\n.SH NAME\nwring \\- deformable bodies on tetrahedral meshes, solvers compared on one energy\n"
  ".SH SYNOPSIS\n[mpiexec \\-n N] wring COMMAND [DECK] [\\-key value ...]\n.SH DESCRIPTION\n"
  "A deck is a YAML file. Its key a: {b: value} is a_b, and \\-a_b value on the command line replaces it. Files that a "
  "deck names are relative to the deck; paths on the command line, and output_directory and initial_restart anywhere, "
  "are relative to the working directory. Quantities are in SI units.\n.SH COMMANDS\n";

static const char status[] =
  ".SH EXIT STATUS\n0 done; 1 bad input or usage; 2 a solver failed, or the state has diverged; 3 stopped by a signal "
  "or by time_limit; 4 an output file cannot be written; 5 an internal error\n.SH KEYS\n"
  "NAME stands for the name of a set, region, probe or other part. region_NAME_KEY is every KEY of material_ for one "
  "region, variant_NAME_KEY every KEY of the solver type in variant_NAME_type.\n";

PetscErrorCode wring_help_man(MPI_Comm comm, wring_usage_entry *commands, const wring_catalogue *c)
{
  man_state s = {.comm = comm};
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "%s", head));
  PetscCall(put_commands(comm, "wring", commands));
  PetscCall(put_commands(comm, "wring mesh", wring_mesh_usage));
  PetscCall(PetscPrintf(comm, "%s", status));
  PetscCall(wring_options_visit(c->n, c->entry, NULL, put_key, &s, &n));
  PetscCall(PetscPrintf(comm, ".SH SEE ALSO\nmpiexec(1), paraview(1), gmsh(1)\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
