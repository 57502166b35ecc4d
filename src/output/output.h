/*
  Layer 12, output: files of the states of a problem. Depends on problems, not on commands. Read in this order:

    output.h        the keys of output and checkpoint; the output directory: its numbered files, and removal of those
                    of earlier runs
    tables.h        tables that grow step by step: history.csv, residuals.csv, steps.csv, probes.csv
    tally.h         what happened: steps by reason, inverted tetrahedra, in earlier parts of a chain of restarts too
    frames/         frames.h: frames for ParaView
    state_files.h   checkpoints, state.csv
    record/         record.h: how and where a result was made, and what it has cost
    header.h        the first lines on the screen

  Not here: formats of files (io), what a command writes at its end (study).
*/
#pragma once
#include <wring/problem.h>

extern const wring_option wring_output_options[], wring_checkpoint_options[];

/* Settings of output_ and checkpoint_, without the lists `steps` and `fields`. */
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank;
  const char *directory; // as typed; the database of options has it
  PetscInt    every, checkpoint_every;
  int         hdf, single; // format vtkhdf, precision single
  enum { WRING_FRAMES_AUTO, WRING_FRAMES_VOLUME, WRING_FRAMES_SURFACE } kind;
  PetscBool compress, overwrite, plots, state_csv, resume;
} wring_output;

PetscErrorCode wring_output_read(const wring_options *o, wring_output *out); // collective if a value is refused

/* Refuses what wring_directory_make refuses, in the same line, and writes nothing. Collective. */
PetscErrorCode wring_directory_check(MPI_Comm comm, const char *directory);

/*
  Creates a directory, as typed in output.directory. Refused if another process has locked it; *lock (NULL: none): this
  one has, until the lock is released, which may be done twice. Collective.
*/
PetscErrorCode wring_directory_make(MPI_Comm comm, const char *directory, int *lock);
void           wring_directory_release(const char *directory, int *lock);

/*
  Sets the same error on every rank if a run of this deck would replace checkpoints or frames of another run in
  output.directory, unless output.overwrite is true, or initial.restart continues from there; or if it cannot be read,
  or another process writes there; or if checkpoint.resume is true and run.json there is of another deck. Writes
  nothing. Collective.
*/
PetscErrorCode wring_directory_find_conflict(const wring_options *o, const wring_output *out, wring_error *e);

/*
  Refuses to replace results: output.directory holds one of these files, whose list ends with NULL, and output.overwrite
  is false; or it cannot be read. what: "comparison". Writes nothing. Collective.
*/
PetscErrorCode wring_directory_refuse_results(const wring_output *out, const char *what, const char *const *file);

/* Removes the numbered files with first <= number < last, and their .part files. Not collective: rank 0. */
void wring_directory_remove(const char *directory, const char *stem, const char *end, PetscInt first, PetscInt last,
                            wring_error *e);

/* Creates output.directory and removes the files of an earlier result, whose list ends with NULL. Collective. */
PetscErrorCode wring_directory_renew(const wring_output *out, const char *const *file);

/* Removes a file, if there is one, and its .part; nothing after an error. Not collective: rank 0. */
void wring_directory_remove_file(const char *directory, const char *name, wring_error *e);

/* Whether a file lies in a directory, links followed; both exist. Not collective: rank 0. */
PetscBool wring_directory_holds(const char *directory, const char *file, wring_error *e);
