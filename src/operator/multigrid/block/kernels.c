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
      PetscCheck(nth < wring_block_below(a, j) && a->column[start[j] + nth] == i, PETSC_COMM_SELF, PETSC_ERR_PLIB,
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

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Blocks that are read in no order are prefetched. */
BLOCK_INLINE void fetch_block(const float *block, size_t size)
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
  BLOCK_INLINE void add_turned_##ROWS(int cols, const float *block, const float *x, V *turned)                         \
  {                                                                                                                    \
    V at, of;                                                                                                          \
    memcpy(&at, x, sizeof at);                                                                                         \
    for (int c = 0; c < cols; c++) {                                                                                   \
      memcpy(&of, block + ROWS * c, sizeof of);                                                                        \
      turned[c] += of * at;                                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  BLOCK_INLINE float total_##ROWS(const V *turned)                                                                     \
  {                                                                                                                    \
    float sum = 0;                                                                                                     \
    for (int r = 0; r < ROWS; r++) sum += (*turned)[r];                                                                \
    return sum;                                                                                                        \
  }                                                                                                                    \
  BLOCK_INLINE void row_sum_##ROWS(int cols, const wring_block_csr *a, PetscInt i, const float *restrict x,            \
                                   float *restrict sum)                                                                \
  {                                                                                                                    \
    const size_t    size  = (size_t)(ROWS * cols);                                                                     \
    const PetscInt  below = wring_block_below(a, i), middle = a->start[i] + below;                                     \
    const PetscInt *from  = below ? a->below + (a->start[i] - a->first[i]) : NULL;                                     \
    const float    *block = a->block + size * (size_t)(a->first ? a->first[i] : a->start[i]);                          \
    V               of, sums[2] = {{0}}, turned[ROWS] = {{0}};                                                         \
    const PetscInt  plain = a->first ? middle : a->start[i + 1];                                                       \
    for (PetscInt k = a->start[i]; k < plain; k++, block += a->first ? 0 : size) {                                     \
      const float *const b = a->first ? a->block + size * (size_t)*from : block, *const at = x + cols * a->column[k];  \
      if (a->first) fetch_block(a->block + size * (size_t)from++[WRING_BLOCKS_AHEAD], size);                           \
      for (int c = 0; c < cols; c++) {                                                                                 \
        memcpy(&of, b + ROWS * c, sizeof of);                                                                          \
        sums[c % 2] += of * at[c];                                                                                     \
      }                                                                                                                \
    }                                                                                                                  \
    for (PetscInt k = plain; k < a->start[i + 1]; k++, block += size)                                                  \
      add_turned_##ROWS(ROWS, block, x + cols * a->column[k], turned);                                                 \
    for (int r = 0; r < ROWS; r++) sum[r] = sums[0][r] + sums[1][r] + (a->first ? total_##ROWS(&turned[r]) : 0);       \
  }                                                                                                                    \
  BLOCK_INLINE void turned_row_##ROWS(const wring_block_turned *t, PetscInt i, const float *x, float *y)               \
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
BLOCK_INLINE void sum_of(const wring_block_csr *a, PetscInt i, const float *x, float *sum)
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

/*
  y [begin, end) of wring_block_combine, of blocks of three by three. A block that is kept also gives the product of its
  transpose to a row of this strip; rows read those of other strips themselves.
*/
static void combine_strip(const wring_block_csr *a, PetscInt begin, PetscInt end, float p, const float *b, float q,
                          const float *x, float omega, float *y)
{
  for (PetscInt e = 3 * begin; e < 3 * end; e++) y[e] = p * b[e] + q * x[e];
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt  last = a->start[i + 1], middle = a->start[i] + wring_block_below(a, i);
    const PetscInt *from = a->below + (a->start[i] - a->first[i]);
    const float *block = a->block + 9 * (size_t)a->first[i], *const xi = x + 3 * i;
    wring_float4 row[3] = {{0}}, early = {0};
    for (PetscInt k = a->start[i]; k < middle && a->column[k] < begin; k++, from++) {
      const float *const at = x + 3 * a->column[k], *const of = a->block + 9 * (size_t)*from;
      early += wring_load_float(of) * at[0] + wring_load_float(of + 3) * at[1] + wring_load_float(of + 6) * at[2];
    }
    for (PetscInt k = middle; k < last; k++, block += 9) {
      const PetscInt     j     = a->column[k];
      const wring_float4 of[3] = {wring_load_float(block), wring_load_float(block + 3), wring_load_float(block + 6)};
      const wring_float4 at    = wring_load_float(x + 3 * j);
      float *const       yj    = y + 3 * j;
      for (int r = 0; r < 3; r++) row[r] += of[r] * at;
      if (j == i || j >= end) continue;
      wring_float4 to = omega * (of[0] * xi[0] + of[1] * xi[1] + of[2] * xi[2]);
      for (int c = 0; c < 3; c++) yj[c] -= to[c];
    }
    for (int r = 0; r < 3; r++) y[3 * i + r] -= omega * (row[r][0] + row[r][1] + row[r][2] + early[r]);
  }
}

void wring_block_combine(const wring_block_csr *a, PetscInt n, float p, const float *b, float q, const float *x,
                         float omega, float *y)
{
  const int bs = a->rows;
  if (bs == 3) {
#pragma omp parallel for schedule(static)
    for (PetscInt s = 0; s < n; s += WRING_BLOCK_STRIP)
      combine_strip(a, s, PetscMin(s + WRING_BLOCK_STRIP, n), p, b, q, x, omega, y);
    return;
  }
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
