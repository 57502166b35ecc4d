#define _POSIX_C_SOURCE 200809L // isatty
#include "progress.h"
#include "io/print.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

double *wring_progress_ended(wring_progress *g, PetscInt step)
{
  return &g->ended[step % (WRING_PROGRESS_STEPS + 1)];
}

double wring_progress_rate(wring_progress *g, PetscInt step)
{
  const PetscInt n = PetscMin(step - g->first, WRING_PROGRESS_STEPS);
  return n > 0 ? (*wring_progress_ended(g, step) - *wring_progress_ended(g, step - n)) / (double)n : 0;
}

/* The time of a state: load steps have a pseudo-time, which has no unit. */
static const char *time_text(PetscBool is_static, double time, char text[40])
{
  snprintf(text, 40, is_static ? "pseudo-time %.6g" : "t %.6g s", time);
  return text;
}

PetscErrorCode wring_progress_start(const wring_problem *p, PetscInt last, wring_progress *g)
{
  PetscFunctionBegin;
  /* Launchers attach standard output of a rank to a pseudo-terminal, but not its standard error. */
  g->terminal                        = (PetscBool)(isatty(STDOUT_FILENO) && isatty(STDERR_FILENO));
  g->is_static                       = wring_stepper_is_static(p->stepper);
  g->first                           = p->state.step;
  g->last                            = last;
  g->printed                         = -1;
  *wring_progress_ended(g, g->first) = MPI_Wtime();
  PetscCall(wring_core_watch_start(p->comm, &g->watch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  On a terminal ten times per second; in a log at the first step, each tenth of the run, and every 30 s. The first step
  that does not converge always has a line; the last lines of the run count the others.
*/
static PetscBool due(const wring_progress *g, PetscInt step, double now)
{
  if (step == g->last || g->printed < 0) return PETSC_TRUE;
  if (g->terminal) return (PetscBool)(now - g->printed >= 0.1);
  const PetscInt steps = g->last - g->first, done = step - g->first;
  return (PetscBool)(now - g->printed >= 30 || done * 10 / steps != (done - 1) * 10 / steps);
}

/* stays: the line is not overwritten on a terminal. */
static void print_line(const wring_problem *p, wring_progress *g, const wring_outcome *outcome, PetscBool stays)
{
  const PetscInt step       = p->state.step;
  const double   each       = wring_progress_rate(g, step);
  char           reason[64] = "", time[40];
  if (outcome->reason != WRING_CONVERGED) snprintf(reason, sizeof reason, " %s", wring_reason_name(outcome->reason));
  printf("%sstep %" PetscInt_FMT "/%" PetscInt_FMT "  %s  it %" PetscInt_FMT
         "%s  g %.6e J  |grad g| %.2e N  %.3g s/step"
         "  %.0f s left%s%s",
         g->terminal ? "\r" : "", step, g->last, time_text(g->is_static, p->state.time, time), outcome->iterations,
         reason, outcome->last.value.objective, outcome->last.gradient_norm, each, each * (double)(g->last - step),
         g->terminal ? "\033[K" : "", g->terminal && !stays ? "" : "\n");
  fflush(stdout);
}

void wring_progress_step(const wring_problem *p, wring_progress *g, const wring_outcome *outcome)
{
  const PetscInt  step           = p->state.step;
  const double    now            = MPI_Wtime();
  const PetscBool first          = (PetscBool)(!wring_tally_is_converged(outcome->reason) && !g->told);
  *wring_progress_ended(g, step) = now;
  if (p->rank != 0) return;
  if (due(g, step, now) || first) {
    g->printed = now;
    g->told    = (PetscBool)(g->told || first);
    print_line(p, g, outcome, first);
  }
  wring_core_watch_look(&g->watch);
}

/* Seconds until |grad g| reaches the limit of the solve, -1: unknown. */
static double time_left(const wring_progress *g, double now, const wring_solver_limits *l, const wring_iteration *it)
{
  const double reference = l->stop == WRING_STOP_GRADIENT ? 0 : l->rtol * it->reference;
  const double target = PetscMax(l->atol, reference), fallen = log(g->gradient / it->gradient_norm);
  if (l->stop == WRING_STOP_DECREMENT || !(target > 0) || !(fallen > 0) || it->iteration == 0) return -1;
  return PetscMax(0, log(it->gradient_norm / target)) / fallen * (now - g->begun);
}

PetscBool wring_progress_iteration(wring_progress *g, PetscInt step, double time, const wring_solver_limits *limits,
                                   const wring_iteration *it)
{
  static const double interval = 10; // s
  const double        now      = MPI_Wtime();
  if (it->iteration == 0) {
    g->begun = g->within = now;
    g->gradient          = it->gradient_norm;
  }
  if (now - g->within < interval) return PETSC_FALSE;
  const double left = time_left(g, now, limits, it);
  char         end[48], at[40];
  if (left < 0)
    snprintf(end, sizeof end, "end unknown");
  else
    snprintf(end, sizeof end, "about %.0f s left", left);
  g->within = now;
  printf("%sin step %" PetscInt_FMT "/%" PetscInt_FMT "  %s  it %" PetscInt_FMT
         "  g %.6e J  |grad g| %.2e N  %.0f s  %s%s",
         g->terminal ? "\r" : "", step, g->last, time_text(g->is_static, time, at), it->iteration, it->value.objective,
         it->gradient_norm, now - g->begun, end, g->terminal ? "\033[K" : "\n");
  fflush(stdout);
  return PETSC_TRUE;
}

void wring_progress_finish(const wring_problem *p, const wring_progress *g)
{
  if (p->rank == 0 && g->terminal && g->printed >= 0) putchar('\n');
}

void wring_summary_print(const wring_problem *p, const json_t *record)
{
  const json_t *const seconds = json_object_get(record, "seconds");
  const double        total   = wring_json_number(seconds, "total");
  char                time[40];
  wring_print(p->comm, "%s at step %" PetscInt_FMT ", %s: %.3g s, %.3g MB on %d rank%s\n",
              json_string_value(json_object_get(record, "ended")), p->state.step,
              time_text(wring_stepper_is_static(p->stepper), p->state.time, time), total,
              wring_json_number(record, "peak_memory") / 1e6, (int)p->size, p->size == 1 ? "" : "s");
  for (int i = 0; i < WRING_N_PHASE; i++) {
    const double phase = wring_json_number(seconds, wring_phase_name((wring_phase)i));
    char         name[32];
    snprintf(name, sizeof name, "%s", wring_phase_name((wring_phase)i));
    for (char *c = strchr(name, '_'); c; c = strchr(c, '_')) *c = ' ';
    wring_print(p->comm, "  %-16s %10.3f s %5.1f%%\n", name, phase, 100 * phase / PetscMax(total, 1e-9));
  }
}
