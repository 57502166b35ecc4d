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

PetscErrorCode wring_stopper_check(wring_stopper *s)
{
  int mine[2] = {signal_pending(), MPI_Wtime() >= s->end}, any[2];

  PetscFunctionBegin;
  if (s->cause) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, s->comm));
  s->cause = any[0] ? WRING_STOP_SIGNAL : any[1] ? WRING_STOP_LIMIT : WRING_GO_ON;
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
  *stop = PETSC_FALSE;
  if (++s->calls < s->every) PetscFunctionReturn(PETSC_SUCCESS);
  const wring_stop before = s->cause;
  PetscCall(wring_stopper_check(s));
  const double now = MPI_Wtime();
  if (s->cause && !before) s->since = now;
  double mine[2] = {s->every ? (now - s->asked) / s->calls : 1, s->cause ? now - s->since : 0}, most[2];
  PetscCallMPI(MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, s->comm));
  *stop    = (PetscBool)(most[1] > late);
  s->every = (int)PetscMax(PetscMin(often / most[0], 1000), 1);
  s->calls = 0;
  s->asked = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *wring_stop_text(wring_stop cause)
{
  static const char *const text[] = {"done", "stopped by a signal", "stopped by time.limit"};
  return text[cause];
}
