/* The page docs/reference.md: a table of keys for each owner. */
#include "help.h"
#include <string.h>

/* Prints a text for a cell of a table: '|' would end it, '*' and '<' begin markup, unless they are in code. */
static PetscErrorCode put(MPI_Comm comm, const char *text)
{
  PetscBool code = PETSC_FALSE;

  PetscFunctionBegin;
  for (; *text; text++) {
    if (*text == '`') code = (PetscBool)!code;
    const PetscBool escape = (PetscBool)(*text == '|' || (!code && (*text == '*' || *text == '<')));
    PetscCall(PetscPrintf(comm, escape ? "\\%c" : "%c", *text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  MPI_Comm comm;
  char     owners[512];
} page_state;

/* An owner of two words, as "solver qn", is below the one of its first. */
static PetscErrorCode put_heading(page_state *s, const char *owners)
{
  PetscFunctionBegin;
  if (strcmp(owners, s->owners) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(s->owners, sizeof s->owners, "%s", owners);
  PetscCall(PetscPrintf(s->comm, "\n%s %s\n\n| key | value | unit | limits | default | |\n|---|---|---|---|---|---|\n",
                        strchr(owners, ' ') ? "###" : "##", owners));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_key(void *context, const char *key, const wring_option *p, const char *owners)
{
  page_state *const s    = context;
  wring_option      bare = *p;
  char              type[512];

  PetscFunctionBegin;
  bare.unit = bare.range = NULL;
  wring_options_describe(&bare, sizeof type, type);
  PetscCall(put_heading(s, owners));
  PetscCall(PetscPrintf(s->comm, "| `%s` | ", key));
  PetscCall(put(s->comm, type));
  PetscCall(PetscPrintf(s->comm, " | %s | %s | ", p->unit ? p->unit : "", p->range ? p->range : ""));
  PetscCall(PetscPrintf(s->comm, p->value ? "`%s` | " : "| ", p->value));
  PetscCall(put(s->comm, p->help));
  PetscCall(PetscPrintf(s->comm, " |\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char head[] = "# Reference\n\n"
                           "Every key of a deck, as `wring help reference` prints them from the program's own tables; "
                           "the [user guide](user.md)\n"
                           "says how to use them. `a_b_c` is the key `a: {b: {c: value}}` of a deck, "
                           "and `-a_b_c value` on the command line. NAME\n"
                           "stands for the name of a set, region, probe or other part. "
                           "A heading names the laws, solvers or shapes whose keys\n"
                           "follow. `(0,inf)` is above 0, `[0,inf)` from 0 on. "
                           "A key without a default is optional or required, as its\n"
                           "description says.\n\n"
                           "`region_NAME_KEY` is every KEY of `material_` for one region, "
                           "and `variant_NAME_KEY` every KEY of the solver type in\n"
                           "`variant_NAME_type`.\n";

PetscErrorCode wring_help_reference(MPI_Comm comm, const wring_catalogue *c)
{
  page_state s = {.comm = comm};
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "%s", head));
  PetscCall(wring_options_visit(c->n, c->entry, NULL, put_key, &s, &n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
