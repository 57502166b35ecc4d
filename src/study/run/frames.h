/* Files for ParaView: frame_NNNNNN.vtu, numbered by step, and frames.pvd with their times. */
#pragma once
#include "fields.h"

typedef struct {
  const char *directory; // borrowed
  PetscBool   compress;
  unsigned    fields; // by choice: wring_fields_choose
  PetscInt    n, capacity;
  char      **name; // [n] of rank 0, relative to the directory; n = 0 on the others
  double     *time; // [n] s
} wring_frames;

/* Continues the frames of an earlier run up to step keep; removes others from the list. Not collective: rank 0. */
PetscErrorCode wring_frames_read(wring_frames *f, PetscInt keep, wring_error *e);

/* Writes the state as a frame, and the list. Collective. */
PetscErrorCode wring_frames_write(wring_frames *f, wring_problem *p);
PetscErrorCode wring_frames_destroy(wring_frames *f);
