/*
  Private to src/mesh: the contents of a mesh file before they are checked, the same for every format.

  Map of mesh/read, in reading order:
    read.c             detects the format from the content
    window.c, lines.c  a window of a file, and where its rows begin; scan.c words and numbers, with their place
    row_blocks.c       the rows of a file, divided among the ranks
    gmsh.c gmsh_rows.c medit.c tetgen.c points.c   the formats: each fills a wring_raw
    raw.c              adds nodes and elements to it; tags.c adds names, the same on all ranks
    element_data.c     values of tets from $ElementData
  Not here: checks of nodes and elements, which make it a mesh (mesh/build).
*/
#pragma once
#include <wring/mesh.h>
#include "base/grow.h"
#include "base/map.h"
#include "mesh/data.h"
#include "scan.h"

typedef union {
  int64_t whole;
  double  real;
} wring_raw_cell;

/* An $ElementData section of Gmsh, requested by name: its unchecked rows, of any elements. */
typedef struct {
  const char     *name;
  int             width; // numbers of an element
  PetscBool       found;
  PetscInt        n;
  wring_raw_cell *row; // [n][2 + width] number of the element in the file, place (wring_scan_place), its numbers
} wring_raw_data;

/* A point, a line or a triangle of a file. */
typedef struct {
  int64_t  tag[3];       // [n] the file's numbers of its nodes
  int64_t  mid[3];       // of those at the middles of edges 01 12 20, -1: none
  int64_t  line, number; // its place (wring_scan_place) and number in the file
  PetscInt source;
  int      n;
} wring_raw_lower;

/*
  The nodes and elements of a file, in its order. Elements refer to nodes by the file's numbers, which build.c looks up:
  nodes may be missing and repeated here.

  A source is the tag of an element in the file: a physical tag of Gmsh 2.2, an entity of 4.1. It belongs to any number
  of named groups. Groups with the same name and different dimensions are one group.
*/
typedef struct {
  PetscBool   points; // there are no elements: all nodes are kept, and ordered by their numbers from 0 without gap
  const char *format; // as in wring_mesh_data
  struct {
    PetscInt  n;
    int64_t  *tag;      // [n] the file's number
    PetscBool keep_tag; // for the mesh
    int64_t  *line;     // [n] its place: wring_scan_place
    double   *X;        // [n][3]
  } nodes;
  struct {
    PetscInt  n, room;
    int64_t  *tag;    // [n][4] the file's numbers of the nodes
    PetscInt *source; // [n]
    int64_t  *number; // [n] in the file
    int64_t  *line;   // [n] its place
    int64_t  *mid;    // [n][6] nodes at the middles of edges, -1: none; NULL: no tet of this rank has any
  } tets;
  struct { // the elements that are not tets
    PetscInt         n, room;
    wring_raw_lower *element; // [n]
    PetscBool        second;  // one has nodes at the middles of edges
  } lower;
  struct {
    PetscInt  n;
    PetscInt *start; // [n + 1]
    PetscInt *group; // [start[n]] index into groups
  } sources;
  wring_names     groups;
  wring_raw_data *data; // borrowed; NULL: none is requested
} wring_raw;

PetscErrorCode wring_raw_destroy(wring_raw *raw);

/* The rank of `size` ranks that knows a node or an element by its number in the file. */
static inline PetscInt wring_raw_keeper(PetscMPIInt size, int64_t number)
{
  return (PetscInt)(wring_mix((uint64_t)number) % (uint64_t)size);
}

/* An element of a file; one with four corners is a tetrahedron. */
typedef struct {
  int64_t  line, number; // its place (wring_scan_place) and number in the file
  PetscInt source;
  int      n;       // corners
  int      n_mid;   // of second order: edges 01 12 20 03 13 23, as many as there are
  int64_t  tag[10]; // the file's numbers of its nodes: corners, then those at the middles of edges
} wring_element;

/* Allocate memory for this many nodes and tetrahedra, once. */
PetscErrorCode wring_raw_make_nodes(wring_raw *raw, size_t n);
PetscErrorCode wring_raw_make_tets(wring_raw *raw, size_t n);

/* Adds a node, whose coordinates are read; it must have room. */
void wring_raw_read_node(wring_raw *raw, wring_scan *s, int64_t line, int64_t tag);

/* Adds an element; a tetrahedron must have room. */
PetscErrorCode wring_raw_add_element(wring_raw *raw, wring_scan *s, const wring_element *e);

/*
  Reads an open file, or TetGen's .ele and the file of its nodes (else NULL), on all ranks: each has a consecutive part
  of the nodes, of the tets and of the other elements in raw (zero on input); sources, groups and format are the same
  on all ranks. The first fault is reported to the scanner, on every rank. Collective.
*/
PetscErrorCode wring_raw_read(wring_scan *s, const char *node, wring_raw *raw);

/* The same for each format. */
PetscErrorCode wring_gmsh_read(wring_scan *s, wring_raw *raw);
PetscErrorCode wring_points_read(wring_scan *s, wring_raw *raw);
PetscErrorCode wring_medit_read(wring_scan *s, wring_raw *raw);

/*
  TetGen: whether a file is one of a pair, by its extension, and the names [size] of both. Faults are reported to the
  error of both scanners.
*/
PetscBool      wring_tetgen_pair(const char *file, size_t size, char *node, char *ele);
PetscErrorCode wring_tetgen_read(wring_scan *nodes, wring_scan *tets, wring_raw *raw);
