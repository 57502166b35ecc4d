/*
  wring run: time integration, from a deck to files. Read in this order:

    run.c         solver, first and last step; open files, march (begin, solve, finish, record), finish
    run_output.c  the output directory, run.json
    progress.h    lines on the screen (progress.c)

  Not here: a step's g and its end (src/step), how x is found (src/solver), tables, frames and checkpoints
  (src/output), what other commands share (study/common).
*/
#pragma once
#include "study/common/command_keys.h"
#include "output/frames/frames.h"
#include "progress.h"
#include "output/state_files.h"
#include "output/tables.h"
#include "io/json.h"
#include "study/common/stop.h"
#include <wring/study.h>

typedef struct {
  wring_output keys;
  int          lock;    // of the directory
  PetscBool    goes_on; // continues the files of the run that is restarted
  wring_tables tables;
  wring_frames frames;
  json_t      *made;     // how and where this run is made
  json_t      *segments; // of rank 0: run.json of each earlier part of a chain of restarts, the first one first
  json_t      *json;     // of rank 0: run.json as it was written last
  double       beat;     // MPI_Wtime of the last heartbeat

  wring_checkpoints checkpoints;
} wring_run_output;

typedef struct {
  wring_options   *resumed; // the deck of a run that checkpoint.resume continues, else NULL
  wring_problem   *p;
  wring_solver    *solver; // NULL: the integrator advances without one
  Vec              x;      // x_0 of the current step, then its new positions
  wring_run_output output;
  wring_progress   progress;
  PetscInt         first, last; // steps done at the start and at the end
  PetscInt64       iterations, linear_iterations;
  double           seconds;         // of the solver, of all steps
  double           set_up, marched; // s from the start of the problem until the first step begins; until the last ends
  wring_stopper    stopper;
  wring_outcome    outcome; // of the last step
  wring_rises      rises;   // of all steps
  wring_tally      tally;
  double           elastic; // J, E at its end
  wring_exit       status;
} wring_run;

/* ---- set-up and march (run.c); collective, as all functions here ------------------------------------------------- */

/* Problem, keys and solver; bad input is refused. */
PetscErrorCode wring_run_set_up(MPI_Comm comm, const wring_options *o, wring_run *r);
PetscErrorCode wring_run_destroy(wring_run *r);

/* Opens the directory, prints the header, makes all steps, writes and prints the end; r->status: how it ended. */
PetscErrorCode wring_run_march(wring_run *r);

/* ---- files (run_output.c) ---------------------------------------------------------------------------------------- */

/* Makes the output directory, opens the tables, removes the files of an earlier run. From here on files are written. */
PetscErrorCode wring_run_open_directory(wring_run *r);

PetscErrorCode wring_run_write_checkpoint(wring_run *r); // and keeps two
PetscErrorCode wring_run_write_json(wring_run *r);       // run.json
/* Tables of a directory have rows of all runs that go on there: notes a key that has changed since. After run.json. */
PetscErrorCode wring_run_note_other_keys(const wring_run *r);
/*
  After a step, or an iteration of the next one (it), at most every 10 s: run.json as it was when they began, with a
  `heartbeat`. Not collective.
*/
void wring_run_beat(wring_run *r, const wring_iteration *it, wring_error *e);
