/* One step: its potential, its end, and a step without a solve. The rules supply the differences. */
#include "step_impl.h"
#include <math.h>

/* ---- the beginning of a step ------------------------------------------------------------------------------------- */

/* The time in the step at which loads are evaluated. */
static double load_time(const wring_stepper *s, const wring_state *state)
{
  return state->time + s->integrator->when * s->h;
}

PetscErrorCode wring_step_add_loads(const wring_stepper *s, const wring_state *state, double factor, Vec y)
{
  const double        time = load_time(s, state), part = s->loads ? wring_loads_gravity_factor(s->loads, time) : 1;
  const double *const mass = wring_potential_body_mass(s->g);
  PetscScalar        *ya, *load;
  PetscInt            n;
  double             *a;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(PetscMalloc1(n, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = part * s->keys.gravity[i % 3];
  if (s->loads) PetscCall(wring_loads_accelerate(s->loads, time, state->q, a));
  PetscCall(VecGetArray(y, &ya));
  PetscCall(VecGetArrayWrite(s->load, &load));
  for (PetscInt i = 0; i < n; i++) {
    ya[i] += factor * a[i];
    load[i] = mass[i / 3] * a[i];
  }
  PetscCall(VecRestoreArrayWrite(s->load, &load));
  PetscCall(VecRestoreArray(y, &ya));
  PetscCall(PetscFree(a));
  PetscCall(wring_potential_set_load(s->g, s->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Drag is part of g; A changes with its factor. */
static PetscErrorCode set_drag(wring_stepper *s, const wring_state *state, PetscBool *changed)
{
  const PetscInt      n      = wring_potential_mesh(s->g)->n_owned;
  double              factor = 0, *scaled;
  const double *const drag   = s->loads ? wring_loads_drag(s->loads, load_time(s, state), &factor) : NULL;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (!s->loads || !wring_loads_has_drag(s->loads) || factor == s->drag_factor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &scaled));
  for (PetscInt i = 0; i < n; i++) scaled[i] = factor * drag[i];
  PetscCall(wring_potential_set_drag(s->g, scaled));
  PetscCall(PetscFree(scaled));
  s->drag_factor = factor;
  *changed       = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets y, the start and *h of g: by the rule if it has stored a step, otherwise as for implicit Euler. */
static PetscErrorCode set_target(wring_stepper *s, const wring_state *state, double *h)
{
  PetscFunctionBegin;
  if (s->known && s->integrator->target) {
    PetscCall(s->integrator->target(s, state, h));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *h = s->integrator->part * s->h;
  PetscCall(VecWAXPY(s->y, *h, state->v, state->q));
  PetscCall(wring_step_add_loads(s, state, *h * *h, s->y));
  PetscCall(wring_potential_set_start(s->g, state->q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_prepare(wring_stepper *s, const wring_state *state, PetscBool *changed)
{
  PetscBool dragged;
  double    h;

  PetscFunctionBegin;
  s->start_known = PETSC_FALSE;
  if (s->integrator->prepare) {
    PetscCall(s->integrator->prepare(s, state, changed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(set_target(s, state, &h));
  PetscCall(wring_potential_set_step(s->g, h));
  PetscCall(set_drag(s, state, &dragged));
  PetscCall(wring_potential_set_target(s->g, s->y));
  wring_potential_set_part(s->g, s->integrator->part);
  wring_potential_set_begin(s->g, state->time);
  PetscCall(wring_potential_set_time(s->g, load_time(s, state), state->time + s->h, changed));
  if (h != s->h_of_A || dragged) *changed = PETSC_TRUE;
  s->h_of_A = h;
  if (wring_potential_friction(s->g)) PetscCall(wring_potential_lag_friction(s->g, state->q, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_begin(wring_stepper *s, const wring_state *state, Vec x, PetscBool *changed)
{
  const PetscBool first = (PetscBool)(s->h_of_A == 0);

  PetscFunctionBegin;
  if (s->integrator->begin) {
    PetscCall(s->integrator->begin(s, state, x, changed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_stepper_prepare(s, state, changed));
  if (wring_stepper_minimises(s))
    PetscCall(wring_step_choose_start(s, state, x));
  else if (first)
    PetscCall(wring_step_require_finite(s, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step with a solve ----------------------------------------------------------------------------------------- */

/*
  The share of the largest force that may be out of balance where a solve has ended before it met its tolerance; slender
  bodies, and soft parts of stiff ones, move far by small forces. docs/theory.md (2.8b)
*/
static double accepted_share(const wring_stepper *s, const wring_solver *solver, wring_reason reason)
{
  wring_solver_limits limits;
  wring_solver_get_limits(solver, &limits);
  const int is_static = s->integrator->is_static, stopped = reason == WRING_MAX_IT,
            fixed = !(limits.rtol > 0 || limits.atol > 0);
  if (limits.accept || !wring_solver_minimises(solver) || (!stopped && reason != WRING_AT_ROUND_OFF)) return INFINITY;
  if (stopped && fixed && !is_static) return INFINITY;
  return stopped && !fixed && is_static ? 0 : 1e-3;
}

/* A solve that has not converged has failed if it leaves more than the accepted share of the forces out of balance. */
static PetscErrorCode judge(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  const double accepted = accepted_share(s, solver, outcome->reason);
  const int    stopped  = outcome->reason == WRING_MAX_IT;
  double       share;

  PetscFunctionBegin;
  if (isinf(accepted)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_unbalance(solver, x, &share));
  if (share <= accepted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                       "%s after %" PetscInt_FMT
                       " iteration%s of solver '%s', |grad g| %.2g N: %.3g %% of the largest force are "
                       "out of balance; smaller steps%s may help",
                       stopped ? "max_it" : "round-off", outcome->iterations, outcome->iterations == 1 ? "" : "s",
                       wring_solver_name(solver), outcome->last.gradient_norm, 100 * share,
                       stopped ? ", or a larger solver.max_it," : ""));
  outcome->reason = WRING_STOPPED_UNBALANCED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_solve(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  PetscBool settled = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(wring_step_minimise(s, solver, x, outcome));
  if (wring_potential_is_provisional(s->g) && !s->approaching) PetscCall(wring_step_settle(s, solver, x, outcome));
  if (wring_potential_friction(s->g) && !s->approaching)
    PetscCall(wring_step_settle_friction(s, solver, x, outcome, &settled));
  if (settled) PetscCall(judge(s, solver, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step without a solve -------------------------------------------------------------------------------------- */

/* Moves the terms to the end of the step and updates the contacts at the new positions. */
static PetscErrorCode set_end(wring_stepper *s, const wring_state *state, Vec x)
{
  const double end = state->time + s->h;
  PetscBool    changed;

  PetscFunctionBegin;
  wring_potential_set_part(s->g, 1);
  PetscCall(wring_potential_set_time(s->g, end, end, &changed));
  PetscCall(wring_potential_place(s->g, x));
  PetscCall(wring_potential_update_contacts(s->g, x, PETSC_TRUE, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_advance(wring_stepper *s, const wring_state *state, Vec x, wring_outcome *outcome)
{
  const double        began  = MPI_Wtime();
  wring_phases *const phases = wring_potential_phases(s->g);
  wring_iteration     it     = {.iteration = 1, .step_length = 1, .evaluations = 1};

  PetscFunctionBegin;
  *outcome = (wring_outcome){.reason = WRING_CONVERGED, .iterations = 1};
  PetscCall(wring_potential_update_contacts(s->g, state->q, PETSC_TRUE, NULL));
  PetscCall(wring_potential_gradient(s->g, state->q, s->gradient));
  PetscCall(s->integrator->advance(s, state, x, &outcome->reason));
  PetscCall(wring_potential_place(s->g, x));
  PetscCall(wring_potential_hold_velocity(s->g, state->q, x, s->h, s->v_new));
  it.seconds            = MPI_Wtime() - began;
  const wring_phase old = wring_phases_switch(phases, WRING_PHASE_MEASURING);
  PetscCall(set_end(s, state, x));
  PetscCall(wring_potential_fused(s->g, x, &it.value, s->gradient)); // g of implicit Euler
  PetscCall(VecNorm(s->gradient, NORM_2, &it.gradient_norm));
  wring_phases_leave_measuring(phases, old);
  const PetscBool infinite =
    (PetscBool)(PetscIsInfOrNanReal(it.value.objective) || PetscIsInfOrNanReal(it.gradient_norm));
  if (infinite && outcome->reason == WRING_CONVERGED) outcome->reason = WRING_STOPPED_NOT_FINITE;
  outcome->first = outcome->last = it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_predict(wring_stepper *s, const wring_state *state, double *bytes)
{
  PetscFunctionBegin;
  *bytes = 0;
  if (s->integrator->predict) PetscCall(s->integrator->predict(s, state, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the end of a step ------------------------------------------------------------------------------------------- */

/* Adds the work of pressure and drag on the way from q to the new positions x. docs/theory.md (6.17) */
static PetscErrorCode add_work(wring_stepper *s, Vec x, wring_state *state)
{
  const Vec q     = state->q;
  double    first = 0, last = 0;

  PetscFunctionBegin;
  if (s->integrator->is_static) {
    PetscCall(wring_loads_work(s->loads, state->time, INFINITY, q, x, PETSC_FALSE, &first));
    PetscCall(wring_loads_work(s->loads, s->part.end, INFINITY, q, x, PETSC_TRUE, &last));
    state->work += (first + last) / 2;
  } else {
    PetscCall(wring_loads_work(s->loads, load_time(s, state), s->h, q, x, PETSC_FALSE, &first));
    state->work += first;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the potential of friction out of E, and adds its work to that of the loads. docs/theory.md (9.31) */
static PetscErrorCode add_friction(wring_stepper *s, Vec x, wring_state *state, double *elastic)
{
  wring_slip_report report;

  PetscFunctionBegin;
  PetscCall(wring_potential_measure_slip(s->g, x, state->q, &report, NULL));
  *elastic -= report.potential;
  state->work += report.work;
  s->friction_work = report.work;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x becomes the new positions; E there, and the work on the way from q; *finite: E is, as far as it is found here. */
static PetscErrorCode measure_end(wring_stepper *s, Vec x, wring_state *state, double *elastic, PetscBool *finite)
{
  const wring_integrator *const rule = s->integrator;
  wring_value                   value;

  PetscFunctionBegin;
  *finite = PETSC_TRUE;
  if (!rule->advance && wring_potential_held(s->g) > 0) // forces of hard attachments at the solution, (3.12)
    PetscCall(wring_potential_gradient(s->g, x, s->y));
  if (rule->extrapolate) {
    PetscCall(rule->extrapolate(state->q, x));
    PetscCall(set_end(s, state, x));
    PetscCall(wring_potential_value(s->g, x, &value));
    *elastic = value.elastic;
    *finite  = (PetscBool)!PetscIsInfOrNanReal(*elastic);
  }
  if (!*finite) PetscFunctionReturn(PETSC_SUCCESS);
  if (wring_potential_friction(s->g)) PetscCall(add_friction(s, x, state, elastic));
  if (s->loads && wring_loads_has_work(s->loads)) PetscCall(add_work(s, x, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New velocities, and their changes for the next step. */
static PetscErrorCode finish_in_time(wring_stepper *s, Vec x, wring_state *state)
{
  const Vec change = s->change[1], v = state->v;

  PetscFunctionBegin;
  PetscCall(VecCopy(v, change));
  PetscCall(s->integrator->finish(s, x, state));
  if (s->integrator->extrapolate) PetscCall(wring_potential_hold_velocity(s->g, state->q, x, s->h, v));
  PetscCall(VecAXPBY(change, 1 / s->h, -1 / s->h, v));
  s->change[1] = s->change[0];
  s->change[0] = change;
  if (!s->known) PetscCall(VecCopy(change, s->change[1]));
  s->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_finish(wring_stepper *s, Vec x, wring_state *state, double *elastic)
{
  const wring_integrator *const rule   = s->integrator;
  wring_phases *const           phases = wring_potential_phases(s->g);
  const wring_phase             old    = wring_phases_switch(phases, WRING_PHASE_MEASURING);
  PetscBool                     finite;

  PetscFunctionBegin;
  PetscCall(measure_end(s, x, state, elastic, &finite));
  wring_phases_leave_measuring(phases, old);
  if (!finite) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rule->finish)
    PetscCall(VecCopy(s->v_new, state->v));
  else if (s->change[0])
    PetscCall(finish_in_time(s, x, state));
  else
    PetscCall(rule->finish(s, x, state));
  PetscCall(VecCopy(x, state->q));
  if (rule->count) {
    rule->count(s, state);
  } else {
    state->step++;
    state->time += s->h;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
