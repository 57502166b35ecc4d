/*
  Private to src/solver: when a method of quasi-Newton type takes the mean of the Hessian's diagonal blocks where it is for its operator,
  in the place of the A of the rest state. docs/theory.md (5.13), (5.14)
*/
#pragma once
#include "solver_impl.h"

typedef struct {
  PetscInt  patience;    // evaluations that a new operator is worth; 0: there is never one
  PetscInt  revision;    // of the potential at the last solve; -1: none yet
  PetscInt  evaluations; // of this solve or, before `begin`, of the last one
  PetscInt  since;       // of them, those before the last new operator
  PetscInt  first;       // evaluations of the first whole solve with this operator; 0: there was none
  PetscInt  excess;      // of the solves after that one, what they took beyond it, never below 0
  PetscInt  times;       // new operators in this solve
  PetscBool partial;     // this solve began with another operator
} wring_refresh;

/* A solve begins. The operator is A again after a change of the potential, and *changed says so. */
void wring_refresh_begin(wring_solver *s, wring_refresh *r, PetscBool *changed);

/* At x_k, before a direction: a new operator if it is due. */
PetscErrorCode wring_refresh_operator(wring_solver *s, wring_refresh *r, Vec x);

void wring_refresh_count(const wring_solver *s, wring_refresh *r); // the iteration is done
