#include "neighbours.h"
#include <string.h>

enum { SERIAL_BELOW = 10000 }; // rows copied by one thread

/* ---- who owns what ----------------------------------------------------------------------------------------------- */

PetscErrorCode wring_neighbours_check(MPI_Comm comm, PetscInt64 rows)
{
  const PetscInt64 most  = (INT32_MAX - 1) / 3;
  wring_error      error = {""};

  PetscFunctionBegin;
  if (rows > most)
    wring_error_set(&error,
                    "operator: %" PetscInt64_FMT " vertices on one rank, with those of others, are too many for 32-bit "
                    "offsets, expected at most %" PetscInt64_FMT,
                    rows, most);
  PetscCall(wring_error_raise(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_neighbours_create(PetscLayout rows, PetscInt n_ghost, const PetscInt *global, wring_neighbours *n)
{
  PetscFunctionBegin;
  *n = (wring_neighbours){.n_ghost = n_ghost};
  PetscCall(wring_neighbours_check(rows->comm, n_ghost));
  PetscCall(PetscMalloc1((size_t)n_ghost, &n->global));
  PetscCall(PetscArraycpy(n->global, global, n_ghost));
  PetscCall(wring_exchange_ask(rows, n_ghost, global, &n->asked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_neighbours_destroy(wring_neighbours *n)
{
  PetscFunctionBegin;
  PetscCall(wring_exchange_destroy(&n->asked));
  PetscCall(PetscFree(n->global));
  *n = (wring_neighbours){.n_ghost = 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_neighbours_memory(const wring_neighbours *n)
{
  return sizeof(PetscInt) * (double)(n->n_ghost + n->asked.n_got);
}

PetscErrorCode wring_neighbours_fetch(const wring_neighbours *n, size_t size, const void *x, void *ghost)
{
  PetscFunctionBegin;
  PetscCall(wring_exchange_fetch(&n->asked, size, x, ghost));
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
    char *const    at = s->memory + (size_t)m->width * (size_t)s->start[p] * m->size;
    const PetscInt n  = m->width * (s->start[p + 1] - s->start[p]);
    if (send)
      PetscCallMPI(MPI_Send_init(at, (int)n, type, s->rank[p], tag, m->comm, &m->request[m->n++]));
    else
      PetscCallMPI(MPI_Recv_init(at, (int)n, type, s->rank[p], tag, m->comm, &m->request[m->n++]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_messages_create(const wring_neighbours *n, MPI_Datatype type, int width, PetscBool fetch,
                                     wring_messages *m)
{
  const wring_exchange *const x = &n->asked;
  PetscMPIInt                 tag;

  PetscFunctionBegin;
  PetscCheck(width == 3 || (width == 6 && type == MPI_FLOAT), x->comm, PETSC_ERR_SUP, "Rows of %d numbers", width);
  *m = (wring_messages){.of = n, .width = width, .size = type == MPI_FLOAT ? sizeof(float) : sizeof(double)};
  PetscCall(PetscCommDuplicate(x->comm, &m->comm, &tag));
  PetscCall(PetscCalloc1(((size_t)width * (size_t)n->n_ghost + 1) * m->size, (char **)&m->ghost));
  PetscCall(PetscMalloc1((size_t)width * (size_t)x->n_got * m->size, (char **)&m->shared));
  PetscCall(PetscMalloc1((size_t)x->n_to + (size_t)x->n_from, &m->request));
  const side ghosts = {x->n_to, x->to, x->to_start, m->ghost};
  const side shared = {x->n_from, x->from, x->from_start, m->shared};
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
  return m->of ? (double)m->width * (double)m->size * (double)(m->of->n_ghost + m->of->asked.n_got) : 0;
}

PetscErrorCode wring_give_begin(wring_messages *m)
{
  PetscFunctionBegin;
  if (m->n > 0) PetscCallMPI(MPI_Startall(m->n, m->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_give_end(wring_messages *m, float *x)
{
  const float *const share = m->shared;
  const int          width = m->width;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Waitall(m->n, m->request, MPI_STATUSES_IGNORE));
  for (PetscInt i = 0; i < m->of->asked.n_got; i++)
    for (int c = 0; c < width; c++) x[width * m->of->asked.asked[i] + c] += share[width * i + c];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fetch_begin(wring_messages *m, const void *x)
{
  const PetscInt *const shared = m->of->asked.asked, n = m->of->asked.n_got;
  const size_t          width = (size_t)m->width * m->size;

  PetscFunctionBegin;
#pragma omp parallel for schedule(static) if (n > SERIAL_BELOW)
  for (PetscInt i = 0; i < n; i++) {
    char *const       to   = (char *)m->shared + (size_t)i * width;
    const char *const from = (const char *)x + (size_t)shared[i] * width;
    if (width == 3 * sizeof(float))
      memcpy(to, from, 3 * sizeof(float));
    else // three doubles or six floats
      memcpy(to, from, 3 * sizeof(double));
  }
  if (m->n > 0) PetscCallMPI(MPI_Startall(m->n, m->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_fetch_end(wring_messages *m, void *ghost)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Waitall(m->n, m->request, MPI_STATUSES_IGNORE));
  if (ghost) memcpy(ghost, m->ghost, (size_t)m->width * (size_t)m->of->n_ghost * m->size);
  PetscFunctionReturn(PETSC_SUCCESS);
}
