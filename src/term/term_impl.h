/*
  Private to src/term: the layout of a term in memory.

  Elements are stored in blocks of WRING_LANES. A chunk is a run of at most CHUNK_BLOCKS blocks of one group, interior
  or boundary, processed by one thread: it reads the positions of its vertices into a small private array, refers to
  corners by 16-bit offsets into it, and accumulates forces there. The sum of a vertex that only this chunk touches is
  added to the result at once; that of a shared vertex is stored in a row of the chunk, and the rows of a vertex are
  added in chunk order when all chunks are done. No atomics are needed, and the order of summation is fixed.

  A chunk's elements are placed along its lanes: of n blocks, lane l has elements l n, l n + 1, ... Neighbours, which
  share vertices, are thus in different blocks, and no lane waits for the sum of the lane before it. Unused positions at
  the end of the last chunk of a group are padded with copies of the group's last element with weight 0.

  An element has one quadrature point, but second-order tets have several: then each point of a block has its own row of
  weights and coefficients, number b points + p for point p of block b, and a chunk has fewer blocks. What is computed
  at a point, such as z, has the number of its row wherever it is stored.
*/
#pragma once
#include <wring/term.h>

enum { CHUNK_BLOCKS = 128 }; // rows: 1024 tets, whose vertices' positions and forces stay in the first-level cache
enum { QUADRATIC = 10 };     // vertices of a second-order tet; in a term the fourth corner comes last
enum { ROWS_AHEAD = 32 };    // rows of `share` are prefetched this many rows before they are added

/*
  All stencils, m and q: tets, fibres and hinges, triangles (two), edges, points, second-order tets, fibres.
  wring_term_check_law refuses others.
*/
#define STENCILS                                                                                                       \
  STENCIL(4, 3)                                                                                                        \
  STENCIL(4, 1) STENCIL(3, 2) STENCIL(3, 1) STENCIL(2, 1) STENCIL(1, 1) STENCIL(QUADRATIC, 3) STENCIL(QUADRATIC, 1)

typedef struct {
  PetscInt     n;
  double      *target;     // [n][3] at time 0, m
  wring_motion motion;     // with a path of its own
  PetscInt    *vertex;     // [n] owned
  double      *origin;     // [n][3] where targets that grow are at time 0, m; NULL: they do not grow
  double      *shift;      // [n][3] of the targets of hard ones, m; NULL: none
  PetscBool    fades;      // shift is 0 from pseudo-time 1 on
  PetscBool    hard;       // the term has no elements, but place
  double      *place;      // [n][3] current targets, m
  unsigned     components; // that it holds, WRING_X | ...
} attachment;

/* ---- passes: pass.c ---------------------------------------------------------------------------------------------- */

enum { PASS_SUMS = 3, PASS_FIELDS = 3, FIELD = 9 }; // FIELD: rows of lanes from the z of one field to the next

/* A row, that is point of a block: what the map of a pass reads, and writes. */
typedef struct {
  const wring_term *t;
  void             *context;
  PetscInt          row, block;
  int               point;
  wring_in          z;   // [3 q] of x; from FIELD on of the pass's other fields
  double           *sum; // [n_sum] of the chunk
  wring_out         p;   // [3 q] with forces: the pass adds w G^T p to them
} term_row;

/* The work of a pass: a map of rows, or, of what is no map of z, a function of whole chunks. */
struct wring_pass {
  const wring_term *t;
  void (*map)(const term_row *r); // or NULL: chunk
  /* Forces f of a chunk at x, both private [vertices][4], and its sums; padded lanes have weight 0. */
  void (*chunk)(const wring_pass *pass, PetscInt c, const double *x, double *f, double *sum);
  void         *context;
  const double *more[PASS_FIELDS - 1]; // [n_more] fields [n_local][3] besides x
  int           n_more, n_sum;         // at most PASS_SUMS
  double        start;                 // of the sums of a chunk
  const double *besides;               // is added to the first sum of all; NULL: nothing
  PetscBool     forces;                // false: f of the functions below may be NULL
};

struct wring_term {
  char               name[256];
  const wring_law   *law;
  int                m;      // vertices of an element
  int                points; // of quadrature of an element
  double             proxy;  // k of the quadratic proxy; 0: the law's slope
  PetscBool          active;
  attachment        *attachment;  // NULL: not an attachment
  const double      *mass;        // [n_local] kg of vertices, borrowed; NULL: not known
  struct wring_mean *mean;        // means of J over patches, whose law is split; NULL: none
  double             mean_energy; // of this rank's patches at the last means, J
  double            *pressure;    // Pa, of find_pressures: [n_block][points][WRING_LANES], or [n] of mean; NULL: none

