/*
  A comparison under way: its keys (compare_keys.c), its solves (compare_solve.c), the minimiser and condition numbers
  (compare_minimiser.c). Functions are collective unless their comments state otherwise.
*/
#pragma once
#include "compare_kept.h"
#include "comparison.h"
#include "study/common/command_keys.h"
#include "study/common/cores.h"

/* What ends a solve. */
typedef struct {
  PetscInt iterations;
  double   rtol;    // of |grad g(x_0)|, 0: never
  double   seconds; // of the solver's own time, INFINITY: never
  double   target;  // relative error of a measured iterate, by the g* that is known before; 0: never
} wring_compare_limits;

typedef struct wring_compare wring_compare;

struct wring_compare {
  wring_problem       *p;
  wring_comparison     c; // what it has found
  wring_kept           kept;
  wring_stopper       *stopper;  // borrowed; NULL: nothing ends it early
  Vec                  start, x; // x_0 of every solver, and its iterate
  Vec                  lowest;   // the last iterate with the least g; NULL unless condition numbers are asked for
  double               lowest_g; // J
  PetscInt             measure;
  PetscBool            warm;   // threads have worked together in this comparison
  PetscBool            newton; // whether a Newton minimiser is sought
  wring_compare_limits limits; // of every solver
  wring_core_watch     watch;
  json_t              *made;                             // how and where
  char                 directory[PETSC_MAX_PATH_LEN];    // of its files
  PetscErrorCode (*ended)(wring_compare *s, PetscInt n); // called when the first n solvers have ended; or NULL
};

/*
  Reads the keys of compare_, sets every solver up once, and refuses what cannot be compared. A solver that refuses the
  problem is left out with a note, unless all do.
*/
PetscErrorCode wring_compare_read_keys(wring_compare *s);

/* The same for the problem of another command, which runs nothing. */
PetscErrorCode wring_compare_check(wring_problem *p);

/* A solver of the deck, by its type or variant, set up. */
PetscErrorCode wring_compare_create_solver(const wring_compare *s, const char *name, wring_solver **solver);

/*
  Solves once from x_0 by the solver h->name, set up anew, into the rows, the outcome, the set-up and the fingerprint of
  h, which has none yet.
*/
PetscErrorCode wring_compare_solve_one(wring_compare *s, const wring_compare_limits *limits, PetscBool warm_up,
                                       wring_convergence *h);

/* One line: how h ended; where g rose on the way, that it did. */
PetscErrorCode wring_compare_print_outcome(const wring_compare *s, const wring_convergence *h);

/*
  Solves from x_0 by every solver, c.repeats times in turn, until all have or the stopper stops one. A stop in a later
  turn leaves the results of the turns before.
*/
PetscErrorCode wring_compare_solve(wring_compare *s);

/*
  Finds g* by the Newton reference, unless none is sought or the comparison was stopped. It is found before the solvers
  or after them, but before find_least, which takes the least g of the reference and of all histories and is not
  collective.
*/
PetscErrorCode wring_compare_find_reference(wring_compare *s);
void           wring_compare_find_least(wring_compare *s);

/* A note where rounding of g hides g(x_0) - g*. */
PetscErrorCode wring_compare_note_rounding(const wring_compare *s);

/* The condition number of H_0 H at x_0 and at the minimiser, for every method that has an H_0. */
PetscErrorCode wring_compare_find_conditions(wring_compare *s);
