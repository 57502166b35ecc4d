/*
  Private to src/mesh/read: the rows of a file, divided among the ranks. Rank 0 reads what describes rows (sections,
  counts, heads of blocks) and lists the blocks of rows, over which it moves without reading them; then each rank reads
  an equal number of consecutive rows of each kind.
*/
#pragma once
#include "raw.h"

/* Elements: of any kind, where only the row tells it. Other rows are checked, but not kept. */
typedef enum {
  WRING_ROW_NODES,
  WRING_ROW_COORDINATES, // of nodes whose numbers are the same rows of the block before
  WRING_ROW_TETS,
  WRING_ROW_LOWER,
  WRING_ROW_ELEMENTS,
  WRING_ROW_DATA,
  WRING_ROW_OTHER,
  WRING_ROW_KINDS
} wring_row_kind;

typedef struct {
  wring_row_kind kind;
  int            type, extra; // of the format's reader: what a row has
  PetscInt       source;      // of the elements, if they all have the same one
  int64_t        start;       // wring_scan_where of its first row
  int64_t        width;       // bytes of a row of a binary part; 1 of a text
  int64_t        n, first;    // rows, at least 1; rows of this kind in the blocks before
} wring_row_block;

typedef struct {
  PetscInt         n, room;
  wring_row_block *block;                  // in the order of the file
  int64_t          total[WRING_ROW_KINDS]; // rows
} wring_row_blocks;

/*
  Adds a block that has kind, type, extra, source, width and n set, and starts where the scanner is unless start is set;
  moves over it. Rank 0.
*/
PetscErrorCode wring_row_blocks_add(wring_row_blocks *b, wring_scan *s, wring_row_block block);

/* Reads the row where the scanner is, the i-th of a block, and adds it to the raw mesh of the reader. */
typedef PetscErrorCode (*wring_row_reader)(void *reader, const wring_row_block *block, int64_t i);

/*
  Reads the blocks of rank 0 on all ranks, with memory for this rank's rows in raw. Rank 0 may already have a fault. The
  first fault of all is then that of the scanner on every rank. Frees the blocks. Collective.
*/
PetscErrorCode wring_row_blocks_read(wring_row_blocks *b, wring_scan *s, wring_raw *raw, wring_row_reader read,
                                     void *reader);
