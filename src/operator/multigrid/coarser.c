/* Aggregates, interpolation, coarse matrix, and its move to few ranks. docs/theory.md 4.1 */
#include "coarser.h"
#include "aggregates.h"
#include "galerkin/galerkin.h"
#include <math.h>

enum { COARSEST = 100, COARSEST_WIDE = 40 }; // no coarser level below this number of rows
enum { ROWS_OF_A_RANK = 50 };                // ranks with fewer rows in the mean join
static const double SMALLER = 0.8;           // most rows of a coarse level, as a part of those of the finer one

/* ---- few ranks --------------------------------------------------------------------------------------------------- */

/*
  Coarse levels are moved to few ranks, where their exchanges would take longer than their rows. The numbers of rows
  stay, only their owners change. docs/theory.md 4.1
*/

/* The ranks that share a level with so many entries. */
static PetscInt count_ranks(double entries, const wring_coarsening *how, const wring_hosts *h)
{
  const double each = (double)how->rank_entries;
  return entries <= WRING_ONE_RANK * each ? 1 : (PetscInt)PetscMin(round(entries / each), h->first);
}

/* The rows that this rank will own of a level that ranks of the first host share. */
static PetscErrorCode share(Mat A, const wring_coarsening *how, PetscInt *first, PetscInt *end)
{
  wring_hosts h;
  PetscInt    n;
  MatInfo     info;

  PetscFunctionBegin;
  PetscCall(wring_hosts_find(PetscObjectComm((PetscObject)A), how->ranks_each, &h));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  const PetscInt ranks = count_ranks(info.nz_used, how, &h), mine = h.with_first ? PetscMin(h.rank, ranks) : ranks;
  *first = (PetscInt)((PetscInt64)n * mine / ranks);
  *end   = (PetscInt)((PetscInt64)n * PetscMin(mine + 1, ranks) / ranks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise if the first of each `ranks` in a row takes the rows of all of them. */
static PetscErrorCode join(Mat A, PetscInt ranks, PetscInt *first, PetscInt *end)
{
  const PetscInt *range;
  const MPI_Comm  comm = PetscObjectComm((PetscObject)A);
  const int       rank = wring_comm_rank(comm), size = wring_comm_size(comm);

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRanges(A, &range));
  *first = range[rank % ranks == 0 ? rank : PetscMin((rank / ranks + 1) * ranks, size)];
  *end   = range[PetscMin((rank / ranks + 1) * ranks, size)];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P and C, in the place of which comes C with rows [first, end) of this rank. */
static PetscErrorCode move(PetscInt first, PetscInt end, Mat *P, Mat *C)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)*C);
  PetscInt       begin, stop;
  IS             rows, fine;
  Mat            moved;

  PetscFunctionBegin;
  PetscCall(ISCreateStride(comm, end - first, first, 1, &rows));
  PetscCall(MatGetOwnershipRange(*P, &begin, &stop));
  PetscCall(ISCreateStride(comm, stop - begin, begin, 1, &fine));
  PetscCall(MatCreateSubMatrix(*C, rows, rows, MAT_INITIAL_MATRIX, &moved));
  PetscCall(MatDestroy(C));
  *C = moved;
  PetscCall(MatCreateSubMatrix(*P, fine, rows, MAT_INITIAL_MATRIX, &moved));
  PetscCall(MatDestroy(P));
  *P = moved;
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves a level of few rows, of all or of a rank, and the interpolation from it. */
static PetscErrorCode gather(wring_level *l, const wring_coarsening *how, Mat *P, Mat *C)
{
  const int size = wring_comm_size(l->comm);
  PetscInt  n, first = 0, end = 0;

  PetscFunctionBegin;
  PetscCall(MatGetSize(*C, &n, NULL));
  const PetscInt ranks = (PetscInt)PetscMin((double)ROWS_OF_A_RANK * size / n, size);
  if (size == 1 || how->node_rows == 0 || (n > how->node_rows && ranks < 2)) PetscFunctionReturn(PETSC_SUCCESS);
  if (n <= how->node_rows)
    PetscCall(share(*C, how, &first, &end));
  else
    PetscCall(join(*C, ranks, &first, &end));
  PetscCall(move(first, end, P, C));
  PetscCall(wring_interpolation_destroy(&l->from_coarse));
  PetscCall(wring_interpolation_create(*P, &l->near, l->scale, &l->from_coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- front ------------------------------------------------------------------------------------------------------- */

/* P from aggregates; NULL: there are too few rows, or too many aggregates. */
static PetscErrorCode interpolate(const wring_level *l, Mat A, PetscBool finest, const wring_coarsening *how, Mat *P)
{
  PetscInt   n, n_aggregate, *aggregate;
  PetscInt64 all;

  PetscFunctionBegin;
  *P = NULL;
  PetscCall(MatGetSize(A, &n, NULL));
  if (n <= (how->wide ? COARSEST_WIDE : COARSEST)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_aggregates_find(l, how->threshold, (PetscBool)(finest && how->wide), &n_aggregate, &aggregate));
  all = n_aggregate;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT64, MPI_SUM, l->comm));
  if (all > 0 && (double)all < SMALLER * (double)n)
    PetscCall(wring_aggregates_interpolate(l, A, n_aggregate, aggregate, P));
  PetscCall(PetscFree(aggregate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_coarsen(wring_level *l, Mat A, PetscBool finest, const wring_coarsening *how, Mat *C)
{
  wring_rows r;
  Mat        P;

  PetscFunctionBegin;
  *C = NULL;
  PetscCall(interpolate(l, A, finest, how, &P));
  if (!P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_interpolation_create(P, &l->near, l->scale, &l->from_coarse));
  PetscCall(wring_rows_get(A, &r));
  PetscCall(wring_galerkin_matrix(l, &(wring_level_values){r.own.value, r.ghost.value, l->scale}, C));
  PetscCall(wring_rows_restore(&r));
  PetscCall(gather(l, how, &P, C));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}
