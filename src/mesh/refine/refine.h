/*
  Private to src/mesh: one refinement of a distributed mesh, while it is made.

  Map of mesh/refine, in reading order:
    edges.c        the edges of all ranks in one order, the same on any partition
    refine.c       wring_mesh_refine: edges, points, children, and the refined mesh in place of the old one
    refine_sets.c  lines, triangles and members of sets
*/
#pragma once
#include "edges.h"

/*
  Points are the local vertices of the mesh as it was, then the middles of the edges of local tets, and of edges of
  lines and triangles of sets here that no tet has: of lines and surfaces beside a solid. A line between two vertices of
  tets that is no edge of one stays whole: nothing would hold its middle.
*/
typedef struct {
  wring_mesh *m;
  PetscMPIInt rank;
  PetscInt    n_edge;
  uint64_t   *key;   // [n_edge] ascending
  PetscInt   *end;   // [n_edge][2] local vertices
  wring_edge *found; // [n_edge] place among all edges, and owner
  PetscInt   *edge;  // [n_tet][6] the edges of each tet: corners 01 02 03 12 13 23
  PetscInt    n_free;
  PetscInt   *free_end; // [n_free][2] edges that no tet has: original numbers, then local vertices
  PetscBool  *is_line;  // [n_free] the edge is a line, not a triangle's
  wring_edges edges;
  PetscInt    n_point;
  double     *X;        // [n_point][3]
  PetscInt   *original; // [n_point] in the refined mesh
  double      low[3], side;
  PetscInt    n_owned;
  PetscInt   *owned;    // [n_owned] points that this rank owns, along the curve
  char       *diagonal; // [n_tet] which of the three the inner octahedron is cut along
  PetscInt   *order;    // [8 n_tet] children in their new order; child c of tet e is 8 e + c
  PetscInt    n_interior;
} wring_refinement;

/* Vertices of the refined sets: each member comes to its owner. */
typedef struct {
  PetscInt  n;
  PetscInt *member; // [n][2] set and original number, repeated
} wring_members;

/* Finds the edges of this rank's set_elements that r->edges does not have: r->free_end, r->is_line. Collective. */
PetscErrorCode wring_refine_find_free(wring_refinement *r);

/* From the sets as they were; refines m->set_element. Collective. */
PetscErrorCode wring_refine_find_members(const wring_refinement *r, wring_members *s);

/* m->set_vertex of the refined mesh. s is destroyed. */
PetscErrorCode wring_refine_fill_sets(wring_mesh *m, wring_members *s);
