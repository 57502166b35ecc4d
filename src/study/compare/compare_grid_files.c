/* What a sweep shows: one row for each solver of each combination, in a table, in sweep.csv and sweep.json, and a picture. */
#include "compare_grid.h"
#include "study/common/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_TIMES = 3 };
static const double LEAST           = 1e-16;     // smaller errors are rounding, and drawn there
static const int    digits[N_TIMES] = {2, 4, 6}; // times are given to 1e-2, 1e-4, 1e-6

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static PetscBool is_done(const wring_comparison *c)
{
  return (PetscBool)(c->n > 0);
}

static PetscInt later(PetscInt a, PetscInt than, PetscInt best)
{
  return a > than && (best < 0 || a < best) ? a : best;
}

/* The smallest reported iteration of any run that is greater than k, -1 if there is none: reports may be swept. */
static PetscInt next_report(const wring_parameter_sweep *s, PetscInt k)
{
  PetscInt best = -1;
  for (PetscInt r = 0; r < s->n_run; r++) {
    for (PetscInt i = 0; i < s->run[r].n_report; i++) best = later(s->run[r].report[i], k, best);
  }
  return best;
}

/* The error of a curve at iteration k of its run's report, NaN if that does not have it. */
static double error_at(const wring_comparison *c, const wring_curve *curve, PetscInt k)
{
  for (PetscInt i = 0; i < c->n_report; i++) {
    if (c->report[i] == k) return curve->error[i];
  }
  return NAN;
}

/* At the last iteration of the report. */
static double last_error(const wring_comparison *c, const wring_curve *curve)
{
  PetscInt last = c->report[0];
  for (PetscInt i = 1; i < c->n_report; i++) last = PetscMax(last, c->report[i]);
  return error_at(c, curve, last);
}

/* ---- sweep.csv --------------------------------------------------------------------------------------------------- */

/* A field that holds nothing where there is no number. */
static void print_field(FILE *f, double value)
{
  putc(',', f);
  if (!isnan(value)) wring_print_real(f, value);
}

static void print_row(FILE *f, const wring_parameter_sweep *s, PetscInt run, const wring_curve *curve)
{
  const wring_comparison *const c = &s->run[run];
  char                          folder[PETSC_MAX_PATH_LEN];
  for (int k = 0; k < s->n_axis; k++) fprintf(f, "%s,", wring_parameter_sweep_value(s, run, k));
  fputs(curve->name, f);
  for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) print_field(f, error_at(c, curve, k));
  print_field(f, last_error(c, curve));
  for (int i = 0; i < N_TIMES; i++) {
    const PetscInt to = curve->iterations_to[digits[i] - 1];
    print_field(f, to < 0 ? NAN : (double)to);
    print_field(f, curve->seconds_to[digits[i] - 1]);
  }
  wring_parameter_sweep_folder(s, run, sizeof folder, folder);
  fprintf(f, ",%" PetscInt_FMT, curve->outcome.iterations);
  print_field(f, curve->outcome.last.seconds);
  print_field(f, c->least.objective);
  fprintf(f, ",%s,%s\n", wring_reason_name(curve->outcome.reason), folder);
}

void wring_parameter_sweep_csv(const wring_parameter_sweep *s, const char *directory, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/sweep.csv", directory);
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  for (int k = 0; k < s->n_axis; k++) fprintf(f, "%s,", s->axis[k].key);
  fprintf(f, "solver");
  for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) fprintf(f, ",error_%" PetscInt_FMT, k);
  fprintf(f, ",relative_error");
  for (int i = 0; i < N_TIMES; i++) fprintf(f, ",iterations_to_1e-%d,seconds_to_1e-%d", digits[i], digits[i]);
  fprintf(f, ",iterations,seconds,g_star,ended,folder\n");
  for (PetscInt r = 0; r < s->n_run; r++) {
    for (PetscInt i = 0; i < s->run[r].n; i++) print_row(f, s, r, &s->run[r].curve[i]);
  }
  wring_file_commit(f, path, e);
}

/* ---- sweep.json -------------------------------------------------------------------------------------------------- */

