/* What a convergence study leaves: converge.csv and converge.json; tables on the screen. */
#include "converge.h"
#include "study/common/output_directory.h"
#include "study/common/table.h"
#include "study/record/provenance.h"
#include <math.h>

static const char *const measure_name[WRING_N_MEASURE] = {"value",    "difference", "error", "order",
                                                          "estimate", "limit",      "gci"};

/* What converge.csv has of the results of a level. */
static const char *const count_name[] = {"vertices", "tets", "iterations", "linear_iterations"};
enum { N_COUNT = sizeof count_name / sizeof *count_name };

static double size_of(const wring_converge *c, int k)
{
  return cbrt(c->volume / wring_json_number(c->level[k].results, "tets"));
}

/* A number that is not given leaves its place empty. */
static void print_row(FILE *f, const wring_converge *c, const wring_quantity *q, int k)
{
  const wring_level *const l = &c->level[k];
  fprintf(f, "%s,%d,%" PetscInt_FMT ",%.17g,%.17g,%" PetscInt_FMT, q->name, k, l->refine, size_of(c, k), l->step,
          l->steps);
  for (int i = 0; i < N_COUNT; i++) fprintf(f, ",%.0f", wring_json_number(l->results, count_name[i]));
  fprintf(f, ",%.17g", wring_json_number(l->results, "seconds"));
  for (int i = 0; i < WRING_N_MEASURE; i++) {
    if (isnan(q->at[k][i]))
      fputc(',', f);
    else
      fprintf(f, ",%.17g", q->at[k][i]);
  }
  fputc('\n', f);
}

static void write_csv(const wring_converge *c, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/converge.csv", c->directory);
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "quantity,level,refine,size,step,steps,vertices,tets,iterations,linear_iterations,seconds");
  for (int i = 0; i < WRING_N_MEASURE; i++) fprintf(f, ",%s", measure_name[i]);
  fputc('\n', f);
  for (int i = 0; i < c->n_quantity; i++)
    for (int k = 0; k < c->n; k++) print_row(f, c, &c->quantity[i], k);
  wring_file_commit(f, path, e);
}

/* Adds to json. */
static void write_json(const wring_converge *c, json_t *json, wring_error *e)
{
  static const char *const without[] = {"scalars", "schema", "keys", "files"}; // of level.json
  json_t *const levels = json_array(), *const quantities = json_object();
  for (int k = 0; k < c->n; k++) {
    const wring_level *const l   = &c->level[k];
    json_t *const            own = json_copy(l->results);
    for (int i = 0; i < 4; i++) json_object_del(own, without[i]);
    wring_json_set(own, "level", json_integer(k), "directory", wring_json_text(l->directory), "refine",
                   json_integer(l->refine), "size", wring_json_real(size_of(c, k)), "step", wring_json_real(l->step),
                   "steps", json_integer(l->steps), NULL);
    json_array_append_new(levels, own);
  }
  for (int i = 0; i < c->n_quantity; i++) {
    json_t *const quantity = json_object();
    for (int j = 0; j < WRING_N_MEASURE; j++) {
      json_t *const list = json_array();
      for (int k = 0; k < c->n; k++) json_array_append_new(list, wring_json_real(c->quantity[i].at[k][j]));
      json_object_set_new(quantity, measure_name[j], list);
    }
    wring_json_set(quantity, "verdict", json_string(c->quantity[i].verdict), "least_order",
                   wring_json_real(c->quantity[i].least), "largest_order", wring_json_real(c->quantity[i].most), NULL);
    json_object_set_new(quantities, c->quantity[i].name, quantity);
  }
  wring_json_set(json, "in",
                 json_string(!c->in_time  ? "mesh"
                             : c->in_mesh ? "both"
                                          : "time"),
                 "against", wring_json_text(c->table[0] ? c->table : "finest"), "volume", wring_json_real(c->volume),
                 "levels", levels, "quantities", quantities, NULL);
  wring_json_write(json, e, "%s/converge.json", c->directory);
}

