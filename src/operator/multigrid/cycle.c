/*
  The V-cycle. It starts from zero, so that its first step and the residual take one pass over the matrix; the second
  step and the sum of all corrections take another. On the way up the ghosts of x are interpolated here as on their
  owners, from their b, which is known since the way down: a level takes three exchanges, of b, for the restriction and
  for the interpolation.
*/
#include "cycle.h"
#include "galerkin/galerkin.h"
#include "operator/subnormal.h"
#include <math.h>

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

enum { MOST_LEVELS = 30 };
enum { MOST_DENSE = 1000 }; // rows: an inverse of more costs more than it saves; aggregation did not coarsen enough

/* Adds the connections of row i in a part of l's matrix, unscaled, to *sum; *most: the largest, scaled. */
static void add_connections(const wring_level *l, const wring_csr *a, const float *scale, PetscInt i, double *sum,
                            double *most)
{
  if (!a->start) return;
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    const double size = a == &l->own && a->column[k] == i ? 0 : fabs((double)a->value[k]);
    *sum += size / ((double)l->scale[i] * scale[a->column[k]]);
    *most = PetscMax(*most, size);
  }
}

/*
  Whether the strength of connections matters on the finest level: a vertex is much stiffer than one near it, or most
  vertices are connected to one alone, as across flat elements. Otherwise no threshold makes larger aggregates.
*/
static PetscErrorCode has_weak_connections(const wring_level *l, PetscBool *weak)
{
  const wring_csr *const a        = &l->own;
  const double           contrast = 30, alone = 0.4;
  PetscInt64             stiffer = 0, single = 0;
  double                *stiffness;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)l->n, &stiffness));
#pragma omp parallel for schedule(static) reduction(+ : single) if (l->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->n; i++) {
    double most = 0;
    add_connections(l, a, l->scale, i, &stiffness[i], &most);
    add_connections(l, &l->ghost, l->scale + l->n, i, &stiffness[i], &most);
    single += most > alone;
  }
#pragma omp parallel for schedule(static) reduction(+ : stiffer) if (l->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->n; i++)
    for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++)
      stiffer += stiffness[i] > contrast * stiffness[a->column[k]] && stiffness[a->column[k]] > 0;
  PetscInt64 sum[] = {stiffer, single, l->n};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_INT64, MPI_SUM, l->comm));
  *weak = (PetscBool)(sum[0] > 0 || 2 * sum[1] > sum[2]);
  PetscCall(PetscFree(stiffness));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level, of A, which is the next coarser matrix afterwards; NULL: there is none. */