  const wring_quadrature *rule; // of second-order tets; NULL: one point
  const double           *rest; // [n_local][3] m of second-order tets, borrowed from the mesh

  PetscInt  n, n_interior; // elements
  PetscInt *cell;          // [n] number of the element among the mesh's tets; NULL if not tets
  PetscInt *place;         // [n] number of the element in the list it was made from; NULL for tets and points

  PetscInt  chunk_blocks; // the most blocks of a chunk
  PetscInt  n_block, n_chunk, n_chunk_interior;
  PetscInt *chunk_block;  // [n_chunk + 1] first block of each chunk
  PetscInt *chunk_vertex; // [n_chunk + 1] first of its vertices in `vertex`
  PetscInt *vertex;       // [chunk_vertex[n_chunk]] local vertex
  PetscInt *chunk_own;    // [n_chunk] number of its vertices that no other chunk touches; they come first
  PetscInt *chunk_row;    // [n_chunk] row of `share` of the first of the others; their rows are consecutive
  PetscInt  max_vertex;   // largest number of vertices of a chunk
  uint16_t *corner;       // [n_block][m][WRING_LANES] 4 times the number in the chunk: the offset of its row
  double   *coef;         // [n_block][points][columns * q][WRING_LANES] from columns to z; NULL: 1 (points, edges)
  double   *weight;       // [n_block][points][WRING_LANES] w_e; 0: padded
  double   *par;          // [n_par][WRING_LANES], or [n_block][n_par][WRING_LANES]
  size_t    par_stride;   // doubles from block to block: 0, or n_par * WRING_LANES
  double   *scale;        // [n] part of w_e that is not volume; NULL: 1
  double   *damping;      // [n] N s/m of springs, 0: none of its own; NULL: no element has its own

  PetscInt  n_shared;
  PetscInt *shared;       // [n_shared] local vertex
  PetscInt *shared_start; // [n_shared + 1] first of its entries in shared_row
  PetscInt *shared_row;   // [shared_start[n_shared]] in chunk order; then [ROWS_AHEAD] that are only prefetched
  double   *share;        // [shared_start[n_shared]][4]

  wring_pass pass;    // of wring_term_pass
  wring_work work;    // of this pass
  double    *partial; // [PASS_SUMS][n_chunk] sums of the chunks in a pass
};

/*
  The number of vertices with their own rows in G. In elements of several vertices, the row of the last one is minus the
  sum of the others, since z does not depend on translations.
*/
static inline int free_vertices(int m)
{
  return m > 1 ? m - 1 : 1;
}

/*
  The columns from which the coefficients make z: D_a = x_a - x_last of the free vertices; of second-order tets the
  derivatives of x in the three reference coordinates, at a point. docs/theory.md (3.1), (3.1b)
*/
static inline int columns_of(int m)
{
  return m == QUADRATIC ? 3 : free_vertices(m);
}

/* The number of blocks that hold n elements. */
static inline PetscInt term_blocks(PetscInt n)
{
  return (n + WRING_LANES - 1) / WRING_LANES;
}

/* Position of the first element of the boundary group; positions count lanes over all blocks from 0. */
static inline PetscInt term_boundary(const wring_term *t)
{
  return term_blocks(t->n_interior) * WRING_LANES;
}

/* The chunk of a block. */
static inline PetscInt term_chunk(const wring_term *t, PetscInt block)
{
  const PetscInt boundary = term_boundary(t) / WRING_LANES;
  if (block < boundary) return block / t->chunk_blocks;
  return t->n_chunk_interior + (block - boundary) / t->chunk_blocks;
}

/* The position of element e. */
static inline PetscInt term_position(const wring_term *t, PetscInt e)
{
  const PetscBool boundary = (PetscBool)(e >= t->n_interior);
  const PetscInt  local = boundary ? e - t->n_interior : e, size = t->chunk_blocks * WRING_LANES, r = local % size;
  const PetscInt c = local / size + (boundary ? t->n_chunk_interior : 0), n = t->chunk_block[c + 1] - t->chunk_block[c];
  return t->chunk_block[c] * WRING_LANES + r % n * WRING_LANES + r / n;
}

