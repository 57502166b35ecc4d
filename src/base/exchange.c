#include "exchange.h"
#include "parallel/consensus.h"
#include "sort.h"
#include <string.h>

enum { MESSAGE = 1 << 30 }; // bytes: MPI counts in int

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static PetscBool ascends(PetscInt n, const PetscInt *to)
{
  for (PetscInt i = 1; i < n; i++)
    if (to[i] < to[i - 1]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* rank [*n] and start [*n + 1] of the runs of equal ranks; order NULL: to [n_row] itself ascends. */
static PetscErrorCode find_runs(PetscInt n_row, const PetscInt *to, const PetscInt *order, PetscMPIInt *n,
                                PetscMPIInt **rank, PetscInt **start)
{
  PetscMPIInt runs = 0;

  PetscFunctionBegin;
  for (int fill = 0; fill < 2; fill++) {
    runs = 0;
    for (PetscInt i = 0, last = -1; i < n_row; i++) {
      const PetscInt one = to[order ? order[i] : i];
      if (one == last) continue;
      if (fill) (*rank)[runs] = (PetscMPIInt)one, (*start)[runs] = i;
      runs++;
      last = one;
    }
    if (!fill) PetscCall(PetscMalloc2((size_t)runs, rank, (size_t)runs + 1, start));
  }
  (*start)[runs] = n_row;
  *n             = runs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_sources(wring_exchange *x)
{
  PetscMPIInt *from;
  PetscInt    *order;
  PetscInt64  *mine, *count, sum = 0;
  uint64_t    *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)x->n_to, &mine));
  for (PetscMPIInt p = 0; p < x->n_to; p++) mine[p] = x->to_start[p + 1] - x->to_start[p];
  PetscCall(wring_tell_neighbours(x->comm, x->n_to, x->to, mine, &x->n_from, &from, &count));
  PetscCall(PetscFree(mine));
  PetscCall(PetscMalloc2((size_t)x->n_from, &key, (size_t)x->n_from, &order));
  PetscCall(PetscMalloc2((size_t)x->n_from, &x->from, (size_t)x->n_from + 1, &x->from_start));
  for (PetscMPIInt p = 0; p < x->n_from; p++) key[p] = (uint64_t)from[p];
  PetscCall(wring_order_keys(x->n_from, key, order));
  for (PetscMPIInt p = 0; p < x->n_from; p++) {
    x->from[p]       = from[order[p]];
    x->from_start[p] = (PetscInt)sum;
    sum += count[order[p]];
    PetscCheck(sum <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A rank receives more than %" PetscInt_FMT " rows, which needs a PETSc with 64-bit indices",
               PETSC_MAX_INT);
  }
  x->from_start[x->n_from] = x->n_got = (PetscInt)sum;
  PetscCall(PetscFree2(key, order));
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_create(MPI_Comm comm, PetscInt n, const PetscInt *to, wring_exchange *x)
{
  PetscFunctionBegin;
  *x = (wring_exchange){.comm = comm, .n_sent = n, .message = MESSAGE};
  if (!ascends(n, to)) {
    PetscCall(PetscMalloc1((size_t)n, &x->order));
    PetscCall(wring_order_numbers(n, to, x->order));
  }
  PetscCall(find_runs(n, to, x->order, &x->n_to, &x->to, &x->to_start));
  PetscCall(find_sources(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_destroy(wring_exchange *x)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(x->order));
  PetscCall(PetscFree(x->asked));
  PetscCall(PetscFree2(x->to, x->to_start));
  PetscCall(PetscFree2(x->from, x->from_start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* One side of a transfer: rows start[p] to start[p + 1] - 1 of buffer belong to rank[p]. */
typedef struct {
  PetscMPIInt        n;
  const PetscMPIInt *rank;
  const PetscInt    *start;
  char              *buffer;
} side;

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, tag;
  size_t      width, message; // bytes
} channel;

static size_t count_messages(const channel *c, const side *s)
{
  size_t n = 0;
  for (PetscMPIInt p = 0; p < s->n; p++) n += (size_t)(s->start[p + 1] - s->start[p]) * c->width / c->message + 1;
  return n;
}

/* Messages between two ranks arrive in the order in which they are sent, so that pieces need no numbers. */
static PetscErrorCode start_messages(const channel *c, PetscBool send, const side *s, PetscMPIInt *n,
                                     MPI_Request *request)
{
  PetscFunctionBegin;
  for (PetscMPIInt p = 0; p < s->n; p++) {
    char  *at   = s->buffer + (size_t)s->start[p] * c->width;
    size_t left = s->rank[p] == c->rank ? 0 : (size_t)(s->start[p + 1] - s->start[p]) * c->width;
    for (; left > 0; (*n)++) {
      const size_t bytes = PetscMin(left, c->message);
      if (send)
        PetscCallMPI(MPI_Isend(at, (int)bytes, MPI_BYTE, s->rank[p], c->tag, c->comm, request + *n));
      else
        PetscCallMPI(MPI_Irecv(at, (int)bytes, MPI_BYTE, s->rank[p], c->tag, c->comm, request + *n));
      at += bytes;
      left -= bytes;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The index of this rank in a side, -1 if it has no rows there. */
static PetscMPIInt find_self(const side *s, PetscMPIInt rank)
{
  for (PetscMPIInt p = 0; p < s->n; p++)
    if (s->rank[p] == rank) return p;
  return -1;
}

static void copy_own(const side *out, const side *in, PetscMPIInt rank, size_t width)
{
  const PetscMPIInt p = find_self(out, rank), q = find_self(in, rank);
  if (p < 0 || q < 0) return;
  memcpy(in->buffer + (size_t)in->start[q] * width, out->buffer + (size_t)out->start[p] * width,
         (size_t)(out->start[p + 1] - out->start[p]) * width);
}

static PetscErrorCode transfer(const wring_exchange *x, size_t width, const side *out, const side *in)
{
  channel      c = {.width = width, .message = x->message};
  MPI_Request *request;
  PetscMPIInt  n = 0;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(x->comm, &c.comm, &c.tag));
  PetscCallMPI(MPI_Comm_rank(c.comm, &c.rank));
  PetscCall(PetscMalloc1(count_messages(&c, out) + count_messages(&c, in), &request));
  PetscCall(start_messages(&c, PETSC_FALSE, in, &n, request));
  PetscCall(start_messages(&c, PETSC_TRUE, out, &n, request));
  copy_own(out, in, c.rank, width);
  PetscCallMPI(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(request));
  PetscCall(PetscCommDestroy(&c.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static side sent_side(const wring_exchange *x, void *buffer)
{
  return (side){.n = x->n_to, .rank = x->to, .start = x->to_start, .buffer = buffer};
}

static side got_side(const wring_exchange *x, void *buffer)
{
  return (side){.n = x->n_from, .rank = x->from, .start = x->from_start, .buffer = buffer};
}

PetscErrorCode wring_exchange_send(const wring_exchange *x, size_t width, const void *row, void *got)
{
  char *packed = NULL, *buffer;

  PetscFunctionBegin;
  if (x->order) {
    PetscCall(PetscMalloc1((size_t)x->n_sent * width, &packed));
    for (PetscInt i = 0; i < x->n_sent; i++)
      memcpy(packed + (size_t)i * width, (const char *)row + (size_t)x->order[i] * width, width);
  }
  PetscCall(PetscMalloc1((size_t)x->n_got * width, &buffer));
  const side out = sent_side(x, packed ? packed : (char *)(uintptr_t)row), in = got_side(x, buffer);
  PetscCall(transfer(x, width, &out, &in));
  PetscCall(PetscFree(packed));
  *(char **)got = buffer;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_move(const wring_exchange *x, size_t width, void *table)
{
  char *got;

  PetscFunctionBegin;
  if (wring_comm_size(x->comm) == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_exchange_send(x, width, *(char **)table, &got));
  PetscCall(PetscFree(*(void **)table));
  *(char **)table = got;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_answer(const wring_exchange *x, size_t width, const void *answer, void *row)
{
  char *packed = row;

  PetscFunctionBegin;
  if (x->order) PetscCall(PetscMalloc1((size_t)x->n_sent * width, &packed));
  const side out = got_side(x, (char *)(uintptr_t)answer), in = sent_side(x, packed);
  PetscCall(transfer(x, width, &out, &in));
  if (x->order) {
    for (PetscInt i = 0; i < x->n_sent; i++)
      memcpy((char *)row + (size_t)x->order[i] * width, packed + (size_t)i * width, width);
    PetscCall(PetscFree(packed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_ask(PetscLayout rows, PetscInt n, const PetscInt *number, wring_exchange *x)
{
  PetscInt   *to;
  PetscMPIInt owner;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(PetscLayoutFindOwner(rows, number[i], &owner));
    to[i] = owner;
  }
  PetscCall(wring_exchange_create(rows->comm, n, to, x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(x, sizeof *number, number, &x->asked));
  for (PetscInt i = 0; i < x->n_got; i++) x->asked[i] -= rows->rstart;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_fetch(const wring_exchange *x, size_t width, const void *table, void *row)
{
  char *answer;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)x->n_got * width, &answer));
  for (PetscInt i = 0; i < x->n_got; i++)
    memcpy(answer + (size_t)i * width, (const char *)table + (size_t)x->asked[i] * width, width);
  PetscCall(wring_exchange_answer(x, width, answer, row));
  PetscCall(PetscFree(answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_rows(MPI_Comm comm, PetscInt n, const PetscInt *to, size_t width, const void *row,
                                   PetscInt *n_got, void *got)
{
  wring_exchange x;

  PetscFunctionBegin;
  PetscCall(wring_exchange_create(comm, n, to, &x));
  PetscCall(wring_exchange_send(&x, width, row, got));
  *n_got = x.n_got;
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_exchange_collect(MPI_Comm comm, PetscInt *n, size_t width, void *table)
{
  wring_exchange x;
  PetscInt      *to;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)*n, &to));
  PetscCall(wring_exchange_create(comm, *n, to, &x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_move(&x, width, table));
  *n = x.n_got;
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
