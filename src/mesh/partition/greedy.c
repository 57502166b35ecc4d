/*
  Passes over the borders of parts, as of [Karypis, Kumar 1997, A coarse-grain parallel formulation of multilevel k-way
  graph partitioning]: all vertices choose at the same time, in turns to parts with higher and with lower numbers, so
  that two neighbours never change places.
*/
#include "graph.h"
#include "base/grow.h"

enum { PASSES = 12 };

static const double enough = 0.995; // of the cut before: a pass that leaves more is the last

typedef enum { UP, DOWN, RELIEVE, DIRECTIONS } direction;

typedef struct {
  PetscInt vertex, to; // part
} move;

typedef struct {
  const wring_graph *g;
  PetscInt           n_part, *part, *ghost_part;
  PetscInt64         limit;             // of the load of a part
  PetscInt64        *load;              // [n_part]
  PetscInt64        *flow;              // [2 n_part + 1] loads that want to move in, and out; edges that are cut, twice
  PetscInt          *tie;               // [n_part] weight of the edges of a vertex to each part, otherwise 0
  PetscInt          *near;              // [n_part] the parts with ties
  PetscInt           n_border, *border; // [n] all vertices that may have ties to other parts
  char              *listed;            // [n] whether a vertex is in border
  PetscInt           n_move, n_room;
  move              *move; // [n_move]
  uint64_t           salt; // of this pass
} refinement;

/* ---- the border -------------------------------------------------------------------------------------------------- */

