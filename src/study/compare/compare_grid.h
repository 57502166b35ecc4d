/*
  A parameter grid: keys of the deck with several values each, and one comparison for each combination. Keys and
  folders: compare_grid_axes.c; comparisons: compare_grid.c; files and tables: compare_grid_files.c; pictures:
  compare_grid_plot.c.
*/
#pragma once
#include "comparison.h"
#include "study/common/command_keys.h"
#include <wring/study.h>

enum { WRING_MAX_FOLDER = 200 }; // characters of a folder's name

typedef struct {
  const char *key, *origin; // "material_stiffness"; both borrowed from the options
  PetscInt    n;
  char      **value;  // [n] as typed
  PetscBool   number; // integers or reals, not words
} wring_axis;

typedef struct {
  int               n_axis;
  PetscInt          n_run; // product of the axes' n
  wring_axis       *axis;  // [n_axis] in the order of the deck
  wring_comparison *run;   // [n_run] without rows; the last axis varies fastest. n = 0: not run yet
} wring_parameter_grid;

/* Refuses unknown keys, keys that take a list, and values that a key does not accept. Collective. */
PetscErrorCode wring_parameter_grid_check(const wring_options *o, const wring_catalogue *c);

/* The keys of compare_sweep_, which have been checked. n_axis 0 if there are none. Collective. */
PetscErrorCode wring_parameter_grid_read(const wring_options *o, const wring_catalogue *c, wring_parameter_grid *s);
PetscErrorCode wring_parameter_grid_clear(wring_parameter_grid *s);

/* The value of an axis in a run, and the name of its folder, "material_stiffness=1e5__time_step=1e-2". */
const char *wring_parameter_grid_value(const wring_parameter_grid *s, PetscInt run, int axis);
void        wring_parameter_grid_folder(const wring_parameter_grid *s, PetscInt run, size_t size, char *folder);

/*
  One comparison for each combination, each in a folder of its own, and what they show together. *found: false, and
  nothing done, if the deck has no key of compare_sweep_. A stop ends it after the combinations that are done; the files
  of the one under way are in its folder. Collective.
*/
PetscErrorCode wring_parameter_grid_run(const wring_options *o, wring_stopper *stopper, PetscBool *found,
                                        wring_ending *end);

/* ---- what it leaves ---------------------------------------------------------------------------------------------- */

/* sweep.csv and sweep.json of the runs that are done, sweep.gp once all are. Rank 0. */
void wring_parameter_grid_csv(const wring_parameter_grid *s, const char *directory, wring_error *e);
void wring_parameter_grid_json(const wring_parameter_grid *s, const char *directory, json_t *provenance,
                               wring_error *e);
void wring_parameter_grid_plot(const wring_parameter_grid *s, const char *directory, wring_ending *end, wring_error *e);

PetscErrorCode wring_parameter_grid_print(MPI_Comm comm, const wring_parameter_grid *s); // collective

/* The error of a history at the last iteration of its run's report, NaN where nothing was measured. */
double wring_parameter_grid_error(const wring_comparison *c, const wring_convergence *h);
