/* Symplectic Euler: v' = v + h M^{-1} f(q), x = q + h v'.                              [thesis, section 3.1.2] */
#include "step_impl.h"

static PetscErrorCode symplectic_euler_advance(wring_stepper *s, const wring_state *state, Vec x, wring_reason *reason)
{
  PetscFunctionBegin;
  (void)reason;
  PetscCall(wring_step_push(s));
  PetscCall(VecWAXPY(x, s->h, s->v_new, state->q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_symplectic_euler = {
  .name    = "symplectic_euler",
  .order   = 1,
  .keeps   = WRING_KEEPS_LINEAR | WRING_KEEPS_ANGULAR,
  .part    = 1,
  .when    = 0,
  .needs   = WRING_CAN_GRADIENT,
  .advance = symplectic_euler_advance,
};
