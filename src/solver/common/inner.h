/*
  Private to src/solver: s->inner, a method inside of s, as a fixed-point iteration v -> G(v) that s accelerates; the
  solver sets it up, destroys it, and solves with its A. Common to all: wring_inner_create and wring_inner_begin; then
  either wring_inner_iterate, with the state of the inner method, inner->ops->state, or the functions for methods whose
  state is x.
*/
#pragma once
#include "solver_impl.h"

/* Creates the method `name`, with its own keys, for the potential and operator of s. It must have a state. */
PetscErrorCode wring_inner_create(wring_solver *s, const wring_options *o, const char *name);
PetscErrorCode wring_inner_begin(wring_solver *s, Vec x); // at the start of each solve; nothing without an inner method

PetscErrorCode wring_inner_iterate(wring_solver *s, Vec x); // one iteration, whose cost is added

/* ---- methods whose state is x ------------------------------------------------------------------------------------ */

/* v = x, of length 3 n_owned. */
extern const wring_solver_state wring_state_x;
PetscErrorCode                  wring_state_get_x(const wring_solver *s, Vec x, double *v);
PetscErrorCode                  wring_state_put_x(const wring_solver *s, const double *v, Vec x);

/*
  d = y - x, y = G(x), one iteration from x_k, which uses g and grad if they are known, and its cost. Ends the solve
  where the inner method ends its own: d = 0 then. Without an inner method G(x) = x - A^{-1} grad g; y is not used.
*/
PetscErrorCode wring_inner_step(wring_solver *s, Vec x, Vec y, Vec d);

/* What g may be at an accelerated iterate: g(x), or g(G(x)) where the inner method knows it. */
double wring_inner_objective(const wring_solver *s);

/*
  The weight w_(k+1) of Chebyshev's acceleration by rho, docs/theory.md (5.22): 1 until iteration `first`, then from the
  last one, w_k.
*/
double wring_chebyshev_weight(PetscInt k, PetscInt first, double rho, double weight);

/* Makes y = G(x) the trial point, with a full step; g is evaluated unless the inner method knows it. */
PetscErrorCode wring_inner_try(wring_solver *s, Vec y);
