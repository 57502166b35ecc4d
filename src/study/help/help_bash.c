/* Completion for bash: commands, keys, and the values of keys that have choices. zsh can use it by its bashcompinit. */
#include "help.h"
#include "study/mesh/mesh_command.h"
#include <string.h>

static PetscErrorCode put_commands(MPI_Comm comm, const char *function, wring_usage_entry *entry)
{
  const wring_usage *u;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "%s() { echo '", function));
  for (int i = 0; (u = entry(i)); i++) PetscCall(PetscPrintf(comm, "%s%s", i ? " " : "", u->name));
  PetscCall(PetscPrintf(comm, "'; }\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A key with a name is completed up to the name: -attach_. */
static PetscErrorCode put_key(void *context, const char *key, const wring_option *option, const char *owners)
{
  const char *const name = strstr(key, "_NAME");

  PetscFunctionBegin;
  (void)option;
  (void)owners;
  PetscCall(PetscPrintf(*(MPI_Comm *)context, "-%.*s\n", name ? (int)(name - key) + 1 : (int)strlen(key), key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line of a case: the key, with * for a name, and the words that it accepts. Paths complete as files do. */
static PetscErrorCode put_values(void *context, const char *key, const wring_option *option, const char *owners)
{
  const MPI_Comm    comm = *(MPI_Comm *)context;
  const char *const name = strstr(key, "NAME");

  PetscFunctionBegin;
  (void)owners;
  const char *const words = option->type == WRING_BOOL ? "true|false" : option->choices;
  if (!words) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(comm, "  -%.*s%s%s) echo '", name ? (int)(name - key) : (int)strlen(key), key, name ? "*" : "",
                        name ? name + strlen("NAME") : ""));
  for (const char *c = words; *c; c++) PetscCall(PetscPrintf(comm, "%c", *c == '|' ? ' ' : *c));
  PetscCall(PetscPrintf(comm, "' ;;\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char complete[] =
  "_wring() {\n"
  "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
  "  case $COMP_CWORD,${COMP_WORDS[1]} in\n"
  "  1,*) words=$(_wring_commands) ;;\n"
  "  2,mesh) words=$(_wring_mesh_commands) ;;\n"
  "  2,help) words=\"deck man bash reference $(_wring_commands) $(_wring_keys | sed 's/^-//')\" ;;\n"
  "  *) case $current in -*) words=$(_wring_keys) ;; *) words=$(_wring_values \"$previous\") ;; esac ;;\n"
  "  esac\n"
  "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
  "  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
  "  case ${#COMPREPLY[@]},${COMPREPLY[0]} in 1,*_) type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null ;; "
  "esac\n"
  "}\n"
  "complete -o filenames -F _wring wring\n";

PetscErrorCode wring_help_bash(MPI_Comm comm, wring_usage_entry *commands, const wring_catalogue *c)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "# Completion of wring for bash; made by `wring help bash`.\n"));
  PetscCall(put_commands(comm, "_wring_commands", commands));
  PetscCall(put_commands(comm, "_wring_mesh_commands", wring_mesh_usage));
  PetscCall(PetscPrintf(comm, "_wring_keys() {\n  sort -u <<'END'\n"));
  PetscCall(wring_options_visit(c->n, c->entry, NULL, put_key, &comm, &n));
  PetscCall(PetscPrintf(comm, "END\n}\n_wring_values() {\n  case $1 in\n"));
  PetscCall(wring_options_visit(c->n, c->entry, NULL, put_values, &comm, &n));
  PetscCall(PetscPrintf(comm, "  esac\n}\n%s", complete));
  PetscFunctionReturn(PETSC_SUCCESS);
}
