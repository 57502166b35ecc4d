/*
  Private to src/solver: decides when qn replaces its operator, the A of the rest state, by the mean of the diagonal
  blocks of the Hessian at the current positions. docs/theory.md (5.13), (5.14)
*/
#pragma once
#include "solver_impl.h"

typedef struct {
  PetscInt  patience;    // cost of a new operator in evaluations; 0: none is built
  PetscInt  revision;    // of the potential at the last solve; -1: none so far
  PetscInt  evaluations; // in this solve or, before `begin`, in the last one
  PetscInt  since;       // evaluations of this solve before the last new operator
  PetscInt  first;       // evaluations of the first whole solve with this operator; 0: none
  PetscInt  excess;      // evaluations of later solves beyond `first`, at least 0
  PetscInt  times;       // number of new operators in this solve
  PetscBool partial;     // this solve began with another operator
} wring_refresh;

/*
  To be called when a solve begins. *changed: the potential has changed since the last one, and the operator is A again.
*/
void wring_refresh_begin(wring_solver *s, wring_refresh *r, PetscBool *changed);

/* Builds a new operator at x_k if it is due; to be called before the direction is computed. */
PetscErrorCode wring_refresh_operator(wring_solver *s, wring_refresh *r, Vec x);

void wring_refresh_count(const wring_solver *s, wring_refresh *r); // at the end of an iteration
