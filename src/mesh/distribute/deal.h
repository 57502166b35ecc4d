/* Private to src/mesh: rows of a table between rank 0 and all ranks, or between all. Any number of bytes in all, < 2^31 rows a rank. */
#pragma once
#include <wring/base.h>

/*
  Rows order[start[p]] ... order[start[p+1] - 1] of table on rank 0 go to rank p: mine [n_mine][width bytes].
  order NULL: rows in their order. start [size + 1], order and table matter on rank 0 only. Collective.
*/
PetscErrorCode wring_deal_rows(MPI_Comm comm, const PetscInt *start, const PetscInt *order, const void *table,
                               size_t width, PetscInt n_mine, void *mine);

/*
  Between all ranks: rows start[p] ... start[p+1] - 1 of rows go to rank p. *got [got_start[size]][width]: what came, by rank
  of origin, got_start [size + 1] (allocated by PetscMalloc). Collective.
*/
PetscErrorCode wring_exchange_rows(MPI_Comm comm, const PetscInt *start, const void *rows, size_t width,
                                   PetscInt *got_start, void *got);

/* The reverse of wring_deal_rows: table [sum of n_mine][width bytes] on rank 0, in the order of ranks (allocated there by PetscMalloc). */
PetscErrorCode wring_collect_rows(MPI_Comm comm, PetscInt n_mine, const void *mine, size_t width, PetscInt *n_all,
                                  void *table);

/*
  The same for rows in any order: row i goes to rank to[i]. order [n], unless NULL: the row at each place of what is sent, which is
  the order of answers that wring_exchange_rows brings back when it is given got_start.
*/
PetscErrorCode wring_send_rows(MPI_Comm comm, PetscInt n, const PetscInt *to, const void *rows, size_t width,
                               PetscInt *order, PetscInt *got_start, void *got);
