/* Private to src/operator: the threads of all ranks of one node, which work on the same arrays. */
#pragma once
#include <wring/base.h>

typedef struct wring_barrier wring_barrier;

typedef struct {
  MPI_Comm       comm; // borrowed
  PetscMPIInt    rank, n_rank;
  wring_barrier *barrier; // in shared memory
  MPI_Win        window;  // of the barrier
  int            threads; // of each rank; agreed on by wring_team_agree
  int            asked;   // wring_max_threads() at that time
} wring_team;

/* Memory of a team: shared by its ranks, aligned to 64 bytes, zeros. */
typedef struct {
  void   *memory;
  MPI_Win window; // MPI_WIN_NULL on one rank
} wring_shared;

/* The ranks must be on one node. *t is NULL on all ranks if too little memory can be shared. Collective. */
PetscErrorCode wring_team_create(MPI_Comm comm, wring_team **t);
PetscErrorCode wring_team_destroy(wring_team **t);
PetscErrorCode wring_team_agree(wring_team *t); // sets threads to the least number of all ranks. Collective.

/* bytes: the value of rank 0 counts. *enough: whether there was enough memory. Collective. */
PetscErrorCode wring_team_allocate(const wring_team *t, size_t bytes, wring_shared *s, PetscBool *enough);
PetscErrorCode wring_team_free(wring_shared *s);

/*
  Sets memory to zero by the kernel, which thereby allocates its pages. PETSC_FALSE: some pages are not available, as on
  a full /dev/shm, where a store by the program would end it with SIGBUS. Not collective.
*/
PetscBool wring_shared_clear(void *memory, size_t bytes);

/*
  Barrier of all threads of all ranks. To be called inside a parallel region of t->threads threads on every rank, or
  outside of any on every rank. After it all threads see what each wrote before it.
*/
void wring_team_meet(const wring_team *t);

/* The number of the calling thread in the team, and the number of threads. To be called inside the parallel region. */
int wring_team_me(const wring_team *t);
int wring_team_size(const wring_team *t);
