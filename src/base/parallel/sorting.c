#include "sorting.h"
#include "base/sort.h"
#include <string.h>

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/*
  The search for one cut: for the largest key with at most `wanted` smaller ones, from the highest bit on. It ends early
  if exactly `wanted` are smaller than a key that is tried.
*/
typedef struct {
  PetscInt64 wanted;          // rows of all ranks before the cut
  uint64_t   key;             // bits found so far, then zeros
  PetscInt   low, high, next; // rows of this rank: with smaller keys; before the next key refused; before the key tried
  PetscBool  found;
} search;

typedef struct {
  MPI_Comm          comm;
  PetscMPIInt       n_cut; // between the parts of ranks i and i + 1
  PetscInt          n;
  const uint64_t   *key;    // [n] ascending
  const PetscInt64 *first;  // [n_cut + 1] the first row of each part; NULL: equal parts
  search           *cut;    // [n_cut]
  PetscInt64       *number; // [n_cut] of rows
} searches;

/* bits: keys of all ranks are below 2^bits. */
static PetscErrorCode begin_searches(searches *s, int *bits)
{
  uint64_t   largest = s->n ? s->key[s->n - 1] : 0;
  PetscInt64 all     = s->n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT64, MPI_SUM, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_UINT64_T, MPI_MAX, s->comm));
  const PetscInt64 parts = (PetscInt64)s->n_cut + 1, whole = all / parts, rest = all % parts;
  for (PetscMPIInt i = 0; i < s->n_cut; i++)
    s->cut[i] = (search){.wanted = s->first ? s->first[i + 1] : (i + 1) * whole + (i + 1) * rest / parts, .high = s->n};
  *bits = 0;
  while (*bits < 64 && largest >> *bits) ++*bits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether all cuts are found. */
