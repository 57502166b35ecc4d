/* PETSc's AIJ matrices as float rows. */
#include "csr.h"

void wring_csr_set_values(PetscInt n, const double *value, const float *row, const float *column, wring_csr *c)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = c->start[i]; k < c->start[i + 1]; k++)
      c->value[k] = (float)(value[k] * row[i] * column[c->column[k]]);
}

PetscErrorCode wring_csr_create(const wring_aij *a, PetscBool borrow, wring_csr *c)
{
  PetscFunctionBegin;
  c->start  = a->start;
  c->column = (const int *)a->column;
  if (!borrow) {
    PetscCall(PetscMalloc1((size_t)a->n + 1, &c->own_start));
    PetscCall(PetscArraycpy(c->own_start, a->start, a->n + 1));
    c->start = c->own_start;
  }
  if (!borrow || sizeof *a->column != sizeof *c->column) {
    PetscCall(PetscMalloc1((size_t)a->start[a->n], &c->own_column));
#pragma omp parallel for schedule(static) if (a->n > WRING_SERIAL_BELOW)
    for (PetscInt i = 0; i < a->n; i++)
      for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) c->own_column[k] = (int)a->column[k];
    c->column = c->own_column;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_csr_diagonal(const wring_csr *c, const double *value, PetscInt i)
{
  for (PetscInt k = c->start[i]; k < c->start[i + 1]; k++)
    if (c->column[k] == i) return value[k];
  return 0;
}

PetscErrorCode wring_csr_transpose(PetscInt n, PetscInt n_column, const wring_csr *a, wring_csr *t)
{
  PetscInt *next;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_column + 1, &t->own_start));
  PetscCall(PetscMalloc1((size_t)a->start[n], &t->own_column));
  PetscCall(PetscMalloc1((size_t)a->start[n], &t->value));
  PetscCall(PetscMalloc1((size_t)n_column, &next));
  for (PetscInt k = 0; k < a->start[n]; k++) t->own_start[a->column[k] + 1]++;
  for (PetscInt j = 0; j < n_column; j++) {
    next[j] = t->own_start[j];
    t->own_start[j + 1] += t->own_start[j];
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
      const PetscInt to = next[a->column[k]]++;
      t->own_column[to] = (int)i;
      t->value[to]      = a->value[k];
    }
  }
  t->start  = t->own_start;
  t->column = t->own_column;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_csr_destroy(wring_csr *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(a->value));
  PetscCall(PetscFree(a->own_start));
  PetscCall(PetscFree(a->own_column));
  a->start  = NULL;
  a->column = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_csr_memory(PetscInt n, const wring_csr *a)
{
  if (!a->start || n == 0) return 0;
  const double entry = sizeof *a->value + (a->own_column ? sizeof *a->own_column : 0);
  return entry * (double)a->start[n] + (a->own_start ? sizeof(PetscInt) * (double)n : 0);
}
