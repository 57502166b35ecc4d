#include "usage.h"
#include "io/print.h"
#include <stdio.h>
#include <string.h>

static void append(size_t size, char *text, const char *a, const char *b)
{
  const size_t end = strlen(text);
  if (end < size) snprintf(text + end, size - end, "%s%s", a, b);
}

/* Joins consecutive names with the same arguments. */
void wring_usage_append(const char *before, const wring_usage *list, size_t size, char *text)
{
  for (const wring_usage *u = list; u->name; u++) {
    if (u > list && strcmp(u[-1].arguments, u->arguments) == 0) {
      append(size, text, "|", u->name);
    } else {
      append(size, text, text[0] ? ", " : "", before);
      append(size, text, " ", u->name);
    }
    if (u->arguments[0] && !(u[1].name && strcmp(u[1].arguments, u->arguments) == 0))
      append(size, text, " ", u->arguments);
  }
}

const wring_usage *wring_usage_find(const wring_usage *list, const char *name)
{
  for (; list->name; list++)
    if (strcmp(list->name, name) == 0) return list;
  return NULL;
}

const char *wring_usage_nearest(const wring_usage *list, const char *typed)
{
  const char *nearest = NULL;
  int         least   = 3; // a larger edit distance means a different word
  for (; list->name; list++)
    if (wring_is_nearer(typed, list->name, &least)) nearest = list->name;
  return nearest;
}

void wring_usage_print(MPI_Comm comm, const char *before, const wring_usage *list)
{
  char left[128];
  for (; list->name; list++) {
    snprintf(left, sizeof left, "%s %s %s", before, list->name, list->arguments);
    wring_print(comm, "%-45s  %s\n", left, list->help);
  }
}
