/*
  Quasi-Newton: L-BFGS with H_0 = A^{-1} [Liu et al. 2017, alg. 1 and 2; thesis, algorithm 12].

  With s_i = x_(i+1) - x_i, y_i = grad g(x_(i+1)) - grad g(x_i), rho_i = s_i . y_i and pairs from oldest to newest, d = r_end of
    q = -grad g;  from newest to oldest:  zeta_i = s_i . q / rho_i,  q <- q - zeta_i y_i
    r = H_0 q;    from oldest to newest:  eta_i  = y_i . r / rho_i,  r <- r + (zeta_i - eta_i) s_i.
  The recursions run on numbers, not on vectors [Chen, Wang and Zhou 2014]: with the Gram matrix s_i . y_j and s_i . grad g,
    s_i . q = -s_i . grad g - sum_(j newer) zeta_j s_i . y_j,   y_i . r = y_i . r_0 + sum_(j older) (zeta_j - eta_j) s_j . y_i,
  so that an iteration makes two reductions: one with g at the trial point, one after the solve; docs/theory.md 5 says why not one.

  Without history the direction is -A^{-1} grad g: with laws that have a projection, that of projective dynamics.
*/
#include "initial.h"
#include "refresh.h"
#include "wolfe.h"

typedef enum { ARMIJO, WOLFE, NONE } qn_search;

typedef struct {
  PetscInt       window;  // m, most pairs
  wring_initial  initial; // H_0
  wring_refresh  refresh; // of the operator
  PetscBool      keep;    // pairs of the last solve
  qn_search      search;
  TaoLineSearch  wolfe;  // NULL before it is used
  PetscInt       slots;  // m + 1: one more than pairs, for a pair that may be refused
  PetscInt       count;  // pairs in use
  PetscInt       newest; // slot of the newest pair; the older ones lie before it, cyclic
  double        *block;  // [2][slots][n]: every s [m], then every y [N]
  double        *sy;     // [slots][slots] J: s_i . y_j
  double        *sg;     // [slots] J: s_i . grad g(x_k)
  double        *zeta;   // [slots]: zeta_i, then zeta_i - eta_i
  double        *dots;   // [m + 1]: of the reduction after the solve
  const double **with;   // [m + 2]: vectors that one pass takes dots with
  double         yy;     // N^2: y . y of the newest pair
  Vec            q, d;   // [n_owned][3] N, m
} qn_data;

static const wring_option qn_options[] = {
  {.key = "history", .type = WRING_INT, .range = "[0,100]", .value = "5", .help = "Most pairs that L-BFGS keeps."},
  {.key     = "initial_hessian",
   .type    = WRING_WORD,
   .choices = "operator|identity|rest_hessian|frame_hessian|warped_rest_hessian",
   .value   = "operator",
   .help    = "Hessian that L-BFGS starts from: the operator A, a scaled identity, the one at rest, the one at x_0 of "
              "every step, or the one at rest turned with every vertex."},
  {.key     = "inner",
   .type    = WRING_WORD,
   .choices = "operator|cg",
   .value   = "operator",
   .help =
     "How systems with the initial Hessian are solved: as operator_type says, or by steps of conjugate gradients."},
  {.key = "inner_max_it", .type = WRING_INT, .range = "[1,inf)", .value = "15", .help = "Steps of inner cg from zero."},
  {.key     = "inner_preconditioner",
   .type    = WRING_WORD,
   .choices = "none|jacobi|icholesky|icholesky_rest|icholesky_operator",
   .value   = "jacobi",
   .help = "Preconditioner of inner cg; icholesky is incomplete, on several ranks of each rank's block: of the initial "
           "Hessian, of the one at rest, or of the operator A."},
  {.key   = "keep",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether the pairs of one step serve the next too, where there are no contacts; worth it from a history of "
            "10 on."},
  {.key   = "refresh",
   .type  = WRING_INT,
   .range = "[0,10000]",
   .value = "0",
   .help  = "Evaluations lost to a stale operator after which a new one is made from the Hessian where the body is; 0: "
            "never."},
  {.key     = "line_search",
   .type    = WRING_WORD,
   .choices = "armijo|wolfe|none",
   .value   = "armijo",
   .help = "Armijo halves the step until g falls enough, wolfe also until g is flat enough; none takes the full step."},
  {.key = NULL},
};

