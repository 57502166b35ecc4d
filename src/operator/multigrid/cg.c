/*
  Conjugate gradients on three right-hand sides that share every pass over the matrix, each with coefficients of its own, with
  one reduction an iteration: all dots are taken of A u while it is made, u = M r, and the direction p follows from them.
  It is made conjugate to the last one explicitly, since a cycle in float is symmetric to seven digits only (flexible
  conjugate gradients: Notay, SIAM J. Sci. Comput. 22, 2000). docs/theory.md (4.13)-(4.18)
*/
#include "cg.h"
#include <math.h>

enum { RU, UW, US, RR, RW, WW, WS, N_DOT, BLOCK = 256 };

/* One component. Squares and products of vectors, all as they are, that is, without the factor of u. */
typedef struct {
  PetscBool active, fresh; // not converged; without a direction to go on from
  double    target;        // of |r|^2
  double    rr, highest;   // |r|^2 now, and the largest of all
  double    before;        // |r|^2 an iteration before
  double    u, next;    // factors of u, now and in the next iteration: the cycle gets r / |r|, which a float can hold
  double    ps, ss, rs; // p.s, s.s, r.s with s = A p
  double    alpha, beta;
} component;

typedef struct {
  wring_cg     *g;
  wring_cycle  *cycle;
  wring_level  *l; // the finest
  const double *b;
  double       *x;
  component     of[3];
  double        found[3]; // |r|^2 when r was last found from x
  PetscBool     stuck;    // at what double precision can reach

  const wring_cg_zero *zero;     // NULL: from x
  double               squared;  // rtol^2
  PetscBool            unknown;  // |b| is, and the first reduction brings it
  PetscBool            carrying; // this iteration's reduction brings dots
} solve;

/* ---- kernels ------------------------------------------------------------------------------------------------------ */

typedef struct {
  wring_double4 of[N_DOT];
} dots;

static inline void add_dots(const solve *v, PetscInt i, const wring_double4 *w, dots *d)
{
  wring_double4 u, r, s;
  wring_widen(v->l->y + 3 * (size_t)i, &u);
  wring_load_double(v->g->r + 3 * (size_t)i, &r);
  wring_load_double(v->g->s + 3 * (size_t)i, &s);
  d->of[RU] += r * u;
  d->of[UW] += u * *w;
  d->of[US] += u * s;
  d->of[RR] += r * r;
  d->of[RW] += r * *w;
  d->of[WW] += *w * *w;
  d->of[WS] += *w * s;
}

static inline void add_to(dots *sum, const dots *d)
{
  for (int k = 0; k < N_DOT; k++) sum->of[k] += d->of[k];
}

/* sum += a row of the matrix in double precision times x, in float or double. Two sums: an addition takes four cycles. */
static inline void add_row_float(const wring_csr *a, const double *value, PetscInt i, const float *x,
                                 wring_double4 *sum)
{
  wring_double4 even = *sum, odd = {0}, v, w;
  PetscInt      k = a->start[i];
  for (const PetscInt end = a->start[i + 1] - 1; k < end; k += 2) {
    wring_widen(x + 3 * (size_t)a->column[k], &v);
    wring_widen(x + 3 * (size_t)a->column[k + 1], &w);
    even += value[k] * v;
    odd += value[k + 1] * w;
  }
  if (k < a->start[i + 1]) {
    wring_widen(x + 3 * (size_t)a->column[k], &v);
    even += value[k] * v;
  }
  *sum = even + odd;
}

static inline void add_row(const wring_csr *a, const double *value, PetscInt i, const double *x, wring_double4 *sum)
{
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    wring_double4 v;
    wring_load_double(x + 3 * (size_t)a->column[k], &v);
    *sum += value[k] * v;
  }
}

static inline void store(const wring_double4 *v, double *x)
{
  for (int c = 0; c < 3; c++) x[c] = (*v)[c];
}

/* w = A u with its dots, where no ghost takes part; the rows of ghosts wait for them. */
static void multiply_strip(const solve *v, PetscInt begin, PetscInt end, PetscInt *waiting, dots *total)
{
  const wring_level *const l = v->l;
  for (PetscInt first = begin; first < end; first += BLOCK) {
    dots d = {0};
    for (PetscInt i = first; i < PetscMin(first + BLOCK, end); i++) {
      wring_double4 w = {0};
      add_row_float(&l->own, v->g->own_value, i, l->y, &w);
      store(&w, v->g->w + 3 * (size_t)i);
      if (*waiting < l->n_boundary && l->boundary[*waiting] == i)
        (*waiting)++;
      else
        add_dots(v, i, &w, &d);
    }
    add_to(total, &d);
  }
}

