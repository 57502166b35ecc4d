/*
  Layer 3, mesh: read, check, partition, distribute, order; sets and regions.

  Two forms. wring_mesh_data is a slice in original order, as a reader or generator makes it. wring_mesh is a
  distributed mesh: plain arrays that every layer may read and only src/mesh writes.

  Map of src/mesh, in reading order:
    data.c       a whole mesh on one rank; names.c its named parts; mesh_box.c makes one; merge.c makes one of several;
                 mesh_options.c deck keys
    read/        from a file to its nodes and elements (map: read/raw.h)
    build/       from those to a mesh, checked (map: build/build.h)
    partition/   a distributed graph cut into parts (map: partition/graph.h)
    distribute/  from slices in original order to a distributed mesh and back (map: distribute/halo.h)
    refine/      uniform refinement in parallel (map: refine/refine.h)
    surface/     faces and surfaces of tets, lines and triangles of sets (map: surface/skin.h)
    sets.c       sets by rest position; rest.c rest geometry and masses; info.c properties of a mesh
    patches.c    patches of tets around vertices
    bodies.c     values over ranks, and over connected vertices
    measure.c    measures of slices; measure_curved.c of order 2; measure_shared.c of what slices share
    quadrature.c shape functions and points of tets of first and second order; tet.h edges and faces of a tet
    locate.c     the tet that contains a point
  Not here: elements with energies (term), files of results (io), keys of a deck that do not describe the mesh
  (problem).

  Counts. Numbers of vertices, and rows times width of each table, are PetscInt, or the function that makes the table
  refuses it in one line; those of the tets of all ranks have 64 bits. The limits with 32-bit integers are 134,217,727
  tets on a rank, PETSC_MAX_INT / WRING_TET_ENTRIES, and 715,827,882 vertices on all ranks.

  Memory (32-bit integers, a solid with 5.7 tets a vertex). wring_mesh_data: about 25 bytes a tet, of slices over all
  ranks. Reading a file: 73 bytes a tet on one rank, 173 on eight (measured: 1.5 million tets of Gmsh, ASCII and binary,
  above what the ranks take when they start); the largest rank has 1 % more than the mean. wring_mesh_distribute: at
  most 200 bytes a tet over all ranks, above those of MPI and PETSc (measured: 161, 6 million tets in equal slices on 4
  ranks), and up to 80 MB on rank 0 for METIS. No rank holds the whole mesh.

  Functions are collective where their comments say so, and local otherwise; they are not thread-safe. Arrays returned
  to the caller are allocated by PetscMalloc. After an error that is not a refusal (base.h) the mesh may only be
  destroyed.
*/
#pragma once
#include <wring/options.h>

/* Entries of the widest table of tets, the 4 x 4 pairs of their corners: no product with a count of tets is larger. */
enum { WRING_TET_ENTRIES = 16 };

/* Named parts: regions of tetrahedra, sets of vertices. Names are compared by wring_ascii_compare: a-z equal A-Z. */
typedef struct {
  PetscInt n;
  char   **name; // [n] as spelt in the file
} wring_names;

PetscInt wring_names_find(const wring_names *names, const char *name); // -1 if there is none

/*
  Vertices at the middles of edges, of a second-order mesh that was read: rows on arbitrary ranks. Positions that they
  do not have are midpoints.
*/
typedef struct {
  PetscInt  n;
  PetscInt *end;      // [n][2] original numbers of the ends; NULL: the rows of all ranks are in the order of all edges
  double   *X;        // [n][3] m
  int64_t  *tag;      // [n] the file's number, or NULL
  PetscInt  n_member; // members of sets beyond the middles of edges of their elements
  PetscInt *member;   // [n_member][2] set, original number
} wring_middles;

/* ---- a mesh in original order ------------------------------------------------------------------------------------ */

