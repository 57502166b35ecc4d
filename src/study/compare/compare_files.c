/* What a comparison leaves: compare.csv, compare_residuals.csv and compare.json. */
#include "comparison.h"
#include "output/output.h"
#include "io/print.h"
#include <math.h>
#include <string.h>

const char *const wring_comparison_files[] = {
  "compare.json", "compare.csv",      "compare_residuals.csv", "sweep.json", "sweep.csv", "compare.gp",
  "compare.png",  "compare_parts.gp", "compare_parts.png",     "sweep.gp",   "sweep.png", NULL};

void wring_comparison_remove_others(const char *directory, const char *written, wring_error *e)
{
  for (const char *const *file = wring_comparison_files; *file; file++) {
    const PetscBool picture = (PetscBool)(strstr(*file, ".gp") || strstr(*file, ".png"));
    if (picture || strncmp(*file, written, strlen(written)) != 0) wring_directory_remove_file(directory, *file, e);
  }
}

/*
  Measured rows, and rows after the end of a solver, which hold its last values, unless it was cut off, has failed or
  had reached the target: further iterations would have changed them.
*/
static void print_rows(FILE *f, const wring_comparison *c, const wring_convergence *h)
{
  const wring_solve *const one    = h->solve;
  const wring_reason       reason = one->outcome.reason;
  const PetscBool          open =
    (PetscBool)(wring_convergence_cut_off(h) || reason == WRING_AT_TARGET || reason == WRING_SHORT_OF_TARGET);
  const PetscInt last = open ? one->outcome.iterations : c->iterations;
  for (PetscInt k = 0, i = 0; k <= last && one->n > 0; k++) {
    if (i + 1 < one->n && one->row[i + 1].iteration <= k) i++;
    const wring_iteration *const r = &one->row[i];
    if (r->iteration != k && i + 1 < one->n) continue; // not measured
    const double column[] = {h->seconds[i].median, r->value.objective,         r->value.inertial, r->value.elastic,
                             r->gradient_norm,     wring_relative_error(c, r), r->decrement};
    fprintf(f, "%s,%" PetscInt_FMT, h->name, k);
    for (size_t j = 0; j < sizeof column / sizeof column[0]; j++) wring_print_field(f, column[j], "nan");
    for (int j = 0; j < WRING_N_WORK; j++) fprintf(f, ",%" PetscInt64_FMT, r->work.of[j]);
    wring_print_field(f, h->setup_at[i].median, "nan");
    if (c->has_decrement) wring_print_field(f, r->newton_decrement, "nan");
    putc('\n', f);
  }
}

static void write_csv(const wring_comparison *c, const char *path, wring_error *e)
{
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "solver,iteration,seconds,objective,inertial,elastic,gradient_norm,relative_error,decrement");
  for (int j = 0; j < WRING_N_WORK; j++) fprintf(f, ",%s", wring_work_name(j));
  fputs(c->has_decrement ? ",setup_seconds,newton_decrement\n" : ",setup_seconds\n", f);
  for (PetscInt s = 0; s < c->n; s++) print_rows(f, c, &c->history[s]);
  wring_file_commit(f, path, e);
}

static PetscBool has_residuals(const wring_solve *one)
{
  return (PetscBool)(one->n > 1 && !isnan(one->row[1].dual));
}

/* Of splittings and constraints, if there are any. */
static void write_residuals(const wring_comparison *c, const char *directory, wring_error *e)
{
  char     path[PETSC_MAX_PATH_LEN + 32];
  PetscInt some = 0;
  for (PetscInt s = 0; s < c->n; s++) some += has_residuals(c->history[s].solve);
  snprintf(path, sizeof path, "%s/compare_residuals.csv", directory);
  if (!some) wring_directory_remove_file(directory, "compare_residuals.csv", e);
  FILE *const f = some ? wring_file_create(path, e) : NULL;
  if (!f) return;
  fprintf(f, "solver,iteration,primal,dual\n");
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_solve *const one = c->history[s].solve;
    for (PetscInt i = 1; i < one->n && has_residuals(one); i++) {
      const wring_iteration *const r = &one->row[i];
      fprintf(f, "%s,%" PetscInt_FMT ",%.17g,%.17g\n", c->history[s].name, r->iteration, r->primal, r->dual);
    }
  }
  wring_file_commit(f, path, e);
}

/* ---- compare.json ------------------------------------------------------------------------------------------------ */

static const char *const error_name[WRING_N_DIGITS] = {"1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"};

static json_t *repeats_json(const wring_convergence *h)
{
  json_t *const list = json_array();
  for (const wring_solve *one = h->solve; one < h->solve + h->n_solve; one++)
    json_array_append_new(list, wring_json_object("seconds", JSON(one->outcome.last.seconds), "setup_seconds",
                                                  JSON(one->setup.seconds), "waited_share", JSON(one->waited),
                                                  "segment", JSON(one->segment), NULL));
  return list;
}

