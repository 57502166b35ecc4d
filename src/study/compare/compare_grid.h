/* A parameter grid: keys of the deck with several values each, and one comparison for each combination. */
#pragma once
#include "comparison.h"

enum { WRING_FOLDER_SIZE = 202 }; // of a folder's name, which has at most 200 characters

typedef struct {
  const char *key, *origin; // "material_stiffness"; both borrowed from the options
  PetscInt    n;
  char      **value;  // [n] as typed
  PetscBool   number; // integers or reals, not words
} wring_axis;

typedef struct {
  char             folder[WRING_FOLDER_SIZE]; // "material_stiffness=1e5__time_step=1e-2"
  wring_options   *deck;                      // with its values, and with this folder of the output directory
  wring_compare   *compare;                   // of this deck; NULL: to be created, or ended
  wring_comparison found;                     // without rows; n = 0: not run yet
} wring_grid_run;

typedef struct {
  int             n_axis;
  PetscInt        n_run; // product of the axes' n
  wring_axis     *axis;  // [n_axis] in the order of the deck
  wring_grid_run *run;   // [n_run], the last axis varies fastest
  wring_output    output;
} wring_parameter_grid;

/* Refuses unknown keys, keys that take a list, and values that a key does not accept. Collective, as the next ones. */
PetscErrorCode wring_parameter_grid_check(const wring_options *o, const wring_catalogue *c);

/* Notes the keys of the solver in whose place compare has its own. */
PetscErrorCode wring_compare_note_keys(const wring_options *o);

/* The keys of compare_sweep_, which have been checked. n_axis 0 if there are none. */
PetscErrorCode wring_parameter_grid_read(const wring_options *o, wring_parameter_grid *s);
PetscErrorCode wring_parameter_grid_clear(wring_parameter_grid *s);

/* The value of an axis in a run. */
const char *wring_parameter_grid_value(const wring_parameter_grid *s, PetscInt run, int axis);

/* ---- what it leaves ---------------------------------------------------------------------------------------------- */

/*
  After each combination, so that a grid that is stopped keeps what it has found: sweep.csv and sweep.json of the n_done
  that have ended. After the last one sweep.gp too, and what was kept is removed.
*/
PetscErrorCode wring_parameter_grid_write(const wring_parameter_grid *s, PetscInt n_done, json_t *provenance,
                                          wring_ending *end);

void wring_parameter_grid_print(const wring_parameter_grid *s); // rank 0
