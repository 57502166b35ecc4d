/* Private to src/solver: a line search for both Wolfe conditions, docs/theory.md (5.11). */
#pragma once
#include "line_search.h"
#include <petsctaolinesearch.h>

/*
  As wring_solver_backtrack, but the step also satisfies |grad g(x + alpha d) . d| <= 0.9 |slope|, unless no such step
  is found. *search is created at the first call; the caller destroys it.
*/
PetscErrorCode wring_solver_wolfe(wring_solver *s, TaoLineSearch *search, Vec x, Vec d, double slope,
                                  wring_search *result);
