/*
  Private to src/solver: backtracking along a direction, docs/theory.md (5.9), and the parts that other searches use.
*/
#pragma once
#include "solver_impl.h"

typedef enum {
  WRING_SEARCH_FOUND,     // trial holds the new iterate, its value, gradient and step
  WRING_SEARCH_ROUND_OFF, // rounding hides any further decrease of g
  WRING_SEARCH_ENDED,     // no direction: the method has ended the solve
  WRING_SEARCH_FAILED     // d is not a descent direction, or g does not decrease along it
} wring_search;

/* Evaluates the point x + alpha d: trial.x, trial.value, trial.grad, trial.step. */
PetscErrorCode wring_solver_try(wring_solver *s, Vec x, double alpha, Vec d);

/* x = trial.x, with its value and gradient. */
PetscErrorCode wring_solver_accept(wring_solver *s, Vec x);

/* Whether rounding hides the decrease alpha slope, (2.4). */
PetscBool wring_solver_is_tiny(const wring_solver *s, double alpha, double slope);

/* Whether g has decreased at the trial point by 0.3 of trial.step slope and rounding does not hide this, (5.9). */
PetscBool wring_solver_falls(const wring_solver *s, double slope);

/*
  The bound of the steps from x along d costs half an evaluation, and few steps invert elements. begin_search computes
  it only if the last bound of this solve was finite, and meet_infinity, after g was infinite, only if it is not known
  yet.
*/
PetscErrorCode wring_solver_begin_search(wring_solver *s, Vec x, Vec d);
PetscErrorCode wring_solver_meet_infinity(wring_solver *s, Vec x, Vec d);

/*
  Backtracks from the largest of alpha = 1, 1/2, ... below the bound until g(x + alpha d) <= g + 0.3 alpha slope;
  slope = grad g . d. g and grad must be known.
*/
PetscErrorCode wring_solver_backtrack(wring_solver *s, Vec x, Vec d, double slope, wring_search *result);

/*
  The same, but the step also satisfies |grad g(x + alpha d) . d| <= 0.9 |slope|, unless no such step is found,
  docs/theory.md (5.11).
*/
PetscErrorCode wring_solver_wolfe(wring_solver *s, Vec x, Vec d, double slope, wring_search *result);

/*
  The longest step along -grad g, in its multiples [m/N]: |g|/|grad g|^2, to g = 0 if g were linear. In statics, where g
  may be 0 or below, the norm of the step is the size of the body.
*/
PetscErrorCode wring_solver_longest(wring_solver *s, Vec x, double *length);
PetscErrorCode wring_solver_steepest(wring_solver *s, Vec x, Vec d, double *slope); // that step: used if d fails

/* Accepts what a search has found, or ends the solve if it has found nothing. */
PetscErrorCode wring_solver_end_search(wring_solver *s, Vec x, wring_search result);
