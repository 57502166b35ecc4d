/* The V-cycle of a Hessian: creates it on a scalar cycle, fills and applies it. docs/theory.md (5.17b)-(5.17d) */
#include "block.h"
#include "operator/subnormal.h"

enum { MOST_DENSE = 600 }; // rows of the coarsest matrix; a larger one is smoothed

PetscErrorCode wring_block_cycle_create(wring_cycle *scalar, wring_block_cycle **out)
{
  wring_block_cycle *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *out       = c;
  c->scalar  = scalar;
  c->n_level = scalar->n_level;
  PetscCall(PetscCalloc1((size_t)c->n_level, &c->level));
  for (int i = 0; i < c->n_level; i++) PetscCall(wring_level_release(&scalar->level[i]));
  for (int i = 0; i < c->n_level; i++) {
    const PetscInt ghosts = i > 0 ? scalar->level[i - 1].from_coarse.columns.n_ghost : 0;
    PetscCall(wring_block_level_create(&scalar->level[i], i > 0 ? WRING_RIGID : 3, ghosts, &c->level[i]));
  }
  for (int i = 0; i + 1 < c->n_level; i++) PetscCall(wring_block_find_aggregates(&c->level[i]));
  const int bs = c->level[c->n_level - 1].bs;
  PetscCall(wring_coarsest_create(&scalar->level[c->n_level - 1], bs, bs, MOST_DENSE, &c->coarsest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_cycle_destroy(wring_block_cycle **c)
{
  PetscFunctionBegin;
  if (!*c) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < (*c)->n_level; i++) PetscCall(wring_block_level_destroy(&(*c)->level[i]));
  PetscCall(wring_coarsest_destroy(&(*c)->coarsest));
  PetscCall(PetscFree((*c)->level));
  PetscCall(PetscFree(*c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the coarsest level ------------------------------------------------------------------------------------------ */

/* Rows of the scaled matrix, dense [bs n][n_global]; directions without stiffness have 1 on the diagonal. */
static void own_rows(const wring_block_level *l, PetscInt n_global, double *dense)
{
  const int bs = l->bs;
  for (int part = 0; part < 2; part++) {
    const wring_block_csr *const a = part ? &l->ghost : &l->own;
    if (!a->start) continue;
    for (PetscInt i = 0; i < l->of->n; i++) {
      for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
        const PetscInt j = part ? l->of->near.global[a->column[k]] : l->of->first + a->column[k];
        double         h[WRING_RIGID * WRING_RIGID];
        wring_block_read(bs, a, i, k, h);
        for (int e = 0; e < bs * bs; e++) dense[(bs * i + e / bs) * n_global + bs * j + e % bs] = h[e];
      }
    }
  }
  for (PetscInt i = 0; i < bs * l->of->n; i++) {
    double *const d = dense + i * n_global + bs * l->of->first + i;
    if (*d == 0) *d = 1;
  }
}

static PetscErrorCode fill_coarsest(wring_block_cycle *c)
{
  const wring_block_level *const l = &c->level[c->n_level - 1];
  const PetscInt                 n = l->bs * l->of->n, N = c->coarsest.n_global;
  double                        *rows;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n * (size_t)N, &rows));
  own_rows(l, N, rows);
  PetscCall(wring_coarsest_fill(l->of, 1e6, rows, &c->coarsest));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = H^-1 b, or a few steps of the smoother from zero. */
static PetscErrorCode solve_coarsest(wring_block_cycle *c)
{
  enum { STEPS = 4 };
  wring_block_level *const l = &c->level[c->n_level - 1];
  const PetscInt           n = l->bs * l->of->n, N = c->coarsest.n_global;
  const float             *all;

  PetscFunctionBegin;
  if (c->coarsest.dense) {
    if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(wring_coarsest_gather(&c->coarsest, l->of->n, l->b, &all));
    for (PetscInt i = 0; i < n; i++) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (PetscInt j = 0; j < N; j++) sum += c->coarsest.inverse[i * N + j] * all[j];
      l->y[i] = sum;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < n; i++) l->y[i] = l->omega * l->b[i];
  for (int k = 0; k < STEPS; k++) {
    PetscCall(PetscArraycpy(l->x, l->y, n));
    PetscCall(wring_block_level_combine(l, PETSC_TRUE, l->omega, l->b, 1, l->omega, l->x, l->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Places from the mean of all positions, so that a float resolves them. */
static PetscErrorCode set_places(wring_block_level *l, const double *x)
{
  double sum[4] = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < l->of->n; i++)
    for (int c = 0; c < 3; c++) sum[c] += x[3 * i + c];
  sum[3] = (double)l->of->n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, l->of->comm));
  for (PetscInt i = 0; i < 3 * l->of->n; i++) l->place[i] = (float)(x[i] - sum[i % 3] / sum[3]);
  PetscCall(wring_neighbours_fetch(&l->of->near, 3 * sizeof *l->place, l->place, l->place + 3 * (size_t)l->of->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_cycle_renew(wring_block_cycle *c, const wring_block_values *H, const double *x)
{
  PetscFunctionBegin;
  PetscCall(set_places(c->level, x));
  PetscCall(wring_block_level_fill(c->level, H));
  for (wring_block_level *l = c->level; l + 1 < c->level + c->n_level; l++) {
    PetscCall(wring_block_prolongator(l, l + 1));
    PetscCall(wring_block_galerkin(l, l + 1));
    PetscCall(wring_block_level_fill(l + 1, NULL));
    PetscCall(wring_block_scale(l, l + 1));
  }
  if (c->coarsest.dense) PetscCall(fill_coarsest(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the cycle --------------------------------------------------------------------------------------------------- */

static PetscErrorCode restrict_residual(wring_block_level *l, float *coarse)
{
  const wring_interpolation *const p    = &l->of->from_coarse;
  const wring_block_turned         R    = {&l->P, p->R.start, l->entry, p->R.column};
  const wring_block_turned         rest = {&l->P, p->R.start + p->n_coarse, l->entry, p->R.column};

  PetscFunctionBegin;
  if (l->give.of) {
    wring_block_multiply_turned(&rest, p->own_columns.n_ghost, l->y, l->give.ghost);
    PetscCall(wring_give_begin(&l->give));
  }
  wring_block_multiply_turned(&R, p->n_coarse, l->y, coarse);
  if (l->give.of) PetscCall(wring_give_end(&l->give, coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = omega b + P coarse, with ghosts. */
static PetscErrorCode prolong(wring_block_level *l, float *coarse)
{
  const wring_interpolation *const p = &l->of->from_coarse;
  const PetscInt                   n = l->bs * p->n_fine;

  PetscFunctionBegin;
  if (l->down.of) PetscCall(wring_fetch_begin(&l->down, coarse));
  if (l->down.of) PetscCall(wring_fetch_end(&l->down, coarse + WRING_RIGID * (size_t)p->n_coarse));
  wring_block_multiply(&l->P, p->n_fine, coarse, l->x);
#pragma omp parallel for schedule(static) if (n > 3 * WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) l->x[i] += l->omega * l->b[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(wring_block_cycle *c)
{
  const int last = c->n_level - 1;

  PetscFunctionBegin;
  for (int i = 0; i < last; i++) { // y = b - omega H b, the residual of x = omega b
    wring_block_level *const l = &c->level[i];
    PetscCall(wring_block_level_combine(l, PETSC_TRUE, 0, l->b, 1, l->omega, l->b, l->y));
    PetscCall(restrict_residual(l, l[1].b));
  }
  PetscCall(solve_coarsest(c));
  for (int i = last - 1; i >= 0; i--) {
    wring_block_level *const l = &c->level[i];
    PetscCall(prolong(l, l[1].y));
    PetscCall(wring_block_level_combine(l, PETSC_FALSE, l->omega, l->b, 1, l->omega, l->x, l->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_cycle_multiply(wring_block_cycle *c, double size, const double *r, double *z)
{
  wring_block_level *const l        = c->level;
  const PetscInt           n        = l->of->n;
  const PetscBool          threaded = (PetscBool)(n > WRING_SERIAL_BELOW);

  PetscFunctionBegin;
  const unsigned old = wring_subnormal_flush_all(threaded);
#pragma omp parallel for schedule(static) if (threaded)
  for (PetscInt i = 0; i < n; i++) {
    const double *const L = l->inverse + 9 * (size_t)i, *const at = r + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int d = 0; d <= k; d++) sum += L[3 * k + d] * at[d];
      l->b[3 * i + k] = (float)(sum / size);
    }
  }
  const PetscErrorCode code = apply(c);
#pragma omp parallel for schedule(static) if (threaded)
  for (PetscInt i = 0; i < n; i++) {
    const double *const L = l->inverse + 9 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int d = k; d < 3; d++) sum += L[3 * d + k] * l->y[3 * i + d];
      z[3 * (size_t)i + (size_t)k] = size * sum;
    }
  }
  wring_subnormal_restore_all(old, threaded); // also after a refusal
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
