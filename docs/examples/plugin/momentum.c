/*
  A solver: descent with momentum. x' = x + a (d + beta (x - x_last)), d = -A^{-1} grad g, a by backtracking; the second
  part is left out where it goes uphill.
*/
#include "solver/common/line_search.h"

typedef struct {
  double beta;
  Vec    d, last; // [n_owned][3] m
} momentum_data;

static const wring_option momentum_options[] = {
  {"beta", WRING_REAL, .range = "[0,1)", .value = "0.5", .at = WRING_AT(momentum_data, beta),
   .help = "Part of the last step that the next direction keeps."},
  {0},
};

static PetscErrorCode momentum_set_up(wring_solver *s)
{
  momentum_data *m = s->data;

  PetscFunctionBegin;
  PetscCall(wring_solver_create_vecs(s, 2, (Vec *[]){&m->d, &m->last}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode momentum_begin(wring_solver *s, Vec x)
{
  momentum_data *m = s->data;

  PetscFunctionBegin;
  PetscCall(VecCopy(x, m->last));
  PetscCall(wring_solver_evaluate(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode momentum_iterate(wring_solver *s, Vec x)
{
  momentum_data *m = s->data;
  wring_search   result;
  double         slope, along;

  PetscFunctionBegin;
  PetscCall(wring_solver_operator_step(s, m->d));
  PetscCall(wring_solver_dot(s, s->current.grad, m->d, &slope));
  PetscCall(VecAYPX(m->last, -1, x)); // the last step
  PetscCall(wring_solver_dot(s, s->current.grad, m->last, &along));
  if (along < 0) {
    PetscCall(VecAXPY(m->d, m->beta, m->last));
    slope += m->beta * along;
  }
  PetscCall(VecCopy(x, m->last));
  PetscCall(wring_solver_backtrack(s, x, m->d, slope, &result));
  PetscCall(wring_solver_end_search(s, x, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_momentum = {
  .name            = "momentum",
  .needs           = WRING_CAN_GRADIENT | WRING_CAN_SLOPE,
  .declares        = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor = wring_solver_operator_as_is,
  .way             = WRING_CONTACT_ENERGY,
  .options         = momentum_options,
  .data_size       = sizeof(momentum_data),
  .set_up          = momentum_set_up,
  .begin           = momentum_begin,
  .iterate         = momentum_iterate,
  .precondition    = wring_solver_apply_inverse,
};
