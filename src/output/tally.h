/* What happened in the steps of a run: counted step by step, noted when it appears, printed and written at the end. */
#pragma once
#include "io/json.h"
#include <wring/problem.h>

/* Of the end of a step, summed over ranks. */
typedef struct {
  PetscInt64  inverted, newly; // tetrahedra with J <= 0; those of them that had J > 0 at the end of the step before
  PetscInt64  lost;            // vertices that contacts have lost
  const char *losing;          // how: see wring_contact_losing
  double      depth;           // m, of the deepest vertex in a penalty contact
} wring_flaws;

typedef struct {
  PetscBool   minimises;             // |grad g| tells how far a step is from its end
  PetscInt    steps[WRING_N_REASON]; // that ended with each reason
  PetscInt    worst_step;            // of those that did not converge, the one with the largest share; 0: none
  double      remaining, share;      // |grad g| at its end [N], and relative to the reference of rtol
  char       *inverted;              // [n_tet] 1: J <= 0 at the end of the last step
  wring_flaws last;                  // of the last state
  PetscInt    inverted_steps;        // with inverted tetrahedra at the end
  PetscInt64  most_inverted;         // at the end of a step
  PetscInt    lost_steps;            // with lost vertices at the end
  PetscInt64  most_lost;
  double      deepest; // m, in penalty contacts
  PetscInt    deepest_step;
} wring_tally;

/*
  Marks the tetrahedra that are inverted at the start, and notes them. solver: of the steps, NULL if there is none.
  Collective, as wring_tally_destroy.
*/
PetscErrorCode wring_tally_start(wring_problem *p, const wring_solver *solver, wring_tally *t);
PetscErrorCode wring_tally_destroy(wring_tally *t);

/*
  The figure of merit of a run: unknowns, three of each vertex, times steps over seconds [1/s]; 0 without a step, and if
  one did not converge. Not collective.
*/
double wring_tally_merit(const wring_tally *t, PetscInt64 vertices, double seconds);

/* Counts a step that has been made. Collective. */
void wring_tally_step(const wring_problem *p, const wring_outcome *outcome, const wring_flaws *flaws, wring_tally *t);

/* The last lines of a run, whose solves stopped by this rule. Collective. */
PetscErrorCode wring_tally_print(const wring_problem *p, wring_solver_stop stop, const wring_tally *t);

/*
  Adds steps_by_reason, largest_remaining and the counts of inverted tetrahedra and of lost vertices to run.json. Not
  collective.
*/
void wring_tally_add(const wring_tally *t, json_t *json);

/*
  The parts of the chain up to step `first`, the first one first: run.json beside the checkpoint, and its own segments.
  steps_by_reason of each part counts the steps of it that the chain keeps, by the rows of steps.csv beside the
  checkpoint, so that a killed part, or one restarted before its end, is counted right. A new array, empty for "" and
  for a checkpoint copied without run.json; an error if run.json is there and cannot be read. Not collective: rank 0.
*/
json_t *wring_segments_read(const char *checkpoint, PetscInt first, wring_error *e);
