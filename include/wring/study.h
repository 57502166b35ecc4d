/*
  Layer 11, studies: what the commands of the program do, from a deck to files. docs/user.md is their manual.

  A study checks every key, reads every input and only then writes its first file. Everything is collective.
*/
#pragma once
#include <wring/options.h>

/* Exit status of the program. */
typedef enum {
  WRING_EXIT_DONE,     // also of steps that end at max_it or at round-off
  WRING_EXIT_INPUT,    // bad input or usage
  WRING_EXIT_FAILED,   // a solver failed; the last good state is written
  WRING_EXIT_STOPPED,  // by a signal or by time.limit; a checkpoint is written
  WRING_EXIT_OUTPUT,   // an output file cannot be written; earlier checkpoints are whole
  WRING_EXIT_INTERNAL, // anything else
} wring_exit;

typedef PetscErrorCode wring_study(MPI_Comm comm, const wring_options *o, wring_exit *status);

wring_study wring_study_run;      // march in time: run.json, history.csv, steps.csv, frames, checkpoints, state.csv
wring_study wring_study_compare;  // one step by several solvers: compare.csv, .json, .gp, .png
wring_study wring_study_evaluate; // g, its parts and gradient at given positions: evaluate.json, gradient.csv
wring_study wring_study_check;    // what would run, and an estimate of its memory; writes no file
wring_study wring_study_bench;    // without a deck: bandwidth, kernels, solvers: bench.json, bench.csv

/* `wring mesh COMMAND FILES [-key value ...]`, from COMMAND on: makes, describes, converts and refines meshes. */
PetscErrorCode wring_study_mesh(MPI_Comm comm, int n_args, char **args, wring_exit *status);

/*
  Prints the keys that begin with `key` ("" or "deck": all of them); refused if there is none. "mesh" also has those of
  `wring mesh`.
*/
PetscErrorCode wring_study_help(MPI_Comm comm, const char *key);

PetscErrorCode wring_study_version(MPI_Comm comm); // wring, commit, PETSc, MPI, compiler, OpenMP, bits of PetscInt

/*
  From now on SIGINT, SIGTERM and SIGUSR1 end a run after the step in flight, with a checkpoint. Call before MPI and OpenMP
  start their threads, which must inherit it: the signals stay blocked and are looked for between steps. Not collective.
*/
void wring_study_hold_signals(void);
