/* The minimiser: the Newton reference, the least g of all, condition numbers there. */
#include "comparison.h"
#include <math.h>

enum { REFERENCE_MAX_IT = 200, LANCZOS_MAX_IT = 1000 };
static const double REFERENCE_RTOL = 1e-10; // of |grad g(x_0)|, docs/theory.md 2

/* g* is the least of all; comparisons with NaN are false, so that a failed solver never holds it. */
static void take_least(wring_comparison *c, const wring_convergence *h, const char *source)
{
  for (PetscInt i = 0; i < h->n; i++) {
    if (!(h->row[i].value.objective < c->least.objective)) continue;
    c->least = h->row[i].value;
    snprintf(c->source, sizeof c->source, "%s", source);
  }
}

PetscErrorCode wring_compare_find_reference(wring_compare *s)
{
  const wring_compare_limits limits = {
    .iterations = REFERENCE_MAX_IT, .rtol = REFERENCE_RTOL, .seconds = INFINITY, .target = 0};
  wring_comparison *const c      = &s->c;
  wring_convergence       newton = {.name = "newton"};

  PetscFunctionBegin;
  c->least.objective = INFINITY;
  if (!s->newton || c->stop) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(s->p->comm, "reference: "));
  PetscCall(wring_compare_solve(s, &limits, PETSC_FALSE, &newton));
  PetscCall(wring_compare_print_outcome(s, &newton));
  c->start = newton.row[0].value; // the same of all
  take_least(c, &newton, "newton reference");
  if (newton.outcome.reason == WRING_INTERRUPTED) c->stop = s->stopper->cause;
  if (newton.outcome.reason != WRING_CONVERGED && newton.outcome.reason != WRING_AT_ROUND_OFF) {
    PetscCall(wring_note(s->p->comm, "the Newton reference ended at %s: g* may be too high",
                         wring_reason_name(newton.outcome.reason)));
  }
  PetscCall(wring_convergence_forget_rows(&newton));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_compare_find_least(wring_compare *s)
{
  wring_comparison *const c = &s->c;
  for (PetscInt i = 0; i < c->n; i++) {
    if (c->history[i].n > 0) c->start = c->history[i].row[0].value;
    take_least(c, &c->history[i], c->history[i].name);
  }
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
