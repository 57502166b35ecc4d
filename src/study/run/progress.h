/* What a run prints while it marches and when it ends, on rank 0. */
#pragma once
#include "study/common/cores.h"
#include "output/tally.h"

enum { WRING_PROGRESS_STEPS = 10 }; // whose mean time a line gives

typedef struct {
  PetscBool terminal;  // the line is overwritten; otherwise lines are plain and less frequent
  PetscBool is_static; // times are pseudo-times
  PetscInt  first, last;
  PetscBool told;                            // a step that did not converge has had its line
  double    printed;                         // MPI_Wtime of the last line, -1: none
  double    begun;                           // MPI_Wtime of the first iteration of the solve
  double    within;                          // of the last line inside a step
  double    gradient;                        // N, |grad g| at the first iteration
  double    ended[WRING_PROGRESS_STEPS + 1]; // MPI_Wtime when step i ended, at i modulo the length

  wring_core_watch watch;
} wring_progress;

/* When a step ended, of the last ones; the mean seconds of these up to `step`, with what was written between them. */
double *wring_progress_ended(wring_progress *g, PetscInt step);
double  wring_progress_rate(wring_progress *g, PetscInt step);

/* A run to step `last` begins; it has made a step: prints a line if one is due. Collective. */
PetscErrorCode wring_progress_start(const wring_problem *p, PetscInt last, wring_progress *g);
void           wring_progress_step(const wring_problem *p, wring_progress *g, const wring_outcome *outcome);
/*
  An iteration of the solve of step `step`: a line with an estimate of the solve's end, if it has taken 10 s, and then
  each 10 s. The estimate assumes that log |grad g| goes on falling as it has since the first iteration. Returns whether
  10 s have gone by since the last line or the first iteration. Not collective: rank 0.
*/
PetscBool wring_progress_iteration(wring_progress *g, PetscInt step, double time, const wring_solver_limits *limits,
                                   const wring_iteration *it);
/* The march has ended: ends the line that is overwritten. Logically collective. */
void wring_progress_finish(const wring_problem *p, const wring_progress *g);

/* How the run ended and the seconds of each phase, of run.json. Collective. */
void wring_summary_print(const wring_problem *p, const json_t *record);
