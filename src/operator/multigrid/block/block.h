/*
  Private to src/operator: a V-cycle for Hessians, three unknowns a vertex. Its coarse spaces are rigid motions of the
  aggregates that a scalar cycle has, smoothed: six unknowns a coarse vertex. Patterns, ghosts and messages are those of
  the scalar cycle, of a matrix with one row per vertex and the same neighbours. docs/theory.md (5.17b)-(5.17d)

  Reading order: block.h; kernels.c (products, the factor of a diagonal block); block_level.c (numbers of a level);
  prolongator.c (P); galerkin.c (P^T H P); block_cycle.c (create, renew, apply, the coarsest level).

  For the sake of memory blocks below the diagonal are read from those above, and those of P^T from P.
*/
#pragma once
#include "operator/multigrid/cycle.h"
#include <wring/term.h>

enum { WRING_RIGID = 6 };
enum { WRING_BLOCKS_AHEAD = 12 }; // that are prefetched: `below` and `entry` have as many spare numbers

/* For functions of bs, which callers give as a constant. */
#define BLOCK_INLINE static inline __attribute__((always_inline))

/* A row of six numbers, and two that are ignored. */
typedef double wring_rigid_row __attribute__((vector_size(8 * sizeof(double))));

/*
  Rows of blocks in float, by columns: entry (r, c) of block k is block[rows cols k + rows c + r]. Of a symmetric matrix
  they are by rows, and those with columns below the row are left out: blocks of row i begin at first[i], and below has
  the blocks, to be transposed, of the entries that are left out, in the order of rows.
*/
typedef struct {
  int             rows, cols;
  const PetscInt *start;         // borrowed; NULL: empty
  const int      *column;        // borrowed, ascending in a row of a symmetric matrix
  PetscInt       *first, *below; // [rows + 1], [first[i] is start[i] - entries below]; NULL: all blocks are there
  float          *block;         // with spare numbers at the end: eight are read
} wring_block_csr;

/* P^T by rows: entry k of a row is the transpose of block entry[k] of P. */
typedef struct {
  const wring_block_csr *of;
  const PetscInt        *start, *entry;
  const int             *column;
} wring_block_turned;

typedef struct {
  wring_level    *of; // of the scalar cycle, borrowed
  int             bs;
  wring_block_csr own, ghost; // L^-1 H L^-T, L L^T the diagonal blocks; own is symmetric
  double         *inverse;    // [n + n_ghost][bs][bs] L^-1, row by row; rows of directions without stiffness are 0
  float          *place;      // [n + n_ghost][3] m, from a common centre
  double          size;       // m: a rotation's unknown is its angle times this; of the finest level: unused
  float           omega, top; // step of the smoother; largest eigenvalue
  float          *mode;       // [bs n] where the power method ended; all 0 before
  float          *b, *x, *y;  // [n + n_ghost][bs], y at least [n + ghosts of the finer level's P]
  wring_messages  fetch;      // ghosts of b, x
  wring_block_csr P;          // from the coarser level: pattern of of->from_coarse
  PetscInt       *entry;      // [entries of from_coarse.R] in P
  int            *aggregate;  // [rows of P] column of P; -1: none
  wring_messages  down, give; // of from_coarse: ghosts of the coarser level's y; parts of its b
} wring_block_level;

typedef struct {
  wring_cycle       *scalar; // borrowed
  int                n_level;
  wring_block_level *level;
  wring_coarsest     coarsest;
} wring_block_cycle;

/* ---- kernels.c ---- */

PetscErrorCode wring_block_csr_create(int rows, int cols, PetscInt n, const wring_csr *pattern, wring_block_csr *a);
PetscErrorCode wring_block_symmetric_create(int bs, PetscInt n, const wring_csr *pattern, wring_block_csr *a);
PetscErrorCode wring_block_csr_destroy(wring_block_csr *a);

