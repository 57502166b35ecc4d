/*
  Private to src/solver: decides when qn replaces its operator, the A of the rest state, by the mean of the diagonal
  blocks of the Hessian at the current positions. docs/theory.md (5.13) to (5.14a)
*/
#pragma once
#include "solver/common/solver_impl.h"

enum { WRING_REFRESH_FEW = 3 }; // solves of which means are taken

typedef struct {
  PetscInt  patience;    // cost of a new operator in evaluations; 0: none is built
  PetscInt  revision;    // of the potential at the last solve; -1: none so far
  PetscInt  evaluations; // in this solve or, before `begin`, in the last one
  PetscInt  since;       // evaluations of this solve before the last new operator
  PetscInt  renewed;     // the same before the first new operator of this solve
  PetscInt  first;       // evaluations of the first whole solve with this operator; 0: none
  PetscInt  guess;       // of `first` while it is unknown, from the rest of a solve that began with another; 0: none
  PetscInt  excess;      // evaluations of later solves beyond `first`, at least 0
  PetscInt  steps;       // steps that line searches rejected in this solve, with this operator
  PetscInt  rejected;    // the same in earlier solves
  PetscInt  times;       // number of new operators in this solve
  PetscInt  misses;      // number of new operators that did not pay, less that of those that did, at least 0
  PetscInt  solves;      // number of whole solves with this operator
  PetscInt  early[WRING_REFRESH_FEW], late[WRING_REFRESH_FEW]; // evaluations of the first and of the last of these
  double    before;                                            // mean of `late` of the last operator; 0: unknown
  PetscBool partial;                                           // this solve began with another operator
} wring_refresh;

/*
  To be called when a solve begins. *changed: the potential has changed since the last one, and the operator is A again.
*/
void wring_refresh_begin(wring_solver *s, wring_refresh *r, PetscBool *changed);

/* Builds a new operator at x_k if it is due; to be called before the direction is computed. */
PetscErrorCode wring_refresh_operator(wring_solver *s, wring_refresh *r, Vec x);

/* To be called when the solve returns to the operator after iterations without it, of which the rule knows nothing. */
void wring_refresh_return(const wring_solver *s, wring_refresh *r);

void wring_refresh_count(const wring_solver *s, wring_refresh *r); // at the end of an iteration
void wring_refresh_skip(const wring_solver *s, wring_refresh *r);  // after an evaluation that is no step
