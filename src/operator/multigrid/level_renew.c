/* New values in a level whose pattern stays. docs/theory.md (4.5)-(4.7), (4.19) */
#include "level.h"

/* The diagonal entry of row i. */
static double find_diagonal(const wring_csr *a, const double *value, PetscInt i)
{
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++)
    if (a->column[k] == i) return value[k];
  return 0;
}

/* d = the diagonal [n]. A refusal changes nothing in l. */
static PetscErrorCode get_diagonal(const wring_level *l, const double *value, double *d)
{
  PetscBool definite = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < l->n; i++) {
    d[i]     = find_diagonal(&l->own, value, i);
    definite = (PetscBool)(definite && d[i] > 0);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, WRING_MPI_BOOL, MPI_LAND, l->comm));
  if (!definite) WRING_REFUSE(l->comm, "operator: the matrix is not positive definite (its diagonal)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New l->scale, and q. */
static PetscErrorCode rescale(wring_level *l, const wring_level_values *a, float *q)
{
  double *d;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(l->n, &d));
  PetscCall(get_diagonal(l, a->own, d));
  for (PetscInt i = 0; i < l->n; i++) {
    const double old = l->scale[i];
    l->scale[i]      = (float)((a->scale ? 1 : old) / PetscSqrtReal(d[i]));
    q[i]             = (float)(a->scale ? l->scale[i] / old : 1 / PetscSqrtReal(d[i]));
  }
  PetscCall(PetscFree(d));
  PetscCall(wring_neighbours_fetch(&l->near, sizeof *q, q, q + l->n));
  PetscCall(wring_neighbours_fetch(&l->near, sizeof *q, l->scale, l->scale + l->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value = a, with row i times row[i] and column j times column[j]. */
static void set_values(PetscInt n, const double *a, const float *row, const float *column, wring_csr *c)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(n); s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++)
      for (PetscInt k = c->start[i]; k < c->start[i + 1]; k++)
        c->value[k] = (float)(a[k] * row[i] * column[c->column[k]]);
  }
}

PetscErrorCode wring_level_renew(wring_level *l, const wring_level_values *a, float *q)
{
  PetscFunctionBegin;
  PetscCall(rescale(l, a, q));
  const float *const by = a->scale ? l->scale : q;
  set_values(l->n, a->own, by, by, &l->own);
  if (l->ghost.start) set_values(l->n, a->ghost, by, by + l->n, &l->ghost);
  PetscCall(wring_level_find_omega(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row i times column[j]/row[i], for all rows of a. */
static void rescale_rows(PetscInt n, const float *row, const float *column, wring_csr *a)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(n); s++) {
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++)
      for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++)
        a->value[k] = (float)((double)a->value[k] * column[a->column[k]] / row[i]);
  }
}

PetscErrorCode wring_interpolation_rescale(wring_interpolation *p, const float *fine, const float *coarse)
{
  const PetscInt shared = p->own_columns.n_ghost;
  float         *column;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->n_coarse + PetscMax(p->n_ghost, shared), &column));
  PetscCall(PetscArraycpy(column, coarse, p->n_coarse));
  if (p->fetch.of) PetscCall(wring_neighbours_fetch(&p->columns, sizeof *coarse, coarse, column + p->n_coarse));
  rescale_rows(p->n_fine, fine, column, &p->P);
  if (p->fetch.of) PetscCall(wring_neighbours_fetch(&p->own_columns, sizeof *coarse, coarse, column + p->n_coarse));
  wring_csr *const R = &p->R;
  for (PetscInt i = 0; i < p->n_coarse + shared; i++)
    for (PetscInt k = R->start[i]; k < R->start[i + 1]; k++)
      R->value[k] = (float)((double)R->value[k] * column[i] / fine[R->column[k]]);
  PetscCall(PetscFree(column));
  PetscFunctionReturn(PETSC_SUCCESS);
}
