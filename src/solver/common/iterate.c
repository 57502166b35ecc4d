/* What a method calls: g at the iterate, sums over ranks, solves with A, changes of x. */
#include "solver_impl.h"
#include <math.h>

PetscErrorCode wring_solver_create_vecs(wring_solver *s, int n, Vec *const v[])
{
  PetscFunctionBegin;
  PetscCheck(s->n_own + n <= WRING_MAX_OWN, s->comm, PETSC_ERR_PLIB, "solver '%s' has too many vectors", s->ops->name);
  for (int i = 0; i < n; i++) {
    PetscCall(VecDuplicate(s->current.grad, v[i]));
    s->own[s->n_own++] = *v[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p_k is about proportional to |grad g|^2, and changes slowly otherwise. */
double wring_solver_target(const wring_solver *s)
{
  const solver_decrement *const p        = &s->decrement;
  double                        relative = s->limits.rtol * s->scale.reference;
  if (s->limits.stop == WRING_STOP_GRADIENT) relative = 0;
  if (s->limits.stop == WRING_STOP_DECREMENT)
    relative = p->last > 0 ? p->norm * sqrt(s->limits.rtol * p->first / p->last) : 0;
  return PetscMax(relative, s->limits.atol);
}

PetscErrorCode wring_solver_sum(wring_solver *s, int n, double *a)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_REDUCTION);

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, s->comm));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_arrays(int n, const Vec *v, const double **a)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++) PetscCall(VecGetArrayRead(v[i], &a[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_arrays(int n, const Vec *v, const double **a)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++) PetscCall(VecRestoreArrayRead(v[i], &a[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_dots(const wring_solver *s, Vec x, int n, const Vec *with, double *dots)
{
  const double *a[WRING_MAX_VECTORS], *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(get_arrays(n, with, a));
  wring_dots(s->n, n, xa, a, dots);
  PetscCall(restore_arrays(n, with, a));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_sum_dots(wring_solver *s, Vec x, int n, const Vec *with, double *dots)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);

  PetscFunctionBegin;
  PetscCall(wring_solver_dots(s, x, n, with, dots));
  wring_phases_switch(s->phases, old);
  PetscCall(wring_solver_sum(s, n, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_dot(wring_solver *s, Vec x, Vec y, double *dot)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_sum_dots(s, x, 1, &y, dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_combine(PetscInt n, int m, const double *factor, const Vec *v, Vec to)
{
  const double *a[WRING_MAX_VECTORS];
  double       *w;

  PetscFunctionBegin;
  PetscCall(get_arrays(m, v, a));
  PetscCall(VecGetArray(to, &w));
  wring_combine(n, m, factor, a, w);
  PetscCall(VecRestoreArray(to, &w));
  PetscCall(restore_arrays(m, v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g, grad g and |grad g| at x, and the method's sums unless `own` is NULL, with one reduction. */
static PetscErrorCode evaluate(wring_solver *s, Vec x, Vec grad, double *own, wring_value *value, double *norm)
{
  double sums[2 + WRING_MAX_SUMS];
  int    n = 1;

  PetscFunctionBegin;
  PetscCall(wring_potential_fused_local(s->g, x, sums, grad));
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  if (own && s->ops->add_sums)
    PetscCall(s->ops->add_sums(s, grad, &n, sums + 2));
  else
    PetscCall(wring_solver_dots(s, grad, 1, &grad, sums + 2));
  PetscCall(wring_solver_sum(s, 2 + n, sums));
  wring_phases_switch(s->phases, old);
  *value = (wring_value){.objective = sums[0] + sums[1], .inertial = sums[0], .elastic = sums[1]};
  *norm  = PetscSqrtReal(sums[2]);
  if (own) PetscCall(PetscArraycpy(own, sums + 2, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_evaluate_trial(wring_solver *s, Vec at, Vec grad)
{
  PetscFunctionBegin;
  PetscCall(evaluate(s, at, grad, s->trial.sums, &s->trial.value, &s->trial.norm));
  s->work.evaluations++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The |grad g| of an evaluation that the caller of the solve has made is a part of that evaluation. */
static PetscErrorCode take_start(wring_solver *s)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_MEASURING);

  PetscFunctionBegin;
  s->current.value = s->start->value;
  PetscCall(VecCopy(s->start->grad, s->current.grad));
  PetscCall(wring_solver_dot(s, s->current.grad, s->current.grad, &s->current.norm));
  s->current.norm = PetscSqrtReal(s->current.norm);
  wring_phases_leave_measuring(s->phases, old);
  s->start = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_evaluate(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  if (s->current.known) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->start)
    PetscCall(take_start(s));
  else
    PetscCall(evaluate(s, x, s->current.grad, NULL, &s->current.value, &s->current.norm));
  s->work.evaluations++;
  s->current.known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_inverse_with_dots(wring_solver *s, double size, Vec b, Vec x, int n, const Vec *with,
                                                    double *dots)
{
  const double             *a[WRING_MAX_VECTORS];
  const wring_operator_dots d = {.n = n, .with = a, .dots = dots};
  wring_operator_info       info;

  PetscFunctionBegin;
  PetscCall(get_arrays(n, with, a));
  PetscCall(wring_operator_solve_from_zero(s->op, s->ops->operator_rtol, size, b, x, &d));
  PetscCall(restore_arrays(n, with, a));
  PetscCall(wring_potential_clear(s->g, x));
  wring_operator_get_info(s->op, &info);
  s->work.linear_iterations += info.iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_apply_inverse(wring_solver *s, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse_with_dots(s, 0, b, x, 0, NULL, NULL));
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

  PetscFunctionBegin;
  PetscCall(wring_solver_combine(s->n, 2, (const double[]){1, 1}, (const Vec[]){x, d}, x));
  wring_phases_switch(s->phases, old);
  wring_solver_moved(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_operator_step(wring_solver *s, Vec d)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);

  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse(s, s->current.grad, d));
  PetscCall(wring_solver_combine(s->n, 1, (const double[]){-1}, &d, d));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_note_choice(wring_solver *s, const char *text)
{
  solver_choices *const c = &s->choices;

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(c->n + 1) * sizeof *c->list, &c->list));
  c->list[c->n++] = (wring_solver_choice){c->solve, s->current.iteration, text};
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_solver_end(wring_solver *s, wring_reason end)
{
  if (!s->end.given) s->end.reason = end;
  s->end.given = PETSC_TRUE;
}

double wring_solver_operator_as_is(const wring_solver *s)
{
  (void)s;
  return 1;
}
