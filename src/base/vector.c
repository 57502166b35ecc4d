/*
  Threaded kernels of local vectors. A sum is cut into a strip for each tile, or into WRING_STRIPS strips of whole
  tiles, as equal as tiles allow; one thread sums a strip tile by tile, in eight lanes, and the strips are added
  pairwise, so that the order does not depend on the number of threads.
*/
#include <wring/base.h>

// TILE, SERIAL_BELOW: numbers; waking threads takes longer than such a loop
enum { TILE = 1024, COLUMNS = 8, SERIAL_BELOW = 16 * TILE };

void wring_fill(PetscInt n, double a, double *x)
{
#pragma omp parallel for simd schedule(static) if (n > SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) x[i] = a;
}

void wring_axpy(PetscInt n, double a, const double *x, double *y)
{
#pragma omp parallel for simd schedule(static) if (n > SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) y[i] += a * x[i];
}

void wring_waxpy(PetscInt n, double a, const double *x, const double *y, double *w)
{
#pragma omp parallel for simd schedule(static) if (n > SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) w[i] = a * x[i] + y[i];
}

void wring_copy(PetscInt n, const double *x, double *y)
{
#pragma omp parallel for simd schedule(static) if (n > SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) y[i] = x[i];
}

/* A tile of a combination, two vectors at a time: w stays in the cache, v is streamed. */
static void combine_tile(int m, const double *c, const double *const *v, PetscInt first, PetscInt n, double *w)
{
  const double *const x = v[0] + first;
#pragma omp simd
  for (PetscInt i = 0; i < n; i++) w[i] = c[0] * x[i];
  int j = 1;
  for (; j + 1 < m; j += 2) {
    const double *const y = v[j] + first, *const z = v[j + 1] + first;
#pragma omp simd
    for (PetscInt i = 0; i < n; i++) w[i] += c[j] * y[i] + c[j + 1] * z[i];
  }
  if (j < m) {
    const double *const y = v[j] + first;
#pragma omp simd
    for (PetscInt i = 0; i < n; i++) w[i] += c[j] * y[i];
  }
}

void wring_combine(PetscInt n, int m, const double *c, const double *const *v, double *w)
{
#pragma omp parallel for schedule(static) if (n > SERIAL_BELOW)
  for (PetscInt first = 0; first < n; first += TILE) combine_tile(m, c, v, first, PetscMin(TILE, n - first), w + first);
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

void wring_pairwise_rows(PetscInt n, PetscInt m, double *a)
{
  for (; n > 1; n -= n / 2) { // the last n / 2 rows are added to the first
    double *const from = a + (size_t)(n - n / 2) * (size_t)m;
#pragma omp simd
    for (size_t i = 0; i < (size_t)(n / 2) * (size_t)m; i++) a[i] += from[i];
  }
}

/* x . y over at most TILE values: eight running sums, then a tree. */
static double dot_tile(PetscInt n, const double *x, const double *y)
{
  double   lane[WRING_LANES] = {0};
  PetscInt i                 = 0;
  for (; i + WRING_LANES <= n; i += WRING_LANES) {
    for (int l = 0; l < WRING_LANES; l++) lane[l] += x[i + l] * y[i + l];
  }
  for (int l = 0; i < n; i++, l++) lane[l] += x[i] * y[i];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

typedef struct {
  PetscInt begin, end; // tiles
} strip;

static PetscInt tiles_of(PetscInt n)
{
  return (PetscInt)(((int64_t)n + TILE - 1) / TILE);
}

static int strips_of(PetscInt n)
{
  return (int)PetscMin(tiles_of(n), WRING_STRIPS);
}

static strip strip_of(PetscInt n, int s)
{
  const int64_t tiles = tiles_of(n), strips = strips_of(n);
  return (strip){(PetscInt)(tiles * s / strips), (PetscInt)(tiles * (s + 1) / strips)};
}

void wring_dots(PetscInt n, int m, const double *x, const double *const *y, double *d)
{
  double sum[COLUMNS][WRING_STRIPS];
  for (int j0 = 0; j0 < m; j0 += COLUMNS) { // x is read once for COLUMNS of the y
    const int mj = PetscMin(m - j0, COLUMNS);
#pragma omp parallel for schedule(static) if (n > SERIAL_BELOW)
    for (int s = 0; s < strips_of(n); s++) {
      const strip tiles = strip_of(n, s);
      for (int j = 0; j < mj; j++) sum[j][s] = 0;
      for (PetscInt b = tiles.begin; b < tiles.end; b++) {
        const PetscInt i = b * TILE, len = PetscMin(TILE, n - i);
        for (int j = 0; j < mj; j++) sum[j][s] += dot_tile(len, x + i, y[j0 + j] + i);
      }
    }
    for (int j = 0; j < mj; j++) d[j0 + j] = wring_pairwise_sum(strips_of(n), sum[j]);
  }
}

void wring_invert_blocks(PetscInt n, double *block)
{
#pragma omp parallel for schedule(static) if (6 * (int64_t)n > SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    double *const b  = block + 6 * (size_t)i;
    const double  xx = b[0], yy = b[1], zz = b[2], xy = b[3], yz = b[4], xz = b[5];
    const double  c0 = yy * zz - yz * yz, c3 = yz * xz - xy * zz, c5 = xy * yz - yy * xz;
    const double  one = 1 / (xx * c0 + xy * c3 + xz * c5);
    b[0] = one * c0, b[1] = one * (xx * zz - xz * xz), b[2] = one * (xx * yy - xy * xy);
    b[3] = one * c3, b[4] = one * (xy * xz - xx * yz), b[5] = one * c5;
  }
}

void wring_multiply_blocks(PetscInt n, const double *block, const double *x, double *y)
{
#pragma omp parallel for schedule(static) if (6 * (int64_t)n > SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    const double *const b = block + 6 * (size_t)i, *const r = x + 3 * i;
    y[3 * i]     = b[0] * r[0] + b[3] * r[1] + b[5] * r[2];
    y[3 * i + 1] = b[3] * r[0] + b[1] * r[1] + b[4] * r[2];
    y[3 * i + 2] = b[5] * r[0] + b[4] * r[1] + b[2] * r[2];
  }
}

