#define _POSIX_C_SOURCE 200809L // sigprocmask, sigpending
#include "stop.h"
#include <math.h>
#include <signal.h>
#include <wring/step.h>
#include <wring/study.h>

static const int    held[] = {SIGINT, SIGTERM, SIGUSR1};
static const double often = 0.1, late = 0.25; // s

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
  *s = (wring_stopper){.comm = wring_options_comm(o), .end = MPI_Wtime() + limit};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What all ranks know: the largest of a signal, the end of the limit, and two other numbers. */
static PetscErrorCode decide(wring_stopper *s, double pace, double waited, double most[4])
{
  const double mine[4] = {signal_pending(), MPI_Wtime() >= s->end, pace, waited};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, s->comm));
  if (!s->cause) s->cause = most[0] > 0 ? WRING_STOP_SIGNAL : most[1] > 0 ? WRING_STOP_LIMIT : WRING_GO_ON;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stopper_check(wring_stopper *s)
{
  double most[4];

  PetscFunctionBegin;
  if (!s->cause) PetscCall(decide(s, 0, 0, most));
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
  wring_stopper *const s      = stopper;
  const double         now    = MPI_Wtime();
  const wring_stop     before = s->cause;
  double               most[4];

  PetscFunctionBegin;
  *stop = PETSC_FALSE;
  if (s->every > 0 && ++s->calls < s->every) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->every > 0) {
    PetscCall(decide(s, (now - s->asked) / s->calls, before ? now - s->since : 0, most));
    *stop    = (PetscBool)(most[3] > late);
    s->every = (int)PetscMax(PetscMin(often / most[2], 1000), 1);
  } else {
    s->every = 1;
  }
  if (s->cause && !before) s->since = now;
  s->calls = 0;
  s->asked = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *wring_stop_text(wring_stop cause)
{
  static const char *const text[] = {"done", "stopped by a signal", "stopped by time.limit"};
  return text[cause];
}
