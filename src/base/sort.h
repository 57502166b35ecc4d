/* Private to the library: sorting of numbers, in O(n) but for short rows. Serial. */
#pragma once
#include <wring/base.h>

/* Sorts key [n] ascending and moves index [n] with it; equal keys keep their order. Radix sort, O(n). */
PetscErrorCode wring_sort_keys(PetscInt n, uint64_t *key, PetscInt *index);

/* The same with work arrays [n]. It allocates nothing, so that threads may call it. */
void wring_sort_keys_with(PetscInt n, uint64_t *key, PetscInt *index, uint64_t *key_work, PetscInt *index_work);

/* order [n]: 0 to n - 1 by key, ascending; equal keys keep their order. key is sorted. */
PetscErrorCode wring_order_keys(PetscInt n, uint64_t *key, PetscInt *order);
/* The same for numbers >= 0, which stay as they are. */
PetscErrorCode wring_order_numbers(PetscInt n, const PetscInt *number, PetscInt *order);

/* Reorders index [n] by bucket[index[i]] in [0, n_bucket), stably; start [n_bucket + 1]: first place of each bucket. */
PetscErrorCode wring_sort_buckets(PetscInt n, PetscInt *index, const PetscInt *bucket, PetscInt n_bucket,
                                  PetscInt *start);

/* start [n + 1]: the number of rows of bucket b, in start[b + 1], becomes the end of its rows; start[0] = 0. */
static inline void wring_add_up(PetscInt n, PetscInt *start)
{
  start[0] = 0;
  for (PetscInt b = 0; b < n; b++) start[b + 1] += start[b];
}

/* Sorts value [*n] >= 0 ascending and drops repetitions. */
PetscErrorCode wring_sort_unique(PetscInt *n, PetscInt *value);

/*
  Sorts row [n][bytes], which begins with n_key PetscInts >= -1, by these, ascending; equal ones keep their order.
  order [n], unless it is NULL: the former places.
*/
PetscErrorCode wring_sort_rows(PetscInt n, int n_key, size_t bytes, void *row, PetscInt *order);

/* *table [n][bytes], which is reallocated: row i becomes the one that was order[i]. */
PetscErrorCode wring_permute_rows(PetscInt n, const PetscInt *order, size_t bytes, void *table);

/* The end of the rows, sorted in this way, that have the key of row i. */
PetscInt wring_rows_end(PetscInt n, int n_key, size_t bytes, const void *row, PetscInt i);

/* The place of the first key [n], ascending, that is not less than `least`; n: there is none. */
PetscInt wring_find_key(PetscInt n, const uint64_t *key, uint64_t least);

/* Index of the first of n ascending numbers that is not below `least`; n if there is none. */
static inline PetscInt wring_first_from(PetscInt n, const PetscInt *number, PetscInt least)
{
  PetscInt low = 0, high = n;
  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;
    if (number[middle] < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

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
