/* The next coarser level: its matrix, on few ranks where it is small, and the interpolation from it. */
#pragma once
#include "level.h"
#include "operator/hosts.h"

/*
  C: the matrix of the level that follows l, whose matrix is A and whose step omega is known; NULL: l is the coarsest
  level, since it is small or aggregates do not make it smaller. l->from_coarse: P, scaled for l only. finest: l is.
  Collective.
*/
PetscErrorCode wring_coarsen(wring_level *l, Mat A, PetscBool finest, const wring_coarsening *how, Mat *C);
