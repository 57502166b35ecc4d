/* Tables on the screen; compare.gp and compare_parts.gp, the scripts of pictures. */
#include "comparison.h"
#include "io/plot.h"
#include "io/print.h"
#include <math.h>

/* One row a solver: errors in percent, seconds of set-up and of all iterations with their spread, and how it ended. */
static void print_errors(const wring_comparison *c)
{
  const PetscBool  spread = (PetscBool)(c->repeats > 1);
  wring_text_table t;
  FILE *const      f = wring_table_begin(&t);
  fputs("iteration", f);
  for (PetscInt i = 0; i < c->n_report; i++) fprintf(f, "\t%" PetscInt_FMT, c->report[i]);
  fprintf(f, "\tset-up\tseconds%s\tended\n", spread ? "\tspread" : "");
  for (const wring_convergence *h = c->history; h < c->history + c->n; h++) {
    fputs(h->name, f);
    for (PetscInt i = 0; i < c->n_report; i++) fprintf(f, "\t%.3g", 100 * h->error[i]);
    fprintf(f, "\t%.3g\t%.3g", h->setup.median, h->total.median);
    if (spread) fprintf(f, "\t%.3g", h->total.spread);
    fprintf(f, "\t%s\n", wring_convergence_end(h));
  }
  wring_table_print(&t, 1);
}

/* One row a solver: iterations, or seconds, to relative errors of 1e-1, 1e-2, ... */
static void print_times(const wring_comparison *c, PetscBool seconds)
{
  wring_text_table t;
  FILE *const      f = wring_table_begin(&t);
  fputs(seconds ? "seconds" : "iterations", f);
  for (int i = 1; i <= WRING_N_DIGITS; i++) fprintf(f, "\t1e-%d", i);
  for (const wring_convergence *h = c->history; h < c->history + c->n; h++) {
    fprintf(f, "\n%s", h->name);
    for (int i = 0; i < WRING_N_DIGITS; i++) {
      const double to = seconds ? h->seconds_to[i].median : (double)h->iterations_to[i];
      fprintf(f, seconds ? "\t%.3g" : "\t%.0f", h->iterations_to[i] < 0 ? NAN : to);
    }
  }
  fputc('\n', f);
  wring_table_print(&t, 1);
}

static void print_conditions(const wring_comparison *c)
{
  wring_text_table t;
  FILE *const      f     = wring_table_begin(&t);
  PetscBool        empty = PETSC_TRUE;
  for (const wring_convergence *h = c->history; h < c->history + c->n; h++) {
    const double at_start = h->at_start.largest / h->at_start.least, at_least = h->at_least.largest / h->at_least.least;
    if (!h->has_spectrum) continue;
    if (empty) fputs("method\tat x_0\tat the minimiser\n", f);
    empty = PETSC_FALSE;
    fprintf(f, "%s\t%.4g\t%.4g\n", h->name, isfinite(at_start) ? at_start : NAN, isfinite(at_least) ? at_least : NAN);
  }
  if (!empty) printf("\ncondition number of H_0 H; -: H is not definite there\n");
  wring_table_print(&t, 1);
}

