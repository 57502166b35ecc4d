/* Faults of all ranks, of which the first in the file is reported, and notices. */
#include "build.h"
#include <stdarg.h>
#include <stdio.h>

const char *wring_build_unit(const wring_build *b)
{
  return b->report.by_byte ? "byte" : "line";
}

/* Replaces a fault at a later place. */
static void set_fault(wring_build *b, int64_t order, const char *prefix, const char *format, va_list args)
{
  char fault[768];
  if (order >= b->report.place) return;
  b->report.place = order;
  wring_error_clear(b->report.error);
  vsnprintf(fault, sizeof fault, format, args);
  wring_error_set(b->report.error, "%s%s%s", b->report.file, prefix, fault);
}

void wring_build_fail(wring_build *b, int64_t place, const char *format, ...)
{
  char    prefix[64];
  va_list args;
  snprintf(prefix, sizeof prefix, b->report.by_byte ? ": byte %lld: " : ":%lld: ", (long long)place);
  va_start(args, format);
  set_fault(b, place, prefix, format, args);
  va_end(args);
}

void wring_build_refuse(wring_build *b, int64_t order, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  set_fault(b, order, ": ", format, args);
  va_end(args);
}

PetscErrorCode wring_build_agree(wring_build *b, PetscBool *ok)
{
  int64_t first;

  PetscFunctionBegin;
  if (wring_failed(b->report.error)) b->report.place = PetscMin(b->report.place, INT64_MAX - 1);
  PetscCallMPI(MPI_Allreduce(&b->report.place, &first, 1, MPI_INT64_T, MPI_MIN, b->comm));
  if (b->report.place > first) wring_error_clear(b->report.error);
  *ok = (PetscBool)(first == INT64_MAX);
  if (!*ok) PetscCall(wring_error_share(b->comm, b->report.error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_build_note(wring_build *b, const char *format, ...)
{
  wring_notebook *const n = &b->report.notes;
  va_list               args;
  if (n->length + 1 >= n->size) return;
  if (n->length > 0) n->text[n->length++] = '\n';
  va_start(args, format);
  const int added = vsnprintf(n->text + n->length, n->size - n->length, format, args);
  va_end(args);
  n->length += (size_t)PetscMax(added, 0);
  n->length = PetscMin(n->length, n->size - 1);
}
