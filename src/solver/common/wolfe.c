/*
  A line search for both Wolfe conditions by PETSc's implementation of [More, Thuente 1994], from alpha = 1. It uses
  values of g only, so that its result is tested again. At round-off, and if it finds no step, backtracking decides,
  docs/theory.md (2.4).
*/
#include "line_search.h"

/*
  g and its gradient at a trial point. If g is not finite, which is known without an evaluation for steps beyond the
  bound, the search gets the parabola through g and slope at x that has its minimum at a quarter of the step, because it
  cannot interpolate infinity. With bounded contacts it gets it for steps above 1, too, of which no bound is known.
*/
static PetscErrorCode evaluate(TaoLineSearch search, Vec at, PetscReal *value, Vec grad, void *context)
{
  wring_solver *s = context;
  Vec           x, d;
  double        slope;

  PetscFunctionBegin;
  PetscCall(TaoLineSearchGetStepLength(search, &s->trial.step));
  if (s->trial.step < s->bound.step && (s->trial.step <= 1 || !wring_potential_has_bounded_contacts(s->g)))
    PetscCall(wring_solver_evaluate_trial(s, at, grad));
  else
    s->trial.value = (wring_value){.objective = INFINITY, .inertial = NAN, .elastic = INFINITY};
  *value = s->trial.value.objective;
  if (!PetscIsInfOrNanReal(*value)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TaoLineSearchGetStartingVector(search, &x));
  PetscCall(TaoLineSearchGetStepDirection(search, &d));
  PetscCall(wring_solver_meet_infinity(s, x, d));
  PetscCall(wring_solver_dot(s, s->current.grad, d, &slope));
  *value = s->current.value.objective - s->trial.step * slope;
  PetscCall(VecCopy(s->current.grad, grad));
  PetscCall(VecScale(grad, -3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc can set these constants only by options: they are given in a separate database. */
static PetscErrorCode create(wring_solver *s, TaoLineSearch *search)
{
  PetscOptions constants;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&constants));
  PetscCall(PetscOptionsSetValue(constants, "-tao_ls_ftol", "0.3"));
  PetscCall(PetscOptionsSetValue(constants, "-tao_ls_gtol", "0.9"));
  PetscCall(TaoLineSearchCreate(s->comm, search));
  PetscCall(TaoLineSearchSetType(*search, TAOLINESEARCHMT));
  PetscCall(PetscObjectSetOptions((PetscObject)*search, constants));
  PetscCall(TaoLineSearchSetFromOptions(*search));
  PetscCall(PetscObjectSetOptions((PetscObject)*search, NULL));
  PetscCall(PetscOptionsDestroy(&constants));
  PetscCall(TaoLineSearchSetObjectiveAndGradientRoutine(*search, evaluate, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_wolfe(wring_solver *s, Vec x, Vec d, double slope, wring_search *result)
{
  TaoLineSearchConvergedReason reason = TAOLINESEARCH_FAILED_ASCENT;
  PetscReal                    value  = s->current.value.objective;

  PetscFunctionBegin;
  if (!s->wolfe) PetscCall(create(s, &s->wolfe));
  if (slope < 0 && !wring_solver_is_tiny(s, 1, slope)) {
    PetscCall(wring_solver_begin_search(s, x, d));
    PetscCall(VecCopy(x, s->trial.x));
    PetscCall(VecCopy(s->current.grad, s->trial.grad));
    PetscCall(TaoLineSearchApply(s->wolfe, s->trial.x, &value, s->trial.grad, d, &s->trial.step, &reason));
  }
  *result = WRING_SEARCH_FOUND;
  if (reason < 0 || !wring_solver_falls(s, slope)) PetscCall(wring_solver_backtrack(s, x, d, slope, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}
