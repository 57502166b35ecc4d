/* Private to src/solver: what the methods that sweep over constraints share. */
#pragma once
#include "solver_impl.h"
#include <wring/sweep.h>

typedef struct {
  wring_order  order;
  wring_sweep *sweep;
} solver_sweeps;

/* The key `order` of a table; sequential on several ranks is refused. */
PetscErrorCode wring_sweeps_get_order(wring_solver *s, const wring_options *o, const char *prefix,
                                      const wring_option *table, solver_sweeps *w);
PetscErrorCode wring_sweeps_set_up(wring_solver *s, solver_sweeps *w);

/* Start of a solve; reference as wring_sweep_begin, NULL for RIGID. rule->h is taken from the potential. */
PetscErrorCode wring_sweeps_begin(wring_solver *s, solver_sweeps *w, wring_sweep_rule rule, Vec reference);
PetscErrorCode wring_sweeps_iterate(wring_solver *s, solver_sweeps *w, Vec x); // one sweep
PetscErrorCode wring_sweeps_destroy(wring_solver *s, solver_sweeps *w); // with a notice if constraints were left out
