/* What a comparison found: curves of several solvers from one x_0, and g*. compare.c makes it, the others write it. */
#pragma once
#include "problem.h"
#include "json.h"

typedef struct {
  char             name[128]; // type or variant
  PetscInt         n, capacity;
  wring_iteration *row; // [n] measured iterations, row[0] is x_0
  wring_outcome    outcome;
} wring_curve;

typedef struct {
  PetscInt     n, iterations, n_report;
  wring_curve *curve;  // [n]
  PetscInt    *report; // [n_report] iterations of the table
  double       least;  // g*, J
  const char  *source; // "newton reference", or the solver that found it
} wring_comparison;

/* The row that holds at an iteration: the last measured one that is not later. */
const wring_iteration *wring_curve_at(const wring_curve *c, PetscInt iteration);

/* (g - g*) / (g(x_0) - g*); 0 where x_0 is a minimiser already. docs/theory.md (2.5). */
double wring_relative_error(const wring_comparison *c, const wring_curve *curve, const wring_iteration *row);

/* compare.csv, compare_residuals.csv, compare.json and the table; directory is where. The writers run on rank 0. */
void wring_comparison_csv(const wring_comparison *c, const char *directory, wring_error *e);
void wring_comparison_residuals(const wring_comparison *c, const char *directory, wring_error *e); // if there are any
void wring_comparison_json(const wring_comparison *c, const char *directory, json_t *provenance, wring_error *e);
PetscErrorCode wring_comparison_print(MPI_Comm comm, const wring_comparison *c); // collective

/* compare.gp, and compare.png where gnuplot is installed. Rank 0. */
void wring_comparison_plot(const wring_comparison *c, const char *directory, wring_error *e);
