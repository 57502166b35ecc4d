/* Vectors of vertices. */
#include "vec.h"
#include <string.h>

PetscErrorCode wring_vec_create(size_t n, size_t width, void *x)
{
  const size_t each = n / WRING_STRIPS + 1;
  char        *p;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((n + 1) * width, &p));
#pragma omp parallel for schedule(static) if (n > 3 * WRING_SERIAL_BELOW)
  for (size_t s = 0; s < WRING_STRIPS; s++) {
    const size_t first = PetscMin(s * each, n), end = PetscMin(first + each, n);
    memset(p + first * width, 0, (end - first) * width);
  }
  memset(p + n * width, 0, width);
  *(char **)x = p;
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
