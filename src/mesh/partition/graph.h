/*
  Private to src/mesh: a graph whose vertices are distributed over ranks, cut into parts of equal load with few edges
  between them.

  Map of mesh/partition, in reading order:
    graph.c    ghosts: the neighbours on other ranks
    cut.c      wring_graph_cut: METIS for a graph that one rank can hold, otherwise the three steps below
    coarsen.c  1. pairs of neighbours become one vertex, until the graph is small enough
    serial.c   2. METIS cuts the small graph on rank 0; of many parts groups, and each group on another rank
    greedy.c   3. the parts are refined at their borders, on every graph back to the first; then 1 and 3 again
    sums.c     loads of parts, without an array over all ranks
    packages.c PT-Scotch and ParMETIS through PETSc
  Not here: the graph of tets (distribute/dual.c), vertices of the mesh (distribute/owners.c).

  Vertices are numbered over all ranks, rank after rank. Pairs are made inside sections, consecutive vertices of one
  rank, and all choices use numbers over all ranks only: with the same sections, any number of ranks finds the same
  parts.
*/
#pragma once
#include "base/exchange.h"

typedef struct {
  MPI_Comm       comm;
  PetscInt       n; // vertices of this rank: [begin, begin + n) of all
  PetscInt64     begin, all, all_load;
  PetscInt      *start;     // [n + 1] of adjacent
  PetscInt      *adjacent;  // local vertices: n and more are ghosts
  PetscInt      *weight;    // of edges, like adjacent; NULL: 1
  PetscInt      *load;      // [n]; NULL: 1
  PetscInt64    *number;    // [n] the place of each vertex in the graph that METIS cuts, borrowed; NULL: as they are
  PetscInt       n_section; // of this rank
  PetscInt      *section;   // [n_section + 1] the first vertex of each
  PetscInt       n_ghost;
  PetscInt64    *ghost; // [n_ghost] number over all ranks, ascending
  wring_exchange x;     // ghosts ask their owners: for wring_exchange_fetch of values [n] to [n_ghost]
} wring_graph;

/* The first vertex of section c of n_section equal ones; c = n_section: all. */
static inline PetscInt64 wring_section_begin(PetscInt64 all, PetscInt n_section, PetscInt c)
{
  return all / n_section * c + all % n_section * c / n_section;
}

/* Sets g->all, g->all_load, g->begin and the pattern of g->x from the rest. Collective. */
PetscErrorCode wring_graph_join(wring_graph *g);
PetscErrorCode wring_graph_destroy(wring_graph *g); // a zero struct is an empty graph

static inline PetscInt wring_graph_weight(const wring_graph *g, PetscInt edge)
{
  return g->weight ? g->weight[edge] : 1;
}

static inline PetscInt wring_graph_load(const wring_graph *g, PetscInt v)
{
  return g->load ? g->load[v] : 1;
}

/* The number over all ranks of a local vertex. */
static inline PetscInt64 wring_graph_number(const wring_graph *g, PetscInt v)
{
  return v < g->n ? g->begin + v : g->ghost[v - g->n];
}

/*
  Joins each vertex with the neighbour in its section to which it has the strongest edge, both divided by their loads,
  as long as the load of both is at most `most`; vertices without edges are joined with each other. part [n]: only
  vertices of the same part are joined; NULL: all. coarse: the graph of the pairs, in the order of their first vertices;
  pair [n]: the local vertex of coarse that each vertex is in. Collective.
*/
PetscErrorCode wring_graph_coarsen(const wring_graph *g, PetscInt most, const PetscInt *part, wring_graph *coarse,
                                   PetscInt *pair);

/*
  Cuts each of n_group subgraphs by METIS_PartGraphKway on one rank, a single one on rank 0: group i into parts first[i]
  to first[i + 1] - 1, first [n_group + 1]. part [n]: the group of each vertex, which becomes its part. Collective.
*/
PetscErrorCode wring_graph_cut_serial(const wring_graph *g, PetscInt n_group, const PetscInt *first, PetscInt *part);

/*
  Moves vertices at the borders of parts to neighbouring parts where this makes the cut smaller, or the loads more
  equal, as long as no part has more than 1.03 of the mean load. part [n] in [0, n_part). Collective.
*/
PetscErrorCode wring_graph_refine(const wring_graph *g, PetscInt n_part, PetscInt *part);
