/*
  Tables: fields of CSV files; tables for the screen, with columns as wide as their longest cell, and as many columns as
  fit on a line. Rank 0.
*/
#pragma once
#include <stdio.h>

typedef struct {
  FILE  *file;
  char  *text;
  size_t size;
} wring_table;

/* Begins a table, whose text is written to the file: rows end with \n, and between their cells are tabs. */
FILE *wring_table_begin(wring_table *t);

/*
  Ends and prints it. A number that is nan becomes "-". heads: the first columns, left-aligned, which are repeated where
  a table is folded.
*/
void wring_table_print(wring_table *t, int heads);

/* Prints a field of a CSV file and the comma before it; none: what NaN is, without a sign. */
void wring_print_field(FILE *f, double value, const char *none);
