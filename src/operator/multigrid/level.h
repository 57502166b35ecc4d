/*
  A level: its matrix in float, scaled to a unit diagonal, D^(-1/2) A D^(-1/2); its smoother; its vectors; and the
  interpolation from the next coarser level. Arrays of vertices are [n][3], one spare number, then [n_ghost][3].
*/
#pragma once
#include "interpolation.h"

typedef struct {
  MPI_Comm         comm;              // borrowed
  PetscInt         n, n_ghost, first; // first: the global number of this rank's first row
  wring_csr        own, ghost;        // columns of this rank; columns of other ranks, in the rows of `boundary` only
  PetscInt         n_boundary, *boundary;
  wring_neighbours near;  // of the rows
  wring_messages   fetch; // fills ghosts of b, x or y
  float           *scale; // [n + n_ghost] d = D^(-1/2)
  float            omega; // the step of the smoother
  float           *top;   // [n] where the power method ended, to begin there when values change; NULL before
  float           *b, *x; // with ghosts
  float *y;   // with ghosts; on coarser levels also [n + ghosts of the finer level's P][3], without the spare number
  size_t n_y; // floats in y
  wring_interpolation from_coarse; // empty on the coarsest level
} wring_level;

/* Ghosts of b, x or y. The spare number is there because the last owned vertex is read as four numbers. */
static inline float *wring_level_ghosts(const wring_level *l, float *x)
{
  return x + 3 * (size_t)l->n + 1;
}

/*
  The matrix and its scaling. With `finest`, A's arrays are borrowed, and A must live as long; otherwise A may be
  destroyed afterwards. Refuses a diagonal that is not positive, and more vertices than 32-bit offsets can address.
  Collective.
*/
PetscErrorCode wring_level_create(MPI_Comm comm, Mat A, PetscBool finest, wring_level *l);

/*
  The vectors, and omega by the power method. finer_ghosts: number of ghosts of the interpolation that reads y; 0 on the
  finest level. Refuses a matrix that is not positive definite. Collective.
*/
PetscErrorCode wring_level_set_up(wring_level *l, PetscInt finer_ghosts);
/* omega by the power method, from `top` in a few steps if there is one. Refuses and collective as set_up. */
PetscErrorCode wring_level_find_omega(wring_level *l);
PetscErrorCode wring_level_destroy(wring_level *l);
/* Frees the values of the matrix and the vectors: only patterns, neighbours and the interpolation are left. */
PetscErrorCode wring_level_release(wring_level *l);
double         wring_level_memory(const wring_level *l); // bytes, this rank, with its interpolation

/* Seed of the random numbers of this rank's first vertex: it may exceed 32 bits although `first` does not. */
static inline uint64_t wring_level_seed(PetscInt first)
{
  return 3 * (uint64_t)first;
}

/* Values of a level's matrix in double, in the order of its entries; entry (i, j) is times scale[i] scale[j]. */
typedef struct {
  const double *own, *ghost;
  const float  *scale; // [n + n_ghost]; NULL: 1
} wring_level_values;

/*
  New values in a level: its matrix, its scaling and its smoother. Without a->scale, a is scaled as the level is now.
  q [n + n_ghost]: new over old scaling. Refuses a matrix that is not positive definite. Collective.
*/
PetscErrorCode wring_level_renew(wring_level *l, const wring_level_values *a, float *q);

/*
  y = scale (p b + q x - omega A x), scale [n] or NULL, in one pass over A. fetch: fills the ghosts of x, which are
  right already otherwise. Collective with `fetch`.
*/
PetscErrorCode wring_level_combine(wring_level *l, PetscBool fetch, float p, const float *b, float q, float *x,
                                   float *y, const float *scale);
