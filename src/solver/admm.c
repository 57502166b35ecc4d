/*
  The alternating direction method of multipliers for min g0(x) + sum_e w_e psi_e(z_e) with z = D x [Overby et al. 2017;
  Ledwon 2024, eq. 3.85], where g0 is the inertial part, D x are the local values of all elements, W_e^2 = a^2 w_e k_e:
    z <- argmin sum_e w_e psi_e(z_e) + 1/2 |W (D x + u - z)|^2      the prox of every law
    u <- u + D x - z
    x <- argmin g0(x) + 1/2 |W (D x - z + u)|^2,  that is  A_a x = M/h^2 y + D^T W^2 (z - u),  A_a = M/h^2 + a^2 L
  from z = D x_0 and u = 0. One pass over the elements does the first two lines and the residual of the third. The third
  is solved for the difference, so that an inexact solve errs by a part of the difference; 0.2 of it costs next to no
  iterations. g may rise. docs/theory.md (5.15).

  As Douglas-Rachford splitting with the state s = D x + u [Ouyang et al. 2020], (5.48): z = prox(s), x as above with
  u = s - z, and s + D x - z is the next s.

  Balancing [Boyd et al. 2011, 3.4.1] changes a, and with it A_a, between solves only: A is built at most once a step.
*/
#include "solver/common/solver_impl.h"

typedef struct {
  double    a;       // of this solve; 0 before the first
  double    ratio;   // mean of log(primal/dual) over the iterations of this solve; before it begins, of the last solve
  PetscInt  counted; // number of iterations in this mean
  double    weight;  // a of the deck
  PetscBool warm_start, balancing;
  int       n;                 // terms
  wring_splitting **splitting; // [n]
  Vec               r, d;      // [n_owned][3] N, m
  double           *scale;     // [n_owned] (N/m)^(1/2), statics: of x in the state for another method
  wring_value       envelope;  // (5.49) of the last s, after its iteration
} admm_data;

static const double balanced = 10;                 // a is kept while the ratio of the residuals is within this factor
static const double change   = 1.4142135623730951; // of a: W^2 doubles or halves
static const double bound    = 4;                  // a stays within this factor of the deck's

static const double round_off = 1e-12; // of the envelope

static const wring_option admm_options[] = {
  {"weight", WRING_REAL, .range = "(0,inf)", .value = "1", .at = WRING_AT(admm_data, weight),
   .help =
     "Factor a of the weights a sqrt(measure k); 1 is about as robust as pd; smaller values may be faster or fail."},
  {"warm_start", WRING_BOOL, .value = "false", .at = WRING_AT(admm_data, warm_start),
   .help = "Start from the duals u of the last step instead of 0; a restart begins with 0."},
  {"balancing", WRING_BOOL, .value = "false", .at = WRING_AT(admm_data, balancing),
   .help = "After a step whose primal and dual residuals differ by a factor of 10 on average, a is multiplied or "
           "divided by sqrt(2), within [weight/4, 4 weight]; a restart begins with weight."},
  {0},
};

