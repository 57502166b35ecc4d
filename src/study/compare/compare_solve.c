/* Solving: every solver from the same x_0, the reference minimiser, condition numbers. */
#include "compare_solve.h"
#include <math.h>

enum { REFERENCE_MAX_IT = 200, LANCZOS_MAX_IT = 1000 };
static const double REFERENCE_RTOL = 1e-10; // of |grad g(x_0)|, docs/theory.md 2

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

static PetscErrorCode ask_stopper(void *context, PetscBool *stop)
{
  wring_stopper *const s = context;

  PetscFunctionBegin;
  PetscCall(wring_stopper_check(s));
  *stop = (PetscBool)(s->cause != WRING_GO_ON);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_compare *s, PetscInt max_it, double rtol, wring_convergence *h)
{
  wring_solver *solver;

  PetscFunctionBegin;
  PetscCall(wring_compare_create_solver(s, h->name, &solver));
  PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
  PetscCall(wring_solver_set_limits(solver, max_it, rtol, 0, s->measure));
  PetscCall(wring_solver_set_monitor(solver, keep_row, h));
  if (s->stopper) PetscCall(wring_solver_set_interrupt(solver, ask_stopper, s->stopper));
  PetscCall(VecCopy(s->start, s->x));
  PetscCall(wring_solver_solve(solver, s->x, &h->outcome));
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
  PetscCall(wring_core_watch_start(s->p->comm, &s->watch));
  for (PetscInt i = 0; i < c->n; i++) {
    if (wring_convergence_left_out(&c->history[i])) continue;
    PetscCall(solve(s, c->iterations, s->tolerance, &c->history[i]));
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

/* ---- the minimiser ----------------------------------------------------------------------------------------------- */

/* g* is the least of all; comparisons with NaN are false, so that a failed solver never holds it. */
static void take_least(wring_comparison *c, const wring_convergence *h, const char *source)
{
  for (PetscInt i = 0; i < h->n; i++) {
    if (!(h->row[i].value.objective < c->least.objective)) continue;
    c->least = h->row[i].value;
    snprintf(c->source, sizeof c->source, "%s", source);
  }
}

PetscErrorCode wring_compare_find_least(wring_compare *s)
{
  wring_comparison *const c      = &s->c;
  wring_convergence       newton = {.name = "newton"};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++) {
    if (c->history[i].n > 0) c->start = c->history[i].row[0].value; // the same of all
  }
  c->least.objective = INFINITY;
  if (s->newton && !c->stop) {
    PetscCall(PetscPrintf(s->p->comm, "reference: "));
    PetscCall(solve(s, REFERENCE_MAX_IT, REFERENCE_RTOL, &newton));
    take_least(c, &newton, "newton reference");
    if (newton.outcome.reason == WRING_INTERRUPTED) c->stop = s->stopper->cause;
    if (newton.outcome.reason != WRING_CONVERGED && newton.outcome.reason != WRING_AT_ROUND_OFF) {
      PetscCall(wring_note(s->p->comm, "the Newton reference ended at %s: g* may be too high",
                           wring_reason_name(newton.outcome.reason)));
    }
  }
  for (PetscInt i = 0; i < c->n; i++) take_least(c, &c->history[i], c->history[i].name);
  PetscCall(PetscFree(newton.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where x_0 is a minimiser but for rounding, so are relative errors. */
PetscErrorCode wring_compare_note_rounding(const wring_compare *s)
{
  const double   range = s->c.start.objective - s->c.least.objective;
  wring_rounding rounding;

  PetscFunctionBegin;
  PetscCall(wring_potential_rounding(s->p->g, s->x, &rounding));
  const double noise = wring_rounding_at(&rounding, &s->c.least);
  if (range > noise) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_note(
    s->p->comm,
    "g at the start is %.2g J above g*, which rounding of g may hide (%.2g J): relative errors are not reliable", range,
    noise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- condition numbers ------------------------------------------------------------------------------------------- */

/* Every method with an H_0 of its own, at x_0 and at the minimiser. */
PetscErrorCode wring_compare_find_conditions(wring_compare *s)
{
  wring_solver *solver;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->c.n && s->lowest && !s->c.stop; i++) {
    wring_convergence *const h = &s->c.history[i];
    if (wring_convergence_left_out(h)) continue;
    PetscCall(wring_compare_create_solver(s, h->name, &solver));
    h->has_spectrum = wring_solver_has_condition(solver);
    if (h->has_spectrum) {
      wring_spectrum *const a = &h->at_start, *const b = &h->at_least;
      PetscCall(wring_problem_renew_operator(s->p, wring_solver_operator_factor(solver)));
      PetscCall(wring_solver_condition(solver, s->start, LANCZOS_MAX_IT, &a->least, &a->largest));
      PetscCall(wring_solver_condition(solver, s->lowest, LANCZOS_MAX_IT, &b->least, &b->largest));
    }
    PetscCall(wring_solver_destroy(&solver));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
