/* The next coarser level: its matrix, on few ranks where it is small, and the interpolation from it. */
#pragma once
#include "level.h"
#include "operator/hosts.h"

enum { WRING_COARSEST = 100 }; // no coarser level below this number of rows

/*
  C: the matrix of the level that follows l, whose matrix is A and whose step omega is known; NULL: l is the coarsest
  level, since it is small or aggregates do not make it smaller. l->from_coarse: P, scaled for l only. Collective.
*/
PetscErrorCode wring_coarsen(wring_level *l, Mat A, const wring_coarsening *how, Mat *C);
