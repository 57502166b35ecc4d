#include "order.h"
#include "base/sort.h"

enum { CURVE_BITS = 21 };

/* Stable sorts, the least important first. */
PetscErrorCode wring_order_tets(PetscInt n, PetscInt n_region, const PetscInt *region, const PetscInt *boundary,
                                PetscInt *order, PetscInt *n_interior)
{
  PetscInt *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)PetscMax(n_region, 2) + 1, &start));
  PetscCall(wring_sort_buckets(n, order, region, n_region, start));
  PetscCall(wring_sort_buckets(n, order, boundary, 2, start));
  *n_interior = start[1];
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bounds_find(MPI_Comm comm, PetscInt n, const double *X, double low[3], double high[3])
{
  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) low[c] = PETSC_INFINITY, high[c] = PETSC_NINFINITY;
  for (PetscInt i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) {
      low[c]  = PetscMin(low[c], X[3 * i + c]);
      high[c] = PetscMax(high[c], X[3 * i + c]);
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, 3, MPI_DOUBLE, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, 3, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_hilbert_side(const double low[3], const double high[3])
{
  const double side = PetscMax(PetscMax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
  return side > 0 ? side : 1;
}

enum { LANES = WRING_HILBERT_LANES };

/*
  Axes to the transposed Hilbert index of each lane, in place, without branches. [Skilling 2004, Programming the Hilbert
  curve, AxestoTranspose]
*/
static void hilbert_transpose(uint32_t x[3][LANES])
{
  const uint32_t top      = 1u << (CURVE_BITS - 1);
  uint32_t       t[LANES] = {0};
  for (uint32_t q = top; q > 1; q >>= 1) {
    const uint32_t low = q - 1;
    for (int c = 0; c < 3; c++) {
#pragma omp simd
      for (int l = 0; l < LANES; l++) {
        const uint32_t inverts = x[c][l] & q ? low : 0, swap = (x[0][l] ^ x[c][l]) & (low ^ inverts);
        x[0][l] ^= inverts | swap;
        x[c][l] ^= swap;
      }
    }
  }
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    x[1][l] ^= x[0][l];
    x[2][l] ^= x[1][l];
    for (uint32_t q = top; q > 1; q >>= 1) t[l] ^= x[2][l] & q ? q - 1 : 0;
    for (int c = 0; c < 3; c++) x[c][l] ^= t[l];
  }
}

/* Inserts two zero bits between the 21 bits of x. */
static uint64_t spread_bits(uint64_t x)
{
  x = (x | x << 32) & 0x001f00000000ffffu;
  x = (x | x << 16) & 0x001f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

/* The keys of the points that wait. */
static void write_keys(wring_hilbert *h)
{
  const double steps = (1u << CURVE_BITS) - 1;
  uint32_t     cell[3][LANES];
  for (int l = 0; l < LANES; l++) {
    for (int c = 0; c < 3; c++) {
      const double x = l < h->n_point ? (h->point[l][c] - h->low[c]) / h->side : 0;
      cell[c][l]     = (uint32_t)(PetscMin(PetscMax(x, 0), 1) * steps);
    }
  }
  hilbert_transpose(cell);
  for (int l = 0; l < h->n_point; l++)
    *h->key++ = spread_bits(cell[0][l]) << 2 | spread_bits(cell[1][l]) << 1 | spread_bits(cell[2][l]);
  h->n_point = 0;
}

wring_hilbert wring_hilbert_begin(const double low[3], double side, uint64_t *key)
{
  return (wring_hilbert){.low = {low[0], low[1], low[2]}, .side = side, .key = key};
}

void wring_hilbert_add(wring_hilbert *h, const double x[3])
{
  for (int c = 0; c < 3; c++) h->point[h->n_point][c] = x[c];
  if (++h->n_point == LANES) write_keys(h);
}

void wring_hilbert_add_tet(wring_hilbert *h, const double *X, const PetscInt tet[4])
{
  double mean[3] = {0, 0, 0};
  for (int a = 0; a < 4; a++)
    for (int c = 0; c < 3; c++) mean[c] += 0.25 * X[3 * (size_t)tet[a] + (size_t)c];
  wring_hilbert_add(h, mean);
}

void wring_hilbert_end(wring_hilbert *h)
{
  if (h->n_point) write_keys(h);
}

uint64_t wring_hilbert_key(const double x[3], const double low[3], double side)
{
  uint64_t      key;
  wring_hilbert h = wring_hilbert_begin(low, side, &key);
  wring_hilbert_add(&h, x);
  wring_hilbert_end(&h);
  return key;
}
