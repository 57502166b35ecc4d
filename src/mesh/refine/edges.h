/*
  Private to src/mesh: the edges of a distributed mesh in one order, the same on any partition.

  The key of an edge is (smaller original number of its ends) x n + (larger one), n the number of vertices. Each rank
  keeps one range of all keys: a parallel sample sort [Shi, Schaeffer 1992, Parallel sorting by regular sampling].
*/
#pragma once
#include <wring/mesh.h>

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt size;
  uint64_t   *splitter; // [size] rank p has the keys from splitter[p] to below splitter[p + 1]
  PetscInt    n;        // different keys here
  uint64_t   *key;      // [n] ascending
  PetscInt   *owner;    // [n] the rank that is to own the middle of this edge
  PetscInt64  first;    // place of key[0] among all keys
  PetscInt64  total;    // different keys of all ranks
} wring_edges;

uint64_t wring_edge_key(PetscInt n, PetscInt a, PetscInt b); // of the edge between original numbers a and b

/*
  Each rank gives the edges of its tets, key [n] ascending without repetitions, and the number of vertices it owns. An
  edge of one rank is that rank's; an edge of several goes to the least loaded of them, then the lowest. Collective.
*/
PetscErrorCode wring_edges_create(MPI_Comm comm, PetscInt n, const uint64_t *key, PetscInt n_owned, wring_edges *g);
PetscErrorCode wring_edges_destroy(wring_edges *g);

typedef struct {
  PetscInt place, owner; // among all edges; -1, -1: there is no such edge
} wring_edge;

/* What each of these edges is, key [n] ascending, on any ranks: edge [n]. Collective. */
PetscErrorCode wring_edges_find(const wring_edges *g, PetscInt n, const uint64_t *key, wring_edge *edge);
