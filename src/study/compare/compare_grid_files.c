/* What the comparisons of a grid show together: sweep.csv, sweep.json, a table on the screen, and sweep.gp. */
#include "base/text.h"
#include "compare_grid.h"
#include "io/plot.h"
#include "io/print.h"
#include <math.h>

enum { N_TIMES = 3 };
static const int digits[N_TIMES] = {2, 4, 6}; // times are given to 1e-2, 1e-4, 1e-6

/* The error of a history at iteration k of its run's report, NaN if there is none; k < 0: at the last of the report. */
static double error_at(const wring_comparison *c, const wring_convergence *h, PetscInt k)
{
  PetscInt last = 0;
  for (PetscInt i = 0; i < c->n_report; i++) {
    if (c->report[i] == k) return h->error[i];
    if (c->report[i] > c->report[last]) last = i;
  }
  return k < 0 ? h->error[last] : NAN;
}

/* The smallest reported iteration of any run that is greater than k, -1 if there is none: reports may be swept. */
static PetscInt next_report(const wring_parameter_grid *s, PetscInt k)
{
  PetscInt best = -1;
  for (PetscInt r = 0; r < s->n_run; r++) {
    for (PetscInt i = 0; i < s->run[r].found.n_report; i++) {
      const PetscInt a = s->run[r].found.report[i];
      if (a > k && (best < 0 || a < best)) best = a;
    }
  }
  return best;
}

/* A field holds nothing where there is no number. */
static void write_csv(const wring_parameter_grid *s, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/sweep.csv", s->output.directory);
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  for (int k = 0; k < s->n_axis; k++) fprintf(f, "%s,", s->axis[k].key);
  fprintf(f, "solver");
  for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) fprintf(f, ",error_%" PetscInt_FMT, k);
  fprintf(f, ",relative_error");
  for (int i = 0; i < N_TIMES; i++) fprintf(f, ",iterations_to_1e-%d,seconds_to_1e-%d", digits[i], digits[i]);
  fprintf(f, ",iterations,seconds,g_star,ended,folder\n");
  for (PetscInt r = 0; r < s->n_run; r++) {
    const wring_comparison *const c = &s->run[r].found;
    for (const wring_convergence *h = c->history; h < c->history + c->n; h++) {
      for (int k = 0; k < s->n_axis; k++) fprintf(f, "%s,", wring_parameter_grid_value(s, r, k));
      fputs(h->name, f);
      for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) wring_print_field(f, error_at(c, h, k), "");
      wring_print_field(f, error_at(c, h, -1), "");
      for (int i = 0; i < N_TIMES; i++) {
        const PetscInt to = h->iterations_to[digits[i] - 1];
        wring_print_field(f, to < 0 ? NAN : (double)to, "");
        wring_print_field(f, h->seconds_to[digits[i] - 1].median, "");
      }
      fprintf(f, ",%" PetscInt_FMT, h->solve[0].outcome.iterations);
      wring_print_field(f, h->total.median, "");
      wring_print_field(f, c->least.objective, "");
      fprintf(f, ",%s,%s\n", wring_convergence_end(h), s->run[r].folder);
    }
  }
  wring_file_commit(f, path, e);
}

static json_t *value_json(const wring_axis *a, const char *value)
{
  double v;
  if (!a->number) return JSON(value);
  (void)wring_text_real(value, &v);
  return JSON(v);
}

static void write_json(const wring_parameter_grid *s, json_t *provenance, wring_error *e)
{
  json_t *const keys = json_object(), *const runs = json_array(), *const json = json_object();
  for (int k = 0; k < s->n_axis; k++) {
    const wring_axis *const a      = &s->axis[k];
    json_t *const           values = json_array();
    for (PetscInt i = 0; i < a->n; i++) json_array_append_new(values, value_json(a, a->value[i]));
    json_object_set_new(keys, a->key, values);
  }
  for (PetscInt r = 0; r < s->n_run && s->run[r].found.n > 0; r++) {
    const wring_comparison *const c      = &s->run[r].found;
    json_t *const                 values = json_object();
    for (int k = 0; k < s->n_axis; k++)
      json_object_set_new(values, s->axis[k].key, value_json(&s->axis[k], wring_parameter_grid_value(s, r, k)));
    json_t *const run = wring_json_object("folder", JSON(s->run[r].folder), "values", values, "g_star",
                                          JSON(c->least.objective), "g_star_from", JSON(c->source), "g_start",
                                          JSON(c->start.objective), "solvers", wring_comparison_solvers(c), NULL);
    json_array_append_new(runs, run);
  }
  wring_json_set(json, "schema", JSON(WRING_JSON_SCHEMA), "keys", keys, "combinations", JSON(s->n_run), "runs", runs,
                 "provenance", json_incref(provenance), NULL);
  wring_json_write(json, e, "%s/sweep.json", s->output.directory);
  json_decref(json);
}

void wring_parameter_grid_print(const wring_parameter_grid *s)
{
  wring_text_table t;
  FILE *const      f = wring_table_begin(&t);
  for (int k = 0; k < s->n_axis; k++) fprintf(f, "%s\t", s->axis[k].key);
  fprintf(f, "solver");
  for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) fprintf(f, "\t%" PetscInt_FMT, k);
  for (int i = 0; i < N_TIMES; i++) fprintf(f, "\tto 1e-%d", digits[i]);
  for (PetscInt r = 0; r < s->n_run; r++) {
    const wring_comparison *const c = &s->run[r].found;
    for (const wring_convergence *h = c->history; h < c->history + c->n; h++) {
      fputc('\n', f);
      for (int k = 0; k < s->n_axis; k++) fprintf(f, "%s\t", wring_parameter_grid_value(s, r, k));
      fputs(h->name, f);
      for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k))
        fprintf(f, "\t%.3g", 100 * error_at(c, h, k));
      for (int i = 0; i < N_TIMES; i++) {
        const PetscInt to = h->iterations_to[digits[i] - 1];
        fprintf(f, to < 0 ? "\t-" : "\t%" PetscInt_FMT " / %.2g", to, h->seconds_to[digits[i] - 1].median);
      }
    }
  }
  fputc('\n', f);
  printf("\nrelative error in %% after so many iterations; iterations and seconds to an error of\n");
  wring_table_print(&t, s->n_axis + 1);
}

