/* CRC-32 of bytes of which each rank holds or reads a part. */
#pragma once
#include <wring/base.h>

/*
  Every rank has a part of each of n strings of bytes, in rank order: crc [n] of its parts, which have bytes [n] bytes,
  becomes that of the whole strings, on all ranks. Collective.
*/
PetscErrorCode wring_crc_join(MPI_Comm comm, int n, uint32_t *crc, const uint64_t *bytes);

/*
  crc [n] of the bytes [cut[i], cut[i + 1]) of a file, on all ranks. Each rank reads an equal share of them, once. A
  failure to read is set in e, the same on all ranks. Collective.
*/
PetscErrorCode wring_crc_file(MPI_Comm comm, const char *path, int n, const uint64_t *cut, uint32_t *crc,
                              wring_error *e);
