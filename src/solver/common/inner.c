#include "inner.h"
#include "line_search.h"

PetscErrorCode wring_inner_create(const wring_solver *outer, const wring_options *o, const char *name,
                                  wring_solver **inner)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_create(outer->comm, outer->g, outer->op, outer->phases, inner));
  PetscCall(wring_solver_set_from_options(*inner, o, name));
  PetscCall(wring_solver_set_stop(*inner, WRING_STOP_RELATIVE)); // the outer method stops
  PetscCheck((*inner)->ops->state, outer->comm, PETSC_ERR_PLIB, "solver '%s' has no state that '%s' could accelerate",
             name, outer->ops->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The costs since the last call; work is counted in the phases that both share. */
static void take_costs(wring_solver *inner, wring_solver *outer)
{
  outer->work.linear_iterations += inner->work.linear_iterations;
  outer->work.evaluations += inner->work.evaluations;
  inner->work.linear_iterations = inner->work.evaluations = 0;
}

/* The inner method begins with what the outer one knows at x_k: references, rounding, and g and grad g if known. */
static PetscErrorCode share(wring_solver *inner, const wring_solver *outer)
{
  PetscFunctionBegin;
  inner->scale             = outer->scale;
  inner->current.iteration = outer->current.iteration;
  inner->current.known     = outer->current.known;
  if (!outer->current.known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(outer->current.grad, inner->current.grad));
  inner->current.value = outer->current.value;
  inner->current.norm  = outer->current.norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_begin(wring_solver *inner, wring_solver *outer, Vec x)
{
  PetscFunctionBegin;
  wring_solver_forget(inner);
  PetscCall(share(inner, outer));
  if (inner->ops->begin) PetscCall(inner->ops->begin(inner, x));
  take_costs(inner, outer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_iterate(wring_solver *inner, Vec x, double *merit)
{
  const double *const residual = inner->current.residual;

  PetscFunctionBegin;
  inner->current.known = PETSC_FALSE; // x is the outer method's
  PetscCall(inner->ops->iterate(inner, x));
  *merit = PetscSqr(residual[0]) + PetscSqr(residual[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_inner_end(wring_solver *inner, wring_solver *outer)
{
  take_costs(inner, outer);
  wring_solver_moved(outer);
}

/* ---- methods whose state is x ------------------------------------------------------------------------------------ */

PetscInt wring_state_size_x(const wring_solver *s)
{
  return s->n;
}

PetscErrorCode wring_state_get_x(const wring_solver *s, Vec x, double *v)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  wring_copy(s->n, xa, v);
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_state_put_x(const wring_solver *s, const double *v, Vec x)
{
  double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  wring_copy(s->n, v, xa);
  PetscCall(VecRestoreArray(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_step(wring_solver *inner, wring_solver *outer, Vec x, Vec y)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(inner->ops->state->put(inner, xa, y));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(share(inner, outer));
  PetscCall(inner->ops->iterate(inner, y));
  take_costs(inner, outer);
  if (inner->end.given) wring_solver_end(outer, inner->end.reason);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_try(wring_solver *inner, wring_solver *outer, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(y, outer->trial.x));
  outer->trial.step = 1;
  if (!inner->current.known) {
    PetscCall(wring_solver_evaluate_trial(outer, outer->trial.x, outer->trial.grad));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecCopy(inner->current.grad, outer->trial.grad));
  outer->trial.value = inner->current.value;
  outer->trial.norm  = inner->current.norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
