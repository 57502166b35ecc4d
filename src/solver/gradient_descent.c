/*
  Steepest descent [thesis, 3.2.1], the baseline: x' = x - a grad g. Backtracking halves a until g decreases enough. It
  starts from twice the last a, so that a can grow again; in the first iteration it starts from wring_solver_longest.
*/
#include "solver/common/line_search.h"

enum { MAX_RESTARTS = 4 };

typedef struct {
  double length; // a of the last iteration, m/N; 0: none yet
  Vec    d;      // [n_owned][3] m
} descent_data;

static const wring_option descent_options[] = {{0}};

static PetscErrorCode descent_set_up(wring_solver *s)
{
  descent_data *descent = s->data;

  PetscFunctionBegin;
  PetscCall(wring_solver_create_vecs(s, 1, (Vec *[]){&descent->d}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode descent_begin(wring_solver *s, Vec x)
{
  descent_data *descent = s->data;

  PetscFunctionBegin;
  descent->length = 0;
  PetscCall(wring_solver_evaluate(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Searches along -a grad g, a <= *longest; the a found replaces *longest. */
static PetscErrorCode search(wring_solver *s, Vec x, double *longest, wring_search *result)
{
  descent_data *descent = s->data;

  PetscFunctionBegin;
  PetscCall(VecCopy(s->current.grad, descent->d));
  PetscCall(VecScale(descent->d, -*longest));
  PetscCall(wring_solver_backtrack(s, x, descent->d, -*longest * PetscSqr(s->current.norm), result));
  if (*result == WRING_SEARCH_FOUND) *longest *= s->trial.step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At round-off a search judges only one trial point, whose step may be too long: repeat it from shorter steps. */
static PetscErrorCode descent_iterate(wring_solver *s, Vec x)
{
  descent_data *descent = s->data;
  wring_search  result;
  double        length = 2 * descent->length;

  PetscFunctionBegin;
  if (length == 0) PetscCall(wring_solver_longest(s, x, &length));
  s->current.decrement = 0.5 * length * PetscSqr(s->current.norm);
  PetscCall(search(s, x, &length, &result));
  for (int i = 0; i < MAX_RESTARTS && result != WRING_SEARCH_FOUND; i++) {
    length /= 2;
    PetscCall(search(s, x, &length, &result));
  }
  PetscCall(wring_solver_end_search(s, x, result));
  s->current.step = descent->length = length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_gradient_descent = {
  .name      = "gradient_descent",
  .needs     = WRING_CAN_GRADIENT,
  .declares  = WRING_MINIMISES | WRING_DESCENDS,
  .way       = WRING_CONTACT_BOUNDED,
  .options   = descent_options,
  .data_size = sizeof(descent_data),
  .set_up    = descent_set_up,
  .begin     = descent_begin,
  .iterate   = descent_iterate,
};
