/* What a convergence study leaves: converge.csv and converge.json; tables on the screen. */
#include "converge.h"
#include "output/output.h"
#include "io/print.h"
#include "study/common/provenance.h"
#include <math.h>

static const char *const measure_name[WRING_N_MEASURE] = {"value",    "difference", "error", "order",
                                                          "estimate", "limit",      "gci"};

/* What level.json has of a level, and its place among the levels. */
static json_t *level_json(const wring_converge *c, int k)
{
  static const char *const          without[] = {"scalars", "schema", "keys", "files"};
  const wring_converge_level *const l         = &c->level[k];
  json_t *const                     json      = json_copy(l->results);
  for (int i = 0; i < 4; i++) json_object_del(json, without[i]);
  return wring_json_set(json, "level", JSON(k), "directory", JSON(l->directory), "refine", JSON(l->refine), "size",
                        JSON(wring_level_size(c, k)), "step", JSON(l->step), "steps", JSON(l->steps), NULL);
}

static json_t *quantity_json(const wring_converge *c, const wring_quantity *q)
{
  json_t *const json = json_object();
  for (int i = 0; i < WRING_N_MEASURE; i++) {
    json_t *const list = json_array();
    for (int k = 0; k < c->n; k++) json_array_append_new(list, JSON(q->at[k][i]));
    json_object_set_new(json, measure_name[i], list);
  }
  return wring_json_set(json, "verdict", JSON(q->verdict), "least_order", JSON(q->least), "largest_order",
                        JSON(q->most), NULL);
}

/* A row for each quantity at each level; a number that is not given leaves its place empty. */
static void write_csv(const wring_converge *c, const json_t *levels, wring_error *e)
{
  static const char *const column[] = {
    "level", "refine", "size", "step", "steps", "vertices", "tets", "iterations", "linear_iterations", "seconds"};
  enum { N_COLUMN = sizeof column / sizeof column[0] };
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/converge.csv", c->output.directory);
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "quantity");
  for (int i = 0; i < N_COLUMN; i++) fprintf(f, ",%s", column[i]);
  for (int i = 0; i < WRING_N_MEASURE; i++) fprintf(f, ",%s", measure_name[i]);
  for (const wring_quantity *q = c->quantity; q < c->quantity + c->n_quantity; q++) {
    for (int k = 0; k < c->n; k++) {
      const json_t *const level = json_array_get(levels, (size_t)k);
      fprintf(f, "\n%s", q->name);
      for (int i = 0; i < N_COLUMN; i++) wring_print_field(f, wring_json_number(level, column[i]), "");
      for (int i = 0; i < WRING_N_MEASURE; i++) wring_print_field(f, q->at[k][i], "");
    }
  }
  fputc('\n', f);
  wring_file_commit(f, path, e);
}

/* Adds to json, the provenance. */
static void write_all(const wring_converge *c, json_t *json, wring_error *e)
{
  json_t *const levels = json_array(), *const quantities = json_object();
  for (int k = 0; k < c->n; k++) json_array_append_new(levels, level_json(c, k));
  for (const wring_quantity *q = c->quantity; q < c->quantity + c->n_quantity; q++)
    json_object_set_new(quantities, q->name, quantity_json(c, q));
  const char *const in = !c->in_time ? "mesh" : c->in_mesh ? "both" : "time";
  wring_json_set(json, "in", JSON(in), "against", JSON(c->table[0] ? c->table : "finest"), "volume", JSON(c->volume),
                 "levels", levels, "quantities", quantities, NULL);
  write_csv(c, levels, e);
  wring_json_write(json, e, "%s/converge.json", c->output.directory);
  wring_directory_remove_file(c->output.directory, "converge.gp", e);
  wring_directory_remove_file(c->output.directory, "converge.png", e);
}

