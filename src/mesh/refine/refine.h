/*
  Private to src/mesh: the state of one refinement of a distributed mesh, or of its raising to second order.

  Map of mesh/refine, in reading order:
    edges.c         the edges of all ranks in an order that does not depend on the partition
    midpoints.c     edges, their midpoints, and the owned vertices with their numbers
    children.c      the tets of the new mesh
    refine.c        wring_mesh_refine, wring_mesh_raise
    curved.c        vertices at middles of edges of a mesh that was read
    list_tags.c     the file's numbers of vertices
    refine_sets.c   lines, triangles and members of sets
    refine_values.c values of vertices, interpolated to the refined mesh
*/
#pragma once
#include "edges.h"
#include "mesh/tet.h"

/*
  Points are the local vertices of the mesh before refinement, then, unless it is of second order, the midpoints of the
  edges of local tets, and of edges of this rank's lines and triangles of sets that belong to no tet: of lines and
  surfaces outside a solid. A line between two vertices of tets that is not an edge of a tet is not refined: no element
  would contain its midpoint.
*/
typedef struct {
  wring_mesh *m;
  PetscMPIInt rank;
  int         children; // of a tet: 8, or 1 that is raised
  struct {              // of this rank's tets
    PetscInt    n;
    uint64_t   *key;    // [n] ascending
    PetscInt   *end;    // [n][2] local vertices
    wring_edge *found;  // [n] position among all edges, and owner
    PetscInt   *of_tet; // [tets][6] the edges of each tet, as of wring_tet_edge
    wring_edges all;
  } edge;
  struct { // edges of no tet
    PetscInt   n;
    PetscInt  *end;     // [n][2] first original numbers, later local vertices
    PetscBool *is_line; // [n] the edge is a line, not a side of a triangle
  } free;
  struct {
    PetscInt  n;
    double   *X;        // [n][3]
    PetscInt *original; // [n] in the refined mesh
    double    low[3], side;
    PetscInt  n_owned;
    PetscInt *owned; // [n_owned] points that this rank owns, in the order of the curve
  } point;
  struct {              // of the refined mesh
    char     *diagonal; // [tets of m] the one of three that cuts the inner octahedron
    PetscInt *order;    // [children tets of m] in their new order; child c of tet e is children e + c
    PetscInt  n_interior;
  } tets;
  struct {
    int     width; // 0: none
    double *row;   // [n_owned][width] of the mesh, then of the refined mesh; belongs to the caller
  } value;
} wring_refinement;

/* Vertices of the refined sets, on any ranks. */
typedef struct {
  PetscInt  n, room;
  PetscInt *member; // [n][2] set and original number, with repetitions
} wring_members;

/* Sets r->rank, r->edge and r->free: finds and numbers the edges of all ranks. Collective. */
PetscErrorCode wring_refine_number_edges(wring_refinement *r);

/* Sets r->point and r->edge.found. Collective. */
PetscErrorCode wring_refine_find_points(wring_refinement *r);

/*
  The local vertices, which are the points of a second-order mesh that is cut, and room for n more. Sets n, X,
  original, low and side of r->point. Collective.
*/
PetscErrorCode wring_refine_take_points(wring_refinement *r, PetscInt n);

PetscBool wring_refine_owns(const wring_refinement *r, PetscInt point);
void      wring_refine_tet_points(const wring_refinement *r, PetscInt e, PetscInt p[WRING_TET_POINTS]);

/*
  Replaces the owned vertices of the mesh and their numbers; the tets keep local numbers of the old mesh. global
  [point.n]: numbers of the points of this rank. Collective.
*/
PetscErrorCode wring_refine_replace_vertices(const wring_refinement *r, PetscInt *global);

/* The diagonals of the octahedron inside a tet, by its points. */
extern const int wring_refine_diagonal[3][2];

/* Sets tets.order and tets.n_interior. */
PetscErrorCode wring_refine_order_children(wring_refinement *r);

/* The points of a child: 4 corners, or 10 of a tet that is raised; returns their number. */
int wring_refine_child_points(const wring_refinement *r, PetscInt child, PetscInt v[WRING_TET_POINTS]);

/* The children replace the tets, in global numbers, as wring_mesh_join expects; global [point.n]. */
PetscErrorCode wring_refine_replace_tets(const wring_refinement *r, const PetscInt *global);

/* All these: the mesh that wring_mesh_join completes. Collective. */
PetscErrorCode wring_refine_replace_mesh(wring_refinement *r);

/* Frees the arrays, except r->value. */
PetscErrorCode wring_refine_destroy(wring_refinement *r);

/*
  Finds the edges of this rank's elements of sets that r->edge does not have: r->free.end, r->free.is_line.
  Collective.
*/
PetscErrorCode wring_refine_find_free(wring_refinement *r);

/*
  Finds the members of the refined sets, with those of m->read.middles; *mid [set.n_element][3], freed by the caller:
  the midpoints of edges 01 12 20 of the sets' elements in numbers of the refined mesh, -1 of those that are not
  refined. Collective.
*/
PetscErrorCode wring_refine_find_members(const wring_refinement *r, PetscInt **mid, wring_members *s);

/* Refines m->set.element. Frees *mid. */
PetscErrorCode wring_refine_cut_elements(wring_mesh *m, PetscInt **mid);

/* Moves the midpoints to the positions of m->read.middles, if there are any. Collective. */
PetscErrorCode wring_refine_curve(wring_refinement *r);

/* Refuses tets that these fold. Collective. */
PetscErrorCode wring_refine_check_folded(const wring_refinement *r);

/*
  Replaces r->value, if there is one, by its interpolant: linear, or, if tets are raised, which then are the eighths of
  second-order tets, quadratic in these and linear on edges of no tet. Before the mesh is replaced. Collective.
*/
PetscErrorCode wring_refine_values(wring_refinement *r);
