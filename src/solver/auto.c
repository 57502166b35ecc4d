/*
  L-BFGS that chooses its initial Hessian by what the solve has cost so far; docs/theory.md (5.40) to (5.42).

  It begins with the operator A, which qn's rule (5.14) replaces by the mean of the diagonal blocks of the Hessian. When
  the iterations with A have cost as much as a factor of the Hessian, and much is left, the Hessian H(x_k) takes its
  place; it is built again whenever it has cost as much once more, so that the method is Newton's with a Hessian that is
  not rebuilt in vain. If the norm of the gradient does not fall faster for its cost than with A, the operator returns,
  for twice as long. The pairs of L-BFGS are kept over changes. Costs are counted, not timed: all ranks decide alike,
  and runs can be repeated.
*/
#include "solver/common/linear.h"
#include "solver/lbfgs/lbfgs.h"
#include "solver/lbfgs/refresh.h"
#include <math.h>

enum { HISTORY = 10, PATIENCE = 40, MOST_DOUBLINGS = 16, DECADES_UNKNOWN = 2 };

/* In evaluations of g and its gradient, from timings of 12,000 tetrahedra; hierarchy and product are guesses. */
static const double operator_solve = 0.5, assembly = 15, hierarchy = 200, product = 3;
/* Operations of a factor in the time in which one element is evaluated, and numbers of a factor that a solve reads. */
static const double flops_per_element = 75, entries_per_element = 10;

typedef enum { OPERATOR, HESSIAN } stage;

/* What a stage has cost [evaluations], and the decades by which |grad g| fell; recent ones count more. */
typedef struct {
  double cost, decades;
} tally;

typedef struct {
  wring_lbfgs   pairs;
  wring_refresh refresh;
  wring_linear  hessian;
  stage         stage;
  PetscBool     able;          // the laws have Hessians
  PetscInt      revision;      // of the potential of the last solve
  PetscInt      misses;        // Hessians that did not pay
  double        price, solve;  // of a Hessian and its factor, and of a solve with it
  double        waited, built; // cost since the operator's stage began; since the Hessian was built
  double        best;          // N: least |grad g| of this solve
  PetscInt      evaluations;   // of this solve, as counted so far
  PetscInt64    linear_iterations;
  tally         with[2];
} auto_data;

