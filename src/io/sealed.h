/*
  HDF5 files of checkpoints: all ranks write one together, read it back and seal it. Their disk space is reserved first:
  if the disk becomes full while HDF5 writes through MPI-IO, HDF5 crashes or hangs when it closes the file.

  A seal: 16 bytes after the last byte of a file, with the CRC-32 of all bytes before it. It is checked before a library
  opens the file: HDF5 1.10 crashes on damaged metadata despite its own checksums. HDF5 ignores bytes after its end.
*/
#pragma once
#include "hdf5.h"

/* Appends the seal with this CRC to "<path>.part", which no rank has open, unless e is set. Not collective. */
void wring_seal_append(const char *path, uint32_t crc, wring_error *e);

/* Sets e, the same on all ranks, unless the file is intact. Each rank reads an equal share of the file. Collective. */
PetscErrorCode wring_seal_check(MPI_Comm comm, const char *path, wring_error *e);

/* Creates a file for tables of this many bytes (the same on all ranks); raises an error. Collective. */
PetscErrorCode wring_sealed_create(wring_hdf5 *h, MPI_Comm comm, const char *file, uint64_t bytes, wring_error *e);

/*
  Closes the file, verifies that all tables have arrived (each rank reads an equal share of it), seals it and gives it
  its name; or removes it and raises the error of h. Collective.
*/
PetscErrorCode wring_sealed_finish(wring_hdf5 *h);
