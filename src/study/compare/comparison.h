/*
  wring compare: one implicit step from one state by several solvers, measured on the same g. Read in this order:

    comparison.h      what a comparison found: the convergence of each solver, g*, relative errors (comparison.c), times
                      of equal solves (compare_repeats.c)
    compare_solve.h   a comparison under way: keys (compare_keys.c), solves (compare_solve.c), g* and condition numbers
                      (compare_minimiser.c)
    compare_kept.h    what is kept of it until it has ended, so that it can go on after a stop (compare_kept.c)
    compare_show.h    its results: files (compare_files.c), the screen (compare_table.c), pictures (compare_plot.c)
    compare_one.h     one comparison from a deck to its files, in the order in which it happens (compare_one.c)
    compare_grid.h    a parameter grid: one comparison for each combination of the values of some keys: its keys
                      (compare_grid_axes.c), comparisons (compare_grid.c), results (compare_grid_files.c, _plot.c)
    compare.c         the command

  Not here: methods and their common loop (src/solver), how gnuplot is run (study/common/pictures.h).
*/
#pragma once
#include "study/common/stop.h"
#include <jansson.h>
#include <wring/solver.h>

enum { WRING_N_DIGITS = 8 }; // times are taken to relative errors of 1e-1 ... 1e-8

/* Extreme eigenvalues of H_0 H(x), H_0 the inverse of the Hessian that a method starts from; NaN: H is not definite. */
typedef struct {
  double least, largest;
} wring_spectrum;

/* The times of one of several equal solves. */
typedef struct {
  PetscInt n;            // rows, of the same iterations as the first rows of the first solve
  double  *seconds;      // [n] of the rows
  double   total, setup; // s, of all iterations; of set-up
  PetscInt segment;      // the sitting that measured it, from 0
} wring_repeat;

/* The convergence of one solver: its history, and errors and times taken from it. */
typedef struct {
  char             name[128];   // type or variant
  wring_error      refusal;     // why the solver cannot be used, empty: it can; one that is left out has no rows
  PetscInt         n, capacity; // 0 rows: left out, or not begun
  wring_iteration *row;         // [n] measured iterations, row[0] is x_0
  wring_outcome    outcome;
  wring_setup      setup;                         // of its matrices, factors, hierarchies, splittings, colours
  uint64_t         fingerprint;                   // of the bits of its last iterate, on any number of ranks
  PetscInt         n_repeat;                      // solves that were made to their end
  wring_repeat    *repeat;                        // [n_repeat]; the rows and the outcome are those of the first
  PetscInt         differs;                       // first iteration at which a repeat has other bits, -1: none has
  double           spread;                        // s, largest less least total of the repeats
  PetscInt         segment;                       // the sitting that measured it, from 0
  double          *error;                         // [n_report] relative errors, NaN where nothing was measured
  PetscInt         iterations_to[WRING_N_DIGITS]; // first measured iterate with an error <= 10^-(i + 1), -1: none
  double           seconds_to[WRING_N_DIGITS];    // its seconds, NaN: none, or half of the repeats had ended
  double           spread_to[WRING_N_DIGITS];     // of the repeats: largest less least, NaN: one had ended
  PetscBool        has_spectrum;                  // with compare_condition, of methods that have an H_0
  wring_spectrum   at_start, at_least;            // at x_0 and at the minimiser
  json_t          *options;                       // of rank 0: the keys of the method in force, by their full names
} wring_convergence;

PetscBool   wring_convergence_left_out(const wring_convergence *h);
PetscBool   wring_convergence_cut_off(const wring_convergence *h); // a stop, budget or failure: nothing holds then
const char *wring_convergence_end(const wring_convergence *h);     // name of its reason, or "left out"

typedef struct {
  PetscInt           n, iterations, n_report;
  wring_convergence *history;       // [n]
  PetscInt          *report;        // [n_report] iterations of the table
  wring_value        start;         // at x_0
  wring_value        least;         // at the minimiser; its objective is g*
  char               source[128];   // of the minimiser: "newton reference", or the solver that found it
  PetscBool          failed;        // one of the solvers did
  PetscInt           repeats;       // solves by every solver that were asked for
  PetscBool          warm_up;       // before each of them
  PetscInt           steps;         // of the deck, over which set-up is spread
  wring_stop         stop;          // why it ended early: solvers that had not begun are not among n
  PetscBool          has_decrement; // rows have newton_decrement
  json_t            *segments;      // of rank 0: how and where the sittings before this one were made
  PetscBool          running;       // some solvers have not ended yet
} wring_comparison;

/*
  The row that holds at an iteration: measured there, or the last one if the solver had ended before; else NULL. A
  solver that was cut off holds nothing after its last row.
*/
const wring_iteration *wring_convergence_at(const wring_convergence *h, PetscInt iteration);

/* (g - g*) / (g(x_0) - g*), docs/theory.md (2.5); infinite if g is not finite, 0 if x_0 is a minimiser. */
double wring_relative_error(const wring_comparison *c, const wring_iteration *row);

/* Fills error, iterations_to and seconds_to of every history; g* is known and seconds are medians. */
PetscErrorCode wring_comparison_summarise(wring_comparison *c);

/* ---- repeats: not collective ------------------------------------------------------------------------------------- */

/* Adds the times of h itself, or of an equal solve `again`, and notes in h->differs where this is not equal. */
PetscErrorCode wring_repeats_add(const wring_convergence *again, wring_convergence *h);

/*
  The seconds of every row, of the outcome and of set-up become medians over the repeats; the spread is set. Rows that
  half of the repeats have not reached get NaN.
*/
PetscErrorCode wring_repeats_find_medians(wring_convergence *h);

/* Of the times at which the repeats reached a row, largest less least; NaN if one has not. */
double wring_repeats_spread(const wring_convergence *h, PetscInt row);

/* Frees the rows and their times in the repeats; the totals remain. */
PetscErrorCode wring_convergence_forget_rows(wring_convergence *h);

PetscErrorCode wring_comparison_clear(wring_comparison *c); // frees all and sets it to zeros
