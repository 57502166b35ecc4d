/* The earlier parts of a chain of restarts, as run.json lists them. */
#pragma once
#include "study/common/json.h"
#include <petscsys.h>

/*
  The parts of the chain up to step `first`, the first one first: run.json beside the checkpoint, and its own segments.
  steps_by_reason of each part counts the steps of it that the chain keeps, by the rows of steps.csv beside the
  checkpoint, so that a killed part, or one restarted before its end, is counted right. A new array, empty for "" and
  for a checkpoint copied without run.json; an error if run.json is there and cannot be read. Not collective: rank 0.
*/
json_t *wring_segments_read(const char *checkpoint, PetscInt first, wring_error *e);
