#include "sort.h"
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static PetscInt count_digits(PetscInt n, const uint64_t *key, int shift, PetscInt count[DIGITS])
{
  PetscInt largest = 0;
  for (int d = 0; d < DIGITS; d++) count[d] = 0;
  for (PetscInt i = 0; i < n; i++) count[(key[i] >> shift) & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; d++) largest = PetscMax(largest, count[d]);
  return largest;
}

void wring_sort_keys_with(PetscInt n, uint64_t *key, PetscInt *index, uint64_t *key_work, PetscInt *index_work)
{
  uint64_t *from_key = key, *to_key = key_work;
  PetscInt *from = index, *to = index_work, count[DIGITS];
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
  if (from == index || n == 0) return;
  memcpy(key, from_key, (size_t)n * sizeof *key);
  memcpy(index, from, (size_t)n * sizeof *index);
}

PetscErrorCode wring_sort_keys(PetscInt n, uint64_t *key, PetscInt *index)
{
  uint64_t *key_work;
  PetscInt *index_work;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &key_work, (size_t)n, &index_work));
  wring_sort_keys_with(n, key, index, key_work, index_work);
  PetscCall(PetscFree2(key_work, index_work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value [n] >= 0. */
static PetscErrorCode sort_ints(PetscInt n, PetscInt *value)
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

PetscErrorCode wring_order_numbers(PetscInt n, const PetscInt *number, PetscInt *order)
{
  uint64_t *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &key));
  for (PetscInt i = 0; i < n; i++) key[i] = (uint64_t)number[i];
  PetscCall(wring_order_keys(n, key, order));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sort_unique(PetscInt *n, PetscInt *value)
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  PetscCall(sort_ints(*n, value));
  for (PetscInt i = 0; i < *n; i++)
    if (i == 0 || value[i] != value[kept - 1]) value[kept++] = value[i];
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the last column first. */
PetscErrorCode wring_sort_rows(PetscInt n, int n_key, size_t bytes, void *row, PetscInt *order)
{
  PetscInt *from = order, column;
  uint64_t *key;
  char     *old;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &key, (size_t)n * bytes, &old));
  if (!order) PetscCall(PetscMalloc1((size_t)n, &from));
  if (n) memcpy(old, row, (size_t)n * bytes);
  for (PetscInt i = 0; i < n; i++) from[i] = i;
  for (int k = n_key - 1; k >= 0; k--) {
    for (PetscInt i = 0; i < n; i++) {
      memcpy(&column, old + (size_t)from[i] * bytes + (size_t)k * sizeof column, sizeof column);
      key[i] = (uint64_t)(column + 1);
    }
    PetscCall(wring_sort_keys(n, key, from));
  }
  for (PetscInt i = 0; i < n; i++) memcpy((char *)row + (size_t)i * bytes, old + (size_t)from[i] * bytes, bytes);
  if (!order) PetscCall(PetscFree(from));
  PetscCall(PetscFree2(key, old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_permute_rows(PetscInt n, const PetscInt *order, size_t bytes, void *table)
{
  char *const old = *(char **)table;
  char       *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n * bytes, &row));
  for (PetscInt i = 0; i < n; i++) memcpy(row + (size_t)i * bytes, old + (size_t)order[i] * bytes, bytes);
  PetscCall(PetscFree(*(void **)table));
  *(char **)table = row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_rows_end(PetscInt n, int n_key, size_t bytes, const void *row, PetscInt i)
{
  const char *const first = (const char *)row + (size_t)i * bytes;
  PetscInt          end   = i + 1;
  while (end < n && !memcmp(first, first + (size_t)(end - i) * bytes, (size_t)n_key * sizeof(PetscInt))) end++;
  return end;
}

PetscInt wring_find_key(PetscInt n, const uint64_t *key, uint64_t least)
{
  PetscInt first = 0, last = n;
  while (first < last) {
    const PetscInt middle = first + (last - first) / 2;
    if (key[middle] < least)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}
