/*
  Private to src/mesh: what a mesh file contains, before it is checked; the same for every format.

  Map of mesh/read, in reading order:
    read.c             finds the format by content
    scan.c             words and numbers of a file, with their place for messages
    gmsh.c medit.c tetgen.c points.c   the formats: each fills a wring_raw
    raw.c              adding elements to it; tags.c its names
    build.c            checks and numbers it: a wring_mesh_data; check_triangles.c, set_elements.c: triangles and lines
    element_data.c     values of tets from $ElementData
  Not here: anything parallel.
*/
#pragma once
#include <wring/mesh.h>
#include "base/map.h"
#include "mesh/names.h"
#include "scan.h"

/* An $ElementData section of Gmsh that is asked for by name: its rows as they stand, of any elements. */
typedef struct {
  const char *name;
  int         width; // numbers of an element
  PetscBool   found;
  PetscInt    n;
  int64_t    *number, *place; // [n] of the element in the file, of the row (wring_scan_place)
  double     *value;          // [n][width]
} wring_raw_data;

/*
  A source is what the elements of a file carry: a physical tag of Gmsh 2.2, an entity of 4.1. It belongs to any number
  of named groups. Groups of one name and several dimensions are one group. Room: n_tet and n_corner may grow to *_room.
*/
typedef struct {
  PetscInt  n_node, node_room;
  double   *X;    // [n_node][3]
  wring_map node; // of the file's tags
  PetscInt  n_tet, tet_room;
  PetscInt *tet;        // [n_tet][4] nodes
  PetscInt *tet_source; // [n_tet]
  int64_t  *tet_number; // [n_tet] in the file
  int64_t  *tet_line;   // [n_tet] its place: wring_scan_place
  PetscInt  n_corner, corner_room;
  PetscInt *corner;        // [n_corner] nodes of the elements that are not tets
  PetscInt *corner_source; // [n_corner]
  PetscInt  n_triangle, triangle_room;
  struct {
    PetscInt corner;       // its first one
    int64_t  line, number; // its place and number in the file
  } * triangle;            // [n_triangle]
  PetscInt        n_segment, segment_room;
  PetscInt       *segment; // [n_segment] first corners of the line elements
  PetscInt        n_source;
  PetscInt       *source_start; // [n_source + 1]
  PetscInt       *source_group; // [source_start[n_source]] index into groups
  wring_names     groups;
  const char     *format; // as in wring_mesh_data
  wring_raw_data *data;   // borrowed; NULL: none is asked for
} wring_raw;

PetscErrorCode wring_raw_destroy(wring_raw *raw);

/* An element as a file gives it. Four nodes are a tetrahedron. */
typedef struct {
  int64_t  line, number; // its place (wring_scan_place) and number in the file
  PetscInt source;
  int      n;
  int64_t  tag[4];  // the file's numbers of its nodes
  PetscInt node[4]; // -1: there is no such node
} wring_element;

/* Room for this many tetrahedra; adds an element, whose nodes must exist and be different. */
PetscErrorCode wring_raw_make_room(wring_raw *raw, PetscInt n_tet);
PetscErrorCode wring_raw_add_element(wring_raw *raw, wring_scan *s, const wring_element *e);

/*
  Makes room for at least `needed` entries of this width, doubling; callers that follow a file check that they can be
  counted.
*/
PetscErrorCode wring_raw_grow(PetscInt64 needed, PetscInt *room, size_t width, void *array);

/*
  Checks what the file says and makes the mesh of it: nodes that no tet and no triangle or line of a group uses are
  dropped (no element, if there is no tet), tets are turned, regions and sets named. *d stays NULL if the scanner has or
  gets an error.
*/
PetscErrorCode wring_raw_build(wring_raw *raw, double scale, wring_scan *s, wring_mesh_data **d, size_t size,
                               char *notes);

/* Where there are tets, a triangle between three nodes of tets must be a face of one. */
PetscErrorCode wring_raw_check_triangles(const wring_raw *raw, wring_scan *s);

/* d->set_element: the triangles and lines of the groups, which are d's sets; vertex [n_node]: numbers in d, or -1. */
PetscErrorCode wring_raw_keep_elements(const wring_raw *raw, wring_scan *s, const PetscInt *vertex, wring_mesh_data *d);

/* Each format: the whole file into raw (zero before); faults go to the scanner. */
PetscErrorCode wring_gmsh_read(wring_scan *s, wring_raw *raw);
PetscErrorCode wring_points_read(wring_scan *s, wring_raw *raw);
PetscErrorCode wring_medit_read(wring_scan *s, wring_raw *raw);

/*
  TetGen: whether a file is one of a pair, by its ending, and the names [size] of both; faults go to both scanners'
  error.
*/
PetscBool      wring_tetgen_pair(const char *file, size_t size, char *node, char *ele);
PetscErrorCode wring_tetgen_read(wring_scan *nodes, wring_scan *tets, wring_raw *raw);
