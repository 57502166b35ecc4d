/*
  A V-cycle with one step of Chebyshev's iteration with Jacobi before and after each coarser level (Adams, Brezina, Hu,
  Tuminaro, J. Comput. Phys. 188, 2003). docs/theory.md (4.7)-(4.12)
*/
#pragma once
#include "coarsest.h"
#include "coarser.h"

typedef struct {
  MPI_Comm       comm; // borrowed
  int            n_level;
  wring_level   *level; // [n_level], finest first
  wring_coarsest coarsest;
  double         memory; // bytes, this rank
} wring_cycle;

/* Of A, which must live as long. Refuses a matrix that is not positive definite. Collective. */
PetscErrorCode wring_cycle_create(MPI_Comm comm, Mat A, const wring_coarsening *how, wring_cycle **c);
PetscErrorCode wring_cycle_destroy(wring_cycle **c);

/*
  The cycle of A with new values, by the interpolations that c has: only numbers are computed anew. A is the matrix that
  c was created from, with the same pattern. Refuses a matrix that is not positive definite. Collective.
*/
PetscErrorCode wring_cycle_renew(wring_cycle *c, Mat A);

/*
  Input: level->b = D^(-1/2) r; fetch: its ghosts are filled here. Output: level->y, about A^(-1) r, with space for
  ghosts. Collective.
*/
PetscErrorCode wring_cycle_apply(wring_cycle *c, PetscBool fetch);

/*
  z = factor M r, M the cycle; r, z [n][3]. size is about |r|, within what a float can hold of it. Subnormal numbers are
  flushed to zero. Collective.
*/
PetscErrorCode wring_cycle_multiply(wring_cycle *c, double factor, double size, const double *r, double *z);