/* Row i begins with this number of entries below the diagonal. */
static inline PetscInt wring_block_below(const wring_block_csr *a, PetscInt i)
{
  return a->first ? a->start[i + 1] - a->start[i] - (a->first[i + 1] - a->first[i]) : 0;
}

/* The block of entry k in row i, by columns; turned: by rows. */
static inline float *wring_block_of(const wring_block_csr *a, PetscInt i, PetscInt k, PetscBool *turned)
{
  const PetscInt below = wring_block_below(a, i), nth = k - a->start[i];
  *turned           = (PetscBool)(a->first && nth >= below);
  const PetscInt at = !a->first ? k : *turned ? a->first[i] + nth - below : a->below[a->start[i] - a->first[i] + nth];
  return a->block + (size_t)(a->rows * a->cols) * (size_t)at;
}

/* y = P^T x in rows [n] of P^T. */
void wring_block_multiply_turned(const wring_block_turned *t, PetscInt n, const float *x, float *y);
/* y = a x; y += factor a x in rows of `row` [n]; y = p b + q x - omega a x. x has two spare numbers. */
void wring_block_multiply(const wring_block_csr *a, PetscInt n, const float *x, float *y);
void wring_block_add_rows(const wring_block_csr *a, PetscInt n, const PetscInt *row, float factor, const float *x,
                          float *y);
void wring_block_combine(const wring_block_csr *a, PetscInt n, float p, const float *b, float q, const float *x,
                         float omega, float *y);
/* inverse = L^-1, D = L L^T, row by row; directions whose pivot is below 1e-7 of the largest entry are left out. */
void wring_block_factor(int bs, const double *D, double *inverse);

/* h [rows][cols], row by row, of entry k in row i. */
BLOCK_INLINE void wring_block_read(int bs, const wring_block_csr *a, PetscInt i, PetscInt k, double *h)
{
  PetscBool          turned;
  const float *const block = wring_block_of(a, i, k, &turned);
  for (int e = 0; e < bs * bs; e++) h[e] = turned ? block[e] : block[bs * (e % bs) + e / bs];
}

/* ---- block_level.c ---- */
PetscErrorCode wring_block_level_create(wring_level *of, int bs, PetscInt finer_ghosts, wring_block_level *l);
PetscErrorCode wring_block_level_destroy(wring_block_level *l);
/* Scales H, or, if it is NULL, the matrix that is in l; the step of the smoother. Collective. */
PetscErrorCode wring_block_level_fill(wring_block_level *l, const wring_block_values *H);
/* y = p b + q x - omega H x, scaled; fetch: fills the ghosts of x. Collective with fetch. */
PetscErrorCode wring_block_level_combine(wring_block_level *l, PetscBool fetch, float p, const float *b, float q,
                                         float omega, float *x, float *y);

/* ---- prolongator.c ---- */
PetscErrorCode wring_block_find_aggregates(wring_block_level *l);
/* P in the scaling of l, and its scaling by that of the coarser level. Collective. */
PetscErrorCode wring_block_prolongator(wring_block_level *l, wring_block_level *coarse);
PetscErrorCode wring_block_scale(wring_block_level *l, const wring_block_level *coarse);

/* ---- galerkin.c: the matrix in `coarse` = P^T H P, unscaled there. Collective. ---- */
PetscErrorCode wring_block_galerkin(const wring_block_level *l, wring_block_level *coarse);

/* ---- block_cycle.c ---- */

/*
  H: in the pattern of the scalar cycle's finest matrix; x: positions [n][3]. The scalar cycle loses its values and
  vectors and cannot be applied any more. Collective.
*/
PetscErrorCode wring_block_cycle_create(wring_cycle *scalar, wring_block_cycle **c);
PetscErrorCode wring_block_cycle_destroy(wring_block_cycle **c);
PetscErrorCode wring_block_cycle_renew(wring_block_cycle *c, const wring_block_values *H, const double *x);
/* z = M r, the cycle; size is about |r|. Collective. */
PetscErrorCode wring_block_cycle_multiply(wring_block_cycle *c, double size, const double *r, double *z);
