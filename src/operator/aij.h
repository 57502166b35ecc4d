/* Private to src/operator: the arrays of PETSc's AIJ matrices, borrowed, and rows of other ranks. */
#pragma once
#include "neighbours.h"

/* Rows of a sequential matrix. */
typedef struct {
  PetscInt        n;
  const PetscInt *start;  // [n + 1]; NULL: no matrix
  const PetscInt *column; // [start[n]]
  const double   *value;  // [start[n]]
} wring_aij;

/* The rows of this rank. */
typedef struct {
  Mat             part[2];       // of own and ghost; the second is NULL on one rank
  PetscInt        first, column; // global numbers of row 0 and of column 0 of `own`
  wring_aij       own, ghost;    // columns of this rank; columns of other ranks
  const PetscInt *global;        // numbers of the columns of `ghost`, ascending
} wring_rows;

/* A: seqaij or mpiaij; a matrix of another type is refused. Not collective. */
PetscErrorCode wring_rows_get(Mat A, wring_rows *r);
PetscErrorCode wring_rows_restore(wring_rows *r);

/* Those rows of A with all columns, as a sequential matrix; NULL: none, and *S is NULL. Collective. */
PetscErrorCode wring_rows_collect(Mat A, IS rows, Mat *S);

/* All of A on the ranks that want it; *S is NULL on others. Collective. */
PetscErrorCode wring_aij_collect(Mat A, PetscBool want, Mat *S);

/* The owners of A's ghost columns and the holders of its own; empty on one rank. Collective. */
PetscErrorCode wring_aij_neighbours(Mat A, wring_neighbours *n);
