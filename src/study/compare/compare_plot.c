/* compare.gp and compare_parts.gp, the scripts of the pictures of a comparison. */
#include "comparison.h"
#include "study/common/pictures.h"
#include <math.h>

/* Column y of compare.csv over column x, in the rows of a solver where `shown` holds. */
static void print_graph(FILE *f, const wring_comparison *c, PetscInt s, int x, int y, const char *shown,
                        const char *with)
{
  fprintf(f, " \\\n  'compare.csv' using (strcol(1) eq ");
  wring_plot_quote(f, c->history[s].name);
  fprintf(f, "%s ? $%d : NaN):%d with %s ", shown, x, y, with);
  wring_plot_style(f, s);
}

/* A line for each solver, and a cross where it failed: at its last row with finite numbers. */
static void print_graphs(FILE *f, const wring_comparison *c, int x, int y, const char *shown)
{
  const char *separator = "";
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_convergence *const h    = &c->history[s];
    PetscInt                       last = h->n - 1;
    char                           there[64];
    if (wring_convergence_left_out(h)) continue;
    fputs(separator, f);
    separator = ",";
    print_graph(f, c, s, x, y, shown, "lines lw 2");
    fprintf(f, " title ");
    wring_plot_quote(f, h->name);
    if (!wring_reason_failed(h->outcome.reason)) continue;
    while (last > 0 && !isfinite(h->row[last].value.objective)) last--;
    snprintf(there, sizeof there, "%s && $2 == %" PetscInt_FMT, shown, h->row[last].iteration);
    putc(',', f);
    print_graph(f, c, s, x, y, there, "points pt 2 ps 2 lw 3");
    fprintf(f, " notitle");
  }
}

/* Relative errors over iterations and over seconds; zeros have no place on a log scale. */
static void print_errors(FILE *f, const wring_comparison *c)
{
  fprintf(f, "set logscale y\nset format y '%%.0e'\nset yrange [1e-17<*:*<10]\n");
  fprintf(f, "set ylabel '(g(x_k) - g*) / (g(x_0) - g*)'\n");
  wring_plot_panels(f, 2);
  fprintf(f, "set xlabel 'iteration'\nplot");
  print_graphs(f, c, 2, 8, " && $8 > 0");
  fprintf(f, "\nunset key\nunset ylabel\nset logscale x\nset format x '%%g'\nset xlabel 'seconds'\nplot");
  print_graphs(f, c, 3, 8, " && $8 > 0 && $2 > 0");
  fputc('\n', f);
}

/* One panel: an energy over iterations, and its value at the minimiser. What lies above `most` is cut off. */
static void print_part(FILE *f, const wring_comparison *c, int column, const char *label, double least, double most)
{
  fprintf(f, "set title '%s'\nset yrange [*:*<%.17g]\nplot", label, most);
  print_graphs(f, c, 2, column, "");
  fprintf(f, ", \\\n  %.17g with lines lc rgb 'black' dt 2 title 'minimiser'\n", least);
}

/* Objective, elastic and inertial part over iterations, as in figures 3.4, 3.5, 3.8 and 3.9 of the thesis. */
static void print_parts(FILE *f, const wring_comparison *c)
{
  const double most = 1.25 * fabs(c->start.objective), inertial = 3 * c->least.inertial;
  fprintf(f, "set format y '%%.1e'\nset xlabel 'iteration'\n");
  wring_plot_panels(f, 3);
  print_part(f, c, 4, "objective g [J]", c->least.objective, most);
  fprintf(f, "unset key\n");
  print_part(f, c, 6, "elastic part [J]", c->least.elastic, most);
  print_part(f, c, 5, "inertial part [J]", c->least.inertial, inertial > 0 ? inertial : most);
}

void wring_comparison_plot(const wring_comparison *c, const char *directory, wring_ending *end, wring_error *e)
{
  FILE *const errors = wring_plot_begin(directory, "compare", 1500, 600, e);
  if (!errors) return;
  print_errors(errors, c);
  wring_plot_end(errors, directory, "compare", end, e);
  FILE *const parts = wring_plot_begin(directory, "compare_parts", 1800, 600, e);
  if (!parts) return;
  print_parts(parts, c);
  wring_plot_end(parts, directory, "compare_parts", end, e);
}
