/*
  Layer 13, studies: the commands of the program, from a deck to files. docs/user.md is their manual. Read in this
  order:

    src/study/commands.c  the array of commands: usage, refusals, help; the check of all keys
    src/study/run/        run.h: the march in time
    src/study/compare/    comparison.h: one step by several solvers
    src/study/converge/   converge.h: a deck on finer meshes and time steps, orders of convergence
    src/study/evaluate/   g, its parts and gradient at given positions
    src/study/check/      what would run, its memory, what its numbers amount to
    src/study/bench/      bench.h: bandwidth, kernels, solvers
    src/study/mesh/       mesh_command.h: makes, describes, converts and refines meshes
    src/study/help/       help.h: keys, commands, the man page, completion; version
    src/study/common/     what commands share: keys in force (command_keys.h), the record of a result (provenance.h),
                          results that the same command takes again (kept.h), why a command ends early (stop.h), usage
                          (usage.h), threads that share cores (cores.h), plugins of a command line (plugins.h)

  Not here: files of the states of a problem (src/output); anything that a step, a solve or a deck needs (src/problem
  and below).

  A study checks every key, reads every input and only then writes its first file. Functions are collective unless their
  comments state otherwise. Call from one thread, one study at a time.
*/
#pragma once
#include <wring/io.h>

/* The names of wring's own members of each family, for wring_plugin_add and wring_plugin_load. Not collective. */
void wring_plugins_builtin(const char *builtin[WRING_FAMILIES]);

/* Exit status of the program. */
typedef enum {
  WRING_EXIT_DONE,     // also of steps that end at max_it or at round-off
  WRING_EXIT_INPUT,    // bad input or usage
  WRING_EXIT_FAILED,   // a solver failed; the last good state is written
  WRING_EXIT_STOPPED,  // by a signal or by time.limit; a checkpoint is written
  WRING_EXIT_OUTPUT,   // an output file cannot be written; earlier checkpoints are whole
  WRING_EXIT_INTERNAL, // anything else
} wring_exit;

/* The result of a command; set to zero before the call. */
typedef struct {
  wring_exit     status;
  PetscBool      no_pictures; // output.plots is false: their scripts remain
  wring_pictures pictures;    // freed by wring_study_draw
} wring_ending;

/*
  Draws the pictures of a command by gnuplot and frees their list; if gnuplot is missing or fails, a note is printed on
  standard error. After a command that was stopped, none is drawn: the scripts remain. Call after MPI_Finalize, because
  a program must not fork while MPI is active. Not collective; does nothing on ranks without pictures.
*/
void wring_study_draw(wring_ending *end);

/*
  Checks all keys of a deck once, whichever command reads them: each is a known key with an accepted value, variants
  have the keys of their types, and the values of compare_sweep_ are valid for their keys. Before that, a key of the
  command line removes the alternatives to it that the deck gives (wring_options_settle). The studies below require a
  checked deck. A refusal names the origin of the key and a similar known key. Collective.
*/
PetscErrorCode wring_study_check_keys(wring_options *o);

/* A command of the program, applied to a deck or to keys alone. */
typedef PetscErrorCode wring_study(MPI_Comm comm, const wring_options *o, wring_ending *end);

wring_study wring_study_run;      // march in time: run.json, tables, frames, checkpoints, state.csv
wring_study wring_study_compare;  // one step by several solvers: compare.csv, .json, .gp, .png
wring_study wring_study_converge; // levels of mesh and time step, orders: converge.csv, .json, .gp, .png
wring_study wring_study_evaluate; // g, its parts and gradient at given positions: evaluate.json, gradient.csv
wring_study wring_study_check;    // what would run, and an estimate of its memory; writes no file but check_json
wring_study wring_study_bench;    // without a deck: bandwidth, kernels, solvers: bench.json, bench.csv

/* `wring mesh COMMAND FILES [-key value ...]`, from COMMAND on: makes, describes, converts and refines meshes. */
PetscErrorCode wring_study_mesh(MPI_Comm comm, int n_args, char **args, wring_ending *end);

void wring_study_version(MPI_Comm comm); // wring, commit, PETSc, MPI, compiler, OpenMP, bits of PetscInt

/*
  Runs the command that argv[1] names with the arguments after it. An unknown command is refused with the nearest one
  and the usage. With -h or --help, first or after a command, prints help.
*/
PetscErrorCode wring_study_command(MPI_Comm comm, int argc, char **argv, wring_ending *end);

/* Whether signals end this command early, with finished results on disk and WRING_EXIT_STOPPED. */
PetscBool wring_study_stops(int argc, char **argv);

/*
  Blocks SIGINT, SIGTERM and SIGUSR1 for the rest of the program. Commands that can stop poll for pending signals: `run`
  and `converge` before each step, and between the iterations of a step that does not end soon after the signal;
  `compare` before each iteration, `bench` before each row. Call before MPI and OpenMP start their threads, which
  inherit the mask. Not collective.
*/
void wring_study_hold_signals(void);
