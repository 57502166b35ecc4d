/* Vectors of vertices. */
#include "vec.h"

static size_t strip(size_t n, int s)
{
  return n / WRING_STRIPS * (size_t)s + n % WRING_STRIPS * (size_t)s / WRING_STRIPS;
}

PetscErrorCode wring_float_create(size_t n, float **x)
{
  float *p;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &p));
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++)
    for (size_t i = strip(n, s); i < strip(n, s + 1); i++) p[i] = 0;
  p[n] = 0;
  *x   = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_double_create(size_t n, double **x)
{
  double *p;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &p));
#pragma omp parallel for schedule(static) if (n > 3 * WRING_SERIAL_BELOW)
  for (int s = 0; s < WRING_STRIPS; s++)
    for (size_t i = strip(n, s); i < strip(n, s + 1); i++) p[i] = 0;
  p[n] = 0;
  *x   = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_float_dots(PetscInt n, const float *a, const float *b, double ab[3], double bb[3])
{
  double part[6][WRING_STRIPS];
#pragma omp parallel for schedule(static) if (n > WRING_SERIAL_BELOW)
  for (int s = 0; s < wring_strips(n); s++) {
    double sum[6] = {0};
    for (PetscInt i = wring_strip(n, s); i < wring_strip(n, s + 1); i++) {
      for (int c = 0; c < 3; c++) {
        const double bi = b[3 * i + c];
        sum[c] += a[3 * i + c] * bi;
        sum[3 + c] += bi * bi;
      }
    }
    for (int k = 0; k < 6; k++) part[k][s] = sum[k];
  }
  for (int c = 0; c < 3; c++) {
    ab[c] = wring_pairwise_sum(wring_strips(n), part[c]);
    bb[c] = wring_pairwise_sum(wring_strips(n), part[3 + c]);
  }
}
