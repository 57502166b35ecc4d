/*
  Private to src/term: how a term lies in memory.

  Elements stand in blocks of WRING_LANES. A chunk is a run of at most CHUNK_BLOCKS blocks of one group, interior or
  boundary, worked on by one thread: it reads the positions of its own vertices into a small private array, marks
  corners by 16 bits into it, and collects forces there. A vertex that only this chunk touches gets its sum at once; a
  shared one gets a row of the chunk's own, and the rows of a vertex are added in chunk order when all chunks are done.
  No atomics, one order of sums.

  A chunk's elements go down its lanes: of n blocks, lane l has elements l n, l n + 1, ... Neighbours, which share
  vertices, so stand in different blocks, and no lane waits for the sum of the lane before it. The last places of the
  last chunk of a group may be left over: they are padded with copies of the group's last element at weight 0.
*/
#pragma once
#include <wring/term.h>

enum { CHUNK_BLOCKS = 128 }; // 1024 tets: positions and forces of their vertices stay in the first-level cache
enum { ROWS_AHEAD = 32 };    // rows of `share` are asked for so long before they are added

typedef struct {
  PetscInt          n;
  double           *target; // [n][3] at time 0, m
  wring_motion      motion;
  wring_time_curve *path;  // that of motion, or NULL
  PetscBool         hard;  // then the term has no elements, but
  PetscInt         *held;  // [n] owned vertices and
  double           *place; // [n][3] their targets now, m
} attachment;

struct wring_term {
  char             name[256];
  const wring_law *law;
  int              m;     // vertices of an element
  double           proxy; // k of the quadratic proxy; 0: the law's slope
  PetscBool        active;
  attachment      *attachment; // NULL: not an attachment
  const double    *mass;       // [n_local] kg of vertices, borrowed; NULL: not known

  PetscInt  n, n_interior; // elements
  PetscInt *cell;          // [n] number of the element among the mesh's tets; NULL if not tets
  PetscInt *place;         // [n] number of the element in the list it was made from; NULL of tets and points

  PetscInt  n_block, n_chunk, n_chunk_interior;
  PetscInt *chunk_block;  // [n_chunk + 1] first block of each chunk
  PetscInt *chunk_vertex; // [n_chunk + 1] first of its vertices below
  PetscInt *vertex;       // [chunk_vertex[n_chunk]] local vertex
  PetscInt *chunk_own;    // [n_chunk] the first of them that no other chunk touches
  PetscInt *chunk_row;    // [n_chunk] row of `share` of the first of the others; theirs follow one another
  PetscInt  max_vertex;   // largest number of vertices of a chunk
  uint16_t *corner;     // [n_block][m][WRING_LANES] 4 times the number among the chunk's vertices: where its row begins
  double   *coef;       // [n_block][free * q][WRING_LANES] G of the free vertices; NULL: 1 (points, edges)
  double   *weight;     // [n_block][WRING_LANES] w_e; 0: padded
  double   *par;        // [n_par][WRING_LANES], or [n_block][n_par][WRING_LANES]
  size_t    par_stride; // doubles from block to block: 0, or n_par * WRING_LANES
  double   *scale;      // [n] part of w_e that is not volume; NULL: 1
  double   *damping;    // [n] N s/m of springs, 0: none of its own; NULL: of none

  PetscInt  n_shared;
  PetscInt *shared;       // [n_shared] local vertex
  PetscInt *shared_start; // [n_shared + 1] of its rows of `share` in
  PetscInt *shared_row; // [shared_start[n_shared]] in chunk order; then [ROWS_AHEAD] that are asked for, but not added
  double   *share;      // [shared_start[n_shared]][4]
  double   *energy;     // [n_chunk]
};

/*
  Vertices with rows of their own in G; the last vertex of edges and tets has minus their sum (z ignores translations).
*/
static inline int free_vertices(int m)
{
  return m > 1 ? m - 1 : 1;
}

/* Blocks that hold n elements. */
static inline PetscInt term_blocks(PetscInt n)
{
  return (n + WRING_LANES - 1) / WRING_LANES;
}

/* Position of the first element of the boundary group; positions count lanes over all blocks from 0. */
static inline PetscInt term_boundary(const wring_term *t)
{
  return term_blocks(t->n_interior) * WRING_LANES;
}

/*
  Where elements of a group are: from position `first`, n of them, of which element e is in the chunk of n_block blocks.
*/
typedef struct {
  PetscInt first, n, chunk, n_block; // chunk: position of the chunk in the group, which is also its first element
} term_place;

static inline term_place term_chunk_of(const wring_term *t, PetscBool boundary, PetscInt e)
{
  const PetscInt n = boundary ? t->n - t->n_interior : t->n_interior, size = CHUNK_BLOCKS * WRING_LANES;
  const PetscInt chunk = e / size * size, rest = term_blocks(n) - chunk / WRING_LANES;
  return (term_place){boundary ? term_boundary(t) : 0, n, chunk, rest < CHUNK_BLOCKS ? rest : CHUNK_BLOCKS};
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

/* Local vertex of corner a in a lane of a block of the chunk. */
static inline PetscInt term_corner(const wring_term *t, PetscInt chunk, PetscInt block, int a, PetscInt lane)
{
  return t->vertex[t->chunk_vertex[chunk] + t->corner[((size_t)block * t->m + a) * WRING_LANES + lane] / 4];
}

/*
  Allocates a term and builds its chunks. vertex [n][m] local; the first n_interior elements touch owned vertices only.
  per_element: a row of parameters for every element. Weights are 1 in real lanes and parameters 0: the builder sets
  them, and ends with wring_term_pad.
*/
PetscErrorCode wring_term_create(const wring_mesh *mesh, const char *name, const wring_law *law, int m, PetscInt n,
                                 PetscInt n_interior, const PetscInt *vertex, PetscBool has_coef, PetscBool per_element,
                                 wring_term **t);

/*
  The same of a list of elements in any order, vertex [n][m] local: those that touch owned vertices only come first, and
  each group as in the list or, by their lowest vertices, along the mesh's curve. t->place is their
  number in the list.
*/
PetscErrorCode wring_term_create_listed(const wring_mesh *mesh, const char *name, const wring_law *law, int m,
                                        PetscInt n, const PetscInt *vertex, PetscBool along_curve, PetscBool has_coef,
                                        PetscBool per_element, wring_term **t);
void           wring_term_set_coef(wring_term *t, PetscInt e, const double *coef); // [free * q]
void           wring_term_set_weight(wring_term *t, PetscInt e, double weight);
void           wring_term_set_par(wring_term *t, PetscInt e,
                                  const double *par); // [n_par]; e is ignored if parameters are uniform
void           wring_term_pad(wring_term *t);         // copies each group's last element into its padded lanes

PetscErrorCode wring_term_destroy_attachment(attachment **a);

/* The rows of a block: parameters [n_par][WRING_LANES], coefficients [free * q][WRING_LANES] or NULL for G = 1. */
static inline wring_in term_par(const wring_term *t, PetscInt block)
{
  return (wring_in)(t->par + (size_t)block * t->par_stride);
}

static inline const double *block_coef(const wring_term *t, PetscInt block)
{
  return t->coef ? t->coef + (size_t)block * free_vertices(t->m) * t->law->q * WRING_LANES : NULL;
}

/* k of the quadratic proxy in a block: the deck's, or the law's slope. */
static inline void block_slope(const wring_term *t, PetscInt block, double *k)
{
  if (t->proxy > 0) {
    for (int l = 0; l < WRING_LANES; l++) k[l] = t->proxy;
  } else {
    t->law->slope(t->law, term_par(t, block), k);
  }
}
