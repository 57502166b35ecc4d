/*
  Implicit Euler as a minimisation: y = q + h v + h^2 a, v' = (x - q)/h.    [thesis, eq. 3.7; Liu et al. 2017, eq. 3]
*/
#include "step_impl.h"

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
