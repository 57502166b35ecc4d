/*
  Private to src/solver: a method inside another one, as a fixed-point iteration v -> G(v) that the outer accelerates.
  Common to all: wring_inner_create and wring_inner_begin; then either wring_inner_iterate, with the state of the inner
  method, inner->ops->state, or wring_inner_step, for methods whose state is x.
*/
#pragma once
#include "solver_impl.h"

/* Creates the method `name`, with its own keys, for the potential and operator of `outer`. It must have a state. */
PetscErrorCode wring_inner_create(const wring_solver *outer, const wring_options *o, const char *name,
                                  wring_solver **inner);
PetscErrorCode wring_inner_begin(wring_solver *inner, wring_solver *outer, Vec x); // at the start of each solve

/* One iteration; updates x and the state. *merit = primal^2 + dual^2 of its residuals [J], NAN if it has none. */
PetscErrorCode wring_inner_iterate(wring_solver *inner, Vec x, double *merit);

/* Adds the cost of the inner solve to the outer one, whose x has moved. */
void wring_inner_end(wring_solver *inner, wring_solver *outer);

/* ---- methods whose state is x ------------------------------------------------------------------------------------ */

/* v = x, of length 3 n_owned. */
PetscInt       wring_state_size_x(const wring_solver *s);
PetscErrorCode wring_state_get_x(const wring_solver *s, Vec x, double *v);
PetscErrorCode wring_state_put_x(const wring_solver *s, const double *v, Vec x);

/*
  y = G(x), one iteration from the x_k of `outer`, whose g and grad it uses if they are known; adds its cost. Ends the
  outer solve where the inner method ends its own: y = x then.
*/
PetscErrorCode wring_inner_step(wring_solver *inner, wring_solver *outer, Vec x, Vec y);

/* Makes y = G(x) the trial point of `outer`, with a full step; g is evaluated unless the inner method knows it. */
PetscErrorCode wring_inner_try(wring_solver *inner, wring_solver *outer, Vec y);
