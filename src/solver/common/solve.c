/*
  The loop that all methods share. A method only computes x_(k+1) from x_k; the loop decides what is measured, when a
  solve stops and which time counts as the method's, so that methods can be compared.
*/
#include "solver_impl.h"
#include <math.h>

static const double round_off = 1e-12; // of |g|: a larger rise is counted

static const char *const reason_names[] = {
  "converged",       "max_it",     "at round-off",       "interrupted",     "converged to target", "budget",
  "short of target", "not finite", "line search failed", "singular system", "linear solve failed", "no equilibrium",
  "diverged",        "unbalanced", "inverted",           "blocked"};

const char *wring_reason_name(wring_reason reason)
{
  return reason_names[reason];
}

PetscBool wring_reason_converged(wring_reason reason)
{
  return (PetscBool)(reason == WRING_CONVERGED || reason == WRING_AT_ROUND_OFF);
}

PetscBool wring_reason_failed(wring_reason reason)
{
  return (PetscBool)(reason >= WRING_STOPPED_NOT_FINITE);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/*
  Updates the contacts at x_(k+1): the next iteration minimises the g that they define; docs/theory.md (8.3). A method
  that has g and grad at x_(k+1) gets those of the new g.
*/
static PetscErrorCode refresh(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  s->contacts.reached = s->current.known && s->contacts.comparable ? s->current.value.objective : NAN;
  PetscCall(wring_potential_update_contacts(s->g, x, PETSC_FALSE, &s->contacts.change));
  const wring_contact_change *const c = &s->contacts.change;
  if (c->added <= 0 && c->released <= 0 && c->moved <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  s->contacts.comparable = PETSC_FALSE;
  if (!s->current.known) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->ops->change) PetscCall(s->ops->change(s));
  s->current.known = PETSC_FALSE;
  PetscCall(wring_solver_evaluate(s, x));
  if (s->ops->refresh) PetscCall(s->ops->refresh(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* The row of x_k at the time `now`. */
static wring_iteration row(const wring_solver *s, double now)
{
  return (wring_iteration){.iteration         = s->current.iteration,
                           .value             = s->current.value,
                           .gradient_norm     = s->current.norm,
                           .step_length       = s->current.step,
                           .primal            = s->current.residual[0],
                           .dual              = s->current.residual[1],
                           .evaluations       = s->work.evaluations,
                           .linear_iterations = s->work.linear_iterations,
                           .seconds           = now - s->work.began - s->work.measured,
                           .setup             = s->work.setup,
                           .work              = wring_counts_since(s->phases, &s->work.before),
                           .reference         = s->scale.reference,
                           .decrement         = s->current.decrement,
                           .newton_decrement  = NAN};
}

/*
  The reference of rtol at x_k, where g and grad are known. Forces are measured at x_0, at every tenth iterate and where
  |grad g| is near the last reference times rtol: they change slowly, and a solve stops only at an iterate where they
  were measured.
*/
static PetscErrorCode find_reference(wring_solver *s, Vec x)
{
  const PetscInt k = s->current.iteration;
  wring_forces   forces;

  PetscFunctionBegin;
  PetscCall(wring_decrement_measure(s));
  if (s->scale.at == k) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->limits.stop != WRING_STOP_FORCE) {
    if (k == 0) s->scale.reference = s->current.norm;
  } else if (k - s->scale.at >= 10 || s->current.norm <= 4 * s->limits.rtol * s->scale.reference) {
    PetscCall(wring_potential_forces(s->g, x, s->current.grad, &forces));
    s->scale.reference = wring_forces_largest(&forces);
    s->scale.at        = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Records a measured row other than that of x_0: whether g rose since the last one, with the same contacts, if this is
  known; a value that is not finite is a failure. docs/theory.md (2.6)
*/
static void record(wring_solver *s, const wring_iteration *it, wring_outcome *outcome)
{
  const wring_value before = outcome->last.value;
  const double      rise   = (s->contacts.comparable ? it->value.objective : s->contacts.reached) - before.objective;
  outcome->last            = *it;
  s->contacts.comparable   = PETSC_TRUE;
  outcome->rises.measured++;
  if (PetscIsInfOrNanReal(rise) ||
      rise <= round_off * PetscAbsReal(before.objective) + wring_rounding_at(&s->scale.rounding, &before))
    return;
  outcome->rises.count++;
  outcome->rises.largest = PetscMax(outcome->rises.largest, rise / PetscAbsReal(before.objective));
}

/*
  Evaluates g and grad g at x_k, unless the method has done so, calls the monitor and records the row. Not counted as
  time of the method.
*/
static PetscErrorCode measure(wring_solver *s, Vec x, wring_outcome *outcome)
{
  const double      now         = MPI_Wtime();
  const PetscInt    evaluations = s->work.evaluations;
  const wring_phase old         = wring_phases_switch(s->phases, WRING_PHASE_MEASURING);

  PetscFunctionBegin;
  PetscCall(wring_solver_evaluate(s, x));
  s->work.evaluations = evaluations;
  PetscCall(find_reference(s, x));
  const wring_iteration it = row(s, now);
  if (s->monitor) PetscCall(s->monitor(s->monitor_context, &it));
  if (it.iteration == 0)
    *outcome = (wring_outcome){.first = it, .last = it};
  else
    record(s, &it, outcome);
  wring_phases_leave_measuring(s->phases, old);
  s->work.measured += MPI_Wtime() - now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_begin_setup(wring_solver *s)
{
  if (s->work.setting_up++ > 0) return;
  s->work.since = (wring_setup){.seconds = MPI_Wtime(), .work = wring_counts_now(s->phases)};
}

void wring_solver_end_setup(wring_solver *s)
{
  if (--s->work.setting_up > 0) return;
  const double       seconds = MPI_Wtime() - s->work.since.seconds;
  const wring_counts work    = wring_counts_since(s->phases, &s->work.since.work);
  s->work.measured += seconds;
  s->work.setup.seconds += seconds;
  wring_counts_add(&work, &s->work.before);
  wring_counts_add(&work, &s->work.setup.work);
}

void wring_rises_add(const wring_rises *one, wring_rises *sum)
{
  sum->measured += one->measured;
  sum->count += one->count;
  sum->largest = PetscMax(sum->largest, one->largest);
}

void wring_outcome_add(const wring_outcome *more, wring_outcome *sum)
{
  const wring_iteration before = sum->last;
  if (sum->last.evaluations == 0) sum->first = more->first;
  sum->reason = more->reason;
  sum->iterations += more->iterations;
  sum->cut += more->cut;
  sum->friction.work += more->friction.work;
  sum->friction.repeats += more->friction.repeats;
  wring_rises_add(&more->rises, &sum->rises);
  sum->last = more->last;
  sum->last.evaluations += before.evaluations;
  sum->last.linear_iterations += before.linear_iterations;
  sum->last.seconds += before.seconds;
  sum->last.setup.seconds += before.setup.seconds;
  wring_counts_add(&before.work, &sum->last.work);
  wring_counts_add(&before.setup.work, &sum->last.setup.work);
}

/* Whether iteration k is one of 0, N, 2 N, ..., or the last allowed. */
static PetscBool due(const wring_solver *s)
{
  const PetscInt k = s->current.iteration;
  return (PetscBool)(k == 0 || k == s->limits.max_it || (s->limits.measure > 0 && k % s->limits.measure == 0));
}

/* Whether x_k meets the rule that rtol is for; a decrement counts where it was computed by an A that is positive. */
static PetscBool meets_rtol(const wring_solver *s)
{
  const solver_decrement *const p = &s->decrement;
  if (s->limits.stop == WRING_STOP_GRADIENT) return PETSC_FALSE;
  if (s->limits.stop == WRING_STOP_DECREMENT)
    return (PetscBool)(p->at == s->current.iteration && p->last >= 0 && p->last <= s->limits.rtol * p->first);
  return (PetscBool)(s->current.norm <= s->limits.rtol * s->scale.reference);
}

/* Whether the solve ends at x_k, judged by the values known there. */
static PetscErrorCode stops(wring_solver *s, Vec x, PetscBool *stop, wring_reason *reason)
{
  PetscFunctionBegin;
  *stop = PETSC_TRUE;
  if (s->current.known) {
    PetscCall(find_reference(s, x));
    const double norm = s->current.norm;
    *reason           = WRING_STOPPED_NOT_FINITE;
    if (PetscIsInfOrNanReal(s->current.value.objective) || PetscIsInfOrNanReal(norm))
      PetscFunctionReturn(PETSC_SUCCESS);
    const PetscBool settled =
      (PetscBool)(s->current.iteration == 0 || s->contacts.change.added + s->contacts.change.released == 0);
    *reason = WRING_CONVERGED;
    if (settled && s->limits.rtol > 0 && meets_rtol(s)) PetscFunctionReturn(PETSC_SUCCESS);
    if (settled && s->limits.atol > 0 && norm <= s->limits.atol) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *reason = WRING_MAX_IT;
  *stop   = (PetscBool)(s->current.iteration >= s->limits.max_it);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Calls the caller's function, outside of the method's time, where measuring makes ranks wait for each other anyway, and
  at every hundredth iteration: elsewhere the time of waiting belongs to the method.
*/
static PetscErrorCode ask_interrupt(wring_solver *s, PetscBool *stop, wring_reason *reason)
{
  const double now = MPI_Wtime();

  PetscFunctionBegin;
  if (*stop || !s->interrupt || (!due(s) && s->current.iteration % 100 != 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(s->interrupt(s->interrupt_context, stop));
  if (*stop) *reason = WRING_INTERRUPTED;
  s->work.measured += MPI_Wtime() - now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Whether the method's own time is used up on some rank. Where x_k was measured, the ranks have just waited for each
  other, and the sum is outside of the method's time; elsewhere their waiting belongs to the method.
*/
static PetscErrorCode ask_budget(wring_solver *s, PetscBool *stop, wring_reason *reason)
{
  const double now  = MPI_Wtime();
  int          over = now - s->work.began - s->work.measured >= s->limits.seconds;

  PetscFunctionBegin;
  if (*stop || isinf(s->limits.seconds)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_MAX, s->comm));
  if (over) {
    *stop   = PETSC_TRUE;
    *reason = WRING_OUT_OF_BUDGET;
  }
  if (due(s)) s->work.measured += MPI_Wtime() - now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_forget(wring_solver *s)
{
  s->current.iteration = s->work.evaluations = 0;
  s->work.linear_iterations                  = 0;
  s->current.step = s->work.measured = 0;
  s->scale.reference                 = 0;
  s->scale.at = s->decrement.at = -10;
  s->current.residual[0] = s->current.residual[1] = s->current.decrement = NAN;
  s->current.known = s->end.given = PETSC_FALSE;
  s->bound                        = (solver_bound){.step = INFINITY, .first = 1};
  s->contacts.comparable          = PETSC_TRUE;
  s->contacts.cut                 = 0;
  s->too_far                      = (solver_too_far){.norm = INFINITY};
}

static PetscErrorCode begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  s->choices.solve++;
  wring_solver_forget(s);
  PetscCall(wring_potential_place(s->g, x));
  PetscCall(wring_potential_rounding(s->g, x, &s->scale.rounding));
  s->work.setup  = (wring_setup){0};
  s->work.before = wring_counts_now(s->phases);
  s->work.began  = MPI_Wtime();
  PetscCall(wring_potential_update_contacts(s->g, x, PETSC_TRUE, &s->contacts.change));
  wring_solver_begin_setup(s);
  PetscCall(wring_decrement_begin(s));
  wring_solver_end_setup(s);
  if (s->ops->begin) PetscCall(s->ops->begin(s, x));
  s->end.failed = PETSC_TRUE; // until it has ended otherwise
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_solve(wring_solver *s, Vec x, wring_outcome *outcome)
{
  PetscFunctionBegin;
  if (wring_potential_is_provisional(s->g))
    WRING_REFUSE(s->comm,
                 "%s: pressure, contacts or a part that nothing holds depend on the solution of a load step, "
                 "expected wring_problem_step or wring_stepper_solve",
                 s->who);
  PetscCall(wring_solver_minimise(s, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_minimise(wring_solver *s, Vec x, wring_outcome *outcome)
{
  PetscBool stop;

  PetscFunctionBegin;
  PetscCall(begin(s, x));
  PetscCall(measure(s, x, outcome));
  s->start = NULL;
  for (;;) {
    PetscCall(stops(s, x, &stop, &outcome->reason));
    PetscCall(ask_interrupt(s, &stop, &outcome->reason));
    PetscCall(ask_budget(s, &stop, &outcome->reason));
    if (stop) break;
    PetscCall(s->ops->iterate(s, x));
    if (s->end.given) {
      outcome->reason = s->end.reason;
      break;
    }
    s->current.iteration++;
    PetscCall(refresh(s, x));
    if (due(s)) PetscCall(measure(s, x, outcome));
  }
  if (outcome->last.iteration != s->current.iteration) PetscCall(measure(s, x, outcome));
  outcome->last       = row(s, MPI_Wtime());
  outcome->iterations = s->current.iteration;
  outcome->cut        = s->contacts.cut;
  s->end.failed       = wring_reason_failed(outcome->reason);
  PetscFunctionReturn(PETSC_SUCCESS);
}
