/*
  The interpolation of smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996) to a level of one row for each
  aggregate. docs/theory.md 4.1
*/
#pragma once
#include "level.h"

/*
  aggregate [l->n], freed by the caller: the number, from 0, of the aggregate of a row; n_aggregate: on this rank. Rows
  are connected where the pattern has an entry that is at least `threshold` in the scaled matrix; a row without
  connections is in no aggregate, -1. wide: an aggregate also has the connections of its connections. Aggregates do not
  cross ranks. Not collective.
*/
PetscErrorCode wring_aggregates_find(const wring_level *l, double threshold, PetscBool wide, PetscInt *n_aggregate,
                                     PetscInt **aggregate);

/*
  P = (I - 4/(3 lambda) D^-1 A) T without small entries, lambda from l->omega, T the aggregates' indicators; A: l's
  matrix. aggregate [l->n] is renumbered globally. Collective.
*/
PetscErrorCode wring_aggregates_interpolate(const wring_level *l, Mat A, PetscInt n_aggregate, PetscInt *aggregate,
                                            Mat *P);
