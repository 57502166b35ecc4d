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

/* All stencils, m and q: tets, fibres and hinges, triangles (two), edges, points, second-order tets, fibres. */
#define STENCILS                                                                                                       \
  STENCIL(4, 3)                                                                                                        \
  STENCIL(4, 1) STENCIL(3, 2) STENCIL(3, 1) STENCIL(2, 1) STENCIL(1, 1) STENCIL(QUADRATIC, 3) STENCIL(QUADRATIC, 1)

typedef struct {
  PetscInt          n;
  double           *target; // [n][3] at time 0, m
  wring_motion      motion;
  wring_time_curve *path;       // copy of motion.path, or NULL
  PetscInt         *vertex;     // [n] owned
  double           *origin;     // [n][3] where targets that grow are at time 0, m; NULL: they do not grow
  PetscBool         hard;       // the term has no elements, but place
  double           *place;      // [n][3] current targets, m
  unsigned          components; // that it holds, WRING_X | ...
} attachment;

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
  double   *energy;       // [n_chunk]
  double   *product;      // [3][n_chunk] of wring_term_products; NULL before the first
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

/* The place of an element: its group has n elements from position `first`; its chunk has n_block blocks. */
typedef struct {
  PetscInt first, n, chunk, n_block; // chunk: position of the chunk in the group, which is also its first element
} term_place;

static inline term_place term_chunk_of(const wring_term *t, PetscBool boundary, PetscInt e)
{
  const PetscInt n = boundary ? t->n - t->n_interior : t->n_interior, size = t->chunk_blocks * WRING_LANES;
  const PetscInt chunk = e / size * size, rest = term_blocks(n) - chunk / WRING_LANES;
  return (term_place){boundary ? term_boundary(t) : 0, n, chunk, rest < t->chunk_blocks ? rest : t->chunk_blocks};
}

static inline PetscInt term_position(const wring_term *t, PetscInt e)
{
  const PetscBool  boundary = (PetscBool)(e >= t->n_interior);
  const PetscInt   local    = boundary ? e - t->n_interior : e;
  const term_place p        = term_chunk_of(t, boundary, local);
  const PetscInt   r        = local - p.chunk;
  return p.first + p.chunk + r % p.n_block * WRING_LANES + r / p.n_block;
}

/* Element at a position, or -1 for a padded lane. */
static inline PetscInt term_element(const wring_term *t, PetscInt position)
{
  const PetscBool  boundary = (PetscBool)(position >= term_boundary(t));
  const PetscInt   local    = boundary ? position - term_boundary(t) : position;
  const term_place p        = term_chunk_of(t, boundary, local);
  const PetscInt   r = local - p.chunk, e = p.chunk + r % WRING_LANES * p.n_block + r / WRING_LANES;
  if (e >= p.n) return -1;
  return boundary ? t->n_interior + e : e;
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
void           wring_term_set_coef(wring_term *t, PetscInt e, const double *coef); // [columns * q]
void           wring_term_set_weight(wring_term *t, PetscInt e, double weight);
void           wring_term_set_point(wring_term *t, PetscInt e, int point, const double *coef, double weight); // both
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

/* value [nnz] += factor w k G^T G, element by element. */
void wring_term_add_laplacian(const wring_term *t, const wring_pattern *p, double factor, double *value);

/* The Hessian h [9 q q] of a row of chunk c at z, with the filter on the elements that it is for. */
void wring_term_row_hessian(const wring_term *t, wring_filtering which, PetscInt c, PetscInt row, wring_in z,
                            wring_out h);
