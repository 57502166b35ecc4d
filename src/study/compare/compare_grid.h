/* A sweep: keys of the deck that take several values each. compare_sweep.c reads and runs it, compare_sweep_files.c shows what it found. */
#pragma once
#include "compare.h"

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
} wring_parameter_sweep;

/* The keys behind "compare_sweep_", each checked against the catalogue. n_axis 0 if there are none. Collective. */
PetscErrorCode wring_parameter_sweep_read(const wring_options *o, const wring_catalogue *c, wring_parameter_sweep *s);
PetscErrorCode wring_parameter_sweep_clear(wring_parameter_sweep *s);

/* The value of an axis in a run, and the name of its folder, "material_stiffness=1e5__time_step=1e-2". */
const char *wring_parameter_sweep_value(const wring_parameter_sweep *s, PetscInt run, int axis);
void        wring_parameter_sweep_folder(const wring_parameter_sweep *s, PetscInt run, size_t size, char *folder);

/* sweep.csv, sweep.json and sweep.gp with what gnuplot makes of it (false: nothing), of the runs that are done. Rank 0. */
void      wring_parameter_sweep_csv(const wring_parameter_sweep *s, const char *directory, wring_error *e);
void      wring_parameter_sweep_json(const wring_parameter_sweep *s, const char *directory, wring_error *e);
PetscBool wring_parameter_sweep_plot(const wring_parameter_sweep *s, const char *directory, wring_error *e);

PetscErrorCode wring_parameter_sweep_print(MPI_Comm comm, const wring_parameter_sweep *s); // collective
