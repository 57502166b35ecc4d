/* The passes over vectors and matrix in double precision. Sums are over blocks, then strips, then pairwise. */
#include "cg_state.h"

typedef struct {
  wring_double4 of[WRING_CG_DOTS];
} dots;

static inline void add_dots(const wring_cg_state *v, PetscInt i, const wring_double4 *w, dots *d)
{
  wring_double4 u, r, s;
  wring_widen(v->l->y + 3 * (size_t)i, &u);
  wring_load_double(v->g->r + 3 * (size_t)i, &r);
  wring_load_double(v->g->s + 3 * (size_t)i, &s);
  d->of[WRING_CG_RU] += r * u;
  d->of[WRING_CG_UW] += u * *w;
  d->of[WRING_CG_US] += u * s;
  d->of[WRING_CG_RR] += r * r;
  d->of[WRING_CG_RW] += r * *w;
  d->of[WRING_CG_WW] += *w * *w;
  d->of[WRING_CG_WS] += *w * s;
}

static inline void add_to(dots *sum, const dots *d)
{
  for (int k = 0; k < WRING_CG_DOTS; k++) sum->of[k] += d->of[k];
}

/* sum += row i, with values in double precision, times x in float. Two sums hide the four cycles of an addition. */
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

/* w = A u with its dot products. Rows with ghost columns are completed later, together with their dot products. */
static void multiply_strip(const wring_cg_state *v, PetscInt begin, PetscInt end, PetscInt *waiting, dots *total)
{
  const wring_level *const l = v->l;
  for (PetscInt first = begin; first < end; first += WRING_CG_BLOCK) {
    dots d = {0};
    for (PetscInt i = first; i < PetscMin(first + WRING_CG_BLOCK, end); i++) {
      wring_double4 w = {0};
      add_row_float(&l->own, v->A.own.value, i, l->y, &w);
      store(&w, v->g->w + 3 * (size_t)i);
      if (*waiting < l->n_boundary && l->boundary[*waiting] == i)
        (*waiting)++;
      else
        add_dots(v, i, &w, &d);
    }
    add_to(total, &d);
  }
}

static void multiply_own(const wring_cg_state *v, dots part[WRING_STRIPS])
{
  const PetscInt n = v->l->n;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < wring_strips(n); k++) {
    PetscInt waiting = wring_first_from(v->l->n_boundary, v->l->boundary, wring_strip(n, k));
    part[k]          = (dots){0};
    multiply_strip(v, wring_strip(n, k), wring_strip(n, k + 1), &waiting, &part[k]);
  }
}

static void multiply_ghosts(const wring_cg_state *v, dots part[WRING_STRIPS])
{
  const wring_level *const l     = v->l;
  const float *const       ghost = wring_level_ghosts(l, l->y);
#pragma omp parallel for schedule(static) if (l->n_boundary > WRING_SERIAL_BELOW)
  for (int k = 0; k < wring_strips(l->n_boundary); k++) {
    dots d = {0};
    for (PetscInt j = wring_strip(l->n_boundary, k); j < wring_strip(l->n_boundary, k + 1); j++) {
      const PetscInt i   = l->boundary[j];
      double *const  w   = v->g->w + 3 * (size_t)i;
      wring_double4  sum = {w[0], w[1], w[2], 0};
      add_row_float(&l->ghost, v->A.ghost.value, i, ghost, &sum);
      store(&sum, w);
      add_dots(v, i, &sum, &d);
    }
    add_to(&part[k], &d);
  }
}

void wring_cg_add_last(const wring_cg_state *v)
{
  const wring_cg_component *const of = v->of;
  const PetscInt                  n  = v->g->n;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) {
      const size_t j = 3 * (size_t)i + c;
      v->x[j] += of[c].alpha * (of[c].u * v->l->y[j] + of[c].beta * v->g->p[j]);
    }
  }
}

/* The input of the cycle: D^(-1/2) r / |r|, zero for a component that has converged. */
static inline void to_cycle(double d, const double factor[3], const double *r, float *b)
{
  for (int c = 0; c < 3; c++) b[c] = (float)(d * (factor[c] * r[c]));
}

static inline void to_cycle_own(const wring_cg_state *v, PetscInt i, const double factor[3])
{
  to_cycle(v->l->scale[i], factor, v->g->r + 3 * (size_t)i, v->l->b + 3 * (size_t)i);
}

static void to_cycle_ghosts(const wring_cg_state *v, const double factor[3])
{
  const wring_level *const l = v->l;
  float *const             b = wring_level_ghosts(l, l->b);
  for (PetscInt i = 0; i < l->n_ghost; i++)
    to_cycle(l->scale[l->n + i], factor, v->g->ghost_r + 3 * (size_t)i, b + 3 * (size_t)i);
}

static void get_factors(const wring_cg_state *v, double factor[3])
{
  for (int c = 0; c < 3; c++) factor[c] = v->of[c].active ? 1 / v->of[c].next : 0;
}

