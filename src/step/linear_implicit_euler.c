/*
  Implicit Euler with forces linearised about q [thesis, eq. 3.9]:
    (M - h^2 K) v' = M v + h f(q),   x = q + h v',   K = df/dq.
  Divided by h, with H = M/h^2 - K the Hessian of g at q: H (x - q) = -grad g(q), one full Newton step. H is not
  projected and may be indefinite, so that the factorisation needs pivoting. With hard attachments the step starts from
  q with the held vertices at their new positions, (6.11).
*/
#include "operator/direct/factor.h"
#include "operator/judge.h"
#include "step_impl.h"

static const char who[] = "time_integrator 'linear_implicit_euler'";

static PetscErrorCode make_ksp(wring_stepper *s)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(wring_potential_mesh(s->g)->comm, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, "step_"));
  PetscCall(KSPSetType(s->ksp, KSPPREONLY));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(wring_factor_choose(pc, s->H, MAT_FACTOR_LU, who));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular matrix ends the step as a failure; it is not an error. */
static PetscErrorCode linear_implicit_euler_advance(wring_stepper *s, const wring_state *state, Vec x,
                                                    wring_reason *reason)
{
  wring_phases *const phases = wring_potential_phases(s->g);
  wring_solve_end     end;

  PetscFunctionBegin;
  PetscCall(VecCopy(state->q, x));
  PetscCall(wring_potential_place(s->g, x));
  if (wring_potential_held(s->g) > 0) PetscCall(wring_potential_gradient(s->g, x, s->gradient));
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_NONE, &s->H));
  const wring_phase old = wring_phases_switch(phases, WRING_PHASE_OPERATOR_SET_UP);
  if (!s->ksp) PetscCall(make_ksp(s));
  PetscCall(KSPSetOperators(s->ksp, s->H, s->H));
  PetscCall(wring_factor_set_up(s->ksp));
  wring_phases_switch(phases, WRING_PHASE_OPERATOR_SOLVE);
  PetscCall(KSPSolve(s->ksp, s->gradient, s->v_new));
  wring_phases_switch(phases, old);
  PetscCall(wring_solve_judge(s->ksp, who, &end));
  if (end != WRING_SOLVE_REACHED) *reason = WRING_STOPPED_SINGULAR;
  if (*reason != WRING_CONVERGED) PetscCall(VecZeroEntries(s->v_new));
  PetscCall(VecAXPY(x, -1, s->v_new));
  PetscCall(VecScale(s->v_new, -1 / s->h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode linear_implicit_euler_predict(wring_stepper *s, const wring_state *state, double *bytes)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, state->q, WRING_FILTER_NONE, &s->H));
  PetscCall(wring_factor_predict(s->H, MATSOLVERMUMPS, MAT_FACTOR_LU, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_linear_implicit_euler = {
  .name    = "linear_implicit_euler",
  .order   = 1,
  .keeps   = WRING_KEEPS_LINEAR,
  .part    = 1,
  .when    = 1,
  .needs   = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN,
  .advance = linear_implicit_euler_advance,
  .predict = linear_implicit_euler_predict,
};
