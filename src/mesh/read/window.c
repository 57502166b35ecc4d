/* The window of a file that a scanner reads; the file on all ranks. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "scan.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes read first after a move; most at once, but for longer lines; longest line. */
enum { FIRST = 1 << 14, MOST = 1 << 20, LONGEST = 1 << 28 };

/* ---- faults ------------------------------------------------------------------------------------------------------ */

PetscBool wring_scan_ok(const wring_scan *s)
{
  return (PetscBool)!wring_failed(s->e);
}

int64_t wring_scan_offset(const wring_scan *s)
{
  return s->base + (s->at - s->text);
}

int64_t wring_scan_place(const wring_scan *s)
{
  return s->by_byte ? wring_scan_offset(s) : s->line;
}

void wring_scan_fail(wring_scan *s, int64_t place, const char *format, ...)
{
  char    fault[768];
  va_list args;
  va_start(args, format);
  vsnprintf(fault, sizeof fault, format, args);
  va_end(args);
  if (wring_scan_ok(s)) s->fault = 4 * wring_scan_offset(s) + s->stage;
  wring_error_set(s->e, s->by_byte ? "%s: byte %lld: %s" : "%s:%lld: %s", s->file, (long long)place, fault);
  s->at = s->end;
}

PetscErrorCode wring_scan_share(wring_scan *s)
{
  struct {
    long fault;
    int  rank;
  } mine, first;

  PetscFunctionBegin;
  mine.fault = wring_scan_ok(s) ? LONG_MAX : (long)s->fault;
  mine.rank  = wring_comm_rank(s->comm);
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_LONG_INT, MPI_MINLOC, s->comm));
  if (first.fault == LONG_MAX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(s->e->text, sizeof s->e->text, MPI_CHAR, first.rank, s->comm));
  s->at = s->end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Room for n bytes and a terminating '\0'. */
static PetscBool make_room(wring_scan *s, size_t n)
{
  if (n <= s->room) return PETSC_TRUE;
  const size_t at = (size_t)(s->at - s->text), end = (size_t)(s->end - s->text);
  char *const  text = realloc(s->text, n + 1);
  if (!text) {
    wring_scan_fail(s, wring_scan_place(s), "no memory for %zu bytes of it", n);
    return PETSC_FALSE;
  }
  s->text = text;
  s->room = n;
  s->at   = text + at;
  s->end  = text + end;
  return PETSC_TRUE;
}

static void find_whole_lines(wring_scan *s)
{
  s->whole = s->end;
  if (s->base + (s->end - s->text) >= s->size) return;
  while (s->whole > s->at && s->whole[-1] != '\n') s->whole--;
}

