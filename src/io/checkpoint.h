/* What a whole checkpoint is. */
#pragma once
#include "hdf5.h"

/* Opens a checkpoint and checks that it is one that this program reads. Not collective. */
void wring_checkpoint_open(wring_hdf5 *h, const char *file, wring_error *e);

/* Checks every byte that matters of a checkpoint; e stays empty if it is whole. Not collective. */
PetscErrorCode wring_checkpoint_verify(const char *file, wring_error *e);
