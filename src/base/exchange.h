/*
  Private to the library: rows of a table from every rank to any ranks. Messages go between ranks that have rows for
  each other only [PetscCommBuildTwoSided], so that time and memory do not grow with the number of ranks; any number of
  bytes.
*/
#pragma once
#include <wring/base.h>

/*
  Row i of row [n][width bytes] goes to rank to[i]. *got [*n_got][width]: the rows received, by sending rank, then in
  their order there; freed by the caller with PetscFree. Collective on comm.
*/
PetscErrorCode wring_exchange_rows(MPI_Comm comm, PetscInt n, const PetscInt *to, size_t width, const void *row,
                                   PetscInt *n_got, void *got);

/* The paths of such rows: for answers that go back, and for callers that ask which rank a row came from. */
typedef struct {
  MPI_Comm     comm;
  PetscInt     n_sent, n_got;         // rows of this rank; those that stay here count as sent and received
  PetscMPIInt  n_to, n_from;          // ranks
  PetscMPIInt *to, *from;             // [n_to], [n_from] ascending
  PetscInt    *to_start, *from_start; // [n_to + 1] of the rows sent, by rank; [n_from + 1] of the rows received
  PetscInt    *order;                 // [n_sent] the row at each place of those sent by rank; NULL: they ascend by rank
  size_t       message;               // bytes of one message at most, below 2^31: what is longer goes in pieces
} wring_exchange;

PetscErrorCode wring_exchange_create(MPI_Comm comm, PetscInt n, const PetscInt *to, wring_exchange *x); // collective
PetscErrorCode wring_exchange_destroy(wring_exchange *x);

/* *got [n_got][width] (freed by the caller) from row [n_sent][width] of all ranks. Collective. */
PetscErrorCode wring_exchange_send(const wring_exchange *x, size_t width, const void *row, void *got);

/*
  The way back: answer [n_got][width], one for each row received; row [n_sent][width]: the answer to each row sent.
  Collective.
*/
PetscErrorCode wring_exchange_answer(const wring_exchange *x, size_t width, const void *answer, void *row);
