/*
  The direction of L-BFGS [Liu et al. 2017, alg. 1 and 2; thesis, algorithm 12].

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
*/
#include "lbfgs.h"

static const double flat = 1e-8; // of |s . grad g|: a pair with s . y below this is dropped

/* ---- memory ------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_lbfgs_create(const wring_solver *s, PetscInt window, wring_lbfgs *l)
{
  PetscFunctionBegin;
  *l = (wring_lbfgs){.window = window, .slots = window + 1};
  PetscCall(PetscCalloc1(l->slots, &l->d));
  for (PetscInt i = 0; i < l->slots; i++) PetscCall(VecDuplicate(s->current.grad, &l->d[i]));
  PetscCall(PetscMalloc7(l->slots * l->slots, &l->sy, l->slots, &l->sg, l->slots, &l->zeta, l->slots, &l->step,
                         l->slots, &l->dots, l->slots + 1, &l->factor, l->slots + 2, &l->with));
  PetscCall(PetscCalloc1(l->slots, &l->y));
  for (PetscInt i = 0; i < window; i++) PetscCall(PetscMalloc1(s->n, &l->y[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_destroy(wring_lbfgs *l)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; l->d && i < l->slots; i++) PetscCall(VecDestroy(&l->d[i]));
  for (PetscInt i = 0; l->y && i < l->slots; i++) PetscCall(PetscFree(l->y[i]));
  PetscCall(PetscFree(l->d));
  PetscCall(PetscFree(l->y));
  PetscCall(PetscFree7(l->sy, l->sg, l->zeta, l->step, l->dots, l->factor, l->with));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_lbfgs_forget(wring_lbfgs *l)
{
  l->count = l->newest = 0;
  l->unfinished        = PETSC_FALSE;
}

/* ---- the pairs --------------------------------------------------------------------------------------------------- */

/* The slot of the pair that is `age` iterations older than the newest; -1: the slot of the next one. */
static PetscInt slot(const wring_lbfgs *l, PetscInt age)
{
  return (l->newest - age + l->slots) % l->slots;
}

static Vec direction(const wring_lbfgs *l)
{
  return l->d[slot(l, -1)];
}

static double *gram(const wring_lbfgs *l, PetscInt i, PetscInt j)
{
  return &l->sy[i * l->slots + j];
}

