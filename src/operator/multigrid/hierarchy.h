/* The matrices of all levels and the interpolations between them, as PETSc matrices: the input of a cycle. */
#pragma once
#include "level.h"
#include "operator/hosts.h"

typedef struct {
  int  n_level;
  Mat *A; // [n_level], finest first
  Mat *P; // [n_level]: P[i] from level i + 1 to level i; the last is NULL
} wring_hierarchy;

/*
  Refuses, in one line, PETSc options with the prefix "operator_" that multigrid does not use or that PETSc does not
  accept. Collective.
*/
PetscErrorCode wring_hierarchy_try_options(MPI_Comm comm);

/*
  By PETSc's smoothed aggregation; g: on how few ranks coarse levels are; wide: the first aggregates are those of the
  squared graph, about 40 vertices in the place of 7, as six unknowns each want it. A[0] is a reference to `fine`.
  Collective.
*/
PetscErrorCode wring_hierarchy_create(MPI_Comm comm, Mat fine, PetscBool wide, const wring_gathering *g,
                                      wring_hierarchy *h);

PetscErrorCode wring_hierarchy_destroy(wring_hierarchy *h);
