/*
  ranks: 1 2 4
  Rows exchanged between ranks: each arrives once, at its rank, ordered by rank and row; answers return to their rows.
  No call takes an array with an entry for every rank, and PETSc's own choice stays. Sorting of three numbers; a map.
*/
#include "base/count.h"
#include "base/exchange.h"
#include "base/map.h"
#include "base/sort.h"
#include "check.h"

/* Sums over all ranks; by those, PETSc finds senders by default. The parentheses avoid PETSc's macros. */
static int sums;

int(MPI_Reduce_scatter_block)(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  sums++;
  return PMPI_Reduce_scatter_block(a, b, n, type, op, comm);
}

int(MPI_Allreduce)(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  sums++;
  return PMPI_Allreduce(a, b, n, type, op, comm);
}

typedef struct {
  PetscInt from, place, to;
} letter;

/* Row i of a rank: addressed to a random rank, or to rank i size / n if the rows are to ascend. */
static PetscErrorCode write_letters(PetscInt n, PetscBool ascending, PetscMPIInt rank, PetscMPIInt size, letter *row,
                                    PetscInt *to)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    to[i]  = ascending ? i * size / n : (PetscInt)(wring_uniform(1000 * (uint64_t)rank + (uint64_t)i) * size);
    row[i] = (letter){.from = rank, .place = i, .to = to[i]};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a row goes to a wrong rank, is lost or doubled, or if the order depends on the arrival of messages. */
static PetscErrorCode check_letters(PetscMPIInt rank, PetscInt n, const letter *got)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    CHECK(got[i].to == rank, "a row for rank %d", (int)got[i].to);
    if (i == 0) continue;
    CHECK(got[i].from > got[i - 1].from || (got[i].from == got[i - 1].from && got[i].place > got[i - 1].place),
          "row %d out of order", (int)i);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  message: bytes of one message, 0 for the default; small messages split the rows for one rank, even within a row.
*/
static PetscErrorCode check_exchange(PetscInt n, PetscBool ascending, size_t message)
{
  wring_exchange x;
  PetscInt      *to, *number, *back, sum;
  letter        *row, *got;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  if (rank == 1) n /= 2;
  PetscCall(PetscMalloc3(n, &to, n, &row, n, &back));
  PetscCall(write_letters(n, ascending, rank, size, row, to));
  PetscCall(wring_exchange_create(PETSC_COMM_WORLD, n, to, &x));
  if (message) x.message = message;
  CHECK(!ascending || !x.order, "rows that ascend by rank were ordered");
  PetscCall(wring_exchange_send(&x, sizeof *row, row, &got));
  PetscCall(check_letters(rank, x.n_got, got));
  PetscCall(PetscMalloc1(x.n_got, &number));
  for (PetscInt i = 0; i < x.n_got; i++) number[i] = 1000 * got[i].from + got[i].place;
  PetscCall(wring_exchange_answer(&x, sizeof *number, number, back));
  for (PetscInt i = 0; i < n; i++) CHECK(back[i] == 1000 * rank + i, "row %d got the answer %d", (int)i, (int)back[i]);
  sum = x.n_got - n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(sum == 0, "%d rows more than were sent", (int)sum);
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(got));
  PetscCall(PetscFree3(to, row, back));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a pair is not sorted: tests all orders of three numbers, also equal ones. */
