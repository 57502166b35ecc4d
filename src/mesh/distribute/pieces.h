/*
  Private to src/mesh: the tets of a mesh in the order of a Hilbert curve through their centres, cut into one piece for
  each rank. Neither the order nor the pieces depend on the slices.
*/
#pragma once
#include "mesh/partition/graph.h"
#include <wring/mesh.h>

typedef struct {
  MPI_Comm    comm;
  PetscLayout block; // of the vertices in the slices
  double     *X;     // [block->n][3] of this rank's block, borrowed
  double      low[3], side;
  PetscInt    n;       // tets here
  PetscInt    n_chunk; // of all ranks: wring_cut_chunks
  PetscInt   *tet;     // [n][4] places in vertex
  PetscInt   *region;  // [n]
  PetscInt64 *number;  // [n] original
  PetscInt    n_vertex;
  PetscInt   *vertex; // [n_vertex] the vertices of the tets: original numbers, ascending
} wring_pieces;

/*
  Takes the tets of the slice d, which are freed. Chunk c of n_chunk begins at tet floor(c N / n_chunk) of the curve;
  rank r has the chunks from floor(r n_chunk / size) on. Collective.
*/
PetscErrorCode wring_pieces_create(MPI_Comm comm, PetscInt n_chunk, wring_mesh_data *d, wring_pieces *p);
PetscErrorCode wring_pieces_destroy(wring_pieces *p);

/*
  The graph of the tets, in the order of the curve, that share faces; it borrows p->number. edges false: a graph of the same vertices without edges. Collective.
*/
PetscErrorCode wring_pieces_dual(const wring_pieces *p, PetscBool edges, wring_graph *g);
