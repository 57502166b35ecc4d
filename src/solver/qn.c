/*
  Quasi-Newton: L-BFGS with H_0 = A^{-1} [Liu et al. 2017, alg. 1 and 2; thesis, algorithm 12].

  Without pairs the direction is -A^{-1} grad g: that of projective dynamics, if the laws have a projection.
*/
#include "solver/common/correction.h"
#include "solver/lbfgs/initial.h"
#include "solver/lbfgs/lbfgs.h"

typedef enum { ARMIJO, WOLFE, NONE } qn_search;

typedef struct {
  wring_lbfgs      pairs;   //
  wring_initial    initial; // H_0
  wring_correction contacts;
  PetscBool        keep; // keep the pairs of the last solve
  qn_search        search;
} qn_data;

static const wring_option qn_options[] = {
  {"history", WRING_INT, .range = "[0,100]", .value = "5", .at = WRING_AT(qn_data, pairs.window),
   .help = "Maximum number of pairs that L-BFGS keeps."},
  {"initial_hessian", WRING_WORD, .choices = "operator|identity|rest_hessian|frame_hessian|warped_rest_hessian",
   .value = "operator", .at = WRING_AT(qn_data, initial.kind),
   .help = "Hessian that L-BFGS starts from: the operator A, a scaled identity, the Hessian at rest, the Hessian at "
           "x_0 of each step, or the Hessian at rest rotated with each vertex."},
  {"inner", WRING_WORD, .choices = "operator|cg", .value = "operator", .at = WRING_AT(qn_data, initial.steps),
   .help = "Solver of systems with the initial Hessian: the one of operator_type, or steps of conjugate gradients."},
  {"inner_max_it", WRING_INT, .range = "[1,inf)", .value = "15", .at = WRING_AT(qn_data, initial.system.max_it),
   .help = "Steps of inner cg, started from zero."},
  {"inner_preconditioner", WRING_WORD, .choices = "none|jacobi|icholesky|icholesky_rest|icholesky_operator",
   .value = "jacobi", .at = WRING_AT(qn_data, initial.preconditioner),
   .help = "Preconditioner of inner cg; icholesky: incomplete Cholesky factor, of each rank's block, of the initial "
           "Hessian, of the Hessian at rest, or of the operator A."},
  {"keep", WRING_BOOL, .value = "false", .at = WRING_AT(qn_data, keep),
   .help = "Whether the pairs of one step are kept for the next if there are no contacts; useful for a history of at "
           "least 10."},
  {"refresh", WRING_INT, .range = "[0,10000]", .value = "0", .at = WRING_AT(qn_data, pairs.renewal.price),
   .help = "Number of evaluations lost to an outdated operator after which it is rebuilt from the current Hessian, "
           "doubled whenever that has not saved as many; 0: never."},
  {"line_search", WRING_WORD, .choices = "armijo|wolfe|none", .value = "armijo", .at = WRING_AT(qn_data, search),
   .help = "Armijo halves the step until g decreases enough, wolfe also until its slope is small enough; none: the "
           "full step."},
  {0},
};

