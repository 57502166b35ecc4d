/*
  Private to src/solver: a method inside another one, as a fixed-point iteration v -> G(v) that the outer accelerates.
*/
#pragma once
#include "solver_impl.h"

/* Creates the method `name`, with its own keys, for the potential and operator of `outer`. It must have a state. */
PetscErrorCode wring_inner_create(const wring_solver *outer, const wring_options *o, const char *name,
                                  wring_solver **inner);
PetscErrorCode wring_inner_begin(wring_solver *inner, Vec x); // at the start of each solve

/* One iteration; updates x and the state. *merit = primal^2 + dual^2 of its residuals [J], NAN if it has none. */
PetscErrorCode wring_inner_iterate(wring_solver *inner, Vec x, double *merit);

PetscInt       wring_inner_size(const wring_solver *inner); // length of v on this rank; after set_up
PetscErrorCode wring_inner_get(const wring_solver *inner, Vec x, double *v);
PetscErrorCode wring_inner_put(const wring_solver *inner, const double *v, Vec x);

/* Adds the cost of the inner solve to the outer one, whose x has moved. */
void wring_inner_end(const wring_solver *inner, wring_solver *outer);
