/*
  What a comparison found: curves of several solvers from one x_0, and g*. compare.c makes it, compare_files.c, compare_table.c
  and compare_plot.c show it; compare_sweep.c makes one for each combination of the swept keys.
*/
#pragma once
#include "problem/problem.h"
#include "study/common/json.h"

enum { WRING_N_DIGITS = 8 }; // times are taken to relative errors of 1e-1 ... 1e-8

/* Extreme eigenvalues of H_0 H(x), with H_0 the inverse of the Hessian that a method starts from; NaN: H is not definite. */
typedef struct {
  double least, largest;
} wring_spectrum;

typedef struct {
  char             name[128]; // type or variant
  PetscInt         n, capacity;
  wring_iteration *row; // [n] measured iterations, row[0] is x_0
  wring_outcome    outcome;
  double          *error;                         // [n_report] relative errors, NaN where nothing was measured
  PetscInt         iterations_to[WRING_N_DIGITS]; // first measured iterate with an error <= 10^-(i + 1), -1: none
  double           seconds_to[WRING_N_DIGITS];    // its seconds
  PetscBool        has_spectrum;                  // with compare_condition, of methods that have an H_0
  wring_spectrum   at_start, at_least;            // at x_0 and at the minimiser
} wring_curve;

typedef struct {
  PetscInt     n, iterations, n_report;
  wring_curve *curve;       // [n]
  PetscInt    *report;      // [n_report] iterations of the table
  wring_value  start;       // at x_0
  wring_value  least;       // at the minimiser; its objective is g*
  char         source[128]; // of the minimiser: "newton reference", or the solver that found it
  PetscBool    failed;      // one of the solvers did
} wring_comparison;

/* What a comparison prints: one line a solver; with a header; and with tables and the note on pictures. */
typedef enum { WRING_TELL_RESULTS, WRING_TELL_HEADER, WRING_TELL_ALL } wring_telling;

/*
  Solves by every solver that compare_solvers names, writes the files and prints what `tells` says.
  Refused before any file is written. c is given back with wring_comparison_clear. Collective, as all that return an error code.
*/
PetscErrorCode wring_comparison_make(MPI_Comm comm, const wring_options *o, wring_telling tells, wring_comparison *c);
PetscErrorCode wring_comparison_rehearse(MPI_Comm comm, const wring_options *o); // refuses what make would refuse
PetscErrorCode wring_comparison_clear(wring_comparison *c);

/* The row that holds at an iteration: measured there, or the last one if the solver ended before; else NULL. */
const wring_iteration *wring_curve_at(const wring_curve *c, PetscInt iteration);

/* (g - g*) / (g(x_0) - g*), infinite for an iterate without a value; 0 where x_0 is a minimiser. docs/theory.md (2.5). */
double wring_relative_error(const wring_comparison *c, const wring_iteration *row);

/* What an earlier comparison or sweep left in a directory goes. Rank 0, as the next two. */
void wring_comparison_remove(const char *directory, wring_error *e);
void wring_comparison_csv(const wring_comparison *c, const char *directory, wring_error *e);
void wring_comparison_residuals(const wring_comparison *c, const char *directory, wring_error *e); // if there are any
void wring_comparison_json(const wring_comparison *c, const char *directory, json_t *provenance, wring_error *e);

/* Errors at the report, iterations and seconds to errors, and the end of every solver. New reference. */
json_t *wring_curve_json(const wring_comparison *c, const wring_curve *curve);

/* "nan" and "inf" without signs of their own, which tables of other programs read. */
void wring_print_real(FILE *f, double value);

PetscErrorCode wring_comparison_print(MPI_Comm comm, const wring_comparison *c);

/* A relative error in percent, "-" where nothing was measured. */
void wring_percent(double error, size_t size, char *text);

/* ---- pictures, on rank 0 ------------------------------------------------------------------------------------------ */

/* compare.gp and compare_parts.gp, and what gnuplot makes of them; false where it made nothing. */
PetscBool wring_comparison_plot(const wring_comparison *c, const char *directory, wring_error *e);

/* The head of a script that makes NAME.png, of so many pixels. */
void wring_plot_head(FILE *f, const char *name, int width, int height);

/* Starts n panels side by side, with one legend to the right of them: the key of the first panel. */
void wring_plot_panels(FILE *f, int n);

/* A text of gnuplot's in quotes, and the look of the i-th curve: its colour and dashes. */
void wring_plot_quote(FILE *f, const char *text);
void wring_plot_style(FILE *f, PetscInt i);

/* Runs NAME.gp of a directory; NAME.png appears whole, or not at all: false. */
PetscBool wring_plot_run(const char *directory, const char *name);

/* The note that there are no pictures. */
PetscErrorCode wring_plot_note(void);

/* Refuses what `wring compare` would refuse of the problem's deck, before it runs anything. Collective. */
PetscErrorCode wring_comparison_check(wring_problem *p);

/* ---- sweeps ------------------------------------------------------------------------------------------------------- */

/*
  One comparison for each combination of the keys behind "compare_sweep_", each in a folder of its own, and what they show
  together. *swept: false if no key is. *failed: a solver did.
*/
PetscErrorCode wring_comparison_sweep(MPI_Comm comm, const wring_options *o, PetscBool *swept, PetscBool *failed);