/*
  A mesh before it is distributed: on each rank of a communicator its slice of the whole, on one rank the whole.
  Vertices are consecutive blocks by rank, of any size: those of rank r begin where those of the ranks before it end.
  Tets likewise. All numbers in the tables are of the whole mesh: a vertex's number is its permanent `original` number,
  the file's order of the nodes that are kept. Regions and sets have the same names on all ranks. A member of a set is
  on the rank whose block has the vertex; a row of set_element is on one arbitrary rank. Tets have positive volume in
  the usual sense, det [x1-x0, x2-x0, x3-x0] > 0, as in Gmsh and VTK; tets with the opposite orientation in the file are
  reoriented.
*/
typedef struct {
  const char   *format;          // of the file: "Gmsh 4.1, ASCII"; NULL if the mesh was not read from one; a constant
  PetscInt      n_vertex, n_tet; // of the slice
  double       *X;               // [n_vertex][3] m
  PetscInt     *tet;             // [n_tet][4] original numbers
  PetscInt     *region;          // [n_tet] index into regions
  wring_names   regions;         // at least one if there is a tet: "tag1" for an unnamed tag 1, "box" for the box
  wring_names   sets;            // named groups of lower dimension and of volumes, as sets of vertices
  PetscInt     *set_start;       // [sets.n + 1] of the members in this slice
  PetscInt     *set_vertex;      // [set_start[sets.n]] original numbers, ascending inside each set
  PetscInt      n_set_element;
  PetscInt     *set_element; // [n_set_element][4] set, then the vertices of one of its triangles, or of a line and -1
  PetscInt     *mid;     // in slices of a mesh of order 2, as in wring_mesh, original numbers: [n_tet][6]; else NULL
  PetscInt     *set_mid; // [n_set_element][3] likewise
  int           order;   // 2 on some rank: the mesh that was read is of order 2; all the rest is its corners
  wring_middles middles; // its other vertices
  int64_t      *tag;     // [n_vertex] the file's numbers of the vertices, of wring_mesh_read with tags; else NULL
} wring_mesh_data;

PetscErrorCode wring_mesh_data_destroy(wring_mesh_data **d);

/*
  Replaces slices, of which no rank has NULL, by the whole mesh on rank 0, NULL elsewhere: 25 bytes a tet there, and a
  table more; of a second-order mesh by that of its corners, without tags. Refused if one rank cannot count it.
  Collective.
*/
PetscErrorCode wring_mesh_collect(MPI_Comm comm, wring_mesh_data **d);

/*
  Reads a mesh file, detected by content: Gmsh 2.2 or 4.1, MEDIT ASCII, CSV "vertex,x,y,z" (points only); or one of
  TetGen's .node and .ele, which must be in the same directory. *d: this rank's slice of the mesh. Coordinates are
  multiplied by scale. On bad input *d is NULL and e names file, line and fault, the first in the file, on all ranks.
  Physical names: groups with the same name are merged, whatever their dimension; an unnamed tag N is "tagN"; tets in no
  physical volume are in region "tag0"; groups without a vertex of the mesh are omitted. Names that differ only in case,
  and tets in two physical volumes, are errors. notes [size]: text of the notices (reoriented tets, dropped nodes),
  lines separated by '\n', each without "note: "; "" if none; the same on all ranks. Neither the mesh nor messages
  depend on the number of ranks. tags: d->tag is set too, except for CSV, whose vertices keep
  their numbers. Collective.
*/
PetscErrorCode wring_mesh_read(MPI_Comm comm, const char *file, double scale, PetscBool tags, wring_mesh_data **d,
                               wring_error *e, size_t size, char *notes);

/*
  Reads the $ElementData section `name` of a Gmsh file, for tets: row [*n][1 + width], the tet's number in the mesh that
  wring_mesh_read makes from the file, and its values; each tet on one arbitrary rank; freed with PetscFree. On bad
  input, a number of components other than width, two tets with one number, or a tet with two rows, *row is NULL and e
  is set, on all ranks. Collective.
*/
PetscErrorCode wring_mesh_read_data(MPI_Comm comm, const char *file, const char *name, int width, PetscInt *n,
                                    double **row, wring_error *e);

typedef struct {
  double   size[3];   // m, > 0 where there are cells, else 0
  PetscInt cells[3];  // >= 0, not all 0
  double   origin[3]; // m
  double   jitter;    // in [0, 1): moves free coordinates by uniform (-j/2, j/2) x cell size
} wring_box;

