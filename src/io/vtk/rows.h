/*
  Tables [rows][width] at any path of an HDF5 file: of one dimension or two, contiguous, with room for all rows from the
  start, without fill values. Errors are kept in the file. Private to src/io/vtk.
*/
#pragma once
#include "io/hdf5.h"

enum { WRING_ROWS_PATH = 128 };

typedef struct {
  char       path[WRING_ROWS_PATH];
  wring_type type;
  int        width, dimensions; // 1: [rows]
} wring_rows;

void wring_rows_create(wring_hdf5 *h, const wring_rows *t, int64_t rows); // collective
void wring_rows_group(wring_hdf5 *h, const char *path);                   // collective

/* Rows [begin, begin + n) of this rank; all ranks close or flush the file together. Not collective. */
void wring_rows_write(wring_hdf5 *h, const wring_rows *t, int64_t begin, int64_t n, const void *value);

/* Rows [begin, begin + n) of a file that is open for reading; its rows, -1 if it is not there or of another kind. */
void    wring_rows_read(wring_hdf5 *h, const wring_rows *t, int64_t begin, int64_t n, void *value);
int64_t wring_rows_count(wring_hdf5 *h, const wring_rows *t);
int64_t wring_rows_links(wring_hdf5 *h, const char *path); // of a group, -1 if it is not there

/* Where a row begins in the file, and the bytes of a row. */
uint64_t wring_rows_offset(wring_hdf5 *h, const wring_rows *t, int64_t row);
uint64_t wring_rows_bytes(const wring_rows *t);
