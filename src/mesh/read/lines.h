/*
  Private to src/mesh: where the rows of a text begin, from counts of lines in spans of it. A row is a line that is not
  blank and, with comments, does not begin with #.
*/
#pragma once
#include <wring/base.h>

typedef struct {
  PetscInt n;      // spans
  int64_t  size;   // bytes of a span, but the last
  int64_t *row;    // [n + 1] rows that begin before each span
  int64_t *line;   // [n + 1] line ends before each span
  char    *inside; // [n] whether the span begins inside a line, after a character that is not blank
} wring_lines;

/*
  Counts the lines of a file of `bytes` bytes, each rank its share of the spans; at most 65,536 spans. A file that
  cannot be read is reported to the error of this rank. Collective.
*/
PetscErrorCode wring_lines_count(MPI_Comm comm, const char *file, int handle, int64_t bytes, PetscBool comments,
                                 wring_error *e, wring_lines *lines);
PetscErrorCode wring_lines_destroy(wring_lines *lines);

int64_t wring_lines_rows(const wring_lines *lines); // of the whole file

/* The span in which a row begins; n for a row after the last one. */
PetscInt wring_lines_find(const wring_lines *lines, int64_t row);

/* Reads n bytes from this offset, fewer if the file ends; -1 and an error if it cannot be read. Not collective. */
int64_t wring_file_take(const char *file, int handle, int64_t offset, size_t n, char *text, wring_error *e);
