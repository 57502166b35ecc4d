#define _POSIX_C_SOURCE 200809L // sigprocmask, sigpending
#include "stop.h"
#include <signal.h>
#include <wring/study.h>

static const int held[] = {SIGINT, SIGTERM, SIGUSR1};
enum { N_HELD = sizeof held / sizeof held[0] };

void wring_study_hold_signals(void)
{
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < N_HELD; i++) sigaddset(&set, held[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Pending signals need no handler, hence no global flag. */
static PetscBool signal_pending(void)
{
  sigset_t set;
  if (sigpending(&set)) return PETSC_FALSE;
  for (int i = 0; i < N_HELD; i++) {
    if (sigismember(&set, held[i]) == 1) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode wring_stop_agree(MPI_Comm comm, double elapsed, double limit, wring_stop *stop)
{
  int mine[2] = {signal_pending(), elapsed >= limit}, any[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm));
  *stop = any[0] ? WRING_STOP_SIGNAL : any[1] ? WRING_STOP_LIMIT : WRING_GO_ON;
  PetscFunctionReturn(PETSC_SUCCESS);
}
