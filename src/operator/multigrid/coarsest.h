/*
  The coarsest level: a few dozen rows. The ranks that own rows gather the vector and multiply it by their rows of the
  inverse, of a matrix with one row for each row of the level, or with a block of them.
*/
#pragma once
#include "level.h"

typedef struct {
  PetscBool    dense;          // there is an inverse; else the level is too large for one and is smoothed
  MPI_Comm     comm;           // of the ranks that own rows; MPI_COMM_NULL on the others
  int          bs;             // rows of a block
  PetscInt     n_global;       // rows of the matrix
  float       *inverse;        // [bs n][n_global]
  float       *all;            // [n_global / bs][width], NULL on one rank of comm
  int         *count, *offset; // of rows of the level, for each rank of comm
  MPI_Datatype numbers;        // `width` of a vector, in a row of the level
} wring_coarsest;

/* For blocks of bs rows of level l, without an inverse yet; dense: they are at most `most` rows. Collective. */
PetscErrorCode wring_coarsest_create(const wring_level *l, int bs, int width, PetscInt most, wring_coarsest *c);
PetscErrorCode wring_coarsest_destroy(wring_coarsest *c);

/*
  The inverse, as below, from the rows [bs n][n_global] of each rank. Refuses a matrix that is not positive definite
  even with `most` on its diagonal, or not finite. Collective.
*/
PetscErrorCode wring_coarsest_fill(const wring_level *l, double most, const double *rows, wring_coarsest *c);

/* Of the matrix of level l itself, if it is dense. */
PetscErrorCode wring_coarsest_set(const wring_level *l, wring_coarsest *c);

/*
  a [n][n], with about 1 on its diagonal, in place, by Gauss-Jordan elimination without pivoting. Where it is not
  positive definite, 1e-6 or more, but less than most, is added to its diagonal: it has been rounded to floats.
*/
PetscErrorCode wring_coarsest_invert(PetscInt n, double most, double *a, PetscBool *definite);

/* *all [n_global / bs][width]: b [n][width] of all ranks, in c or b itself. Collective on c->comm. */
PetscErrorCode wring_coarsest_gather(wring_coarsest *c, PetscInt n, const float *b, const float **all);

/* x = A^(-1) b, both [n][3], for one row a block, if the level is dense. Collective on c->comm. */
PetscErrorCode wring_coarsest_solve(wring_coarsest *c, PetscInt n, const float *b, float *x);
