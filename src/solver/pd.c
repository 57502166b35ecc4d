/*
  Projective dynamics [Bouaziz et al. 2014; thesis, algorithm 10].

  Local step: p_e is the point of the rest manifold of element e that is closest to z_e = G_e x.
  Global step: A x' = M y/h^2 + sum_e w_e k_e G_e^T p_e, solved for the difference, x' = x + A^{-1} r with
    r = M/h^2 (y - x) + sum_e w_e k_e G_e^T (p_e - z_e) = -grad g(x),
  docs/theory.md (5.2), so that an iterative solve starts from x. With an exact solve g never increases; with
  operator.rtol it may, once the steps are as small as the error of the solve. There is no line search.

  With `metric: mass` the distance of an element to its rest states is weighted by the masses of its vertices instead of
  the stiffness. The global step is then diagonal, an average at every vertex [Bouaziz et al. 2014]. The method descends
  its own energy, (5.3), not g.
*/
#include "solver/common/solver_impl.h"

typedef struct {
  Vec       r, d;     // [n_owned][3] N, m; by mass kg m, m
  PetscBool by_mass;  // the metric
  Vec       diagonal; // [n_owned][3] kg, by mass only
} pd_data;

static const wring_option pd_options[] = {
  {"metric", WRING_WORD, .choices = "element|mass", .value = "element", .at = WRING_AT(pd_data, by_mass),
   .help = "Metric of the distance to the rest states: element, that of z in the energy; mass, that of the vertices, "
           "weighted by mass and without stiffness."},
  {0},
};

static PetscErrorCode pd_set_up(wring_solver *s)
{
  pd_data *pd = s->data;

  PetscFunctionBegin;
  if (pd->by_mass && wring_potential_is_static(s->g))
    WRING_REFUSE(s->comm,
                 "solver '%s' with metric mass cannot be used with time_integrator 'static', which has no masses: "
                 "expected metric element",
                 s->name);
  if (pd->by_mass) PetscCall(wring_potential_require_rest_pose(s->g, s->ops->name));
  PetscCall(wring_solver_create_vecs(s, pd->by_mass ? 3 : 2, (Vec *[]){&pd->r, &pd->d, &pd->diagonal}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Attachments may have been released since the last solve. */
static PetscErrorCode pd_begin(wring_solver *s, Vec x)
{
  const pd_data *pd = s->data;
  (void)x;

  PetscFunctionBegin;
  if (pd->by_mass) PetscCall(wring_potential_mass_diagonal(s->g, pd->diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pd_iterate(wring_solver *s, Vec x)
{
  const pd_data *pd = s->data;

  PetscFunctionBegin;
  if (pd->by_mass) {
    PetscCall(wring_potential_mass_residual(s->g, x, NULL, pd->r));
    const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
    PetscCall(VecPointwiseDivide(pd->d, pd->r, pd->diagonal));
    wring_phases_switch(s->phases, old);
  } else {
    PetscCall(wring_potential_residual(s->g, x, pd->r));
    PetscCall(wring_solver_apply_inverse(s, pd->r, pd->d));
  }
  PetscCall(wring_solver_add(s, pd->d, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = A^{-1} b; A is diagonal in the metric of masses. */
static PetscErrorCode pd_precondition(wring_solver *s, Vec b, Vec x)
{
  const pd_data *pd = s->data;
  const double   h  = wring_potential_step(s->g);

  PetscFunctionBegin;
  if (pd->by_mass) {
    PetscCall(VecPointwiseDivide(x, b, pd->diagonal));
    PetscCall(VecScale(x, h * h));
  } else {
    PetscCall(wring_solver_apply_inverse(s, b, x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double pd_operator_factor(const wring_solver *s)
{
  const pd_data *pd = s->data;
  return pd->by_mass ? 0 : 1;
}

const wring_solver_ops wring_solver_pd = {
  .name            = "pd",
  .needs           = WRING_CAN_PROJECT | WRING_CAN_SLOPE,
  .declares        = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor = pd_operator_factor,
  .options         = pd_options,
  .data_size       = sizeof(pd_data),
  .set_up          = pd_set_up,
  .begin           = pd_begin,
  .iterate         = pd_iterate,
  .precondition    = pd_precondition,
};
