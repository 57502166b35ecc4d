#include "edges.h"
#include "base/exchange.h"
#include "base/parallel/sort.h"
#include "base/sort.h"

uint64_t wring_edge_key(PetscInt n, PetscInt a, PetscInt b)
{
  return (uint64_t)PetscMin(a, b) * (uint64_t)n + (uint64_t)PetscMax(a, b);
}

/* The index of the first key [n] that is not less than `wanted`. */
static PetscInt lower_bound(PetscInt n, const uint64_t *key, uint64_t wanted)
{
  PetscInt first = 0, last = n;
  while (first < last) {
    const PetscInt middle = first + (last - first) / 2;
    if (key[middle] < wanted)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/* ---- sort -------------------------------------------------------------------------------------------------------- */

/* The exchange that sends key [n] ascending to the ranks that store their ranges. */
static PetscErrorCode find_paths(const wring_edges *g, PetscInt n, const uint64_t *key, wring_exchange *x)
{
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0, p = 0; i < n; i++) {
    while (p + 1 < g->size && g->splitter[p + 1] <= key[i]) p++;
    to[i] = p;
  }
  PetscCall(wring_exchange_create(g->comm, n, to, x));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The keys received from all ranks, ascending, repeated for each of the ranks that have the edge, which ascend. */
typedef struct {
  PetscInt  n;
  uint64_t *key;
  PetscInt *rank;
} arrivals;

static PetscErrorCode receive_keys(const wring_edges *g, PetscInt n, const uint64_t *key, arrivals *a)
{
  wring_exchange x;

  PetscFunctionBegin;
  PetscCall(find_paths(g, n, key, &x));
  PetscCall(wring_exchange_send(&x, sizeof *key, key, &a->key));
  a->n = x.n_got;
  PetscCall(PetscMalloc1((size_t)a->n, &a->rank));
  for (PetscMPIInt p = 0; p < x.n_from; p++)
    for (PetscInt i = x.from_start[p]; i < x.from_start[p + 1]; i++) a->rank[i] = x.from[p];
  PetscCall(wring_sort_keys(a->n, a->key, a->rank));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

/* The end of the run of equal keys that begins at i. */
static PetscInt run_end(const arrivals *a, PetscInt i)
{
  PetscInt end = i + 1;
  while (end < a->n && a->key[end] == a->key[i]) end++;
  return end;
}

/*
  load [size]: the number of points that each rank owns without shared edges, times the fraction of all shared edges
  that is assigned here, so that each range can be balanced independently.
*/
static PetscErrorCode measure_loads(const wring_edges *g, const arrivals *a, PetscInt n_owned, PetscInt64 *load)
{
  PetscInt64 *own, shared = 0;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(g->comm, &rank));
  PetscCall(PetscCalloc1((size_t)g->size + 1, &own));
  own[rank] = n_owned;
  for (PetscInt i = 0, end; i < a->n; i = end) {
    end = run_end(a, i);
    if (end == i + 1)
      own[a->rank[i]]++;
    else
      shared++;
  }
  own[g->size] = shared;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, own, g->size + 1, MPIU_INT64, MPI_SUM, g->comm));
  const double part = own[g->size] ? (double)shared / (double)own[g->size] : 0;
  for (PetscMPIInt p = 0; p < g->size; p++) load[p] = (PetscInt64)(part * (double)own[p]);
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt choose_owner(const arrivals *a, PetscInt begin, PetscInt end, PetscInt64 *load)
{
  PetscInt best = a->rank[begin];
  for (PetscInt i = begin + 1; i < end; i++)
    if (load[a->rank[i]] < load[best]) best = a->rank[i];
  if (end > begin + 1) load[best]++;
  return best;
}

static PetscErrorCode number_keys(wring_edges *g, const arrivals *a, PetscInt n_owned)
{
  PetscInt64 *load, n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->size, &load));
  PetscCall(measure_loads(g, a, n_owned, load));
  g->n = 0;
  for (PetscInt i = 0; i < a->n; i = run_end(a, i)) g->n++;
  PetscCall(PetscMalloc2((size_t)g->n, &g->key, (size_t)g->n, &g->owner));
  for (PetscInt i = 0, j = 0, end; i < a->n; i = end, j++) {
    end         = run_end(a, i);
    g->key[j]   = a->key[i];
    g->owner[j] = choose_owner(a, i, end, load);
  }
  n = g->n;
  PetscCallMPI(MPI_Scan(&n, &g->first, 1, MPIU_INT64, MPI_SUM, g->comm));
  g->first -= n;
  PetscCallMPI(MPI_Allreduce(&n, &g->total, 1, MPIU_INT64, MPI_SUM, g->comm));
  PetscCall(PetscFree(load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_edges_create(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscInt n_owned, wring_edges *g)
{
  arrivals a;

  PetscFunctionBegin;
  *g = (wring_edges){.comm = comm};
  PetscCallMPI(MPI_Comm_size(comm, &g->size));
  PetscCall(PetscMalloc1((size_t)g->size, &g->splitter));
  PetscCall(wring_cut_keys(comm, n, key, PETSC_TRUE, NULL, g->splitter));
  PetscCall(receive_keys(g, n, key, &a));
  PetscCall(number_keys(g, &a, n_owned));
  PetscCall(PetscFree(a.key));
  PetscCall(PetscFree(a.rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_edges_destroy(wring_edges *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(g->splitter));
  PetscCall(PetscFree2(g->key, g->owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- look-up ----------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_edges_find(const wring_edges *g, PetscInt n, const uint64_t *key, wring_edge *edge)
{
  wring_exchange x;
  uint64_t      *wanted;
  wring_edge    *mine;

  PetscFunctionBegin;
  PetscCall(find_paths(g, n, key, &x));
  PetscCall(wring_exchange_send(&x, sizeof *key, key, &wanted));
  PetscCall(PetscMalloc1((size_t)x.n_got, &mine));
  for (PetscInt i = 0; i < x.n_got; i++) {
    const PetscInt  at   = lower_bound(g->n, g->key, wanted[i]);
    const PetscBool here = (PetscBool)(at < g->n && g->key[at] == wanted[i]);
    mine[i]              = here ? (wring_edge){(PetscInt)(g->first + at), g->owner[at]} : (wring_edge){-1, -1};
  }
  PetscCall(wring_exchange_answer(&x, sizeof *mine, mine, edge));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree(wanted));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
