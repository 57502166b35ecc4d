/*
  Threaded kernels of local vectors. Sums are formed in fixed blocks of BLOCK values, eight lanes to a block, and the
  blocks are added pairwise: one order of additions at any number of threads.
*/
#include <wring/base.h>

enum {
  BLOCK  = 1024,
  BLOCKS = 64
}; // a dot product holds BLOCKS block sums at once: no allocation, error O(log n) inside

void wring_axpy(PetscInt n, double a, const double *x, double *y)
{
#pragma omp parallel for simd schedule(static)
  for (PetscInt i = 0; i < n; i++) y[i] += a * x[i];
}

void wring_waxpy(PetscInt n, double a, const double *x, const double *y, double *w)
{
#pragma omp parallel for simd schedule(static)
  for (PetscInt i = 0; i < n; i++) w[i] = a * x[i] + y[i];
}

void wring_scale(PetscInt n, double a, double *x)
{
#pragma omp parallel for simd schedule(static)
  for (PetscInt i = 0; i < n; i++) x[i] *= a;
}

void wring_copy(PetscInt n, const double *x, double *y)
{
#pragma omp parallel for simd schedule(static)
  for (PetscInt i = 0; i < n; i++) y[i] = x[i];
}

double wring_pairwise_sum(PetscInt n, const double *a)
{
  if (n > 8) {
    const PetscInt half = n / 2;
    return wring_pairwise_sum(half, a) + wring_pairwise_sum(n - half, a + half);
  }
  double sum = 0;
  for (PetscInt i = 0; i < n; i++) sum += a[i];
  return sum;
}

/* x . y over at most BLOCK values: eight running sums, then a tree. */
static double dot_block(PetscInt n, const double *x, const double *y)
{
  double   lane[WRING_LANES] = {0};
  PetscInt i                 = 0;
  for (; i + WRING_LANES <= n; i += WRING_LANES) {
    for (int l = 0; l < WRING_LANES; l++) lane[l] += x[i + l] * y[i + l];
  }
  for (int l = 0; i < n; i++, l++) lane[l] += x[i] * y[i];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

void wring_dots(PetscInt n, int m, const double *x, const double *const *y, double *d)
{
  /* At most BLOCKS strips, each a whole number of blocks and each summed by one thread in order. */
  const PetscInt blocks = (n + BLOCK - 1) / BLOCK, per_strip = PetscMax((blocks + BLOCKS - 1) / BLOCKS, 1);
  double         sum[BLOCKS];
  for (int j0 = 0; j0 < m; j0 += 8) { // eight vectors at once: x is read once for them
    const int mj = PetscMin(m - j0, 8);
    double    part[8][BLOCKS];
#pragma omp parallel for schedule(static)
    for (int s = 0; s < BLOCKS; s++) {
      for (int j = 0; j < mj; j++) part[j][s] = 0;
      for (PetscInt b = s * per_strip; b < PetscMin((s + 1) * per_strip, blocks); b++) {
        const PetscInt i = b * BLOCK, len = PetscMin(BLOCK, n - i);
        for (int j = 0; j < mj; j++) part[j][s] += dot_block(len, x + i, y[j0 + j] + i);
      }
    }
    for (int j = 0; j < mj; j++) {
      for (int s = 0; s < BLOCKS; s++) sum[s] = part[j][s];
      d[j0 + j] = wring_pairwise_sum(BLOCKS, sum);
    }
  }
}