static PetscErrorCode qn_create(wring_solver *s)
{
  qn_data *qn;

  PetscFunctionBegin;
  PetscCall(PetscNew(&qn));
  s->data = qn;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode qn_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  qn_data    *qn = s->data;
  const char *search;
  PetscBool   none, wolfe;

  PetscFunctionBegin;
  PetscCall(wring_options_get_int(o, prefix, qn_options, "history", &qn->window));
  PetscCall(wring_options_get_word(o, prefix, qn_options, "line_search", &search));
  PetscCall(wring_options_get_bool(o, prefix, qn_options, "keep", &qn->keep));
  PetscCall(wring_options_get_int(o, prefix, qn_options, "refresh", &qn->refresh.patience));
  PetscCall(wring_initial_set_from_options(s, o, prefix, qn_options, &qn->initial));
  qn->refresh.revision = -1;
  if (qn->refresh.patience > 0 && (qn->initial.kind != WRING_INITIAL_OPERATOR || qn->initial.steps))
    WRING_REFUSE(s->comm, "%s: refresh is for initial_hessian operator with inner operator, expected both",
                 wring_options_origin(o, prefix, "refresh"));
  PetscCall(PetscStrcmp(search, "none", &none));
  PetscCall(PetscStrcmp(search, "wolfe", &wolfe));
  qn->search = none ? NONE : wolfe ? WOLFE : ARMIJO;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode qn_set_up(wring_solver *s)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  qn->slots = qn->window + 1;
  if (qn->refresh.patience > 0) PetscCall(wring_potential_require(s->g, WRING_CAN_HESSIAN, s->ops->name));
  PetscCall(wring_initial_set_up(s, &qn->initial));
  PetscCall(VecDuplicate(s->grad, &qn->q));
  PetscCall(VecDuplicate(s->grad, &qn->d));
  if (qn->window > 0) PetscCall(PetscMalloc1(2 * (size_t)qn->slots * (size_t)s->n, &qn->block));
  PetscCall(PetscMalloc5(qn->slots * qn->slots, &qn->sy, qn->slots, &qn->sg, qn->slots, &qn->zeta, qn->window + 1,
                         &qn->dots, qn->window + 2, &qn->with));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode qn_predict(wring_solver *s, Vec x, double *bytes)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  PetscCall(wring_initial_predict(s, &qn->initial, x, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pairs --------------------------------------------------------------------------------------------------- */

/* The slot of the pair that is `age` iterations older than the newest; -1: of the next one. */
static PetscInt slot(const qn_data *qn, PetscInt age)
{
  return (qn->newest - age + qn->slots) % qn->slots;
}

static double *pair_s(const qn_data *qn, PetscInt n, PetscInt i)
{
  return qn->block + (size_t)i * (size_t)n;
}

static double *pair_y(const qn_data *qn, PetscInt n, PetscInt i)
{
  return pair_s(qn, n, qn->slots + i);
}

static double *gram(const qn_data *qn, PetscInt i, PetscInt j)
{
  return &qn->sy[i * qn->slots + j];
}

/* s . grad g of the pairs that are kept. */
static PetscErrorCode find_sg(wring_solver *s)
{
  qn_data      *qn = s->data;
  const double *grad;

  PetscFunctionBegin;
  if (qn->count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt age = 0; age < qn->count; age++) qn->with[age] = pair_s(qn, s->n, slot(qn, age));
  PetscCall(VecGetArrayRead(s->grad, &grad));
  wring_dots(s->n, (int)qn->count, grad, qn->with, qn->dots);
  PetscCall(VecRestoreArrayRead(s->grad, &grad));
  PetscCall(wring_solver_sum(s, (int)qn->count, qn->dots));
  for (PetscInt age = 0; age < qn->count; age++) qn->sg[slot(qn, age)] = qn->dots[age];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs of the last solve are as good as its own where g differs from that one by y and the places of what is held. */
static PetscErrorCode qn_begin(wring_solver *s, Vec x)
{
  qn_data              *qn = s->data;
  wring_contact *const *contact;
  PetscBool             changed;

  PetscFunctionBegin;
  wring_refresh_begin(s, &qn->refresh, &changed);
  if (!qn->keep || changed || wring_potential_contacts(s->g, &contact) > 0) qn->count = qn->newest = 0;
  PetscCall(wring_initial_begin(s, &qn->initial, x));
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(find_sg(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pair from x_k to the trial point, in the next slot, and its dots and those of the new gradient: 3 count + 3. */
static void fill_next_pair(wring_solver *s, const double *x, const double *trial, const double *next,
                           const double *grad, double *dots)
{
  qn_data       *qn = s->data;
  const PetscInt n = s->n, c = qn->count;
  double *const s_new = pair_s(qn, n, slot(qn, -1)), *const y_new = pair_y(qn, n, slot(qn, -1));

  wring_waxpy(n, -1, x, trial, s_new);
  wring_waxpy(n, -1, grad, next, y_new);
  for (PetscInt age = 0; age < c; age++) qn->with[age] = pair_y(qn, n, slot(qn, age));
  wring_dots(n, (int)c, s_new, qn->with, dots);
  for (PetscInt age = 0; age < c; age++) qn->with[age] = pair_s(qn, n, slot(qn, age));
  qn->with[c]     = s_new;
  qn->with[c + 1] = y_new;
  wring_dots(n, (int)c + 2, y_new, qn->with, dots + c);
  wring_dots(n, (int)c + 1, next, qn->with, dots + 2 * c + 2);
}

/* All dots that the next iteration needs of the trial point, whether it is taken or not: they travel with g. */
static PetscErrorCode qn_add_sums(wring_solver *s, Vec x, Vec at, Vec grad, int *n, double *sums)
{
  const qn_data *qn = s->data;
  const double  *xa, *aa, *na, *ga;

  PetscFunctionBegin;
  *n = 0;
  if (qn->window == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(at, &aa));
  PetscCall(VecGetArrayRead(grad, &na));
  PetscCall(VecGetArrayRead(s->grad, &ga));
  fill_next_pair(s, xa, aa, na, ga, sums);
  PetscCall(VecRestoreArrayRead(s->grad, &ga));
  PetscCall(VecRestoreArrayRead(grad, &na));
  PetscCall(VecRestoreArrayRead(at, &aa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  *n = 3 * (int)qn->count + 3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the next slot's pair into the history unless its curvature s . y is not positive. */
static void keep_next_pair(qn_data *qn, const double *dots)
{
  const PetscInt      c = qn->count, i = slot(qn, -1);
  const double *const s_y = dots, *const y_s = s_y + c, *const g_s = y_s + c + 2;

  for (PetscInt age = 0; age < c; age++) {
    const PetscInt j = slot(qn, age);
    *gram(qn, i, j)  = s_y[age];
    *gram(qn, j, i)  = y_s[age];
    qn->sg[j]        = g_s[age];
  }
  *gram(qn, i, i) = y_s[c];
  qn->sg[i]       = g_s[c];
  if (!(y_s[c] > 0)) return;
  qn->yy     = y_s[c + 1];
  qn->newest = i;
  qn->count  = PetscMin(c + 1, qn->window);
}

/* ---- the direction ----------------------------------------------------------------------------------------------- */

/* First recursion: q = -grad g - sum zeta_i y_i. */
static void first_loop(const wring_solver *s, const double *grad, double *q)
{
  const qn_data *qn = s->data;

  wring_copy(s->n, grad, q);
  for (PetscInt age = 0; age < qn->count; age++) {
    const PetscInt i  = slot(qn, age);
    double         sq = -qn->sg[i];
    for (PetscInt newer = 0; newer < age; newer++) sq -= qn->zeta[slot(qn, newer)] * *gram(qn, i, slot(qn, newer));
    qn->zeta[i] = sq / *gram(qn, i, i);
    wring_axpy(s->n, qn->zeta[i], pair_y(qn, s->n, i), q);
  }
  wring_scale(s->n, -1, q);
}

/* Dots of r_0 with every y and with the gradient, which comes last. */
static void solved_dots(const wring_solver *s, const double *grad, const double *r)
{
  const qn_data *qn = s->data;

  for (PetscInt age = 0; age < qn->count; age++) qn->with[age] = pair_y(qn, s->n, slot(qn, age));
  qn->with[qn->count] = grad;
  wring_dots(s->n, (int)qn->count + 1, r, qn->with, qn->dots);
}

/* Second recursion: r = r_0 + sum (zeta_i - eta_i) s_i, and its slope grad g . r. */
static double second_loop(const wring_solver *s, double *r)
{
  const qn_data *qn    = s->data;
  double         slope = qn->dots[qn->count];

  for (PetscInt age = qn->count - 1; age >= 0; age--) {
    const PetscInt i  = slot(qn, age);
    double         yr = qn->dots[age];
    for (PetscInt older = age + 1; older < qn->count; older++)
      yr += qn->zeta[slot(qn, older)] * *gram(qn, slot(qn, older), i);
    qn->zeta[i] -= yr / *gram(qn, i, i);
    slope += qn->zeta[i] * qn->sg[i];
    wring_axpy(s->n, qn->zeta[i], pair_s(qn, s->n, i), r);
  }
  return slope;
}

/* d = H_0 q. Identity: gamma = s . y / y . y [Liu et al. 2017, eq. 13]; before there is a pair, the step to g = 0. */
static PetscErrorCode apply_initial(wring_solver *s)
{
  qn_data *qn = s->data;
  double   gamma;

  PetscFunctionBegin;
  PetscCall(wring_initial_solve(s, &qn->initial, qn->q, qn->d));
  if (qn->initial.kind != WRING_INITIAL_IDENTITY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_know_norm(s));
  if (qn->count > 0)
    gamma = *gram(qn, qn->newest, qn->newest) / qn->yy;
  else
    gamma = PetscAbsReal(s->value.objective) / PetscSqr(s->gradient_norm);
  PetscCall(VecScale(qn->d, gamma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = -H_k grad g and grad g . d. */
static PetscErrorCode qn_direction(wring_solver *s, double *slope)
{
  qn_data          *qn  = s->data;
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const double     *grad;
  double           *a;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(s->grad, &grad));
  PetscCall(VecGetArrayWrite(qn->q, &a));
  first_loop(s, grad, a);
  PetscCall(VecRestoreArrayWrite(qn->q, &a));
  PetscCall(apply_initial(s));
  PetscCall(VecGetArray(qn->d, &a));
  solved_dots(s, grad, a);
  PetscCall(wring_solver_sum(s, (int)qn->count + 1, qn->dots));
  *slope = second_loop(s, a);
  PetscCall(VecRestoreArray(qn->d, &a));
  PetscCall(VecRestoreArrayRead(s->grad, &grad));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

/* A step along -H_k grad g. */
static PetscErrorCode qn_step(wring_solver *s, Vec x, wring_search *result)
{
  qn_data *qn    = s->data;
  double   slope = 0;

  PetscFunctionBegin;
  PetscCall(qn_direction(s, &slope));
  if (qn->search == ARMIJO) {
    PetscCall(wring_solver_backtrack(s, x, qn->d, slope, result));
  } else if (qn->search == WOLFE) {
    PetscCall(wring_solver_wolfe(s, &qn->wolfe, x, qn->d, slope, result));
  } else {
    PetscCall(wring_solver_try(s, x, 1, qn->d));
    *result = WRING_SEARCH_FOUND;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a direction fails (the solve with A is not exact, or the pairs have gone stale), the next simpler one is taken. */
static PetscErrorCode qn_iterate(wring_solver *s, Vec x)
{
  qn_data     *qn = s->data;
  wring_search result;
  double       slope;

  PetscFunctionBegin;
  PetscCall(wring_refresh_operator(s, &qn->refresh, x));
  PetscCall(qn_step(s, x, &result));
  if (result == WRING_SEARCH_FAILED && qn->count > 0) {
    qn->count = 0;
    PetscCall(qn_step(s, x, &result));
  }
  if (result == WRING_SEARCH_FAILED) {
    PetscCall(wring_solver_steepest(s, qn->d, &slope));
    PetscCall(wring_solver_backtrack(s, x, qn->d, slope, &result));
  }
  if (result == WRING_SEARCH_FOUND) {
    if (qn->window > 0) keep_next_pair(qn, s->sums);
    PetscCall(wring_solver_accept(s, x));
  } else {
    wring_solver_give_up(s, result);
  }
  wring_refresh_count(s, &qn->refresh);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_solver_pairs_to_keep(PetscInt count, const wring_contact_change *c)
{
  const double changed = (double)(c->added + c->released), all = (double)(c->active + c->released);
  return changed > 0 ? (PetscInt)PetscCeilReal((double)count * (1 - changed / all)) : count;
}

/* Other contacts at x_k: some pairs go, and s . grad g is with the new gradient. */
static PetscErrorCode qn_refresh(wring_solver *s)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  qn->count = wring_solver_pairs_to_keep(qn->count, &s->change);
  PetscCall(find_sg(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a line search nothing keeps g from rising. */
static const wring_contact_way *qn_contacts(const wring_solver *s)
{
  const qn_data *qn = s->data;
  return qn->search == NONE ? NULL : wring_solver_contacts_in_g(s);
}

static PetscErrorCode qn_destroy(wring_solver *s)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  PetscCall(wring_initial_destroy(&qn->initial));
  PetscCall(TaoLineSearchDestroy(&qn->wolfe));
  PetscCall(VecDestroy(&qn->q));
  PetscCall(VecDestroy(&qn->d));
  PetscCall(PetscFree(qn->block));
  PetscCall(PetscFree5(qn->sy, qn->sg, qn->zeta, qn->dots, qn->with));
  PetscCall(PetscFree(s->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double qn_operator_factor(const wring_solver *s)
{
  const qn_data *qn = s->data;
  return qn->initial.kind == WRING_INITIAL_OPERATOR && !qn->initial.steps;
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
  .operator_factor  = qn_operator_factor,
  .contacts         = qn_contacts,
  .options          = qn_options,
  .create           = qn_create,
  .set_from_options = qn_set_from_options,
  .set_up           = qn_set_up,
  .begin            = qn_begin,
  .iterate          = qn_iterate,
  .refresh          = qn_refresh,
  .predict          = qn_predict,
  .precondition     = qn_precondition,
  .add_sums         = qn_add_sums,
  .destroy          = qn_destroy,
};
