/*
  Quasi-Newton: L-BFGS with H_0 = A^{-1} [Liu et al. 2017, alg. 1 and 2; thesis, algorithm 12].

  With s_i = x_(i+1) - x_i, y_i = grad g(x_(i+1)) - grad g(x_i), rho_i = s_i . y_i and the pairs in order from oldest to
  newest, the direction d is the last r of
    q = -grad g;  from newest to oldest:  zeta_i = s_i . q / rho_i,  q <- q - zeta_i y_i
    r = H_0 q;    from oldest to newest:  eta_i  = y_i . r / rho_i,  r <- r + (zeta_i - eta_i) s_i.
  The recursions run on numbers instead of vectors [Chen, Wang and Zhou 2014]. With the Gram matrix s_i . y_j and the
  products s_i . grad g,
    s_i . q = -s_i . grad g - sum_(j newer) zeta_j s_i . y_j,
    y_i . r = y_i . r_0 + sum_(j older) (zeta_j - eta_j) s_j . y_i.
  An iteration has one reduction at the trial point, together with g, and one after the solve, which multigrid combines
  with its own last reduction; docs/theory.md (5.7), (5.8).

  Without pairs the direction is -A^{-1} grad g: that of projective dynamics, if the laws have a projection.
*/
#include "solver/common/initial.h"
#include "solver/common/refresh.h"
#include "solver/common/wolfe.h"

typedef enum { ARMIJO, WOLFE, NONE } qn_search;

typedef struct {
  PetscInt      window;  // m, largest number of pairs
  wring_initial initial; // H_0
  wring_refresh refresh; // renewal of the operator
  PetscBool     keep;    // keep the pairs of the last solve
  qn_search     search;
  TaoLineSearch wolfe;      // NULL before its first use
  PetscInt      slots;      // m + 1: one more than pairs, for the direction, which may become the next pair
  PetscInt      count;      // pairs in use
  PetscInt      newest;     // slot of the newest pair; older ones precede it cyclically
  PetscBool     unfinished; // the y of the newest pair is still to be formed from grad and the last grad, in trial.grad
  Vec          *d;          // [slots] m: directions, s = step d
  double      **y;          // [slots] [n] N; NULL for the one slot without a pair
  double       *step;       // [slots]
  double       *sy;         // [slots][slots] J: s_i . y_j, i no newer than j
  double       *sg;         // [slots] J: s_i . grad g(x_k)
  double       *zeta;       // [slots]: zeta_i, then zeta_i - eta_i
  double       *dots;       // [m + 1]: dot products of the reduction after the solve
  double       *factor;     // [m + 2] factors of the vectors of a combination
  const double **with;      // [m + 3]: vectors of a combination, or of dot products
  double         yy;        // N^2: y . y of the newest pair, only for initial_hessian identity
  double         slope;     // J: grad g . d of the direction
} qn_data;

