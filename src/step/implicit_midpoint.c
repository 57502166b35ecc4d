/*
  The implicit midpoint rule. Its objective 1/(2 h^2) |x - y|_M^2 + E((x + q)/2), y = q + h v + h^2/2 a, equals that of
  implicit Euler with h/2 in the unknown w = (x + q)/2, the midpoint.
  [Liu et al. 2017, section 3; docs/theory.md 6]
*/
#include "step_impl.h"

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