/* Element at a position, or -1 for a padded lane. */
static inline PetscInt term_element(const wring_term *t, PetscInt position)
{
  const PetscInt  c = term_chunk(t, position / WRING_LANES), n = t->chunk_block[c + 1] - t->chunk_block[c];
  const PetscBool boundary = (PetscBool)(c >= t->n_chunk_interior);
  const PetscInt  before   = boundary ? term_boundary(t) - t->n_interior : 0; // padded lanes of the other group
  const PetscInt  first = t->chunk_block[c] * WRING_LANES, r = position - first;
  const PetscInt  e = first - before + r % WRING_LANES * n + r / WRING_LANES;
  return e < (boundary ? t->n : t->n_interior) ? e : -1;
}

/* The lane of point p of the element at a position, counted over all rows. */
static inline PetscInt point_position(const wring_term *t, PetscInt position, int p)
{
  return (position / WRING_LANES * t->points + p) * WRING_LANES + position % WRING_LANES;
}

/* Local vertex of corner a in a lane of a block of the chunk. */
static inline PetscInt term_corner(const wring_term *t, PetscInt chunk, PetscInt block, int a, PetscInt lane)
{
  return t->vertex[t->chunk_vertex[chunk] + t->corner[((size_t)block * t->m + a) * WRING_LANES + lane] / 4];
}

/* v [m]: the local vertices of the element at a position. */
static inline void term_vertices(const wring_term *t, PetscInt position, PetscInt *v)
{
  const PetscInt block = position / WRING_LANES, chunk = term_chunk(t, block);
  for (int a = 0; a < t->m; a++) v[a] = term_corner(t, chunk, block, a, position % WRING_LANES);
}

/* Builders call it first: an error unless (m, q) is a stencil, and q that of the law. */
PetscErrorCode wring_term_check_law(const char *name, const wring_law *law, int m, int q);

/*
  Allocates a term and builds its chunks. vertex [n][m] local; the first n_interior elements touch owned vertices only.
  per_element: each element has its own row of parameters. Weights are initialised to 1 in real lanes, and parameters to
  0; the caller sets them and then calls wring_term_pad.
*/
PetscErrorCode wring_term_create(const wring_mesh *mesh, const char *name, const wring_law *law, int m, PetscInt n,
                                 PetscInt n_interior, const PetscInt *vertex, PetscBool per_element, wring_term **t);

/*
  The same for a list of elements in any order, vertex [n][m] local. Elements that touch owned vertices only come first;
  each group is ordered as in the list or, with along_curve, by lowest vertex, that is along the mesh's curve. t->place
  is the number of an element in the list.
*/
PetscErrorCode wring_term_create_listed(const wring_mesh *mesh, const char *name, const wring_law *law, int m, int q,
                                        PetscInt n, const PetscInt *vertex, PetscBool along_curve,
                                        PetscBool per_element, wring_term **t);
void           wring_term_set_point(wring_term *t, PetscInt e, int point, const double *coef,
                                    double weight); // coef [columns * q]
void           wring_term_set_par(wring_term *t, PetscInt e,
                                  const double *par); // [n_par]; e is ignored if parameters are uniform
void           wring_term_pad(wring_term *t);         // copies each group's last element into its padded lanes

PetscErrorCode wring_term_destroy_attachment(attachment **a);

/* The parameters [n_par][WRING_LANES] of a row of weights; coefficients [columns * q][WRING_LANES], NULL for G = 1. */
static inline wring_in term_par(const wring_term *t, PetscInt row)
{
  return (wring_in)(t->par + (t->par_stride ? (size_t)(row / t->points) * t->par_stride : 0));
}

static inline const double *row_coef(const wring_term *t, PetscInt row)
{
  return t->coef ? t->coef + (size_t)row * columns_of(t->m) * t->law->q * WRING_LANES : NULL;
}

/* The weights [WRING_LANES] of the first point of a block: 0 in padded lanes. */
static inline const double *block_weight(const wring_term *t, PetscInt block)
{
  return t->weight + (size_t)block * t->points * WRING_LANES;
}

/* Whether a position is that of an element, not padded. */
static inline PetscBool term_is_real(const wring_term *t, PetscInt position)
{
  return (PetscBool)(block_weight(t, position / WRING_LANES)[position % WRING_LANES] > 0);
}

