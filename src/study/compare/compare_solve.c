/* Solving: every solver from the same x_0. */
#include "compare_solve.h"

PetscErrorCode wring_compare_create_solver(const wring_compare *s, const char *name, wring_solver **solver)
{
  wring_problem *const p = s->p;

  PetscFunctionBegin;
  PetscCall(wring_solver_create(p->comm, p->g, p->op, &p->phases, solver));
  PetscCall(wring_solver_set_from_options(*solver, p->options, name));
  PetscCall(wring_solver_set_up(*solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one solver -------------------------------------------------------------------------------------------------- */

static PetscErrorCode keep_row(void *context, const wring_iteration *it)
{
  wring_convergence *const h = context;

  PetscFunctionBegin;
  if (h->n == h->capacity) {
    h->capacity = 2 * h->capacity + 64;
    PetscCall(PetscRealloc((size_t)h->capacity * sizeof *h->row, &h->row));
  }
  h->row[h->n++] = *it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How the solve ended and, where g rose on the way, that it did. */
static PetscErrorCode print_outcome(const wring_compare *s, const char *name, const wring_outcome *o)
{
  char rises[80] = "";

  PetscFunctionBegin;
  if (o->rises.count)
    snprintf(rises, sizeof rises, ", g rose in %" PetscInt_FMT " by at most %.2g relative to g", o->rises.count,
             o->rises.largest);
  PetscCall(PetscPrintf(s->p->comm,
                        "%-16s %s after %" PetscInt_FMT " iterations, %.3g s, g %.10e J, |grad g| %.2e N%s\n", name,
                        wring_reason_name(o->reason), o->iterations, o->last.seconds, o->last.value.objective,
                        o->last.gradient_norm, rises));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_lowest(wring_compare *s, const wring_convergence *h)
{
  const double g = h->outcome.last.value.objective;

  PetscFunctionBegin;
  if (!s->lowest || !(g < s->lowest_g)) PetscFunctionReturn(PETSC_SUCCESS);
  s->lowest_g = g;
  PetscCall(VecCopy(s->x, s->lowest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What ends a solver early, besides its own rules and its budget. */
typedef struct {
  const wring_compare *s;
  wring_convergence   *h;
  double               target;  // relative error, 0: none
  PetscBool            reached; // by the last row of h
} early_end;

/* Judged by the last measured iterate, outside of the solver's time. */
static void look_at_target(early_end *e)
{
  const wring_convergence *const h = e->h;
  e->reached = (PetscBool)(e->target > 0 && wring_relative_error(&e->s->c, &h->row[h->n - 1]) <= e->target);
}

static PetscErrorCode ask_end(void *context, PetscBool *stop)
{
  early_end *const     e       = context;
  wring_stopper *const stopper = e->s->stopper;

  PetscFunctionBegin;
  look_at_target(e);
  *stop = e->reached;
  if (*stop || !stopper) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_stopper_check(stopper));
  *stop = (PetscBool)(stopper->cause != WRING_GO_ON);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A target that is reached by the last iterate that limits allow counts too. */
static void judge_end(early_end *e)
{
  wring_reason *const reason = &e->h->outcome.reason;
  if (!e->reached && !wring_reason_failed(*reason)) look_at_target(e);
  if (e->reached) *reason = WRING_AT_TARGET;
}

PetscErrorCode wring_compare_solve_one(wring_compare *s, const wring_compare_limits *limits, wring_convergence *h)
{
  early_end     early = {.s = s, .h = h, .target = limits->target};
  wring_solver *solver;

  PetscFunctionBegin;
  PetscCall(wring_compare_create_solver(s, h->name, &solver));
  PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
  PetscCall(wring_solver_set_limits(solver, limits->iterations, limits->rtol, 0, s->measure));
  PetscCall(wring_solver_set_budget(solver, limits->seconds));
  PetscCall(wring_solver_set_monitor(solver, keep_row, h));
  PetscCall(wring_solver_set_interrupt(solver, ask_end, &early));
  PetscCall(VecCopy(s->start, s->x));
  PetscCall(wring_solver_solve(solver, s->x, &h->outcome));
  judge_end(&early);
  PetscCall(print_outcome(s, h->name, &h->outcome));
  PetscCall(wring_core_watch_look(&s->watch));
  PetscCall(keep_lowest(s, h));
  const char *const advice = wring_solver_advice(solver, &h->outcome);
  if (advice) PetscCall(wring_note(s->p->comm, "%s: %s", h->name, advice));
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether no solver after the i-th runs. */
static PetscBool is_last(const wring_comparison *c, PetscInt i)
{
  while (++i < c->n) {
    if (!wring_convergence_left_out(&c->history[i])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode wring_compare_solve(wring_compare *s)
{
  wring_comparison *const c = &s->c;

  PetscFunctionBegin;
  if (c->stop) c->n = 0; // the reference was stopped
  for (PetscInt i = 0; i < c->n; i++) {
    if (wring_convergence_left_out(&c->history[i])) continue;
    PetscCall(wring_compare_solve_one(s, &s->limits, &c->history[i]));
    if (wring_reason_failed(c->history[i].outcome.reason)) c->failed = PETSC_TRUE;
    if (s->stopper) PetscCall(wring_stopper_check(s->stopper));
    const PetscBool last = (PetscBool)(is_last(c, i) && c->history[i].outcome.reason != WRING_INTERRUPTED);
    if (s->stopper && s->stopper->cause && !last) {
      c->stop = s->stopper->cause;
      c->n    = i + 1;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
