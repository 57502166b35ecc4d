/* Private to src/solver: shared parts of the methods that sweep over constraints. */
#pragma once
#include "solver_impl.h"
#include <wring/sweep.h>

/* The data of such a method, or their first member. */
typedef struct {
  wring_order      order;
  wring_sweep_rule rule; // from the deck; h is set from the potential at the start of a solve
  wring_sweep     *sweep;
} solver_sweeps;

/* The key `order`, for the tables of the methods. */
#define WRING_SWEEPS_ORDER                                                                                             \
  {                                                                                                                    \
    .key = "order", .type = WRING_WORD, .choices = "colored|hybrid|sequential", .value = "colored",                    \
    .help = "Order of constraints: colored, the same on any ranks; hybrid, by colours in each rank, averaged "         \
            "between ranks; sequential, of the mesh, on one rank."                                                     \
  }

/* Reads `order`; refuses sequential on several ranks. */
PetscErrorCode wring_sweeps_get_order(wring_solver *s, const wring_options *o, const char *prefix,
                                      const wring_option *table);

/* Starts a solve; reference as in wring_sweep_begin, NULL for RIGID. */
PetscErrorCode wring_sweeps_begin(wring_solver *s, Vec reference);

/* Entries of the methods' tables. destroy prints a note if constraints were left out. */
PetscErrorCode           wring_sweeps_create(wring_solver *s);
PetscErrorCode           wring_sweeps_set_up(wring_solver *s);
PetscErrorCode           wring_sweeps_iterate(wring_solver *s, Vec x); // one sweep, then contacts are projected
PetscErrorCode           wring_sweeps_destroy(wring_solver *s);
const wring_contact_way *wring_sweeps_contacts(const wring_solver *s);
