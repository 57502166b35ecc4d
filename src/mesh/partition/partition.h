/* Private to src/mesh: the parts of a distributed graph. */
#pragma once
#include "graph.h"
#include <wring/mesh.h>

/* How a graph is cut: wring_graph_cut. */
typedef struct {
  wring_partitioner partitioner;
  PetscInt          n_part;
  PetscInt          most; // vertices of a graph that METIS cuts on one rank; 0: the default
} wring_cut;

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
