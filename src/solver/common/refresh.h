/*
  Private to src/solver: decides when qn replaces its operator, the A of the rest state, by the mean of the diagonal
  blocks of the Hessian at the current positions. docs/theory.md (5.13), (5.14)
*/
#pragma once
#include "solver_impl.h"

typedef struct {
  PetscInt  patience;    // evaluations that a new operator costs; 0: none is made
  PetscInt  revision;    // of the potential at the last solve; -1: none yet
  PetscInt  evaluations; // of this solve or, before `begin`, of the last one
  PetscInt  since;       // those of them before the last new operator
  PetscInt  first;       // evaluations of the first whole solve with this operator; 0: there was none
  PetscInt  excess;      // what later solves took beyond `first`, at least 0
  PetscInt  times;       // new operators in this solve
  PetscBool partial;     // this solve began with another operator
} wring_refresh;

/* A solve begins. *changed: the potential has changed since the last one, and the operator is A again. */
void wring_refresh_begin(wring_solver *s, wring_refresh *r, PetscBool *changed);

/* Makes a new operator at x_k if it is due; before the direction is computed. */
PetscErrorCode wring_refresh_operator(wring_solver *s, wring_refresh *r, Vec x);

void wring_refresh_count(const wring_solver *s, wring_refresh *r); // at the end of an iteration