/* Gets every d of the history, newest first, into with[2], with[3], ...; to be restored. */
static PetscErrorCode get_directions(wring_lbfgs *l)
{
  PetscFunctionBegin;
  for (PetscInt age = 0; age < l->count; age++) PetscCall(VecGetArrayRead(l->d[slot(l, age)], &l->with[age + 2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_directions(wring_lbfgs *l)
{
  PetscFunctionBegin;
  for (PetscInt age = 0; age < l->count; age++) PetscCall(VecRestoreArrayRead(l->d[slot(l, age)], &l->with[age + 2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_change(wring_solver *s, wring_lbfgs *l)
{
  const double  sub[] = {1, -1};
  const double *grad, *last;

  PetscFunctionBegin;
  if (!l->unfinished) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  PetscCall(VecGetArrayRead(s->trial.grad, &last));
  const double *const two[] = {grad, last};
  wring_combine(s->n, 1, &(wring_combination){2, sub, two, l->y[l->newest]});
  PetscCall(VecRestoreArrayRead(s->trial.grad, &last));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  l->unfinished = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_renew(wring_solver *s, wring_lbfgs *l)
{
  const double *grad;

  PetscFunctionBegin;
  if (l->count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_directions(l));
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  wring_dots(s->n, (int)l->count, grad, l->with + 2, l->dots);
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  PetscCall(restore_directions(l));
  PetscCall(wring_solver_sum(s, (int)l->count, l->dots));
  for (PetscInt age = 0; age < l->count; age++) l->sg[slot(l, age)] = l->step[slot(l, age)] * l->dots[age];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  All dot products at the trial point that the next iteration needs if the point is accepted; they are reduced together
  with g. They are those of the gradient with itself, with every d and with the direction, because s_i . y = s_i . grad
  g(x_(k+1)) - s_i . grad g(x_k).
*/
PetscErrorCode wring_lbfgs_add_sums(wring_solver *s, wring_lbfgs *l, Vec grad, int *n, double *sums)
{
  const PetscInt c = l->count;
  const double  *next, *d, *last;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(grad, &next));
  PetscCall(VecGetArrayRead(s->current.grad, &last));
  PetscCall(get_directions(l));
  PetscCall(VecGetArrayRead(direction(l), &d));
  l->with[0]     = next;
  l->with[1]     = d;
  l->with[c + 2] = last;
  *n             = (int)c + (l->with_last ? 3 : 2);
  wring_dots(s->n, *n, next, l->with, sums);
  PetscCall(VecRestoreArrayRead(direction(l), &d));
  PetscCall(restore_directions(l));
  PetscCall(VecRestoreArrayRead(s->current.grad, &last));
  PetscCall(VecRestoreArrayRead(grad, &next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives slot i, which has become a pair, memory for its y. */
static void place_y(wring_lbfgs *l, PetscInt i)
{
  const PetscInt spare = slot(l, -1);
  if (l->y[i]) return;
  l->y[i]     = l->y[spare];
  l->y[spare] = NULL;
}

/* Adds the step along the direction to the trial point to the pairs, unless s . y is rounding of s . grad g, (5.7a). */
static void keep_pair(wring_solver *s, wring_lbfgs *l)
{
  const PetscInt      c = l->count, i = slot(l, -1);
  const double *const dots = s->trial.sums, step = s->trial.step, norm = s->trial.norm, last = s->current.norm;

  for (PetscInt age = 0; age < c; age++) {
    const PetscInt j  = slot(l, age);
    const double   sg = l->step[j] * dots[age + 2];
    *gram(l, j, i)    = sg - l->sg[j];
    l->sg[j]          = sg;
  }
  l->sg[i]       = step * dots[1];
  *gram(l, i, i) = step * (dots[1] - l->slope);
  if (!(*gram(l, i, i) > flat * PetscAbsReal(step * l->slope))) return;
  if (l->with_last) l->yy = norm * norm - 2 * dots[c + 2] + last * last;
  l->step[i]    = step;
  l->newest     = i;
  l->count      = PetscMin(c + 1, l->window);
  l->unfinished = PETSC_TRUE;
  place_y(l, i);
}

/* ---- the direction ----------------------------------------------------------------------------------------------- */

/* The first recursion, in numbers. */
static void find_zeta(wring_lbfgs *l)
{
  for (PetscInt age = 0; age < l->count; age++) {
    const PetscInt i  = slot(l, age);
    double         sq = -l->sg[i];
    for (PetscInt newer = 0; newer < age; newer++) sq -= l->zeta[slot(l, newer)] * *gram(l, i, slot(l, newer));
    l->zeta[i] = sq / *gram(l, i, i);
  }
}

/* The y of the newest pair, if it is not formed yet, and q = -grad g - sum zeta_i y_i, in one pass; q may be `last`. */
static void combine_gradients(wring_solver *s, wring_lbfgs *l, const double *grad, const double *last, double *q)
{
  const double            sub[] = {1, -1};
  const double *const     two[] = {grad, last};
  const PetscBool         form  = l->unfinished;
  const wring_combination a[]   = {{2, sub, two, form ? l->y[l->newest] : NULL},
                                   {(int)l->count + 1, l->factor, l->with, q}};

  find_zeta(l);
  l->with[0]   = grad;
  l->factor[0] = -1;
  for (PetscInt age = 0; age < l->count; age++) {
    l->with[age + 1]   = l->y[slot(l, age)];
    l->factor[age + 1] = -l->zeta[slot(l, age)];
  }
  wring_combine(s->n, form ? 2 : 1, form ? a : a + 1);
  l->unfinished = PETSC_FALSE;
}

/* q, in trial.grad, which holds the last gradient. */
static PetscErrorCode first_loop(wring_solver *s, wring_lbfgs *l)
{
  const double *grad;
  double       *q;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  PetscCall(VecGetArray(s->trial.grad, &q));
  combine_gradients(s, l, grad, q, q);
  PetscCall(VecRestoreArray(s->trial.grad, &q));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The second recursion, in numbers: zeta_i - eta_i in place of zeta_i, and the slope grad g . d. */
static void find_eta(wring_lbfgs *l)
{
  l->slope = l->dots[l->count];
  for (PetscInt age = l->count - 1; age >= 0; age--) {
    const PetscInt i  = slot(l, age);
    double         yr = l->dots[age];
    for (PetscInt older = age + 1; older < l->count; older++)
      yr += l->zeta[slot(l, older)] * *gram(l, slot(l, older), i);
    l->zeta[i] -= yr / *gram(l, i, i);
    l->slope += l->zeta[i] * l->sg[i];
  }
}

/* d = r_0 + sum (zeta_i - eta_i) s_i, which overwrites r_0, and the trial point x + d, in one pass. */
static PetscErrorCode second_loop(wring_solver *s, wring_lbfgs *l, Vec x)
{
  const int     c     = (int)l->count;
  const double  add[] = {1, 1};
  const double *xa;
  double       *d, *trial;

  PetscFunctionBegin;
  find_eta(l);
  PetscCall(get_directions(l));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArray(direction(l), &d));
  PetscCall(VecGetArrayWrite(s->trial.x, &trial));
  l->with[1]   = d;
  l->factor[0] = 1;
  for (PetscInt age = 0; age < c; age++) l->factor[age + 1] = l->zeta[slot(l, age)] * l->step[slot(l, age)];
  const double *const     two[] = {xa, d};
  const wring_combination a[]   = {{c + 1, l->factor, l->with + 1, d}, {2, add, two, trial}};
  wring_combine(s->n, 2, a);
  PetscCall(VecRestoreArrayWrite(s->trial.x, &trial));
  PetscCall(VecRestoreArray(direction(l), &d));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(restore_directions(l));
  s->trial.formed = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r_0 = H_0 q, stored in the direction, and its dot products with every y and, last, with the gradient. */
static PetscErrorCode apply_initial(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply)
{
  const int     c = (int)l->count;
  const double *grad;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(s->current.grad, &grad));
  for (PetscInt age = 0; age < c; age++) l->with[age] = l->y[slot(l, age)];
  l->with[c] = grad;
  PetscCall(
    apply(s, s->trial.grad, direction(l), &(wring_operator_dots){.n = c + 1, .with = l->with, .dots = l->dots}));
  PetscCall(VecRestoreArrayRead(s->current.grad, &grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = -H_k grad g, l->slope, and trial.x = x + d. */
static PetscErrorCode find_direction(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply, Vec x)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);

  PetscFunctionBegin;
  PetscCall(first_loop(s, l));
  PetscCall(apply_initial(s, l, apply));
  PetscCall(second_loop(s, l, x));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_dots(wring_solver *s, Vec r, const wring_operator_dots *d)
{
  const double *ra;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(r, &ra));
  wring_dots(s->n, d->n, ra, d->with, d->dots);
  PetscCall(VecRestoreArrayRead(r, &ra));
  PetscCall(wring_solver_sum(s, d->n, d->dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_apply_operator(wring_solver *s, Vec q, Vec r, const wring_operator_dots *d)
{
  const double size = s->current.norm_known ? s->current.norm : 0;

  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse_with_dots(s, WRING_OPERATOR_ROUGH, size, q, r, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_lbfgs_gamma(const wring_lbfgs *l)
{
  return l->sy[l->newest * l->slots + l->newest] / l->yy;
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

static PetscErrorCode step(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply, wring_lbfgs_search *search,
                           Vec x, wring_search *result)
{
  PetscFunctionBegin;
  PetscCall(find_direction(s, l, apply, x));
  wring_solver_predicts(s, l->slope);
  if (s->end.given)
    *result = WRING_SEARCH_ENDED;
  else
    PetscCall(search(s, x, direction(l), l->slope, result));
  s->trial.formed = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_iterate(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply,
                                   wring_lbfgs_search *search, Vec x)
{
  wring_search result;

  PetscFunctionBegin;
  PetscCall(step(s, l, apply, search, x, &result));
  if (result == WRING_SEARCH_FAILED && l->count > 0) {
    l->count = 0;
    PetscCall(step(s, l, apply, search, x, &result));
  }
  if (result == WRING_SEARCH_FAILED) {
    PetscCall(wring_solver_steepest(s, x, direction(l), &l->slope));
    PetscCall(wring_solver_backtrack(s, x, direction(l), l->slope, &result));
  }
  if (result == WRING_SEARCH_FOUND) {
    if (l->window > 0) keep_pair(s, l);
    PetscCall(wring_solver_accept(s, x));
  } else {
    wring_solver_give_up(s, result);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
