#include "inner.h"

PetscErrorCode wring_inner_create(wring_solver *s, const wring_options *o, const char *name)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_create(s->comm, s->g, s->op, s->phases, &s->inner));
  PetscCall(wring_solver_set_from_options(s->inner, o, name));
  PetscCall(wring_solver_set_stop(s->inner, WRING_STOP_RELATIVE)); // the outer method stops
  PetscCheck(s->inner->ops->state, s->comm, PETSC_ERR_PLIB, "solver '%s' has no state that '%s' could accelerate", name,
             s->ops->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The costs since the last call; work is counted in the phases that both share. */
static void take_costs(wring_solver *s)
{
  solver_work *const own = &s->inner->work;
  s->work.linear_iterations += own->linear_iterations;
  s->work.evaluations += own->evaluations;
  s->work.measured += own->setup.seconds;
  s->work.setup.seconds += own->setup.seconds;
  wring_counts_add(&own->setup.work, &s->work.before);
  wring_counts_add(&own->setup.work, &s->work.setup.work);
  own->linear_iterations = own->evaluations = 0;
  own->setup                                = (wring_setup){0};
}

/* The inner method begins with what the outer one knows at x_k: references, rounding, and g and grad g if known. */
static PetscErrorCode share(const wring_solver *s)
{
  wring_solver *const inner = s->inner;

  PetscFunctionBegin;
  inner->scale             = s->scale;
  inner->current.iteration = s->current.iteration;
  inner->current.known     = s->current.known;
  if (!s->current.known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(s->current.grad, inner->current.grad));
  inner->current.value = s->current.value;
  inner->current.norm  = s->current.norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  if (!s->inner) PetscFunctionReturn(PETSC_SUCCESS);
  wring_solver_forget(s->inner);
  s->inner->end.failed = s->end.failed;
  PetscCall(share(s));
  if (s->inner->ops->begin) PetscCall(s->inner->ops->begin(s->inner, x));
  take_costs(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_inner_iterate(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  s->inner->current.known = PETSC_FALSE; // x is the outer method's
  PetscCall(s->inner->ops->iterate(s->inner, x));
  take_costs(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- methods whose state is x ------------------------------------------------------------------------------------ */

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

const wring_solver_state wring_state_x = {.put = wring_state_put_x};

PetscErrorCode wring_inner_step(wring_solver *s, Vec x, Vec y, Vec d)
{
  wring_solver *const inner = s->inner;
  const double       *xa;

  PetscFunctionBegin;
  if (!inner) {
    PetscCall(wring_solver_operator_step(s, d));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(inner->ops->state->put(inner, xa, y));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(share(s));
  PetscCall(inner->ops->iterate(inner, y));
  take_costs(s);
  if (inner->end.given) wring_solver_end(s, inner->end.reason);
  PetscCall(VecWAXPY(d, -1, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_inner_objective(const wring_solver *s)
{
  const wring_solver *const from = s->inner && s->inner->current.known ? s->inner : s;
  return from->current.value.objective;
}

double wring_chebyshev_weight(PetscInt k, PetscInt first, double rho, double weight)
{
  if (k < first) return 1;
  return k == first ? 2 / (2 - PetscSqr(rho)) : 4 / (4 - PetscSqr(rho) * weight);
}

PetscErrorCode wring_inner_try(wring_solver *s, Vec y)
{
  const solver_iterate *const known = &s->inner->current;

  PetscFunctionBegin;
  PetscCall(VecCopy(y, s->trial.x));
  s->trial.step = 1;
  if (!known->known) {
    PetscCall(wring_solver_evaluate_trial(s, s->trial.x, s->trial.grad));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecCopy(known->grad, s->trial.grad));
  s->trial.value = known->value;
  s->trial.norm  = known->norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
