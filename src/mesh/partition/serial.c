#include "graph.h"
#include <metis.h>

enum { CUTS = 4, MANY = 512 }; // of a graph of clusters, of which METIS returns the best; parts whose sum evens out

/* The graph in the format of METIS, on rank 0; rows of vertices come by x. */
typedef struct {
  wring_exchange x;
  PetscInt       n, n_adjacent;
  idx_t         *start, *adjacent, *weight, *load; // weight, load NULL: 1
  idx_t         *number;                           // the place of each vertex, NULL: as they are
} whole;

/* *all [w->n] from mine [w->x.n_sent], which is freed. */
static PetscErrorCode gather(const whole *w, idx_t *mine, idx_t **all)
{
  PetscFunctionBegin;
  PetscCall(wring_exchange_send(&w->x, sizeof *mine, mine, all));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather_vertices(const wring_graph *g, whole *w)
{
  idx_t *mine;

  PetscFunctionBegin;
  if (g->load) {
    PetscCall(PetscMalloc1((size_t)g->n, &mine));
    for (PetscInt v = 0; v < g->n; v++) mine[v] = (idx_t)g->load[v];
    PetscCall(gather(w, mine, &w->load));
  }
  if (g->number) {
    PetscCall(PetscMalloc1((size_t)g->n, &mine));
    for (PetscInt v = 0; v < g->n; v++) mine[v] = (idx_t)g->number[v];
    PetscCall(gather(w, mine, &w->number));
  }
  PetscCall(PetscMalloc1((size_t)g->n, &mine));
  for (PetscInt v = 0; v < g->n; v++) mine[v] = (idx_t)(g->start[v + 1] - g->start[v]);
  PetscCall(gather(w, mine, &w->start));
  PetscCall(PetscRealloc(((size_t)w->n + 1) * sizeof *w->start, &w->start));
  idx_t sum = 0;
  for (PetscInt v = 0; v <= w->n; v++) {
    const idx_t degree = v < w->n ? w->start[v] : 0;
    w->start[v]        = sum;
    sum += degree;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather_edges(const wring_graph *g, whole *w)
{
  const PetscInt n = g->start[g->n];

  PetscFunctionBegin;
  w->n_adjacent = n;
  PetscCall(PetscMalloc1((size_t)n, &w->adjacent));
  for (PetscInt i = 0; i < n; i++) w->adjacent[i] = (idx_t)wring_graph_number(g, g->adjacent[i]);
  PetscCall(wring_exchange_collect(g->comm, &w->n_adjacent, sizeof *w->adjacent, &w->adjacent));
  if (!g->weight) PetscFunctionReturn(PETSC_SUCCESS);
  w->n_adjacent = n;
  PetscCall(PetscMalloc1((size_t)n, &w->weight));
  for (PetscInt i = 0; i < n; i++) w->weight[i] = (idx_t)g->weight[i];
  PetscCall(wring_exchange_collect(g->comm, &w->n_adjacent, sizeof *w->weight, &w->weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts vertex v of the whole graph, which has no weights and loads, into place w->number[v]. */
static PetscErrorCode reorder(whole *w)
{
  const idx_t *const number = w->number;
  idx_t             *start, *adjacent;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)w->n + 1, &start));
  PetscCall(PetscMalloc1((size_t)w->n_adjacent, &adjacent));
  for (PetscInt v = 0; v < w->n; v++) start[number[v] + 1] = w->start[v + 1] - w->start[v];
  for (PetscInt v = 0; v < w->n; v++) start[v + 1] += start[v];
  for (PetscInt v = 0; v < w->n; v++)
    for (idx_t i = w->start[v]; i < w->start[v + 1]; i++)
      adjacent[start[number[v]] + i - w->start[v]] = number[w->adjacent[i]];
  PetscCall(PetscFree(w->start));
  PetscCall(PetscFree(w->adjacent));
  w->start    = start;
  w->adjacent = adjacent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_metis(const whole *w, PetscInt n_part, idx_t *part)
{
  idx_t n = (idx_t)w->n, n_constraint = 1, parts = (idx_t)n_part, cut, options[METIS_NOPTIONS];

  PetscFunctionBegin;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED]      = 1;
  if (w->load && n_part < MANY) options[METIS_OPTION_NCUTS] = CUTS;
  const int status = METIS_PartGraphKway(&n, &n_constraint, w->start, w->adjacent, w->load, NULL, w->weight, &parts,
                                         NULL, NULL, options, &cut, part);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_PartGraphKway returned %d", status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* all [w->n], by vertex. */
static PetscErrorCode cut_whole(PetscInt n_part, whole *w, idx_t *all)
{
  idx_t *placed;

  PetscFunctionBegin;
  if (!w->number) {
    PetscCall(call_metis(w, n_part, all));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(reorder(w));
  PetscCall(PetscMalloc1((size_t)w->n, &placed));
  PetscCall(call_metis(w, n_part, placed));
  for (PetscInt v = 0; v < w->n; v++) all[v] = placed[w->number[v]];
  PetscCall(PetscFree(placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_cut_serial(const wring_graph *g, PetscInt n_part, PetscInt *part)
{
  whole     w = {.load = NULL};
  idx_t    *mine, *all;
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)g->n, &to));
  PetscCall(wring_exchange_create(g->comm, g->n, to, &w.x));
  PetscCall(PetscFree(to));
  w.n = w.x.n_got;
  PetscCall(gather_edges(g, &w));
  PetscCall(gather_vertices(g, &w));
  PetscCall(PetscMalloc2((size_t)w.n, &all, (size_t)g->n, &mine));
  if (wring_comm_rank(g->comm) == 0) PetscCall(cut_whole(n_part, &w, all));
  PetscCall(wring_exchange_answer(&w.x, sizeof *all, all, mine));
  for (PetscInt v = 0; v < g->n; v++) part[v] = (PetscInt)mine[v];
  PetscCall(PetscFree2(all, mine));
  PetscCall(PetscFree(w.start));
  PetscCall(PetscFree(w.adjacent));
  PetscCall(PetscFree(w.weight));
  PetscCall(PetscFree(w.load));
  PetscCall(PetscFree(w.number));
  PetscCall(wring_exchange_destroy(&w.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
