/* Tables of numbers as text: read and checked on one rank, written in the mesh's original order. */
#define _POSIX_C_SOURCE 200809L
#include "base/count.h"
#include "base/grow.h"
#include "base/text.h"
#include "file.h"
#include "natural.h"
#include <wring/io.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { LINE_SIZE = 4096, HEADER_SIZE = 256, SHOWN = 48 }; // no row of numbers is longer than LINE_SIZE

/* A table while it is read. */
typedef struct {
  const char  *file;
  FILE        *stream;
  char         columns[HEADER_SIZE]; // of this file
  int          width, required;      // columns with and without the optional ones
  int          given;                // columns of this file
  const char  *number[HEADER_SIZE];  // by column: "vertex" or "tet" if it holds their numbers; NULL: it holds values
  PetscInt     n_number;             // number of these in the mesh
  PetscInt64   line, *line_of;       // the current line; where each number was first given, 0: not yet
  PetscInt     n;                    // rows
  PetscInt     room;                 // for rows
  double      *row;                  // [n][width]
  wring_error *e;
} table;

/* Sets the error "file.csv:7: ..." of the current line. */
static void __attribute__((format(printf, 2, 3))) refuse(table *t, const char *format, ...)
{
  char    what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  wring_error_set(t->e, "%s:%lld: %s", t->file, (long long)t->line, what);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

/* Reads the next line without its line end; returns its length, or -1 at the end of the file or after an error. */
static int next_line(table *t, char *line)
{
  static const char mark[] = "\xef\xbb\xbf"; // the byte order mark that spreadsheets put before UTF-8
  int               n      = 0, c;
  t->line++;
  while ((c = getc_unlocked(t->stream)) != EOF && c != '\n' && n < LINE_SIZE - 1) line[n++] = (char)c;
  if (ferror(t->stream)) {
    wring_error_set(t->e, "%s: cannot be read: %s", t->file, strerror(errno));
    return -1;
  }
  if (n == LINE_SIZE - 1) {
    refuse(t, "a line of more than %d characters, expected %s", LINE_SIZE - 2, t->columns);
    return -1;
  }
  if (n > 0 && line[n - 1] == '\r') n--;
  line[n] = '\0';
  if (c == EOF && n == 0) return -1;
  if (t->line == 1 && !strncmp(line, mark, 3)) memmove(line, line + 3, (size_t)(n -= 3) + 1);
  return n;
}

/* The next line that is neither blank nor a comment, which begins with #. */
static int next_row(table *t, char *line)
{
  const char *begin;
  int         n;
  do {
    n     = next_line(t, line);
    begin = n < 0 ? NULL : skip_blanks(line);
  } while (begin && (*begin == '#' || begin == line + n));
  return n;
}

/* The first characters of the text up to `end`, printable in one line of an error. */
static const char *shown(const char *text, const char *end, char copy[SHOWN])
{
  int n = 0;
  while (text < end && wring_text_is_space(*text)) text++;
  while (end > text && wring_text_is_space(end[-1])) end--;
  for (; text < end && n < SHOWN - 4; text++) copy[n++] = wring_text_is_control(*text) ? '?' : *text;
  snprintf(copy + n, 4, "%s", text < end ? "..." : "");
  return copy;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static int count_columns(const char *text, const char *end)
{
  int n = 1;
  for (; text < end; text++) n += *text == ',';
  return n;
}

/* The name of a column and its size. */
static const char *column_name(const table *t, int column, int *size)
{
  const char *name = t->columns;
  for (; column > 0; column--) name = strchr(name, ',') + 1;
  *size = (int)strcspn(name, ",");
  return name;
}

/* Splits "a,b,length[,damping]" into the columns' names and kinds. */
static PetscErrorCode set_columns(table *t, const char *header)
{
  int n = 0, size;

  PetscFunctionBegin;
  PetscCheck(strlen(header) < HEADER_SIZE, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The header %s is too long", header);
  for (const char *h = header; *h; h++) {
    if (*h != '[' && *h != ']') t->columns[n++] = *h;
  }
  t->width    = count_columns(t->columns, t->columns + n);
  t->required = count_columns(header, header + strcspn(header, "["));
  for (int i = 0; i < t->width; i++) {
    const char     *name = column_name(t, i, &size);
    const PetscBool vertex =
      (PetscBool)((size == 6 && !strncmp(name, "vertex", 6)) || (size == 1 && strchr("ab", *name)));
    t->number[i] = vertex ? "vertex" : size == 3 && !strncmp(name, "tet", 3) ? "tet" : NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first row must be the header, with or without the optional columns. */
static void read_header(table *t, const char *header)
{
  char         line[LINE_SIZE], copy[SHOWN];
  const int    n        = next_row(t, line);
  const size_t required = strcspn(header, "["), length = n < 0 ? 0 : (size_t)n;
  if (wring_failed(t->e)) return;
  t->given = t->width;
  if (length == strlen(t->columns) && !memcmp(line, t->columns, length)) return;
  t->given             = t->required;
  t->columns[required] = '\0';
  if (length == required && !memcmp(line, header, length)) return;
  refuse(t, "the header is \"%s\", expected \"%s\"", shown(line, line + length, copy), header);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Reads the number at the start of a text, with blanks around it; returns its end, NULL if there is none. */
static const char *scan_number(const char *at, double *v)
{
  const char *const end = wring_text_real(skip_blanks(at), v);
  return end ? skip_blanks(end) : NULL;
}

/* Reports a wrong value in a column: `text` up to `end`. */
static void refuse_cell(table *t, int column, const char *text, const char *end, const char *expected)
{
  char        copy[SHOWN];
  int         size;
  const char *name = column_name(t, column, &size);
  refuse(t, "%.*s is \"%s\", expected %s", size, name, shown(text, end, copy), expected);
}

static PetscBool check_value(table *t, int column, double v, const char *text, const char *end)
{
  char expected[64] = "a finite number";
  if (!t->number[column] && isfinite(v)) return PETSC_TRUE;
  if (t->number[column]) {
    if (v >= 0 && v < (double)t->n_number && v == floor(v)) return PETSC_TRUE;
    snprintf(expected, sizeof expected, "a %s, an integer from 0 to %" PetscInt_FMT, t->number[column],
             t->n_number - 1);
  }
  refuse_cell(t, column, text, end, expected);
  return PETSC_FALSE;
}

/* Reads a line of `size` characters into value [width]; false after an error. */
static PetscBool read_row(table *t, const char *line, int size, double *value)
{
  const char *const end = line + size, *at = line;
  for (int i = 0; i < t->given; i++) {
    const char *const comma = memchr(at, ',', (size_t)(end - at)), *const stop = comma ? comma : end;
    if ((comma == NULL) != (i == t->given - 1)) {
      refuse(t, "%d columns, expected %d (%s)", count_columns(line, end), t->given, t->columns);
      return PETSC_FALSE;
    }
    if (scan_number(at, &value[i]) != stop) {
      refuse_cell(t, i, at, stop, "a number");
      return PETSC_FALSE;
    }
    if (!check_value(t, i, value[i], at, stop)) return PETSC_FALSE;
    at = stop + 1;
  }
  for (int i = t->given; i < t->width; i++) value[i] = NAN;
  return PETSC_TRUE;
}

static void note_number(table *t, PetscInt number, PetscBool unique)
{
  PetscInt64 *const first = &t->line_of[number];
  if (unique && *first)
    refuse(t, "%s %" PetscInt_FMT " is given twice (first in line %lld)", t->number[0], number, (long long)*first);
  *first = t->line;
}

static PetscErrorCode read_rows(table *t, PetscBool unique)
{
  char line[LINE_SIZE];

  PetscFunctionBegin;
  for (int size; !wring_failed(t->e) && (size = next_row(t, line)) >= 0;) {
    if (!wring_count_fits((PetscInt64)t->n + 1, t->width, t->file, "rows", t->e)) break;
    PetscCall(wring_grow((PetscInt64)t->n + 1, &t->room, (size_t)t->width * sizeof *t->row, &t->row));
    double *const value = t->row + (size_t)t->n * (size_t)t->width;
    if (!read_row(t, line, size, value)) break;
    if (t->line_of) note_number(t, (PetscInt)value[0], unique);
    t->n++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_complete(table *t)
{
  PetscInt n = 0, first = 0;
  for (PetscInt i = t->n_number - 1; i >= 0; i--) {
    if (t->line_of[i]) continue;
    first = i;
    n++;
  }
  if (n == 0) return;
  refuse(t,
         "the file ends without %s %" PetscInt_FMT " (%" PetscInt_FMT
         " missing), expected every %s from 0 to %" PetscInt_FMT,
         t->number[0], first, n, t->number[0], t->n_number - 1);
}

PetscErrorCode wring_csv_read(const char *file, const char *header, PetscInt n_number, PetscBool unique,
                              PetscBool complete, PetscInt *n, int *width, double **row, wring_error *e)
{
  table t = {.file = file, .stream = fopen(file, "rb"), .n_number = n_number, .e = e};

  PetscFunctionBegin;
  *n   = 0;
  *row = NULL;
  PetscCall(set_columns(&t, header));
  *width = t.width;
  if (!t.stream) {
    wring_error_set(e, "%s: cannot be read: %s", file, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (unique || complete) PetscCall(PetscCalloc1(n_number, &t.line_of));
  read_header(&t, header);
  PetscCall(read_rows(&t, unique));
  fclose(t.stream);
  if (complete && !wring_failed(e)) check_complete(&t);
  PetscCall(PetscFree(t.line_of));
  if (wring_failed(e)) PetscCall(PetscFree(t.row));
  if (!t.row && !wring_failed(e)) PetscCall(PetscMalloc1(1, &t.row)); // no rows; NULL means bad input
  if (!wring_failed(e)) *n = t.n;
  *row = t.row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt64 wring_csv_line(const char *file, PetscInt row)
{
  wring_error e = {""};
  table       t = {.file = file, .stream = fopen(file, "rb"), .e = &e};
  char        line[LINE_SIZE];
  for (PetscInt i = -1; t.stream && i <= row && next_row(&t, line) >= 0; i++) continue; // -1: the header
  if (t.stream) fclose(t.stream);
  return t.line;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void print_rows(FILE *f, PetscInt begin, PetscInt n, int width, const double *row)
{
  for (PetscInt i = 0; i < n; i++) {
    fprintf(f, "%" PetscInt_FMT, begin + i);
    for (int k = 0; k < width; k++) fprintf(f, ",%.17g", *row++);
    putc('\n', f);
  }
}

/*
  Rank 0 prints its block, then those of the other ranks, which it receives one at a time, on PETSc's copy of the
  communicator, which has no messages of the caller.
*/
static PetscErrorCode print_blocks(const wring_mesh *m, FILE *f, int width, const double *row)
{
  PetscMPIInt  size, rank, count, *counts, most = 0, tag;
  MPI_Comm     comm;
  PetscInt     begin, n;
  MPI_Datatype unit;
  double      *block;

  PetscFunctionBegin;
  PetscCall(wring_natural_rows(m, &begin, &n));
  PetscCall(wring_natural_unit(width, &unit));
  PetscCall(PetscCommDuplicate(m->comm, &comm, &tag));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCall(PetscMalloc1(size, &counts));
  PetscCallMPI(MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, comm));
  if (rank == 0)
    print_rows(f, 0, n, width, row);
  else
    PetscCallMPI(MPI_Send(row, count, unit, 0, tag, comm));
  for (int r = 1; r < size && rank == 0; r++) most = PetscMax(most, counts[r]);
  PetscCall(PetscMalloc1((size_t)most * (size_t)width, &block));
  begin = n;
  for (int r = 1; r < size && rank == 0; r++) {
    PetscCallMPI(MPI_Recv(block, counts[r], unit, r, tag, comm, MPI_STATUS_IGNORE));
    print_rows(f, begin, counts[r], width, block);
    begin += counts[r];
  }
  PetscCallMPI(MPI_Type_free(&unit));
  PetscCall(PetscFree(block));
  PetscCall(PetscFree(counts));
  PetscCall(PetscCommDestroy(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_csv_write_vertices(const char *file, const wring_mesh *m, const char *columns, int width,
                                        const double *value)
{
  double     *row;
  FILE       *f = NULL;
  wring_error e = {""};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  if (rank == 0) f = wring_file_create(file, &e);
  PetscCall(wring_error_raise_output(m->comm, &e));
  PetscCall(wring_natural_gather(m, width, value, &row));
  if (f) fprintf(f, "vertex,%s\n", columns);
  PetscCall(print_blocks(m, f, width, row));
  if (rank == 0) wring_file_commit(f, file, &e);
  PetscCall(PetscFree(row));
  PetscCall(wring_error_raise_output(m->comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
