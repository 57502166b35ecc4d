/* What a method calls: g at the iterate, sums over ranks, solves with A, changes of x. */
#include "solver_impl.h"

PetscErrorCode wring_solver_sum(wring_solver *s, int n, double *a)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_REDUCTION);

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, s->comm));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_dot(wring_solver *s, Vec x, Vec y, double *dot)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const double     *xa, *ya;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(y, &ya));
  wring_dots(s->n, 1, xa, &ya, dot);
  PetscCall(VecRestoreArrayRead(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_phases_switch(s->phases, old);
  PetscCall(wring_solver_sum(s, 1, dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_evaluate(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  if (s->current.known) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->start) {
    s->current.value = s->start->value;
    PetscCall(VecCopy(s->start->grad, s->current.grad));
    s->start = NULL;
  } else {
    PetscCall(wring_potential_fused(s->g, x, &s->current.value, s->current.grad));
  }
  s->work.evaluations++;
  s->current.known      = PETSC_TRUE;
  s->current.norm_known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_know_norm(wring_solver *s)
{
  double squared;

  PetscFunctionBegin;
  if (s->current.norm_known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_dot(s, s->current.grad, s->current.grad, &squared));
  s->current.norm       = PetscSqrtReal(squared);
  s->current.norm_known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_inverse_with_dots(wring_solver *s, double rtol, double size, Vec b, Vec x,
                                                    const wring_operator_dots *d)
{
  wring_operator_info info;

  PetscFunctionBegin;
  PetscCall(wring_operator_solve_from_zero(s->op, rtol, size, b, x, d));
  PetscCall(wring_potential_clear(s->g, x));
  wring_operator_get_info(s->op, &info);
  s->work.linear_iterations += info.iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_inverse_to(wring_solver *s, double rtol, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse_with_dots(s, rtol, 0, b, x, &(wring_operator_dots){.n = 0}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_inverse(wring_solver *s, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(apply_inverse_to(s, 0, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_rough_inverse(wring_solver *s, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(apply_inverse_to(s, WRING_OPERATOR_ROUGH, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_correction(wring_solver *s, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(apply_inverse_to(s, WRING_OPERATOR_CORRECTION, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_swap(wring_solver *s, Vec x)
{
  const double *xa, *ta, *xr, *tr; // a restored pointer is NULL

  PetscFunctionBegin;
  if (s->trial.swapped) {
    PetscCall(VecResetArray(x));
    PetscCall(VecResetArray(s->trial.x));
  } else {
    PetscCall(VecGetArrayRead(x, &xa));
    PetscCall(VecGetArrayRead(s->trial.x, &ta));
    xr = xa, tr = ta;
    PetscCall(VecRestoreArrayRead(s->trial.x, &tr));
    PetscCall(VecRestoreArrayRead(x, &xr));
    PetscCall(VecPlaceArray(x, ta));
    PetscCall(VecPlaceArray(s->trial.x, xa));
  }
  s->trial.swapped = (PetscBool)!s->trial.swapped;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_swap_back(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  if (!s->trial.swapped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_swap(s, x));
  PetscCall(VecCopy(s->trial.x, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_moved(wring_solver *s)
{
  s->current.known = PETSC_FALSE;
  s->current.step  = 1;
}

PetscErrorCode wring_solver_add(wring_solver *s, Vec d, Vec x)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const double     *da;
  double           *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(d, &da));
  PetscCall(VecGetArray(x, &xa));
  wring_axpy(s->n, 1, da, xa);
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecRestoreArrayRead(d, &da));
  wring_phases_switch(s->phases, old);
  wring_solver_moved(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_operator_step(wring_solver *s, Vec d)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  double           *da;

  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse(s, s->current.grad, d));
  PetscCall(VecGetArray(d, &da));
  wring_scale(s->n, -1, da);
  PetscCall(VecRestoreArray(d, &da));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_predicts(wring_solver *s, double slope)
{
  s->current.decrement = -0.5 * slope;
}

PetscErrorCode wring_solver_note_choice(wring_solver *s, const char *text)
{
  solver_choices *const c = &s->choices;

  PetscFunctionBegin;
  if (c->n == c->capacity) {
    c->capacity = 2 * c->capacity + 8;
    PetscCall(PetscRealloc((size_t)c->capacity * sizeof *c->list, &c->list));
  }
  c->list[c->n++] = (wring_solver_choice){c->solve, s->current.iteration, text};
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_end(wring_solver *s, wring_reason end)
{
  if (!s->end.given) s->end.reason = end;
  s->end.given = PETSC_TRUE;
}

const wring_contact_way *wring_solver_contacts_in_g(const wring_solver *s)
{
  static const wring_contact_way way = WRING_CONTACT_ENERGY;
  (void)s;
  return &way;
}
