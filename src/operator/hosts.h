/*
  Private to src/operator: the hosts of the ranks, and how many ranks share the rows of a coarse level of multigrid.
  docs/theory.md 4.1
*/
#pragma once
#include <wring/base.h>

typedef struct {
  PetscMPIInt n;          // hosts
  PetscMPIInt first;      // ranks on the host of rank 0
  PetscMPIInt rank;       // this rank among those of its host, ordered as in the communicator
  PetscBool   with_first; // this rank is on the host of rank 0
} wring_hosts;

/* The ranks of this host, in the order of comm; freed by the caller. each: as below. Collective. */
PetscErrorCode wring_hosts_split(MPI_Comm comm, PetscMPIInt each, MPI_Comm *host);

/* each > 0: takes so many ranks in a row for a host, in tests; 0: ranks that can share memory. Collective. */
PetscErrorCode wring_hosts_find(MPI_Comm comm, PetscMPIInt each, wring_hosts *h);

/*
  How levels of multigrid are made. threshold: of aggregates. A level of at most node_rows rows is on ranks of the host
  of rank 0 only. Up to WRING_ONE_RANK rank_entries entries of its matrix are on one rank, without exchanges; more are
  on one rank for each rank_entries of them; of blocks of H, WRING_BLOCK_ENTRIES times fewer. docs/scaling.md: how this
  follows from latency and bandwidth. node_rows 0: levels stay where they are.
*/
typedef struct {
  PetscInt    rank_entries, node_rows;
  PetscMPIInt ranks_each; // of wring_hosts_find
  double      threshold;
  PetscBool   wide; // first aggregates of 40 rows in the place of 7, for matrices with six unknowns in each
} wring_coarsening;

enum { WRING_ONE_RANK = 5, WRING_BLOCK_ENTRIES = 5 };
enum { WRING_RANK_ENTRIES = 20000, WRING_NODE_ROWS = 10000 }; // defaults
