/* A, its operator, and the solvers that use them. */
#include "problem_impl.h"

static PetscInt64 count_set_ups(const wring_problem *p)
{
  wring_operator_info info;
  wring_operator_get_info(p->op, &info);
  return info.set_ups;
}

PetscErrorCode wring_problem_prepare_operator(wring_problem *p, double factor, PetscBool changed)
{
  wring_system *const s = &p->parts->system;

  PetscFunctionBegin;
  if (changed) s->factor = 0;
  if (factor == 0 || factor == s->factor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_operator_matrices(p->g, factor, s->A));
  PetscCall(wring_operator_set_matrices(p->op, s->A));
  s->set_ups = count_set_ups(p);
  s->factor  = factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_renew_operator(wring_problem *p, double factor)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_prepare_operator(p, factor, (PetscBool)(count_set_ups(p) != p->parts->system.set_ups)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_forget_operator(wring_problem *p)
{
  wring_system *const s = &p->parts->system;

  PetscFunctionBegin;
  PetscCall(wring_operator_forget(p->op));
  PetscCall(wring_matrices_destroy(s->A));
  s->factor = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_problem_has_matrix(const wring_problem *p)
{
  return (PetscBool)(p->parts->system.A[0] != NULL);
}

PetscErrorCode wring_problem_create_solver(wring_problem *p, const char *name, wring_solver **solver)
{
  wring_start start;

  PetscFunctionBegin;
  PetscCall(wring_solver_create(p->comm, p->g, p->op, &p->phases, solver));
  PetscCall(wring_solver_set_stop(*solver, WRING_STOP_FORCE));
  PetscCall(wring_solver_set_from_options(*solver, p->options, name));
  start = wring_solver_minimises(*solver) ? WRING_START_AUTO : WRING_START_Y; // only y moves the body without g
  wring_stepper_set_start(p->stepper, start);
  if (start == WRING_START_Y && wring_stepper_get_start(p->stepper) != WRING_START_Y)
    WRING_REFUSE(p->comm, "%s: solver '%s' does not minimise g and must start from y, expected solver_start y",
                 wring_options_origin(p->options, "solver_", "start"), wring_solver_name(*solver));
  PetscCall(wring_solver_set_up(*solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}