void wring_comparison_print(const wring_comparison *c)
{
  printf("\nrelative error (g(x_k) - g*) / (g(x_0) - g*) in %%\n");
  printf("g* = %.12e J (%s): inertial %.4e J, elastic %.4e J; g(x_0) = %.4e J\n", c->least.objective, c->source,
         c->least.inertial, c->least.elastic, c->start.objective);
  print_errors(c);
  printf("\niterations and seconds to a relative error of\n");
  print_times(c, PETSC_FALSE);
  putchar('\n');
  print_times(c, PETSC_TRUE);
  print_conditions(c);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Column y of compare.csv over column x, in the rows of a solver where `shown` holds. */
static void print_points(FILE *f, const char *solver, int x, int y, const char *shown)
{
  fprintf(f, " \\\n  'compare.csv' using (strcol(1) eq ");
  wring_plot_quote(f, solver);
  fprintf(f, "%s ? $%d : NaN):%d", shown, x, y);
}

/* Whether any solve of a solver shared its cores with others, so that its seconds are no measure. */
static PetscBool is_disturbed(const wring_convergence *h)
{
  for (PetscInt i = 0; i < h->n_solve; i++)
    if (wring_core_shared(h->solve[i].waited)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/*
  A line for each solver, over seconds (column 3) with hollow points if it was disturbed, and a cross where it failed:
  at its last row with finite numbers.
*/
static void print_graphs(FILE *f, const wring_comparison *c, int x, int y, const char *shown)
{
  const char *separator = "";
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_convergence *const h    = &c->history[s];
    const wring_solve *const       one  = h->solve;
    PetscInt                       last = one->n - 1;
    char                           there[64];
    if (wring_failed(&h->refusal)) continue;
    fputs(separator, f);
    separator = ",";
    print_points(f, h->name, x, y, shown);
    wring_plot_line(f, x == 3 && is_disturbed(h) ? "linespoints lw 2 pt 6" : "lines lw 2", s, h->name);
    if (!wring_reason_failed(one->outcome.reason)) continue;
    while (last > 0 && !isfinite(one->row[last].value.objective)) last--;
    snprintf(there, sizeof there, "%s && $2 == %" PetscInt_FMT, shown, one->row[last].iteration);
    putc(',', f);
    print_points(f, h->name, x, y, there);
    wring_plot_line(f, "points pt 2 ps 2 lw 3", s, NULL);
  }
}

/* One panel: an energy over iterations, and its value at the minimiser. What lies above `most` is cut off. */
static void plot_part(FILE *f, const wring_comparison *c, int column, const char *label, double least, double most)
{
  fprintf(f, "set title '%s'\nset yrange [*:*<%.17g]\nplot", label, most);
  print_graphs(f, c, 2, column, "");
  fprintf(f, ", \\\n  %.17g with lines lc rgb 'black' dt 2 title 'minimiser'\n", least);
}

/*
  Relative errors over iterations and over seconds, where zeros have no place on a log scale; objective, elastic and
  inertial part over iterations, as in figures 3.4, 3.5, 3.8 and 3.9 of the thesis.
*/
void wring_comparison_plot(const wring_comparison *c, const char *directory, wring_ending *end, wring_error *e)
{
  const double most = 1.25 * fabs(c->start.objective), inertial = 3 * c->least.inertial;
  FILE        *f = wring_plot_begin(directory, "compare", 1500, e);
  if (!f) return;
  fprintf(f, "set logscale y\nset format y '%%.0e'\nset yrange [1e-17<*:*<10]\n");
  fprintf(f, "set ylabel '(g(x_k) - g*) / (g(x_0) - g*)'\n");
  wring_plot_panels(f, 2);
  fprintf(f, "set xlabel 'iteration'\nplot");
  print_graphs(f, c, 2, 8, " && $8 > 0");
  fprintf(f, "\nunset key\nunset ylabel\nset logscale x\nset format x '%%g'\nset xlabel 'seconds'\nplot");
  print_graphs(f, c, 3, 8, " && $8 > 0 && $2 > 0");
  fputc('\n', f);
  wring_plot_end(f, directory, "compare", &end->pictures, e);
  if (!(f = wring_plot_begin(directory, "compare_parts", 1800, e))) return;
  fprintf(f, "set format y '%%.1e'\nset xlabel 'iteration'\n");
  wring_plot_panels(f, 3);
  plot_part(f, c, 4, "objective g [J]", c->least.objective, most);
  fprintf(f, "unset key\n");
  plot_part(f, c, 6, "elastic part [J]", c->least.elastic, most);
  plot_part(f, c, 5, "inertial part [J]", c->least.inertial, inertial > 0 ? inertial : most);
  wring_plot_end(f, directory, "compare_parts", &end->pictures, e);
}
