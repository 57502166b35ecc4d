/* Why a run ends before its last step. */
#pragma once
#include <wring/base.h>

typedef enum { WRING_GO_ON, WRING_STOP_SIGNAL, WRING_STOP_LIMIT } wring_stop;

/*
  What all ranks agree on at the end of a step: stop if any rank has a signal pending (wring_study_hold_signals) or has
  spent limit [s] of wall clock. Collective.
*/
PetscErrorCode wring_stop_agree(MPI_Comm comm, double elapsed, double limit, wring_stop *stop);