static PetscErrorCode qn_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  PetscCall(wring_initial_set_from_options(s, o, prefix, &qn->initial));
  if (qn->pairs.renewal.price > 0 && (qn->initial.kind != WRING_INITIAL_OPERATOR || qn->initial.steps))
    WRING_REFUSE(s->comm, "%s: refresh is for initial_hessian operator with inner operator, expected both",
                 wring_options_origin(o, prefix, "refresh"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode qn_set_up(wring_solver *s)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  if (qn->pairs.renewal.price > 0)
    PetscCall(wring_potential_require(s->g, WRING_CAN_HESSIAN, "solver", s->ops->name, "refresh 0"));
  PetscCall(wring_initial_set_up(s, &qn->initial));
  PetscCall(wring_lbfgs_create(s, &qn->pairs));
  qn->pairs.with_last = (PetscBool)(qn->initial.kind == WRING_INITIAL_IDENTITY);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode qn_predict(wring_solver *s, Vec x, double *bytes)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  PetscCall(wring_initial_predict(s, &qn->initial, x, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the direction ----------------------------------------------------------------------------------------------- */

static PetscErrorCode qn_begin(wring_solver *s, Vec x)
{
  qn_data        *qn      = s->data;
  const PetscBool changed = wring_lbfgs_has_changed(s, &qn->pairs);

  PetscFunctionBegin;
  wring_renewal_begin(&qn->pairs.renewal, changed);
  PetscCall(wring_initial_begin(s, &qn->initial, x));
  PetscCall(wring_lbfgs_begin(s, &qn->pairs, (PetscBool)(qn->keep && !changed), x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 if the operator solves with A_0. */
static double qn_operator_factor(const wring_solver *s)
{
  const qn_data *qn = s->data;
  return qn->initial.kind == WRING_INITIAL_OPERATOR && !qn->initial.steps;
}

/* r *= gamma; before there is a pair, the step to g = 0. */
static PetscErrorCode scale_identity(wring_solver *s, Vec r)
{
  const qn_data *const qn = s->data;
  double               gamma;

  PetscFunctionBegin;
  if (qn->pairs.count > 0)
    gamma = wring_lbfgs_gamma(&qn->pairs);
  else
    gamma = PetscAbsReal(s->current.value.objective) / PetscSqr(s->current.norm);
  PetscCall(VecScale(r, gamma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = H_0 q for an H_0 other than A^{-1}. */
static PetscErrorCode apply_other(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots)
{
  qn_data *const qn = s->data;

  PetscFunctionBegin;
  PetscCall(wring_initial_solve(s, &qn->initial, q, r));
  if (qn->initial.kind == WRING_INITIAL_IDENTITY) PetscCall(scale_identity(s, r));
  PetscCall(wring_solver_sum_dots(s, r, n, with, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

static PetscErrorCode take_full_step(wring_solver *s, Vec x, Vec d, double slope, wring_search *result)
{
  (void)slope;
  PetscFunctionBegin;
  PetscCall(wring_solver_try(s, x, 1, d));
  *result = WRING_SEARCH_FOUND;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode qn_iterate(wring_solver *s, Vec x)
{
  static wring_lbfgs_search *const search[] = {
    [ARMIJO] = wring_solver_backtrack, [WOLFE] = wring_solver_wolfe, [NONE] = take_full_step};
  qn_data *const             qn    = s->data;
  wring_lbfgs_initial *const apply = qn_operator_factor(s) > 0 ? wring_lbfgs_apply_operator : apply_other;
  PetscBool                  changed;

  PetscFunctionBegin;
  PetscCall(wring_lbfgs_renew_operator(s, &qn->pairs, x, &changed));
  if (qn_operator_factor(s) > 0 && qn->pairs.renewal.price == 0)
    PetscCall(wring_correction_update(s, &qn->contacts, x, &changed));
  PetscCall(wring_lbfgs_iterate(s, &qn->pairs, apply, search[qn->search], x));
  wring_renewal_count(&qn->pairs.renewal, s->work.evaluations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a line search g may rise. */
static wring_contact_way qn_contacts(const wring_solver *s)
{
  const qn_data *qn = s->data;
  return qn->search == NONE ? WRING_CONTACT_REFUSED : WRING_CONTACT_BOUNDED;
}

static PetscErrorCode qn_destroy(wring_solver *s)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  PetscCall(wring_initial_destroy(&qn->initial));
  PetscCall(wring_correction_destroy(&qn->contacts));
  PetscCall(wring_lbfgs_destroy(&qn->pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode qn_precondition(wring_solver *s, Vec b, Vec x)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  PetscCall(wring_initial_solve(s, &qn->initial, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_qn = {
  .name             = "qn",
  .needs            = WRING_CAN_GRADIENT | WRING_CAN_SLOPE,
  .declares         = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor  = qn_operator_factor,
  .operator_rtol    = WRING_OPERATOR_ROUGH,
  .contacts         = qn_contacts,
  .options          = qn_options,
  .data_size        = sizeof(qn_data),
  .set_from_options = qn_set_from_options,
  .set_up           = qn_set_up,
  .begin            = qn_begin,
  .iterate          = qn_iterate,
  .refresh          = wring_lbfgs_refresh,
  .predict          = qn_predict,
  .precondition     = qn_precondition,
  .add_sums         = wring_lbfgs_add_sums,
  .destroy          = qn_destroy,
};
