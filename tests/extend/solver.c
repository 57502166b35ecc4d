/*
  A solver, written as a new one would be: the template of docs/developer.md, "How to add", which the tests build and
  run. Descent along d = -A^{-1} grad g with backtracking: qn without pairs.
*/
#include "solver/common/line_search.h"

typedef struct {
  Vec d; // [n_owned][3] m
} scratch_data;

static const wring_option scratch_options[] = {{0}};

static PetscErrorCode scratch_set_up(wring_solver *s)
{
  scratch_data *scratch = s->data;

  PetscFunctionBegin;
  PetscCall(wring_solver_create_vecs(s, 1, (Vec *[]){&scratch->d}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode scratch_iterate(wring_solver *s, Vec x)
{
  const scratch_data *scratch = s->data;
  wring_search        result;
  double              slope;

  PetscFunctionBegin;
  PetscCall(wring_solver_operator_step(s, scratch->d));
  PetscCall(wring_solver_dot(s, s->current.grad, scratch->d, &slope));
  PetscCall(wring_solver_backtrack(s, x, scratch->d, slope, &result));
  PetscCall(wring_solver_end_search(s, x, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_scratch = {
  .name            = "scratch",
  .needs           = WRING_CAN_GRADIENT | WRING_CAN_SLOPE,
  .declares        = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor = wring_solver_operator_as_is,
  .contacts        = wring_solver_contacts_in_g,
  .options         = scratch_options,
  .data_size       = sizeof(scratch_data),
  .set_up          = scratch_set_up,
  .begin           = wring_solver_evaluate,
  .iterate         = scratch_iterate,
  .precondition    = wring_solver_apply_inverse,
};
