#include "table.h"
#include "base/grow.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 120 }; // characters

static PetscErrorCode add_cell(wring_table *t, const char *text)
{
  const PetscBool none = (PetscBool)(!strcmp(text, "nan") || !strcmp(text, "-nan"));

  PetscFunctionBegin;
  PetscCall(wring_grow(t->n + 1, &t->room, sizeof *t->cell, &t->cell));
  PetscCall(PetscStrallocpy(none ? "-" : text, &t->cell[t->n++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_table_add(wring_table *t, const char *format, ...)
{
  char    text[512], *cell = text, *end;
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const size_t    length = strlen(text);
  const PetscBool ends   = (PetscBool)(length > 0 && text[length - 1] == '\n');
  if (ends) text[length - 1] = '\0';
  for (; (end = strchr(cell, '\t')); cell = end + 1) {
    *end = '\0';
    PetscCall(add_cell(t, cell));
  }
  PetscCall(add_cell(t, cell));
  if (ends && !t->columns) t->columns = (int)t->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int width(const wring_table *t, int column)
{
  int most = 0;
  for (PetscInt i = column; i < t->n; i += t->columns) most = PetscMax(most, (int)strlen(t->cell[i]));
  return most;
}

PetscErrorCode wring_table_print(MPI_Comm comm, wring_table *t)
{
  int head = 0;

  PetscFunctionBegin;
  for (int k = 0; k < t->heads; k++) head += width(t, k) + 2;
  for (int first = t->heads, last; first < t->columns; first = last) { // a part: the heads and columns [first, last)
    int used = head + width(t, first) + 2;
    for (last = first + 1; last < t->columns && used + width(t, last) + 2 <= LINE; last++) used += width(t, last) + 2;
    for (PetscInt row = 0; row < t->n; row += t->columns) {
      for (int k = 0; k < last; k = k + 1 == t->heads ? first : k + 1) {
        const int sign = k < t->heads ? -1 : 1;
        PetscCall(PetscPrintf(comm, "%s%*s", k ? "  " : "", sign * width(t, k), t->cell[row + k]));
      }
      PetscCall(PetscPrintf(comm, "\n"));
    }
    if (last < t->columns) PetscCall(PetscPrintf(comm, "\n"));
  }
  for (PetscInt i = 0; i < t->n; i++) PetscCall(PetscFree(t->cell[i]));
  PetscCall(PetscFree(t->cell));
  t->n = t->room = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