/* Without masses, x is measured by the diagonal of L. */
static PetscErrorCode set_scale(wring_solver *s)
{
  const PetscInt     n    = wring_potential_mesh(s->g)->n_owned;
  admm_data         *admm = s->data;
  const PetscScalar *diagonal;
  Mat                L = NULL;
  Vec                d;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(s->g, 1, &L));
  PetscCall(MatCreateVecs(L, NULL, &d));
  PetscCall(MatGetDiagonal(L, d));
  PetscCall(PetscMalloc1(n, &admm->scale));
  PetscCall(VecGetArrayRead(d, &diagonal));
  for (PetscInt i = 0; i < n; i++) admm->scale[i] = PetscSqrtReal(diagonal[i]);
  PetscCall(VecRestoreArrayRead(d, &diagonal));
  PetscCall(VecDestroy(&d));
  PetscCall(MatDestroy(&L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode admm_set_up(wring_solver *s)
{
  admm_data         *admm = s->data;
  wring_term *const *term;

  PetscFunctionBegin;
  admm->n = wring_potential_terms(s->g, &term);
  PetscCall(PetscCalloc1(admm->n, &admm->splitting));
  for (int i = 0; i < admm->n; i++) PetscCall(wring_splitting_create(term[i], &admm->splitting[i]));
  PetscCall(wring_solver_create_vecs(s, 2, (Vec *[]){&admm->r, &admm->d}));
  if (wring_potential_is_static(s->g)) PetscCall(set_scale(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  a of the next solve, from the residuals of the last one. If the primal one is larger, D x and z are too far apart,
  and W must increase. A solve that loads repeat, which depend on its solution, has the A of the first one.
*/
static double next_weight(const wring_solver *s)
{
  const admm_data *admm  = s->data;
  const PetscBool  keeps = (PetscBool)(!admm->balancing || wring_potential_is_provisional(s->g));
  double           a     = admm->a > 0 ? admm->a : admm->weight;
  if (keeps || PetscAbsReal(admm->ratio) <= PetscLogReal(balanced)) return a;
  a *= admm->ratio > 0 ? change : 1 / change;
  return PetscMax(admm->weight / bound, PetscMin(admm->weight * bound, a));
}

/* The dual W^2 u of the unscaled problem does not change with a. That of a solve that has failed may be no number. */
static PetscErrorCode admm_begin(wring_solver *s, Vec x)
{
  admm_data   *admm = s->data;
  const double a    = next_weight(s);
  const double keep = admm->warm_start && !s->end.failed ? PetscSqr(admm->a / a) : 0;

  PetscFunctionBegin;
  (void)x;
  for (int i = 0; i < admm->n; i++) wring_splitting_start(admm->splitting[i], keep);
  admm->a       = a;
  admm->ratio   = 0;
  admm->counted = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode admm_iterate(wring_solver *s, Vec x)
{
  admm_data *admm = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_split(s->g, admm->splitting, PetscSqr(admm->a), x, admm->r, s->current.residual));
  PetscCall(wring_solver_apply_inverse(s, admm->r, admm->d));
  PetscCall(wring_solver_add(s, admm->d, x));
  const double ratio = PetscLogReal(s->current.residual[0]) - PetscLogReal(s->current.residual[1]);
  if (PetscIsInfOrNanReal(ratio)) PetscFunctionReturn(PETSC_SUCCESS); // both are 0 at a fixed point
  admm->counted++;
  admm->ratio += (ratio - admm->ratio) / (double)admm->counted;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the state (x, u), for a method that accelerates this one ---------------------------------------------------- */

static PetscInt admm_size(const wring_solver *s)
{
  const admm_data *admm = s->data;
  PetscInt         n    = s->n;
  for (int i = 0; i < admm->n; i++) n += wring_splitting_size(admm->splitting[i]);
  return n;
}

static double scale_of(const wring_solver *s, PetscInt vertex)
{
  const admm_data *admm = s->data;
  if (admm->scale) return admm->scale[vertex];
  return PetscSqrtReal(wring_potential_mass(s->g)[vertex]) / wring_potential_step(s->g);
}

/* v = (M^{1/2} x/h, W u), in J^(1/2). */
static PetscErrorCode admm_get(const wring_solver *s, Vec x, double *v)
{
  const admm_data *admm = s->data;
  const double    *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  for (PetscInt i = 0; i < s->n; i++) v[i] = scale_of(s, i / 3) * xa[i];
  PetscCall(VecRestoreArrayRead(x, &xa));
  v += s->n;
  for (int i = 0; i < admm->n; i++) {
    wring_splitting_get_dual(admm->splitting[i], PetscSqr(admm->a), v);
    v += wring_splitting_size(admm->splitting[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void put_duals(const admm_data *admm, const double *v, PetscBool whole)
{
  for (int i = 0; i < admm->n; i++) {
    wring_splitting_put_dual(admm->splitting[i], PetscSqr(admm->a), v, whole);
    v += wring_splitting_size(admm->splitting[i]);
  }
}

static PetscErrorCode admm_put(const wring_solver *s, const double *v, Vec x)
{
  double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < s->n; i++) xa[i] = v[i] / scale_of(s, i / 3);
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(wring_potential_place(s->g, x));
  put_duals(s->data, v + s->n, PETSC_FALSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const wring_solver_state admm_state = {admm_size, admm_get, admm_put, NULL};

/* ---- W s of Douglas-Rachford's form: moves instead of states ----------------------------------------------------- */

static PetscInt whole_size(const wring_solver *s)
{
  return admm_size(s) - s->n;
}

static PetscErrorCode whole_get(const wring_solver *s, Vec x, double *F)
{
  admm_data *admm = s->data;

  PetscFunctionBegin;
  PetscCall(wring_potential_split_move(s->g, admm->splitting, PetscSqr(admm->a), x, F, &admm->envelope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x stays, where the solve for the next x starts. */
static PetscErrorCode whole_put(const wring_solver *s, const double *p, Vec x)
{
  PetscFunctionBegin;
  (void)x;
  put_duals(s->data, p, PETSC_TRUE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void whole_merit(const wring_solver *s, double *merit, double *rounding)
{
  const wring_value *const envelope = &((const admm_data *)s->data)->envelope;
  *merit                            = envelope->objective;
  *rounding = round_off * PetscAbsReal(*merit) + wring_rounding_at(&s->scale.rounding, envelope);
}

static const wring_solver_state whole_state = {whole_size, whole_get, whole_put, whole_merit};

/*
  A weight below that of docs/theory.md (5.16a) has no fixed point, or none that is stable: iterates go round it, and g
  rises in every second one. With a large weight z follows D x, and both change little.
*/
static const char *admm_advise(const wring_solver *s, const wring_outcome *o)
{
  (void)s;
  if (o->rises.count > o->rises.measured / 10)
    return "a larger weight may let it converge (twice its value), or another solver";
  if (o->last.gradient_norm > 1e-8 * o->first.gradient_norm && o->last.dual > balanced * o->last.primal)
    return "a smaller weight may be faster";
  return NULL;
}

/* ---- the method -------------------------------------------------------------------------------------------------- */

static PetscErrorCode admm_destroy(wring_solver *s)
{
  admm_data *admm = s->data;

  PetscFunctionBegin;
  for (int i = 0; i < admm->n; i++) PetscCall(wring_splitting_destroy(&admm->splitting[i]));
  PetscCall(PetscFree(admm->splitting));
  PetscCall(PetscFree(admm->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double admm_operator_factor(const wring_solver *s)
{
  return PetscSqr(next_weight(s));
}

const wring_solver_ops wring_solver_admm = {
  .name            = "admm",
  .needs           = WRING_CAN_PROX | WRING_CAN_SLOPE,
  .declares        = WRING_MINIMISES | WRING_KEEPS_MOMENTUM,
  .has_residuals   = PETSC_TRUE,
  .operator_rtol   = WRING_OPERATOR_CORRECTION,
  .operator_factor = admm_operator_factor,
  .options         = admm_options,
  .data_size       = sizeof(admm_data),
  .set_up          = admm_set_up,
  .begin           = admm_begin,
  .iterate         = admm_iterate,
  .state           = &admm_state,
  .moves           = &whole_state,
  .advise          = admm_advise,
  .destroy         = admm_destroy,
};
