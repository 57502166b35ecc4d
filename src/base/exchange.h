/*
  Private to the library: rows of a table from every rank to any ranks. Only ranks with rows for each other exchange
  messages (parallel/consensus.h); no array here has an entry for every rank, and no sum over ranks is made. The number
  of bytes is not limited. More rows on a rank than PetscInt counts are no refusal: they end the run (base.h), because
  the others do not learn of them.
*/
#pragma once
#include <wring/base.h>

/*
  Row i of row [n][width bytes] goes to rank to[i]. *got [*n_got][width]: the rows received, ordered by sending rank,
  then as on that rank; freed by the caller with PetscFree. Collective on comm.
*/
PetscErrorCode wring_exchange_rows(MPI_Comm comm, PetscInt n, const PetscInt *to, size_t width, const void *row,
                                   PetscInt *n_got, void *got);

/* The communication pattern of such rows, for answers, and for callers that need the rank from which a row came. */
typedef struct {
  MPI_Comm     comm;
  PetscInt     n_sent, n_got;         // rows of this rank; those that stay here are counted as sent and received
  PetscMPIInt  n_to, n_from;          // ranks
  PetscMPIInt *to, *from;             // [n_to], [n_from] ascending
  PetscInt    *to_start, *from_start; // [n_to + 1] of the rows sent, by rank; [n_from + 1] of the rows received
  PetscInt    *order;                 // [n_sent] the rows ordered by receiving rank; NULL: already in this order
  PetscInt    *asked;                 // [n_got] what the rows ask for: row asked[i] of a table; NULL: not set
  size_t       message;               // largest message in bytes, below 2^31: longer ones are sent in pieces
} wring_exchange;

PetscErrorCode wring_exchange_create(MPI_Comm comm, PetscInt n, const PetscInt *to, wring_exchange *x); // collective
PetscErrorCode wring_exchange_destroy(wring_exchange *x);

/* *got [n_got][width] (freed by the caller) from row [n_sent][width] of all ranks. Collective. */
PetscErrorCode wring_exchange_send(const wring_exchange *x, size_t width, const void *row, void *got);

/* *table [n_sent][width] becomes the rows received; the old one is freed. On one rank it stays as it is. Collective. */
PetscErrorCode wring_exchange_move(const wring_exchange *x, size_t width, void *table);

/*
  Sends answers back: answer [n_got][width], one for each row received; row [n_sent][width]: the answer to each row
  sent. Collective.
*/
PetscErrorCode wring_exchange_answer(const wring_exchange *x, size_t width, const void *answer, void *row);

/* The same, where the answers are rows x->asked of a table [][width]. Collective. */
PetscErrorCode wring_exchange_fetch(const wring_exchange *x, size_t width, const void *table, void *row);

/* The exchange that asks the owners of rows number [n], in any order, for them; sets x->asked. Collective. */
PetscErrorCode wring_exchange_ask(PetscLayout rows, PetscInt n, const PetscInt *number, wring_exchange *x);

/*
  Replaces table [*n][width] of each rank by the whole one on rank 0, in the order of ranks, and by none elsewhere; the
  old one is freed. Collective on comm.
*/
PetscErrorCode wring_exchange_collect(MPI_Comm comm, PetscInt *n, size_t width, void *table);
