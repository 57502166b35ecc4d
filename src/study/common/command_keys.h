/*
  The keys of all commands: their tables, and the keys in force. Each table is defined in the folder of its command,
  next to the code that reads it, declared here or in output/output.h, and listed in command_keys.c.
*/
#pragma once
#include "output/output.h"
#include <jansson.h>

extern const wring_option wring_compare_options[];  // compare_: compare/compare_keys.c
extern const wring_option wring_grid_options[];     // compare_sweep_*: compare/compare_grid_axes.c
extern const wring_option wring_evaluate_options[]; // evaluate_: evaluate/evaluate_command.c
extern const wring_option wring_converge_options[]; // converge_: converge/converge_keys.c
extern const wring_option wring_bench_options[];    // bench_: bench/bench.c
extern const wring_option wring_check_options[];    // check_: check/check.c

/* The catalogue of a problem's keys and those of all commands. Not collective. */
PetscErrorCode wring_keys_create(wring_catalogue **c);

/* Whether a key is one of outputs, of checkpoints, or of another command than this one. Not collective. */
PetscBool wring_keys_of_others(const char *command, const char *key);

/* Refuses keys of the command line that only another command reads; a deck may be for several. Collective. */
PetscErrorCode wring_keys_check_command(const wring_options *o, const char *command);

/*
  *keys: an object of every key in force with its value: the keys of the deck and of the command line, and the defaults
  of the problem, of the command and of these solvers, types or variants (NULL: the one of solver_type, if the
  integrator needs a solver). Integers and reals are numbers, bools are bools, lists are arrays, words and paths are
  texts; numbers that are not finite are null. New reference. Not collective.
*/
PetscErrorCode wring_keys_in_force(const wring_problem *p, const char *command, PetscInt n_solver,
                                   const char *const *solver, json_t **keys);

/* The same for the deck and the tables of one command only, for commands without a problem. New reference. */
PetscErrorCode wring_keys_of_command(const wring_options *o, const char *command, json_t **keys);