static PetscErrorCode auto_set_up(wring_solver *s)
{
  auto_data *a = s->data;

  PetscFunctionBegin;
  a->able           = wring_potential_can(s->g, WRING_CAN_HESSIAN);
  a->refresh        = (wring_refresh){.patience = a->able ? PATIENCE : 0, .revision = -1};
  a->hessian.prefix = "auto_";
  a->hessian.tells  = PETSC_TRUE;
  a->hessian.rtol   = 1e-1;
  a->revision       = -1;
  PetscCall(wring_lbfgs_create(s, HISTORY, &a->pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode auto_destroy(wring_solver *s)
{
  auto_data *a = s->data;

  PetscFunctionBegin;
  PetscCall(wring_linear_destroy(&a->hessian));
  PetscCall(wring_lbfgs_destroy(&a->pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double auto_operator_factor(const wring_solver *s)
{
  (void)s;
  return 1;
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

/* (5.40). The factor of H has blocks of 3 x 3 where that of A has numbers. */
static void find_prices(const wring_solver *s, auto_data *a)
{
  const wring_mesh *const m        = wring_potential_mesh(s->g);
  const double            elements = (double)m->n_tet_global + (double)m->n_global;
  wring_operator_info     info;
  wring_operator_get_info(s->op, &info);
  a->price        = info.flops > 0 ? assembly + 27 * info.flops / (flops_per_element * elements) : hierarchy;
  a->solve        = 9 * info.entries / (entries_per_element * elements);
  a->hessian.type = info.flops > 0 ? WRING_LINEAR_DIRECT : WRING_LINEAR_MULTIGRID;
}

static void add(tally *t, double cost, double decades, double memory)
{
  t->cost += cost;
  t->decades += decades;
  if (t->cost <= memory) return;
  t->cost /= 2;
  t->decades /= 2;
}

/* Decades per evaluation. */
static double rate(const tally *t)
{
  return t->cost > 0 ? t->decades / t->cost : 0;
}

/* The cost of the last iteration. */
static double count_iteration(const wring_solver *s, auto_data *a)
{
  const double evaluations = (double)(s->work.evaluations - a->evaluations);
  const double iterations  = (double)(s->work.linear_iterations - a->linear_iterations);
  a->evaluations           = s->work.evaluations;
  a->linear_iterations     = s->work.linear_iterations;
  if (a->stage == OPERATOR) return evaluations + operator_solve * PetscMax(iterations, 1);
  return evaluations + (iterations > 0 ? product * iterations : a->solve);
}

static PetscErrorCode count(wring_solver *s)
{
  auto_data *const a    = s->data;
  const double     cost = count_iteration(s, a);
  double           gain = 0;

  PetscFunctionBegin;
  if (s->end.given || !s->current.known) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->current.norm < a->best && s->current.norm > 0) {
    gain    = log10(a->best / s->current.norm);
    a->best = s->current.norm;
  }
  add(&a->with[a->stage], cost, gain, 4 * a->price);
  a->waited += cost;
  a->built += cost;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

/* Cost of the rest of this solve with the operator, if the norm falls as it did lately. */
static double predict_rest(const wring_solver *s, const auto_data *a)
{
  const double target  = PetscMax(s->limits.rtol * s->scale.reference, s->limits.atol);
  const double decades = target > 0 ? log10(a->best / target) : DECADES_UNKNOWN;
  return PetscMax(decades, 0) / rate(&a->with[OPERATOR]);
}

/* (5.41): the operator has cost its price, and what is left more than half of it. */
static PetscBool is_due(const wring_solver *s, const auto_data *a)
{
  const double price = ldexp(a->price, (int)PetscMin(a->misses, MOST_DOUBLINGS));
  if (!a->able || a->waited < price) return PETSC_FALSE;
  return (PetscBool)(a->waited >= 4 * price || predict_rest(s, a) > price / 2);
}

static PetscErrorCode choose(wring_solver *s, stage to, const char *text)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  a->stage  = to;
  a->waited = 0;
  PetscCall(wring_solver_note_choice(s, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_hessian(wring_solver *s, Vec x, const char *text)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_CLAMP, &a->hessian.A));
  PetscCall(wring_linear_set_up(s, &a->hessian, a->hessian.A, x));
  a->built = 0;
  a->with[HESSIAN].cost += a->price;
  PetscCall(choose(s, HESSIAN, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode leave_hessian(wring_solver *s)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  a->misses++;
  wring_refresh_return(s, &a->refresh);
  PetscCall(choose(s, OPERATOR, "operator"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Hessian that has cost its price again is rebuilt if it was worth it. */
static PetscErrorCode judge_hessian(wring_solver *s, Vec x)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  if (a->hessian.singular) {
    PetscCall(leave_hessian(s));
  } else if (a->built >= a->price) {
    if (rate(&a->with[HESSIAN]) < rate(&a->with[OPERATOR]))
      PetscCall(leave_hessian(s));
    else
      PetscCall(build_hessian(s, x, "Hessian again"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode renew_operator(wring_solver *s, Vec x)
{
  auto_data *const a      = s->data;
  const PetscInt   before = a->refresh.times;

  PetscFunctionBegin;
  PetscCall(wring_refresh_operator(s, &a->refresh, x));
  if (a->refresh.times > before) PetscCall(wring_solver_note_choice(s, "operator of the mean Hessian"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_stage(wring_solver *s, Vec x)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  if (a->stage == HESSIAN) PetscCall(judge_hessian(s, x));
  if (a->stage == HESSIAN) PetscFunctionReturn(PETSC_SUCCESS);
  if (is_due(s, a)) {
    a->with[HESSIAN] = (tally){0};
    PetscCall(build_hessian(s, x, "Hessian"));
    PetscCall(judge_hessian(s, x)); // which may have no factor
  }
  if (a->stage == OPERATOR) PetscCall(renew_operator(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the method -------------------------------------------------------------------------------------------------- */

/* The last solve's pairs and Hessian serve this one if g differs only in y and in the positions of held vertices. */
static PetscErrorCode auto_begin(wring_solver *s, Vec x)
{
  auto_data *const      a        = s->data;
  const PetscInt        revision = wring_potential_revision(s->g);
  wring_contact *const *contact;
  const PetscBool       changed = (PetscBool)(a->revision != revision);
  PetscBool             rebuilt;

  PetscFunctionBegin;
  if (changed || wring_potential_contacts(s->g, &contact) > 0) wring_lbfgs_forget(&a->pairs);
  if (changed) {
    a->revision       = revision;
    a->stage          = OPERATOR;
    a->misses         = 0;
    a->waited         = 0;
    a->with[OPERATOR] = a->with[HESSIAN] = (tally){0};
    find_prices(s, a);
  }
  if (a->stage == OPERATOR) wring_refresh_begin(s, &a->refresh, &rebuilt);
  a->evaluations       = 0;
  a->linear_iterations = 0;
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(wring_lbfgs_renew(s, &a->pairs));
  a->best = s->current.norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that fails is one with the operator. */
static PetscErrorCode apply_hessian(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  if (a->stage == HESSIAN) {
    PetscCall(wring_linear_solve(s, &a->hessian, q, r));
    if (a->hessian.end > WRING_SOLVE_SHORT) PetscCall(leave_hessian(s));
  }
  if (a->stage == HESSIAN)
    PetscCall(wring_lbfgs_dots(s, r, n, with, dots));
  else
    PetscCall(wring_lbfgs_apply_operator(s, q, r, n, with, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode auto_iterate(wring_solver *s, Vec x)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  PetscCall(choose_stage(s, x));
  PetscCall(wring_lbfgs_iterate(s, &a->pairs, a->stage == HESSIAN ? apply_hessian : wring_lbfgs_apply_operator,
                                wring_solver_backtrack, x));
  if (a->stage == OPERATOR) wring_refresh_count(s, &a->refresh);
  PetscCall(count(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a change of contacts at x_k. */
static PetscErrorCode auto_refresh(wring_solver *s)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  wring_refresh_skip(s, &a->refresh);
  a->pairs.count = wring_solver_pairs_to_keep(a->pairs.count, &s->contacts.change);
  PetscCall(wring_lbfgs_renew(s, &a->pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode auto_add_sums(wring_solver *s, Vec grad, int *n, double *sums)
{
  auto_data *const a = s->data;

  PetscFunctionBegin;
  PetscCall(wring_lbfgs_add_sums(s, &a->pairs, grad, n, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const wring_option auto_options[] = {
  {.key = NULL},
};

const wring_solver_ops wring_solver_auto = {
  .name     = "auto",
  .about    = "L-BFGS with 10 pairs kept from step to step, and the operator A at first; the operator is renewed "
              "from the Hessian when 40 evaluations are wasted, and replaced by a factor of the Hessian when "
              "the iterations have cost as much as this factor",
  .needs    = WRING_CAN_GRADIENT | WRING_CAN_SLOPE,
  .declares = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM | WRING_REMEMBERS,
  .operator_factor = auto_operator_factor,
  .operator_rtol   = WRING_OPERATOR_ROUGH,
  .contacts        = wring_solver_contacts_in_g,
  .options         = auto_options,
  .data_size       = sizeof(auto_data),
  .set_up          = auto_set_up,
  .begin           = auto_begin,
  .iterate         = auto_iterate,
  .refresh         = auto_refresh,
  .precondition    = wring_solver_apply_inverse,
  .add_sums        = auto_add_sums,
  .destroy         = auto_destroy,
};
