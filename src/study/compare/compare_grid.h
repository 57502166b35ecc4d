/* A parameter grid: keys of the deck with several values each, and one comparison for each combination. */
#pragma once
#include "comparison.h"

enum { WRING_MAX_FOLDER = 200 }; // characters of a folder's name

typedef struct {
  const char *key, *origin; // "material_stiffness"; both borrowed from the options
  PetscInt    n;
  char      **value;  // [n] as typed
  PetscBool   number; // integers or reals, not words
} wring_axis;

typedef struct {
  int               n_axis;
  PetscInt          n_run;     // product of the axes' n
  wring_axis       *axis;      // [n_axis] in the order of the deck
  wring_comparison *run;       // [n_run] without rows; the last axis varies fastest. n = 0: not run yet
  const char       *directory; // of what they show together; borrowed from the options
} wring_parameter_grid;

PetscBool wring_parameter_grid_asked(const wring_options *o); // the deck has keys of compare_sweep_

/* Refuses unknown keys, keys that take a list, and values that a key does not accept. Collective, as the next four. */
PetscErrorCode wring_parameter_grid_check(const wring_options *o, const wring_catalogue *c);

/* The keys of compare_sweep_, which have been checked. n_axis 0 if there are none. */
PetscErrorCode wring_parameter_grid_read(const wring_options *o, const wring_catalogue *c, wring_parameter_grid *s);
PetscErrorCode wring_parameter_grid_clear(wring_parameter_grid *s);

/*
  One comparison for each combination, each in a folder of its own, and what they show together. A stop ends it after
  the combinations that are done; the files of the one under way are in its folder.
*/
PetscErrorCode wring_parameter_grid_run(const wring_options *o, wring_stopper *stopper, wring_ending *end);

/* The value of an axis in a run, and the name of its folder, "material_stiffness=1e5__time_step=1e-2". */
const char *wring_parameter_grid_value(const wring_parameter_grid *s, PetscInt run, int axis);
void        wring_parameter_grid_folder(const wring_parameter_grid *s, PetscInt run, size_t size, char *folder);

/* ---- what it leaves ---------------------------------------------------------------------------------------------- */

/* sweep.csv and sweep.json of the runs that are done, sweep.gp once all are. Rank 0. */
void wring_parameter_grid_csv(const wring_parameter_grid *s, wring_error *e);
void wring_parameter_grid_json(const wring_parameter_grid *s, json_t *provenance, wring_error *e);
void wring_parameter_grid_plot(const wring_parameter_grid *s, wring_ending *end, wring_error *e);

PetscErrorCode wring_parameter_grid_print(MPI_Comm comm, const wring_parameter_grid *s); // collective

/* The error of a history at iteration k of its run's report, NaN if there is none; k < 0: at the last of the report. */
double wring_parameter_grid_error(const wring_comparison *c, const wring_convergence *h, PetscInt k);