/* The first of the boundary rows that is not below `row`. */
static PetscInt boundary_from(const wring_level *l, PetscInt row)
{
  PetscInt low = 0, high = l->n_boundary;
  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (l->boundary[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void multiply_own(const solve *v, dots part[WRING_STRIPS])
{
  const PetscInt n = v->l->n;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    PetscInt waiting = boundary_from(v->l, wring_strip(n, k));
    part[k]          = (dots){0};
    multiply_strip(v, wring_strip(n, k), wring_strip(n, k + 1), &waiting, &part[k]);
  }
}

static void multiply_ghosts(const solve *v, dots part[WRING_STRIPS])
{
  const wring_level *const l     = v->l;
  const float *const       ghost = l->y + 3 * (size_t)l->n;
#pragma omp parallel for schedule(static) if (l->n_boundary > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    dots d = {0};
    for (PetscInt j = wring_strip(l->n_boundary, k); j < wring_strip(l->n_boundary, k + 1); j++) {
      const PetscInt i   = l->boundary[j];
      double *const  w   = v->g->w + 3 * (size_t)i;
      wring_double4  sum = {w[0], w[1], w[2], 0};
      add_row_float(&l->ghost, v->g->ghost_value, i, ghost, &sum);
      store(&sum, w);
      add_dots(v, i, &sum, &d);
    }
    add_to(&part[k], &d);
  }
}

/* r = b - A p of own columns; r -= A ghost of the others. */
static void residual_own(const solve *v)
{
  const wring_level *const l = v->l;
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    for (PetscInt i = wring_strip(l->n, k); i < wring_strip(l->n, k + 1); i++) {
      wring_double4 sum = {0};
      add_row(&l->own, v->g->own_value, i, v->g->p, &sum);
      for (int c = 0; c < 3; c++) v->g->r[3 * i + c] = v->b[3 * i + c] - sum[c];
    }
  }
}

static void residual_ghosts(const solve *v)
{
  const wring_level *const l = v->l;
  for (PetscInt j = 0; j < l->n_boundary; j++) {
    const PetscInt i   = l->boundary[j];
    wring_double4  sum = {0};
    add_row(&l->ghost, v->g->ghost_value, i, v->g->ghost, &sum);
    for (int c = 0; c < 3; c++) v->g->r[3 * i + c] -= sum[c];
  }
}

/* x += alpha p, p = u + beta p: all that the last iteration needs. */
static void add_last(const solve *v)
{
  const component *const of = v->of;
  const PetscInt         n  = v->g->n;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    for (PetscInt i = wring_strip(n, k); i < wring_strip(n, k + 1); i++) {
      for (int c = 0; c < 3; c++) {
        const size_t j = 3 * (size_t)i + c;
        v->x[j] += of[c].alpha * (of[c].u * v->l->y[j] + of[c].beta * v->g->p[j]);
      }
    }
  }
}

/* The input of the cycle: D^(-1/2) r by its length, nothing for a component that has converged. */
static inline void to_cycle(const solve *v, PetscInt i, const double factor[3])
{
  const double d = v->l->scale[i];
  for (int c = 0; c < 3; c++) v->l->b[3 * i + c] = (float)(d * (factor[c] * v->g->r[3 * i + c]));
}

static void get_factors(const solve *v, double factor[3])
{
  for (int c = 0; c < 3; c++) factor[c] = v->of[c].active ? 1 / v->of[c].next : 0;
}

static void start_cycle(const solve *v)
{
  const PetscInt n = v->g->n;
  double         factor[3];
  get_factors(v, factor);
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++)
    for (PetscInt i = wring_strip(n, k); i < wring_strip(n, k + 1); i++) to_cycle(v, i, factor);
}

