/*
  Ranks of one node in shared memory of MPI 3. They meet at a barrier of their own: MPI's is slower, and keeps a core busy
  that the others may need.
*/
#define _POSIX_C_SOURCE 200809L
#include "team.h"
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct wring_barrier {
  _Alignas(64) atomic_int waiting;
  _Alignas(64) atomic_uint round;
  pthread_mutex_t mutex;
  pthread_cond_t  opened;
};

enum { ALIGNMENT = 64, SPINS = 4000 };

/* Memory that MPI does not grant is no error of the program's. */
static PetscErrorCode allocate_shared(wring_team *t, size_t bytes, wring_shared *s, PetscBool *enough)
{
  MPI_Aint       size;
  int            unit;
  char          *memory;
  MPI_Errhandler handler;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&bytes, sizeof bytes, MPI_BYTE, 0, t->comm));
  PetscCallMPI(MPI_Comm_get_errhandler(t->comm, &handler));
  PetscCallMPI(MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN));
  const MPI_Aint mine   = t->rank == 0 ? (MPI_Aint)(bytes + ALIGNMENT) : 0;
  int            failed = MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, t->comm, &memory, &s->window) != MPI_SUCCESS;
  PetscCallMPI(MPI_Comm_set_errhandler(t->comm, handler));
  PetscCallMPI(MPI_Errhandler_free(&handler));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, t->comm));
  *enough = (PetscBool)!failed;
  if (failed) s->window = MPI_WIN_NULL;
  if (failed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Win_shared_query(s->window, 0, &size, &unit, &memory));
  PetscCallMPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, s->window));
  s->memory = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
  if (t->rank == 0) memset(s->memory, 0, bytes);
  PetscCallMPI(MPI_Win_sync(s->window));
  PetscCallMPI(MPI_Barrier(t->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_allocate(wring_team *t, size_t bytes, wring_shared *s, PetscBool *enough)
{
  double *memory;

  PetscFunctionBegin;
  *s      = (wring_shared){NULL, MPI_WIN_NULL};
  *enough = PETSC_TRUE;
  if (t->n_rank > 1) {
    PetscCall(allocate_shared(t, bytes, s, enough));
  } else {
    PetscCall(wring_blocks_create((bytes + sizeof *memory - 1) / sizeof *memory, &memory));
    s->memory = memory;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_free(wring_shared *s)
{
  PetscFunctionBegin;
  if (s->window != MPI_WIN_NULL) {
    PetscCallMPI(MPI_Win_unlock_all(s->window));
    PetscCallMPI(MPI_Win_free(&s->window));
    s->memory = NULL;
  }
  double *memory = s->memory;
  wring_blocks_destroy(&memory);
  s->memory = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_possible(MPI_Comm comm, PetscBool *yes)
{
  MPI_Comm    node;
  PetscMPIInt size, node_size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &node_size));
  PetscCallMPI(MPI_Comm_free(&node));
  int one = node_size == size;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MIN, comm));
  *yes = (PetscBool)one;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of rank 0; the others wait until it is there. */
static PetscErrorCode create_barrier(const wring_team *t, wring_barrier *b)
{
  PetscFunctionBegin;
  if (t->rank == 0) {
    pthread_mutexattr_t mutex;
    pthread_condattr_t  condition;
    pthread_mutexattr_init(&mutex);
    pthread_condattr_init(&condition);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&b->mutex, &mutex);
    pthread_cond_init(&b->opened, &condition);
    pthread_mutexattr_destroy(&mutex);
    pthread_condattr_destroy(&condition);
  }
  PetscCallMPI(MPI_Barrier(t->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_create(MPI_Comm comm, wring_team **team)
{
  wring_team  *t;
  wring_shared s;
  PetscBool    enough;

  PetscFunctionBegin;
  *team = NULL;
  PetscCall(PetscNew(&t));
  t->comm   = comm;
  t->window = MPI_WIN_NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &t->rank));
  PetscCallMPI(MPI_Comm_size(comm, &t->n_rank));
  if (t->n_rank > 1) {
    PetscCall(wring_team_allocate(t, sizeof *t->barrier, &s, &enough));
    if (!enough) PetscCall(PetscFree(t));
    if (!enough) PetscFunctionReturn(PETSC_SUCCESS);
    t->barrier = s.memory; // zeros are a counter that nobody has come to
    PetscCall(create_barrier(t, t->barrier));
    t->window = s.window;
  }
  PetscCall(wring_team_agree(t));
  *team = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_destroy(wring_team **t)
{
  PetscFunctionBegin;
  if (!*t) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*t)->barrier) PetscCall(wring_team_free(&(wring_shared){(*t)->barrier, (*t)->window}));
  PetscCall(PetscFree(*t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_agree(wring_team *t)
{
  PetscFunctionBegin;
  t->asked   = wring_max_threads();
  t->threads = 1;
#pragma omp parallel
#pragma omp master
  t->threads = omp_get_num_threads();
  if (t->n_rank > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &t->threads, 1, MPI_INT, MPI_MIN, t->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last to come opens the next round. The others look for it a while, and then sleep. */
static void meet_ranks(wring_barrier *b, int n_rank)
{
  const unsigned round = atomic_load(&b->round);
  if (atomic_fetch_add(&b->waiting, 1) == n_rank - 1) {
    atomic_store(&b->waiting, 0);
    pthread_mutex_lock(&b->mutex);
    atomic_store(&b->round, round + 1);
    pthread_cond_broadcast(&b->opened);
    pthread_mutex_unlock(&b->mutex);
    return;
  }
  for (int i = 0; i < SPINS; i++)
    if (atomic_load(&b->round) != round) return;
  pthread_mutex_lock(&b->mutex);
  while (atomic_load(&b->round) == round) pthread_cond_wait(&b->opened, &b->mutex);
  pthread_mutex_unlock(&b->mutex);
}

void wring_team_meet(const wring_team *t)
{
#pragma omp barrier
  if (!t->barrier) return;
  if (omp_get_thread_num() == 0) meet_ranks(t->barrier, t->n_rank);
#pragma omp barrier
}

int wring_team_me(const wring_team *t)
{
  return t->rank * omp_get_num_threads() + omp_get_thread_num();
}

int wring_team_size(const wring_team *t)
{
  return t->n_rank * omp_get_num_threads();
}