/* To each relative error: without set-up, with it, and with its part of each of the deck's steps; null: not known. */
static void add_times(const wring_comparison *c, const wring_convergence *h, json_t *json)
{
  const double  part       = 1 / (double)c->steps;
  json_t *const iterations = json_object(), *const seconds = json_object(), *const spreads = json_object();
  json_t *const with_setup = json_object(), *const per_step = json_object();
  for (int i = 0; i < WRING_N_DIGITS; i++) {
    const char *const to     = error_name[i];
    const double      median = h->seconds_to[i].median, setup = h->setup_to[i].median;
    json_object_set_new(iterations, to, h->iterations_to[i] >= 0 ? JSON(h->iterations_to[i]) : json_null());
    json_object_set_new(seconds, to, JSON(median));
    json_object_set_new(spreads, to, JSON(h->seconds_to[i].spread));
    json_object_set_new(with_setup, to, JSON(median + setup));
    json_object_set_new(per_step, to, JSON(median + part * setup));
  }
  wring_json_set(json, "iterations_to", iterations, "seconds_to", seconds, "seconds_to_spread", spreads,
                 "seconds_to_with_setup", with_setup, "seconds_to_per_step", per_step, "setup_seconds",
                 JSON(h->setup.median), "setup_work", wring_work_json(&h->solve[0].setup.work), "seconds_median",
                 JSON(h->total.median), "seconds_spread", JSON(h->total.spread), "repeats", repeats_json(h),
                 "repeats_equal", h->n_solve > 1 ? json_boolean(h->differs < 0) : json_null(), NULL);
}

static json_t *spectrum_json(const wring_spectrum *s)
{
  return wring_json_object("least", JSON(s->least), "largest", JSON(s->largest), "condition",
                           JSON(s->largest / s->least), NULL);
}

json_t *wring_comparison_solvers(const wring_comparison *c)
{
  json_t *const solvers = json_object();
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_convergence *const h    = &c->history[s];
    const wring_outcome *const     o    = &h->solve[0].outcome;
    const wring_iteration *const   last = &o->last;
    json_t *const json = json_object(), *const error = json_object();
    for (PetscInt i = 0; i < c->n_report; i++) {
      char key[32];
      snprintf(key, sizeof key, "%" PetscInt_FMT, c->report[i]);
      json_object_set_new(error, key, JSON(h->error[i]));
    }
    wring_json_set(json, "relative_error", error, "options", json_incref(h->options), NULL);
    add_times(c, h, json);
    if (h->has_spectrum)
      wring_json_set(json, "spectrum_start", spectrum_json(&h->at_start), "spectrum_minimiser",
                     spectrum_json(&h->at_least), NULL);
    json_object_set_new(json, "ended", JSON(wring_convergence_end(h)));
    if (wring_failed(&h->refusal)) json_object_set_new(json, "refusal", JSON(h->refusal.text));
    wring_json_set(json, "segment", h->solve[0].n > 0 ? JSON(h->solve[0].segment) : json_null(), "iterations",
                   JSON(o->iterations), "seconds", JSON(h->total.median), "objective", JSON(last->value.objective),
                   "inertial", JSON(last->value.inertial), "elastic", JSON(last->value.elastic), "gradient_norm",
                   JSON(last->gradient_norm), "rises", JSON(o->rises.count), "largest_rise", JSON(o->rises.largest),
                   "evaluations", JSON(last->evaluations), "linear_iterations", JSON(last->linear_iterations), "work",
                   wring_work_json(&last->work), NULL);
    json_object_set_new(solvers, h->name, json);
  }
  return solvers;
}

void wring_comparison_write(const wring_comparison *c, const char *directory, json_t *provenance, wring_error *e)
{
  json_t *const report = json_array();
  char          path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/compare.csv", directory);
  write_csv(c, path, e);
  write_residuals(c, directory, e);
  for (PetscInt i = 0; i < c->n_report; i++) json_array_append_new(report, JSON(c->report[i]));
  json_t *const json = wring_json_object(
    "schema", JSON(WRING_JSON_SCHEMA), "g_star", JSON(c->least.objective), "g_star_inertial", JSON(c->least.inertial),
    "g_star_elastic", JSON(c->least.elastic), "g_star_from", JSON(c->source), "g_start", JSON(c->start.objective),
    "g_start_inertial", JSON(c->start.inertial), "g_start_elastic", JSON(c->start.elastic), "steps", JSON(c->steps),
    "repeat", JSON(c->repeats), "warm_up", json_boolean(c->warm_up), "ended",
    JSON(c->running ? "running" : wring_stop_text(c->stop)), "report", report, "solvers", wring_comparison_solvers(c),
    "provenance", json_incref(provenance), "segments", c->segments ? json_incref(c->segments) : json_array(), NULL);
  wring_json_write(json, e, "%s/compare.json", directory);
  json_decref(json);
  wring_comparison_remove_others(directory, "compare", e);
}
