/*
  wring compare: one implicit step from one state by several solvers, measured on the same g. Read in this order:

    compare.c             the command: one comparison, or the loop over the combinations of a parameter grid
    compare_one.c         one comparison from a deck to its files, in the order in which it happens; g*, conditions
    compare_keys.c        its keys, and the refusal of what cannot be compared
    compare_solve.c       one solve
    compare_history.c     what a solve has shown: relative errors, times, medians over equal solves
    compare_sittings.c    the solves that are kept until the comparison has ended, so that it can go on after a stop
    compare_files.c       compare.csv, .json; compare_show.c: tables on the screen, pictures
    compare_grid.h        a parameter grid: its keys (compare_grid_axes.c), the results of its comparisons together
                          (compare_grid_files.c)

  Not here: methods and their common loop (src/solver), how gnuplot is run (io/plot.h). Functions are collective unless
  their comments state otherwise.
*/
#pragma once
#include "study/common/command_keys.h"
#include "study/common/cores.h"
#include "io/json.h"
#include "study/common/stop.h"
#include <wring/study.h>

/* ---- what a comparison has found --------------------------------------------------------------------------------- */

enum { WRING_N_DIGITS = 8 }; // times are taken to relative errors of 1e-1 ... 1e-8

/* One solve from x_0: the iterations that it measured, row[0] being x_0, and how it ended. */
typedef struct {
  PetscInt         n, capacity; // 0 rows: not begun
  wring_iteration *row;         // [n], whose seconds of set-up include those before the solve
  wring_outcome    outcome;
  wring_setup      setup;       // of its matrices, factors, hierarchies, splittings, colours
  double           waited;      // part of the time in which threads waited for a core, on the rank with the most
  uint64_t         fingerprint; // of the bits of its last iterate, on any number of ranks
  PetscInt         segment;     // the sitting that measured it, from 0
} wring_solve;

/* Extreme eigenvalues of H_0 H(x), H_0 the inverse of the Hessian that a method starts from; NaN: H is not definite. */
typedef struct {
  double least, largest;
} wring_spectrum;

/* Of equal solves, in s; a solve that had ended before counts as slower in the median, not as absent. */
typedef struct {
  double median, spread; // NaN: half of them had ended; largest less least, NaN: one had
} wring_seconds;

/* The convergence of one solver: equal solves, and what they show (wring_comparison_summarise). */
typedef struct {
  char           name[128];    // type or variant
  wring_error    refusal;      // why the solver cannot be used, empty: it can; else it is left out
  PetscInt       n_solve;      // made to their end; the first one also if it was interrupted
  wring_solve   *solve;        // [repeats]; the rows and the outcome that are shown are solve[0]'s
  PetscInt       differs;      // first iteration at which one has other bits, -1: none has
  wring_seconds *seconds;      // [solve[0].n] of the rows
  wring_seconds *setup_at;     // [solve[0].n] of all set-up until then
  wring_seconds  total, setup; // of all iterations, of set-up; NaN: left out
  double        *error;        // [n_report] relative errors, NaN where nothing was measured
  PetscInt
    iterations_to[WRING_N_DIGITS]; // first measured iterate with an error <= 10^-(i + 1), -1: none; with renews, from
                                   // which on all have
  wring_seconds  seconds_to[WRING_N_DIGITS]; // of that iterate, NaN: none
  wring_seconds  setup_to[WRING_N_DIGITS];   // until then
  PetscBool      has_spectrum;               // with compare_condition, of methods that have an H_0
  wring_spectrum at_start, at_least;         // at x_0 and at the minimiser
  json_t        *options;                    // of rank 0: the keys of the method in force, by their full names
} wring_convergence;

typedef struct {
  PetscInt           n_all, n;       // solvers; those that have begun or are left out, up to a stop
  wring_convergence *history;        // [n_all]
  PetscInt           iterations;     // of each solver, at most
  PetscInt           n_report;       // iterations of the table
  PetscInt          *report;         // [n_report]
  wring_value        start;          // at x_0
  wring_value        least;          // at the minimiser; its objective is g*
  char               source[128];    // of the minimiser: "newton reference", or the solver that found it
  PetscInt           repeats;        // solves by every solver that were asked for
  double             repeat_seconds; // no solver is repeated whose solves have taken this long together
  PetscBool          warm_up;        // before each of them
  PetscInt           steps;          // of the deck, over which set-up is spread
  PetscBool          has_decrement;  // rows have newton_decrement
  PetscBool          renews;         // g has the contacts of each iterate: it need not decrease, and ends count
  PetscBool          running;        // some solvers have not ended yet
  wring_stop         stop;           // why it ended early
  json_t            *segments;       // how and where the sittings before this one were made
} wring_comparison;

/* ---- histories (compare_history.c); not collective --------------------------------------------------------------- */

PetscBool   wring_convergence_cut_off(const wring_convergence *h); // a stop, budget or failure: nothing holds then
const char *wring_convergence_end(const wring_convergence *h);     // name of its reason, or "left out"

/* (g - g*) / (g(x_0) - g*), docs/theory.md (2.5); infinite if g is not finite, 0 if x_0 is a minimiser. */
double wring_relative_error(const wring_comparison *c, const wring_iteration *row);

/* Fills what the solves of every history show; g* is known. */
PetscErrorCode wring_comparison_summarise(wring_comparison *c);

