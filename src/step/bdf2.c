/*
  The backward differentiation formula of second order, (3 x - 4 q + q_-)/(2 h) = v', the same for v', and
  h_e = 2 h/3 in g. In place of q_- and v_- of the last step it uses
    lead = (v - u)/h, u = (q - q_-)/h,   and   change = (v - v_-)/h,
  which a restart with another h can use too: half an acceleration, and an acceleration. docs/theory.md (6.3)
*/
#include "step_impl.h"

/* y = (4 q - q_-)/3 + h_e (4 v - v_-)/3 + h_e^2 a; v' = (x - (4 q - q_-)/3)/h_e, so that this is the start. */
static PetscErrorCode bdf2_target(wring_stepper *s, const wring_state *state, double *h)
{
  const double third = s->h / 3;

  PetscFunctionBegin;
  *h = 2 * third;
  PetscCall(VecWAXPY(s->y, third, state->v, state->q));
  PetscCall(VecAXPY(s->y, -third * s->h, s->memory[0]));
  PetscCall(wring_potential_set_start(s->g, s->y));
  PetscCall(VecAXPY(s->y, *h, state->v));
  PetscCall(VecAXPY(s->y, *h * third, s->change[0]));
  PetscCall(wring_step_add_loads(s, state, *h * *h, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v' = (3 u' - u)/2 with u' = (x - q)/h and u = v - h lead; v' = u' in the first step, which is implicit Euler's. */
static PetscErrorCode bdf2_finish(wring_stepper *s, Vec x, wring_state *state)
{
  const Vec u = s->y;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(u, -1, state->q, x));
  PetscCall(VecScale(u, 1 / s->h));
  if (s->known) {
    PetscCall(VecAXPBYPCZ(state->v, 1.5, 0.5 * s->h, -0.5, u, s->memory[0]));
  } else {
    PetscCall(VecCopy(u, state->v));
  }
  PetscCall(VecWAXPY(s->memory[0], -1, u, state->v));
  PetscCall(VecScale(s->memory[0], 1 / s->h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_integrator wring_integrator_bdf2 = {
  .name   = "bdf2",
  .order  = 2,
  .keeps  = WRING_KEEPS_LINEAR,
  .part   = 1,
  .when   = 1,
  .needs  = WRING_CAN_GRADIENT,
  .memory = {"velocity_lead"},
  .target = bdf2_target,
  .finish = bdf2_finish,
};
