/* What a convergence study leaves: converge.csv and converge.json. */
#include "converge.h"
#include <math.h>

/* Nothing where a number is not given. */
static void print_real(FILE *f, double value)
{
  if (isnan(value))
    fputc(',', f);
  else
    fprintf(f, ",%.17g", value);
}

static double size_of(const wring_converge *c, int k)
{
  return cbrt(c->volume / (double)c->level[k].tets);
}

static void print_row(FILE *f, const wring_converge *c, const wring_quantity *q, int k)
{
  const wring_level *const   l  = &c->level[k];
  const wring_measure *const at = &q->at[k];
  fprintf(f, "%s,%d,%" PetscInt_FMT ",%.17g,%.17g,%" PetscInt_FMT, q->name, k, l->refine, size_of(c, k), l->step,
          l->steps);
  fprintf(f, ",%" PetscInt_FMT ",%" PetscInt64_FMT ",%" PetscInt64_FMT ",%" PetscInt64_FMT ",%.17g", l->vertices,
          l->tets, l->iterations, l->linear_iterations, l->seconds);
  const double number[] = {at->value, at->difference, at->error, at->order, at->estimate, at->limit};
  for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) print_real(f, number[i]);
  fputc('\n', f);
}

void wring_converge_csv(const wring_converge *c, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/converge.csv", c->directory);
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "quantity,level,refine,size,step,steps,vertices,tets,iterations,linear_iterations,seconds,value,"
             "difference,error,order,estimate,limit\n");
  for (int i = 0; i < c->n_quantity; i++)
    for (int k = 0; k < c->n; k++) print_row(f, c, &c->quantity[i], k);
  wring_file_commit(f, path, e);
}

/* ---- converge.json ----------------------------------------------------------------------------------------------- */

static json_t *level_json(const wring_converge *c, int k)
{
  const wring_level *const l    = &c->level[k];
  json_t *const            json = wring_level_results(l);
  json_object_set_new(json, "level", json_integer(k));
  json_object_set_new(json, "directory", wring_json_text(l->directory));
  json_object_set_new(json, "refine", json_integer(l->refine));
  json_object_set_new(json, "size", wring_json_real(size_of(c, k)));
  json_object_set_new(json, "step", wring_json_real(l->step));
  json_object_set_new(json, "steps", json_integer(l->steps));
  return json;
}

static json_t *quantity_json(const wring_converge *c, const wring_quantity *q)
{
  static const char *const name[] = {"value", "difference", "error", "order", "estimate", "limit"};
  json_t *const            json   = json_object();
  for (int i = 0; i < 6; i++) {
    json_t *const list = json_array();
    for (int k = 0; k < c->n; k++) {
      const wring_measure *const at       = &q->at[k];
      const double               number[] = {at->value, at->difference, at->error, at->order, at->estimate, at->limit};
      json_array_append_new(list, wring_json_real(number[i]));
    }
    json_object_set_new(json, name[i], list);
  }
  return json;
}

void wring_converge_json(const wring_converge *c, json_t *json, wring_error *e)
{
  json_t *const levels = json_array(), *const quantities = json_object();
  char path[PETSC_MAX_PATH_LEN + 32];
  for (int k = 0; k < c->n; k++) json_array_append_new(levels, level_json(c, k));
  for (int i = 0; i < c->n_quantity; i++)
    json_object_set_new(quantities, c->quantity[i].name, quantity_json(c, &c->quantity[i]));
  json_object_set_new(json, "in", json_string(!c->in_time ? "mesh" : c->in_mesh ? "both" : "time"));
  json_object_set_new(json, "against", wring_json_text(c->table[0] ? c->table : "finest"));
  json_object_set_new(json, "volume", wring_json_real(c->volume));
  json_object_set_new(json, "levels", levels);
  json_object_set_new(json, "quantities", quantities);
  snprintf(path, sizeof path, "%s/converge.json", c->directory);
  wring_json_write(path, json, e);
}
