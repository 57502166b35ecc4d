#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "lines.h"
#include "base/sort.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SPAN = 1 << 20, MAX_SPANS = 1 << 16 };

int64_t wring_file_take(const char *file, int handle, int64_t offset, size_t n, char *text, wring_error *e)
{
  size_t done = 0;
  while (done < n) {
    const ssize_t got = pread(handle, text + done, n - done, (off_t)(offset + (int64_t)done));
    if (got == 0) break;
    if (got > 0) done += (size_t)got;
    if (got < 0 && errno != EINTR) {
      wring_error_set(e, "%s: cannot be read: %s", file, strerror(errno));
      return -1;
    }
  }
  return (int64_t)done;
}

/* How a span, or what was read of it, ends: inside a line, after a character that is not blank. */
enum { UNKNOWN, BLANK, INSIDE };

/* Counts of a span as if a line began with it. */
typedef struct {
  int64_t row, line, lead, end; // lead: whether the first line, or the end of one, is counted as a row
} span_count;

static span_count count_span(const char *p, const char *end, PetscBool comments)
{
  span_count c     = {.end = UNKNOWN};
  PetscBool  first = PETSC_TRUE;
  while (p < end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
    if (p == end) break;
    if (*p != '\n') {
      const PetscBool is_row = (PetscBool)(!comments || *p != '#');
      c.row += is_row;
      if (first) c.lead = is_row;
      p = memchr(p, '\n', (size_t)(end - p));
      if (!p) {
        c.end = INSIDE;
        break;
      }
    }
    c.line++;
    p++;
    c.end = BLANK;
    first = PETSC_FALSE;
  }
  return c;
}

/* The counts of this rank's spans; the others are zero. */
static PetscErrorCode count_spans(MPI_Comm comm, const char *file, int handle, PetscBool comments, wring_error *e,
                                  const wring_lines *lines, span_count *c)
{
  char *text;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm), ranks = wring_comm_size(comm);
  const PetscInt    begin = (PetscInt)((int64_t)lines->n * rank / ranks),
                 end      = (PetscInt)((int64_t)lines->n * (rank + 1) / ranks);
  PetscCall(PetscMalloc1((size_t)(begin < end ? lines->size : 0), &text));
  for (PetscInt k = begin; k < end && !wring_failed(e); k++) {
    const int64_t n = wring_file_take(file, handle, (int64_t)k * lines->size, (size_t)lines->size, text, e);
    c[k]            = count_span(text, text + PetscMax(n, 0), comments);
  }
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A span that begins inside a line has one row less than its count. */
static void add_up(const span_count *c, wring_lines *lines)
{
  PetscBool inside = PETSC_FALSE;
  lines->row[0] = lines->line[0] = 0;
  for (PetscInt k = 0; k < lines->n; k++) {
    lines->inside[k]   = (char)inside;
    lines->row[k + 1]  = lines->row[k] + c[k].row - (inside ? c[k].lead : 0);
    lines->line[k + 1] = lines->line[k] + c[k].line;
    if (c[k].end != UNKNOWN) inside = (PetscBool)(c[k].end == INSIDE);
  }
}

PetscErrorCode wring_lines_count(MPI_Comm comm, const char *file, int handle, int64_t bytes, PetscBool comments,
                                 wring_error *e, wring_lines *lines)
{
  span_count *c;

  PetscFunctionBegin;
  lines->size    = PetscMin(PetscMax(SPAN, (bytes + MAX_SPANS - 1) / MAX_SPANS), PetscMax(bytes, 1));
  lines->n       = (PetscInt)((bytes + lines->size - 1) / lines->size);
  const size_t n = (size_t)lines->n;
  PetscCall(PetscCalloc1(n, &c));
  PetscCall(PetscMalloc3(n + 1, &lines->row, n + 1, &lines->line, n, &lines->inside));
  PetscCall(count_spans(comm, file, handle, comments, e, lines, c));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, c, (PetscMPIInt)(4 * n), MPI_INT64_T, MPI_SUM, comm));
  add_up(c, lines);
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lines_destroy(wring_lines *lines)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(lines->row, lines->line, lines->inside));
  lines->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int64_t wring_lines_rows(const wring_lines *lines)
{
  return lines->n > 0 ? lines->row[lines->n] : 0;
}

PetscInt wring_lines_find(const wring_lines *lines, int64_t row)
{
  if (row >= lines->row[lines->n]) return lines->n;
  return wring_find_key(lines->n, (const uint64_t *)lines->row, (uint64_t)row + 1) - 1;
}