/* p = u + beta p, s = w + beta s, x += alpha p, r -= alpha s, and the input of the next cycle, in one pass. */
static void update(const solve *v)
{
  const PetscInt n = v->g->n;
  double *const r = v->g->r, *const p = v->g->p, *const s = v->g->s, *const w = v->g->w;
  double factor[3], u[3], alpha[3], beta[3];
  get_factors(v, factor);
  for (int c = 0; c < 3; c++) u[c] = v->of[c].u, alpha[c] = v->of[c].alpha, beta[c] = v->of[c].beta;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    for (PetscInt i = wring_strip(n, k); i < wring_strip(n, k + 1); i++) {
      for (int c = 0; c < 3; c++) {
        const size_t j = 3 * (size_t)i + c;
        p[j]           = u[c] * v->l->y[j] + beta[c] * p[j];
        s[j]           = u[c] * w[j] + beta[c] * s[j];
        v->x[j] += alpha[c] * p[j];
        r[j] -= alpha[c] * s[j];
      }
      to_cycle(v, i, factor);
    }
  }
}

/* r = b, x = 0. */
static void begin_at_zero(const solve *v)
{
  const PetscInt n = v->g->n;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    for (PetscInt j = 3 * wring_strip(n, k); j < 3 * wring_strip(n, k + 1); j++) {
      v->g->r[j] = v->b[j];
      v->x[j]    = 0;
    }
  }
}

/* By component: b . b, and how many numbers of x are not zero. */
static void look_at(const solve *v, double sum[4])
{
  const PetscInt n = v->g->n;
  double         part[4][WRING_STRIPS];
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    double own[4] = {0};
    for (PetscInt i = wring_strip(n, k); i < wring_strip(n, k + 1); i++) {
      for (int c = 0; c < 3; c++) {
        const size_t j = 3 * (size_t)i + c;
        own[c] += v->b[j] * v->b[j];
        own[3] += v->x[j] != 0;
      }
    }
    for (int c = 0; c < 4; c++) part[c][k] = own[c];
  }
  for (int c = 0; c < 4; c++) sum[c] = wring_pairwise_sum(WRING_STRIPS, part[c]);
}

/* By component: the sum of squares. */
static void squares(PetscInt n, const double *r, double sum[3])
{
  double part[3][WRING_STRIPS];
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    double own[3] = {0};
    for (PetscInt i = wring_strip(n, k); i < wring_strip(n, k + 1); i++)
      for (int c = 0; c < 3; c++) own[c] += r[3 * i + c] * r[3 * i + c];
    for (int c = 0; c < 3; c++) part[c][k] = own[c];
  }
  for (int c = 0; c < 3; c++) sum[c] = wring_pairwise_sum(WRING_STRIPS, part[c]);
}

/* ---- coefficients ------------------------------------------------------------------------------------------------- */

/* What is as small as the rounding of the recurrence for |r|^2 counts against convergence. */
static double expected(const component *k, double *bound)
{
  const double rounding = 1e-14, change = 2 * k->alpha * k->rs, square = k->alpha * k->alpha * k->ss;
  const double rr = fabs(k->rr - change + square);
  *bound          = rr + rounding * (k->rr + fabs(change) + square);
  return PetscMax(rr, rounding * k->rr);
}