static json_t *value_json(const wring_axis *a, const char *value)
{
  return a->number ? wring_json_finite(strtod(value, NULL)) : json_string(value);
}

static json_t *run_json(const wring_parameter_sweep *s, PetscInt run)
{
  const wring_comparison *const c = &s->run[run];
  json_t *const json = json_object(), *const values = json_object(), *const solvers = json_object();
  char folder[PETSC_MAX_PATH_LEN];
  wring_parameter_sweep_folder(s, run, sizeof folder, folder);
  for (int k = 0; k < s->n_axis; k++) {
    json_object_set_new(values, s->axis[k].key, value_json(&s->axis[k], wring_parameter_sweep_value(s, run, k)));
  }
  for (PetscInt i = 0; i < c->n; i++) {
    json_object_set_new(solvers, c->curve[i].name, wring_curve_json(c, &c->curve[i]));
  }
  json_object_set_new(json, "folder", json_string(folder));
  json_object_set_new(json, "values", values);
  json_object_set_new(json, "g_star", wring_json_finite(c->least.objective));
  json_object_set_new(json, "g_star_from", json_string(c->source));
  json_object_set_new(json, "g_start", wring_json_finite(c->start.objective));
  json_object_set_new(json, "solvers", solvers);
  return json;
}

void wring_parameter_sweep_json(const wring_parameter_sweep *s, const char *directory, wring_error *e)
{
  json_t *const json = json_object(), *const keys = json_object(), *const runs = json_array();
  char path[PETSC_MAX_PATH_LEN + 32];
  for (int k = 0; k < s->n_axis; k++) {
    const wring_axis *const a      = &s->axis[k];
    json_t *const           values = json_array();
    for (PetscInt i = 0; i < a->n; i++) json_array_append_new(values, value_json(a, a->value[i]));
    json_object_set_new(keys, a->key, values);
  }
  for (PetscInt r = 0; r < s->n_run; r++) {
    if (is_done(&s->run[r])) json_array_append_new(runs, run_json(s, r));
  }
  json_object_set_new(json, "keys", keys);
  json_object_set_new(json, "combinations", json_integer(s->n_run));
  json_object_set_new(json, "runs", runs);
  snprintf(path, sizeof path, "%s/sweep.json", directory);
  wring_json_write(path, json, e);
  json_decref(json);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_row(wring_table *t, const wring_parameter_sweep *s, PetscInt run, const wring_curve *curve)
{
  char text[32];

  PetscFunctionBegin;
  for (int k = 0; k < s->n_axis; k++) PetscCall(wring_table_add(t, "%s", wring_parameter_sweep_value(s, run, k)));
  PetscCall(wring_table_add(t, "%s", curve->name));
  for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) {
    wring_percent(error_at(&s->run[run], curve, k), sizeof text, text);
    PetscCall(wring_table_add(t, "%s", text));
  }
  for (int i = 0; i < N_TIMES; i++) {
    const PetscInt to = curve->iterations_to[digits[i] - 1];
    if (to < 0)
      PetscCall(wring_table_add(t, "-"));
    else
      PetscCall(wring_table_add(t, "%" PetscInt_FMT " / %.2g", to, curve->seconds_to[digits[i] - 1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_parameter_sweep_print(MPI_Comm comm, const wring_parameter_sweep *s)
{
  wring_table *t;
  int          columns = s->n_axis + 1 + N_TIMES;

  PetscFunctionBegin;
  for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) columns++;
  PetscCall(wring_table_create(columns, s->n_axis + 1, &t));
  for (int k = 0; k < s->n_axis; k++) PetscCall(wring_table_add(t, "%s", s->axis[k].key));
  PetscCall(wring_table_add(t, "solver"));
  for (PetscInt k = next_report(s, -1); k >= 0; k = next_report(s, k)) {
    PetscCall(wring_table_add(t, "%" PetscInt_FMT, k));
  }
  for (int i = 0; i < N_TIMES; i++) PetscCall(wring_table_add(t, "to 1e-%d", digits[i]));
  for (PetscInt r = 0; r < s->n_run; r++) {
    for (PetscInt i = 0; i < s->run[r].n; i++) PetscCall(add_row(t, s, r, &s->run[r].curve[i]));
  }
  PetscCall(
    PetscPrintf(comm, "\nrelative error in %% after so many iterations; iterations and seconds to an error of\n"));
  PetscCall(wring_table_print(comm, t));
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sweep.png --------------------------------------------------------------------------------------------------- */

/* Where value i of an axis stands; words at 0, 1, 2, ... */
static double place(const wring_axis *a, PetscInt i)
{
  return a->number ? strtod(a->value[i], NULL) : (double)i;
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

/* One curve over axis k: a data block of the rows of a solver whose other keys have the values that they have in `run`. */
static void print_curve(FILE *f, const wring_parameter_sweep *s, int k, PetscInt run, PetscInt solver, PetscInt block)
{
  PetscInt stride = 1; // from a value of axis k to the next
  for (int j = s->n_axis - 1; j > k; j--) stride *= s->axis[j].n;
  fprintf(f, "$curve_%d_%" PetscInt_FMT " << END\n", k, block);
  for (PetscInt i = 0; i < s->axis[k].n; i++) {
    const wring_comparison *const c     = &s->run[run + i * stride];
    const double                  error = last_error(c, &c->curve[solver]);
    if (isfinite(error)) fprintf(f, "%.17g %.17g\n", place(&s->axis[k], i), PetscMax(error, LEAST));
  }
  fprintf(f, "1e999 1e999\nEND\n"); // gnuplot refuses a block without a point; this one lies outside
}

/* Whether a run has the first value of axis k: curves over k start there. */
static PetscBool is_first(const wring_parameter_sweep *s, PetscInt run, int k)
{
  return (PetscBool)(wring_parameter_sweep_value(s, run, k) == s->axis[k].value[0]);
}

static void print_blocks(FILE *f, const wring_parameter_sweep *s, int k)
{
  PetscInt block = 0;
  for (PetscInt i = 0; i < s->run[0].n; i++) {
    for (PetscInt r = 0; r < s->n_run; r++) {
      if (is_first(s, r, k)) print_curve(f, s, k, r, i, block++);
    }
  }
}

/* The error over axis k, one colour a solver, one curve for each combination of the other keys. */
static void print_panel(FILE *f, const wring_parameter_sweep *s, int k)
{
  const PetscInt others = s->n_run / s->axis[k].n;
  print_scale(f, &s->axis[k]);
  fprintf(f, "set xlabel ");
  wring_plot_quote(f, s->axis[k].key);
  fprintf(f, "\nplot");
  for (PetscInt b = 0; b < s->run[0].n * others; b++) {
    fprintf(f, "%s \\\n  $curve_%d_%" PetscInt_FMT " with linespoints lw 2 pt %d ", b ? "," : "", k, b,
            (int)(b % others) + 1);
    wring_plot_style(f, b / others);
    fprintf(f, b % others ? " notitle" : " title ");
    if (b % others == 0) wring_plot_quote(f, s->run[0].curve[b / others].name);
  }
  fprintf(f, "\n");
}

PetscBool wring_parameter_sweep_plot(const wring_parameter_sweep *s, const char *directory, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/sweep.gp", directory);
  FILE *const f = wring_file_create(path, e);
  if (!f) return PETSC_TRUE; // the error is told, not the picture
  wring_plot_head(f, "sweep", 300 + 600 * s->n_axis, 600);
  fprintf(f, "set datafile separator whitespace\n");
  for (int k = 0; k < s->n_axis; k++) print_blocks(f, s, k);
  fprintf(f, "set logscale y\nset format y '%%.0e'\nset yrange [1e-17<*:*<10]\n");
  fprintf(f, "set ylabel 'relative error at the end'\n");
  wring_plot_panels(f, s->n_axis);
  for (int k = 0; k < s->n_axis; k++) {
    print_panel(f, s, k);
    fprintf(f, "unset key\nunset ylabel\n");
  }
  fprintf(f, "unset multiplot\n");
  wring_file_commit(f, path, e);
  return (PetscBool)(e->text[0] || wring_plot_run(directory, "sweep"));
}