/*
  Makes a box of six Kuhn tets a cell, with region "box" and sets xmin xmax ymin ymax zmin zmax box (docs/user.md). With
  cells along two axes only, it makes a sheet of triangles, two a cell with alternating diagonals, without region: set
  "box" has the triangles, the sides of the two axes have lines. With cells along one axis, it makes a line of segments,
  which are in set "box". Jitter then moves vertices in the plane or along the line. Each rank makes an equal share of
  vertices, cells and elements of sets: *d, its slice. If the sizes do not fit the cells, there are too many cells, or
  the jitter inverts an element, *d is NULL and e is set, on all ranks. Collective.
*/
PetscErrorCode wring_mesh_box(MPI_Comm comm, const wring_box *box, wring_mesh_data **d, wring_error *e);

/* Moves a slice of a mesh: X becomes R X + at, R [9] a rotation row by row, at [3] m; also the middles of edges. */
void wring_mesh_place(wring_mesh_data *d, const double R[9], const double at[3]);

/*
  Merges n meshes in slices into one, *d: vertices and tets in the order of the meshes, in equal shares of the ranks.
  Regions and sets get the name of their mesh in front, "NAME.set"; the only region of a mesh and the set "box" of a box
  are NAME, which is also a set of all vertices of the mesh, and of one without names. part [n] are destroyed. On too
  many vertices or tets *d is NULL and e is set, on all ranks. Takes the memory of the meshes twice. Collective.
*/
PetscErrorCode wring_mesh_merge(MPI_Comm comm, PetscInt n, const char *const *name, wring_mesh_data **part,
                                wring_mesh_data **d, wring_error *e);

/* ---- properties of a mesh ---------------------------------------------------------------------------------------- */

enum { WRING_QUALITY_BINS = 10 };

/*
  Counts and sizes; those of tets are 0 if there are none. Quality of a tet: 12 (9 V^2)^(1/3) / sum l^2, 1 for the
  regular one. Of a second-order mesh, volumes, areas and lengths of sets are those of the curved elements; edges and
  qualities are of the straight tets of the corners.
*/
typedef struct {
  PetscInt64  n_vertex, n_tet;
  double      low[3], high[3]; // bounding box, m
  double      volume;          // m^3
  PetscInt64 *region_tets;     // [regions.n]
  double     *region_volume;   // [regions.n] m^3
  PetscInt64  n_edge;
  double      edge_min, edge_mean, edge_max; // m, every edge counted once
  double      quality_min, quality_mean;
  double      jacobian_min; // the least Jacobian of a tet at corners and 14 points over its mean; 1: order 1, no tets
  PetscInt64  quality_count[WRING_QUALITY_BINS]; // bin b: [b, b + 1) / 10, the last with 1
  PetscInt64  n_boundary_face;
  PetscInt64  n_component;                              // sets of tets that share no vertex with others
  PetscInt64 *set_vertices, *set_triangles, *set_lines; // [sets.n]
  double     *set_area, *set_length;                    // [sets.n] m^2, m
} wring_mesh_measures;

/*
  Of the mesh whose slice d is, on all ranks; sums differ by round-off with the number of ranks. Freed by
  wring_mesh_measures_destroy. Takes at most 130 bytes a tet of the slice, 110 more at order 2. Collective.
*/
PetscErrorCode wring_mesh_measure(MPI_Comm comm, const wring_mesh_data *d, wring_mesh_measures *m);
PetscErrorCode wring_mesh_measures_destroy(wring_mesh_measures *m);

/*
  Keys of the deck, prefix mesh_: refine, order, quadrature, partitioner; prefix set_*_: box, sphere, plane, centre,
  size, radius, point, normal; prefixes mesh_ and body_*_, of one file or box: file, scale, box_size, box_cells,
  box_origin, box_jitter.
*/
extern const wring_option wring_mesh_options[], wring_set_options[], wring_mesh_source_options[];

/* ---- a distributed mesh ------------------------------------------------------------------------------------------ */

/*
  How tets are assigned to ranks. METIS: METIS_PartGraphKway of the dual graph, of its clusters if it is large; CURVE:
  equal pieces of a Hilbert curve; PTSCOTCH, PARMETIS: these packages, through a PETSc that has them.
*/
typedef enum {
  WRING_PARTITIONER_METIS,
  WRING_PARTITIONER_CURVE,
  WRING_PARTITIONER_PTSCOTCH,
  WRING_PARTITIONER_PARMETIS
} wring_partitioner;

