#include "edges.h"
#include "base/exchange.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include <math.h>

uint64_t wring_edge_key(PetscInt n, PetscInt a, PetscInt b)
{
  return (uint64_t)PetscMin(a, b) * (uint64_t)n + (uint64_t)PetscMax(a, b);
}

/* The exchange that sends key [n] to the ranks that store their ranges. */
static PetscErrorCode find_paths(const wring_edges *g, PetscInt n, const uint64_t *key, wring_exchange *x)
{
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = wring_find_part(g->size, g->splitter, key[i]);
  PetscCall(wring_exchange_create(g->comm, n, to, x));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The keys received from all ranks, ascending, repeated for each of the ranks that have the edge, which ascend. */
typedef struct {
  PetscInt    n, *source; // [n] of rank
  uint64_t   *key;        // [n]
  PetscMPIInt n_rank;
  PetscInt   *rank; // [n_rank] from which keys came, ascending
} arrivals;

static PetscErrorCode receive_keys(const wring_edges *g, PetscInt n, const uint64_t *key, arrivals *a)
{
  wring_exchange x;

  PetscFunctionBegin;
  PetscCall(find_paths(g, n, key, &x));
  PetscCall(wring_exchange_send(&x, sizeof *key, key, &a->key));
  a->n      = x.n_got;
  a->n_rank = x.n_from;
  PetscCall(PetscMalloc2((size_t)a->n, &a->source, (size_t)a->n_rank, &a->rank));
  for (PetscMPIInt p = 0; p < x.n_from; p++) {
    a->rank[p] = x.from[p];
    for (PetscInt i = x.from_start[p]; i < x.from_start[p + 1]; i++) a->source[i] = p;
  }
  PetscCall(wring_sort_keys(a->n, a->key, a->source));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- owners ------------------------------------------------------------------------------------------------------ */

/* Points that a rank owns without the edges that it shares, and edges that it shares. */
typedef struct {
  PetscInt64 own, shared;
} work;

/* The end of the run of equal keys that begins at i. */
static PetscInt run_end(const arrivals *a, PetscInt i)
{
  PetscInt end = i + 1;
  while (end < a->n && a->key[end] == a->key[i]) end++;
  return end;
}

/* Of the edges here: here [a->n_rank]. */
static void count_edges(const arrivals *a, work *here)
{
  for (PetscMPIInt p = 0; p < a->n_rank; p++) here[p] = (work){0, 0};
  for (PetscInt i = 0, end; i < a->n; i = end) {
    end = run_end(a, i);
    if (end == i + 1)
      here[a->source[i]].own++;
    else
      for (PetscInt j = i; j < end; j++) here[a->source[j]].shared++;
  }
}

/*
  load [a->n_rank]: the number of points that each rank owns without shared edges, times the fraction of its shared
  edges that is here, so that each range can be balanced independently. Each rank sums up what the ranges tell it.
*/
static PetscErrorCode measure_loads(const wring_edges *g, const arrivals *a, PetscInt n_owned, PetscInt64 *load)
{
  wring_exchange x;
  work          *here, *got, sum = {n_owned, 0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)a->n_rank, &here));
  count_edges(a, here);
  PetscCall(wring_exchange_create(g->comm, a->n_rank, a->rank, &x));
  PetscCall(wring_exchange_send(&x, sizeof *here, here, &got));
  for (PetscInt i = 0; i < x.n_got; i++) {
    sum.own += got[i].own;
    sum.shared += got[i].shared;
  }
  for (PetscInt i = 0; i < x.n_got; i++)
    got[i].own = sum.shared ? (PetscInt64)((double)sum.own * (double)got[i].shared / (double)sum.shared) : 0;
  PetscCall(wring_exchange_answer(&x, sizeof *here, got, here));
  for (PetscMPIInt p = 0; p < a->n_rank; p++) load[p] = here[p].own;
  PetscCall(wring_exchange_destroy(&x));
  PetscCall(PetscFree(got));
  PetscCall(PetscFree(here));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt choose_owner(const arrivals *a, PetscInt begin, PetscInt end, PetscInt64 *load)
{
  PetscInt best = a->source[begin];
  for (PetscInt i = begin + 1; i < end; i++)
    if (load[a->source[i]] < load[best]) best = a->source[i];
  if (end > begin + 1) load[best]++;
  return a->rank[best];
}

static PetscErrorCode number_keys(wring_edges *g, const arrivals *a, PetscInt n_owned)
{
  PetscInt64 *load, n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)a->n_rank, &load));
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
  *g = (wring_edges){.comm = comm, .size = wring_comm_size(comm)};
  PetscCall(PetscMalloc1((size_t)g->size, &g->splitter));
  PetscCall(wring_cut_keys(comm, n, key, PETSC_TRUE, NULL, NULL, g->splitter));
  PetscCall(receive_keys(g, n, key, &a));
  PetscCall(number_keys(g, &a, n_owned));
  PetscCall(PetscFree(a.key));
  PetscCall(PetscFree2(a.source, a.rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_edges_destroy(wring_edges *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(g->splitter));
  PetscCall(PetscFree2(g->key, g->owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The exchange that asks for key [n]: x->asked are places of the edges here, -1: there is no such edge. */
static PetscErrorCode ask(const wring_edges *g, PetscInt n, const uint64_t *key, wring_exchange *x)
{
  uint64_t *wanted;

  PetscFunctionBegin;
  PetscCall(find_paths(g, n, key, x));
  PetscCall(wring_exchange_send(x, sizeof *key, key, &wanted));
  PetscCall(PetscMalloc1((size_t)x->n_got, &x->asked));
  for (PetscInt i = 0; i < x->n_got; i++) {
    const PetscInt at = wring_find_key(g->n, g->key, wanted[i]);
    x->asked[i]       = at < g->n && g->key[at] == wanted[i] ? at : -1;
  }
  PetscCall(PetscFree(wanted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_edges_find(const wring_edges *g, PetscInt n, const uint64_t *key, wring_edge *edge)
{
  wring_exchange x;
  wring_edge    *mine;

  PetscFunctionBegin;
  PetscCall(ask(g, n, key, &x));
  PetscCall(PetscMalloc1((size_t)x.n_got, &mine));
  for (PetscInt i = 0; i < x.n_got; i++) {
    const PetscInt at = x.asked[i];
    mine[i]           = at < 0 ? (wring_edge){-1, -1} : (wring_edge){(PetscInt)(g->first + at), g->owner[at]};
  }
  PetscCall(wring_exchange_answer(&x, sizeof *mine, mine, edge));
  PetscCall(PetscFree(mine));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t key;
  double   X[3];
} position;

/* The rows of t, and the ranks that store their edges; the key of rows in the order of edges is their place here. */
static PetscErrorCode list_positions(const wring_edges *g, PetscInt n_vertex, const wring_middles *t, PetscInt *to,
                                     position *row)
{
  PetscLayout places;
  PetscInt    end;
  PetscMPIInt owner;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(g->comm, g->n, PETSC_DETERMINE, 1, &places));
  PetscCallMPI(MPI_Scan(&t->n, &end, 1, MPIU_INT, MPI_SUM, g->comm));
  for (PetscInt i = 0; i < t->n; i++) {
    for (int c = 0; c < 3; c++) row[i].X[c] = t->X[3 * (size_t)i + (size_t)c];
    if (t->end) {
      row[i].key = wring_edge_key(n_vertex, t->end[2 * (size_t)i], t->end[2 * (size_t)i + 1]);
      to[i]      = wring_find_part(g->size, g->splitter, row[i].key);
    } else {
      PetscCall(PetscLayoutFindOwner(places, end - t->n + i, &owner));
      row[i].key = (uint64_t)(end - t->n + i - places->range[owner]);
      to[i]      = owner;
    }
  }
  PetscCall(PetscLayoutDestroy(&places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* X [g->n][3] of the edges that this rank stores; ends: rows have the ends of their edges. */
static PetscErrorCode place(const wring_edges *g, PetscInt n_vertex, const wring_middles *t, PetscBool ends, double *X)
{
  PetscInt *to, n_got;
  position *row, *got;

  PetscFunctionBegin;
  for (size_t i = 0; i < 3 * (size_t)g->n; i++) X[i] = NAN;
  PetscCall(PetscMalloc2((size_t)t->n, &to, (size_t)t->n, &row));
  PetscCall(list_positions(g, n_vertex, t, to, row));
  PetscCall(wring_exchange_rows(g->comm, t->n, to, sizeof *row, row, &n_got, &got));
  PetscCall(PetscFree2(to, row));
  for (PetscInt i = 0; i < n_got; i++) {
    const PetscInt at = ends ? wring_find_key(g->n, g->key, got[i].key) : (PetscInt)got[i].key;
    if (ends && (at == g->n || g->key[at] != got[i].key)) continue;
    for (int c = 0; c < 3; c++) X[3 * (size_t)at + (size_t)c] = got[i].X[c];
  }
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_edges_find_middles(const wring_edges *g, PetscInt n_vertex, const wring_middles *t, PetscInt n,
                                        const uint64_t *key, double *X, PetscBool *fits)
{
  PetscInt64     sum[2] = {t->n, t->end != NULL};
  double        *stored;
  wring_exchange x;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_INT64, MPI_SUM, g->comm));
  *fits = (PetscBool)(sum[1] > 0 || sum[0] == 0 || sum[0] == g->total);
  if (!*fits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(3 * (size_t)g->n, &stored));
  PetscCall(place(g, n_vertex, t, (PetscBool)(sum[1] > 0), stored));
  PetscCall(ask(g, n, key, &x));
  PetscCall(wring_exchange_fetch(&x, 3 * sizeof *X, stored, X));
  PetscCall(wring_exchange_destroy(&x));
  PetscCall(PetscFree(stored));
  PetscFunctionReturn(PETSC_SUCCESS);
}
