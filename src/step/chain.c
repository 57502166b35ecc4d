/*
  An analysis that begins where another has ended, with loads, attachments and materials of its own, docs/theory.md
  (6.19). Held vertices start from where they are. In statics, what is then out of balance is a load that fades out
  while the new loads grow, so that the first state is in equilibrium at pseudo-time 0.
*/
#include "step_impl.h"

PetscErrorCode wring_stepper_chain_create(wring_stepper *s)
{
  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->y, &s->chain_position));
  if (s->integrator->is_static) PetscCall(VecDuplicate(s->y, &s->chain_force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_chain_hold(wring_stepper *s)
{
  PetscFunctionBegin;
  if (s->integrator->is_static) PetscCall(wring_potential_set_origin(s->g, s->chain_position)); // (6.13)
  PetscCall(wring_potential_hold_from(s->g, s->chain_position, s->integrator->is_static));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_stepper_chain_begin(wring_stepper *s, const wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(wring_stepper_chain_create(s));
  PetscCall(VecCopy(state->q, s->chain_position));
  PetscCall(wring_stepper_chain_hold(s));
  if (!s->integrator->is_static) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecSet(s->chain_force, 0)); // it is one of the loads
  PetscCall(wring_static_find_residual(s, state->q, s->chain_force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int wring_stepper_chain_memory(const wring_stepper *s, wring_memory memory[2])
{
  int n = 0;
  if (s->chain_position) memory[n++] = (wring_memory){WRING_CHAIN_POSITION, s->chain_position};
  if (s->chain_force) memory[n++] = (wring_memory){"chain_force", s->chain_force};
  return n;
}
