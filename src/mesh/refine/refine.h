/*
  Private to src/mesh: the state of one refinement of a distributed mesh.

  Map of mesh/refine, in reading order:
    edges.c         the edges of all ranks in an order that does not depend on the partition
    refine.c        wring_mesh_refine: edges, points, children; replaces the mesh
    refine_sets.c   lines, triangles and members of sets
    refine_values.c values of vertices, interpolated to the refined mesh
*/
#pragma once
#include "edges.h"

/*
  Points are the local vertices of the mesh before refinement, then the midpoints of the edges of local tets, and of
  edges of this rank's lines and triangles of sets that belong to no tet: of lines and surfaces outside a solid. A line
  between two vertices of tets that is not an edge of a tet is not refined: no element would contain its midpoint.
*/
typedef struct {
  wring_mesh *m;
  PetscMPIInt rank;
  PetscInt    n_edge;
  uint64_t   *key;   // [n_edge] ascending
  PetscInt   *end;   // [n_edge][2] local vertices
  wring_edge *found; // [n_edge] position among all edges, and owner
  PetscInt   *edge;  // [n_tet][6] the edges of each tet: corners 01 02 03 12 13 23
  PetscInt    n_free;
  PetscInt   *free_end; // [n_free][2] edges of no tet: first original numbers, later local vertices
  PetscBool  *is_line;  // [n_free] the edge is a line, not a side of a triangle
  wring_edges edges;
  PetscInt    n_point;
  double     *X;        // [n_point][3]
  PetscInt   *original; // [n_point] in the refined mesh
  double      low[3], side;
  PetscInt    n_owned;
  PetscInt   *owned;    // [n_owned] points that this rank owns, in the order of the curve
  char       *diagonal; // [n_tet] the one of three that cuts the inner octahedron
  PetscInt   *order;    // [8 n_tet] children in their new order; child c of tet e is 8 e + c
  PetscInt    n_interior;
  int         width;
  double     *value; // [n_owned][width] of the mesh, then of the refined mesh; NULL: none. Belongs to the caller
} wring_refinement;

/* Vertices of the refined sets, each on its owner. */
typedef struct {
  PetscInt  n;
  PetscInt *member; // [n][2] set and original number, with repetitions
} wring_members;

/* Finds the edges of this rank's set_elements that r->edges does not have: r->free_end, r->is_line. Collective. */
PetscErrorCode wring_refine_find_free(wring_refinement *r);

/* Finds the members from the sets before refinement; refines m->set_element. Collective. */
PetscErrorCode wring_refine_find_members(const wring_refinement *r, wring_members *s);

/* Fills m->set_vertex of the refined mesh. Destroys s. */
PetscErrorCode wring_refine_fill_sets(wring_mesh *m, wring_members *s);

/* Replaces r->value, if there is one, by its linear interpolant; before the mesh is replaced. Collective. */
PetscErrorCode wring_refine_values(wring_refinement *r);
