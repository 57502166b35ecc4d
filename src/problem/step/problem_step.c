/* One step as `run` makes it: x_0, A, the solve, what is done where it fails, the new state. */
#include "problem/problem_impl.h"
#include <math.h>
#include <string.h>

PetscErrorCode wring_problem_find_last_step(const wring_problem *p, PetscInt *last)
{
  double end;

  PetscFunctionBegin;
  *last = wring_stepper_steps(p->stepper);
  if (wring_options_has(p->options, "time_", "more_steps")) *last += p->state.step;
  if (wring_options_has(p->options, "time_", "end") && !wring_stepper_is_static(p->stepper)) {
    PetscCall(wring_options_get_real(p->options, "time_", wring_time_options, "end", &end));
    *last = p->state.step + (PetscInt)ceil((end - p->state.time) / wring_stepper_size(p->stepper) - 1e-9);
  }
  *last = PetscMax(*last, p->state.step);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_begin_step(wring_problem *p, Vec x)
{
  wring_step_begun *const b = &p->parts->begun;

  PetscFunctionBegin;
  if (b->begun) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->parts->bounds.size == 0) PetscCall(wring_problem_find_bounds(p));
  PetscCall(wring_stepper_begin(p->stepper, &p->state, x, &b->changed));
  if (p->parts->iterate && wring_stepper_get_start(p->stepper) == WRING_START_AUTO) // of an interrupted step
    PetscCall(wring_stepper_start_from(p->stepper, &p->state, p->parts->iterate, x));
  PetscCall(VecDestroy(&p->parts->iterate));
  b->begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At order 2 the energy has no barrier at corners: an element that inverts there has failed. */
static PetscErrorCode check_inverted(wring_problem *p, const wring_solver *solver, Vec x, wring_outcome *outcome)
{
  wring_solver_limits limits = {.accept = PETSC_FALSE};
  PetscInt64          newly;

  PetscFunctionBegin;
  if (solver) wring_solver_get_limits(solver, &limits);
  if (p->mesh->tets.order < 2 || limits.accept) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_inverted(p->g, p->state.q, x, PETSC_TRUE, &newly));
  if (newly == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_note(p->comm,
                       "%" PetscInt64_FMT " tetrahedra of order 2 invert at a corner, where their energy is "
                       "not evaluated: expected a finer mesh, or solver_accept true",
                       newly));
  outcome->reason = WRING_STOPPED_INVERTED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_minimise(wring_problem *p, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_prepare_operator(p, wring_solver_operator_factor(solver), p->parts->begun.changed));
  p->parts->begun.changed = PETSC_FALSE;
  PetscCall(wring_stepper_solve(p->stepper, solver, x, outcome));
  p->parts->begun.begun = PETSC_FALSE; // loads, contacts and held vertices may be those at x now
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The new positions x, by the solver or by the integrator alone. */
static PetscErrorCode solve(wring_problem *p, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  PetscBool within = PETSC_TRUE;

  PetscFunctionBegin;
  if (solver) {
    wring_solver_know_start(solver, wring_stepper_evaluation(p->stepper)); // at x, where others may begin elsewhere
    PetscCall(wring_problem_minimise(p, solver, x, outcome));
  } else {
    PetscCall(wring_stepper_advance(p->stepper, &p->state, x, outcome));
  }
  if (outcome->reason == WRING_INTERRUPTED || wring_reason_failed(outcome->reason)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_problem_check_bounds(p, x, &within));
  if (!within) outcome->reason = WRING_STOPPED_DIVERGED; // although the solve has succeeded
  if (within) PetscCall(check_inverted(p, solver, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step, or a part of a load step. After a failure or an interrupted solve the state is unchanged. */
static PetscErrorCode make_part(wring_problem *p, wring_solver *solver, Vec x, wring_outcome *outcome, double *elastic)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_begin_step(p, x));
  p->parts->begun.begun = PETSC_FALSE;
  PetscCall(solve(p, solver, x, outcome));
  if (outcome->reason == WRING_INTERRUPTED || wring_reason_failed(outcome->reason)) PetscFunctionReturn(PETSC_SUCCESS);
  *elastic = outcome->last.value.elastic;
  PetscCall(wring_stepper_finish(p->stepper, x, &p->state, elastic));
  outcome->friction.work = wring_stepper_friction_work(p->stepper);
  if (PetscIsInfOrNanReal(*elastic)) outcome->reason = WRING_STOPPED_NOT_FINITE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  `auto` has Newton's method left, for this step and the later ones, where its direction has failed or the step is
  unbalanced.
*/
static PetscErrorCode change_method(wring_problem *p, wring_solver *solver, const wring_outcome *part,
                                    PetscBool *changed)
{
  const wring_reason  reason = part->reason;
  wring_solver_limits limits;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (!solver || strcmp(wring_solver_name(solver), "auto") != 0) PetscFunctionReturn(PETSC_SUCCESS);
  wring_solver_get_limits(solver, &limits);
  const int direction = reason >= WRING_STOPPED_LINE_SEARCH && reason <= WRING_STOPPED_LINEAR;
  *changed =
    (PetscBool)((direction || reason == WRING_STOPPED_UNBALANCED) && wring_potential_can(p->g, WRING_CAN_HESSIAN));
  if (!*changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_set_from_options(solver, p->options, "newton"));
  PetscCall(wring_solver_set_stop(solver, limits.stop));
  wring_solver_set_limits(solver, limits.max_it, limits.rtol, limits.atol, limits.measure);
  PetscCall(wring_solver_set_up(solver));
  PetscCall(wring_note(p->comm, "solver 'auto' goes on with 'newton'"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_step(wring_problem *p, wring_solver *solver, Vec x, wring_outcome *outcome,
                                  double *elastic)
{
  const PetscInt step    = p->state.step;
  PetscBool      goes_on = PETSC_TRUE;
  wring_outcome  part;

  PetscFunctionBegin;
  *outcome = (wring_outcome){.iterations = 0};
  while (goes_on) {
    PetscCall(make_part(p, solver, x, &part, elastic));
    wring_outcome_add(&part, outcome);
    goes_on = (PetscBool)(part.reason != WRING_INTERRUPTED && p->state.step == step);
    if (!wring_reason_failed(part.reason)) continue;
    PetscCall(change_method(p, solver, &part, &goes_on));
    if (!goes_on) PetscCall(wring_stepper_halve(p->stepper, &p->state, &goes_on));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
