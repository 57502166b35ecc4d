#include "graph.h"
#include "base/sort.h"
#include <metis.h>

enum { CUTS = 4 }; // of a graph of clusters, of which METIS returns the best

typedef struct {
  uint64_t number, place; // over all ranks; in the order for METIS
  PetscInt group, load, degree;
} row;

typedef struct {
  uint64_t to; // over all ranks
  PetscInt weight;
} edge;

/* Vertices that this rank cuts, those of several groups. */
typedef struct {
  wring_exchange x;
  PetscInt       n, *start; // [n + 1] of edge
  row           *row;       // [n] ascending
  uint64_t      *number;    // [n]
  edge          *edge;
  PetscInt      *place; // [n] in its group
  PetscInt      *part;  // [n]
} whole;

/* ---- to the ranks that cut --------------------------------------------------------------------------------------- */

static PetscErrorCode send_edges(const wring_graph *g, const PetscInt *to, edge **got)
{
  PetscInt *rank, n_got;
  edge     *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)g->start[g->n], &rank, (size_t)g->start[g->n], &mine));
  for (PetscInt v = 0; v < g->n; v++) {
    for (PetscInt i = g->start[v]; i < g->start[v + 1]; i++) {
      rank[i] = to[v];
      mine[i] = (edge){(uint64_t)wring_graph_number(g, g->adjacent[i]), wring_graph_weight(g, i)};
    }
  }
  PetscCall(wring_exchange_rows(g->comm, g->start[g->n], rank, sizeof *mine, mine, &n_got, got));
  PetscCall(PetscFree2(rank, mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send(const wring_graph *g, PetscInt n_group, const PetscInt *group, whole *w)
{
  const PetscMPIInt size = wring_comm_size(g->comm);
  PetscInt         *to;
  row              *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)g->n, &to, (size_t)g->n, &mine));
  for (PetscInt v = 0; v < g->n; v++) {
    to[v]   = (PetscInt)((PetscInt64)group[v] * size / n_group);
    mine[v] = (row){(uint64_t)(g->begin + v), (uint64_t)(g->number ? g->number[v] : g->begin + v), group[v],
                    wring_graph_load(g, v), g->start[v + 1] - g->start[v]};
  }
  PetscCall(send_edges(g, to, &w->edge));
  PetscCall(wring_exchange_create(g->comm, g->n, to, &w->x));
  PetscCall(wring_exchange_send(&w->x, sizeof *mine, mine, &w->row));
  PetscCall(PetscFree2(to, mine));
  w->n = w->x.n_got;
  PetscCall(PetscMalloc4((size_t)w->n, &w->number, (size_t)w->n, &w->place, (size_t)w->n, &w->part, (size_t)w->n + 1,
                         &w->start));
  w->start[0] = 0;
  for (PetscInt i = 0; i < w->n; i++) {
    w->number[i]    = w->row[i].number;
    w->start[i + 1] = w->start[i] + w->row[i].degree;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(whole *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(w->number, w->place, w->part, w->start));
  PetscCall(PetscFree(w->row));
  PetscCall(PetscFree(w->edge));
  PetscCall(wring_exchange_destroy(&w->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cut --------------------------------------------------------------------------------------------------------- */

/* A graph in the format of METIS. */
typedef struct {
  idx_t     n, *start, *adjacent, *weight, *load, *part;
  PetscBool clusters; // loads differ from 1
} graph;

/* at [n]: the vertices of a group, by place. Edges to other groups are left out. */
static void fill(const whole *w, const PetscInt *at, graph *g)
{
  g->start[0] = 0;
  for (PetscInt i = 0, m = 0; i < g->n; i++) {
    const row *const v = w->row + at[i];
    g->load[i]         = (idx_t)v->load;
    if (v->load != 1) g->clusters = PETSC_TRUE;
    for (PetscInt k = w->start[at[i]]; k < w->start[at[i] + 1]; k++) {
      const PetscInt u = wring_find_key(w->n, w->number, w->edge[k].to);
      if (u == w->n || w->number[u] != w->edge[k].to || w->row[u].group != v->group) continue;
      g->adjacent[m] = (idx_t)w->place[u];
      g->weight[m++] = (idx_t)w->edge[k].weight;
    }
    g->start[i + 1] = (idx_t)m;
  }
}

static PetscErrorCode call_metis(graph *g, PetscInt n_part)
{
  idx_t n_constraint = 1, parts = (idx_t)n_part, cut, options[METIS_NOPTIONS];

  PetscFunctionBegin;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED]      = 1;
  if (g->clusters) options[METIS_OPTION_NCUTS] = CUTS;
  const int status = METIS_PartGraphKway(&g->n, &n_constraint, g->start, g->adjacent, g->load, NULL, g->weight, &parts,
                                         NULL, NULL, options, &cut, g->part);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_PartGraphKway returned %d", status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* METIS is not called for one part, by which it divides by zero, nor for more parts than vertices. */
static PetscErrorCode cut_group(whole *w, PetscInt n, const PetscInt *at, PetscInt first, PetscInt n_part)
{
  graph  g     = {.n = (idx_t)n};
  size_t edges = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    w->part[at[i]] = n > n_part ? first : first + i;
    edges += (size_t)w->row[at[i]].degree;
  }
  if (n_part <= 1 || n <= n_part) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc5((size_t)n + 1, &g.start, edges, &g.adjacent, edges, &g.weight, (size_t)n, &g.load, (size_t)n,
                         &g.part));
  fill(w, at, &g);
  PetscCall(call_metis(&g, n_part));
  for (PetscInt i = 0; i < n; i++) w->part[at[i]] += (PetscInt)g.part[i];
  PetscCall(PetscFree5(g.start, g.adjacent, g.weight, g.load, g.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* at [w->n]: by group, start [n_group + 1], and in the order for METIS. */
static PetscErrorCode order(whole *w, PetscInt n_group, PetscInt *at, PetscInt *start)
{
  uint64_t *key;
  PetscInt *group;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)w->n, &key, (size_t)w->n, &group));
  for (PetscInt i = 0; i < w->n; i++) {
    key[i]   = w->row[i].place;
    group[i] = w->row[i].group;
  }
  PetscCall(wring_order_keys(w->n, key, at));
  PetscCall(wring_sort_buckets(w->n, at, group, n_group, start));
  for (PetscInt i = 0; i < w->n; i++) w->place[at[i]] = i - start[group[at[i]]];
  PetscCall(PetscFree2(key, group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_cut_serial(const wring_graph *g, PetscInt n_group, const PetscInt *first, PetscInt *part)
{
  whole     w;
  PetscInt *at, *start;

  PetscFunctionBegin;
  PetscCall(send(g, n_group, part, &w));
  PetscCall(PetscMalloc2((size_t)w.n, &at, (size_t)n_group + 1, &start));
  PetscCall(order(&w, n_group, at, start));
  for (PetscInt i = 0; i < n_group; i++) {
    const PetscInt n_part = first[i + 1] - first[i], least = PetscMin(first[i], first[n_group] - 1);
    PetscCall(cut_group(&w, start[i + 1] - start[i], at + start[i], least, n_part));
  }
  PetscCall(wring_exchange_answer(&w.x, sizeof *part, w.part, part));
  PetscCall(PetscFree2(at, start));
  PetscCall(destroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
