#include "inner.h"

PetscErrorCode wring_inner_create(const wring_solver *outer, const wring_options *o, const char *name,
                                  wring_solver **inner)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_create(outer->comm, outer->g, outer->op, outer->phases, inner));
  PetscCall(wring_solver_set_from_options(*inner, o, name));
  PetscCheck((*inner)->ops->state, outer->comm, PETSC_ERR_PLIB, "solver '%s' has no state that '%s' could accelerate",
             name, outer->ops->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_begin(wring_solver *inner, Vec x)
{
  PetscFunctionBegin;
  inner->work.linear_iterations = 0;
  if (inner->ops->begin) PetscCall(inner->ops->begin(inner, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_iterate(wring_solver *inner, Vec x, double *merit)
{
  const double *const residual = inner->current.residual;

  PetscFunctionBegin;
  inner->current.known = PETSC_FALSE; // x is the outer method's
  PetscCall(inner->ops->iterate(inner, x));
  PetscCall(wring_solver_swap_back(inner, x));
  *merit = PetscSqr(residual[0]) + PetscSqr(residual[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_inner_size(const wring_solver *inner)
{
  return inner->ops->state->size(inner);
}

PetscErrorCode wring_inner_get(const wring_solver *inner, Vec x, double *v)
{
  PetscFunctionBegin;
  PetscCall(inner->ops->state->get(inner, x, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_put(const wring_solver *inner, const double *v, Vec x)
{
  PetscFunctionBegin;
  PetscCall(inner->ops->state->put(inner, v, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_inner_end(const wring_solver *inner, wring_solver *outer)
{
  outer->work.linear_iterations = inner->work.linear_iterations;
  wring_solver_moved(outer);
}