/* A file or a box, wring_mesh_source_options, which wring_options_read fills. */
typedef struct {
  const char *file; // NULL: not given
  double      scale;
  wring_box   box;
} wring_mesh_source;

/* The keys of mesh_: those of its file or box, and wring_mesh_options. */
typedef struct {
  wring_mesh_source source;        // first
  PetscInt          refine, order; // order 0: not given
  enum { WRING_POINTS_4, WRING_POINTS_14 } quadrature;
  wring_partitioner partitioner;
} wring_mesh_keys;

/* Refuses a package that this PETSc does not have, with the key `partitioner` after the prefix. Collective. */
PetscErrorCode wring_mesh_check_partitioner(const wring_options *o, const char *prefix, wring_partitioner p);

/* A partition into parts, whose number need not be that of ranks. */
typedef struct {
  PetscInt64 cut_faces;              // faces between tets of different parts
  PetscInt   interface_vertices;     // vertices of elements of several parts
  PetscInt64 ghosts;                 // vertices of a part's elements that another part owns, sum over parts
  PetscInt   tets_max, vertices_max; // of the largest part
} wring_mesh_cut;

/*
  The partition that wring_mesh_distribute makes on n_part ranks, but for the packages, whose parts depend on the
  ranks that cut. d: this rank's slice, or NULL: an empty one. Collective.
*/
PetscErrorCode wring_mesh_measure_cut(MPI_Comm comm, wring_partitioner partitioner, PetscInt n_part,
                                      const wring_mesh_data *d, wring_mesh_cut *cut);

/* Numbers of vertices. */
typedef struct {
  PetscInt  n_global, begin; // vertices of all ranks; global number of local vertex 0
  PetscInt  n_corner;        // vertices of all ranks at order 1; those with larger original numbers are middles
  PetscInt *global;          // [n_local] global number
  PetscInt *original;        // [n_local] original number
  PetscInt *by_original;     // [n_local] local vertices by ascending original number
} wring_numbering;

/* Star forests that send values of vertices. */
typedef struct {
  PetscSF      halo;        // roots: owned vertices; leaf of ghost i is local vertex n_owned + i
  PetscSF      coordinates; // the same for single numbers: PetscSF allocates whenever it compares types like `vector`
  PetscSF      natural;     // roots: original numbers in slices (PetscLayout of n_global); leaves: owned vertices
  MPI_Datatype vector;      // 3 doubles, for the SFs
} wring_forests;

/* The tets of this rank. */
typedef struct {
  int         order;  // 1, or after wring_mesh_raise 2
  int         points; // of quadrature of a tet of order 2, 4 or 14; 0: 4
  PetscInt64  n_global;
  PetscInt    n, n_interior;
  PetscInt   *corner;   // [n][4] local vertices
  PetscInt   *mid;      // [n][6] at the middles of edges 01 12 20 03 13 23; NULL: order 1
  PetscInt   *region;   // [n] index into regions
  PetscInt64 *original; // [n]
} wring_tets;

/* Named groups of lower dimension and of volumes, as sets of vertices, and their lines and triangles. */
typedef struct {
  wring_names names;
  PetscInt  **vertex; // [names.n] owned local vertices of each set, ascending
  PetscInt   *count;  // [names.n]
  PetscInt    n_element;
  PetscInt   *element; // [n_element][4] as in wring_mesh_data, in original numbers; each on one arbitrary rank
  PetscInt   *mid;     // [n_element][3] at the middles of edges 01 12 20, or -1; original; NULL: order 1
} wring_sets;

/* What is left of a second-order mesh that was read, for wring_mesh_raise. */
typedef struct {
  int           order; // 2: wring_mesh_raise makes it again
  wring_middles middles;
} wring_read_order;

