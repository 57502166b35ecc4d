/* Friction takes its normal forces, directions and points in contact at the solution. docs/theory.md (9.31) */
#include "step_impl.h"
#include <math.h>

enum { MOST = 20 }; // repetitions

static PetscErrorCode note_unsettled(const wring_stepper *s, double norm, double tolerance)
{
  PetscFunctionBegin;
  PetscCall(wring_note(wring_potential_mesh(s->g)->comm,
                       "friction: after %d repetitions |grad g| with the normal forces at the solution is %.3g N, not "
                       "%.3g: a smaller time_step may help",
                       MOST, norm, tolerance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_settle_friction(wring_stepper *s, wring_solver *solver, Vec x, wring_outcome *outcome)
{
  const double  tolerance = wring_solver_tolerance(solver, outcome);
  double        norm = 0, accepted = 0;
  wring_outcome more;
  wring_value   value;

  PetscFunctionBegin;
  for (int i = 0; wring_reason_converged(outcome->reason); i++) {
    PetscCall(wring_potential_lag_friction(s->g, x, PETSC_FALSE));
    PetscCall(wring_potential_fused(s->g, x, &value, s->y));
    PetscCall(VecNorm(s->y, NORM_2, &norm));
    accepted = PetscMax(tolerance, 2 * outcome->last.gradient_norm);
    if (norm <= accepted || i == MOST) break;
    PetscCall(wring_solver_minimise(solver, x, &more));
    wring_outcome_add(&more, outcome);
    outcome->friction.repeats++;
  }
  if (!wring_reason_converged(outcome->reason)) PetscFunctionReturn(PETSC_SUCCESS);
  if (norm > accepted) PetscCall(note_unsettled(s, norm, accepted));
  outcome->last.value         = value;
  outcome->last.gradient_norm = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
