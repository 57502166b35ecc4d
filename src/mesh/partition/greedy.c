/*
  Passes over the borders of parts, as of [Karypis, Kumar 1997, A coarse-grain parallel formulation of multilevel k-way
  graph partitioning]: all vertices choose at the same time, in turns to parts with higher and with lower numbers, so
  that two neighbours never change places.
*/
#include "graph.h"
#include "base/grow.h"
#include "sums.h"

enum { PASSES = 12 };

static const double enough = 0.995; // of the cut before: a pass that leaves more is the last

typedef enum { UP, DOWN, RELIEVE, DIRECTIONS } direction;

typedef struct {
  PetscInt vertex, to; // part
} move;

/* Sums of a part: its load; loads that want to move in, and out. */
enum { LOAD, IN, OUT, WIDTH };

typedef struct {
  const wring_graph *g;
  PetscInt          *part, *ghost_part;
  double             limit;             // of the load of a part
  wring_sums         sums;              // of parts of vertices here and of ghosts, at any time: load, in, out
  PetscInt          *tie;               // [n_part] weight of the edges of a vertex to each part, otherwise 0
  PetscInt          *near;              // [n_part] the parts with ties
  PetscInt64         cut, n_over;       // over all ranks: edges that are cut, twice; parts over the limit
  PetscInt           n_border, *border; // [n] all vertices that may have ties to other parts
  char              *listed;            // [n] whether a vertex is in border
  PetscInt           n_move, n_room;
  move              *move; // [n_move]
  uint64_t           salt; // of this pass
} refinement;

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static double sum_of(const refinement *r, PetscInt part, int which)
{
  return r->sums.sum[WIDTH * part + which];
}

static double *change_of(refinement *r, PetscInt part, int which)
{
  return r->sums.change + WIDTH * part + which;
}

