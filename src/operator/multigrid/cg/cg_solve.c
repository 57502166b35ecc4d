/*
  The iteration. All dot products are taken while A u is computed, u = M r; the direction p follows from them, so that
  one reduction per iteration is enough. p is made conjugate to the last direction explicitly, because a cycle in float
  is symmetric to seven digits only (flexible conjugate gradients: Notay, SIAM J. Sci. Comput. 22, 2000).
*/
#include "cg_state.h"
#include "operator/subnormal.h"
#include <math.h>

/* ---- coefficients, from dot products ----------------------------------------------------------------------------- */

/* |r|^2 after the step, by recurrence; *bound adds the recurrence's rounding error, which convergence must include. */
static double expected(const wring_cg_component *k, double *bound)
{
  const double rounding = 1e-14, change = 2 * k->alpha * k->rs, square = k->alpha * k->alpha * k->ss;
  const double rr = fabs(k->rr - change + square);
  *bound          = rr + rounding * (k->rr + fabs(change) + square);
  return PetscMax(rr, rounding * k->rr);
}

/* The direction and step length, from dot products of u / factor and w / factor. PETSC_FALSE: not positive definite. */
static PetscBool choose_step(wring_cg_component *k, const double dot[WRING_CG_DOTS])
{
  const double parallel = 1e-8; // below this u is parallel to the last direction: restart
  const double ru = k->u * dot[WRING_CG_RU], uw = k->u * k->u * dot[WRING_CG_UW], us = k->u * dot[WRING_CG_US],
               rw = k->u * dot[WRING_CG_RW];
  const double ww = k->u * k->u * dot[WRING_CG_WW], ws = k->u * dot[WRING_CG_WS];
  k->beta   = k->fresh ? 0 : -us / k->ps;
  double ps = uw + k->beta * us; // = u.w - (u.s)^2 / p.s
  if (!(ps > parallel * uw)) k->beta = 0, ps = uw;
  if (!(ps > 0 && ru > 0)) return PETSC_FALSE;
  k->ss    = ww + k->beta * (2 * ws + k->beta * k->ss);
  k->rs    = rw + k->beta * k->rs;
  k->ps    = ps;
  k->alpha = ru / ps;
  double       bound;
  const double rr = expected(k, &bound);
  k->rs -= k->alpha * k->ss;
  k->fresh   = PETSC_FALSE;
  k->highest = PetscMax(k->highest, k->rr);
  k->before  = k->rr;
  k->rr      = rr;
  k->next    = sqrt(rr);
  k->active  = (PetscBool)(bound > k->target);
  return PETSC_TRUE;
}