/* ---- sweep.gp: the error at the end over each axis --------------------------------------------------------------- */

static const double LEAST = 1e-16; // smaller errors are rounding, and drawn there

/* Where value i of an axis stands; words at 0, 1, 2, ... */
static double place(const wring_axis *a, PetscInt i)
{
  double v = (double)i;
  if (a->number) (void)wring_text_real(a->value[i], &v);
  return v;
}

/* Range and ticks; a log scale where positive numbers span a decade. */
static void print_scale(FILE *f, const wring_axis *a)
{
  double least = INFINITY, most = -INFINITY;
  for (PetscInt i = 0; i < a->n; i++) {
    least = PetscMin(least, place(a, i));
    most  = PetscMax(most, place(a, i));
  }
  const PetscBool logarithmic = (PetscBool)(least > 0 && most >= 10 * least);
  const double    margin      = most > least ? 0.05 * (most - least) : 0.5;
  fprintf(f, logarithmic ? "set logscale x\n" : "unset logscale x\n");
  fprintf(f, "set format x '%%g'\nset xrange [%.17g:%.17g]\nset xtics ", logarithmic ? least / 1.3 : least - margin,
          logarithmic ? most * 1.3 : most + margin);
  for (PetscInt i = 0; i < a->n && !a->number; i++) {
    fputs(i ? ", " : "(", f);
    wring_plot_quote(f, a->value[i]);
    fprintf(f, " %" PetscInt_FMT, i);
  }
  fputs(a->number ? "autofreq\n" : ")\n", f);
}

/* The data blocks of the lines over axis k: of each solver one for each combination of the other keys. */
static void print_blocks(FILE *f, const wring_parameter_grid *s, int k)
{
  const PetscInt n     = s->axis[k].n;
  PetscInt       block = 0, stride = 1; // from a value of axis k to the next
  for (int j = s->n_axis - 1; j > k; j--) stride *= s->axis[j].n;
  for (PetscInt line = 0; line < s->run[0].found.n * s->n_run; line++) {
    const PetscInt solver = line / s->n_run, first = line % s->n_run;
    if (first / stride % n != 0) continue; // another value than the first
    fprintf(f, "$curve_%d_%" PetscInt_FMT " << END\n", k, block++);
    for (PetscInt i = 0; i < n; i++) {
      const wring_comparison *const c     = &s->run[first + i * stride].found;
      const double                  error = error_at(c, &c->history[solver], -1);
      if (isfinite(error)) fprintf(f, "%.17g %.17g\n", place(&s->axis[k], i), PetscMax(error, LEAST));
    }
    fprintf(f, "1e999 1e999\nEND\n"); // gnuplot refuses a block without a point; this one lies outside
  }
}

/* The error over axis k, one colour a solver, one line for each combination of the other keys. */
static void print_panel(FILE *f, const wring_parameter_grid *s, int k)
{
  const wring_comparison *const c      = &s->run[0].found;
  const PetscInt                others = s->n_run / s->axis[k].n;
  print_scale(f, &s->axis[k]);
  fprintf(f, "set xlabel ");
  wring_plot_quote(f, s->axis[k].key);
  fprintf(f, "\nplot");
  for (PetscInt b = 0; b < c->n * others; b++) {
    char with[32];
    snprintf(with, sizeof with, "linespoints lw 2 pt %d", (int)(b % others) + 1);
    fprintf(f, "%s \\\n  $curve_%d_%" PetscInt_FMT, b ? "," : "", k, b);
    wring_plot_line(f, with, b / others, b % others ? NULL : c->history[b / others].name);
  }
  fprintf(f, "\n");
}

static void plot(const wring_parameter_grid *s, wring_ending *end, wring_error *e)
{
  FILE *const f = wring_plot_begin(s->output.directory, "sweep", 300 + 600 * s->n_axis, e);
  if (!f) return;
  fprintf(f, "set datafile separator whitespace\n");
  for (int k = 0; k < s->n_axis; k++) print_blocks(f, s, k);
  fprintf(f, "set logscale y\nset format y '%%.0e'\nset yrange [1e-17<*:*<10]\n");
  fprintf(f, "set ylabel 'relative error at the end'\n");
  wring_plot_panels(f, s->n_axis);
  for (int k = 0; k < s->n_axis; k++) {
    print_panel(f, s, k);
    fprintf(f, "unset key\nunset ylabel\n");
  }
  wring_plot_end(f, s->output.directory, "sweep", &end->pictures, e);
}

PetscErrorCode wring_parameter_grid_write(const wring_parameter_grid *s, PetscInt n_done, json_t *provenance,
                                          wring_ending *end)
{
  wring_error error = {0};
  char        path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (s->output.rank == 0) {
    write_csv(s, &error);
    write_json(s, provenance, &error);
    if (n_done <= 1) wring_comparison_remove_others(s->output.directory, "sweep", &error);
    if (n_done == s->n_run) plot(s, end, &error);
    for (PetscInt r = 0; n_done == s->n_run && r < s->n_run; r++) {
      PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s", s->output.directory, s->run[r].folder));
      wring_sittings_remove(path, &error);
    }
  }
  PetscCall(wring_error_raise_output(s->output.comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
