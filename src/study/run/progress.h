/* What a run prints while it marches and when it ends, on rank 0. */
#pragma once
#include <wring/problem.h>

typedef struct {
  PetscBool terminal; // the line is overwritten; otherwise lines are plain and less frequent
  PetscInt  first, last;
  double    start, printed; // MPI_Wtime; of the last line, -1: none
} wring_progress;

/* A run to step `last` begins; it has made a step: prints a line if one is due; it has ended. Not collective. */
void wring_progress_start(const wring_problem *p, PetscInt last, wring_progress *g);
void wring_progress_step(const wring_problem *p, wring_progress *g, const wring_outcome *outcome);
void wring_progress_finish(const wring_problem *p, const wring_progress *g);

/* How the run ended and the seconds of each phase. Collective. */
PetscErrorCode wring_summary_print(wring_problem *p, const char *ended);
