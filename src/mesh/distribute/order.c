#include "order.h"
#include "base/sort.h"

enum { CURVE_BITS = 21 };

/* Stable sorts, the least important first. */
PetscErrorCode wring_order_tets(PetscInt n, uint64_t *key, PetscInt n_region, const PetscInt *region,
                                const PetscInt *boundary, PetscInt *order)
{
  PetscInt *start;

  PetscFunctionBegin;
  PetscCall(wring_order_keys(n, key, order));
  PetscCall(PetscMalloc1((size_t)PetscMax(n_region, 2) + 1, &start));
  PetscCall(wring_sort_buckets(n, order, region, n_region, start));
  PetscCall(wring_sort_buckets(n, order, boundary, 2, start));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_bounds(PetscInt n, const double *X, double low[3], double high[3])
{
  for (int c = 0; c < 3; c++) low[c] = PETSC_INFINITY, high[c] = PETSC_NINFINITY;
  for (PetscInt i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) {
      low[c]  = PetscMin(low[c], X[3 * i + c]);
      high[c] = PetscMax(high[c], X[3 * i + c]);
    }
  }
}

PetscErrorCode wring_bounds_reduce(MPI_Comm comm, double low[3], double high[3])
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, 3, MPI_DOUBLE, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, 3, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_hilbert_side(const double low[3], const double high[3])
{
  const double side = PetscMax(PetscMax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
  return side > 0 ? side : 1;
}

/* Axes to the transposed Hilbert index, in place. [Skilling 2004, Programming the Hilbert curve, AxestoTranspose] */
static void hilbert_transpose(uint32_t x[3])
{
  const uint32_t top = 1u << (CURVE_BITS - 1);
  uint32_t       t   = 0;
  for (uint32_t q = top; q > 1; q >>= 1) {
    for (int c = 0; c < 3; c++) {
      const uint32_t low = q - 1, inverts = x[c] & q ? low : 0; // without branches, which nothing predicts
      const uint32_t swap = (x[0] ^ x[c]) & (low ^ inverts);
      x[0] ^= inverts | swap;
      x[c] ^= swap;
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  for (uint32_t q = top; q > 1; q >>= 1)
    if (x[2] & q) t ^= q - 1;
  for (int c = 0; c < 3; c++) x[c] ^= t;
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

uint64_t wring_hilbert_key(const double x[3], const double low[3], double side)
{
  const double steps = (1u << CURVE_BITS) - 1;
  uint32_t     cell[3];
  for (int c = 0; c < 3; c++) cell[c] = (uint32_t)(PetscMin(PetscMax((x[c] - low[c]) / side, 0), 1) * steps);
  hilbert_transpose(cell);
  return spread_bits(cell[0]) << 2 | spread_bits(cell[1]) << 1 | spread_bits(cell[2]);
}

uint64_t wring_hilbert_key_of_tet(const double *X, const PetscInt tet[4], const double low[3], double side)
{
  double mean[3] = {0, 0, 0};
  for (int a = 0; a < 4; a++)
    for (int c = 0; c < 3; c++) mean[c] += 0.25 * X[3 * tet[a] + c];
  return wring_hilbert_key(mean, low, side);
}
