/* What a comparison leaves: compare.csv, compare_residuals.csv, compare.json and the table on the screen. */
#include "compare.h"
#include <math.h>

void wring_comparison_csv(const wring_comparison *c, const char *directory, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/compare.csv", directory);
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "solver,iteration,seconds,objective,inertial,elastic,gradient_norm,relative_error\n");
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_curve *const curve = &c->curve[s];
    for (PetscInt k = 0, i = 0; k <= c->iterations; k++) {
      if (i + 1 < curve->n && curve->row[i + 1].iteration <= k) i++;
      const wring_iteration *const r = &curve->row[i];
      if (r->iteration != k && i + 1 < curve->n) continue; // not measured; the rows after the last one hold its values
      fprintf(f, "%s,%" PetscInt_FMT ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", curve->name, k, r->seconds,
              r->value.objective, r->value.inertial, r->value.elastic, r->gradient_norm,
              wring_relative_error(c, curve, r));
    }
  }
  wring_file_commit(f, path, e);
}

static PetscBool has_residuals(const wring_curve *curve)
{
  return (PetscBool)(curve->n > 1 && !isnan(curve->row[1].primal));
}

void wring_comparison_residuals(const wring_comparison *c, const char *directory, wring_error *e)
{
  char     path[PETSC_MAX_PATH_LEN + 32];
  PetscInt some = 0;
  for (PetscInt s = 0; s < c->n; s++) some += has_residuals(&c->curve[s]);
  snprintf(path, sizeof path, "%s/compare_residuals.csv", directory);
  FILE *const f = some ? wring_file_create(path, e) : NULL;
  if (!f) return;
  fprintf(f, "solver,iteration,primal,dual\n");
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_curve *const curve = &c->curve[s];
    for (PetscInt i = 1; i < curve->n && has_residuals(curve); i++) {
      const wring_iteration *const r = &curve->row[i];
      fprintf(f, "%s,%" PetscInt_FMT ",%.17g,%.17g\n", curve->name, r->iteration, r->primal, r->dual);
    }
  }
  wring_file_commit(f, path, e);
}

/* ---- compare.json ------------------------------------------------------------------------------------------------ */

/* Iterations and seconds to relative errors of 1e-1 ... 1e-8; null where it was not reached. */
static void add_times(const wring_comparison *c, const wring_curve *curve, json_t *json)
{
  json_t *const iterations = json_object(), *const seconds = json_object();
  for (int digits = 1; digits <= 8; digits++) {
    char     key[16];
    PetscInt i = 0;
    snprintf(key, sizeof key, "1e-%d", digits);
    while (i < curve->n && !(wring_relative_error(c, curve, &curve->row[i]) <= pow(10, -digits))) i++;
    const wring_iteration *const r = i < curve->n ? &curve->row[i] : NULL;
    json_object_set_new(iterations, key, r ? json_integer(r->iteration) : json_null());
    json_object_set_new(seconds, key, r ? wring_json_real(r->seconds) : json_null());
  }
  json_object_set_new(json, "iterations_to", iterations);
  json_object_set_new(json, "seconds_to", seconds);
}

static json_t *curve_json(const wring_comparison *c, const wring_curve *curve)
{
  const wring_iteration *const last  = &curve->outcome.last;
  json_t *const                json  = json_object();
  json_t *const                error = json_object();
  for (PetscInt i = 0; i < c->n_report; i++) {
    char key[32];
    snprintf(key, sizeof key, "%" PetscInt_FMT, c->report[i]);
    json_object_set_new(error, key,
                        wring_json_real(wring_relative_error(c, curve, wring_curve_at(curve, c->report[i]))));
  }
  json_object_set_new(json, "relative_error", error);
  add_times(c, curve, json);
  json_object_set_new(json, "ended", json_string(wring_reason_name(curve->outcome.reason)));
  json_object_set_new(json, "iterations", json_integer(curve->outcome.iterations));
  json_object_set_new(json, "seconds", wring_json_real(last->seconds));
  json_object_set_new(json, "objective", wring_json_real(last->value.objective));
  json_object_set_new(json, "gradient_norm", wring_json_real(last->gradient_norm));
  json_object_set_new(json, "rises", json_integer(curve->outcome.rises.count));
  json_object_set_new(json, "largest_rise", wring_json_real(curve->outcome.rises.largest));
  json_object_set_new(json, "evaluations", json_integer(last->evaluations));
  json_object_set_new(json, "linear_iterations", json_integer(last->linear_iterations));
  return json;
}

void wring_comparison_json(const wring_comparison *c, const char *directory, json_t *provenance, wring_error *e)
{
  json_t *const json = json_object(), *const solvers = json_object(), *const report = json_array();
  char path[PETSC_MAX_PATH_LEN + 32];
  for (PetscInt s = 0; s < c->n; s++) json_object_set_new(solvers, c->curve[s].name, curve_json(c, &c->curve[s]));
  for (PetscInt i = 0; i < c->n_report; i++) json_array_append_new(report, json_integer(c->report[i]));
  json_object_set_new(json, "g_star", wring_json_real(c->least));
  json_object_set_new(json, "g_star_from", json_string(c->source));
  json_object_set_new(json, "g_start", wring_json_real(c->curve[0].row[0].value.objective));
  json_object_set_new(json, "report", report);
  json_object_set_new(json, "solvers", solvers);
  json_object_set(json, "provenance", provenance);
  snprintf(path, sizeof path, "%s/compare.json", directory);
  wring_json_write(path, json, e);
  json_decref(json);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_comparison_print(MPI_Comm comm, const wring_comparison *c)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "\nrelative error (g(x_k) - g*) / (g(x_0) - g*) in %%, g* = %.12e J (%s)\n", c->least,
                        c->source));
  PetscCall(PetscPrintf(comm, "%9s", "iteration"));
  for (PetscInt s = 0; s < c->n; s++) PetscCall(PetscPrintf(comm, " %12s", c->curve[s].name));
  for (PetscInt i = 0; i < c->n_report; i++) {
    PetscCall(PetscPrintf(comm, "\n%9" PetscInt_FMT, c->report[i]));
    for (PetscInt s = 0; s < c->n; s++) {
      const wring_curve *const curve = &c->curve[s];
      const double             error = wring_relative_error(c, curve, wring_curve_at(curve, c->report[i]));
      PetscCall(PetscPrintf(comm, " %12.3g", 100 * error));
    }
  }
  PetscCall(PetscPrintf(comm, "\n%9s", "seconds"));
  for (PetscInt s = 0; s < c->n; s++) PetscCall(PetscPrintf(comm, " %12.3g", c->curve[s].outcome.last.seconds));
  PetscCall(PetscPrintf(comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
