/* A table for the screen: columns as wide as their longest cell, and as many columns as fit on a line. */
#pragma once
#include <wring/base.h>

typedef struct {
  int      columns, heads; // the first `heads` columns, left-aligned, are repeated when a table is folded
  PetscInt n, capacity;
  char   **cell; // [n], row by row
} wring_table;

PetscErrorCode wring_table_create(int columns, int heads, wring_table **t);
/* Adds cells, between which the format has tabs; a number that is nan becomes "-". */
PetscErrorCode wring_table_add(wring_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
PetscErrorCode wring_table_print(MPI_Comm comm, const wring_table *t); // collective
PetscErrorCode wring_table_destroy(wring_table **t);
