/* Private to the library: sorting of numbers, in O(n) but for short rows. Serial. */
#pragma once
#include <wring/base.h>

/* Sorts key [n] ascending and moves index [n] with it; equal keys keep their order. Radix sort, O(n). */
PetscErrorCode wring_sort_keys(PetscInt n, uint64_t *key, PetscInt *index);

/* order [n]: 0 to n - 1 by key, ascending; equal keys keep their order. key is sorted. */
PetscErrorCode wring_order_keys(PetscInt n, uint64_t *key, PetscInt *order);

/* Reorders index [n] by bucket[index[i]] in [0, n_bucket), stably; start [n_bucket + 1]: first place of each bucket. */
PetscErrorCode wring_sort_buckets(PetscInt n, PetscInt *index, const PetscInt *bucket, PetscInt n_bucket,
                                  PetscInt *start);

/* Sorts value [n] >= 0 ascending. */
PetscErrorCode wring_sort_ints(PetscInt n, PetscInt *value);

/* Sorts value [*n] >= 0 ascending and drops repetitions. */
PetscErrorCode wring_sort_unique(PetscInt *n, PetscInt *value);

/* Sorts three numbers ascending, such as the vertices of a triangle. */
static inline void wring_sort3(PetscInt v[3])
{
  const PetscInt low = PetscMin(v[0], v[1]), high = PetscMax(v[0], v[1]), last = v[2];
  v[0] = PetscMin(low, last);
  v[1] = PetscMax(low, PetscMin(high, last));
  v[2] = PetscMax(high, last);
}

/* Sorts column [n] ascending and moves value [n], which may be NULL, with it; Shell's method, for short rows. */
static inline void wring_sort_row(PetscInt n, PetscInt *column, double *value)
{
  for (PetscInt gap = n > 16 ? n / 2 : 1; gap > 0; gap /= 2) {
    for (PetscInt i = gap; i < n; i++) {
      const PetscInt key   = column[i];
      const double   moved = value ? value[i] : 0;
      PetscInt       k     = i;
      for (; k >= gap && column[k - gap] > key; k -= gap) {
        column[k] = column[k - gap];
        if (value) value[k] = value[k - gap];
      }
      column[k] = key;
      if (value) value[k] = moved;
    }
  }
}
