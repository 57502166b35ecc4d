/*
  HDF5 files of checkpoints: all ranks write one together, read it back and seal it. Their disk space is reserved first:
  if the disk becomes full while HDF5 writes through MPI-IO, HDF5 crashes or hangs when it closes the file.
*/
#pragma once
#include "hdf5.h"

/* Creates a file for tables of this many bytes (the same on all ranks); raises an error. Collective. */
PetscErrorCode wring_sealed_create(wring_hdf5 *h, MPI_Comm comm, const char *file, uint64_t bytes, wring_error *e);

/*
  Closes the file, verifies that all tables have arrived (each rank reads an equal share of it), seals it and gives it
  its name; or removes it and raises the error of h. Collective.
*/
PetscErrorCode wring_sealed_finish(wring_hdf5 *h);