PetscBool wring_scan_fill(wring_scan *s)
{
  const size_t kept = (size_t)(s->end - s->at);
  if (!wring_scan_ok(s) || s->base + (s->end - s->text) >= s->size) return PETSC_FALSE;
  if (kept > LONGEST) {
    wring_scan_fail(s, wring_scan_place(s), "a line of more than %d bytes", LONGEST);
    return PETSC_FALSE;
  }
  const size_t n = (size_t)PetscMin((int64_t)PetscMax(s->ahead, kept), s->size - s->base - (s->end - s->text));
  if (!make_room(s, kept + n)) return PETSC_FALSE;
  memmove(s->text, s->at, kept);
  s->base += s->at - s->text;
  s->at                     = s->text;
  const int64_t got         = wring_file_take(s->file, s->handle, s->base + (int64_t)kept, n, s->text + kept, s->e);
  s->end                    = s->text + kept + PetscMax(got, 0);
  s->text[s->end - s->text] = '\0';
  s->ahead                  = PetscMin(2 * s->ahead, MOST);
  if (got < (int64_t)n) wring_error_set(s->e, "%s: has become shorter while it was read", s->file);
  if (!wring_scan_ok(s)) s->at = s->end;
  find_whole_lines(s);
  return wring_scan_ok(s);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Moves to the end of this line, which need not be whole in the window. */
static void skip_rest(wring_scan *s)
{
  const char *end;
  do {
    end   = s->at < s->end ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : NULL;
    s->at = end ? end : s->end;
  } while (!end && wring_scan_fill(s));
}

void wring_scan_skip_blank(wring_scan *s)
{
  for (;;) {
    for (; s->at < s->end && (*s->at == '\n' || *s->at == ' ' || *s->at == '\t' || *s->at == '\r'); s->at++)
      s->line += *s->at == '\n';
    if (s->at >= s->whole && wring_scan_fill(s)) continue;
    if (!s->comments || s->at >= s->end || *s->at != '#') return;
    skip_rest(s);
  }
}

void wring_scan_skip_line(wring_scan *s)
{
  skip_rest(s);
  wring_scan_skip_blank(s);
  s->row++;
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

/* An empty window at this offset. */
static void move_window(wring_scan *s, int64_t offset)
{
  s->base = offset;
  s->at = s->end = s->whole = s->text;
  s->ahead                  = FIRST;
  *s->text                  = '\0';
}

/* The first row that begins in a span, or the end of the file. */
static void go_to_span(wring_scan *s, PetscInt span)
{
  const wring_lines *const l = &s->lines;
  move_window(s, PetscMin(span * l->size, s->size));
  s->line = l->line[span] + 1;
  if (span < l->n && l->inside[span])
    wring_scan_skip_line(s);
  else
    wring_scan_skip_blank(s);
  s->row = l->row[span];
}

void wring_scan_go(wring_scan *s, int64_t where)
{
  if (!wring_scan_ok(s)) return;
  if (s->binary && where >= s->base && where <= s->base + (s->end - s->text)) {
    s->at = s->text + (where - s->base);
  } else if (s->binary) {
    move_window(s, PetscMin(where, s->size));
  } else if (s->lines.n > 0 && where != s->row) {
    const PetscInt span = wring_lines_find(&s->lines, where);
    if (where < s->row || span > wring_lines_find(&s->lines, s->row)) go_to_span(s, span);
  }
  while (!s->binary && s->row < where && s->at < s->end) wring_scan_skip_line(s);
}

void wring_scan_rewind(wring_scan *s)
{
  if (!wring_scan_ok(s)) return;
  move_window(s, 0);
  s->line   = 1;
  s->row    = 0;
  s->binary = PETSC_FALSE;
  wring_scan_skip_blank(s);
}

int64_t wring_scan_where(const wring_scan *s)
{
  return s->binary ? wring_scan_offset(s) : s->row;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static int64_t time_of_change(const struct stat *status)
{
  return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

static void open_file(wring_scan *s)
{
  struct stat status;
  s->handle = open(s->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (s->handle < 0 || fstat(s->handle, &status))
    wring_error_set(s->e, "%s: cannot be read: %s", s->file, strerror(errno));
  else if (!S_ISREG(status.st_mode))
    wring_error_set(s->e, "%s: cannot be read: not a regular file", s->file);
  if (!wring_scan_ok(s)) return;
  s->size    = (int64_t)status.st_size;
  s->changed = time_of_change(&status);
}

PetscErrorCode wring_scan_open(MPI_Comm comm, const char *file, wring_error *e, wring_scan *s)
{
  int64_t size; // of the file that rank 0 reads, which must be that of this rank

  PetscFunctionBegin;
  *s = (wring_scan){
    .comm = comm, .file = file, .handle = -1, .line = 1, .stage = WRING_SCAN_HEADS, .fault = LONG_MAX - 1, .e = e};
  open_file(s);
  PetscCall(wring_error_share(comm, e));
  size = s->size;
  PetscCallMPI(MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm));
  if (wring_scan_ok(s) && size != s->size)
    wring_error_set(e, "%s: has %lld bytes on rank %d and %lld on rank 0, expected the same file on every rank", file,
                    (long long)s->size, wring_comm_rank(comm), (long long)size);
  PetscCall(wring_error_share(comm, e));
  if (!wring_scan_ok(s)) s->size = 0;
  s->text = malloc(FIRST + 1);
  PetscCheck(s->text, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a window of a file");
  s->room = FIRST;
  move_window(s, 0);
  wring_scan_rewind(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scan_close(wring_scan *s)
{
  struct stat status;

  PetscFunctionBegin;
  if (wring_scan_ok(s) && s->handle >= 0 &&
      (fstat(s->handle, &status) || (int64_t)status.st_size != s->size || time_of_change(&status) != s->changed))
    wring_error_set(s->e, "%s: has changed while it was read", s->file);
  PetscCall(wring_error_share(s->comm, s->e));
  if (s->handle >= 0) close(s->handle);
  free(s->text);
  PetscCall(wring_lines_destroy(&s->lines));
  s->handle = -1;
  s->room   = 0;
  s->text   = NULL;
  s->at = s->end = s->whole = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_scan_index(wring_scan *s, PetscBool comments)
{
  PetscFunctionBegin;
  s->comments = comments;
  PetscCall(wring_lines_count(s->comm, s->file, s->handle, s->size, comments, s->e, &s->lines));
  PetscCall(wring_error_share(s->comm, s->e));
  if (wring_scan_ok(s))
    go_to_span(s, 0);
  else
    s->at = s->end;
  PetscFunctionReturn(PETSC_SUCCESS);
}
