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

static const double flat = 1e-8; // of |s . grad g|: a pair with s . y below this is dropped, or below the caller's

/*
  The eigenvalues of H relative to the mean of its diagonal blocks are 1 on average, and at most 3 for an isotropic
  material at rest.
*/
static const double factor_of_mean = 2;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_lbfgs_create(const wring_solver *s, wring_lbfgs *l)
{
  const PetscInt window = l->window, n = 3 * wring_potential_mesh(s->g)->n_local;
  const size_t   room = (size_t)(n + n % 2); // with ghosts; aligned as the first

  PetscFunctionBegin;
  l->slots    = window + 1;
  l->revision = -1;
  PetscCall(PetscMalloc7(l->slots, &l->d, window, &l->y, l->slots * l->slots, &l->sy, l->slots, &l->sg, l->slots,
                         &l->zeta, l->slots, &l->step, l->slots, &l->dots));
  PetscCall(PetscMalloc1((size_t)(l->slots + window) * room, &l->room));
  for (PetscInt i = 0; i < l->slots + window; i++)
    PetscCall(VecCreateMPIWithArray(s->comm, 3, s->n, PETSC_DETERMINE, l->room + (size_t)i * room,
                                    i < l->slots ? &l->d[i] : &l->y[i - l->slots]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_destroy(wring_lbfgs *l)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < l->slots; i++) PetscCall(VecDestroy(&l->d[i]));
  for (PetscInt i = 0; i + 1 < l->slots; i++) PetscCall(VecDestroy(&l->y[i]));
  PetscCall(PetscFree(l->room));
  PetscCall(PetscFree7(l->d, l->y, l->sy, l->sg, l->zeta, l->step, l->dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pairs --------------------------------------------------------------------------------------------------- */

/* The slot of the pair that is `age` iterations older than the newest; -1: the slot of the next one. */
static PetscInt slot(const wring_lbfgs *l, PetscInt age)
{
  return (l->newest - age + l->slots * l->window) % l->slots;
}

static Vec direction(const wring_lbfgs *l)
{
  return l->d[slot(l, -1)];
}

static Vec y_of(const wring_lbfgs *l, PetscInt age)
{
  return l->y[(l->newest - age + l->slots * l->window) % l->window];
}

static double *gram(const wring_lbfgs *l, PetscInt i, PetscInt j)
{
  return &l->sy[i * l->slots + j];
}

/* After grad has changed otherwise than by a step of this method, of which the pairs know: s . grad g. */
static PetscErrorCode find_slopes(wring_solver *s, wring_lbfgs *l)
{
  Vec d[WRING_MAX_VECTORS];

  PetscFunctionBegin;
  if (l->count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt age = 0; age < l->count; age++) d[age] = l->d[slot(l, age)];
  PetscCall(wring_solver_sum_dots(s, s->current.grad, (int)l->count, d, l->dots));
  for (PetscInt age = 0; age < l->count; age++) l->sg[slot(l, age)] = l->step[slot(l, age)] * l->dots[age];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_lbfgs_has_changed(const wring_solver *s, wring_lbfgs *l)
{
  const PetscInt before = l->revision;
  l->revision           = wring_potential_revision(s->g);
  return (PetscBool)(before != l->revision);
}

PetscErrorCode wring_lbfgs_begin(wring_solver *s, wring_lbfgs *l, PetscBool keep, Vec x)
{
  PetscFunctionBegin;
  if (!keep || wring_potential_contacts(s->g, NULL) > 0) l->count = l->newest = 0;
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(find_slopes(s, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_renew_operator(wring_solver *s, wring_lbfgs *l, Vec x, PetscBool *renewed)
{
  Mat A[3];

  PetscFunctionBegin;
  *renewed = wring_renewal_is_due(&l->renewal, s->work.evaluations);
  if (!*renewed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_operator_get_matrices(s->op, A));
  PetscCall(wring_potential_mean_matrices(s->g, x, PETSC_FALSE, factor_of_mean, A));
  PetscCall(wring_operator_set_matrices(s->op, A));
  PetscCall(wring_matrices_destroy(A));
  wring_renewal_done(&l->renewal, s->work.evaluations, (PetscBool)(s->current.iteration > 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_lbfgs_pairs_to_keep(PetscInt count, const wring_contact_change *c)
{
  const double changed = (double)(c->added + c->released), all = (double)(c->active + c->released);
  return changed > 0 ? (PetscInt)PetscCeilReal((double)count * (1 - changed / all)) : count;
}

PetscErrorCode wring_lbfgs_refresh(wring_solver *s)
{
  wring_lbfgs *const l = s->data;

  PetscFunctionBegin;
  l->renewal.solve.evaluations = s->work.evaluations;
  l->count                     = wring_lbfgs_pairs_to_keep(l->count, &s->contacts.change);
  PetscCall(find_slopes(s, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sums at a trial point: of its gradient with itself, the direction, the d of every pair and the last gradient. */
enum { WITH_GRADIENT, WITH_DIRECTION, WITH_PAIRS };

/*
  All dot products that the next iteration needs if the trial point is accepted, because s_i . y = s_i . grad
  g(x_(k+1)) - s_i . grad g(x_k); they are reduced together with g.
*/
PetscErrorCode wring_lbfgs_add_sums(wring_solver *s, Vec grad, int *n, double *sums)
{
  const wring_lbfgs *const l                       = s->data;
  Vec                      with[WRING_MAX_VECTORS] = {[WITH_GRADIENT] = grad, [WITH_DIRECTION] = direction(l)};

  PetscFunctionBegin;
  *n = WITH_PAIRS;
  for (PetscInt age = 0; age < l->count; age++) with[(*n)++] = l->d[slot(l, age)];
  if (l->with_last) with[(*n)++] = s->current.grad;
  PetscCall(wring_solver_dots(s, grad, *n, with, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the step along the direction to the trial point to the pairs, unless s . y is rounding of s . grad g, (5.7a). */
static PetscErrorCode keep_pair(wring_solver *s, wring_lbfgs *l)
{
  const PetscInt      c = l->count, i = slot(l, -1);
  const double *const sums = s->trial.sums, step = s->trial.step, norm = s->trial.norm, last = s->current.norm;

  PetscFunctionBegin;
  for (PetscInt age = 0; age < c; age++) {
    const PetscInt j  = slot(l, age);
    const double   sg = l->step[j] * sums[WITH_PAIRS + age];
    *gram(l, j, i)    = sg - l->sg[j];
    l->sg[j]          = sg;
  }
  l->sg[i]       = step * sums[WITH_DIRECTION];
  *gram(l, i, i) = step * (sums[WITH_DIRECTION] - l->slope);
  l->added       = (PetscBool)(*gram(l, i, i) > PetscMax(flat, l->flat) * PetscAbsReal(step * l->slope));
  if (!l->added) PetscFunctionReturn(PETSC_SUCCESS);
  if (l->with_last) l->yy = norm * norm - 2 * sums[WITH_PAIRS + c] + last * last;
  l->step[i] = step;
  l->newest  = (l->newest + 1) % (l->slots * l->window);
  l->count   = PetscMin(c + 1, l->window);
  PetscCall(
    wring_solver_combine(s->n, 2, (const double[]){1, -1}, (const Vec[]){s->trial.grad, s->current.grad}, y_of(l, 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* q = -grad g - sum zeta_i y_i. */
static PetscErrorCode first_loop(wring_solver *s, wring_lbfgs *l, Vec q)
{
  Vec    v[WRING_MAX_VECTORS]      = {s->current.grad};
  double factor[WRING_MAX_VECTORS] = {-1};

  PetscFunctionBegin;
  find_zeta(l);
  for (PetscInt age = 0; age < l->count; age++) {
    v[age + 1]      = y_of(l, age);
    factor[age + 1] = -l->zeta[slot(l, age)];
  }
  PetscCall(wring_solver_combine(s->n, (int)l->count + 1, factor, v, q));
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

/* d = r_0 + sum (zeta_i - eta_i) s_i, which overwrites r_0. */
static PetscErrorCode second_loop(wring_solver *s, wring_lbfgs *l, Vec d)
{
  Vec    v[WRING_MAX_VECTORS]      = {d};
  double factor[WRING_MAX_VECTORS] = {1};

  PetscFunctionBegin;
  find_eta(l);
  for (PetscInt age = 0; age < l->count; age++) {
    v[age + 1]      = l->d[slot(l, age)];
    factor[age + 1] = l->zeta[slot(l, age)] * l->step[slot(l, age)];
  }
  PetscCall(wring_solver_combine(s->n, (int)l->count + 1, factor, v, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  As the second recursion, but in two parts: d = r_0 + sum (zeta_i - eta_i) s_i = u + p, where u = r_0 + sum b_i s_i is
  what r_0 contributes, p = sum a_i s_i the rest. *gu, *gp: the slopes grad g . u and grad g . p.
*/
static void find_parts(const wring_lbfgs *l, double *a, double *b, double *gu, double *gp)
{
  *gu = l->dots[l->count];
  *gp = 0;
  for (PetscInt age = l->count - 1; age >= 0; age--) {
    const PetscInt i  = slot(l, age);
    double         yp = 0, yu = l->dots[age];
    for (PetscInt older = age + 1; older < l->count; older++) {
      yp += a[older] * *gram(l, slot(l, older), i);
      yu += b[older] * *gram(l, slot(l, older), i);
    }
    a[age] = l->zeta[i] - yp / *gram(l, i, i);
    b[age] = -yu / *gram(l, i, i);
    *gp += a[age] * l->sg[i];
    *gu += b[age] * l->sg[i];
  }
}

/* u, which overwrites r_0, and p. */
static PetscErrorCode make_parts(wring_solver *s, wring_lbfgs *l, Vec u, Vec p, double *gu, double *gp)
{
  double a[WRING_MAX_VECTORS], b[WRING_MAX_VECTORS], factor[2][WRING_MAX_VECTORS] = {{0}, {1}};
  Vec    v[WRING_MAX_VECTORS] = {u};

  PetscFunctionBegin;
  find_parts(l, a, b, gu, gp);
  for (PetscInt age = 0; age < l->count; age++) {
    const PetscInt i   = slot(l, age);
    v[age + 1]         = l->d[i];
    factor[0][age + 1] = a[age] * l->step[i];
    factor[1][age + 1] = b[age] * l->step[i];
  }
  PetscCall(wring_solver_combine(s->n, (int)l->count + 1, factor[0], v, p));
  PetscCall(wring_solver_combine(s->n, (int)l->count + 1, factor[1], v, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  (5.43): the weights c of u and p at the minimum of the quadratic model over their plane, h their products with H; of
  that along u + p where H is not positive definite in the plane, or 1 where it is not positive along u + p.
*/
static void weigh(const double slope[2], const double h[3], double c[2])
{
  const double determinant = h[0] * h[2] - h[1] * h[1], curvature = h[0] + 2 * h[1] + h[2];
  c[0] = c[1] = curvature > 0 ? -(slope[0] + slope[1]) / curvature : 1;
  if (!(h[0] > 0 && h[2] > 0 && determinant > 1e-10 * h[0] * h[2])) return;
  c[0] = (h[1] * slope[1] - h[2] * slope[0]) / determinant;
  c[1] = (h[1] * slope[0] - h[0] * slope[1]) / determinant;
}

/* d in the plane of u and p, in the place of u: the slope is that of the new d. */
static PetscErrorCode search_plane(wring_solver *s, wring_lbfgs *l, Vec x, Vec u)
{
  const Vec     p = s->trial.x;
  const double *ghosts;
  double        slope[2], h[3], c[2];

  PetscFunctionBegin;
  PetscCall(make_parts(s, l, u, p, &slope[0], &slope[1]));
  PetscCall(wring_potential_get_local(s->g, p, &ghosts));
  PetscCall(VecRestoreArrayRead(p, &ghosts));
  PetscCall(wring_potential_products_local(s->g, x, WRING_FILTER_NONE, u, p, h));
  PetscCall(wring_solver_sum(s, 3, h));
  weigh(slope, h, c);
  PetscCall(wring_solver_combine(s->n, 2, c, (const Vec[]){u, p}, u));
  l->slope = c[0] * slope[0] + c[1] * slope[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = -H_k grad g and l->slope; r_0 = H_0 q has dot products with every y and, last, with the gradient. */
static PetscErrorCode find_direction(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply, Vec x)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_VECTOR);
  const Vec         q = s->trial.grad, d = direction(l);
  Vec               with[WRING_MAX_VECTORS];

  PetscFunctionBegin;
  PetscCall(first_loop(s, l, q));
  for (PetscInt age = 0; age < l->count; age++) with[age] = y_of(l, age);
  with[l->count] = s->current.grad;
  PetscCall(apply(s, q, d, (int)l->count + 1, with, l->dots));
  PetscCall(l->plane && !s->end.given ? search_plane(s, l, x, d) : second_loop(s, l, d));
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_lbfgs_apply_operator(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse_with_dots(s, s->current.norm, q, r, n, with, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_lbfgs_gamma(const wring_lbfgs *l)
{
  return *gram(l, slot(l, 0), slot(l, 0)) / l->yy;
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

static PetscErrorCode step(wring_solver *s, wring_lbfgs *l, wring_lbfgs_initial *apply, wring_lbfgs_search *search,
                           Vec x, wring_search *result)
{
  PetscFunctionBegin;
  PetscCall(find_direction(s, l, apply, x));
  s->current.decrement = -0.5 * l->slope;
  if (s->end.given)
    *result = WRING_SEARCH_ENDED;
  else
    PetscCall(search(s, x, direction(l), l->slope, result));
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
  if (result == WRING_SEARCH_FOUND && l->window > 0) PetscCall(keep_pair(s, l));
  PetscCall(wring_solver_end_search(s, x, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}
