/*
  Private to the library: a sort of rows by 64-bit keys over all ranks. The cuts between ranks are found bit by bit from
  the numbers of keys below them [histogram sort: Kale, Krishnan 1993, A comparison based parallel sorting algorithm]:
  one sum of 8 bytes a rank in each of at most 64 rounds, about log2(rows) rounds for keys that differ. Arrays with an
  entry for each rank of comm take 40 bytes a rank during the search, 8 afterwards.
*/
#pragma once
#include "base/exchange.h"

/*
  Cuts the sorted keys of all ranks into one part for each rank. key [n] ascending on every rank.
  begin [size + 1]: of key, [begin[p], begin[p + 1]) belong to rank p. splitter [size]: a key of part p is at least
  splitter[p]; splitter[0] = 0. Each may be NULL.
  together false: part p is the rows floor(p N / size) to floor((p + 1) N / size) - 1 of all N in the order of keys,
  equal keys in the order of ranks and places; parts differ by at most one row.
  together true: equal keys are in one part; the keys of part p are in [splitter[p], splitter[p + 1]); each cut is the
  one nearest to that above. Keys < 2^64 - 1.
  first [size], unless it is NULL: part p is to begin at row first[p] of all, ascending, in place of floor(p N / size).
  Splitters depend on the keys and the number of ranks only, not on the ranks that the keys are on. Collective.
*/
PetscErrorCode wring_cut_keys(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscBool together,
                              const PetscInt64 *first, PetscInt *begin, uint64_t *splitter);

/* The part of a key of any rank: the last p with splitter[p] <= key; splitter [size] of equal keys kept together. */
PetscMPIInt wring_find_part(PetscMPIInt size, const uint64_t *splitter, uint64_t key);

/*
  Rows in the order of their keys over all ranks: those of rank p precede those of rank p + 1. Equal keys are in the
  order of the ranks and places from which they came: the result depends on how the rows were distributed only where
  keys are equal, and not even there if the rows of all ranks, one rank after the other, are the same.
*/
typedef struct {
  wring_exchange x;     // the rows that went and came
  PetscInt       n;     // rows here
  uint64_t      *key;   // [n] ascending; NULL: matched rows
  PetscInt      *order; // [n] the row of those that came that is in each place
} wring_sorting;

/* Row i has key[i], in any order; parts as for wring_cut_keys. Collective. */
PetscErrorCode wring_sorting_create(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscBool together,
                                    const PetscInt64 *first, wring_sorting *s);

/*
  Matches rows by key: row [n][bytes], which begins with the n_key PetscInts >= -1 of its key, goes to rank to[i].
  *got [s->n][bytes], freed by the caller: those that came, by key, equal keys in the order of ranks and places; groups
  end at wring_rows_end (base/sort.h). Collective.
*/
PetscErrorCode wring_match_rows(MPI_Comm comm, PetscInt n, const PetscInt *to, int n_key, size_t bytes, const void *row,
                                wring_sorting *s, void *got);

PetscErrorCode wring_sorting_destroy(wring_sorting *s);

/* *sorted [s->n][width bytes] (freed by the caller) from row [n][width] of all ranks. Collective. */
PetscErrorCode wring_sorting_send(const wring_sorting *s, size_t width, const void *row, void *sorted);

/* Sends answers back: answer [s->n][width], one for each sorted row; row [n][width]: as they were. Collective. */
PetscErrorCode wring_sorting_answer(const wring_sorting *s, size_t width, const void *answer, void *row);
