/*
  The backward differentiation formula of second order, (3 x - 4 q + q_-)/(2 h) = v' and the same for v', with h_e = 2 h/3 in g.
  The last step is remembered as its mean velocity u = (q - q_-)/h, so that h may change at a restart. docs/theory.md (6.3)
*/
#include "step_impl.h"

/* y = (4 q - q_-)/3 + h_e (4 v - v_-)/3 + h_e^2 gravity; v' = (x - (4 q - q_-)/3)/h_e, so that this is the start. */
static PetscErrorCode bdf2_target(wring_stepper *s, const wring_state *state, double *h)
{
  PetscFunctionBegin;
  *h = 2 * s->h / 3;
  PetscCall(VecWAXPY(s->y, s->h / 3, s->u, state->q));
  PetscCall(wring_potential_set_start(s->g, s->y));
  PetscCall(VecAXPY(s->y, 4 * *h / 3, state->v));
  PetscCall(VecAXPY(s->y, -*h / 3, s->v_old));
  PetscCall(wring_step_add_gravity(s, *h * *h, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v' = (3 u' - u)/2 with u' = (x - q)/h; u' alone after the first step, which is implicit Euler's. */
static PetscErrorCode bdf2_finish(wring_stepper *s, Vec x, wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(s->y, -1, state->q, x));
  PetscCall(VecScale(s->y, 1 / s->h));
  PetscCall(VecCopy(state->v, s->v_old));
  PetscCall(VecCopy(s->y, state->v));
  if (s->known) PetscCall(VecAXPBY(state->v, -0.5, 1.5, s->u));
  PetscCall(VecCopy(s->y, s->u));
  s->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_bdf2 = {
  .name   = "bdf2",
  .part   = 1,
  .when   = 1,
  .needs  = WRING_CAN_GRADIENT,
  .target = bdf2_target,
  .finish = bdf2_finish,
};