static PetscErrorCode check_sort3(void)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 27; i++) {
    PetscInt       v[3]     = {i % 3, i / 3 % 3, i / 9};
    const PetscInt count[3] = {(v[0] == 0) + (v[1] == 0) + (v[2] == 0), 0, (v[0] == 2) + (v[1] == 2) + (v[2] == 2)};
    wring_sort3(v);
    CHECK(v[0] <= v[1] && v[1] <= v[2], "%d %d %d", (int)v[0], (int)v[1], (int)v[2]);
    CHECK((v[0] == 0) + (v[1] == 0) + (v[2] == 0) == count[0] && (v[0] == 2) + (v[1] == 2) + (v[2] == 2) == count[2],
          "other numbers");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a product or sum of counts wraps around, or if rows x width is allowed beyond PETSC_MAX_INT. */
static PetscErrorCode check_counts(void)
{
  const PetscInt64 most  = PETSC_MAX_INT / 4;
  wring_error      error = {""};

  PetscFunctionBegin;
  CHECK(wring_count_times(1 << 30, 1 << 30) == (PetscInt64)1 << 60, "2^60");
  CHECK(wring_count_times((PetscInt64)1 << 40, 1 << 30) == INT64_MAX && wring_count_times(0, INT64_MAX) == 0, "2^70");
  CHECK(wring_count_plus(INT64_MAX, 1) == INT64_MAX && wring_count_plus(1, 2) == 3, "sums");
  CHECK(wring_count_fits(most, 4, "mesh", "tetrahedra", &error) && !error.text[0], "%s", error.text);
  CHECK(!wring_count_fits(most + 1, 4, "mesh", "tetrahedra", &error), "one too many");
  CHECK(strstr(error.text, "mesh: ") == error.text && strstr(error.text, "tetrahedra are too many"), "%s", error.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a map of as many keys as can be counted has another size than twice their number, or if it loses a key. */
static PetscErrorCode check_map(void)
{
  const PetscInt n   = 100000;
  wring_map      map = {0};
  PetscInt       found;

  PetscFunctionBegin;
  for (int k = 5; k < 62; k++) {
    const int64_t keys = (int64_t)1 << (k - 1);
    CHECK(wring_map_bits(keys) == k && wring_map_bits(keys + 1) == k + 1, "%d, %d bits", wring_map_bits(keys), k);
  }
  CHECK(wring_map_bits(2 * (int64_t)INT32_MAX + 16) == 34 && wring_map_bits(0) == 4, "a map of 2^31 keys grows");
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(wring_map_add(&map, 7919 * (int64_t)i - n, i, &found));
    CHECK(found == i && map.n == i + 1 && map.n <= (PetscInt)1 << (map.bits - 1), "key %d of %d", (int)i, (int)map.n);
  }
  for (PetscInt i = 0; i < n; i++) CHECK(wring_map_find(&map, 7919 * (int64_t)i - n) == i, "key %d", (int)i);
  PetscCall(wring_map_destroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if an exchange sums over an array of all ranks, or leaves PETSc with another choice than it had. */
static PetscErrorCode check_consensus(void)
{
  const PetscInt         to = 0;
  PetscBuildTwoSidedType before, after;
  PetscInt               n_got;
  letter                 row = {0}, *got;

  PetscFunctionBegin;
  PetscCall(PetscCommBuildTwoSidedGetType(PETSC_COMM_WORLD, &before));
  sums = 0;
  PetscCall(wring_exchange_rows(PETSC_COMM_WORLD, 1, &to, sizeof row, &row, &n_got, &got));
  CHECK(sums == 0, "%d sums over all ranks", sums);
  PetscCall(PetscFree(got));
  PetscCall(PetscCommBuildTwoSidedGetType(PETSC_COMM_WORLD, &after));
  CHECK(before == after, "choice %d became %d", (int)before, (int)after);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt n_got;
  letter  *got;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check_sort3());
  PetscCall(check_counts());
  PetscCall(check_map());
  PetscCall(check_consensus());
  for (int ascending = 0; ascending < 2; ascending++) {
    for (PetscInt n = 0; n <= 700; n += 350) {
      PetscCall(check_exchange(n, (PetscBool)ascending, 0));
      PetscCall(check_exchange(n, (PetscBool)ascending, 100));
    }
  }
  PetscCall(wring_exchange_rows(PETSC_COMM_WORLD, 0, NULL, sizeof *got, NULL, &n_got, &got));
  CHECK(n_got == 0, "%d rows of none", (int)n_got);
  PetscCall(PetscFree(got));
  PetscCall(PetscFinalize());
  return 0;
}
