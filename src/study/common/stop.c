#define _POSIX_C_SOURCE 200809L // sigprocmask, sigpending
#include "stop.h"
#include <math.h>
#include <signal.h>
#include <wring/step.h>
#include <wring/study.h>

static const int    held[] = {SIGINT, SIGTERM, SIGUSR1};
static const double late   = 0.1; // s

enum { N_HELD = sizeof held / sizeof held[0] };

void wring_study_hold_signals(void)
{
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < N_HELD; i++) sigaddset(&set, held[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Polling pending signals needs no handler and no global flag. */
static PetscBool signal_pending(void)
{
  sigset_t set;
  if (sigpending(&set)) return PETSC_FALSE;
  for (int i = 0; i < N_HELD; i++)
    if (sigismember(&set, held[i]) == 1) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode wring_stopper_start(const wring_options *o, wring_stopper *s)
{
  double limit = INFINITY;

  PetscFunctionBegin;
  if (wring_options_has(o, "time_", "limit"))
    PetscCall(wring_options_get_real(o, "time_", wring_time_options, "limit", &limit));
  *s = (wring_stopper){.comm = wring_options_comm(o), .end = MPI_Wtime() + limit, .request = MPI_REQUEST_NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends the sum that has been begun, if there is one. */
static PetscErrorCode end_sum(wring_stopper *s)
{
  PetscFunctionBegin;
  if (s->request == MPI_REQUEST_NULL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Wait(&s->request, MPI_STATUS_IGNORE));
  if (!s->cause) s->cause = s->most[0] > 0 ? WRING_STOP_SIGNAL : s->most[1] > 0 ? WRING_STOP_LIMIT : WRING_GO_ON;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what this rank knows: a signal, the end of the limit. */
static PetscErrorCode begin_sum(wring_stopper *s)
{
  PetscFunctionBegin;
  s->asked   = MPI_Wtime();
  s->mine[0] = signal_pending();
  s->mine[1] = s->asked >= s->end;
  PetscCallMPI(MPI_Iallreduce(s->mine, s->most, 2, MPI_DOUBLE, MPI_MAX, s->comm, &s->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stopper_check(wring_stopper *s)
{
  PetscFunctionBegin;
  PetscCall(end_sum(s));
  if (!s->cause) PetscCall(begin_sum(s));
  PetscCall(end_sum(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stopper_ask(void *stopper, PetscBool *stop)
{
  wring_stopper *const s = stopper;

  PetscFunctionBegin;
  PetscCall(wring_stopper_check(s));
  *stop = (PetscBool)(s->cause != WRING_GO_ON);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stopper_ask_late(void *stopper, PetscBool *stop)
{
  wring_stopper *const s = stopper;

  PetscFunctionBegin;
  PetscCall(end_sum(s));
  double waited = MPI_Wtime() - s->asked;
  if (s->cause)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &waited, 1, MPI_DOUBLE, MPI_MAX, s->comm));
  else
    PetscCall(begin_sum(s));
  *stop = (PetscBool)(s->cause && waited > late);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *wring_stop_text(wring_stop cause)
{
  static const char *const text[] = {"done", "stopped by a signal", "stopped by time.limit"};
  return text[cause];
}