PetscErrorCode wring_converge_write(const wring_converge *c, wring_ending *end)
{
  wring_error error = {""};
  json_t     *json;

  PetscFunctionBegin;
  PetscCall(wring_provenance_of_command(c->o, "converge", &json));
  if (c->rank == 0) {
    write_csv(c, &error);
    write_json(c, json, &error);
    wring_directory_remove_file(c->directory, "converge.gp", &error);
    wring_directory_remove_file(c->directory, "converge.png", &error);
    wring_converge_plot(c, end, &error);
  }
  json_decref(json);
  PetscCall(wring_error_raise_output(c->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the screen: the levels and their cost, then how each quantity converges ------------------------------------- */

static PetscErrorCode print_levels(const wring_converge *c)
{
  wring_table t = {.heads = 1};

  PetscFunctionBegin;
  PetscCall(wring_table_add(&t, "level\trefine\tstep\tvertices\ttets\tsteps\tnot converged\titerations\ta step\t"
                                "linear iterations\tseconds\n"));
  for (int k = 0; k < c->n; k++) {
    const wring_level *const l          = &c->level[k];
    const double             iterations = wring_json_number(l->results, "iterations");
    PetscCall(wring_table_add(
      &t, "%d\t%" PetscInt_FMT "\t%.4g\t%.0f\t%.0f\t%" PetscInt_FMT "\t%.0f\t%.0f\t%.3g", k, l->refine,
      c->is_static ? NAN : l->step, wring_json_number(l->results, "vertices"), wring_json_number(l->results, "tets"),
      l->steps, wring_json_number(l->results, "steps_not_converged"), iterations, iterations / (double)l->steps));
    PetscCall(wring_table_add(&t, "%.0f\t%.3g", wring_json_number(l->results, "linear_iterations"),
                              wring_json_number(l->results, "seconds")));
  }
  PetscCall(wring_table_print(c->comm, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_quantities(const wring_converge *c)
{
  wring_table t = {.heads = 2};

  PetscFunctionBegin;
  PetscCall(wring_table_add(&t, "quantity\tlevel\tvalue\tdifference\terror\torder\testimate\tGCI\n"));
  for (int i = 0; i < c->n_quantity; i++) {
    const wring_quantity *const q = &c->quantity[i];
    for (int k = 0; k < c->n && !q->noise; k++) {
      const double *const at = q->at[k];
      PetscCall(wring_table_add(&t, "%s\t%d\t%.8g\t%.3e\t%.3e\t%.3f\t%.3e\t%.2e", k ? "" : q->name, k,
                                at[WRING_OF_VALUE], at[WRING_OF_DIFFERENCE], at[WRING_OF_ERROR], at[WRING_OF_ORDER],
                                at[WRING_OF_ESTIMATE], at[WRING_OF_GCI]));
    }
  }
  PetscCall(wring_table_print(c->comm, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "tip_uz: converges, order 1.98 (1.93 to 1.98), GCI 0.3 %, limit -12.9" */
static PetscErrorCode print_verdict(const wring_converge *c, const wring_quantity *q)
{
  const double *const at = q->at[c->n - 1];

  PetscFunctionBegin;
  if (q->noise) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(c->comm, "%s: %s", q->name, q->verdict));
  if (!isnan(at[WRING_OF_ORDER]))
    PetscCall(PetscPrintf(c->comm, ", order %.2f (%.2f to %.2f)", at[WRING_OF_ORDER], q->least, q->most));
  if (at[WRING_OF_GCI] > 0) PetscCall(PetscPrintf(c->comm, ", GCI %.2g %%", 100 * at[WRING_OF_GCI]));
  if (!isnan(at[WRING_OF_LIMIT])) PetscCall(PetscPrintf(c->comm, ", limit %.6g", at[WRING_OF_LIMIT]));
  PetscCall(PetscPrintf(c->comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_print(const wring_converge *c)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(c->comm, "\nlevels, with iterations and seconds of the solver\n"));
  PetscCall(print_levels(c));
  PetscCall(PetscPrintf(c->comm,
                        "\nconvergence: difference from the level before, error from the %s, order by which the "
                        "difference falls%s,\nestimate of the error by that order, and grid convergence index\n",
                        c->table[0] ? "table" : "finest level", c->table[0] ? " (before the finest: the error)" : ""));
  PetscCall(print_quantities(c));
  PetscCall(PetscPrintf(c->comm, "\n"));
  for (int i = 0; i < c->n_quantity; i++) PetscCall(print_verdict(c, &c->quantity[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