/*
  Local vertices [0, n_owned) are owned and contiguous in the global numbering; [n_owned, n_local) are ghosts, in
  ascending global number. Each tet belongs to exactly one rank; the first n_interior tets have owned vertices only, of
  order 2 all ten. Vertices and tets are ordered along a space-filling curve (tets within each of the two groups, by
  region first). A rank may own nothing.

  Tets of order 2 have a vertex at the middle of each edge. These vertices are vertices like others: owned or ghosts, in
  all tables. Lines and triangles of sets, which have such vertices too, stay elements of first order: the functions
  that list them give the two parts of each line and the four parts of each triangle.
*/
typedef struct {
  MPI_Comm         comm;
  PetscInt         n_owned, n_local; // vertices
  double          *X;                // [n_local][3] rest positions, m
  wring_numbering  number;
  wring_forests    forest;
  wring_tets       tets;
  wring_names      regions;
  wring_sets       set;
  wring_read_order read;
} wring_mesh;

/*
  Partitions a mesh over comm and distributes it. *data: this rank's slice of the mesh, destroyed here; NULL, on ranks
  other than 0: an empty slice. The result does not depend on the sizes of the slices, except by the packages. Each
  interface vertex goes to the least loaded part that touches it. Vertices without a tet are distributed in pieces of a
  space-filling curve, such that all ranks own equally many vertices. comm is borrowed until the mesh is destroyed.
  Collective.
*/
PetscErrorCode wring_mesh_distribute(MPI_Comm comm, wring_partitioner partitioner, wring_mesh_data **data,
                                     wring_mesh **m);
PetscErrorCode wring_mesh_destroy(wring_mesh **m);

/*
  Refines the mesh `times` times: each tet becomes eight, four at its corners and four around the shortest diagonal of
  the octahedron inside (original numbers break ties), with the same region and orientation. The new vertices are the
  midpoints of the edges. Their original numbers are n_global + the position of the edge in the lexicographic order of
  (smaller, larger) original number of its ends; children of tet t are 8 t to 8 t + 7. Neither depends on the partition.
  A tet stays on its rank, a vertex with its owner; the midpoint of an edge on several ranks goes to the least loaded of
  them. Lines of sets become two, triangles four, including those outside solids; a line between two vertices of tets
  that is not an edge of a tet is not refined. A set gains the midpoints of the edges of its lines, triangles and tets
  (of the region of the same name), and no others. Refused: a mesh of points, counts beyond the limits above, and tets
  that become flat by round-off; the mesh then keeps the refinements that succeeded. Call before terms are built and
  before wring_mesh_add_sets. No rank holds more than its part: with 32-bit integers, the last refinement takes about 60
  bytes for each tet that the rank has afterwards. Collective.
*/
PetscErrorCode wring_mesh_refine(wring_mesh *m, PetscInt times);

/*
  Refines the mesh once, as above. *value [n_owned][width], width > 0, is replaced by its interpolant on the refined
  mesh, which is exact for the functions of its tets: an old vertex keeps its values; at order 1 a midpoint has the mean
  of the ends of its edge. A mesh of order 2 is replaced by the one that wring_mesh_raise makes of its refined mesh of
  corners; new vertices have the values of the quadratic function of their tet, docs/theory.md (11.1b). Refused: as
  above, and curved edges. *value is allocated by PetscMalloc, and freed by the caller. Collective.
*/
PetscErrorCode wring_mesh_refine_values(wring_mesh *m, int width, double **value);

/* Sets the values of ghosts to those of their owners: value [n_local][width]. Collective. */
PetscErrorCode wring_mesh_update_ghosts(const wring_mesh *m, int width, double *value);

/*
  Raises the mesh, of order 1, to order 2: all edges of tets get a vertex at their midpoint, and so do edges of lines
  and triangles of sets outside solids, as refinement adds midpoints: with the same original numbers, owners and members
  of sets. Where m->read.middles has a position, the vertex is there. Neither numbers nor positions depend on the
  partition. Tets keep corners, original numbers and ranks. Refused: counts beyond the limits above, and a folded tet,
  whose Jacobian is not positive at a corner or at a point of the quadrature of degree 2. Call after refinement and
  before terms are built and before wring_mesh_add_sets. Collective.
*/
PetscErrorCode wring_mesh_raise(wring_mesh *m);

