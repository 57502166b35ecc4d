/* Why a command ends before it is done: a signal that wring_study_hold_signals holds, or time.limit. */
#pragma once
#include <wring/options.h>

typedef enum { WRING_GO_ON, WRING_STOP_SIGNAL, WRING_STOP_LIMIT } wring_stop;

typedef struct {
  MPI_Comm   comm;
  double     end;   // MPI_Wtime at which time.limit ends, infinite without one
  wring_stop cause; // what all ranks agreed on last; once it is a stop it stays
} wring_stopper;

/* The clock of time.limit starts. Collective. */
PetscErrorCode wring_stopper_start(const wring_options *o, wring_stopper *s);

/* Sets the cause: a stop if any rank has a signal pending or has reached the limit. Collective. */
PetscErrorCode wring_stopper_check(wring_stopper *s);

/* "done", "stopped by a signal" or "stopped by time.limit". Not collective. */
const char *wring_stop_text(wring_stop cause);
