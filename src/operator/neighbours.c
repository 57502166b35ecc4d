#include "neighbours.h"
#include "base/exchange.h"
#include <string.h>

enum { SERIAL_BELOW = 10000 }; // rows copied by one thread

/* ---- who owns what ----------------------------------------------------------------------------------------------- */

/* Copies the ranks and starts of one side of x. */
static PetscErrorCode copy_side(PetscMPIInt n, const PetscMPIInt *from, const PetscInt *from_start, PetscMPIInt **rank,
                                PetscInt **start)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, rank, (size_t)n + 1, start));
  PetscCall(PetscArraycpy(*rank, from, n));
  PetscCall(PetscArraycpy(*start, from_start, n + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_neighbours_create(PetscLayout rows, PetscInt n_ghost, const PetscInt *global, wring_neighbours *n)
{
  PetscInt      *owner, first;
  wring_exchange x;

  PetscFunctionBegin;
  *n = (wring_neighbours){.comm = rows->comm, .n_ghost = n_ghost};
  PetscCheck(3 * (int64_t)n_ghost < INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "Too many vertices on a rank");
  PetscCall(PetscMalloc1((size_t)n_ghost, &owner));
  for (PetscInt i = 0; i < n_ghost; i++) {
    PetscMPIInt rank;
    PetscCall(PetscLayoutFindOwner(rows, global[i], &rank));
    owner[i] = rank;
  }
  PetscCall(wring_exchange_create(rows->comm, n_ghost, owner, &x));
  PetscCall(PetscFree(owner));
  PetscCall(wring_exchange_send(&x, sizeof *global, global, &n->shared));
  n->n_shared = x.n_got;
  n->n_owner  = x.n_to;
  n->n_holder = x.n_from;
  PetscCall(copy_side(x.n_to, x.to, x.to_start, &n->owner, &n->ghost_start));
  PetscCall(copy_side(x.n_from, x.from, x.from_start, &n->holder, &n->share_start));
  PetscCall(wring_exchange_destroy(&x));
  PetscCall(PetscLayoutGetRange(rows, &first, NULL));
  for (PetscInt i = 0; i < n->n_shared; i++) n->shared[i] -= first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_neighbours_destroy(wring_neighbours *n)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(n->owner, n->ghost_start));
  PetscCall(PetscFree2(n->holder, n->share_start));
  PetscCall(PetscFree(n->shared));
  *n = (wring_neighbours){.n_ghost = 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_neighbours_memory(const wring_neighbours *n)
{
  return sizeof(PetscInt) * (double)n->n_shared;
}

PetscErrorCode wring_neighbours_fetch(const wring_neighbours *n, size_t size, const void *x, void *ghost)
{
  MPI_Comm     comm;
  PetscMPIInt  tag;
  int          k = 0;
  char        *shared;
  MPI_Request *request;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(n->comm, &comm, &tag));
  PetscCall(PetscMalloc1((size_t)n->n_shared * size, &shared));
  PetscCall(PetscMalloc1((size_t)n->n_owner + (size_t)n->n_holder, &request));
  for (PetscInt i = 0; i < n->n_shared; i++)
    memcpy(shared + (size_t)i * size, (const char *)x + (size_t)n->shared[i] * size, size);
  for (PetscMPIInt p = 0; p < n->n_owner; p++) {
    const size_t bytes = (size_t)(n->ghost_start[p + 1] - n->ghost_start[p]) * size;
    PetscCallMPI(MPI_Irecv((char *)ghost + (size_t)n->ghost_start[p] * size, (int)bytes, MPI_BYTE, n->owner[p], tag,
                           comm, &request[k++]));
  }
  for (PetscMPIInt p = 0; p < n->n_holder; p++) {
    const size_t bytes = (size_t)(n->share_start[p + 1] - n->share_start[p]) * size;
    PetscCallMPI(MPI_Isend(shared + (size_t)n->share_start[p] * size, (int)bytes, MPI_BYTE, n->holder[p], tag, comm,
                           &request[k++]));
  }
  PetscCallMPI(MPI_Waitall(k, request, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(request));
  PetscCall(PetscFree(shared));
  PetscCall(PetscCommDestroy(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* One side: rows start[p] to start[p + 1] - 1 of memory belong to rank[p]. */
typedef struct {
  PetscMPIInt        n;
  const PetscMPIInt *rank;
  const PetscInt    *start;
  char              *memory;
} side;

static PetscErrorCode add_requests(wring_messages *m, const side *s, PetscBool send, MPI_Datatype type, PetscMPIInt tag)
{
  PetscFunctionBegin;
  for (PetscMPIInt p = 0; p < s->n; p++) {
    char *const    at = s->memory + 3 * (size_t)s->start[p] * m->size;
    const PetscInt n  = 3 * (s->start[p + 1] - s->start[p]);
    if (send)
      PetscCallMPI(MPI_Send_init(at, (int)n, type, s->rank[p], tag, m->comm, &m->request[m->n++]));
    else
      PetscCallMPI(MPI_Recv_init(at, (int)n, type, s->rank[p], tag, m->comm, &m->request[m->n++]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_messages_create(const wring_neighbours *n, MPI_Datatype type, PetscBool fetch, wring_messages *m)
{
  PetscMPIInt tag;

  PetscFunctionBegin;
  *m = (wring_messages){.of = n, .size = type == MPI_FLOAT ? sizeof(float) : sizeof(double)};
  PetscCall(PetscCommDuplicate(n->comm, &m->comm, &tag));
  PetscCall(PetscCalloc1((3 * (size_t)n->n_ghost + 1) * m->size, (char **)&m->ghost));
  PetscCall(PetscMalloc1(3 * (size_t)n->n_shared * m->size, (char **)&m->shared));
  PetscCall(PetscMalloc1((size_t)n->n_owner + (size_t)n->n_holder, &m->request));
  const side ghosts = {n->n_owner, n->owner, n->ghost_start, m->ghost};
  const side shared = {n->n_holder, n->holder, n->share_start, m->shared};
  PetscCall(add_requests(m, fetch ? &ghosts : &shared, PETSC_FALSE, type, tag));
  PetscCall(add_requests(m, fetch ? &shared : &ghosts, PETSC_TRUE, type, tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_messages_destroy(wring_messages *m)
{
  PetscFunctionBegin;
  if (!m->of) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < m->n; i++) PetscCallMPI(MPI_Request_free(&m->request[i]));
  PetscCall(PetscFree(m->request));
  PetscCall(PetscFree(m->ghost));
  PetscCall(PetscFree(m->shared));
  PetscCall(PetscCommDestroy(&m->comm));
  *m = (wring_messages){.of = NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_messages_memory(const wring_messages *m)
{
  return m->of ? 3.0 * (double)m->size * (double)(m->of->n_ghost + m->of->n_shared) : 0;
}

static PetscErrorCode start(wring_messages *m)
{
  PetscFunctionBegin;
  if (m->n > 0) PetscCallMPI(MPI_Startall(m->n, m->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(wring_messages *m)
{
  PetscFunctionBegin;
  if (m->n > 0) PetscCallMPI(MPI_Waitall(m->n, m->request, MPI_STATUSES_IGNORE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fetch_begin(wring_messages *m, const void *x)
{
  const wring_neighbours *const n     = m->of;
  const size_t                  width = 3 * m->size;

  PetscFunctionBegin;
#pragma omp parallel for schedule(static) if (n->n_shared > SERIAL_BELOW)
  for (PetscInt i = 0; i < n->n_shared; i++) {
    char *const       to   = (char *)m->shared + (size_t)i * width;
    const char *const from = (const char *)x + (size_t)n->shared[i] * width;
    if (m->size == sizeof(float))
      memcpy(to, from, 3 * sizeof(float));
    else
      memcpy(to, from, 3 * sizeof(double));
  }
  PetscCall(start(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fetch_end(wring_messages *m, void *ghost)
{
  PetscFunctionBegin;
  PetscCall(finish(m));
  if (ghost) memcpy(ghost, m->ghost, 3 * (size_t)m->of->n_ghost * m->size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_give_begin(wring_messages *m)
{
  PetscFunctionBegin;
  PetscCall(start(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_give_end(wring_messages *m, float *x)
{
  const float *const share = m->shared;

  PetscFunctionBegin;
  PetscCall(finish(m));
  for (PetscInt i = 0; i < m->of->n_shared; i++)
    for (int c = 0; c < 3; c++) x[3 * m->of->shared[i] + c] += share[3 * i + c];
  PetscFunctionReturn(PETSC_SUCCESS);
}
