/*
  Private to src/mesh: from the nodes and elements of a file to a mesh. Every rank has a part of them (raw.h), and gets
  its slice of the mesh; the result does not depend on the sizes of the parts.

  Map of mesh/build, in reading order:
    build.c         wring_raw_build: the stages; faults.c faults of all ranks, and notices
    find_nodes.c    finds the nodes of elements by their numbers in the file, in a directory distributed over ranks;
                    order_points.c puts points into the order of their numbers
    turn_tets.c     scales coordinates, reorients tets
    match_faces.c   matches faces of tets and triangles, those of shared nodes on the rank that has their lowest node
    number_nodes.c  drops nodes and numbers the others
    middles.c       nodes at the middles of edges, by edge
    name_regions.c name_sets.c   names; vertices, triangles and lines of sets
  Not here: formats of files (mesh/read), partitions (mesh/distribute).

  Nodes have a position, their place in the file, and are in slices by rank. A rank works with those of its elements:
  `used`, ascending by position, so that comparing places in it compares positions.

  Memory: tables of the file are freed, or become those of the mesh, when they have been used; faces go in rounds.
*/
#pragma once
#include "base/exchange.h"
#include "mesh/read/raw.h"

/* Lines of notices. */
typedef struct {
  size_t size, length;
  char  *text;
} wring_notebook;

typedef struct {
  MPI_Comm         comm;
  wring_raw       *raw;   // borrowed; its tables are taken over or freed when they have been used
  wring_mesh_data *d;     // borrowed: the mesh that is made
  double           scale; // of coordinates
  struct {
    const char    *file;    // borrowed
    PetscBool      by_byte; // places are offsets, not lines
    int64_t        place;   // of the first fault of this rank, INT64_MAX: none
    wring_error   *error;   // borrowed
    wring_notebook notes;
  } report;
  struct {
    PetscLayout    layout; // slices of positions
    PetscInt64     n_kept; // of all ranks, the vertices of the mesh
    char          *keep;   // [nodes of this slice] whether a node is kept: 1, or WRING_BUILD_MIDDLE of an edge
    PetscInt       n_used;
    PetscInt      *used;   // [n_used] positions of the nodes of this rank's elements, ascending
    PetscInt      *vertex; // [n_used] their numbers in the mesh, -1: dropped
    int64_t       *tag;    // [n_used] numbers in the file; NULL: no rank has elements of second order
    char          *in_tet; // [n_used] whether a tet of any rank has the node
    wring_exchange owners; // from each used node to its slice
  } nodes;
  struct {
    PetscInt64 n_global, begin; // of all ranks; number of this rank's first one
    PetscInt  *corner;          // [n here][4] places in nodes.used
  } tets;
  struct {             // points, lines and triangles
    PetscInt *corner;  // [n_lower][3] places in nodes.used, -1 after the last
    char     *is_face; // [n_lower] whether a triangle is a face of a tet
  } lower;
  struct {              // nodes at the middles of edges
    PetscBool any;      // some rank has elements of second order
    PetscInt *used;     // [n_tet][6], then [n_lower][3] places in nodes.used, -1: none; NULL: no element here has any
    PetscInt  n;        // of this slice
    PetscInt *position; // [n] ascending
    double   *X;        // [n][3]
  } middle;
} wring_build;

/*
  Checks the nodes and elements of all ranks and makes the mesh: drops nodes that no tet and no triangle or line of a
  group uses (no element, if there is no tet), reorients tets, names regions and sets. raw: this rank's part; sources,
  groups, format and points are the same on all ranks. s: its file, its kind of places and its error, which has no text
  on input. *d: this rank's slice; NULL on all ranks if there is an error, which is the one of the first place in the
  file, on all ranks. notes [size]: notices, as in wring_mesh_read, on all ranks. Collective.
*/
PetscErrorCode wring_raw_build(MPI_Comm comm, wring_raw *raw, double scale, const wring_scan *s, wring_mesh_data **d,
                               size_t size, char *notes);

/* ---- faults and notices ------------------------------------------------------------------------------------------ */

/*
  A fault of this rank, which replaces one at a later place. wring_build_refuse: `order` in place of a place in the
  file, which the message does not name.
*/
void wring_build_fail(wring_build *b, int64_t place, const char *format, ...) __attribute__((format(printf, 3, 4)));
void wring_build_refuse(wring_build *b, int64_t order, const char *format, ...) __attribute__((format(printf, 3, 4)));

const char *wring_build_unit(const wring_build *b); // "line" or "byte"

/* Gives every rank the first fault; *ok: there is none. Collective. */
PetscErrorCode wring_build_agree(wring_build *b, PetscBool *ok);

void wring_build_note(wring_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- stages; faults are left to wring_build_agree. Collective ---------------------------------------------------- */

/*
  Sets the corners of tets and lower elements; of nodes: layout, used and owners. A node that is missing or given twice
  is a fault.
*/
PetscErrorCode wring_build_find_nodes(wring_build *b);

/* Sends points, if the mesh has nothing else, to the ranks of their positions, which are their numbers. */
PetscErrorCode wring_build_order_points(wring_build *b);

/* Multiplies coordinates by the scale, up to 1e100. */
PetscErrorCode wring_build_scale(wring_build *b);

/* Makes the volume of tets positive. */
PetscErrorCode wring_build_turn_tets(wring_build *b);

/* Sets nodes.in_tet and nodes.keep. */
enum { WRING_BUILD_MIDDLE = 2 };
PetscErrorCode wring_build_mark_nodes(wring_build *b);

/* Finds repeated tets, faces of more than two tets, and two tets on the same side of their face; sets lower.is_face. */
PetscErrorCode wring_build_match_faces(wring_build *b);

/* A triangle that is no face has a node outside the tets: it belongs to a cloth. */
PetscErrorCode wring_build_check_triangles(wring_build *b);

/* Sets nodes.n_kept, nodes.vertex, and middle.n, position and X; d->X and d->tag. */
PetscErrorCode wring_build_number_nodes(wring_build *b);

/* d->region, d->regions; d->sets, d->set_start, d->set_vertex; d->set_element. */
PetscErrorCode wring_build_name_regions(wring_build *b);
PetscErrorCode wring_build_name_sets(wring_build *b);

/* d->order and d->middles of a mesh of second order: an edge with two nodes, or a node on two edges, is a fault. */
PetscErrorCode wring_build_find_middles(wring_build *b);
