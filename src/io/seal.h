/*
  A seal: 16 bytes after the last byte of a file, with the CRC-32 of all bytes before it. It is checked before a library
  opens the file: HDF5 1.10 crashes on damaged metadata despite its own checksums. HDF5 ignores bytes after its end.
*/
#pragma once
#include <wring/base.h>

/* Appends the seal with this CRC to "<path>.part", which no rank has open, unless e is set. Not collective. */
void wring_seal_append(const char *path, uint32_t crc, wring_error *e);

/* Sets e, the same on all ranks, unless the file is intact. Each rank reads an equal share of the file. Collective. */
PetscErrorCode wring_seal_check(MPI_Comm comm, const char *path, wring_error *e);
