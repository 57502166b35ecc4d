/*
  Moves coarse levels to few ranks, where the exchanges of a level would take longer than its rows. The numbers of rows
  stay, only their owners change. docs/theory.md 4.1
*/
#include "hierarchy.h"
#include <math.h>

/* The ranks that share a level with so many entries. */
static PetscInt count_ranks(double entries, const wring_gathering *g, const wring_hosts *h)
{
  const double each = (double)g->rank_entries;
  return entries <= WRING_ONE_RANK * each ? 1 : (PetscInt)PetscMin(round(entries / each), h->first);
}

/* The rows of a level that this rank will own. */
static PetscErrorCode create_rows(Mat A, PetscBool move, const wring_gathering *g, const wring_hosts *h, IS *rows)
{
  PetscInt n, first, end;
  MatInfo  info;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  if (move) {
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
    const PetscInt ranks = count_ranks(info.nz_used, g, h), mine = h->with_first ? PetscMin(h->rank, ranks) : ranks;
    first = (PetscInt)((PetscInt64)n * mine / ranks);
    end   = (PetscInt)((PetscInt64)n * PetscMin(mine + 1, ranks) / ranks);
  }
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)A), end - first, first, 1, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode replace(Mat *A, IS rows, IS columns)
{
  Mat moved;

  PetscFunctionBegin;
  PetscCall(MatCreateSubMatrix(*A, rows, columns, MAT_INITIAL_MATRIX, &moved));
  PetscCall(MatDestroy(A));
  *A = moved;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moves the levels that `move` [n_level] names, with the interpolations from and to them. */
static PetscErrorCode move_levels(wring_hierarchy *h, const PetscBool *move, const wring_gathering *g,
                                  const wring_hosts *hosts)
{
  IS *rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)h->n_level, &rows));
  for (int i = 0; i < h->n_level; i++) PetscCall(create_rows(h->A[i], move[i], g, hosts, &rows[i]));
  for (int i = 0; i < h->n_level; i++) {
    if (move[i]) PetscCall(replace(&h->A[i], rows[i], rows[i]));
    if (i + 1 < h->n_level && (move[i] || move[i + 1])) PetscCall(replace(&h->P[i], rows[i], rows[i + 1]));
  }
  for (int i = 0; i < h->n_level; i++) PetscCall(ISDestroy(&rows[i]));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hierarchy_gather(MPI_Comm comm, const wring_gathering *g, wring_hierarchy *h)
{
  wring_hosts hosts;
  PetscMPIInt size;
  PetscInt    n;
  PetscBool  *move, any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1 || g->node_rows == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)h->n_level, &move));
  for (int i = 1; i < h->n_level; i++) { // the finest level is A itself
    PetscCall(MatGetSize(h->A[i], &n, NULL));
    move[i] = (PetscBool)(n <= g->node_rows);
    any     = (PetscBool)(any || move[i]);
  }
  if (any) {
    PetscCall(wring_hosts_find(comm, g->ranks_each, &hosts));
    PetscCall(move_levels(h, move, g, &hosts));
  }
  PetscCall(PetscFree(move));
  PetscFunctionReturn(PETSC_SUCCESS);
}
