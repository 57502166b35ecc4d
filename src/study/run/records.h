/* Tables that grow during a run: history.csv, residuals.csv, steps.csv, probes.csv. The files live on rank 0. */
#pragma once
#include "tally.h"
#include <stdio.h>

typedef struct {
  FILE *file; // NULL on the other ranks
  char  path[PETSC_MAX_PATH_LEN + 32];
} wring_record;

/*
  Sets an error if the file directory/name, which may be missing, has another header than this, so that a run cannot
  continue it. Changes nothing: for all tables before the first is opened. Not collective: rank 0.
*/
void wring_record_check(const char *directory, const char *name, const char *header, wring_error *e);

/*
  Opens directory/name with the given header. keep >= 0: appends to the file that is there, which has this header,
  without its rows whose first column is above keep. Not collective: rank 0.
*/
void wring_record_open(const char *directory, const char *name, const char *header, PetscInt keep, wring_record *r,
                       wring_error *e);

/* Flushes the rows to the system: they survive a kill of the program. Not collective. */
void wring_record_flush(wring_record *r, wring_error *e);
/* Also flushes them to the disk: they survive a crash of the machine. Not collective. */
void wring_record_sync(wring_record *r, wring_error *e);
void wring_record_close(wring_record *r);

/* ---- steps.csv --------------------------------------------------------------------------------------------------- */

typedef struct {
  wring_flaws flaws;
  double      kinetic, elastic, external; // J; external: docs/theory.md (6.18)
  double      p[3], l[3];                 // kg m/s, kg m^2/s: sum m v, sum m x cross v
} wring_balance;

/* Computes all but `elastic` from a state, on all ranks, and marks inverted tetrahedra [n_tet]. Collective. */
PetscErrorCode wring_balance_measure(const wring_problem *p, char *inverted, wring_balance *b);

/* Freed by free. Not collective. */
PetscErrorCode wring_steps_header(const wring_problem *p, char **header);

/*
  One row: the state after a step, its elastic energy [J], and the force of each attached set on the body. Counts the
  step. Collective.
*/
PetscErrorCode wring_steps_write(wring_record *r, wring_problem *p, double elastic, const wring_outcome *outcome,
                                 wring_tally *tally);

/* ---- probes.csv -------------------------------------------------------------------------------------------------- */

/* NULL without probes; freed by PetscFree. Not collective. */
PetscErrorCode wring_probes_header(const wring_problem *p, char **header);

/* One row: what the probes measure in the state after a step; nothing without probes. Collective. */
PetscErrorCode wring_probes_write(wring_record *r, wring_problem *p);

/* ---- history.csv, and residuals.csv for methods that have them --------------------------------------------------- */

extern const char wring_history_header[], wring_residuals_header[];

/* Context of the monitor that writes their rows. */
typedef struct {
  wring_record record;
  wring_record residuals; // not open: none
  PetscInt     step;      // in progress
  double       time;      // its end, s
  const char  *solver;
} wring_history;

wring_monitor wring_history_monitor; // context: wring_history *
