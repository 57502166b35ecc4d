/* Products with rows of blocks, and factors of diagonal blocks. */
#include "block.h"
#include <string.h>

enum { SPARE = 8 };

PetscErrorCode wring_block_csr_create(int rows, int cols, PetscInt n, const wring_csr *pattern, wring_block_csr *a)
{
  PetscFunctionBegin;
  *a = (wring_block_csr){.rows = rows, .cols = cols, .start = pattern->start, .column = pattern->column};
  if (!pattern->start) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)rows * (size_t)cols * (size_t)pattern->start[n] + SPARE, &a->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row i begins with this number of entries below the diagonal. */
static inline PetscInt count_below(const wring_block_csr *a, PetscInt i)
{
  return a->first ? a->start[i + 1] - a->start[i] - (a->first[i + 1] - a->first[i]) : 0;
}

PetscErrorCode wring_block_symmetric_create(int bs, PetscInt n, const wring_csr *pattern, wring_block_csr *a)
{
  const PetscInt *const start = pattern->start;
  PetscInt             *next;

  PetscFunctionBegin;
  *a = (wring_block_csr){.rows = bs, .cols = bs, .start = start, .column = pattern->column};
  PetscCall(PetscCalloc2(n + 1, &a->first, start[n] / 2 + WRING_BLOCKS_AHEAD, &a->below));
  PetscCall(PetscCalloc1(n, &next));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt k = start[i];
    while (k < start[i + 1] && a->column[k] < i) k++;
    a->first[i + 1] = a->first[i] + start[i + 1] - k;
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt at = a->first[i]; at < a->first[i + 1]; at++) {
      const PetscInt j = a->column[start[i + 1] - a->first[i + 1] + at];
      if (j == i) continue;
      const PetscInt nth = next[j]++;
      PetscCheck(nth < count_below(a, j) && a->column[start[j] + nth] == i, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "Row %" PetscInt_FMT " has no column %" PetscInt_FMT, j, i);
      a->below[start[j] - a->first[j] + nth] = at;
    }
  }
  PetscCall(PetscFree(next));
  PetscCall(PetscCalloc1((size_t)(bs * bs) * (size_t)a->first[n] + SPARE, &a->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_block_csr_destroy(wring_block_csr *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(a->first, a->below));
  PetscCall(PetscFree(a->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

float *wring_block_of(const wring_block_csr *a, PetscInt i, PetscInt k, PetscBool *turned)
{
  const PetscInt below = count_below(a, i), nth = k - a->start[i];
  *turned           = (PetscBool)(nth < below);
  const PetscInt at = !a->first ? k : *turned ? a->below[a->start[i] - a->first[i] + nth] : a->first[i] + nth - below;
  return a->block + (size_t)(a->rows * a->cols) * (size_t)at;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Blocks that are read in no order are prefetched. */
static inline __attribute__((always_inline)) void fetch_block(const float *block, size_t size)
{
  for (size_t i = 0; i < size; i += 16) __builtin_prefetch(block + i);
}

typedef float wring_float8 __attribute__((vector_size(32)));

/*
  Of blocks with three or six rows, whose columns are read as vectors V of four or eight numbers, of which the last are
  ignored. Sums are kept in two vectors, because each addition waits for the one before.
    row_sum     sum [ROWS] of row i times x
    turned_row  y [6] of a row of P^T times x
*/
#define KERNELS(ROWS, V)                                                                                               \
  static inline                                                                                                        \
    __attribute__((always_inline)) void add_turned_##ROWS(int cols, const float *block, const float *x, V *turned)     \
  {                                                                                                                    \
    V at, of;                                                                                                          \
    memcpy(&at, x, sizeof at);                                                                                         \
    for (int c = 0; c < cols; c++) {                                                                                   \
      memcpy(&of, block + ROWS * c, sizeof of);                                                                        \
      turned[c] += of * at;                                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  static inline __attribute__((always_inline)) float total_##ROWS(const V *turned)                                     \
  {                                                                                                                    \
    float sum = 0;                                                                                                     \
    for (int r = 0; r < ROWS; r++) sum += (*turned)[r];                                                                \
    return sum;                                                                                                        \
  }                                                                                                                    \
  static inline __attribute__((always_inline)) void row_sum_##ROWS(int cols, const wring_block_csr *a, PetscInt i,     \
                                                                   const float *restrict x, float *restrict sum)       \
  {                                                                                                                    \
    const size_t    size  = (size_t)(ROWS * cols);                                                                     \
    const PetscInt  below = count_below(a, i), middle = a->start[i] + below;                                           \
    const PetscInt *from  = below ? a->below + (a->start[i] - a->first[i]) : NULL;                                     \
    const float    *block = a->block + size * (size_t)(a->first ? a->first[i] : a->start[i]);                          \
    V               of, upper[2] = {{0}}, turned[ROWS] = {{0}};                                                        \
    for (PetscInt k = a->start[i]; k < middle; k++, from++) {                                                          \
      fetch_block(a->block + size * (size_t)from[WRING_BLOCKS_AHEAD], size);                                           \
      add_turned_##ROWS(ROWS, a->block + size * (size_t)*from, x + cols * a->column[k], turned);                       \
    }                                                                                                                  \
    for (PetscInt k = middle; k < a->start[i + 1]; k++, block += size) {                                               \
      const float *const at = x + cols * a->column[k];                                                                 \
      for (int c = 0; c < cols; c++) {                                                                                 \
        memcpy(&of, block + ROWS * c, sizeof of);                                                                      \
        upper[c % 2] += of * at[c];                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    for (int r = 0; r < ROWS; r++) sum[r] = upper[0][r] + upper[1][r] + (below ? total_##ROWS(&turned[r]) : 0);        \
  }                                                                                                                    \
  static inline __attribute__((always_inline)) void turned_row_##ROWS(const wring_block_turned *t, PetscInt i,         \
                                                                      const float *x, float *y)                        \
  {                                                                                                                    \
    V                  turned[WRING_RIGID] = {{0}};                                                                    \
    const float *const P                   = t->of->block;                                                             \
    const size_t       size                = (size_t)(WRING_RIGID * ROWS);                                             \
    const PetscInt     end                 = t->start[i + 1];                                                          \
    for (PetscInt k = t->start[i]; k < end; k++) {                                                                     \
      fetch_block(P + size * (size_t)t->entry[k + WRING_BLOCKS_AHEAD], size);                                          \
      add_turned_##ROWS(WRING_RIGID, P + size * (size_t)t->entry[k], x + ROWS * t->column[k], turned);                 \
    }                                                                                                                  \
    for (int c = 0; c < WRING_RIGID; c++) y[c] = total_##ROWS(&turned[c]);                                             \
  }
KERNELS(3, wring_float4)
KERNELS(6, wring_float8)
#undef KERNELS

/* row_sum of constant sizes. */
static inline __attribute__((always_inline)) void sum_of(const wring_block_csr *a, PetscInt i, const float *x,
                                                         float *sum)
{
  if (a->rows == 3 && a->cols == 3)
    row_sum_3(3, a, i, x, sum);
  else if (a->rows == 3)
    row_sum_3(6, a, i, x, sum);
  else
    row_sum_6(6, a, i, x, sum);
}

void wring_block_multiply(const wring_block_csr *a, PetscInt n, const float *x, float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) sum_of(a, i, x, y + a->rows * i);
}

void wring_block_multiply_turned(const wring_block_turned *t, PetscInt n, const float *x, float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    if (t->of->rows == 3)
      turned_row_3(t, i, x, y + WRING_RIGID * i);
    else
      turned_row_6(t, i, x, y + WRING_RIGID * i);
  }
}

void wring_block_add_rows(const wring_block_csr *a, PetscInt n, const PetscInt *row, float factor, const float *x,
                          float *y)
{
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < n; k++) {
    float sum[WRING_RIGID];
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
    float sum[WRING_RIGID];
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
