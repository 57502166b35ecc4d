/* Private to src/solver: what the methods that sweep over constraints share. */
#pragma once
#include "solver_impl.h"
#include <wring/sweep.h>

/* The data of a method; the first member of a method's that has more. */
typedef struct {
  wring_order      order;
  wring_sweep_rule rule; // as the deck says; h is taken from the potential at the start of a solve
  wring_sweep     *sweep;
} solver_sweeps;

/* The key `order` of a table; sequential on several ranks is refused. */
PetscErrorCode wring_sweeps_get_order(wring_solver *s, const wring_options *o, const char *prefix,
                                      const wring_option *table);

/* Start of a solve; reference as wring_sweep_begin, NULL for RIGID. */
PetscErrorCode wring_sweeps_begin(wring_solver *s, Vec reference);

/* Entries of the methods' tables. destroy gives a notice if constraints were left out. */
PetscErrorCode           wring_sweeps_create(wring_solver *s);
PetscErrorCode           wring_sweeps_set_up(wring_solver *s);
PetscErrorCode           wring_sweeps_iterate(wring_solver *s, Vec x); // one sweep, then contacts are projected
PetscErrorCode           wring_sweeps_destroy(wring_solver *s);
const wring_contact_way *wring_sweeps_contacts(const wring_solver *s);
