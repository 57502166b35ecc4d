/*
  What commands print: lines on the screen; tables for the screen, with columns as wide as their longest cell, and as
  many columns as fit on a line; fields of CSV files.
*/
#pragma once
#include <stdio.h>
#include <wring/base.h>

/* PetscPrintf, on rank 0 of comm; wring_note. Text that cannot be written is no error here. Logically collective. */
#define wring_print(comm, ...) ((void)PetscPrintf(comm, __VA_ARGS__))
#define wring_say(comm, ...)   ((void)wring_note(comm, __VA_ARGS__))

/* ---- tables; rank 0 ---------------------------------------------------------------------------------------------- */

typedef struct {
  FILE  *file;
  char  *text;
  size_t size;
} wring_text_table;

/* Begins a table, whose text is written to the file: rows end with \n, and between their cells are tabs. */
FILE *wring_table_begin(wring_text_table *t);

/*
  Ends and prints it. A number that is nan becomes "-". heads: the first columns, left-aligned, which are repeated where
  a table is folded.
*/
void wring_table_print(wring_text_table *t, int heads);

/* Prints a field of a CSV file and the comma before it; none: what NaN is, without a sign. */
void wring_print_field(FILE *f, double value, const char *none);
