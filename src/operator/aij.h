/* Private to src/operator: the arrays of PETSc's AIJ matrices, borrowed. */
#pragma once
#include "neighbours.h"

/* A sequential matrix, or one part of a parallel one. Rows and columns count from 0. */
typedef struct {
  Mat             A; // NULL: no rows
  PetscInt        n;
  const PetscInt *start;  // [n + 1]
  const PetscInt *column; // [start[n]]
  const double   *value;  // [start[n]]
} wring_aij;

/* A may be NULL; a matrix of another type than seqaij is refused. Not collective. */
PetscErrorCode wring_aij_get(Mat A, wring_aij *a);
PetscErrorCode wring_aij_restore(wring_aij *a);

/*
  The parts of an AIJ matrix, borrowed. *own has the columns that this rank owns, numbered from its first one. *ghost
  has the columns of other ranks (NULL on one rank), with their global numbers in ascending order. Not collective.
*/
PetscErrorCode wring_aij_split(Mat A, Mat *own, Mat *ghost, const PetscInt **global);

/* The owners of A's ghost columns and the holders of its own; empty on one rank. Collective. */
PetscErrorCode wring_aij_neighbours(Mat A, wring_neighbours *n);
