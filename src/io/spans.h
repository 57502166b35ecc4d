/* One file written by all ranks at once from pieces of their memory. */
#pragma once
#include <wring/base.h>

typedef struct {
  const void *start;
  uint64_t    bytes; // of any size: cut into blocks that MPI can count
} wring_span;

/*
  Writes each rank's spans in sequence, beginning at its offset, by one collective MPI-IO call, to "<path>.part", syncs,
  and gives the file its name. Refused with the path and MPI's reason; then nothing is left. Collective.
*/
PetscErrorCode wring_spans_write(MPI_Comm comm, const char *path, uint64_t offset, int n, const wring_span *span);
