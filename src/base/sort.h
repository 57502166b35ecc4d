/* Private to the library: sorting of numbers in O(n). Serial. */
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