PetscErrorCode wring_cg_start_cycle(const wring_cg_state *v)
{
  const PetscInt n = v->g->n;
  double         factor[3];

  PetscFunctionBegin;
  PetscCall(wring_fetch_begin(&v->g->fetch, v->g->r));
  get_factors(v, factor);
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) to_cycle_own(v, i, factor);
  PetscCall(wring_fetch_end(&v->g->fetch, v->g->ghost_r));
  to_cycle_ghosts(v, factor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The recurrences of s and r at ghosts. */
static void update_ghosts(const wring_cg_state *v, const double u[3], const double alpha[3], const double beta[3])
{
  const double *const w = v->g->fetch.ghost;
  double *const r = v->g->ghost_r, *const s = v->g->ghost_s;
  for (PetscInt i = 0; i < v->g->n_ghost; i++) {
    for (int c = 0; c < 3; c++) {
      const size_t j = 3 * (size_t)i + c;
      s[j]           = u[c] * w[j] + beta[c] * s[j];
      r[j] -= alpha[c] * s[j];
    }
  }
}

void wring_cg_update(const wring_cg_state *v)
{
  const PetscInt n = v->g->n;
  double *const r = v->g->r, *const p = v->g->p, *const s = v->g->s, *const w = v->g->w;
  double factor[3], u[3], alpha[3], beta[3];
  get_factors(v, factor);
  for (int c = 0; c < 3; c++) u[c] = v->of[c].u, alpha[c] = v->of[c].alpha, beta[c] = v->of[c].beta;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < wring_strips(n); k++) {
    for (PetscInt i = wring_strip(n, k); i < wring_strip(n, k + 1); i++) {
      for (int c = 0; c < 3; c++) {
        const size_t j = 3 * (size_t)i + c;
        p[j]           = u[c] * v->l->y[j] + beta[c] * p[j];
        s[j]           = u[c] * w[j] + beta[c] * s[j];
        v->x[j] += alpha[c] * p[j];
        r[j] -= alpha[c] * s[j];
      }
      to_cycle_own(v, i, factor);
    }
  }
  update_ghosts(v, u, alpha, beta);
  to_cycle_ghosts(v, factor);
}

/* Sums of squares by component. */
static void squares(PetscInt n, const double *r, double sum[3])
{
  double part[3][WRING_STRIPS];
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int k = 0; k < wring_strips(n); k++) {
    double own[3] = {0};
    for (PetscInt i = wring_strip(n, k); i < wring_strip(n, k + 1); i++)
      for (int c = 0; c < 3; c++) own[c] += r[3 * i + c] * r[3 * i + c];
    for (int c = 0; c < 3; c++) part[c][k] = own[c];
  }
  for (int c = 0; c < 3; c++) sum[c] = wring_pairwise_sum(wring_strips(n), part[c]);
}

void wring_cg_look_at(const wring_cg_state *v, double sum[4])
{
  squares(v->g->n, v->b, sum);
  sum[3] = 0;
  for (PetscInt j = 0; j < 3 * v->g->n && sum[3] == 0; j++) sum[3] = v->x[j] != 0;
}

/* ---- with messages ----------------------------------------------------------------------------------------------- */

static void count_product(const wring_cg_state *v)
{
  wring_count(v->g->phases, WRING_WORK_PRODUCTS, 1);
  wring_count(v->g->phases, WRING_WORK_EXCHANGES, 1);
}

PetscErrorCode wring_cg_multiply(wring_cg_state *v, double dot[WRING_CG_DOTS][3])
{
  wring_level *const l     = v->l;
  float *const       ghost = wring_level_ghosts(l, l->y);
  dots               part[WRING_STRIPS];

  PetscFunctionBegin;
  count_product(v);
  PetscCall(wring_fetch_begin(&l->fetch, l->y));
  multiply_own(v, part);
  PetscCall(wring_fetch_end(&l->fetch, ghost));
  multiply_ghosts(v, part);
  wring_pairwise_rows(wring_strips(l->n), sizeof *part / sizeof(double), (double *)part);
  for (int i = 0; i < WRING_CG_DOTS; i++)
    for (int c = 0; c < 3; c++) dot[i][c] = part[0].of[i][c];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cg_residual(wring_cg_state *v, double rr[3])
{
  const wring_level *const l = v->l;
  wring_cg *const          g = v->g;

  PetscFunctionBegin;
  count_product(v);
  wring_copy(3 * g->n, v->x, g->p); // p has a spare number at its end
  PetscCall(wring_fetch_begin(&g->fetch, g->p));
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->n; i++) {
    wring_double4 sum = {0};
    add_row(&l->own, v->A.own.value, i, g->p, &sum);
    for (int c = 0; c < 3; c++) g->r[3 * i + c] = v->b[3 * i + c] - sum[c];
  }
  PetscCall(wring_fetch_end(&g->fetch, NULL));
  for (PetscInt j = 0; j < l->n_boundary; j++) {
    const PetscInt i   = l->boundary[j];
    wring_double4  sum = {0};
    add_row(&l->ghost, v->A.ghost.value, i, g->fetch.ghost, &sum);
    for (int c = 0; c < 3; c++) g->r[3 * i + c] -= sum[c];
  }
  squares(g->n, g->r, rr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
