/* Products with rows of blocks, and factors of diagonal blocks. */
#include "block.h"

enum { SPARE = 8, LANES = 8 };

PetscErrorCode wring_block_csr_create(int rows, int cols, PetscInt n, const wring_csr *pattern, wring_block_csr *a)
{
  PetscFunctionBegin;
  *a = (wring_block_csr){rows, cols, pattern->start, pattern->column, NULL};
  if (!pattern->start) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)rows * (size_t)cols * (size_t)pattern->start[n] + SPARE, &a->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum [LANES] of row i times x; numbers from `rows` on are undefined. width: rows rounded up to 4 or 8. */
static inline __attribute__((always_inline)) void row_sum(int rows, int cols, int width, const wring_block_csr *a,
                                                          PetscInt i, const float *restrict x, float *restrict sum)
{
  for (int r = 0; r < width; r++) sum[r] = 0;
  for (PetscInt k = a->start[i]; k < a->start[i + 1]; k++) {
    const float *const block = a->block + (size_t)(rows * cols) * (size_t)k, *const at = x + cols * a->column[k];
    for (int c = 0; c < cols; c++) {
      for (int r = 0; r < width; r++) sum[r] += block[rows * c + r] * at[c];
    }
  }
}

/* row_sum of constant sizes. */
static inline __attribute__((always_inline)) void sum_of(const wring_block_csr *a, PetscInt i, const float *x,
                                                         float *sum)
{
  if (a->rows == 3 && a->cols == 3)
    row_sum(3, 3, 4, a, i, x, sum);
  else if (a->rows == 3)
    row_sum(3, 6, 4, a, i, x, sum);
  else if (a->cols == 3)
    row_sum(6, 3, 8, a, i, x, sum);
  else
    row_sum(6, 6, 8, a, i, x, sum);
}

void wring_block_multiply(const wring_block_csr *a, PetscInt n, const float *x, float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    float sum[LANES];
    sum_of(a, i, x, sum);
    for (int r = 0; r < a->rows; r++) y[a->rows * i + r] = sum[r];
  }
}

void wring_block_add_rows(const wring_block_csr *a, PetscInt n, const PetscInt *row, float factor, const float *x,
                          float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < n; k++) {
    float sum[LANES];
    sum_of(a, row[k], x, sum);
    for (int r = 0; r < a->rows; r++) y[a->rows * row[k] + r] += factor * sum[r];
  }
}

void wring_block_combine(const wring_block_csr *a, PetscInt n, float p, const float *b, float q, const float *x,
                         float omega, float *y)
{
  const int bs = a->rows;
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    float sum[LANES];
    sum_of(a, i, x, sum);
    for (int r = 0; r < bs; r++) y[bs * i + r] = p * b[bs * i + r] + q * x[bs * i + r] - omega * sum[r];
  }
}

void wring_block_factor(int bs, const double *D, double *inverse)
{
  const double tiny                        = 1e-7;
  double       L[WRING_RIGID][WRING_RIGID] = {{0}}, most = 0;
  for (int i = 0; i < bs; i++) most = PetscMax(most, D[bs * i + i]);
  for (int i = 0; i < bs * bs; i++) inverse[i] = 0;
  for (int j = 0; j < bs; j++) {
    double pivot = D[bs * j + j];
    for (int k = 0; k < j; k++) pivot -= L[j][k] * L[j][k];
    if (!(pivot > tiny * most)) continue; // L_jj is infinite
    L[j][j] = PetscSqrtReal(pivot);
    for (int i = j + 1; i < bs; i++) {
      double sum = D[bs * i + j];
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = sum / L[j][j];
    }
    for (int c = 0; c <= j; c++) {
      double sum = c == j;
      for (int k = c; k < j; k++) sum -= L[j][k] * inverse[bs * k + c];
      inverse[bs * j + c] = sum / L[j][j];
    }
  }
}
