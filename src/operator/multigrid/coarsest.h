/*
  The coarsest level: a few dozen rows. The ranks that own rows gather the vector and multiply it by their rows of the
  inverse.
*/
#pragma once
#include "level.h"

typedef struct {
  PetscBool    dense;          // there is an inverse; else the level is too large for one and is smoothed
  MPI_Comm     comm;           // of the ranks that own rows; MPI_COMM_NULL on the others
  PetscInt     n_global;       // rows
  float       *inverse;        // [n][n_global]
  float       *all;            // [n_global][3], NULL on one rank of comm
  int         *count, *offset; // of rows, for each rank of comm
  MPI_Datatype three;
} wring_coarsest;

/* From the matrix of level l. Refuses a matrix that is not positive definite. Collective. */
PetscErrorCode wring_coarsest_create(const wring_level *l, wring_coarsest *c);
PetscErrorCode wring_coarsest_destroy(wring_coarsest *c);

/*
  a [n][n], with about 1 on its diagonal, in place, by Gauss-Jordan elimination without pivoting. Where it is not
  positive definite, 1e-6 or more, but less than most, is added to its diagonal: it has been rounded to floats.
*/
PetscErrorCode wring_coarsest_invert(PetscInt n, double most, double *a, PetscBool *definite);

/* x = A^(-1) b, both [n][3], if the level is dense. Collective on its comm. */
PetscErrorCode wring_coarsest_solve(wring_coarsest *c, PetscInt n, const float *b, float *x);
