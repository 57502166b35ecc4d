/*
  Private to src/mesh: the tets of a mesh in the order of a Hilbert curve through their centres, cut into one piece for
  each rank. Neither the order nor the pieces depend on the slices.
*/
#pragma once
#include "mesh/partition/graph.h"
#include <wring/mesh.h>

typedef struct {
  MPI_Comm    comm;
  PetscLayout slice; // of the vertices in the slices
  double     *X;     // [slice->n][3] of this rank's slice, borrowed
  double      low[3], side;
  PetscInt    n;         // tets here
  PetscInt    n_section; // of all ranks: wring_cut_sections
  PetscInt   *tet;       // [n][4] places in vertex
  PetscInt   *region;    // [n]
  PetscInt64 *number;    // [n] original
  PetscInt    n_vertex;
  PetscInt   *vertex; // [n_vertex] the vertices of the tets: original numbers, ascending
} wring_pieces;

/*
  Takes the tets of the slice d, which are freed. Section c of n_section begins at tet floor(c N / n_section) of the
  curve; rank r has the sections from floor(r n_section / size) on. Collective.
*/
PetscErrorCode wring_pieces_create(MPI_Comm comm, PetscInt n_section, wring_mesh_data *d, wring_pieces *p);
PetscErrorCode wring_pieces_destroy(wring_pieces *p);

/*
  The graph of the tets, in the order of the curve, that share faces; it borrows p->number. edges false: a graph of the
  same vertices without edges. Collective.
*/
PetscErrorCode wring_pieces_dual(const wring_pieces *p, PetscBool edges, wring_graph *g);

/* The part that owns each vertex, on the rank whose slice has the vertex. */
typedef struct {
  PetscInt  n_part;
  PetscInt *owner;    // [slice->n] the part of each vertex of this rank's slice
  PetscInt *start;    // [slice->n + 1] of touching
  PetscInt *touching; // the parts with tets at the vertex, ascending
} wring_owners;

/*
  part [p->n] of the tets. A vertex of tets of several parts goes to the least loaded of them. Vertices without tets are
  pieces of the curve through them, such that the parts own equally many vertices, as far as possible. Depends neither
  on slices nor on pieces. Collective.
*/
PetscErrorCode wring_owners_create(const wring_pieces *p, PetscInt n_part, const PetscInt *part, wring_owners *o);
PetscErrorCode wring_owners_destroy(wring_owners *o);

/* A vertex, by its original number, of an element of a part. */
typedef struct {
  PetscInt vertex, part;
} wring_vertex_part;

/* Sends list [n] to the slices of their vertices: *got [*n_got] by vertex and part, with repetitions. Collective. */
PetscErrorCode wring_touches_match(const wring_pieces *p, PetscInt n, const wring_vertex_part *list, PetscInt *n_got,
                                   wring_vertex_part **got);
