/* What a run says on standard output, from rank 0. */
#pragma once
#include "problem/problem.h"

typedef struct {
  PetscBool terminal; // the line rewrites itself; otherwise lines are plain and rarer
  PetscInt  first, last;
  double    start, said; // MPI_Wtime
} wring_progress;

/* Version, ranks x threads, mesh, model, solver (may be NULL) and operator, integrator. Collective. */
PetscErrorCode wring_header_print(wring_problem *p, const char *solver);

/* The state after `step` steps is last's end: says so, or leaves it for later. Collective only in name. */
void wring_progress_start(const wring_problem *p, PetscInt last, wring_progress *g);
void wring_progress_step(const wring_problem *p, wring_progress *g, const wring_outcome *outcome);
void wring_progress_finish(const wring_problem *p, const wring_progress *g);

/* How it ended and the time per phase. Collective. */
PetscErrorCode wring_summary_print(wring_problem *p, const char *ended);
