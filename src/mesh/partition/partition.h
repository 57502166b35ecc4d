/* Private to src/mesh: the parts of a distributed graph. */
#pragma once
#include "graph.h"
#include <wring/mesh.h>

/* How a graph is cut: wring_graph_cut. */
typedef struct {
  wring_partitioner partitioner;
  PetscInt          n_part;
  PetscInt          most; // vertices of a graph that METIS cuts on one rank; 0: wring_cut_most
} wring_cut;

/*
  The default of `most` for a graph of `all` vertices: as many as four parts have, at least 10,000 and at most 50,000;
  and at least 40 a part. METIS takes some 150 bytes for each on rank 0, and a run 500 for each tet of a part.
*/
PetscInt wring_cut_most(PetscInt64 all, PetscInt n_part);

/* Sections of the vertices of a graph, over all ranks, from which pairs are made; more than n_part for few parts. */
PetscInt wring_cut_sections(PetscInt n_part);

/*
  part [n] in [0, n_part), of the vertices of a connected or unconnected graph whose loads are 1. A graph of at most
  c->most vertices, and below 512 parts, gets those of METIS_PartGraphKway. Parts may be empty. Collective.
*/
PetscErrorCode wring_graph_cut(const wring_graph *g, const wring_cut *c, PetscInt *part);

/* Whether wring_graph_cut uses edges of the graph. */
PetscBool wring_cut_needs_edges(const wring_cut *c);

/* Whether this PETSc can cut a graph by p; *missing: what it lacks, a constant, or NULL. Not collective. */
PetscBool wring_cut_has_package(wring_partitioner p, const char **missing);

/* The same by PT-Scotch or ParMETIS. Refused: a PETSc without the package. Collective. */
PetscErrorCode wring_graph_cut_package(const wring_graph *g, const wring_cut *c, PetscInt *part);
