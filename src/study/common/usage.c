#include "usage.h"
#include <stdio.h>
#include <string.h>
#include <wring/options.h>

static void append(size_t size, char *text, const char *a, const char *b)
{
  const size_t end = strlen(text);
  if (end < size) snprintf(text + end, size - end, "%s%s", a, b);
}

/* Joins consecutive names with the same arguments. */
void wring_usage_append(const char *before, wring_usage_entry *entry, size_t size, char *text)
{
  const wring_usage *u, *next;
  for (int i = 0; (u = entry(i)); i++) {
    const wring_usage *const last = i ? entry(i - 1) : NULL;
    if (last && strcmp(last->arguments, u->arguments) == 0) {
      append(size, text, "|", u->name);
    } else {
      append(size, text, text[0] ? ", " : "", before);
      append(size, text, " ", u->name);
    }
    next = entry(i + 1);
    if (u->arguments[0] && !(next && strcmp(next->arguments, u->arguments) == 0)) append(size, text, " ", u->arguments);
  }
}

const wring_usage *wring_usage_find(wring_usage_entry *entry, const char *name)
{
  const wring_usage *u;
  for (int i = 0; (u = entry(i)); i++)
    if (strcmp(u->name, name) == 0) return u;
  return NULL;
}

const char *wring_usage_nearest(wring_usage_entry *entry, const char *typed)
{
  const wring_usage *u;
  const char        *nearest = NULL;
  int                least   = 3; // a larger edit distance means a different word
  for (int i = 0; (u = entry(i)); i++)
    if (wring_is_nearer(typed, u->name, &least)) nearest = u->name;
  return nearest;
}

PetscErrorCode wring_usage_print(MPI_Comm comm, const char *before, wring_usage_entry *entry)
{
  const wring_usage *u;
  char               left[128];

  PetscFunctionBegin;
  for (int i = 0; (u = entry(i)); i++) {
    snprintf(left, sizeof left, "%s %s %s", before, u->name, u->arguments);
    PetscCall(PetscPrintf(comm, "%-45s  %s\n", left, u->help));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