PetscErrorCode wring_converge_write(const wring_converge *c, wring_ending *end)
{
  wring_error error = {""};
  json_t     *json;

  PetscFunctionBegin;
  PetscCall(wring_provenance_of_command(c->o, "converge", "", &json));
  if (c->output.rank == 0) {
    write_all(c, json, &error);
    wring_converge_plot(c, end, &error);
  }
  json_decref(json);
  PetscCall(wring_error_raise_output(c->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the screen: the levels and their cost, then how each quantity converges ------------------------------------- */

static void print_levels(const wring_converge *c)
{
  wring_text_table t;
  FILE *const      f = wring_table_begin(&t);
  fprintf(
    f, "level\trefine\tstep\tvertices\ttets\tsteps\tnot converged\titerations\ta step\tlinear iterations\tseconds\n");
  for (int k = 0; k < c->n; k++) {
    const wring_converge_level *const l          = &c->level[k];
    const double                      iterations = wring_json_number(l->results, "iterations");
    fprintf(f, "%d\t%" PetscInt_FMT "\t%.4g", k, l->refine, c->is_static ? NAN : l->step);
    fprintf(f, "\t%.0f\t%.0f", wring_json_number(l->results, "vertices"), wring_json_number(l->results, "tets"));
    fprintf(f, "\t%" PetscInt_FMT "\t%.0f", l->steps, wring_json_number(l->results, "steps_not_converged"));
    fprintf(f, "\t%.0f\t%.3g", iterations, iterations / (double)l->steps);
    fprintf(f, "\t%.0f\t%.3g\n", wring_json_number(l->results, "linear_iterations"),
            wring_json_number(l->results, "seconds"));
  }
  wring_table_print(&t, 1);
}

static void print_quantities(const wring_converge *c)
{
  wring_text_table t;
  FILE *const      f = wring_table_begin(&t);
  fprintf(f, "quantity\tlevel\tvalue\tdifference\terror\torder\testimate\tGCI\n");
  for (const wring_quantity *q = c->quantity; q < c->quantity + c->n_quantity; q++) {
    for (int k = 0; k < c->n && !q->noise; k++) {
      const double *const at = q->at[k];
      fprintf(f, "%s\t%d\t%.8g\t%.3e\t%.3e\t%.3f\t%.3e\t%.2e\n", k ? "" : q->name, k, at[WRING_OF_VALUE],
              at[WRING_OF_DIFFERENCE], at[WRING_OF_ERROR], at[WRING_OF_ORDER], at[WRING_OF_ESTIMATE], at[WRING_OF_GCI]);
    }
  }
  wring_table_print(&t, 2);
}

/* "tip_uz: converges, order 1.98 (1.93 to 1.98), GCI 0.3 %, limit -12.9" */
static void print_verdict(const wring_converge *c, const wring_quantity *q)
{
  const double *const at = q->at[c->n - 1];
  if (q->noise) return;
  printf("%s: %s", q->name, q->verdict);
  if (!isnan(at[WRING_OF_ORDER])) printf(", order %.2f (%.2f to %.2f)", at[WRING_OF_ORDER], q->least, q->most);
  if (at[WRING_OF_GCI] > 0) printf(", GCI %.2g %%", 100 * at[WRING_OF_GCI]);
  if (!isnan(at[WRING_OF_LIMIT])) printf(", limit %.6g", at[WRING_OF_LIMIT]);
  putchar('\n');
}

void wring_converge_print(const wring_converge *c)
{
  printf("\nlevels, with iterations and seconds of the solver\n");
  print_levels(c);
  printf("\nconvergence: difference from the level before, error from the %s, order by which the difference falls%s,\n"
         "estimate of the error by that order, and grid convergence index\n",
         c->table[0] ? "table" : "finest level", c->table[0] ? " (before the finest: the error)" : "");
  print_quantities(c);
  putchar('\n');
  for (int i = 0; i < c->n_quantity; i++) print_verdict(c, &c->quantity[i]);
  fflush(stdout);
}
