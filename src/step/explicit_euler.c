/* Explicit Euler: x = q + h v, v' = v + h M^{-1} f(q).                                 [thesis, section 3.1.2] */
#include "step_impl.h"

static PetscErrorCode explicit_euler_advance(wring_stepper *s, const wring_state *state, Vec x, wring_reason *reason)
{
  PetscFunctionBegin;
  (void)reason;
  PetscCall(wring_step_push(s));
  PetscCall(VecWAXPY(x, s->h, state->v, state->q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_explicit_euler = {
  .name    = "explicit_euler",
  .order   = 1,
  .keeps   = WRING_KEEPS_LINEAR,
  .part    = 1,
  .when    = 0,
  .needs   = WRING_CAN_GRADIENT,
  .advance = explicit_euler_advance,
};