/* The direction and its length from the dots, which are of u / factor and w / factor. PETSC_FALSE: not definite. */
static PetscBool choose_step(component *k, const double dot[N_DOT])
{
  const double parallel = 1e-8; // below this nothing is left of u beside the last direction: begin anew
  const double ru = k->u * dot[RU], uw = k->u * k->u * dot[UW], us = k->u * dot[US], rw = k->u * dot[RW];
  const double ww = k->u * k->u * dot[WW], ws = k->u * dot[WS];
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

static PetscErrorCode refuse_infinite(const solve *v, int n, const double *number)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++)
    if (!isfinite(number[i])) WRING_REFUSE(v->cycle->comm, "operator: the iteration failed: a number is not finite");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_steps(solve *v, const double dot[N_DOT][3])
{
  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) {
    component *const k = &v->of[c];
    double           own[N_DOT];
    for (int i = 0; i < N_DOT; i++) own[i] = dot[i][c];
    PetscCall(refuse_infinite(v, N_DOT, own));
    if (k->active) k->rr = own[RR]; // not by recurrence
    k->active = (PetscBool)(k->rr > k->target);
    if (!k->active) {
      k->u = k->next = k->alpha = k->beta = 0; // nothing moves
      continue;
    }
    if (!choose_step(k, own))
      WRING_REFUSE(v->cycle->comm,
                   "operator: the matrix is not positive definite, or too close to singular for multigrid");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool active(const solve *v)
{
  return (PetscBool)(v->of[0].active || v->of[1].active || v->of[2].active);
}

/* |b| is known now. Where it is far from what the cycle got its input scaled by, a float may not have held that: begin anew. */
static PetscErrorCode take_size(solve *v, const double rr[3], PetscBool *again)
{
  const double far = 1e30; // of squares

  PetscFunctionBegin;
  PetscCall(refuse_infinite(v, 3, rr));
  *again = PETSC_FALSE;
  for (int c = 0; c < 3; c++) {
    component *const k    = &v->of[c];
    const double     said = k->rr;
    k->rr                 = rr[c];
    k->target             = v->squared * rr[c];
    if (rr[c] > 0 && (rr[c] > far * said || said > far * rr[c])) *again = PETSC_TRUE;
  }
  v->unknown = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- dots of the solution ------------------------------------------------------------------------------------------ */

enum { OF_X, OF_U, OF_P, N_PART, LANES = 24 }; // lanes: whole vertices

/* sum += a . b by component, over at most BLOCK vertices. */
static void dot_by_component(PetscInt n, const double *a, const double *b, double sum[3])
{
  double   lane[LANES] = {0};
  PetscInt i           = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += a[i + l] * b[i + l];
  for (int l = 0; i < n; i++, l++) lane[l] += a[i] * b[i];
  for (int l = 0; l < LANES; l++) sum[l % 3] += lane[l];
}

/* Of all vectors with x, u and p, over some vertices. */
static void carried_block(const solve *v, PetscInt begin, PetscInt end, double (*sum)[N_PART][3])
{
  const PetscInt n = 3 * (end - begin);
  const size_t   i = 3 * (size_t)begin;
  double         u[3 * BLOCK];
  for (PetscInt j = 0; j < n; j++) u[j] = v->l->y[i + j];
  for (int k = 0; k < v->zero->d->n; k++) {
    const double *const with = v->zero->d->with[k] + i;
    dot_by_component(n, with, v->x + i, sum[k][OF_X]);
    dot_by_component(n, with, u, sum[k][OF_U]);
    dot_by_component(n, with, v->g->p + i, sum[k][OF_P]);
  }
}

/* At least n zeros in g->part. */
static PetscErrorCode reserve_parts(wring_cg *g, size_t n)
{
  PetscFunctionBegin;
  if (n > g->n_part) {
    PetscCall(PetscFree(g->part));
    PetscCall(PetscMalloc1(n, &g->part));
    g->n_part = n;
  }
  PetscCall(PetscArrayzero(g->part, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the reduction carries beside its own dots, for x of the next iteration is x + alpha (u + beta p). */
static PetscErrorCode add_carried(const solve *v, double (*all)[N_PART][3])
{
  const PetscInt n = v->g->n, width = v->zero->d->n;
  double(*part)[N_PART][3], strip[WRING_STRIPS];

  PetscFunctionBegin;
  PetscCall(reserve_parts(v->g, (size_t)WRING_STRIPS * (size_t)width * sizeof *part / sizeof(double)));
  part = (double(*)[N_PART][3])v->g->part;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++) {
    const PetscInt end = wring_strip(n, k + 1);
    for (PetscInt first = wring_strip(n, k); first < end; first += BLOCK)
      carried_block(v, first, PetscMin(first + BLOCK, end), part + (size_t)k * width);
  }
  for (PetscInt j = 0; j < width; j++) {
    for (int i = 0; i < N_PART * 3; i++) {
      for (int k = 0; k < WRING_STRIPS; k++) strip[k] = part[(size_t)k * width + j][i / 3][i % 3];
      all[j][i / 3][i % 3] = wring_pairwise_sum(WRING_STRIPS, strip);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The dots of x after this iteration, whose coefficients are known now. */
static void find_carried(const solve *v, const double (*all)[N_PART][3])
{
  for (int j = 0; j < v->zero->d->n; j++) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
      const component *const k = &v->of[c];
      const double           p = k->beta == 0 ? 0 : k->beta * all[j][OF_P][c];
      sum += all[j][OF_X][c] + k->alpha * (k->u * all[j][OF_U][c] + p);
    }
    v->zero->d->dots[j] = sum;
  }
}

/* Will this iteration be the last, if it does what the one before has done? */
static PetscBool is_likely_last(const solve *v)
{
  PetscBool likely = (PetscBool)(v->zero && v->zero->d->n > 0 && !v->unknown);
  for (int c = 0; c < 3; c++) {
    const component *const k = &v->of[c];
    if (k->active && (k->fresh || k->rr * PetscMin(1, k->rr / k->before) > k->target)) likely = PETSC_FALSE;
  }
  return likely;
}

/* ---- the iteration ------------------------------------------------------------------------------------------------ */

/* Sums the dots over the ranks and finds the step, unless the iteration has to begin again. */
static PetscErrorCode reduce(solve *v, double dot[N_DOT][3], PetscBool *again)
{
  const int width = v->carrying ? v->zero->d->n : 0;
  double    all[3 * (N_DOT + N_PART * WRING_OPERATOR_DOTS)];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(all, &dot[0][0], 3 * N_DOT));
  double(*const carried)[N_PART][3] = (double(*)[N_PART][3])(all + 3 * N_DOT);
  if (width > 0) PetscCall(add_carried(v, carried));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 3 * (N_DOT + N_PART * width), MPI_DOUBLE, MPI_SUM, v->cycle->comm));
  PetscCall(PetscArraycpy(&dot[0][0], all, 3 * N_DOT));
  if (v->unknown) PetscCall(take_size(v, dot[RR], again));
  if (*again) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(choose_steps(v, dot));
  if (width > 0) find_carried(v, (const double(*)[N_PART][3])carried);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(solve *v, double dot[N_DOT][3])
{
  wring_level *const l     = v->l;
  float *const       ghost = l->y + 3 * (size_t)l->n;
  dots               part[WRING_STRIPS];
  double             strip[WRING_STRIPS];

  PetscFunctionBegin;
  if (l->halo) PetscCall(PetscSFBcastBegin(l->halo, v->cycle->vertex, l->y, ghost, MPI_REPLACE));
  multiply_own(v, part);
  if (l->halo) PetscCall(PetscSFBcastEnd(l->halo, v->cycle->vertex, l->y, ghost, MPI_REPLACE));
  multiply_ghosts(v, part);
  for (int i = 0; i < N_DOT; i++) {
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < WRING_STRIPS; k++) strip[k] = part[k].of[i][c];
      dot[i][c] = wring_pairwise_sum(WRING_STRIPS, strip);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = b - A x by the matrix itself, and its lengths; every component begins anew. */
static PetscErrorCode find_residual(solve *v)
{
  wring_cg *const g = v->g;
  double          rr[3];

  PetscFunctionBegin;
  wring_copy(3 * g->n, v->x, g->p); // where there is one number to spare
  if (v->l->halo) PetscCall(PetscSFBcastBegin(v->l->halo, g->vertex, g->p, g->ghost, MPI_REPLACE));
  residual_own(v);
  if (v->l->halo) PetscCall(PetscSFBcastEnd(v->l->halo, g->vertex, g->p, g->ghost, MPI_REPLACE));
  residual_ghosts(v);
  squares(g->n, g->r, rr);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, rr, 3, MPI_DOUBLE, MPI_SUM, v->cycle->comm));
  PetscCall(refuse_infinite(v, 3, rr));
  for (int c = 0; c < 3; c++) v->of[c].rr = rr[c];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the residual on; what is above its target takes part. */
static void begin(solve *v)
{
  for (int c = 0; c < 3; c++) {
    component *const k = &v->of[c];
    k->fresh           = PETSC_TRUE;
    k->active          = (PetscBool)(k->rr > k->target);
    k->highest         = PetscMax(k->highest, k->rr);
    k->next = k->u = sqrt(k->rr);
    k->ss = k->rs = k->ps = 0;
  }
  if (active(v)) start_cycle(v);
}

/* From zero with |b| about `size`: the first reduction of the iteration brings the rest. */
static void start_at_zero(solve *v)
{
  v->unknown = PETSC_TRUE;
  begin_at_zero(v);
  for (int c = 0; c < 3; c++) v->of[c].rr = PetscSqr(v->zero->size); // above its target of 0
  begin(v);
  for (int c = 0; c < 3; c++) v->of[c].highest = 0;
}

static PetscErrorCode start(solve *v, double rtol)
{
  double sum[4];

  PetscFunctionBegin;
  v->squared = rtol * rtol;
  if (v->zero && v->zero->size > 0) {
    start_at_zero(v);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (v->zero) begin_at_zero(v);
  look_at(v, sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, v->cycle->comm));
  PetscCall(refuse_infinite(v, 3, sum));
  for (int c = 0; c < 3; c++) {
    v->of[c].target = rtol * rtol * sum[c];
    v->of[c].rr     = sum[c];
    if (sum[c] == 0)
      for (PetscInt i = 0; i < v->g->n; i++) v->x[3 * i + c] = 0;
  }
  if (sum[3] > 0)
    PetscCall(find_residual(v));
  else
    wring_copy(3 * v->g->n, v->b, v->g->r);
  begin(v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  After a fall of |r| by 1e6 the recurrence for r may have left b - A x behind: it is found anew, and the iteration goes on
  where it is not small enough, unless that had no effect before.
*/
static PetscErrorCode verify(solve *v)
{
  const double deep = 1e-12, less = 0.25;
  PetscBool    doubtful = PETSC_FALSE;

  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) doubtful = (PetscBool)(doubtful || v->of[c].rr < deep * v->of[c].highest);
  if (!doubtful) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_residual(v));
  begin(v);
  for (int c = 0; c < 3; c++) {
    if (v->of[c].active && v->of[c].rr > less * v->found[c]) v->stuck = PETSC_TRUE;
    v->found[c] = v->of[c].rr;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The dots of the direction to come, and the step along it. */
static PetscErrorCode iterate(solve *v, PetscBool last)
{
  double    dot[N_DOT][3];
  PetscBool again = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(wring_cycle_apply(v->cycle));
  PetscCall(multiply(v, dot));
  v->carrying = is_likely_last(v);
  PetscCall(reduce(v, dot, &again));
  if (again) {
    begin(v);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (last || !active(v))
    add_last(v);
  else
    update(v);
  for (int c = 0; c < 3; c++) v->of[c].u = v->of[c].next;
  if (!active(v)) PetscCall(verify(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(solve *v, double rtol, PetscInt max_it, PetscInt *iterations, PetscBool *reached)
{
  PetscInt it = 0;

  PetscFunctionBegin;
  PetscCall(start(v, rtol));
  for (; it < max_it && active(v) && !v->stuck; it++) PetscCall(iterate(v, (PetscBool)(it + 1 == max_it)));
  *iterations = it;
  *reached    = (PetscBool)!active(v);
  if (v->zero) *v->zero->brought = v->carrying;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_values(Mat part, const double **value)
{
  PetscFunctionBegin;
  *value = NULL;
  if (part) PetscCall(MatSeqAIJGetArrayRead(part, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode restore_values(Mat part, const double **value)
{
  PetscFunctionBegin;
  if (part) PetscCall(MatSeqAIJRestoreArrayRead(part, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cg_solve(wring_cg *g, wring_cycle *c, Mat A, double rtol, PetscInt max_it, const double *b,
                              double *x, const wring_cg_zero *zero, PetscInt *iterations, PetscBool *reached)
{
  solve           v = {.g = g, .cycle = c, .l = c->level, .b = b, .x = x, .zero = zero};
  Mat             own, ghost;
  const PetscInt *global;

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) v.found[i] = PETSC_MAX_REAL;
  PetscCall(wring_mat_parts(A, &own, &ghost, &global));
  PetscCall(get_values(own, &g->own_value));
  PetscCall(get_values(ghost, &g->ghost_value));
  PetscCall(run(&v, rtol, max_it, iterations, reached));
  PetscCall(restore_values(ghost, &g->ghost_value));
  PetscCall(restore_values(own, &g->own_value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

/* Zeros, and one to spare, touched first by the threads that will use them. */
static PetscErrorCode create_vector(PetscInt n, double **x)
{
  double *p;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)n + 1, &p));
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < WRING_STRIPS; k++)
    for (PetscInt i = 3 * wring_strip(n, k); i < 3 * wring_strip(n, k + 1); i++) p[i] = 0;
  p[3 * n] = 0;
  *x       = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cg_create(const wring_cycle *c, wring_cg **out)
{
  wring_cg *g;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  *out = g;
  g->n = c->level->n;
  PetscCall(create_vector(g->n, &g->r));
  PetscCall(create_vector(g->n, &g->p));
  PetscCall(create_vector(g->n, &g->s));
  PetscCall(create_vector(g->n, &g->w));
  PetscCall(create_vector(c->level->n_ghost, &g->ghost));
  PetscCallMPI(MPI_Type_contiguous(3, MPI_DOUBLE, &g->vertex));
  PetscCallMPI(MPI_Type_commit(&g->vertex));
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
  PetscCall(PetscFree((*g)->ghost));
  PetscCall(PetscFree((*g)->part));
  PetscCallMPI(MPI_Type_free(&(*g)->vertex));
  PetscCall(PetscFree(*g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_cg_memory(const wring_cycle *c)
{
  return 3 * sizeof(double) * (4.0 * c->level->n + c->level->n_ghost);
}
