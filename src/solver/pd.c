/*
  Projective dynamics [Bouaziz et al. 2014; thesis, algorithm 10].

  Local step: every element takes p_e, the point of its rest manifold that is closest to z_e = G_e x.
  Global step: A x' = M y/h^2 + sum_e w_e k_e G_e^T p_e, solved for the difference: x' = x + A^{-1} r with
    r = M/h^2 (y - x) + sum_e w_e k_e G_e^T (p_e - z_e),
  which is -grad g(x), docs/theory.md (5.2), so that an iterative solve has x itself as its starting guess. With an exact
  solve g never increases; with operator.rtol it may, once the steps are as small as the error of the solve. There is no
  line search.
*/
#include "solver_impl.h"

typedef struct {
  Vec r, d; // [n_owned][3] N, m
} pd_data;

static const wring_option pd_options[] = {{.key = NULL}};

static PetscErrorCode pd_create(wring_solver *s)
{
  pd_data *pd;

  PetscFunctionBegin;
  PetscCall(PetscNew(&pd));
  s->data = pd;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pd_set_up(wring_solver *s)
{
  pd_data *pd = s->data;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->grad, &pd->r));
  PetscCall(VecDuplicate(s->grad, &pd->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pd_iterate(wring_solver *s, Vec x)
{
  pd_data *pd = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_residual(s->g, x, pd->r));
  PetscCall(wring_solver_apply_inverse(s, pd->r, pd->d));
  PetscCall(wring_solver_add(s, pd->d, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pd_destroy(wring_solver *s)
{
  pd_data *pd = s->data;

  PetscFunctionBegin;
  PetscCall(VecDestroy(&pd->r));
  PetscCall(VecDestroy(&pd->d));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double pd_operator_factor(const wring_solver *s)
{
  (void)s;
  return 1;
}

const wring_solver_ops wring_solver_pd = {
  .name            = "pd",
  .needs           = WRING_CAN_PROJECT | WRING_CAN_SLOPE,
  .operator_factor = pd_operator_factor,
  .options         = pd_options,
  .create          = pd_create,
  .set_up          = pd_set_up,
  .iterate         = pd_iterate,
  .precondition    = wring_solver_apply_inverse,
  .destroy         = pd_destroy,
};
