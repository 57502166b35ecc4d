/* PETSc's AIJ matrices as float rows. */
#include "csr.h"
#include "operator/aij.h"

/* ---- one matrix -------------------------------------------------------------------------------------------------- */

static void fill_values(const wring_aij *a, const float *row, const float *column, float *value)
{
#pragma omp parallel for schedule(static) if (a->n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(a->n); s++) {
    for (PetscInt i = wring_strip(a->n, s); i < wring_strip(a->n, s + 1); i++) {
      for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++)
        value[k] = (float)(a->value[k] * row[i] * column[a->column[k]]);
    }
  }
}

static void copy_pattern(const wring_aij *a, PetscBool starts, wring_csr *c)
{
#pragma omp parallel for schedule(static) if (a->n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(a->n); s++) {
    for (PetscInt i = wring_strip(a->n, s); i < wring_strip(a->n, s + 1); i++) {
      if (starts) c->own_start[i + 1] = a->start[i + 1];
      for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) c->own_column[k] = (int)a->column[k];
    }
  }
}

PetscErrorCode wring_csr_create(Mat A, PetscBool borrow, const float *row, const float *column, wring_csr *c)
{
  const PetscBool narrow = (PetscBool)(sizeof(PetscInt) == sizeof(int));
  wring_aij       a;

  PetscFunctionBegin;
  PetscCall(wring_aij_get(A, &a));
  const size_t n_entry = a.n > 0 ? (size_t)a.start[a.n] : 0;
  if (row) PetscCall(PetscMalloc1(n_entry, &c->value));
  if (!borrow) {
    PetscCall(PetscMalloc1((size_t)a.n + 1, &c->own_start));
    c->own_start[0] = 0;
  }
  if (!borrow || !narrow) {
    PetscCall(PetscMalloc1(n_entry, &c->own_column));
    copy_pattern(&a, (PetscBool)!borrow, c);
  }
  c->start  = borrow ? a.start : c->own_start;
  c->column = c->own_column ? c->own_column : (const int *)a.column;
  if (row) fill_values(&a, row, column, c->value);
  PetscCall(wring_aij_restore(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- two parts in one -------------------------------------------------------------------------------------------- */

/* Copies row i of one part to the entries from k on; returns the next k. */
static PetscInt append(const wring_aij *a, PetscInt i, PetscInt shift, const float *row, const float *column,
                       PetscInt k, wring_csr *c)
{
  for (PetscInt j = a->start[i]; j < a->start[i + 1]; j++, k++) {
    c->own_column[k] = (int)(shift + a->column[j]);
    c->value[k]      = (float)(a->value[j] * row[i] * column[shift + a->column[j]]);
  }
  return k;
}

PetscErrorCode wring_csr_join(Mat own, Mat ghost, PetscInt n_own, const float *row, const float *column, wring_csr *c)
{
  wring_aij a, g;

  PetscFunctionBegin;
  PetscCall(wring_aij_get(own, &a));
  PetscCall(wring_aij_get(ghost, &g));
  PetscCall(PetscMalloc1((size_t)a.n + 1, &c->own_start));
  c->own_start[0] = 0;
  for (PetscInt i = 0; i < a.n; i++) c->own_start[i + 1] = a.start[i + 1] + (ghost ? g.start[i + 1] : 0);
  PetscCall(PetscMalloc1((size_t)c->own_start[a.n], &c->own_column));
  PetscCall(PetscMalloc1((size_t)c->own_start[a.n], &c->value));
#pragma omp parallel for schedule(static) if (a.n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(a.n); s++) {
    for (PetscInt i = wring_strip(a.n, s); i < wring_strip(a.n, s + 1); i++) {
      const PetscInt k = append(&a, i, 0, row, column, c->own_start[i], c);
      if (g.A) append(&g, i, n_own, row, column, k, c);
    }
  }
  c->start  = c->own_start;
  c->column = c->own_column;
  PetscCall(wring_aij_restore(&g));
  PetscCall(wring_aij_restore(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_csr_reserve(PetscInt n, PetscInt n_entry, wring_csr *c)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof *c->own_start * ((size_t)n + 1), &c->own_start));
  PetscCall(PetscRealloc(sizeof *c->own_column * (size_t)n_entry, &c->own_column));
  PetscCall(PetscRealloc(sizeof *c->value * (size_t)n_entry, &c->value));
  c->start  = c->own_start;
  c->column = c->own_column;
  PetscFunctionReturn(PETSC_SUCCESS);
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