static PetscErrorCode try_bit(searches *s, uint64_t bit, PetscBool *done)
{
  PetscFunctionBegin;
  for (PetscMPIInt i = 0; i < s->n_cut; i++) {
    search *const c = s->cut + i;
    if (!c->found) c->next = c->low + wring_find_key(c->high - c->low, s->key + c->low, c->key | bit);
    s->number[i] = c->next;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s->number, s->n_cut, MPIU_INT64, MPI_SUM, s->comm));
  *done = PETSC_TRUE;
  for (PetscMPIInt i = 0; i < s->n_cut; i++) {
    search *const c = s->cut + i;
    if (c->found) continue;
    c->found = (PetscBool)(s->number[i] == c->wanted);
    if (s->number[i] <= c->wanted) {
      c->key |= bit;
      c->low = c->next;
    } else {
      c->high = c->next;
    }
    if (c->found) c->high = c->low;
    *done = (PetscBool)(*done && c->found);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cuts equal keys: those of lower ranks come first. next: the first row of this rank after the cut. */
static PetscErrorCode split_equal(searches *s)
{
  PetscFunctionBegin;
  for (PetscMPIInt i = 0; i < s->n_cut; i++) s->number[i] = s->cut[i].high - s->cut[i].low;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, s->number, s->n_cut, MPIU_INT64, MPI_SUM, s->comm));
  for (PetscMPIInt i = 0; i < s->n_cut; i++) {
    search *const    c     = s->cut + i;
    const PetscInt64 equal = c->high - c->low, left = c->wanted - (s->number[i] - equal);
    c->next = c->low + (PetscInt)PetscMax(0, PetscMin(equal, left));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves the cut to the nearer end of the equal keys. */
static PetscErrorCode keep_equal(searches *s)
{
  PetscFunctionBegin;
  for (PetscMPIInt i = 0; i < s->n_cut; i++) s->number[i] = s->cut[i].high - s->cut[i].low;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s->number, s->n_cut, MPIU_INT64, MPI_SUM, s->comm));
  for (PetscMPIInt i = 0; i < s->n_cut; i++) {
    search *const   c     = s->cut + i;
    const PetscBool after = (PetscBool)(c->wanted > s->number[i] - c->wanted);
    c->next               = after ? c->high : c->low;
    c->key += after;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cut_keys(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscBool together,
                              const PetscInt64 *first, PetscInt *begin, uint64_t *splitter)
{
  searches  s    = {.comm = comm, .n = n, .key = key, .first = first};
  PetscBool done = PETSC_FALSE;
  int       bits = 0;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  s.n_cut                = size - 1;
  PetscCall(PetscMalloc2((size_t)s.n_cut, &s.cut, (size_t)s.n_cut, &s.number));
  PetscCall(begin_searches(&s, &bits));
  for (int b = bits - 1; b >= 0 && !done; b--) PetscCall(try_bit(&s, (uint64_t)1 << b, &done));
  for (PetscMPIInt i = 0; i < s.n_cut; i++) s.number[i] = s.cut[i].low; // smaller keys; from low to high the key itself
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s.number, s.n_cut, MPIU_INT64, MPI_SUM, comm));
  for (PetscMPIInt i = 0; i < s.n_cut; i++) s.cut[i].wanted -= s.number[i];
  PetscCall(together ? keep_equal(&s) : split_equal(&s));
  for (PetscMPIInt p = 0; begin && p <= size; p++) begin[p] = p == 0 ? 0 : p == size ? n : s.cut[p - 1].next;
  for (PetscMPIInt p = 0; splitter && p < size; p++) splitter[p] = p == 0 ? 0 : s.cut[p - 1].key;
  PetscCall(PetscFree2(s.cut, s.number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscMPIInt wring_find_part(PetscMPIInt size, const uint64_t *splitter, uint64_t key)
{
  return (PetscMPIInt)wring_find_key(size, splitter, key + 1) - 1;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* to [n]: the part of each row. */
static PetscErrorCode find_parts(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscBool together,
                                 const PetscInt64 *first, PetscInt *to)
{
  PetscInt *order, *begin;
  uint64_t *sorted;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  if (size == 1) {
    PetscCall(PetscArrayzero(to, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc3((size_t)n, &sorted, (size_t)n, &order, (size_t)size + 1, &begin));
  PetscCall(PetscArraycpy(sorted, key, n));
  PetscCall(wring_order_keys(n, sorted, order));
  PetscCall(wring_cut_keys(comm, n, sorted, together, first, begin, NULL));
  for (PetscMPIInt p = 0; p < size; p++)
    for (PetscInt i = begin[p]; i < begin[p + 1]; i++) to[order[i]] = p;
  PetscCall(PetscFree3(sorted, order, begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sorting_create(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscBool together,
                                    const PetscInt64 *first, wring_sorting *s)
{
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  PetscCall(find_parts(comm, n, key, together, first, to));
  PetscCall(wring_exchange_create(comm, n, to, &s->x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(&s->x, sizeof *key, key, &s->key));
  s->n = s->x.n_got;
  PetscCall(PetscMalloc1((size_t)s->n, &s->order));
  PetscCall(wring_order_keys(s->n, s->key, s->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_match_rows(MPI_Comm comm, PetscInt n, const PetscInt *to, int n_key, size_t bytes, const void *row,
                                wring_sorting *s, void *got)
{
  PetscFunctionBegin;
  PetscCall(wring_exchange_create(comm, n, to, &s->x));
  PetscCall(wring_exchange_send(&s->x, bytes, row, got));
  s->n   = s->x.n_got;
  s->key = NULL;
  PetscCall(PetscMalloc1((size_t)s->n, &s->order));
  PetscCall(wring_sort_rows(s->n, n_key, bytes, *(void **)got, s->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sorting_destroy(wring_sorting *s)
{
  PetscFunctionBegin;
  PetscCall(wring_exchange_destroy(&s->x));
  PetscCall(PetscFree(s->key));
  PetscCall(PetscFree(s->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sorting_send(const wring_sorting *s, size_t width, const void *row, void *sorted)
{
  char *got = NULL, *moved;

  PetscFunctionBegin;
  if (wring_comm_size(s->x.comm) > 1) PetscCall(wring_exchange_send(&s->x, width, row, &got));
  const char *const from = got ? got : row;
  PetscCall(PetscMalloc1((size_t)s->n * width, &moved));
  for (PetscInt i = 0; i < s->n; i++) memcpy(moved + (size_t)i * width, from + (size_t)s->order[i] * width, width);
  PetscCall(PetscFree(got));
  *(char **)sorted = moved;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sorting_answer(const wring_sorting *s, size_t width, const void *answer, void *row)
{
  char *moved;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)s->n * width, &moved));
  for (PetscInt i = 0; i < s->n; i++)
    memcpy(moved + (size_t)s->order[i] * width, (const char *)answer + (size_t)i * width, width);
  PetscCall(wring_exchange_answer(&s->x, width, moved, row));
  PetscCall(PetscFree(moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}
