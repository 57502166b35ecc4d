/*
  Private to src/mesh: the edges of a distributed mesh in an order that does not depend on the partition. The key of an
  edge is (smaller original number of its ends) x n + (larger one), n the number of vertices. Each rank stores one range
  of all keys, of equal numbers of keys but for those that several ranks have.
*/
#pragma once
#include <wring/mesh.h>

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt size;
  uint64_t   *splitter; // [size] rank p has the keys in [splitter[p], splitter[p + 1])
  PetscInt    n;        // distinct keys on this rank
  uint64_t   *key;      // [n] ascending
  PetscInt   *owner;    // [n] the rank that will own the midpoint of this edge
  PetscInt64  first;    // position of key[0] among all keys
  PetscInt64  total;    // distinct keys of all ranks
} wring_edges;

uint64_t wring_edge_key(PetscInt n, PetscInt a, PetscInt b); // of the edge between original numbers a and b

/*
  Each rank passes the edges of its tets, key [n] ascending without repetitions, and the number of vertices that it
  owns. An edge of one rank is owned by this rank; an edge of several ranks by the least loaded of them, the lowest rank
  breaking ties. Collective.
*/
PetscErrorCode wring_edges_create(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscInt n_owned, wring_edges *g);
PetscErrorCode wring_edges_destroy(wring_edges *g);

typedef struct {
  PetscInt place, owner; // among all edges; -1, -1: there is no such edge
} wring_edge;

/* Looks up edges on any ranks, key [n] in any order: edge [n]. Collective. */
PetscErrorCode wring_edges_find(const wring_edges *g, PetscInt n, const uint64_t *key, wring_edge *edge);

/*
  The positions of the vertices at the middles of existing edges, key [n]: X [n][3], NaN without a row in t,
  whose ends are numbers of a mesh of n_vertex vertices. Rows of edges that do not exist have no effect. *fits: rows
  without ends are as many as edges, or none; otherwise X is not set. Collective.
*/
PetscErrorCode wring_edges_find_middles(const wring_edges *g, PetscInt n_vertex, const wring_middles *t, PetscInt n,
                                        const uint64_t *key, double *X, PetscBool *fits);
