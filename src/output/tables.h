/* Tables that grow during a run: steps.csv, history.csv, residuals.csv, probes.csv. The files live on rank 0. */
#pragma once
#include "tally.h"
#include <stdio.h>

enum { WRING_STEPS_CSV, WRING_HISTORY_CSV, WRING_RESIDUALS_CSV, WRING_PROBES_CSV, WRING_N_TABLE };

/* Freed by wring_tables_close, which accepts zeros. */
typedef struct {
  FILE       *file[WRING_N_TABLE]; // NULL: the run has no such table, or another rank writes it
  const char *directory, *solver;  // borrowed; what rows of history.csv name as the solver
  PetscInt    step;                // in progress
  double      time;                // its end, s
} wring_tables;

/*
  Opens the tables in the directory, and removes those that this run does not have: residuals.csv without `residuals`,
  probes.csv without probes. keep >= 0: appends to those that are there, without rows whose first column is above keep;
  sets `refusal` and changes nothing if one of them has other columns. Not collective: rank 0.
*/
PetscErrorCode wring_tables_open(const wring_problem *p, PetscBool residuals, PetscInt keep, wring_tables *t,
                                 wring_error *refusal, wring_error *e);

/* Flushes rows to the system: they survive a kill of the program; with `disk` also a crash of the machine. */
void wring_tables_flush(wring_tables *t, PetscBool disk, wring_error *e); // not collective, as wring_tables_close
void wring_tables_close(wring_tables *t);

/* Rows of history.csv and residuals.csv for an iteration. Not collective. */
void wring_tables_add_iteration(const wring_tables *t, const wring_iteration *it);

/* ---- after a step; collective ------------------------------------------------------------------------------------ */

typedef struct {
  wring_flaws flaws;
  double      kinetic, elastic, external; // J; external: docs/theory.md (6.18)
  double      p[3], l[3];                 // kg m/s, kg m^2/s: sum m v, sum m x cross v
} wring_balance;

/* Computes all but `elastic` from a state, on all ranks, and marks inverted tetrahedra [n_tet]. */
PetscErrorCode wring_balance_measure(const wring_problem *p, char *inverted, wring_balance *b);

/*
  A row of steps.csv: the state after a step, its elastic energy [J], and the force of each attached set on the body;
  and one of probes.csv: what the probes measure. Counts the step.
*/
PetscErrorCode wring_tables_add_step(wring_tables *t, wring_problem *p, double elastic, const wring_outcome *outcome,
                                     wring_tally *tally);
