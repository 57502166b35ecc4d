/*
  ranks: 1 2 3 4 5 6 7
  Sort of rows over all ranks: as by one rank, in equal parts also where many keys are equal, however rows are dealt.
*/
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "check.h"

enum { ROWS = 3000 };

typedef enum { RANDOM, FULL, SMALL, FEW, ONE, KINDS } kind;   // of keys
typedef enum { BLOCKS, LAST, UNEVEN, CLUSTERED, DEALS } deal; // of rows to ranks
typedef enum { EQUAL, TOGETHER, GIVEN, CUTS } cut;            // into parts

/* Key of row i of the whole list: 62 bits, 64 bits, less than 2000, one of seven, always 5. */
static uint64_t make_key(kind k, PetscInt i)
{
  const uint64_t r = wring_mix((uint64_t)i);
  switch (k) {
  case RANDOM:
    return r >> 2;
  case FULL:
    return r == UINT64_MAX ? 0 : r;
  case SMALL:
    return r % 2000;
  case FEW:
    return r % 100 < 60 ? 3 : r % 7;
  default:
    return 5;
  }
}

/* The first row of a rank in the list: rows are on ranks in equal blocks, all on the last rank, or most on rank 0. */
static PetscInt first_row(deal d, PetscInt all, PetscMPIInt rank, PetscMPIInt size)
{
  if (rank == size) return all;
  if (rank == 0) return 0;
  switch (d) {
  case LAST:
    return 0;
  case UNEVEN:
    return all - all / (1 + rank) / 4;
  default:
    return (PetscInt)((PetscInt64)rank * all / size);
  }
}

/* expected [all]: rows of the whole list by key, equal ones in the order of the list. key [all]: sorted. */
static PetscErrorCode sort_alone(kind k, PetscInt all, uint64_t *key, PetscInt *expected)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < all; i++) key[i] = make_key(k, i);
  PetscCall(wring_order_keys(all, key, expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The distance of a cut at row i from row `wanted`, and whether it separates equal keys. */
static PetscBool is_nearest(PetscInt all, const uint64_t *key, PetscInt i, PetscInt wanted)
{
  PetscInt low = wanted, high = wanted;
  if (i > 0 && i < all && key[i] == key[i - 1]) return PETSC_FALSE;
  while (low > 0 && low < all && key[low] == key[low - 1]) low--;
  while (high > 0 && high < all && key[high] == key[high - 1]) high++;
  return (PetscBool)(PetscAbsInt(i - wanted) <= PetscMin(wanted - low, high - wanted));
}

/*
  Fails if a row is lost, doubled or out of order, if parts differ from those promised, or if an answer goes to another
  row.
*/
static PetscErrorCode check_sort(kind k, deal d, PetscInt all, cut c)
{
  wring_sorting s;
  PetscInt     *expected, *row, *got, *back, before = 0;
  PetscInt64   *first;
  uint64_t     *key, *mine;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(PetscMalloc3(all, &key, all, &expected, size, &first));
  for (PetscMPIInt p = 0; p < size; p++) first[p] = c == GIVEN ? all * p * p / size / size : p * (PetscInt64)all / size;
  PetscCall(sort_alone(k, all, key, expected));
  const PetscInt begin = first_row(d, all, rank, size), n = first_row(d, all, rank + 1, size) - begin;
  PetscCall(PetscMalloc3(n, &mine, n, &row, n, &back));
  for (PetscInt i = 0; i < n; i++) {
    row[i]  = d == CLUSTERED ? expected[begin + i] : begin + i; // clustered: sorted already, in blocks
    mine[i] = make_key(k, row[i]);
  }
  PetscCall(wring_sorting_create(PETSC_COMM_WORLD, n, mine, (PetscBool)(c == TOGETHER), c == GIVEN ? first : NULL, &s));
  PetscCall(wring_sorting_send(&s, sizeof *row, row, &got));
  PetscCallMPI(MPI_Exscan(&s.n, &before, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  if (rank == 0) before = 0;
  const PetscInt wanted = (PetscInt)first[rank];
  CHECK(c == TOGETHER ? is_nearest(all, key, before, wanted) : before == wanted,
        "kind %d deal %d: part %d begins at %d", (int)k, (int)d, rank, (int)before);
  CHECK(rank + 1 < size || before + s.n == all, "%d rows of %d", (int)(before + s.n), (int)all);
  for (PetscInt i = 0; i < s.n; i++) {
    CHECK(s.key[i] == key[before + i], "kind %d: key of row %d", (int)k, (int)(before + i));
    CHECK(got[i] == expected[before + i], "kind %d deal %d: row %d", (int)k, (int)d, (int)(before + i));
  }
  for (PetscInt i = 0; i < s.n; i++) got[i] = 3 * got[i] + 1;
  PetscCall(wring_sorting_answer(&s, sizeof *got, got, back));
  for (PetscInt i = 0; i < n; i++) CHECK(back[i] == 3 * row[i] + 1, "answer to row %d", (int)row[i]);
  PetscCall(PetscFree(got));
  PetscCall(PetscFree3(key, expected, first));
  PetscCall(PetscFree3(mine, row, back));
  PetscCall(wring_sorting_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a key is looked up in another part than cuts give it to, or if splitters depend on the deal. */
static PetscErrorCode check_parts(kind k, PetscInt all)
{
  PetscInt *begin, *unused;
  uint64_t *key, *splitter, *other;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(PetscMalloc5(all, &key, all, &unused, size + 1, &begin, size, &splitter, size, &other));
  PetscCall(sort_alone(k, all, key, unused));
  PetscCall(wring_cut_keys(PETSC_COMM_WORLD, rank == size / 2 ? all : 0, key, PETSC_TRUE, NULL, begin, splitter));
  for (PetscMPIInt p = 0; p < size; p++)
    for (PetscInt i = begin[p]; i < begin[p + 1]; i++)
      CHECK(wring_find_part(size, splitter, key[i]) == p, "key of part %d found in %d", p,
            wring_find_part(size, splitter, key[i]));
  const PetscInt first = first_row(BLOCKS, all, rank, size), n = first_row(BLOCKS, all, rank + 1, size) - first;
  PetscCall(wring_cut_keys(PETSC_COMM_WORLD, n, key + first, PETSC_TRUE, NULL, NULL, other));
  for (PetscMPIInt p = 0; p < size; p++) CHECK(splitter[p] == other[p], "splitter of part %d", p);
  PetscCall(PetscFree5(key, unused, begin, splitter, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt rows[] = {0, 1, 5, ROWS};

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (kind k = RANDOM; k < KINDS; k++)
    for (int r = 0; r < 4; r++) {
      for (deal d = BLOCKS; d < DEALS; d++)
        for (cut c = EQUAL; c < CUTS; c++) PetscCall(check_sort(k, d, rows[r], c));
      PetscCall(check_parts(k, rows[r]));
    }
  PetscCall(PetscFinalize());
  return 0;
}