static PetscErrorCode refuse_infinite(const wring_cg_state *v, int n, const double *number)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++)
    if (!isfinite(number[i])) WRING_REFUSE(v->cycle->comm, "operator: the iteration failed: a number is not finite");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_steps(wring_cg_state *v, const double dot[WRING_CG_DOTS][3])
{
  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) {
    wring_cg_component *const k = &v->of[c];
    double                    own[WRING_CG_DOTS];
    for (int i = 0; i < WRING_CG_DOTS; i++) own[i] = dot[i][c];
    PetscCall(refuse_infinite(v, WRING_CG_DOTS, own));
    if (k->active) k->rr = own[WRING_CG_RR]; // instead of the recurrence's value
    k->active = (PetscBool)(k->rr > k->target);
    if (!k->active) {
      k->u = k->next = k->alpha = k->beta = 0; // no step
      continue;
    }
    if (!choose_step(k, own))
      WRING_REFUSE(v->cycle->comm,
                   "operator: the matrix is not positive definite, or too close to singular for multigrid");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If |b| is far from the size by which the input of the cycle was scaled, a float may not have held it: restart. */
static PetscErrorCode take_size(wring_cg_state *v, const double rr[3], PetscBool *again)
{
  const double far = 1e30; // of squares

  PetscFunctionBegin;
  PetscCall(refuse_infinite(v, 3, rr));
  *again = PETSC_FALSE;
  for (int c = 0; c < 3; c++) {
    wring_cg_component *const k    = &v->of[c];
    const double              said = k->rr;
    k->rr                          = rr[c];
    k->target                      = v->squared * rr[c];
    if (rr[c] > 0 && (rr[c] > far * said || said > far * rr[c])) *again = PETSC_TRUE;
  }
  v->unknown = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- dot products with the solution ------------------------------------------------------------------------------ */

/*
  The reduction that is probably the last also carries the dot products with x, u and p. Those with the next x follow
  from them once the coefficients of the iteration are known. docs/theory.md (4.18)
*/
enum { LANES = 24 }; // whole vertices

/* sum += a . b by component, over at most WRING_CG_BLOCK vertices. */
static void dot_by_component(PetscInt n, const double *a, const double *b, double sum[3])
{
  double   lane[LANES] = {0};
  PetscInt i           = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += a[i + l] * b[i + l];
  for (int l = 0; i < n; i++, l++) lane[l] += a[i] * b[i];
  for (int l = 0; l < LANES; l++) sum[l % 3] += lane[l];
}

/* The dot products of each wanted vector with x, u and p, over some vertices. */
static void carried_block(const wring_cg_state *v, PetscInt begin, PetscInt end, double (*sum)[WRING_CG_PARTS][3])
{
  const PetscInt n = 3 * (end - begin);
  const size_t   i = 3 * (size_t)begin;
  double         u[3 * WRING_CG_BLOCK];
  for (PetscInt j = 0; j < n; j++) u[j] = v->l->y[i + j];
  for (int k = 0; k < v->zero->d->n; k++) {
    const double *const with = v->zero->d->with[k] + i;
    dot_by_component(n, with, v->x + i, sum[k][WRING_CG_OF_X]);
    dot_by_component(n, with, u, sum[k][WRING_CG_OF_U]);
    dot_by_component(n, with, v->g->p + i, sum[k][WRING_CG_OF_P]);
  }
}

/* all [v->zero->d->n]: sums on this rank, carried because the next x is x + alpha (u + beta p). */
static PetscErrorCode add_carried(const wring_cg_state *v, double (*all)[WRING_CG_PARTS][3])
{
  wring_cg *const g = v->g;
  const PetscInt  n = g->n, width = v->zero->d->n;
  double(*part)[WRING_CG_PARTS][3];

  PetscFunctionBegin;
  const size_t n_part = (size_t)wring_strips(n) * (size_t)width * sizeof *part / sizeof(double);
  if (n_part > g->n_part) {
    PetscCall(PetscFree(g->part));
    PetscCall(PetscMalloc1(n_part, &g->part));
    g->n_part = n_part;
  }
  PetscCall(PetscArrayzero(g->part, n_part));
  part = (double(*)[WRING_CG_PARTS][3])g->part;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < wring_strips(n); k++) {
    const PetscInt end = wring_strip(n, k + 1);
    for (PetscInt first = wring_strip(n, k); first < end; first += WRING_CG_BLOCK)
      carried_block(v, first, PetscMin(first + WRING_CG_BLOCK, end), part + (size_t)k * width);
  }
  wring_pairwise_rows(wring_strips(n), width * (PetscInt)(sizeof *part / sizeof(double)), g->part);
  PetscCall(PetscArraycpy(all, part, width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The dot products with x after this iteration, whose coefficients are known now. */
static void find_carried(const wring_cg_state *v, const double (*all)[WRING_CG_PARTS][3])
{
  for (int j = 0; j < v->zero->d->n; j++) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
      const wring_cg_component *const k = &v->of[c];
      const double                    p = k->beta == 0 ? 0 : k->beta * all[j][WRING_CG_OF_P][c];
      sum += all[j][WRING_CG_OF_X][c] + k->alpha * (k->u * all[j][WRING_CG_OF_U][c] + p);
    }
    v->zero->d->dots[j] = sum;
  }
}

/* Whether this iteration will be the last if it reduces the residual as much as the one before. */
static PetscBool is_likely_last(const wring_cg_state *v)
{
  PetscBool likely = (PetscBool)(v->zero && v->zero->d->n > 0 && !v->unknown);
  for (int c = 0; c < 3; c++) {
    const wring_cg_component *const k = &v->of[c];
    if (k->active && (k->fresh || k->rr * PetscMin(1, k->rr / k->before) > k->target)) likely = PETSC_FALSE;
  }
  return likely;
}

/* ---- the iteration ----------------------------------------------------------------------------------------------- */

/* Sums the dot products over the ranks and computes the step, unless the iteration must restart. */
static PetscErrorCode reduce(wring_cg_state *v, double dot[WRING_CG_DOTS][3], PetscBool *again)
{
  const int width = v->carrying ? v->zero->d->n : 0;
  double    all[3 * (WRING_CG_DOTS + WRING_CG_PARTS * WRING_OPERATOR_DOTS)];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(all, &dot[0][0], 3 * WRING_CG_DOTS));
  double(*const carried)[WRING_CG_PARTS][3] = (double(*)[WRING_CG_PARTS][3])(all + 3 * WRING_CG_DOTS);
  if (width > 0) PetscCall(add_carried(v, carried));
  wring_count(v->g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 3 * (WRING_CG_DOTS + WRING_CG_PARTS * width), MPI_DOUBLE, MPI_SUM,
                             v->cycle->comm));
  PetscCall(PetscArraycpy(&dot[0][0], all, 3 * WRING_CG_DOTS));
  if (v->unknown) PetscCall(take_size(v, dot[WRING_CG_RR], again));
  if (*again) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(choose_steps(v, dot));
  if (width > 0) find_carried(v, (const double(*)[WRING_CG_PARTS][3])carried);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = b - A x from the matrix, and its norms; every component restarts. */
static PetscErrorCode find_residual(wring_cg_state *v)
{
  double rr[3];

  PetscFunctionBegin;
  PetscCall(wring_cg_residual(v, rr));
  wring_count(v->g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, rr, 3, MPI_DOUBLE, MPI_SUM, v->cycle->comm));
  PetscCall(refuse_infinite(v, 3, rr));
  for (int c = 0; c < 3; c++) v->of[c].rr = rr[c];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts from the residual; components above their target are active. */
static PetscErrorCode begin(wring_cg_state *v)
{
  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) {
    wring_cg_component *const k = &v->of[c];
    k->fresh                    = PETSC_TRUE;
    k->active                   = (PetscBool)(k->rr > k->target);
    k->highest                  = PetscMax(k->highest, k->rr);
    k->next = k->u = sqrt(k->rr);
    k->ss = k->rs = k->ps = 0;
  }
  if (wring_cg_active(v)) PetscCall(wring_cg_start_cycle(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts from zero with |b| about `size`: the first reduction of the iteration gives |b|. */
static PetscErrorCode start_at_zero(wring_cg_state *v)
{
  PetscFunctionBegin;
  v->unknown = PETSC_TRUE;
  wring_fill(3 * v->g->n, 0, v->x);
  wring_copy(3 * v->g->n, v->b, v->g->r);
  for (int c = 0; c < 3; c++) v->of[c].rr = PetscSqr(v->zero->size); // above its target of 0
  PetscCall(begin(v));
  for (int c = 0; c < 3; c++) v->of[c].highest = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode start(wring_cg_state *v)
{
  double sum[4];

  PetscFunctionBegin;
  if (v->zero && v->zero->size > 0) {
    PetscCall(start_at_zero(v));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (v->zero) wring_fill(3 * v->g->n, 0, v->x);
  wring_cg_look_at(v, sum);
  wring_count(v->g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, v->cycle->comm));
  PetscCall(refuse_infinite(v, 3, sum));
  for (int c = 0; c < 3; c++) {
    v->of[c].target = v->squared * sum[c];
    v->of[c].rr     = sum[c];
    if (sum[c] == 0)
      for (PetscInt i = 0; i < v->g->n; i++) v->x[3 * i + c] = 0;
  }
  if (sum[3] > 0)
    PetscCall(find_residual(v));
  else
    wring_copy(3 * v->g->n, v->b, v->g->r);
  PetscCall(begin(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  After |r| has fallen by 1e6 the recurrence for r may have drifted from b - A x. r is then computed from x, and the
  iteration continues if it is not small enough, unless this had no effect before.
*/
static PetscErrorCode verify(wring_cg_state *v)
{
  const double deep = 1e-12, less = 0.25;
  PetscBool    doubtful = PETSC_FALSE;

  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) doubtful = (PetscBool)(doubtful || v->of[c].rr < deep * v->of[c].highest);
  if (!doubtful) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_residual(v));
  PetscCall(begin(v));
  for (int c = 0; c < 3; c++) {
    if (v->of[c].active && v->of[c].rr > less * v->found[c]) v->stuck = PETSC_TRUE;
    v->found[c] = v->of[c].rr;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The dot products of the next direction, and the step along it. w travels to the ranks that hold ghosts of it during
  the reduction, unless the iteration is probably the last, which does not need it.
*/
static PetscErrorCode iterate(wring_cg_state *v, PetscBool last)
{
  double    dot[WRING_CG_DOTS][3];
  PetscBool again = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(wring_cycle_apply(v->cycle, PETSC_FALSE));
  PetscCall(wring_cg_multiply(v, dot));
  v->carrying           = is_likely_last(v);
  const PetscBool early = (PetscBool)(!last && !v->carrying);
  if (early) PetscCall(wring_fetch_begin(&v->g->fetch, v->g->w));
  const PetscErrorCode code = reduce(v, dot, &again);
  if (early) PetscCall(wring_fetch_end(&v->g->fetch, NULL)); // also after a refusal
  PetscCall(code);
  if (again) {
    PetscCall(begin(v));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (last || !wring_cg_active(v)) {
    wring_cg_add_last(v);
  } else {
    if (!early) PetscCall(wring_fetch_begin(&v->g->fetch, v->g->w));
    if (!early) PetscCall(wring_fetch_end(&v->g->fetch, NULL));
    wring_cg_update(v);
  }
  for (int c = 0; c < 3; c++) v->of[c].u = v->of[c].next;
  if (!wring_cg_active(v)) PetscCall(verify(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(wring_cg_state *v, PetscInt max_it, PetscInt *iterations, PetscBool *reached)
{
  PetscInt it = 0;

  PetscFunctionBegin;
  PetscCall(start(v));
  for (; it < max_it && wring_cg_active(v) && !v->stuck; it++) PetscCall(iterate(v, (PetscBool)(it + 1 == max_it)));
  *iterations = it;
  *reached    = (PetscBool)!wring_cg_active(v);
  if (v->zero) *v->zero->brought = v->carrying;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cg_solve(wring_cg *g, wring_cycle *c, Mat A, double rtol, PetscInt max_it, const double *b,
                              double *x, const wring_operator_zero *zero, PetscInt *iterations, PetscBool *reached)
{
  const PetscBool threaded = (PetscBool)(g->n > WRING_SERIAL_BELOW);
  wring_cg_state  v        = {.g = g, .cycle = c, .l = c->level, .b = b, .x = x, .zero = zero, .squared = rtol * rtol};

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) v.found[i] = PETSC_MAX_REAL;
  PetscCall(wring_rows_get(A, &v.A));
  const unsigned       old  = wring_subnormal_flush_all(threaded);
  const PetscErrorCode code = run(&v, max_it, iterations, reached);
  wring_subnormal_restore_all(old, threaded); // also after a refusal
  PetscCall(wring_rows_restore(&v.A));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_cg_create(const wring_cycle *c, wring_cg **out)
{
  wring_cg *g;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  *out       = g;
  g->n       = c->level->n;
  g->n_ghost = c->level->n_ghost;
  PetscCall(wring_vec_create(3 * (size_t)g->n, sizeof(double), &g->r));
  PetscCall(wring_vec_create(3 * (size_t)g->n, sizeof(double), &g->p));
  PetscCall(wring_vec_create(3 * (size_t)g->n, sizeof(double), &g->s));
  PetscCall(wring_vec_create(3 * (size_t)g->n, sizeof(double), &g->w));
  PetscCall(wring_vec_create(3 * (size_t)g->n_ghost, sizeof(double), &g->ghost_r));
  PetscCall(wring_vec_create(3 * (size_t)g->n_ghost, sizeof(double), &g->ghost_s));
  PetscCall(wring_messages_create(&c->level->near, MPI_DOUBLE, 3, PETSC_TRUE, &g->fetch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cg_destroy(wring_cg **g)
{
  PetscFunctionBegin;
  if (!*g) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*g)->r));
  PetscCall(PetscFree((*g)->p));
  PetscCall(PetscFree((*g)->s));
  PetscCall(PetscFree((*g)->w));
  PetscCall(PetscFree((*g)->ghost_r));
  PetscCall(PetscFree((*g)->ghost_s));
  PetscCall(wring_messages_destroy(&(*g)->fetch));
  PetscCall(PetscFree((*g)->part));
  PetscCall(PetscFree(*g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_cg_memory(const wring_cg *g)
{
  return 3 * sizeof(double) * (4.0 * (double)g->n + 2.0 * (double)g->n_ghost) + wring_messages_memory(&g->fetch);
}