/*
  The file's numbers of the vertices of the mesh that wring_mesh_read, with tags, and wring_mesh_raise make: tag [*n] on
  rank 0, by original number, -1: none in the file; NULL elsewhere; freed with PetscFree. *data is destroyed.
  Collective.
*/
PetscErrorCode wring_mesh_list_tags(MPI_Comm comm, wring_mesh_data **data, PetscInt *n, int64_t **tag);

/* Frees the tables; the mesh that was read then counts as its first-order mesh of corners. */
PetscErrorCode wring_middles_clear(wring_middles *t);

/*
  Cuts the whole mesh, in original order, into one slice for each rank, for output to files. Vertices are distributed as
  in m->forest.natural, tets and members of sets (*n_set_vertex here) evenly; tets and members are original numbers;
  names and set_start are those of the whole mesh. Rows of set_element are distributed with their first vertices, and
  sorted by vertices and set. Of order 2, the slices have mid and set_mid. Freed by wring_mesh_data_destroy. Collective.
*/
PetscErrorCode wring_mesh_slice(const wring_mesh *m, wring_mesh_data **slice, PetscInt *n_set_vertex);

/* Gathers all slices on rank 0, NULL elsewhere: memory for the whole mesh and one more table there. Collective. */
PetscErrorCode wring_mesh_gather(const wring_mesh *m, wring_mesh_data **data);

/*
  Adds the named geometric sets of the deck (set_*_) by rest position, to within 1e-9 of the diagonal of the mesh: in
  the closed box or ball, or on the side of the plane that its normal points to. Refused: a set without vertices, with
  two shapes, or with the name of another set that has other vertices. Collective.
*/
PetscErrorCode wring_mesh_add_sets(wring_mesh *m, const wring_options *o, PetscInt n_schema,
                                   const wring_schema *schema);

/*
  Adds the vertices with these original numbers that are not owned here to the ghosts, for terms that join vertices of
  different ranks. Renumbers ghosts: call before terms are built. Collective; each rank passes its own list.
*/
PetscErrorCode wring_mesh_extend_halo(wring_mesh *m, PetscInt n, const PetscInt *original);

enum { WRING_FACE = 6 };

/*
  The triangles of a set, oriented so that (x1 - x0) x (x2 - x0) points out of the adjacent tet; a triangle without a
  tet keeps its orientation. *triangle [*n][WRING_FACE] original numbers, freed with PetscFree: corners, then the
  middles of the edges 01 12 20, -1 at order 1 and where there is no tet: such a triangle of order 2 is in its four
  parts. Each triangle is on one rank, which has its vertices afterwards. Renumbers ghosts: call before terms are built.
  Refused: a triangle twice; unless `inner`, a triangle between two tets. Collective.
*/
PetscErrorCode wring_mesh_surface(wring_mesh *m, PetscInt set, PetscBool inner, PetscInt *n, PetscInt **triangle);

/*
  Integrals over the triangle v [WRING_FACE] of x [.][3], for each of its n = 3 or 6 vertices a, exact at order 2 if it
  is flat; docs/theory.md (6.8): S_a [n][3] of N_a times the normal, share [n] of N_a at rest [m^2]. Return n.
*/
int wring_face_normals(const PetscInt v[WRING_FACE], const double *x, double (*S)[3]);
int wring_face_shares(const PetscInt v[WRING_FACE], const double *X, double *share);

/*
  The faces of this rank's tets that no other tet of any rank has, of order 2 each in four parts: *corner [*n][3] local
  vertices, counter-clockwise seen from outside; *number [*n] is 4 e + a for the face of tet e opposite to its corner a.
  Both are ordered by this number, and freed with PetscFree. Collective.
*/
PetscErrorCode wring_mesh_skin(const wring_mesh *m, PetscInt *n, PetscInt **corner, PetscInt **number);

/*
  Cuts the tets of a region into patches, each around a vertex, docs/theory.md 3.12: centre [n_tet] is the global number
  of that vertex, -1 for tets of other regions. Patches depend on original numbers, not on ranks. Collective.
*/
PetscErrorCode wring_mesh_patches(const wring_mesh *m, PetscInt region, PetscInt *centre);