PetscErrorCode wring_comparison_forget_rows(wring_comparison *c); // and their times; the rest remains
PetscErrorCode wring_comparison_clear(wring_comparison *c);       // frees all and sets it to zeros

/* ---- a comparison under way -------------------------------------------------------------------------------------- */

/* What ends a solve. */
typedef struct {
  PetscInt iterations;
  double   rtol;    // of |grad g(x_0)|, 0: never
  double   seconds; // of the solver's own time, INFINITY: never
  double   target;  // relative error of a measured iterate, by the g* that is known before; 0: never
} wring_compare_limits;

typedef struct {
  wring_problem   *p;
  wring_comparison c;       // what it has found
  PetscBool        in_grid; // which prints tables and ends what is kept
  const char     **solver;  // [n_solver] names of the solvers, then "newton" if that minimiser is sought
  PetscInt         n_solver;
  PetscInt         sittings, solves; // sittings before this one; solves so far, by which kept files are numbered
  json_t          *origin;           // of rank 0: what it belongs to
  wring_stopper   *stopper;          // borrowed
  Vec              start, x;         // x_0 of every solver, and its iterate
  Vec              lowest;           // the last iterate with the least g; NULL unless condition numbers are asked for
  double           lowest_g;         // J
  PetscInt         measure;
  PetscBool        condition; // condition numbers are asked for
  enum { WRING_REFERENCE_NEWTON, WRING_REFERENCE_LEAST } reference;
  PetscBool            warm;   // threads have worked together in this comparison
  PetscBool            newton; // whether a Newton minimiser is sought
  wring_compare_limits limits; // of every solver
  wring_core_watch     watch;
  json_t              *made; // how and where
  wring_output         output;
} wring_compare;

/* Problem, keys, x_0: bad input is refused here, before any file is written. o is borrowed and must outlive *s. */
PetscErrorCode wring_compare_create(const wring_options *o, wring_compare **s);
PetscErrorCode wring_compare_destroy(wring_compare **s);

/*
  Solves by every solver of compare_solvers and writes the files. Sets the status of `end` if a solver failed or the
  comparison was stopped.
*/
PetscErrorCode wring_compare_run(wring_compare *s, wring_stopper *stopper, PetscBool header, wring_ending *end);

/*
  Reads the keys of compare_, sets every solver up once, and refuses what cannot be compared. A solver that refuses the
  problem is left out with a note, unless all do.
*/
PetscErrorCode wring_compare_read_keys(wring_compare *s);

/* The same for the problem of another command, which runs nothing. */
PetscErrorCode wring_compare_check(wring_problem *p);

/*
  A solver of the deck, by its type or variant, set up. Its keys are refused here as anywhere; that it cannot be used
  for this problem is kept in refusal, unless that is NULL.
*/
PetscErrorCode wring_compare_create_solver(const wring_compare *s, const char *name, wring_error *refusal,
                                           wring_solver **solver);

/* Solves once from x_0 by a solver that is set up anew into *one, all zero; or takes it from an earlier sitting. */
PetscErrorCode wring_compare_solve(wring_compare *s, const char *name, const wring_compare_limits *limits,
                                   PetscBool warm_up, wring_solve *one);

/* ---- what is kept until it has ended (compare_sittings.c) -------------------------------------------------------- */

/*
  In `compare_kept` of the output directory: every solve, as it ends, with all digits, and how and where each sitting
  was made. The same command goes on from there after a stop or a kill, on any number of ranks.

  find looks for earlier sittings. Refused if they are of other keys or files, or if there are results of a comparison
  that has ended, unless output.overwrite is true. It writes nothing; begin writes the first file of this sitting.
*/
PetscErrorCode wring_sittings_find(wring_compare *s);
PetscErrorCode wring_sittings_begin(const wring_compare *s);

/*
  Every solve calls take before, and keep once it has ended, which writes it unless it was interrupted. *found: it was
  kept. Where condition numbers are asked for, both set s->lowest to the last iterate if its g is the least so far.
*/
PetscErrorCode wring_sittings_take(wring_compare *s, const char *name, wring_solve *one, PetscBool *found);
PetscErrorCode wring_sittings_keep(wring_compare *s, const char *name, wring_solve *one);

/* Removes all that is kept in an output directory. Rank 0. */
void wring_sittings_remove(const char *directory, wring_error *e);

/* ---- its results ------------------------------------------------------------------------------------------------- */

/* The files that comparisons and parameter grids leave; NULL ends the list. */
extern const char *const wring_comparison_files[];

/* Removes pictures and those whose names do not begin with `written`; none after an error. Rank 0, as all here. */
void wring_comparison_remove_others(const char *directory, const char *written, wring_error *e);

/* compare.csv, compare_residuals.csv if a solver has residuals, and compare.json, in the place of other results. */
void wring_comparison_write(const wring_comparison *c, const char *directory, json_t *provenance, wring_error *e);

/* compare.gp and compare_parts.gp; their pictures are drawn once the command has ended. */
void wring_comparison_plot(const wring_comparison *c, const char *directory, wring_ending *end, wring_error *e);

/* Errors at the report, iterations and seconds to errors, and the end of each solver. New reference. */
json_t *wring_comparison_solvers(const wring_comparison *c);

/* Relative errors, times and condition numbers on the screen. */
void wring_comparison_print(const wring_comparison *c);
