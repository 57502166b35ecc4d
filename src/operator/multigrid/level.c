/*
  The kernel of the smoother: a row of the matrix times three components at once. It is limited by memory bandwidth, so
  one pass over the matrix does everything that needs a row. docs/theory.md (4.7), (4.8)
*/
#include "level.h"

static void combine_own(const wring_level *l, float p, const float *b, float q, const float *x, float *y,
                        const float *scale)
{
#pragma omp parallel for schedule(static) if (l->n > WRING_SERIAL_BELOW)
  for (PetscInt i = 0; i < l->n; i++) {
    const wring_float4 sum = wring_csr_row(&l->own, i, x);
    const float        d   = scale ? scale[i] : 1;
    for (int c = 0; c < 3; c++) y[3 * i + c] = d * (p * b[3 * i + c] + q * x[3 * i + c] - l->omega * sum[c]);
  }
}

static void combine_ghosts(const wring_level *l, const float *ghost, float *y, const float *scale)
{
#pragma omp parallel for schedule(static) if (l->n_boundary > WRING_SERIAL_BELOW)
  for (PetscInt k = 0; k < l->n_boundary; k++) {
    const PetscInt     i    = l->boundary[k];
    const wring_float4 sum  = wring_csr_row(&l->ghost, i, ghost);
    const float        step = scale ? scale[i] * l->omega : l->omega;
    for (int c = 0; c < 3; c++) y[3 * i + c] -= step * sum[c];
  }
}

PetscErrorCode wring_level_combine(wring_level *l, PetscBool fetch, float p, const float *b, float q, float *x,
                                   float *y, const float *scale)
{
  float *const ghost = wring_level_ghosts(l, x);

  PetscFunctionBegin;
  if (fetch) PetscCall(wring_fetch_begin(&l->fetch, x));
  combine_own(l, p, b, q, x, y, scale);
  if (fetch) PetscCall(wring_fetch_end(&l->fetch, ghost));
  combine_ghosts(l, ghost, y, scale);
  PetscFunctionReturn(PETSC_SUCCESS);
}