/* r->cut and n_over over all ranks; if parts are new in use on any, their loads. */
static PetscErrorCode share(refinement *r)
{
  PetscInt64 sum[3] = {r->cut, 0, r->sums.n - r->sums.n_known};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->sums.n_home; i++) sum[1] += r->sums.home[WIDTH * i + LOAD] > r->limit;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_INT64, MPI_SUM, r->g->comm));
  r->cut    = sum[0];
  r->n_over = sum[1];
  if (sum[2] == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_sums_know(&r->sums));
  PetscCall(wring_sums_add(&r->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  if (sum_of(r, b, LOAD) + load > r->limit) return PETSC_FALSE;
  if (d == RELIEVE) return PETSC_TRUE;
  if ((d == UP) != (b > a)) return PETSC_FALSE;
  return (PetscBool)(gain > 0 || (gain == 0 && sum_of(r, a, LOAD) - sum_of(r, b, LOAD) > 2 * load));
}

static PetscInt choose_part(const refinement *r, direction d, PetscInt v, PetscInt n)
{
  const PetscInt a = r->part[v], load = wring_graph_load(r->g, v);
  PetscInt       best = a, best_gain = 0;
  for (PetscInt i = 1; i < n; i++) {
    const PetscInt b = r->near[i], gain = r->tie[b] - r->tie[a];
    if (!may_move(r, d, a, b, load, gain)) continue;
    if (best == a || gain > best_gain || (gain == best_gain && sum_of(r, b, LOAD) < sum_of(r, best, LOAD)))
      best = b, best_gain = gain;
  }
  return best;
}

/* The moves that vertices want, their sums, and r->cut here. */
static PetscErrorCode find_moves(refinement *r, direction d)
{
  PetscFunctionBegin;
  r->n_move = 0;
  r->cut    = 0;
  for (PetscInt k = 0; k < r->n_border; k++) {
    const PetscInt v = r->border[k], n = find_ties(r, v), a = r->part[v];
    if (n > 1 && (d != RELIEVE || sum_of(r, a, LOAD) > r->limit)) {
      const PetscInt to = choose_part(r, d, v, n);
      if (to != a) {
        PetscCall(wring_grow((PetscInt64)r->n_move + 1, &r->n_room, sizeof *r->move, &r->move));
        r->move[r->n_move++] = (move){v, to};
        *change_of(r, to, IN) += wring_graph_load(r->g, v);
        *change_of(r, a, OUT) += wring_graph_load(r->g, v);
      }
    }
    for (PetscInt i = 0; i < n; i++) {
      if (i > 0) r->cut += r->tie[r->near[i]];
      r->tie[r->near[i]] = 0;
    }
  }
  for (PetscInt i = 0; i < r->sums.n_home; i++) r->sums.home[WIDTH * i + IN] = r->sums.home[WIDTH * i + OUT] = 0;
  PetscCall(wring_sums_add(&r->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fraction of the moves from a to b that leaves both within the limit. */
static double accepted(const refinement *r, direction d, PetscInt a, PetscInt b)
{
  const double in  = (r->limit - sum_of(r, b, LOAD)) / sum_of(r, b, IN);
  const double out = (sum_of(r, a, LOAD) - r->limit) / sum_of(r, a, OUT);
  return d == RELIEVE ? PetscMin(in, 1.1 * out) : in;
}

/* Of too many moves, those of vertices with low hashes are made, on any rank the same. */
static PetscErrorCode make_moves(refinement *r, direction d)
{
  PetscInt made = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->n_move; i++) {
    const PetscInt v    = r->move[i].vertex;
    const uint64_t hash = wring_mix((uint64_t)wring_graph_number(r->g, v) + r->salt);
    if ((double)(hash >> 11) * 0x1p-53 >= accepted(r, d, r->part[v], r->move[i].to)) continue;
    r->move[made++] = r->move[i];
  }
  for (PetscInt i = 0; i < made; i++) {
    const PetscInt v = r->move[i].vertex, to = r->move[i].to, load = wring_graph_load(r->g, v);
    *change_of(r, r->part[v], LOAD) -= load;
    *change_of(r, to, LOAD) += load;
    r->part[v] = to;
    for (PetscInt k = r->g->start[v]; k < r->g->start[v + 1]; k++)
      if (r->g->adjacent[k] < r->g->n) list(r, r->g->adjacent[k]);
  }
  PetscCall(wring_sums_add(&r->sums));
  PetscCall(wring_exchange_fetch(&r->g->x, sizeof *r->part, r->part, r->ghost_part));
  wring_sums_use(&r->sums, r->g->n_ghost, r->ghost_part);
  PetscCall(share(r));
  r->salt = wring_mix(r->salt + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refinement -------------------------------------------------------------------------------------------------- */

static PetscErrorCode create(const wring_graph *g, PetscInt n_part, PetscInt *part, refinement *r)
{
  PetscFunctionBegin;
  *r       = (refinement){.g = g, .part = part};
  r->limit = (double)PetscMax((PetscInt64)(1.03 * (double)g->all_load / (double)n_part), g->all_load / n_part + 1);
  PetscCall(PetscCalloc2((size_t)n_part, &r->tie, (size_t)n_part, &r->near));
  PetscCall(PetscMalloc3((size_t)g->n_ghost, &r->ghost_part, (size_t)g->n, &r->border, (size_t)g->n, &r->listed));
  PetscCall(wring_exchange_fetch(&g->x, sizeof *part, part, r->ghost_part));
  PetscCall(wring_sums_create(g->comm, n_part, WIDTH, &r->sums));
  wring_sums_use(&r->sums, g->n, part);
  wring_sums_use(&r->sums, g->n_ghost, r->ghost_part);
  for (PetscInt v = 0; v < g->n; v++) *change_of(r, part[v], LOAD) += wring_graph_load(g, v);
  PetscCall(wring_sums_know(&r->sums));
  PetscCall(wring_sums_add(&r->sums));
  PetscCall(share(r));
  PetscCall(PetscArrayzero(r->listed, g->n));
  for (PetscInt v = 0; v < g->n; v++)
    for (PetscInt i = g->start[v]; i < g->start[v + 1] && !r->listed[v]; i++)
      if (g->adjacent[i] >= g->n || part[g->adjacent[i]] != part[v]) list(r, v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_graph_refine(const wring_graph *g, PetscInt n_part, PetscInt *part)
{
  refinement r;
  PetscInt64 cut = INT64_MAX;

  PetscFunctionBegin;
  PetscCall(create(g, n_part, part, &r));
  for (int pass = 0; pass < PASSES; pass++) {
    const PetscBool over = (PetscBool)(r.n_over > 0);
    for (int d = UP; d <= DOWN; d++) {
      PetscCall(find_moves(&r, (direction)d));
      PetscCall(make_moves(&r, (direction)d)); // r.cut is that before them
      if (d == UP && !over && (double)r.cut >= enough * (double)cut) pass = PASSES;
      if (d == UP) cut = r.cut;
    }
    if (r.n_over == 0) continue;
    PetscCall(find_moves(&r, RELIEVE));
    PetscCall(make_moves(&r, RELIEVE));
  }
  PetscCall(wring_sums_destroy(&r.sums));
  PetscCall(PetscFree2(r.tie, r.near));
  PetscCall(PetscFree3(r.ghost_part, r.border, r.listed));
  PetscCall(PetscFree(r.move));
  PetscFunctionReturn(PETSC_SUCCESS);
}
