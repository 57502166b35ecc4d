/*
  Newton's method [thesis, algorithm 2]: H d = -grad g with backtracking. The Hessian of every element is projected to
  the positive semidefinite matrices [Teran et al. 2005], so that H = M/h^2 + sum is positive definite and d is a
  descent direction.

  The system has three unknowns per vertex. It is solved by a Cholesky factor (direct), or by conjugate gradients with
  smoothed aggregation that represents the six rigid motions of the current positions (cg).
*/
#include "solver/common/line_search.h"
#include "solver/common/linear.h"

typedef struct {
  wring_linear H;
  Vec          d; // [n_owned][3] m
} newton_data;

static const wring_option newton_options[] = {
  {.key     = "linear",
   .type    = WRING_WORD,
   .choices = "auto|direct|cg",
   .value   = "auto",
   .help    = "Solver of the Newton system: a factor, conjugate gradients, or a choice by the number of vertices."},
  {.key   = "rtol",
   .type  = WRING_REAL,
   .range = "(0,1)",
   .value = "1e-8",
   .help  = "Relative tolerance of conjugate gradients for the Newton system."},
  {.key = NULL},
};

static PetscErrorCode newton_create(wring_solver *s)
{
  newton_data *newton;

  PetscFunctionBegin;
  PetscCall(PetscNew(&newton));
  s->data          = newton;
  newton->H.prefix = "newton_";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  newton_data *newton = s->data;
  const char  *linear;
  PetscBool    direct, cg;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, prefix, newton_options, "linear", &linear));
  PetscCall(wring_options_get_real(o, prefix, newton_options, "rtol", &newton->H.rtol));
  PetscCall(PetscStrcmp(linear, "direct", &direct));
  PetscCall(PetscStrcmp(linear, "cg", &cg));
  newton->H.type = direct ? WRING_LINEAR_DIRECT : cg ? WRING_LINEAR_MULTIGRID : WRING_LINEAR_AUTO;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_set_up(wring_solver *s)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->current.grad, &newton->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_begin(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_evaluate(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = -H^{-1} grad g and grad g . d. A solve that misses its tolerance still gives a direction. */
static PetscErrorCode newton_direction(wring_solver *s, Vec x, double *slope)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &newton->H.A));
  PetscCall(wring_linear_set_up(s, &newton->H, newton->H.A, x));
  PetscCall(wring_linear_solve(s, &newton->H, s->current.grad, newton->d));
  PetscCall(VecScale(newton->d, -1));
  PetscCall(wring_solver_dot(s, s->current.grad, newton->d, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_iterate(wring_solver *s, Vec x)
{
  newton_data *newton = s->data;
  wring_search result;
  double       slope;

  PetscFunctionBegin;
  PetscCall(newton_direction(s, x, &slope));
  if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_backtrack(s, x, newton->d, slope, &result));
  if (result == WRING_SEARCH_FAILED) {
    PetscCall(wring_solver_steepest(s, x, newton->d, &slope));
    PetscCall(wring_solver_backtrack(s, x, newton->d, slope, &result));
  }
  if (result == WRING_SEARCH_FOUND)
    PetscCall(wring_solver_accept(s, x));
  else
    wring_solver_give_up(s, result);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_predict(wring_solver *s, Vec x, double *bytes)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &newton->H.A));
  PetscCall(wring_linear_predict(s, &newton->H, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode newton_destroy(wring_solver *s)
{
  newton_data *newton = s->data;

  PetscFunctionBegin;
  PetscCall(wring_linear_destroy(&newton->H));
  PetscCall(VecDestroy(&newton->d));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_newton = {
  .name             = "newton",
  .needs            = WRING_CAN_GRADIENT | WRING_CAN_HESSIAN,
  .declares         = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .contacts         = wring_solver_contacts_in_g,
  .options          = newton_options,
  .create           = newton_create,
  .set_from_options = newton_set_from_options,
  .set_up           = newton_set_up,
  .begin            = newton_begin,
  .iterate          = newton_iterate,
  .predict          = newton_predict,
  .destroy          = newton_destroy,
};
