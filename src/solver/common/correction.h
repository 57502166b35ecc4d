/* Private to src/solver: what contacts by a barrier add to the operator A. docs/theory.md (9.32) */
#pragma once
#include "solver/common/method.h"

typedef struct {
  Mat      A[3], with[3]; // without and with contacts; with[0] NULL: the operator is A
  PetscInt due;           // evaluations of the solve at which it is made anew
} wring_correction;

/*
  At x_k: while surfaces are in contact, the operator becomes A with the entries of d2E_c/dx2 between coordinates of the
  same axis, anew in the first iteration of a solve and after evaluations that cost as much. Once nothing is in contact
  at x_0, it is A again. *anew: it is another one. Collective.
*/
PetscErrorCode wring_correction_update(wring_solver *s, wring_correction *c, Vec x, PetscBool *anew);
PetscErrorCode wring_correction_destroy(wring_correction *c);