static const wring_option qn_options[] = {
  {.key   = "history",
   .type  = WRING_INT,
   .range = "[0,100]",
   .value = "5",
   .help  = "Maximum number of pairs that L-BFGS keeps."},
  {.key     = "initial_hessian",
   .type    = WRING_WORD,
   .choices = "operator|identity|rest_hessian|frame_hessian|warped_rest_hessian",
   .value   = "operator",
   .help    = "Hessian that L-BFGS starts from: the operator A, a scaled identity, the Hessian at rest, the Hessian at "
              "x_0 of each step, or the Hessian at rest rotated with each vertex."},
  {.key     = "inner",
   .type    = WRING_WORD,
   .choices = "operator|cg",
   .value   = "operator",
   .help    = "Solver of systems with the initial Hessian: the one of operator_type, or steps of conjugate gradients."},
  {.key   = "inner_max_it",
   .type  = WRING_INT,
   .range = "[1,inf)",
   .value = "15",
   .help  = "Steps of inner cg, started from zero."},
  {.key     = "inner_preconditioner",
   .type    = WRING_WORD,
   .choices = "none|jacobi|icholesky|icholesky_rest|icholesky_operator",
   .value   = "jacobi",
   .help    = "Preconditioner of inner cg; icholesky: incomplete Cholesky factor, of each rank's block, of the initial "
              "Hessian, of the Hessian at rest, or of the operator A."},
  {.key   = "keep",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether the pairs of one step are kept for the next if there are no contacts; useful for a history of at "
            "least 10."},
  {.key   = "refresh",
   .type  = WRING_INT,
   .range = "[0,10000]",
   .value = "0",
   .help  = "Number of evaluations lost to an outdated operator after which it is rebuilt from the current Hessian, "
            "doubled whenever that has not saved as many; 0: never."},
  {.key     = "line_search",
   .type    = WRING_WORD,
   .choices = "armijo|wolfe|none",
   .value   = "armijo",
   .help    = "Armijo halves the step until g decreases enough, wolfe also until its slope is small enough; none: the "
              "full step."},
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
  if (qn->refresh.patience > 0) PetscCall(wring_potential_require(s->g, WRING_CAN_HESSIAN, s->ops->name, "refresh 0"));
  PetscCall(wring_initial_set_up(s, &qn->initial));
  PetscCall(PetscCalloc1(qn->slots, &qn->d));
  for (PetscInt i = 0; i < qn->slots; i++) PetscCall(VecDuplicate(s->current.grad, &qn->d[i]));
  PetscCall(PetscMalloc7(qn->slots * qn->slots, &qn->sy, qn->slots, &qn->sg, qn->slots, &qn->zeta, qn->slots, &qn->step,
                         qn->slots, &qn->dots, qn->slots + 1, &qn->factor, qn->slots + 2, &qn->with));
  PetscCall(PetscCalloc1(qn->slots, &qn->y));
  for (PetscInt i = 0; i < qn->window; i++) PetscCall(PetscMalloc1(s->n, &qn->y[i]));
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

/* The slot of the pair that is `age` iterations older than the newest; -1: the slot of the next one. */
static PetscInt slot(const qn_data *qn, PetscInt age)
{
  return (qn->newest - age + qn->slots) % qn->slots;
}

/* The direction of this iteration. */
static Vec direction(const qn_data *qn)
{
  return qn->d[slot(qn, -1)];
}

static double *gram(const qn_data *qn, PetscInt i, PetscInt j)
{
  return &qn->sy[i * qn->slots + j];
}

/* Gets every d of the history, newest first, into with[2], with[3], ...; to be restored. */
static PetscErrorCode get_directions(qn_data *qn)
{
  PetscFunctionBegin;
  for (PetscInt age = 0; age < qn->count; age++) PetscCall(VecGetArrayRead(qn->d[slot(qn, age)], &qn->with[age + 2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_directions(qn_data *qn)
{
  PetscFunctionBegin;
  for (PetscInt age = 0; age < qn->count; age++)
    PetscCall(VecRestoreArrayRead(qn->d[slot(qn, age)], &qn->with[age + 2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called before g changes, by contacts or the next step: forms the newest y while both gradients are of the same g. */
static PetscErrorCode qn_change(wring_solver *s)
{
  qn_data *const qn    = s->data;
  const double   sub[] = {1, -1};
  const double  *grad, *last;

  PetscFunctionBegin;
  if (!qn->unfinished) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  PetscCall(VecGetArrayRead(s->trial.grad, &last));
  const double *const two[] = {grad, last};
  wring_combine(s->n, 1, &(wring_combination){2, sub, two, qn->y[qn->newest]});
  PetscCall(VecRestoreArrayRead(s->trial.grad, &last));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  qn->unfinished = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* s . grad g of the pairs. */
static PetscErrorCode find_sg(wring_solver *s)
{
  qn_data      *qn = s->data;
  const double *grad;

  PetscFunctionBegin;
  if (qn->count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_directions(qn));
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  wring_dots(s->n, (int)qn->count, grad, qn->with + 2, qn->dots);
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  PetscCall(restore_directions(qn));
  PetscCall(wring_solver_sum(s, (int)qn->count, qn->dots));
  for (PetscInt age = 0; age < qn->count; age++) qn->sg[slot(qn, age)] = qn->step[slot(qn, age)] * qn->dots[age];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps the pairs of the last solve only if g differs from its g only in y and in the positions of held vertices. */
static PetscErrorCode qn_begin(wring_solver *s, Vec x)
{
  qn_data              *qn = s->data;
  wring_contact *const *contact;
  PetscBool             changed;

  PetscFunctionBegin;
  wring_refresh_begin(s, &qn->refresh, &changed);
  if (!qn->keep || changed || wring_potential_contacts(s->g, &contact) > 0) {
    qn->count = qn->newest = 0;
    qn->unfinished         = PETSC_FALSE;
  }
  PetscCall(qn_change(s));
  PetscCall(wring_initial_begin(s, &qn->initial, x));
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(find_sg(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  All dot products at the trial point that the next iteration needs if the point is accepted; they are reduced together
  with g. They are those of the gradient with itself, with every d and with the direction, because s_i . y = s_i . grad
  g(x_(k+1)) - s_i . grad g(x_k).
*/
static PetscErrorCode qn_add_sums(wring_solver *s, Vec grad, int *n, double *sums)
{
  qn_data       *qn = s->data;
  const PetscInt c  = qn->count;
  const double  *next, *d, *last;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(grad, &next));
  PetscCall(VecGetArrayRead(s->current.grad, &last));
  PetscCall(get_directions(qn));
  PetscCall(VecGetArrayRead(direction(qn), &d));
  qn->with[0]     = next;
  qn->with[1]     = d;
  qn->with[c + 2] = last;
  *n              = (int)c + (qn->initial.kind == WRING_INITIAL_IDENTITY ? 3 : 2);
  wring_dots(s->n, *n, next, qn->with, sums);
  PetscCall(VecRestoreArrayRead(direction(qn), &d));
  PetscCall(restore_directions(qn));
  PetscCall(VecRestoreArrayRead(s->current.grad, &last));
  PetscCall(VecRestoreArrayRead(grad, &next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives slot i, which has become a pair, memory for its y. */
static void place_y(qn_data *qn, PetscInt i)
{
  const PetscInt spare = slot(qn, -1);
  if (qn->y[i]) return;
  qn->y[i]     = qn->y[spare];
  qn->y[spare] = NULL;
}

/* Adds the step along the direction to the history if its curvature s . y is positive. */
static void keep_pair(wring_solver *s)
{
  qn_data *const      qn = s->data;
  const PetscInt      c = qn->count, i = slot(qn, -1);
  const double *const dots = s->trial.sums, step = s->trial.step, norm = s->trial.norm, last = s->current.norm;

  for (PetscInt age = 0; age < c; age++) {
    const PetscInt j  = slot(qn, age);
    const double   sg = qn->step[j] * dots[age + 2];
    *gram(qn, j, i)   = sg - qn->sg[j];
    qn->sg[j]         = sg;
  }
  qn->sg[i]       = step * dots[1];
  *gram(qn, i, i) = step * (dots[1] - qn->slope);
  if (!(*gram(qn, i, i) > 0)) return;
  if (qn->initial.kind == WRING_INITIAL_IDENTITY) qn->yy = norm * norm - 2 * dots[c + 2] + last * last;
  qn->step[i]    = step;
  qn->newest     = i;
  qn->count      = PetscMin(c + 1, qn->window);
  qn->unfinished = PETSC_TRUE;
  place_y(qn, i);
}

/* ---- the direction ----------------------------------------------------------------------------------------------- */

/* The first recursion, in numbers. */
static void find_zeta(qn_data *qn)
{
  for (PetscInt age = 0; age < qn->count; age++) {
    const PetscInt i  = slot(qn, age);
    double         sq = -qn->sg[i];
    for (PetscInt newer = 0; newer < age; newer++) sq -= qn->zeta[slot(qn, newer)] * *gram(qn, i, slot(qn, newer));
    qn->zeta[i] = sq / *gram(qn, i, i);
  }
}

/* The y of the newest pair, if it is not formed yet, and q = -grad g - sum zeta_i y_i, in one pass; q may be `last`. */
static void combine_gradients(wring_solver *s, const double *grad, const double *last, double *q)
{
  qn_data *const          qn    = s->data;
  const double            sub[] = {1, -1};
  const double *const     two[] = {grad, last};
  const PetscBool         form  = qn->unfinished;
  const wring_combination a[]   = {{2, sub, two, form ? qn->y[qn->newest] : NULL},
                                   {(int)qn->count + 1, qn->factor, qn->with, q}};

  find_zeta(qn);
  qn->with[0]   = grad;
  qn->factor[0] = -1;
  for (PetscInt age = 0; age < qn->count; age++) {
    qn->with[age + 1]   = qn->y[slot(qn, age)];
    qn->factor[age + 1] = -qn->zeta[slot(qn, age)];
  }
  wring_combine(s->n, form ? 2 : 1, form ? a : a + 1);
  qn->unfinished = PETSC_FALSE;
}

/* q, in trial.grad, which holds the last gradient. */
static PetscErrorCode first_loop(wring_solver *s)
{
  const double *grad;
  double       *q;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  PetscCall(VecGetArray(s->trial.grad, &q));
  combine_gradients(s, grad, q, q);
  PetscCall(VecRestoreArray(s->trial.grad, &q));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 if the operator solves with A_0. */
static double qn_operator_factor(const wring_solver *s)
{
  const qn_data *qn = s->data;
  return qn->initial.kind == WRING_INITIAL_OPERATOR && !qn->initial.steps;
}

/* r *= gamma = s . y / y . y [Liu et al. 2017, eq. 13]; before there is a pair, the step to g = 0. */
static PetscErrorCode scale_identity(wring_solver *s, Vec r)
{
  const qn_data *const qn = s->data;
  double               gamma;

  PetscFunctionBegin;
  PetscCall(wring_solver_know_norm(s));
  if (qn->count > 0)
    gamma = qn->sy[qn->newest * qn->slots + qn->newest] / qn->yy;
  else
    gamma = PetscAbsReal(s->current.value.objective) / PetscSqr(s->current.norm);
  PetscCall(VecScale(r, gamma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = H_0 q for an H_0 other than A^{-1}, and `n` dot products with r. */
static PetscErrorCode apply_other(wring_solver *s, Vec q, Vec r, int n)
{
  qn_data *const qn = s->data;
  const double  *ra;

  PetscFunctionBegin;
  PetscCall(wring_initial_solve(s, &qn->initial, q, r));
  if (qn->initial.kind == WRING_INITIAL_IDENTITY) PetscCall(scale_identity(s, r));
  PetscCall(VecGetArrayRead(r, &ra));
  wring_dots(s->n, n, ra, qn->with, qn->dots);
  PetscCall(VecRestoreArrayRead(r, &ra));
  PetscCall(wring_solver_sum(s, n, qn->dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r_0 = H_0 q, stored in the direction, and its dot products with every y and, last, with the gradient. */
static PetscErrorCode apply_initial(wring_solver *s)
{
  qn_data *const qn = s->data;
  const int      c  = (int)qn->count;
  const double  *grad;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  for (PetscInt age = 0; age < c; age++) qn->with[age] = qn->y[slot(qn, age)];
  qn->with[c]                 = grad;
  const wring_operator_dots d = {.n = c + 1, .with = qn->with, .dots = qn->dots};
  if (qn_operator_factor(s) > 0)
    PetscCall(wring_solver_apply_inverse_with_dots(s, wring_operator_rough_rtol(s->op),
                                                   s->current.norm_known ? s->current.norm : 0, s->trial.grad,
                                                   direction(qn), &d));
  else
    PetscCall(apply_other(s, s->trial.grad, direction(qn), c + 1));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The second recursion, in numbers: zeta_i - eta_i in place of zeta_i, and the slope grad g . d. */
static void find_eta(qn_data *qn)
{
  qn->slope = qn->dots[qn->count];
  for (PetscInt age = qn->count - 1; age >= 0; age--) {
    const PetscInt i  = slot(qn, age);
    double         yr = qn->dots[age];
    for (PetscInt older = age + 1; older < qn->count; older++)
      yr += qn->zeta[slot(qn, older)] * *gram(qn, slot(qn, older), i);
    qn->zeta[i] -= yr / *gram(qn, i, i);
    qn->slope += qn->zeta[i] * qn->sg[i];
  }
}

/* d = r_0 + sum (zeta_i - eta_i) s_i, which overwrites r_0, and the trial point x + d, in one pass. */
static PetscErrorCode second_loop(wring_solver *s, Vec x)
{
  qn_data *const qn    = s->data;
  const int      c     = (int)qn->count;
  const double   add[] = {1, 1};
  const double  *xa;
  double        *d, *trial;

  PetscFunctionBegin;
  find_eta(qn);
  PetscCall(get_directions(qn));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArray(direction(qn), &d));
  PetscCall(VecGetArrayWrite(s->trial.x, &trial));
  qn->with[1]   = d;
  qn->factor[0] = 1;
  for (PetscInt age = 0; age < c; age++) qn->factor[age + 1] = qn->zeta[slot(qn, age)] * qn->step[slot(qn, age)];
  const double *const     two[] = {xa, d};
  const wring_combination a[]   = {{c + 1, qn->factor, qn->with + 1, d}, {2, add, two, trial}};
  wring_combine(s->n, 2, a);
  PetscCall(VecRestoreArrayWrite(s->trial.x, &trial));
  PetscCall(VecRestoreArray(direction(qn), &d));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(restore_directions(qn));
  s->trial.formed = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = -H_k grad g and its slope. */
static PetscErrorCode find_direction(wring_solver *s, Vec x)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);

  PetscFunctionBegin;
  PetscCall(first_loop(s));
  PetscCall(apply_initial(s));
  PetscCall(second_loop(s, x));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

/* A step along -H_k grad g. */
static PetscErrorCode qn_step(wring_solver *s, Vec x, wring_search *result)
{
  qn_data  *qn = s->data;
  const Vec d  = direction(qn);

  PetscFunctionBegin;
  PetscCall(find_direction(s, x));
  if (s->end.given) {
    *result = WRING_SEARCH_ENDED;
  } else if (qn->search == ARMIJO) {
    PetscCall(wring_solver_backtrack(s, x, d, qn->slope, result));
  } else if (qn->search == WOLFE) {
    PetscCall(wring_solver_wolfe(s, &qn->wolfe, x, d, qn->slope, result));
  } else {
    PetscCall(wring_solver_try(s, x, 1, d));
    *result = WRING_SEARCH_FOUND;
  }
  s->trial.formed = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If a direction fails (the solve with A is not exact, or the pairs are out of date), a simpler one is tried. */
static PetscErrorCode qn_iterate(wring_solver *s, Vec x)
{
  qn_data     *qn = s->data;
  wring_search result;

  PetscFunctionBegin;
  PetscCall(wring_refresh_operator(s, &qn->refresh, x));
  PetscCall(qn_step(s, x, &result));
  if (result == WRING_SEARCH_FAILED && qn->count > 0) {
    qn->count = 0;
    PetscCall(qn_step(s, x, &result));
  }
  if (result == WRING_SEARCH_FAILED) {
    PetscCall(wring_solver_steepest(s, x, direction(qn), &qn->slope));
    PetscCall(wring_solver_backtrack(s, x, direction(qn), qn->slope, &result));
  }
  if (result == WRING_SEARCH_FOUND) {
    if (qn->window > 0) keep_pair(s);
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

/* After a change of contacts at x_k: drops some pairs, and computes s . grad g with the new gradient. */
static PetscErrorCode qn_refresh(wring_solver *s)
{
  qn_data *qn = s->data;

  PetscFunctionBegin;
  qn->count = wring_solver_pairs_to_keep(qn->count, &s->contacts.change);
  PetscCall(find_sg(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a line search g may rise. */
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
  for (PetscInt i = 0; qn->d && i < qn->slots; i++) PetscCall(VecDestroy(&qn->d[i]));
  for (PetscInt i = 0; qn->y && i < qn->slots; i++) PetscCall(PetscFree(qn->y[i]));
  PetscCall(PetscFree(qn->d));
  PetscCall(PetscFree(qn->y));
  PetscCall(PetscFree7(qn->sy, qn->sg, qn->zeta, qn->step, qn->dots, qn->factor, qn->with));
  PetscCall(PetscFree(s->data));
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
  .name                 = "qn",
  .needs                = WRING_CAN_GRADIENT | WRING_CAN_SLOPE,
  .declares             = WRING_MINIMISES | WRING_DESCENDS | WRING_KEEPS_MOMENTUM,
  .operator_factor      = qn_operator_factor,
  .begins_from_operator = PETSC_TRUE,
  .contacts             = qn_contacts,
  .options              = qn_options,
  .create               = qn_create,
  .set_from_options     = qn_set_from_options,
  .set_up               = qn_set_up,
  .begin                = qn_begin,
  .iterate              = qn_iterate,
  .change               = qn_change,
  .refresh              = qn_refresh,
  .predict              = qn_predict,
  .precondition         = qn_precondition,
  .add_sums             = qn_add_sums,
  .destroy              = qn_destroy,
};
