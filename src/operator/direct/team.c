#define _POSIX_C_SOURCE 200809L
/*
  Memory that the threads of all ranks of a node share, and their barrier.

  After the barrier all threads see what each has written before it: every arrival is a read-modify-write of `waiting`,
  so the last thread has seen the writes of all others; it publishes them by its store to `round`, which the others read
  (C11 7.17.3). Between processes this requires lock-free atomics and windows of MPI's unified memory model, which
  allocate_shared checks.
*/
#include "team.h"
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#if defined(__SSE2__)
  #include <emmintrin.h>
#endif

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a lock inside an atomic would be a separate lock in each process");

struct wring_barrier {
  _Alignas(64) atomic_int waiting;
  _Alignas(64) atomic_uint round;
};

enum { ALIGNMENT = 64, SPINS = 200 };

PetscBool wring_shared_clear(void *memory, size_t bytes)
{
  const size_t most = (size_t)1 << 30;
  const int    zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  size_t       done = 0;
  while (zero >= 0 && done < bytes) {
    const ssize_t n = read(zero, (char *)memory + done, PetscMin(bytes - done, most));
    if (n > 0)
      done += (size_t)n;
    else if (n == 0 || errno != EINTR)
      break;
  }
  if (zero >= 0) close(zero);
  return (PetscBool)(done == bytes);
}

/* Clears the memory, which begins at the same offset within a page on all ranks. */
static PetscErrorCode clear(const wring_team *t, size_t bytes, wring_shared *s, PetscBool *enough)
{
  MPI_Aint size;
  int      unit, skip;
  char    *memory;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Win_shared_query(s->window, 0, &size, &unit, &memory));
  skip = (int)((ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT);
  PetscCallMPI(MPI_Bcast(&skip, 1, MPI_INT, 0, t->comm));
  s->memory = memory + skip;
  PetscCallMPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, s->window));
  if (t->rank == 0) *enough = wring_shared_clear(s->memory, bytes);
  PetscCallMPI(MPI_Win_sync(s->window));
  PetscCallMPI(MPI_Bcast(enough, 1, WRING_MPI_BOOL, 0, t->comm));
  PetscCallMPI(MPI_Barrier(t->comm));
  PetscCallMPI(MPI_Win_sync(s->window));
  if (!*enough) PetscCall(wring_team_free(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If the memory is not granted, *enough is PETSC_FALSE; this is not an error. */
static PetscErrorCode allocate_shared(const wring_team *t, size_t bytes, wring_shared *s, PetscBool *enough)
{
  void          *memory;
  int           *model, found;
  MPI_Errhandler handler;
  PetscBool      unified = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&bytes, sizeof bytes, MPI_BYTE, 0, t->comm));
  PetscCallMPI(MPI_Comm_get_errhandler(t->comm, &handler));
  PetscCallMPI(MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN));
  const MPI_Aint mine   = t->rank == 0 ? (MPI_Aint)(bytes + ALIGNMENT) : 0;
  int            failed = MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, t->comm, &memory, &s->window) != MPI_SUCCESS;
  PetscCallMPI(MPI_Comm_set_errhandler(t->comm, handler));
  PetscCallMPI(MPI_Errhandler_free(&handler));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, t->comm));
  if (failed) s->window = MPI_WIN_NULL;
  if (!failed) { // else ranks do not see each other's stores without MPI calls in between
    PetscCallMPI(MPI_Win_get_attr(s->window, MPI_WIN_MODEL, &model, &found));
    unified = (PetscBool)(found && *model == MPI_WIN_UNIFIED);
  }
  *enough = (PetscBool)(!failed && unified);
  if (!unified) PetscCallMPI(MPI_Win_free(&s->window));
  if (*enough) PetscCall(clear(t, bytes, s, enough));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_allocate(const wring_team *t, size_t bytes, wring_shared *s, PetscBool *enough)
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

PetscErrorCode wring_team_create(MPI_Comm comm, wring_team **team)
{
  wring_team  *t;
  wring_shared s;
  PetscBool    enough;

  PetscFunctionBegin;
  *team = NULL;
  PetscCall(PetscNew(&t));
  t->comm = comm;
  PetscCallMPI(MPI_Comm_rank(comm, &t->rank));
  PetscCallMPI(MPI_Comm_size(comm, &t->n_rank));
  PetscCall(wring_team_allocate(t, sizeof *t->barrier, &s, &enough));
  if (!enough) PetscCall(PetscFree(t));
  if (!enough) PetscFunctionReturn(PETSC_SUCCESS);
  t->barrier = s.memory; // zeros: no thread waits
  t->window  = s.window;
  PetscCall(wring_team_agree(t));
  *team = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_destroy(wring_team **t)
{
  PetscFunctionBegin;
  if (!*t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_team_free(&(wring_shared){(*t)->barrier, (*t)->window}));
  PetscCall(PetscFree(*t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_team_agree(wring_team *t)
{
  PetscFunctionBegin;
  omp_set_dynamic(0); // with fewer threads than agreed the barrier would never open
  t->asked   = wring_max_threads();
  t->threads = 1;
#pragma omp parallel
#pragma omp master
  t->threads = omp_get_num_threads();
  if (t->n_rank > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &t->threads, 1, MPI_INT, MPI_MIN, t->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last thread opens the next round. The others poll for it; after SPINS polls they yield their core. */
void wring_team_meet(const wring_team *t)
{
  wring_barrier *const b     = t->barrier;
  const int            size  = wring_team_size(t);
  const unsigned       round = atomic_load(&b->round); // does not change before this thread arrives
  if (atomic_fetch_add(&b->waiting, 1) == size - 1) {
    atomic_store(&b->waiting, 0); // before the round opens: the next barrier starts at 0
    atomic_store(&b->round, round + 1);
    return;
  }
  for (int i = 0; atomic_load(&b->round) == round; i++) {
    if (i >= SPINS) sched_yield();
#if defined(__SSE2__)
    _mm_pause();
#endif
  }
}

int wring_team_me(const wring_team *t)
{
  return t->rank * omp_get_num_threads() + omp_get_thread_num();
}

int wring_team_size(const wring_team *t)
{
  return t->n_rank * omp_get_num_threads();
}
