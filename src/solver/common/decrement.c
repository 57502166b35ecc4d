/*
  Stopping by decrement, docs/theory.md (2.8a): p_k = grad g . A^{-1} grad g/2, with the A of the rest state, whatever
  the method solves with. All methods thus stop by the same number; it has an operator of its own, because methods
  replace the matrix of theirs.
*/
#include "solver_impl.h"
#include <string.h>

enum { EXPECTED_SOLVES = 100, MOST_WAITED = 10 };

static const double near = 4; // p_k is computed again where |grad g| is at most this times the predicted target

PetscErrorCode wring_decrement_create(wring_solver *s, const wring_options *o)
{
  PetscFunctionBegin;
  PetscCall(wring_operator_create(s->comm, o, s->phases, &s->decrement.op));
  wring_operator_expect(s->decrement.op, &(wring_operator_use){EXPECTED_SOLVES, WRING_OPERATOR_ROUGH});
  s->decrement.revision = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_decrement_destroy(wring_solver *s)
{
  PetscFunctionBegin;
  PetscCall(wring_operator_destroy(&s->decrement.op));
  PetscCall(wring_matrices_destroy(s->decrement.A));
  PetscCall(VecDestroy(&s->decrement.d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_decrement_set_up(wring_solver *s)
{
  PetscFunctionBegin;
  if (s->limits.stop != WRING_STOP_DECREMENT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    wring_potential_require(s->g, WRING_CAN_SLOPE, "solver", s->ops->name, "another solver_stop than decrement"));
  PetscCall(VecDuplicate(s->current.grad, &s->decrement.d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_decrement_predict(wring_solver *s, double *bytes)
{
  solver_decrement *const p    = &s->decrement;
  double                  more = 0;

  PetscFunctionBegin;
  if (s->limits.stop != WRING_STOP_DECREMENT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_operator_matrices(s->g, 1, p->A));
  if (strcmp(wring_operator_choice(p->op, wring_potential_mesh(s->g)->number.n_global), "multigrid") != 0)
    PetscCall(wring_operator_predict(p->op, p->A, &more));
  else
    PetscCall(wring_operator_set_matrices(p->op, p->A)); // allocated, and so counted, here
  *bytes += more;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_decrement_begin(wring_solver *s)
{
  solver_decrement *const p        = &s->decrement;
  const PetscInt          revision = wring_potential_revision(s->g);

  PetscFunctionBegin;
  if (s->limits.stop != WRING_STOP_DECREMENT || p->revision == revision) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_operator_matrices(s->g, 1, p->A));
  PetscCall(wring_operator_set_matrices(p->op, p->A));
  p->revision = revision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_due(const wring_solver *s)
{
  const PetscInt k = s->current.iteration;
  if (k == 0 || k - s->decrement.at >= MOST_WAITED || s->decrement.last <= 0) return PETSC_TRUE;
  return (PetscBool)(s->current.norm <= near * wring_solver_target(s));
}

PetscErrorCode wring_decrement_measure(wring_solver *s)
{
  solver_decrement *const p = &s->decrement;
  const double           *grad;
  double                  dot;

  PetscFunctionBegin;
  if (s->limits.stop != WRING_STOP_DECREMENT || !(s->limits.rtol > 0) || PetscIsInfOrNanReal(s->current.norm) ||
      p->at == s->current.iteration || !is_due(s))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  PetscCall(wring_operator_solve_from_zero(p->op, WRING_OPERATOR_ROUGH, s->current.norm, s->current.grad, p->d,
                                           &(wring_operator_dots){.n = 1, .with = &grad, .dots = &dot}));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  p->at   = s->current.iteration;
  p->norm = s->current.norm;
  p->last = 0.5 * dot;
  if (p->at == 0) p->first = p->last;
  PetscFunctionReturn(PETSC_SUCCESS);
}
