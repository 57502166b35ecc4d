/*
  A seal: 16 bytes behind the last byte of a file, with the CRC-32 of all bytes before it. Checked before a library sees
  the file: HDF5 1.10 crashes on damaged metadata, its own checksums notwithstanding. HDF5 ignores what is behind its end.
*/
#pragma once
#include <wring/base.h>

/* Appends the seal to "<path>.part", closed by all, unless e is set. Not collective. */
PetscErrorCode wring_seal(const char *path, wring_error *e);

/* Sets e unless the file is whole. Not collective. */
PetscErrorCode wring_seal_check(const char *path, wring_error *e);
