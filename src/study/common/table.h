/* A table for the screen: columns as wide as their longest cell, and as many columns as fit on a line. */
#pragma once
#include <wring/base.h>

/* Empty but for `heads`. */
typedef struct {
  int      heads;   // the first columns, left-aligned, which are repeated when a table is folded
  int      columns; // of the first row
  PetscInt n, room;
  char   **cell; // [n], row by row
} wring_table;

/*
  Adds cells, between which the format has tabs; a line end after the last one ends the row, as the first row needs. A
  number that is nan becomes "-".
*/
PetscErrorCode wring_table_add(wring_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
PetscErrorCode wring_table_print(MPI_Comm comm, wring_table *t); // frees its cells; nothing if empty. Collective
