/* Why a command stops early: a signal blocked by wring_study_hold_signals, or time.limit. */
#pragma once
#include <wring/options.h>

typedef enum { WRING_GO_ON, WRING_STOP_SIGNAL, WRING_STOP_LIMIT } wring_stop;

typedef struct {
  MPI_Comm    comm;
  double      end;     // MPI_Wtime at which time.limit expires, infinite without a limit
  wring_stop  cause;   // the last decision of all ranks; a stop is final
  MPI_Request request; // of the sum that wring_stopper_ask_late has begun; wring_stopper_check ends it
  double      asked;   // MPI_Wtime when it was begun
  double      mine[2], most[2];
} wring_stopper;

/* Starts the clock of time.limit. Collective. */
PetscErrorCode wring_stopper_start(const wring_options *o, wring_stopper *s);

/* Sets the cause: a stop if any rank has a signal pending or has reached the limit. Collective. */
PetscErrorCode wring_stopper_check(wring_stopper *s);

/* A wring_interrupt of a solver, whose context is the stopper. Collective. */
PetscErrorCode wring_stopper_ask(void *stopper, PetscBool *stop);

/*
  The same for a run, which rather stops between two steps: *stop is set once the step in progress has had 0.1 s to end.
  mpiexec kills its ranks one second after Ctrl-C. The ranks learn at the next call what they knew at this one, so that
  an iteration does not wait for this sum.
*/
PetscErrorCode wring_stopper_ask_late(void *stopper, PetscBool *stop);

/* "done", "stopped by a signal" or "stopped by time.limit". Not collective. */
const char *wring_stop_text(wring_stop cause);
