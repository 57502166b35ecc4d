/*
  Private to src/mesh: sends rows of a table between rank 0 and all ranks. Any number of bytes, fewer than 2^31 rows a
  rank. base/exchange.h sends rows between any ranks.
*/
#pragma once
#include <wring/base.h>

/*
  Rows order[start[p]] ... order[start[p+1] - 1] of table on rank 0 go to rank p: mine [n_mine][width bytes].
  order NULL: rows in their order. start [size + 1], order and table are used on rank 0 only. Collective.
*/
PetscErrorCode wring_deal_rows(MPI_Comm comm, const PetscInt *start, const PetscInt *order, const void *table,
                               size_t width, PetscInt n_mine, void *mine);

/*
  The reverse of wring_deal_rows: table [sum of n_mine][width bytes] on rank 0, in the order of ranks (allocated there
  by PetscMalloc, NULL elsewhere). Collective.
*/
PetscErrorCode wring_collect_rows(MPI_Comm comm, PetscInt n_mine, const void *mine, size_t width, PetscInt *n_all,
                                  void *table);