static PetscErrorCode add_level(wring_cycle *c, wring_coarsening *how, Mat *A)
{
  wring_level *const l = &c->level[c->n_level++], *const finer = c->n_level > 1 ? l - 1 : NULL;
  Mat       coarse = NULL;
  PetscBool weak   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(wring_level_create(c->comm, *A, (PetscBool)!finer, l));
  if (finer) PetscCall(wring_interpolation_rescale(&finer->from_coarse, NULL, l->scale));
  PetscCall(wring_level_set_up(l, finer ? finer->from_coarse.columns.n_ghost : 0));
  if (!finer && how->threshold > 0) PetscCall(has_weak_connections(l, &weak));
  how->threshold *= finer ? 0.5 : weak;
  if (c->n_level < MOST_LEVELS) PetscCall(wring_coarsen(l, *A, (PetscBool)!finer, how, &coarse));
  PetscCall(MatDestroy(A));
  *A = coarse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_create(MPI_Comm comm, Mat A, const wring_coarsening *how, wring_cycle **out)
{
  wring_coarsening of_level = *how;
  wring_cycle     *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *out    = c;
  c->comm = comm;
  PetscCall(PetscCalloc1(MOST_LEVELS, &c->level)); // their messages must not move
  c->coarsest.comm = MPI_COMM_NULL;
  PetscCall(PetscObjectReference((PetscObject)A));
  while (A) PetscCall(add_level(c, &of_level, &A));
  for (int i = 0; i < c->n_level; i++) c->memory += wring_level_memory(&c->level[i]);
  PetscCall(wring_coarsest_create(&c->level[c->n_level - 1], 1, 3, MOST_DENSE, &c->coarsest));
  PetscCall(wring_coarsest_set(&c->level[c->n_level - 1], &c->coarsest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_destroy(wring_cycle **c)
{
  PetscFunctionBegin;
  if (!*c) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < (*c)->n_level; i++) PetscCall(wring_level_destroy(&(*c)->level[i]));
  PetscCall(wring_coarsest_destroy(&(*c)->coarsest));
  PetscCall(PetscFree((*c)->level));
  PetscCall(PetscFree(*c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- new values -------------------------------------------------------------------------------------------------- */

/*
  From level i on, whose matrix has the values a in the scaling that the level has now: first the values of the next
  level, by P in the old scalings, then the new scalings. q [n + n_ghost] of level i: new over old scaling.
*/
static PetscErrorCode renew_from(wring_cycle *c, int i, const wring_level_values *a, float *q)
{
  wring_level *const l = &c->level[i], *const next = l + 1;
  double *own, *ghost;
  float  *q_next;

  PetscFunctionBegin;
  if (i + 1 == c->n_level) {
    PetscCall(wring_level_renew(l, a, q));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const PetscInt n = next->own.start[next->n], n_ghost = next->ghost.start ? next->ghost.start[next->n] : 0;
  PetscCall(PetscMalloc3(n, &own, n_ghost, &ghost, next->n + next->n_ghost, &q_next));
  PetscCall(wring_galerkin(l, a, next, own, ghost));
  PetscCall(wring_level_renew(l, a, q));
  PetscCall(renew_from(c, i + 1, &(wring_level_values){own, ghost, NULL}, q_next));
  PetscCall(wring_interpolation_rescale(&l->from_coarse, q, q_next));
  PetscCall(PetscFree3(own, ghost, q_next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_renew(wring_cycle *c, Mat A)
{
  wring_level *const l = c->level;
  wring_rows         r;
  float             *q;

  PetscFunctionBegin;
  PetscCall(wring_rows_get(A, &r));
  PetscCall(PetscMalloc1((size_t)(l->n + l->n_ghost), &q));
  PetscCall(renew_from(c, 0, &(wring_level_values){r.own.value, r.ghost.value, l->scale}, q));
  PetscCall(PetscFree(q));
  PetscCall(wring_rows_restore(&r));
  PetscCall(wring_coarsest_set(&l[c->n_level - 1], &c->coarsest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the cycle --------------------------------------------------------------------------------------------------- */

/* y = A^(-1) b, or a few steps of the smoother from zero. */
static PetscErrorCode solve_coarsest(wring_cycle *c, wring_level *l, const float *scale)
{
  enum { STEPS = 4 };

  PetscFunctionBegin;
  if (c->coarsest.dense) {
    PetscCall(wring_coarsest_solve(&c->coarsest, l->n, l->b, l->y));
  } else {
    for (PetscInt i = 0; i < 3 * l->n; i++) l->y[i] = l->omega * l->b[i];
    for (int k = 0; k < STEPS; k++) {
      PetscCall(PetscArraycpy(l->x, l->y, 3 * l->n));
      PetscCall(wring_level_combine(l, PETSC_TRUE, l->omega, l->b, 1, l->x, l->y, NULL));
    }
  }
  if (scale)
    for (PetscInt i = 0; i < 3 * l->n; i++) l->y[i] *= scale[i / 3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_apply(wring_cycle *c, PetscBool fetch)
{
  const int          last  = c->n_level - 1;
  wring_level *const level = c->level;
  const float *const scale = level->scale;

  PetscFunctionBegin;
  for (int i = 0; i < last; i++) { // y = b - omega A b, the residual of x = omega b
    wring_level *const l = &level[i];
    PetscCall(wring_level_combine(l, (PetscBool)(i > 0 || fetch), 0, l->b, 1, l->b, l->y, NULL));
    PetscCall(wring_interpolation_restrict(&l->from_coarse, l->y, level[i + 1].b));
  }
  PetscCall(solve_coarsest(c, &level[last], last == 0 ? scale : NULL));
  for (int i = last - 1; i >= 0; i--) {
    wring_level *const l = &level[i];
    PetscCall(wring_interpolation_prolong(&l->from_coarse, level[i + 1].y, l->omega, l->b, l->x));
    PetscCall(wring_level_combine(l, PETSC_FALSE, l->omega, l->b, 1, l->x, l->y, i == 0 ? scale : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_multiply(wring_cycle *c, double factor, double size, const double *r, double *z)
{
  const wring_level *const l        = c->level;
  const PetscInt           n        = l->n;
  const PetscBool          threaded = (PetscBool)(n > WRING_SERIAL_BELOW);

  PetscFunctionBegin;
  const unsigned old = wring_subnormal_flush_all(threaded);
#pragma omp parallel for schedule(static) if (threaded)
  for (PetscInt i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) l->b[3 * i + k] = (float)(r[3 * i + k] / size) * l->scale[i];
  const PetscErrorCode code = wring_cycle_apply(c, PETSC_TRUE);
#pragma omp parallel for schedule(static) if (threaded)
  for (PetscInt j = 0; j < 3 * n; j++) z[j] = factor * size * l->y[j];
  wring_subnormal_restore_all(old, threaded); // also after a refusal
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
