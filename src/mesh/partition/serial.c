#include "graph.h"
#include <metis.h>

enum { CUTS = 4 }; // of a graph of clusters, of which METIS returns the best

/* Tables of all ranks on rank 0; count and from [size] there. */
typedef struct {
  MPI_Comm     comm;
  MPI_Datatype type;
  PetscMPIInt  rank, size, *count, *from;
} gathering;

static PetscErrorCode begin_gathering(MPI_Comm comm, gathering *g)
{
  PetscFunctionBegin;
  g->comm = comm;
  g->type = sizeof(idx_t) == sizeof(int64_t) ? MPI_INT64_T : MPI_INT32_T;
  PetscCallMPI(MPI_Comm_rank(comm, &g->rank));
  PetscCallMPI(MPI_Comm_size(comm, &g->size));
  PetscCall(PetscMalloc2(g->rank ? 0 : g->size, &g->count, g->rank ? 0 : g->size, &g->from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_gathering(gathering *g)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(g->count, g->from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves count and from for the rows of n; *all on rank 0. */
static PetscErrorCode count_rows(gathering *g, PetscMPIInt n, PetscInt64 *all)
{
  PetscFunctionBegin;
  *all = 0;
  PetscCallMPI(MPI_Gather(&n, 1, MPI_INT, g->count, 1, MPI_INT, 0, g->comm));
  for (PetscMPIInt p = 0; g->rank == 0 && p < g->size; p++) {
    PetscCall(PetscMPIIntCast(*all, g->from + p));
    *all += g->count[p];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frees mine. */
static PetscErrorCode gather(gathering *g, PetscInt n, idx_t *mine, PetscInt64 *n_all, idx_t **all)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCall(count_rows(g, count, n_all));
  PetscCall(PetscMalloc1((size_t)*n_all, all));
  PetscCallMPI(MPI_Gatherv(mine, count, g->type, *all, g->count, g->from, g->type, 0, g->comm));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph in the format of METIS, on rank 0. */
typedef struct {
  PetscInt64 n, n_adjacent;
  idx_t     *start, *adjacent, *weight, *load;
} whole;

static PetscErrorCode gather_loads(gathering *t, const wring_graph *g, whole *w)
{
  idx_t *mine;

  PetscFunctionBegin;
  w->load = NULL;
  if (!g->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)g->n, &mine));
  for (PetscInt v = 0; v < g->n; v++) mine[v] = (idx_t)g->load[v];
  PetscCall(gather(t, g->n, mine, &w->n, &w->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather_degrees(gathering *t, const wring_graph *g, whole *w)
{
  idx_t *mine, *degree, sum = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->n, &mine));
  for (PetscInt v = 0; v < g->n; v++) mine[v] = (idx_t)(g->start[v + 1] - g->start[v]);
  PetscCall(gather(t, g->n, mine, &w->n, &degree));
  PetscCall(PetscMalloc1((size_t)w->n + 1, &w->start));
  for (PetscInt64 v = 0; v < w->n; v++) {
    w->start[v] = sum;
    sum += degree[v];
  }
  w->start[w->n] = sum;
  PetscCall(PetscFree(degree));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather_edges(gathering *t, const wring_graph *g, whole *w)
{
  const PetscInt n = g->start[g->n];
  idx_t         *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &mine));
  for (PetscInt i = 0; i < n; i++) mine[i] = (idx_t)wring_graph_number(g, g->adjacent[i]);
  PetscCall(gather(t, n, mine, &w->n_adjacent, &w->adjacent));
  w->weight = NULL;
  if (!g->weight) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)n, &mine));
  for (PetscInt i = 0; i < n; i++) mine[i] = (idx_t)g->weight[i];
  PetscCall(gather(t, n, mine, &w->n_adjacent, &w->weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts vertex v of the whole graph, which has no weights and loads, into place number[v]. */
static PetscErrorCode reorder(const idx_t *number, whole *w)
{
  whole x = {.n = w->n, .n_adjacent = w->n_adjacent};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)w->n + 1, &x.start));
  PetscCall(PetscMalloc1((size_t)w->n_adjacent, &x.adjacent));
  for (PetscInt64 v = 0; v < w->n; v++) x.start[number[v] + 1] = w->start[v + 1] - w->start[v];
  for (PetscInt64 v = 0; v < w->n; v++) x.start[v + 1] += x.start[v];
  for (PetscInt64 v = 0; v < w->n; v++)
    for (idx_t i = w->start[v]; i < w->start[v + 1]; i++)
      x.adjacent[x.start[number[v]] + i - w->start[v]] = number[w->adjacent[i]];
  PetscCall(PetscFree(w->start));
  PetscCall(PetscFree(w->adjacent));
  *w = x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *number [w->n] on rank 0, NULL if g has none. */
static PetscErrorCode gather_numbers(gathering *t, const wring_graph *g, whole *w, idx_t **number)
{
  idx_t *mine;

  PetscFunctionBegin;
  *number = NULL;
  if (!g->number) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)g->n, &mine));
  for (PetscInt v = 0; v < g->n; v++) mine[v] = (idx_t)g->number[v];
  PetscCall(gather(t, g->n, mine, &w->n, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_metis(const whole *w, PetscInt n_part, idx_t *part)
{
  idx_t n = (idx_t)w->n, n_constraint = 1, parts = (idx_t)n_part, cut, options[METIS_NOPTIONS];

  PetscFunctionBegin;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED]      = 1;
  if (w->load) options[METIS_OPTION_NCUTS] = CUTS;
  const int status = METIS_PartGraphKway(&n, &n_constraint, w->start, w->adjacent, w->load, NULL, w->weight, &parts,
                                         NULL, NULL, options, &cut, part);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_PartGraphKway returned %d", status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* all [w->n], by vertex. */
static PetscErrorCode cut_whole(const idx_t *number, PetscInt n_part, whole *w, idx_t *all)
{
  idx_t *placed;

  PetscFunctionBegin;
  if (!number) {
    PetscCall(call_metis(w, n_part, all));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(reorder(number, w));
  PetscCall(PetscMalloc1((size_t)w->n, &placed));
  PetscCall(call_metis(w, n_part, placed));
  for (PetscInt64 v = 0; v < w->n; v++) all[v] = placed[number[v]];
  PetscCall(PetscFree(placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_cut_serial(const wring_graph *g, PetscInt n_part, PetscInt *part)
{
  gathering t;
  whole     w = {0};
  idx_t    *mine, *all, *number;

  PetscFunctionBegin;
  PetscCall(begin_gathering(g->comm, &t));
  PetscCall(gather_edges(&t, g, &w));
  PetscCall(gather_loads(&t, g, &w));
  PetscCall(gather_numbers(&t, g, &w, &number));
  PetscCall(gather_degrees(&t, g, &w)); // last: leaves the counts of vertices, for the answer
  PetscCall(PetscMalloc2((size_t)w.n, &all, (size_t)g->n, &mine));
  if (t.rank == 0) PetscCall(cut_whole(number, n_part, &w, all));
  PetscCallMPI(MPI_Scatterv(all, t.count, t.from, t.type, mine, (PetscMPIInt)g->n, t.type, 0, g->comm));
  for (PetscInt v = 0; v < g->n; v++) part[v] = (PetscInt)mine[v];
  PetscCall(PetscFree2(all, mine));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(w.start));
  PetscCall(PetscFree(w.adjacent));
  PetscCall(PetscFree(w.weight));
  PetscCall(PetscFree(w.load));
  PetscCall(end_gathering(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
