/*
  Matrix rows in float with 32-bit columns: half the bytes of PETSc's arrays, for kernels that are limited by memory
  bandwidth.
*/
#pragma once
#include "operator/aij.h"
#include "vec.h"

/* Rows of one rank. Columns are local. */
typedef struct {
  const PetscInt *start;  // [n + 1]
  const int      *column; // [start[n]]
  float          *value;  // [start[n]], owned
  PetscInt       *own_start;
  int            *own_column; // targets of start and column; NULL if these point to arrays of a PETSc matrix
} wring_csr;

/*
  The pattern of a. With `borrow`, c points to a's arrays where possible, which must live as long; otherwise all is
  copied. Not collective.
*/
PetscErrorCode wring_csr_create(const wring_aij *a, PetscBool borrow, wring_csr *c);

/* Values of c, n rows: entry k of row i, in column j, is value[k] row[i] column[j]. */
void wring_csr_set_values(PetscInt n, const double *value, const float *row, const float *column, wring_csr *c);

/* The diagonal entry of row i, value [start[n]]; 0: there is none. */
double wring_csr_diagonal(const wring_csr *c, const double *value, PetscInt i);

/* t, with n_column rows, is the transpose of a, with n rows. */
PetscErrorCode wring_csr_transpose(PetscInt n, PetscInt n_column, const wring_csr *a, wring_csr *t);
PetscErrorCode wring_csr_destroy(wring_csr *a);
double         wring_csr_memory(PetscInt n, const wring_csr *a); // bytes that it owns

/* Row i times x [][3]; the fourth number is undefined. */
static inline wring_float4 wring_csr_row(const wring_csr *a, PetscInt i, const float *x)
{
  wring_float4 sum = {0}, other = {0};
  PetscInt     k = a->start[i];
  for (const PetscInt end = a->start[i + 1] - 1; k < end; k += 2) {
    sum += a->value[k] * wring_load_float(x + 3 * (size_t)a->column[k]);
    other += a->value[k + 1] * wring_load_float(x + 3 * (size_t)a->column[k + 1]);
  }
  if (k < a->start[i + 1]) sum += a->value[k] * wring_load_float(x + 3 * (size_t)a->column[k]);
  return sum + other;
}
