/* Writes one file from pieces of the memory of all ranks. */
#pragma once
#include <wring/base.h>

typedef struct {
  const void *start;
  uint64_t    bytes; // of any size: divided into blocks that MPI can count
} wring_span;

/*
  Writes each rank's spans in sequence, from its offset on, by one collective MPI-IO call to "<path>.part"; then syncs
  and renames the file. A failure is raised with the path and MPI's reason, and the file is removed. Collective.
*/
PetscErrorCode wring_spans_write(MPI_Comm comm, const char *path, uint64_t offset, int n, const wring_span *span);