/* The part that point p of an element has in the means over the element, that of its weight. */
static inline double term_part(const wring_term *t, PetscInt block, int p, int lane)
{
  const double *const w   = block_weight(t, block) + lane;
  double              sum = 0;
  if (t->points == 1) return 1;
  for (int i = 0; i < t->points; i++) sum += w[i * WRING_LANES];
  return w[p * WRING_LANES] / sum;
}

/* k of the quadratic proxy in a row: the deck's, or the law's slope. */
static inline void row_slope(const wring_term *t, PetscInt row, double *k)
{
  if (t->proxy > 0) {
    for (int l = 0; l < WRING_LANES; l++) k[l] = t->proxy;
  } else {
    t->law->slope(t->law, term_par(t, row), k);
  }
}

/*
  The Hessian h [9 q q] of a row, with the filter on the elements that it is for; with rows g of three vertices of tets,
  of a law that has them, their blocks h [TET_BLOCKS].
*/
enum { TET_BLOCKS = 6 * 9 };
void wring_term_row_hessian(const term_row *r, wring_filtering which, wring_in g, wring_out h);

/*
  value += factor sum over the points of G^T B G, of the elements of a block; B [points][q][q] is symmetric, and p has
  all entries of these elements.
*/
void wring_term_add_products(const wring_term *t, PetscInt block, double factor, wring_in B, const wring_pattern *p,
                             double *value);

/* ---- pressures of find_pressures: linear_pressure.c -------------------------------------------------------------- */

/* The moduli of a material at rest, on every rank. False: the law has no Hessian. */
PetscBool wring_term_moduli(const wring_term *t, double *wave, double *shear);

/* Whether a row has a pressure of its own, not that of a patch, and the Hessian h [9 q q] with it. */
static inline PetscBool row_is_pressed(const term_row *r, wring_filtering which)
{
  return (PetscBool)(which.pressed && r->t->pressure && !r->t->mean);
}
void wring_term_pressed_hessian(const term_row *r, wring_filter filter, wring_out h);

/* U'' after the filter. */
static inline double filtered_curvature(wring_filter filter, double U)
{
  return U < 0 ? U - filter * U : U;
}

/* The maps of the blocks [b0, b1) of a chunk, without sums and forces, in the calling thread. */
void wring_pass_blocks(const wring_pass *pass, PetscInt b0, PetscInt b1, const double *x);

/*
  Matrices K [size] of the elements of blocks: map computes them, to matrices_of(r), in all threads; add is called for
  each block in order, so that the order of summation is fixed.
*/
typedef struct {
  void (*map)(const term_row *r);
  void (*add)(const wring_term *t, PetscInt block, const double (*K)[WRING_LANES], void *context);
  void *context; // of both: context_of
  int   size;    // of all points of an element
} wring_matrices;

void wring_term_add_matrices(const wring_term *t, const wring_matrices *work, const double *x);

/* Their context in a map: that of the caller, and where the matrices of the first block are. */
typedef struct {
  void    *context;
  PetscInt first;
  int      size;
  double (*K)[WRING_LANES];
} term_matrices;

static inline const void *context_of(const term_row *r)
{
  return ((const term_matrices *)r->context)->context;
}

static inline double (*matrices_of(const term_row *r))[WRING_LANES]
{
  const term_matrices *const m = r->context;
  return m->K + (r->block - m->first) * m->size;
}

/*
  A star forest from nodes `from` [n] of other ranks to vertices [0, n) here, those with rank >= 0; stays NULL if no
  rank has any (copies.c). Collective. copy_rows: an exchange of rows a [4].
*/
PetscErrorCode wring_copy_create(MPI_Comm comm, PetscInt n_root, PetscInt n, const PetscSFNode *from, PetscSF *copy);
PetscErrorCode wring_copy_rows(PetscSF copy, wring_phases *phases, MPI_Datatype row, double *a);
void wring_to_rows(PetscInt n, const double *x, double *row); // [n][4] of x [n][3]; the fourth number is unchanged
void wring_from_rows(PetscInt n, const double *row, double *x);

/* In the metric of masses, M_e (p_e - x_e) and |p_e - x_e|_M^2/2; the number of elements at each vertex (mass.c). */
void wring_mass_chunk(const wring_pass *pass, PetscInt c, const double *x, double *f, double *sum);
void wring_count_chunk(const wring_pass *pass, PetscInt c, const double *x, double *f, double *sum);
