/* Private to src/operator: the threads of all ranks of one node, which work on the same arrays. */
#pragma once
#include <wring/base.h>

typedef struct wring_barrier wring_barrier;

typedef struct {
  MPI_Comm       comm; // borrowed
  PetscMPIInt    rank, n_rank;
  wring_barrier *barrier; // in memory of all ranks
  MPI_Win        window;  // that the barrier is in
  int            threads; // of each rank; agreed on by wring_team_agree
  int            asked;   // OpenMP's number of threads at that time
} wring_team;

/* Memory of a team: shared by its ranks, aligned to 64 bytes, zeros. */
typedef struct {
  void   *memory;
  MPI_Win window; // MPI_WIN_NULL on one rank
} wring_shared;

PetscErrorCode wring_team_possible(MPI_Comm comm, PetscBool *yes); // whether all ranks are of one node. Collective.

/* The ranks are of one node. *t is NULL on all ranks if there is too little memory to share. Collective. */
PetscErrorCode wring_team_create(MPI_Comm comm, wring_team **t);
PetscErrorCode wring_team_destroy(wring_team **t);
PetscErrorCode wring_team_agree(wring_team *t); // on the threads of a rank, the fewest of all. Collective.

/* bytes as on rank 0; *enough: there was memory. Collective. */
PetscErrorCode wring_team_allocate(const wring_team *t, size_t bytes, wring_shared *s, PetscBool *enough);
PetscErrorCode wring_team_free(wring_shared *s);

/*
  Sets memory to zero by the kernel, which takes its pages. PETSC_FALSE: not all of them could be had, as on a full
  /dev/shm, where a store of the program would end it with SIGBUS. Not collective.
*/
PetscBool wring_shared_clear(void *memory, size_t bytes);

/*
  Inside a parallel region of t->threads threads on every rank, or outside of any on every rank: waits for all; what any
  thread wrote before, all see afterwards.
*/
void wring_team_meet(const wring_team *t);

/* The number of the calling thread in the team, and how many there are. Inside the parallel region. */
int wring_team_me(const wring_team *t);
int wring_team_size(const wring_team *t);
