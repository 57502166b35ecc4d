/*
  What is kept of a comparison until it has ended, in `compare_kept` of its output directory: every solve, as it ends,
  with all digits, and how and where each sitting was made. The same command then goes on after a stop or a kill, on any
  number of ranks. Private to src/study/compare; all functions but wring_kept_remove are collective.
*/
#pragma once
#include "comparison.h"
#include <wring/problem.h>

typedef struct {
  char      directory[PETSC_MAX_PATH_LEN]; // "" before wring_kept_begin: nothing is taken or kept
  PetscBool stays;                         // not removed when the comparison ends: a parameter grid may still go on
  PetscInt  earlier, solves;               // sittings before this one; solves so far, by which files are numbered
  json_t   *origin;                        // of rank 0: what the comparison belongs to
  json_t   *sittings;                      // the earlier ones
} wring_kept;

/*
  Looks for an earlier sitting in output.directory. Refused if it is one of other keys or files, or if there are results
  of a comparison that has ended, unless output.overwrite is true. solver [n_solver]: all that are compared. Writes
  nothing.
*/
PetscErrorCode wring_kept_check(const wring_problem *p, PetscInt n_solver, const char *const *solver, wring_kept *k);

/* Starts this sitting; made: wring_provenance_begin. */
PetscErrorCode wring_kept_begin(const wring_problem *p, const char *directory, const json_t *made, wring_kept *k);

/*
  Every solve calls the first one before, and the second one after it has ended, unless it was interrupted. *found: the
  rows and the outcome of h are those of an earlier sitting. Otherwise h is unchanged but for its segment.
*/
PetscErrorCode wring_kept_take(const wring_problem *p, wring_kept *k, wring_convergence *h, PetscBool *found);
PetscErrorCode wring_kept_keep(const wring_problem *p, const wring_kept *k, const wring_convergence *h);

/* The minimiser x of the last solve, where condition numbers need it: kept before the solve is. */
PetscErrorCode wring_kept_take_minimiser(const wring_problem *p, const wring_kept *k, const char *solver, Vec x);
PetscErrorCode wring_kept_keep_minimiser(const wring_problem *p, const wring_kept *k, const char *solver, Vec x);

/* Removes what is kept in an output directory. Rank 0. */
void wring_kept_remove(const char *directory, wring_error *e);
void wring_kept_clear(wring_kept *k); // frees
