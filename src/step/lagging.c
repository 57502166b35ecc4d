/* Friction takes its normal forces, directions and points in contact at the solution. docs/theory.md (9.31) */
#include "step_impl.h"

enum { MOST = 20 }; // repetitions

/* In time x is good enough to go on from, as bodies strike; in statics it is no equilibrium, and parts may help. */
static PetscErrorCode end_unsettled(const wring_stepper *s, double norm, double tolerance, wring_reason *reason)
{
  const PetscBool is_static = s->integrator->is_static;

  PetscFunctionBegin;
  *reason = is_static ? WRING_STOPPED_LOADS : WRING_MAX_IT;
  PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                       "friction: after %d repetitions |grad g| with the normal forces at the solution is %.3g N, not "
                       "%.3g; %s may help",
                       MOST, norm, tolerance, is_static ? "more time_steps" : "another time_step"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_settle_friction(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome,
                                          PetscBool *settled)
{
  const double  tolerance = wring_solver_tolerance(solver, outcome);
  double        norm = 0, accepted = 0;
  wring_outcome more;
  wring_value   value;

  PetscFunctionBegin;
  *settled = PETSC_TRUE;
  for (int i = 0; wring_reason_converged(outcome->reason); i++) {
    PetscCall(wring_potential_lag_friction(s->g, x, PETSC_FALSE));
    PetscCall(wring_potential_fused(s->g, x, &value, s->y));
    wring_count(wring_potential_phases(s->g), WRING_WORK_REDUCTIONS, 1);
    PetscCall(VecNorm(s->y, NORM_2, &norm));
    accepted = PetscMax(tolerance, 2 * outcome->last.gradient_norm);
    if (norm <= accepted || i == MOST) break;
    PetscCall(wring_solver_minimise(solver, x, &more));
    wring_outcome_add(&more, outcome);
    outcome->friction.repeats++;
  }
  if (!wring_reason_converged(outcome->reason)) PetscFunctionReturn(PETSC_SUCCESS);
  *settled = (PetscBool)(norm <= accepted);
  if (!*settled) PetscCall(end_unsettled(s, norm, accepted, &outcome->reason));
  outcome->last.value         = value;
  outcome->last.gradient_norm = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
