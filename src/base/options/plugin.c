/*
  Dynamic libraries with members of families. What the process has loaded is a global variable that changes, with the
  notes that it has said (note.c) the only ones of wring, and it changes before a deck is read: functions that search a
  list of members have no context in common.
*/
#include "options_impl.h"
#include <stdio.h>
#include <string.h>
#include <wring/plugin.h>

static struct {
  wring_plugin all;
  int          n[WRING_FAMILIES];
  char         choices[WRING_FAMILIES][1024]; // wring's own and those of plugins; empty: no plugin has a member
} loaded;

size_t wring_option_find_choice(const char *choices, const char *word, const char **choice)
{
  for (const char *c = choices; *c;) {
    const size_t size = strcspn(c, "|");
    if (strlen(word) == size && !wring_ascii_compare_n(c, word, size)) {
      *choice = c;
      return size;
    }
    c += size + (c[size] == '|');
  }
  return 0;
}

const wring_plugin *wring_plugins(void)
{
  return &loaded.all;
}

const char *wring_option_choices(const wring_option *p)
{
  return loaded.n[p->family] ? loaded.choices[p->family] : p->choices;
}

/* The table of a library; NULL with an error. All names that the library needs are looked for here, not when called. */
static const wring_plugin *open_library(const char *file, wring_error *e)
{
  wring_error   fault  = {""};
  PetscDLHandle handle = NULL;
  void         *table  = NULL;
  char          path[PETSC_MAX_PATH_LEN];
  snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file);
  if (PetscPushErrorHandler(wring_error_catch, &fault)) return NULL;
  if (!PetscDLOpen(path, (PetscDLMode)(PETSC_DL_NOW | PETSC_DL_LOCAL), &handle))
    if (PetscDLSym(handle, "wring_plugin_table", &table)) table = NULL;
  if (PetscPopErrorHandler()) return NULL;
  const char *const why = strstr(fault.text, "dlopen() ");
  if (!handle)
    wring_error_set(e, "plugin %s: cannot be loaded: %s", file, why ? why + strlen("dlopen() ") : fault.text);
  else if (!table)
    wring_error_set(e, "plugin %s: expected a library that defines wring_plugin_table (wring/plugin.h)", file);
  return table;
}

/* Adds a name to the choices of a family, if it is a new one. */
static void add_name(const char *file, wring_family family, const char *builtin, const char *name, wring_error *e)
{
  static const char *const kind[] = {"member", "law", "solver", "integrator", "shape"};
  char *const              list   = loaded.choices[family];
  const char              *same;
  if (!list[0]) snprintf(list, sizeof loaded.choices[family], "%s", builtin);
  if (!name || !name[0] || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
    wring_error_set(e, "plugin %s: a %s has the name '%s', expected lower-case letters, digits and _", file,
                    kind[family], name ? name : "");
  else if (wring_option_find_choice(list, name, &same))
    wring_error_set(e, "plugin %s: there is a %s '%s' already, expected another name", file, kind[family], name);
  else if (loaded.n[family] == WRING_MOST_MEMBERS || strlen(list) + strlen(name) + 2 > sizeof loaded.choices[family])
    wring_error_set(e, "plugin %s: %s '%s' is one too many, expected at most %d of plugins", file, kind[family], name,
                    WRING_MOST_MEMBERS);
  else
    strcat(strcat(list, "|"), name);
}

/* Every table of a member begins with its name. */
static const char *name_of(const void *member)
{
  return *(const char *const *)member;
}

#define ADD(FAMILY, member)                                                                                            \
  for (int i = 0; i <= WRING_MOST_MEMBERS && p->member[i] && !wring_failed(e); i++) {                                  \
    add_name(file, FAMILY, builtin[FAMILY], name_of(p->member[i]), e);                                                 \
    if (!wring_failed(e)) loaded.all.member[loaded.n[FAMILY]++] = p->member[i];                                        \
  }

void wring_plugin_add(const char *file, const wring_plugin *p, const char *const builtin[WRING_FAMILIES],
                      wring_error *e)
{
  const char *const made = p->interface ? p->interface : "no interface";
  if (strcmp(made, WRING_INTERFACE) != 0) {
    wring_error_set(e, "plugin %s: made for %s, expected %s: build it with the headers of this wring", file, made,
                    WRING_INTERFACE);
    return;
  }
  ADD(WRING_LAWS, law);
  ADD(WRING_SOLVERS, solver);
  ADD(WRING_INTEGRATORS, integrator);
  ADD(WRING_SHAPES, shape);
}

PetscErrorCode wring_plugin_load(MPI_Comm comm, const char *file, const char *const builtin[WRING_FAMILIES])
{
  wring_error e = {""};

  PetscFunctionBegin;
  const wring_plugin *const p = open_library(file, &e);
  if (p) wring_plugin_add(file, p, builtin, &e);
  PetscCall(wring_error_raise(comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