/* Local number of an original vertex number, owned or ghost, or -1. Not collective (binary search). */
PetscInt wring_mesh_local(const wring_mesh *m, PetscInt original);

/*
  Sends the rows of a table on rank 0 to the owners of their vertices. row [n_row][width] on rank 0 (ignored elsewhere);
  column 0 is the original vertex number. Every rank receives its rows ordered by that number: *mine [*n_mine][width],
  freed by the caller with PetscFree. The caller checks that the vertices exist. Collective.
*/
PetscErrorCode wring_mesh_route_rows(const wring_mesh *m, PetscInt n_row, int width, const double *row,
                                     PetscInt *n_mine, double **mine);

/*
  Sends the values of tables on any ranks to the tets that they name. row [n_row][1 + width] on each rank (n_row may be
  0); column 0 is a number in [0, n_mother), and each of the tets.n_global/n_mother tets that refinement made from that
  one receives the values: value [n_tet][width], NaN where no row names the tet. The caller checks that rows name each
  tet at most once. Every row goes to one rank, which forwards it to the tets. Collective.
*/
PetscErrorCode wring_mesh_route_tets(const wring_mesh *m, PetscInt n_mother, PetscInt n_row, int width,
                                     const double *row, double *value);

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* The place of a point in a mesh. */
typedef struct {
  PetscInt tet;        // the local tet that contains it, on one rank; -1 on the others, and on all if it is outside
  double   weight[4];  // barycentric coordinates in that tet, sum 1: the point is sum_a N_a(weight) X_a; else 0
  double   distance;   // m, from `nearest`, on all ranks; 0: inside; INFINITY: there are no tets
  double   nearest[3]; // on all ranks, if it is outside: the nearest point of the tets; of curved ones, one near it
} wring_place;

/*
  Finds the tet whose rest shape contains a point [m], the same on all ranks, to within 1e-9 of the diagonal of the
  mesh; of several, on a face, the one with the lowest original number, so that the result does not depend on the
  partition. Tets are numbered: extending the halo later does not change the place. Collective; time proportional to the
  tets of this rank. Second-order tets are as curved as they are; `nearest` is on a curved face, with the coordinates of
  the point that is nearest among the four flat parts of faces.
*/
PetscErrorCode wring_mesh_locate(const wring_mesh *m, const double point[3], wring_place *place);

/* ---- lines and triangles of sets --------------------------------------------------------------------------------- */

/* Lines (corners 2) or triangles (corners 3) of a set on all ranks. Collective. */
PetscErrorCode wring_mesh_count_elements(const wring_mesh *m, PetscInt set, int corners, PetscInt64 *n);

/*
  The same elements on the owners of their lowest vertices: vertex [*n][corners] original numbers, ascending in a row,
  rows ascending; freed by the caller with PetscFree. The result depends neither on the order of the file nor on the
  partition. A set with the same element twice is refused. Collective.
*/
PetscErrorCode wring_mesh_list_elements(const wring_mesh *m, PetscInt set, int corners, PetscInt *n, PetscInt **vertex);

/*
  Pairs of triangles [n][3] (as wring_mesh_list_elements gives them) that share an edge, on the owner of its lower end:
  hinge [*n_hinge][4], the ends of the edge ascending, then the two opposite vertices ascending, in original numbers,
  rows ascending; freed by the caller with PetscFree. Refused if three triangles share an edge; name: of the set, for
  the message. Collective.
*/
PetscErrorCode wring_mesh_find_hinges(const wring_mesh *m, const char *name, PetscInt n, const PetscInt *triangle,
                                      PetscInt *n_hinge, PetscInt **hinge);

/* ---- masses and rest geometry ------------------------------------------------------------------------------------ */

/*
  Masses of vertices: m_i = sum over tets at i of its part of density[region] x volume [kg], mass [n_owned]. DIAGONAL:
  1/4 at order 1, at order 2 1/36 at corners and 4/27 at other vertices, docs/theory.md (1.1b). CONSISTENT: the
  integrals of the shape functions, (1.1c), at order 2 -1/20 and 1/5 of a straight tet: for loads, not for inertia.
  density NULL: without tets; lumps NULL: without other elements. The masses are bitwise the same on any partition.
  Collective.
*/
typedef enum { WRING_MASS_DIAGONAL, WRING_MASS_CONSISTENT } wring_mass_kind;