static void list(refinement *r, PetscInt v)
{
  if (r->listed[v]) return;
  r->listed[v]             = 1;
  r->border[r->n_border++] = v;
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

/* r->tie of v, and the parts, the first of which is its own; returns their number. */
static PetscInt find_ties(refinement *r, PetscInt v)
{
  const wring_graph *const g = r->g;
  PetscInt                 n = 1;
  r->near[0]                 = r->part[v];
  for (PetscInt i = g->start[v]; i < g->start[v + 1]; i++) {
    const PetscInt u = g->adjacent[i], p = u < g->n ? r->part[u] : r->ghost_part[u - g->n];
    if (p != r->part[v] && r->tie[p] == 0) r->near[n++] = p;
    r->tie[p] += wring_graph_weight(g, i);
  }
  return n;
}

/* Whether a vertex with this load may go from part a to b, which changes the cut by -gain. */
static PetscBool may_move(const refinement *r, direction d, PetscInt a, PetscInt b, PetscInt load, PetscInt gain)
{
  if (r->load[b] + load > r->limit) return PETSC_FALSE;
  if (d == RELIEVE) return PETSC_TRUE;
  if ((d == UP) != (b > a)) return PETSC_FALSE;
  return (PetscBool)(gain > 0 || (gain == 0 && r->load[a] - r->load[b] > 2 * load));
}

static PetscInt choose_part(const refinement *r, direction d, PetscInt v, PetscInt n)
{
  const PetscInt a = r->part[v], load = wring_graph_load(r->g, v);
  PetscInt       best = a, best_gain = 0;
  for (PetscInt i = 1; i < n; i++) {
    const PetscInt b = r->near[i], gain = r->tie[b] - r->tie[a];
    if (!may_move(r, d, a, b, load, gain)) continue;
    if (best == a || gain > best_gain || (gain == best_gain && r->load[b] < r->load[best])) best = b, best_gain = gain;
  }
  return best;
}

/* The moves that vertices want, and r->flow over all ranks. */
static PetscErrorCode find_moves(refinement *r, direction d)
{
  PetscFunctionBegin;
  r->n_move = 0;
  PetscCall(PetscArrayzero(r->flow, 2 * r->n_part + 1));
  for (PetscInt k = 0; k < r->n_border; k++) {
    const PetscInt v = r->border[k], n = find_ties(r, v), a = r->part[v];
    if (n > 1 && (d != RELIEVE || r->load[a] > r->limit)) {
      const PetscInt to = choose_part(r, d, v, n);
      if (to != a) {
        PetscCall(wring_grow((PetscInt64)r->n_move + 1, &r->n_room, sizeof *r->move, &r->move));
        r->move[r->n_move++] = (move){v, to};
        r->flow[to] += wring_graph_load(r->g, v);
        r->flow[r->n_part + a] += wring_graph_load(r->g, v);
      }
    }
    for (PetscInt i = 0; i < n; i++) {
      if (i > 0) r->flow[2 * r->n_part] += r->tie[r->near[i]];
      r->tie[r->near[i]] = 0;
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, r->flow, (PetscMPIInt)(2 * r->n_part + 1), MPIU_INT64, MPI_SUM, r->g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fraction of the moves from a to b that leaves both within the limit. */
static double accepted(const refinement *r, direction d, PetscInt a, PetscInt b)
{
  const double in  = (double)(r->limit - r->load[b]) / (double)r->flow[b];
  const double out = (double)(r->load[a] - r->limit) / (double)r->flow[r->n_part + a];
  return d == RELIEVE ? PetscMin(in, 1.1 * out) : in;
}

/* Of too many moves, those of vertices with low hashes are made, on any rank the same. */
static PetscErrorCode make_moves(refinement *r, direction d)
{
  PetscInt64 *const change = r->flow;
  PetscInt          made   = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->n_move; i++) {
    const PetscInt v    = r->move[i].vertex;
    const uint64_t hash = wring_mix((uint64_t)wring_graph_number(r->g, v) + r->salt);
    if ((double)(hash >> 11) * 0x1p-53 >= accepted(r, d, r->part[v], r->move[i].to)) continue;
    r->move[made++] = r->move[i];
  }
  PetscCall(PetscArrayzero(change, r->n_part));
  for (PetscInt i = 0; i < made; i++) {
    const PetscInt v = r->move[i].vertex, to = r->move[i].to, load = wring_graph_load(r->g, v);
    change[r->part[v]] -= load;
    change[to] += load;
    r->part[v] = to;
    for (PetscInt k = r->g->start[v]; k < r->g->start[v + 1]; k++)
      if (r->g->adjacent[k] < r->g->n) list(r, r->g->adjacent[k]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, change, (PetscMPIInt)r->n_part, MPIU_INT64, MPI_SUM, r->g->comm));
  for (PetscInt p = 0; p < r->n_part; p++) r->load[p] += change[p];
  PetscCall(wring_graph_update(r->g, sizeof *r->part, r->part, r->ghost_part));
  r->salt = wring_mix(r->salt + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(const wring_graph *g, PetscInt n_part, PetscInt *part, refinement *r)
{
  const size_t n = (size_t)n_part;

  PetscFunctionBegin;
  *r = (refinement){.g = g, .n_part = n_part, .part = part};
  PetscCall(
    PetscMalloc5((size_t)g->n_ghost, &r->ghost_part, n, &r->load, 2 * n + 1, &r->flow, n, &r->tie, n, &r->near));
  PetscCall(PetscArrayzero(r->load, n_part));
  PetscCall(PetscArrayzero(r->tie, n_part));
  for (PetscInt v = 0; v < g->n; v++) r->load[part[v]] += wring_graph_load(g, v);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, r->load, (PetscMPIInt)n_part, MPIU_INT64, MPI_SUM, g->comm));
  PetscInt64 all = 0;
  for (PetscInt p = 0; p < n_part; p++) all += r->load[p];
  r->limit = PetscMax((PetscInt64)(1.03 * (double)all / (double)n_part), all / n_part + 1);
  PetscCall(wring_graph_update(g, sizeof *part, part, r->ghost_part));
  PetscCall(PetscMalloc2((size_t)g->n, &r->border, (size_t)g->n, &r->listed));
  PetscCall(PetscArrayzero(r->listed, g->n));
  for (PetscInt v = 0; v < g->n; v++)
    for (PetscInt i = g->start[v]; i < g->start[v + 1] && !r->listed[v]; i++)
      if (g->adjacent[i] >= g->n || part[g->adjacent[i]] != part[v]) list(r, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_over(const refinement *r)
{
  for (PetscInt p = 0; p < r->n_part; p++)
    if (r->load[p] > r->limit) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode wring_graph_refine(const wring_graph *g, PetscInt n_part, PetscInt *part)
{
  refinement r;
  PetscInt64 cut = INT64_MAX;

  PetscFunctionBegin;
  PetscCall(create(g, n_part, part, &r));
  for (int pass = 0; pass < PASSES; pass++) {
    const PetscBool over = is_over(&r);
    for (int d = UP; d <= DOWN; d++) {
      PetscCall(find_moves(&r, (direction)d));
      if (d == UP && !over && (double)r.flow[2 * n_part] >= enough * (double)cut) pass = PASSES;
      if (d == UP) cut = r.flow[2 * n_part];
      PetscCall(make_moves(&r, (direction)d));
    }
    if (!is_over(&r)) continue;
    PetscCall(find_moves(&r, RELIEVE));
    PetscCall(make_moves(&r, RELIEVE));
  }
  PetscCall(PetscFree5(r.ghost_part, r.load, r.flow, r.tie, r.near));
  PetscCall(PetscFree2(r.border, r.listed));
  PetscCall(PetscFree(r.move));
  PetscFunctionReturn(PETSC_SUCCESS);
}