static double inertia_tile(PetscInt n, double s, const double *m, const double *x, const double *y, double *f)
{
  double sum[3] = {0};
  for (PetscInt i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) {
      const double d = x[3 * i + c] - y[3 * i + c], force = s * m[i] * d;
      sum[c] += force * d;
      if (f) f[3 * i + c] = force;
    }
  }
  return 0.5 * (sum[0] + sum[1] + sum[2]);
}

double wring_inertia(PetscInt n, double s, const double *m, const double *x, const double *y, double *f)
{
  double sum[WRING_STRIPS];
#pragma omp parallel for schedule(static) if (3 * (int64_t)n > SERIAL_BELOW)
  for (int k = 0; k < strips_of(n); k++) {
    const strip tiles = strip_of(n, k);
    sum[k]            = 0;
    for (PetscInt b = tiles.begin; b < tiles.end; b++) {
      const PetscInt i = b * TILE, len = PetscMin(TILE, n - i);
      sum[k] += inertia_tile(len, s, m + i, x + 3 * i, y + 3 * i, f ? f + 3 * i : NULL);
    }
  }
  return wring_pairwise_sum(strips_of(n), sum);
}

static void products_tile(PetscInt n, double s, const double *m, const double *x, const double *y, double d[3])
{
  double sum[3] = {0};
  for (PetscInt i = 0; i < 3 * n; i++) {
    const double k = s * m[i / 3];
    sum[0] += k * x[i] * x[i], sum[1] += k * x[i] * y[i], sum[2] += k * y[i] * y[i];
  }
  for (int j = 0; j < 3; j++) d[j] += sum[j];
}

void wring_mass_products(PetscInt n, double s, const double *m, const double *x, const double *y, double d[3])
{
  double sum[WRING_STRIPS][3] = {{0}}, one[WRING_STRIPS];
#pragma omp parallel for schedule(static) if (3 * (int64_t)n > SERIAL_BELOW)
  for (int k = 0; k < strips_of(n); k++) {
    const strip tiles = strip_of(n, k);
    for (PetscInt b = tiles.begin; b < tiles.end; b++) {
      const PetscInt i = b * TILE, len = PetscMin(TILE, n - i);
      products_tile(len, s, m + i, x + 3 * i, y + 3 * i, sum[k]);
    }
  }
  for (int j = 0; j < 3; j++) {
    for (int k = 0; k < strips_of(n); k++) one[k] = sum[k][j];
    d[j] = wring_pairwise_sum(strips_of(n), one);
  }
}

static double push_tile(PetscInt n, double s, const double *p, const double *x, const double *X, double *f)
{
  double lane[WRING_LANES] = {0};
  for (PetscInt i = 0; i < n; i++) {
    lane[i % WRING_LANES] += s * p[i] * (x[i] - X[i]);
    if (f) f[i] += s * p[i];
  }
  return wring_pairwise_sum(WRING_LANES, lane);
}

double wring_push(PetscInt n, double s, const double *p, const double *x, const double *X, double *f)
{
  double sum[WRING_STRIPS];
#pragma omp parallel for schedule(static) if (n > SERIAL_BELOW)
  for (int k = 0; k < strips_of(n); k++) {
    const strip tiles = strip_of(n, k);
    sum[k]            = 0;
    for (PetscInt b = tiles.begin; b < tiles.end; b++) {
      const PetscInt i = b * TILE, len = PetscMin(TILE, n - i);
      sum[k] += push_tile(len, s, p + i, x + i, X + i, f ? f + i : NULL);
    }
  }
  return wring_pairwise_sum(strips_of(n), sum);
}
