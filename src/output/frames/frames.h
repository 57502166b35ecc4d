/*
  Files for ParaView: frame_NNNNNN.vtu, numbered by step, and frames.pvd with their times; or frames.vtkhdf. Read in
  this order:

    frames.c   which steps have a frame, how many bytes frames take; writes and continues files
    frame.h    one frame: its cells, all or those of the surface, and its fields (frame.c)
*/
#pragma once
#include "frame.h"
#include "output/output.h"

#define WRING_FRAMES_HDF "frames.vtkhdf" // the name of the file, if there is one

typedef struct {
  const wring_output *keys; // borrowed
  PetscBool           surface;
  unsigned            fields;        // of wring_fields_choose
  PetscInt            every;         // 0: no frames, or those of `step`
  PetscInt            n_step, *step; // ascending; none: every
  PetscInt            last;          // step of the run
  PetscBool           has_cells;
  PetscInt            n;
  char              **name; // [n] of rank 0, relative to the directory; n = 0 on the others
  double             *time; // [n] s

  wring_frame_cells cells; // those of a surface are kept, others only while they are needed
  wring_vtkhdf      file;
  double            seconds;     // of writing, by rank 0's clock
  PetscInt          written;     // by this run
  PetscInt          latest;      // step of the last of them
  double            bytes, once; // of wring_frames_print
} wring_frames;

/*
  Which frames a run to step `last` has, by the keys of output. A mesh of more than a million tets has frames of its
  surface, if the deck does not say otherwise. Refused: `steps` beside `every`; compress with format vtkhdf; a field
  that no element has. Collective.
*/
PetscErrorCode wring_frames_set_up(const wring_problem *p, const wring_output *keys, PetscInt last, wring_frames *f);

PetscBool wring_frames_wanted(const wring_frames *f);               // whether the run has frames
PetscBool wring_frames_begin(const wring_frames *f, PetscInt step); // whether it begins with one, at this step
PetscBool wring_frames_due(const wring_frames *f, PetscInt step);   // not collective, as the above

/* Memory that writing a frame takes on this rank. Not collective. */
double wring_frames_memory(const wring_problem *p, const wring_frames *f);

/*
  Prints one line: which steps of a run from the state have frames, of what, how many bytes they take; goes_on: that of
  the state is there. Sets bytes of a frame without compression, and once of what a file of all frames has once.
  Collective.
*/
PetscErrorCode wring_frames_print(const wring_problem *p, wring_frames *f, PetscBool goes_on);

/* Sets an error if the file of all frames has other fields than this run. Not collective: rank 0. */
PetscErrorCode wring_frames_check(const wring_frames *f, wring_error *e);

/*
  Continues the frames of an earlier run up to step `keep`; removes later ones from lists and files. Not collective:
  rank 0.
*/
PetscErrorCode wring_frames_read(wring_frames *f, PetscInt keep, wring_error *e);

/* Writes the state as a frame, and the list. Collective. */
PetscErrorCode wring_frames_write(wring_frames *f, wring_problem *p);
PetscErrorCode wring_frames_destroy(wring_frames *f);
