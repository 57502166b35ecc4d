/* A comparison under way: its keys (compare_keys.c) and its solves (compare_solve.c). Everything is collective. */
#pragma once
#include "comparison.h"
#include "study/common/command_keys.h"
#include "study/common/cores.h"

typedef struct {
  wring_problem   *p;
  wring_comparison c;        // what it has found
  wring_stopper   *stopper;  // borrowed; NULL: nothing ends it early
  Vec              start, x; // x_0 of every solver, and its iterate
  Vec              lowest;   // the last iterate with the least g; NULL unless condition numbers are asked for
  double           lowest_g; // J
  double           tolerance;
  PetscInt         measure;
  PetscBool        newton; // whether a Newton minimiser is sought
  wring_core_watch watch;
} wring_compare;

/*
  Reads the keys of compare_, sets every solver up once, and refuses what cannot be compared. A solver that refuses the
  problem is left out with a note, unless all do.
*/
PetscErrorCode wring_compare_read_keys(wring_compare *s);

/* The same for the problem of another command, which runs nothing. */
PetscErrorCode wring_compare_check(wring_problem *p);

/* A solver of the deck, by its type or variant, set up. */
PetscErrorCode wring_compare_create_solver(const wring_compare *s, const char *name, wring_solver **solver);

/* Solves from x_0 by every solver, until all have or the stopper stops one. */
PetscErrorCode wring_compare_solve(wring_compare *s);

/* Finds g*: by the Newton reference, unless the comparison was stopped, and the least g of all histories. */
PetscErrorCode wring_compare_find_least(wring_compare *s);

/* A note where rounding of g hides g(x_0) - g*. */
PetscErrorCode wring_compare_note_rounding(const wring_compare *s);

/* The condition number of H_0 H at x_0 and at the minimiser, for every method that has an H_0. */
PetscErrorCode wring_compare_find_conditions(wring_compare *s);
