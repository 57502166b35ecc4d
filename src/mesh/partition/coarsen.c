#include "graph.h"
#include "base/sort.h"

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

enum { ALONE = -1 };

/* The neighbour of v in its section, of those without a partner, with the strongest edge; ALONE if there is none. */
static PetscInt strongest(const wring_graph *g, PetscInt v, PetscInt first, PetscInt end, PetscInt most,
                          const PetscInt *part, const PetscInt *partner)
{
  PetscInt best   = ALONE;
  double   rating = 0;
  for (PetscInt i = g->start[v]; i < g->start[v + 1]; i++) {
    const PetscInt u = g->adjacent[i];
    if (u < first || u >= end || partner[u] != ALONE || (part && part[u] != part[v])) continue;
    if (!g->weight && !g->load && most >= 2) return u; // all are equally strong
    const double w = (double)wring_graph_weight(g, i), load = (double)wring_graph_load(g, u);
    if (load + (double)wring_graph_load(g, v) > (double)most) continue;
    if (w * w / load > rating) {
      rating = w * w / load;
      best   = u;
    }
  }
  return best;
}

/* partner [n]: the other vertex of a pair, or the vertex itself. */
static void match_section(const wring_graph *g, PetscInt first, PetscInt end, PetscInt most, const PetscInt *part,
                          PetscInt *partner)
{
  PetscInt island = ALONE; // the last vertex without edges and without partner
  for (PetscInt v = first; v < end; v++) partner[v] = ALONE;
  for (PetscInt v = first; v < end; v++) {
    if (partner[v] != ALONE) continue;
    const PetscBool edges = (PetscBool)(g->start[v + 1] > g->start[v]);
    PetscInt        other = edges ? strongest(g, v, first, end, most, part, partner) : island;
    if (!edges && (island == ALONE || (part && part[v] != part[island]) ||
                   wring_graph_load(g, v) + wring_graph_load(g, island) > most)) {
      island = v;
      continue;
    }
    if (!edges) island = ALONE;
    if (other == ALONE) other = v;
    partner[v]     = other;
    partner[other] = v;
  }
  for (PetscInt v = first; v < end; v++)
    if (partner[v] == ALONE) partner[v] = v;
}

/* pair [n] and the sections and loads of the pairs. */
static PetscErrorCode number_pairs(const wring_graph *g, const PetscInt *partner, wring_graph *coarse, PetscInt *pair)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->n_section + 1, &coarse->section));
  coarse->n_section = g->n_section;
  coarse->n         = 0;
  for (PetscInt c = 0; c < g->n_section; c++) {
    coarse->section[c] = coarse->n;
    for (PetscInt v = g->section[c]; v < g->section[c + 1]; v++)
      pair[v] = partner[v] < v ? pair[partner[v]] : coarse->n++;
  }
  coarse->section[g->n_section] = coarse->n;
  PetscCall(PetscCalloc1((size_t)coarse->n, &coarse->load));
  for (PetscInt v = 0; v < g->n; v++) coarse->load[pair[v]] += wring_graph_load(g, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* The ghosts of the coarse graph; ghost_pair [g->n_ghost]: the coarse local vertices of the ghosts. */
static PetscErrorCode find_ghosts(const wring_graph *g, const PetscInt *pair, wring_graph *coarse, PetscInt *ghost_pair)
{
  PetscInt64 *mine, *theirs, begin = coarse->n;
  uint64_t   *key;
  PetscInt   *order, n = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &begin, 1, MPIU_INT64, MPI_SUM, g->comm));
  begin -= coarse->n;
  PetscCall(PetscMalloc2((size_t)g->n, &mine, (size_t)g->n_ghost, &theirs));
  for (PetscInt v = 0; v < g->n; v++) mine[v] = begin + pair[v];
  PetscCall(wring_exchange_fetch(&g->x, sizeof *mine, mine, theirs));
  PetscCall(PetscMalloc2((size_t)g->n_ghost, &key, (size_t)g->n_ghost, &order));
  for (PetscInt i = 0; i < g->n_ghost; i++) key[i] = (uint64_t)theirs[i];
  PetscCall(wring_order_keys(g->n_ghost, key, order));
  PetscCall(PetscMalloc1((size_t)g->n_ghost, &coarse->ghost));
  for (PetscInt i = 0; i < g->n_ghost; i++) {
    if (i == 0 || key[i] != key[i - 1]) coarse->ghost[n++] = (PetscInt64)key[i];
    ghost_pair[order[i]] = coarse->n + n - 1;
  }
  coarse->n_ghost = n;
  PetscCall(PetscFree2(key, order));
  PetscCall(PetscFree2(mine, theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The edges of the coarse graph, those between the same two vertices as one. */
typedef struct {
  const wring_graph *g;
  const PetscInt    *pair, *ghost_pair;
  PetscInt           n, *adjacent, *weight;
} merging;

/* The edge to a vertex; it is added if it is not among those from `first` on, of which there are few. */
static PetscInt find_edge(merging *m, PetscInt first, PetscInt to)
{
  for (PetscInt i = first; i < m->n; i++)
    if (m->adjacent[i] == to) return i;
  m->adjacent[m->n] = to;
  m->weight[m->n]   = 0;
  return m->n++;
}

static void merge_edges(merging *m, PetscInt v, PetscInt self, PetscInt first)
{
  const wring_graph *const g = m->g;
  for (PetscInt i = g->start[v]; i < g->start[v + 1]; i++) {
    const PetscInt u = g->adjacent[i], to = u < g->n ? m->pair[u] : m->ghost_pair[u - g->n];
    if (to != self) m->weight[find_edge(m, first, to)] += wring_graph_weight(g, i);
  }
}

static PetscErrorCode find_edges(const wring_graph *g, const PetscInt *partner, const PetscInt *pair,
                                 const PetscInt *ghost_pair, wring_graph *coarse)
{
  merging m = {.g = g, .pair = pair, .ghost_pair = ghost_pair};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->start[g->n], &m.adjacent));
  PetscCall(PetscMalloc1((size_t)g->start[g->n], &m.weight));
  PetscCall(PetscMalloc1((size_t)coarse->n + 1, &coarse->start));
  for (PetscInt v = 0; v < g->n; v++) {
    if (partner[v] < v) continue;
    const PetscInt first = coarse->start[pair[v]] = m.n;
    merge_edges(&m, v, pair[v], first);
    if (partner[v] > v) merge_edges(&m, partner[v], pair[v], first);
  }
  coarse->start[coarse->n] = m.n;
  PetscCall(PetscRealloc((size_t)m.n * sizeof *m.adjacent, &m.adjacent));
  PetscCall(PetscRealloc((size_t)m.n * sizeof *m.weight, &m.weight));
  coarse->adjacent = m.adjacent;
  coarse->weight   = m.weight;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_coarsen(const wring_graph *g, PetscInt most, const PetscInt *part, wring_graph *coarse,
                                   PetscInt *pair)
{
  PetscInt *partner, *ghost_pair;

  PetscFunctionBegin;
  *coarse = (wring_graph){.comm = g->comm};
  PetscCall(PetscMalloc2((size_t)g->n, &partner, (size_t)g->n_ghost, &ghost_pair));
  for (PetscInt c = 0; c < g->n_section; c++) match_section(g, g->section[c], g->section[c + 1], most, part, partner);
  PetscCall(number_pairs(g, partner, coarse, pair));
  PetscCall(find_ghosts(g, pair, coarse, ghost_pair));
  PetscCall(find_edges(g, partner, pair, ghost_pair, coarse));
  PetscCall(PetscFree2(partner, ghost_pair));
  PetscCall(wring_graph_join(coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}
