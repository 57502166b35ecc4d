/* Rules that start from q and v alone: Euler's implicit and explicit ones, and the implicit midpoint rule. */
#include "step_impl.h"

/* y = q + h v + h^2 a, v' = (x - q)/h. [thesis, eq. 3.7; Liu et al. 2017, eq. 3] */
static PetscErrorCode implicit_euler_finish(wring_stepper *s, Vec x, wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(state->v, -1, state->q, x));
  PetscCall(VecScale(state->v, 1 / s->h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_implicit_euler = {
  .name   = "implicit_euler",
  .order  = 1,
  .keeps  = WRING_KEEPS_LINEAR,
  .part   = 1,
  .when   = 1,
  .needs  = WRING_CAN_GRADIENT,
  .finish = implicit_euler_finish,
};

/*
  The objective 1/(2 h^2) |x - y|_M^2 + E((x + q)/2), y = q + h v + h^2/2 a, equals that of implicit Euler with h/2 in
  the unknown w = (x + q)/2, the midpoint. [Liu et al. 2017, section 3; docs/theory.md 6]
*/
static PetscErrorCode implicit_midpoint_extrapolate(Vec q, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecAXPBY(x, -1, 2, q)); // 2 w - q
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v' = 2 (x - q)/h - v. */
static PetscErrorCode implicit_midpoint_finish(wring_stepper *s, Vec x, wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(s->y, -1, state->q, x));
  PetscCall(VecAXPBY(state->v, 2 / s->h, -1, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_implicit_midpoint = {
  .name        = "implicit_midpoint",
  .order       = 2,
  .keeps       = WRING_KEEPS_LINEAR | WRING_KEEPS_ANGULAR,
  .part        = 0.5,
  .when        = 0.5,
  .needs       = WRING_CAN_GRADIENT,
  .extrapolate = implicit_midpoint_extrapolate,
  .finish      = implicit_midpoint_finish,
};

/* ---- without a solve --------------------------------------------------------------------------------------------- */

extern const wring_integrator wring_integrator_symplectic_euler; // below

/*
  v' = v + h M^{-1} f(q) = -h M^{-1} grad g(q), and x = q + h v' of symplectic Euler, q + h v of explicit Euler.
  [thesis, section 3.1.2]
*/
static PetscErrorCode advance(wring_stepper *s, const wring_state *state, Vec x, wring_reason *reason)
{
  const double *const mass  = wring_potential_mass(s->g);
  const PetscBool     moved = (PetscBool)(s->integrator == &wring_integrator_symplectic_euler);
  const PetscScalar  *gradient;
  PetscScalar        *v;
  PetscInt            n;

  PetscFunctionBegin;
  (void)reason;
  PetscCall(VecGetLocalSize(s->v_new, &n));
  PetscCall(VecGetArrayRead(s->gradient, &gradient));
  PetscCall(VecGetArrayWrite(s->v_new, &v));
  for (PetscInt i = 0; i < n; i++) v[i] = -s->h / mass[i / 3] * gradient[i];
  PetscCall(VecRestoreArrayWrite(s->v_new, &v));
  PetscCall(VecRestoreArrayRead(s->gradient, &gradient));
  PetscCall(VecWAXPY(x, s->h, moved ? s->v_new : state->v, state->q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_symplectic_euler = {
  .name    = "symplectic_euler",
  .order   = 1,
  .keeps   = WRING_KEEPS_LINEAR | WRING_KEEPS_ANGULAR,
  .part    = 1,
  .when    = 0,
  .needs   = WRING_CAN_GRADIENT,
  .advance = advance,
};

const wring_integrator wring_integrator_explicit_euler = {
  .name    = "explicit_euler",
  .order   = 1,
  .keeps   = WRING_KEEPS_LINEAR,
  .part    = 1,
  .when    = 0,
  .needs   = WRING_CAN_GRADIENT,
  .advance = advance,
};
