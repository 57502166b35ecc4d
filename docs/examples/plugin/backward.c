/*
  A time integrator: implicit Euler again. y = q + h v + h^2 a, v' = (x - q)/h.
*/
#include "step/step_impl.h"

static PetscErrorCode backward_finish(wring_stepper *s, Vec x, wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(state->v, -1, state->q, x));
  PetscCall(VecScale(state->v, 1 / s->h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_backward = {
  .name   = "backward",
  .order  = 1,
  .keeps  = WRING_KEEPS_LINEAR,
  .part   = 1,
  .when   = 1,
  .needs  = WRING_CAN_GRADIENT,
  .finish = backward_finish,
};
