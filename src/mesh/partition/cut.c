#include "partition.h"

enum { LEVELS = 40, SECTIONS = 64 };
enum { TWICE = 10000000 }; // tets, above which a second cycle costs more time than the 0.3 % of cut that it gains
enum { MANY = 512 };       // parts, of which METIS first cuts groups
enum { FEW = 10000, SHARES = 4, MOST = 50000, PART = 40 }; // of default_most

/*
  The default of wring_cut.most: as many vertices as four parts have, at least 10,000 and at most 50,000; and at least
  40 a part. METIS takes some 150 bytes for each on rank 0, and a run 500 for each tet of a part.
*/
static PetscInt default_most(PetscInt64 all, PetscInt n_part)
{
  const PetscInt64 most = PetscMin(PetscMax(SHARES * all / n_part, FEW), MOST);
  return (PetscInt)PetscMin(PetscMax(most, (PetscInt64)PART * n_part), PETSC_MAX_INT / 32);
}

PetscInt wring_cut_sections(PetscInt n_part)
{
  return n_part * PetscMax((SECTIONS + n_part - 1) / n_part, 1);
}

/* The graphs from the finest to the one that METIS cuts. */
typedef struct {
  int                n;
  const wring_graph *graph[LEVELS];
  wring_graph        coarse[LEVELS]; // graph[i + 1] = coarse + i
  PetscInt          *pair[LEVELS];   // of graph[i]
} levels;

/* part of g, or NULL: pairs are made inside parts, and part becomes that of the coarsest graph. */
static PetscErrorCode coarsen(const wring_graph *g, PetscInt most, PetscInt *part, levels *l)
{
  const PetscInt heaviest = (PetscInt)PetscMax(1.5 * (double)g->all_load / (double)most, 2);

  PetscFunctionBegin;
  l->n        = 1;
  l->graph[0] = g;
  while (l->n < LEVELS && l->graph[l->n - 1]->all > most) {
    const wring_graph *const fine   = l->graph[l->n - 1];
    wring_graph *const       coarse = l->coarse + l->n - 1;
    PetscInt               **pair   = &l->pair[l->n - 1];
    PetscCall(PetscMalloc1((size_t)fine->n, pair));
    PetscCall(wring_graph_coarsen(fine, heaviest, part, coarse, *pair));
    for (PetscInt v = 0; part && v < fine->n; v++) part[(*pair)[v]] = part[v]; // pairs are not after their vertices
    l->graph[l->n++] = coarse;
    if ((double)coarse->all > 0.95 * (double)fine->all) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* part of the coarsest graph becomes that of the finest, for which it has room. */
static PetscErrorCode uncoarsen(levels *l, PetscInt n_part, PetscInt *part)
{
  PetscInt *coarse_part;

  PetscFunctionBegin;
  for (int i = l->n - 2; i >= 0; i--) {
    PetscCall(PetscMalloc1((size_t)l->graph[i + 1]->n, &coarse_part));
    PetscCall(PetscArraycpy(coarse_part, part, l->graph[i + 1]->n));
    for (PetscInt v = 0; v < l->graph[i]->n; v++) part[v] = coarse_part[l->pair[i][v]];
    PetscCall(PetscFree(coarse_part));
    PetscCall(PetscFree(l->pair[i]));
    PetscCall(wring_graph_destroy(l->coarse + i));
    PetscCall(wring_graph_refine(l->graph[i], n_part, part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut_levels(const wring_graph *g, const wring_cut *c, PetscInt *part);

/* Of many parts, each rank cuts a group; a group gets parts in proportion to its load. */
static PetscErrorCode cut_groups(const wring_graph *g, PetscInt n_part, PetscInt *part)
{
  const wring_cut groups = {.n_part = n_part < MANY ? 1 : (PetscInt)PetscSqrtReal((PetscReal)n_part)};
  PetscInt64     *load;
  PetscInt       *first;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(part, g->n));
  if (groups.n_part > 1) PetscCall(cut_levels(g, &groups, part));
  PetscCall(PetscCalloc2((size_t)groups.n_part + 1, &load, (size_t)groups.n_part + 1, &first));
  for (PetscInt v = 0; v < g->n; v++) load[part[v] + 1] += wring_graph_load(g, v);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, load, (PetscMPIInt)groups.n_part + 1, MPIU_INT64, MPI_SUM, g->comm));
  for (PetscInt i = 0; i < groups.n_part; i++) {
    load[i + 1] += load[i];
    first[i + 1] = (PetscInt)((double)load[i + 1] / (double)g->all_load * (double)n_part + 0.5);
  }
  PetscCall(wring_graph_cut_serial(g, groups.n_part, first, part));
  PetscCall(PetscFree2(load, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Then repeats the steps with pairs inside parts, whose borders then move by whole clusters. */
static PetscErrorCode cut_levels(const wring_graph *g, const wring_cut *c, PetscInt *part)
{
  const PetscInt most   = c->most ? c->most : default_most(g->all, c->n_part);
  const int      cycles = g->all <= most ? 0 : g->all <= TWICE ? 2 : 1;
  levels        *l;

  PetscFunctionBegin;
  PetscCall(PetscNew(&l));
  PetscCall(coarsen(g, most, NULL, l));
  PetscCall(cut_groups(l->graph[l->n - 1], c->n_part, part));
  PetscCall(uncoarsen(l, c->n_part, part));
  for (int i = 0; i < cycles; i++) {
    PetscCall(coarsen(g, most, part, l));
    PetscCall(wring_graph_refine(l->graph[l->n - 1], c->n_part, part));
    PetscCall(uncoarsen(l, c->n_part, part));
  }
  PetscCall(PetscFree(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_cut_needs_edges(const wring_cut *c)
{
  return (PetscBool)(c->n_part > 1 && c->partitioner != WRING_PARTITIONER_CURVE);
}

PetscErrorCode wring_graph_cut(const wring_graph *g, const wring_cut *c, PetscInt *part)
{
  PetscFunctionBegin;
  if (c->n_part == 1 || g->all <= c->n_part) { // METIS divides by zero for one part, and is not needed for so few tets
    for (PetscInt v = 0; v < g->n; v++)
      part[v] = c->n_part == 1 ? 0 : (PetscInt)(g->number ? g->number[v] : g->begin + v);
  } else if (c->partitioner == WRING_PARTITIONER_CURVE) {
    for (PetscInt v = 0; v < g->n; v++) part[v] = (PetscInt)(((g->begin + v + 1) * c->n_part - 1) / g->all);
  } else if (c->partitioner == WRING_PARTITIONER_METIS) {
    PetscCall(cut_levels(g, c, part));
  } else {
    PetscCall(wring_graph_cut_package(g, c, part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
