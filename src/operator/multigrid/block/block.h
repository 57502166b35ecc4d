/*
  Private to src/operator: a V-cycle for Hessians, three unknowns a vertex. Its coarse spaces are rigid motions of the
  aggregates that a scalar cycle has, smoothed: six unknowns a coarse vertex. Patterns, ghosts and messages are those of
  the scalar cycle, of a matrix with one row per vertex and the same neighbours. docs/theory.md (5.17b)-(5.17d)

  Reading order: block.h; kernels.c (products, the factor of a diagonal block); block_level.c (numbers of a level);
  prolongator.c (P); galerkin.c (P^T H P); block_cycle.c (create, renew, apply, the coarsest level).
*/
#pragma once
#include "operator/multigrid/cycle.h"

enum { WRING_RIGID = 6 };

/* Rows of blocks in float, by columns: entry (r, c) of block k is block[rows cols k + rows c + r]. */
typedef struct {
  int             rows, cols;
  const PetscInt *start;  // borrowed; NULL: empty
  const int      *column; // borrowed
  float          *block;  // with spare numbers at the end: eight are read
} wring_block_csr;

/* Values of a level's matrix in double: rows of AIJ matrices, or blocks by columns. */
typedef struct {
  PetscBool     aij;
  const double *own, *ghost;
} wring_block_matrix;

typedef struct {
  wring_level    *of; // of the scalar cycle, borrowed
  int             bs;
  wring_block_csr own, ghost; // L^-1 H L^-T, L L^T the diagonal blocks
  double         *inverse;    // [n + n_ghost][bs][bs] L^-1, row by row; rows of directions without stiffness are 0
  float          *place;      // [n + n_ghost][3] m, from a common centre
  double          size;       // m: a rotation's unknown is its angle times this; of the finest level: unused
  float           omega, top; // step of the smoother; largest eigenvalue
  float          *b, *x, *y;  // [n + n_ghost][bs], y at least [n + ghosts of the finer level's P]
  wring_messages  fetch;      // ghosts of b, x
  wring_block_csr P, R;       // from the coarser level, and its transpose: patterns of of->from_coarse
  int            *aggregate;  // [rows of P] column of P; -1: none
  PetscInt       *entry;      // [entries of R] in P
  wring_messages  down, give; // of from_coarse: ghosts of the coarser level's y; parts of its b
} wring_block_level;

typedef struct {
  wring_cycle       *scalar; // borrowed
  int                n_level;
  wring_block_level *level;
  PetscInt           n_dense; // rows of the coarsest matrix; 0: it is smoothed
  float             *inverse; // [bs n][n_dense]
  float             *all;     // [n_dense]
  MPI_Datatype       numbers; // of a row
} wring_block_cycle;

/* ---- kernels.c ---- */

PetscErrorCode wring_block_csr_create(int rows, int cols, PetscInt n, const wring_csr *pattern, wring_block_csr *a);

/* y = p b + q x - omega a x in rows of `row` [n] or all; y += for `more`. bs [n]: rows = cols unless p = q = 0. */
void wring_block_multiply(const wring_block_csr *a, PetscInt n, const float *x, float *y);
void wring_block_add_rows(const wring_block_csr *a, PetscInt n, const PetscInt *row, float factor, const float *x,
                          float *y);
void wring_block_combine(const wring_block_csr *a, PetscInt n, float p, const float *b, float q, const float *x,
                         float omega, float *y);
/* inverse = L^-1, D = L L^T, row by row; directions whose pivot is below 1e-7 of the largest entry are left out. */
void wring_block_factor(int bs, const double *D, double *inverse);

/* Element (r, c) of the block of entry k in row i is at [r * *down + c * *right]. */
static inline const double *wring_block_entry(const wring_block_matrix *h, const double *value, const PetscInt *start,
                                              int bs, PetscInt i, PetscInt k, PetscInt *down, PetscInt *right)
{
  const PetscInt length = start[i + 1] - start[i];
  *down                 = h->aij ? bs * length : 1;
  *right                = h->aij ? 1 : bs;
  return value + (size_t)bs * (size_t)bs * (size_t)(h->aij ? start[i] : k) + (h->aij ? bs * (k - start[i]) : 0);
}

/* ---- block_level.c: numbers of a level from h ---- */
PetscErrorCode wring_block_level_create(wring_level *of, int bs, PetscInt finer_ghosts, wring_block_level *l);
PetscErrorCode wring_block_level_destroy(wring_block_level *l);
PetscErrorCode wring_block_level_fill(wring_block_level *l, const wring_block_matrix *h);
/* y = p b + q x - omega H x, scaled; fetch: fills the ghosts of x. Collective with fetch. */
PetscErrorCode wring_block_level_combine(wring_block_level *l, PetscBool fetch, float p, const float *b, float q,
                                         float omega, float *x, float *y);

/* ---- prolongator.c ---- */
PetscErrorCode wring_block_find_aggregates(wring_block_level *l);
PetscErrorCode wring_block_prolongator(wring_block_level *l, const wring_block_matrix *h, wring_block_level *coarse);
/* P and R in the scalings of both levels. */
PetscErrorCode wring_block_scale(wring_block_level *l, const wring_block_level *coarse);

/* ---- galerkin.c: own, ghost [entries][6][6] of the coarser level's pattern = P^T h P, P unscaled. Collective. ---- */
PetscErrorCode wring_block_galerkin(const wring_block_level *l, const wring_block_matrix *h,
                                    const wring_block_level *coarse, double *own, double *ghost);

/* ---- block_cycle.c ---- */

/* H: aij, whose blocks have the pattern of the scalar cycle's finest matrix; x: positions [n][3]. Collective. */
PetscErrorCode wring_block_cycle_create(wring_cycle *scalar, wring_block_cycle **c);
PetscErrorCode wring_block_cycle_destroy(wring_block_cycle **c);
PetscErrorCode wring_block_cycle_renew(wring_block_cycle *c, Mat H, const double *x);
/* z = M r, the cycle; size is about |r|. Collective. */
PetscErrorCode wring_block_cycle_multiply(wring_block_cycle *c, double size, const double *r, double *z);