/* Parts of the masses of other elements: vertex [n] local, which receives part [n] kg. */
typedef struct {
  PetscInt  n;
  PetscInt *vertex;
  double   *part;
} wring_lumps;

PetscErrorCode wring_mesh_lump_masses(const wring_mesh *m, wring_mass_kind kind, const double *density,
                                      const wring_lumps *lumps, double *mass);

/* Rest geometry of tet e: B = D_m^{-1} [9] row by row, D_m = [X0-X3, X1-X3, X2-X3] as columns, and the volume. */
void wring_tet_rest(const double *X0, const double *X1, const double *X2, const double *X3, double B[9],
                    double *volume);

/*
  The same for a triangle in its own plane: B = D_m^{-1} [4] row by row, D_m = [X0-X2, X1-X2] in an orthonormal basis of
  the plane, and the area. If the area is only round-off, it and B are 0.
*/
void wring_triangle_rest(const double *X0, const double *X1, const double *X2, double B[4], double *area);

/*
  A hinge at rest: the edge X0 X1 of the triangles X0 X1 X2 and X0 X1 X3, which have areas. c [4]: cotangent weights,
  whose sum is 0, such that sum c_a x_a is a normal of the edge times its length and its angle; area: of both triangles
  together; docs/theory.md (3.60). curvature: |sum c_a X_a|/area [1/m], 0 if it is only round-off.
*/
void wring_hinge_rest(const double *const X[4], double c[4], double *area, double *curvature);

enum { WRING_MAX_POINTS = 14 };

/* A rule of quadrature of tets: barycentric coordinates of its points, and positive weights, whose sum is 1. */
typedef struct {
  int    n;
  double weight[WRING_MAX_POINTS], L[WRING_MAX_POINTS][4];
} wring_quadrature;

/* The rule of 1, 4 (degree 2) or 14 points (degree 5), NULL for other numbers; that of a mesh, 1 point at order 1. */
const wring_quadrature *wring_quadrature_of(int points);
const wring_quadrature *wring_mesh_quadrature(const wring_mesh *m);

/* The vertices of a tet: the four corners, then at order 2 those in the middles of its edges. Returns 4 or 10. */
int wring_tet_vertices(const wring_mesh *m, PetscInt e, PetscInt v[10]);

/* Shape functions N [n] of n = 4 or 10 vertices at a point; their derivatives in L_0, L_1, L_2. Theory (3.1b) */
void wring_tet_shape(int n, const double L[4], double *N);
void wring_tet_shape_gradients(int n, const double L[4], double (*dN)[3]);

/*
  D = dx/dL of tet e, row by row, x [n_local][3]: at the four corners, at a point from those at corners, at a point; at
  rest, its inverse B, row by row, and 1/6 of the volume per unit of L, -det(D)/6: its mean over the tet is the volume.
*/
void wring_tet_corner_jacobians(const wring_mesh *m, PetscInt e, const double *x, double D[4][9]);
void wring_tet_jacobian_at(const double corner[4][9], const double L[4], double D[9]);
void wring_tet_jacobian(const wring_mesh *m, PetscInt e, const double *x, const double L[4], double D[9]);
void wring_tet_rest_at(const wring_mesh *m, PetscInt e, const double L[4], double B[9], double *volume);

double wring_tet_volume(const wring_mesh *m, PetscInt e); // rest volume, m^3

typedef struct {
  double volume, min_quality;            // m^3; 12 (9 V^2)^(1/3) / sum l^2 of the corners, 1 for the regular tet
  double low[3], high[3];                // bounding box, m
  double balance_tets, balance_vertices; // largest over average
  double ghosts;                         // ghosts of all ranks over vertices
} wring_mesh_info;

PetscErrorCode wring_mesh_get_info(const wring_mesh *m, wring_mesh_info *info); // collective

/* volume [regions.n] m^3; height [regions.n] m: the least height of a tet of corners over a face. Collective. */
PetscErrorCode wring_mesh_measure_regions(const wring_mesh *m, double *volume, double *height);
