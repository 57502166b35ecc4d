#include "sort.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static PetscInt count_digits(PetscInt n, const uint64_t *key, int shift, PetscInt count[DIGITS])
{
  PetscInt largest = 0;
  for (int d = 0; d < DIGITS; d++) count[d] = 0;
  for (PetscInt i = 0; i < n; i++) count[(key[i] >> shift) & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; d++) largest = PetscMax(largest, count[d]);
  return largest;
}

PetscErrorCode wring_sort_keys(PetscInt n, uint64_t *key, PetscInt *index)
{
  uint64_t *k, *from_key = key, *to_key;
  PetscInt *j, *from     = index, *to, count[DIGITS];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &k, (size_t)n, &j));
  to_key = k;
  to     = j;
  for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
    if (count_digits(n, from_key, shift, count) == n) continue; // all equal
    for (PetscInt d = 0, before = 0; d < DIGITS; d++) {
      const PetscInt here = count[d];
      count[d]            = before;
      before += here;
    }
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt at = count[(from_key[i] >> shift) & (DIGITS - 1)]++;
      to_key[at]        = from_key[i];
      to[at]            = from[i];
    }
    uint64_t *const swap_key = from_key;
    PetscInt *const swap     = from;
    from_key                 = to_key;
    from                     = to;
    to_key                   = swap_key;
    to                       = swap;
  }
  if (from != index) {
    PetscCall(PetscArraycpy(key, from_key, n));
    PetscCall(PetscArraycpy(index, from, n));
  }
  PetscCall(PetscFree2(k, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sort_ints(PetscInt n, PetscInt *value)
{
  uint64_t *key;

  PetscFunctionBegin;
  if (n < DIGITS) {
    PetscCall(PetscSortInt(n, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1((size_t)n, &key));
  for (PetscInt i = 0; i < n; i++) key[i] = (uint64_t)value[i];
  PetscCall(wring_sort_keys(n, key, value));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sort_buckets(PetscInt n, PetscInt *index, const PetscInt *bucket, PetscInt n_bucket,
                                  PetscInt *start)
{
  PetscInt *from, *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &from, (size_t)n_bucket, &next));
  PetscCall(PetscArraycpy(from, index, n));
  PetscCall(PetscArrayzero(start, n_bucket + 1));
  for (PetscInt i = 0; i < n; i++) start[bucket[from[i]] + 1]++;
  for (PetscInt b = 0; b < n_bucket; b++) {
    start[b + 1] += start[b];
    next[b] = start[b];
  }
  for (PetscInt i = 0; i < n; i++) index[next[bucket[from[i]]]++] = from[i];
  PetscCall(PetscFree2(from, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_order_keys(PetscInt n, uint64_t *key, PetscInt *order)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) order[i] = i;
  PetscCall(wring_sort_keys(n, key, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sort_unique(PetscInt *n, PetscInt *value)
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  PetscCall(wring_sort_ints(*n, value));
  for (PetscInt i = 0; i < *n; i++)
    if (i == 0 || value[i] != value[kept - 1]) value[kept++] = value[i];
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}
