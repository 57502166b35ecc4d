/* The keys of compare_sweep_, their values, and the folder of each combination. */
#include "base/text.h"
#include "compare_grid.h"
#include <stdio.h>
#include <string.h>

const wring_option wring_grid_options[] = {
  {.key  = "",
   .type = WRING_WORDS,
   .help = "Values of the key NAME, such as compare_sweep_time_step: all combinations are compared."},
  {0},
};

enum { MAX_RUNS = 10000 }; // comparisons

static const char family[] = "compare_sweep_";

const char *wring_parameter_grid_value(const wring_parameter_grid *s, PetscInt run, int axis)
{
  for (int k = s->n_axis - 1; k > axis; k--) run /= s->axis[k].n;
  return s->axis[axis].value[run % s->axis[axis].n];
}

/* Neither a shell nor a deck reads anything into letters, digits, .+-=_ */
static PetscErrorCode make_run(const wring_options *o, const wring_parameter_grid *s, PetscInt run)
{
  const char *const     origin = wring_options_origin(o, "output_", "directory");
  wring_grid_run *const r      = &s->run[run];
  char                  path[PETSC_MAX_PATH_LEN];
  size_t                n = 0;

  PetscFunctionBegin;
  PetscCall(wring_options_copy(o, family, &r->deck));
  for (int k = 0; k < s->n_axis; k++) {
    const char *const value = wring_parameter_grid_value(s, run, k), *const key = s->axis[k].key;
    PetscCall(wring_options_set(r->deck, key, value, s->axis[k].origin));
    if (n < WRING_FOLDER_SIZE)
      n += (size_t)snprintf(r->folder + n, WRING_FOLDER_SIZE - n, "%s%s=%s", k ? "__" : "", key, value);
  }
  for (char *c = r->folder; *c; c++)
    if (!wring_text_is_letter(*c) && !wring_text_is_digit(*c) && !strchr(".+-=_", *c)) *c = '_';
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s", s->output.directory, r->folder));
  PetscCall(wring_options_set(r->deck, "output_directory", path, origin ? origin : "default"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_of_family(const char *key)
{
  return (PetscBool)(wring_ascii_compare_n(key, family, strlen(family)) == 0);
}

/* Keys without effect in a comparison, and those of compare in their place. */
static const char *const without_effect[][2] = {
  {"solver_max_it", "compare_iterations"}, {"solver_rtol", "compare_tolerance"}, {"solver_type", "compare_solvers"}};

PetscErrorCode wring_compare_note_keys(const wring_options *o)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) // with solver_type, it is clear that others are compared
    if (wring_options_has(o, "", without_effect[i][0]))
      PetscCall(wring_note(wring_options_comm(o), "%s does not apply to compare: %s does", without_effect[i][0],
                           without_effect[i][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Keys and values are checked as those of a deck. Refused are keys whose values decide what a sweep is or where it goes,
  and those without effect.
*/
static PetscErrorCode check_axis(const wring_options *o, const wring_catalogue *c, const wring_axis *a)
{
  const MPI_Comm            comm = wring_options_comm(o);
  const wring_option *const p    = wring_schema_find(c->n, c->entry, a->key, 0);
  const char *const         said = wring_options_origin(o, "", a->key), *other = NULL;
  wring_options            *alone;
  char                      origin[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++)
    if (!wring_ascii_compare(a->key, without_effect[i][0])) other = without_effect[i][1];
  PetscCall(PetscSNPrintf(origin, sizeof origin, "%s: compare_sweep", a->origin));
  if (p && (is_of_family(a->key) || !wring_ascii_compare(a->key, "output_directory") || other))
    WRING_REFUSE(comm, "%s: %s cannot be swept%s%s", origin, a->key, other ? ", expected " : "", other ? other : "");
  if (p && (p->type == WRING_REALS || p->type == WRING_INTS || p->type == WRING_WORDS))
    WRING_REFUSE(comm, "%s: %s is a list, expected a key with one value", origin, a->key);
  if (said && strcmp(said, WRING_COMMAND_LINE) == 0)
    WRING_REFUSE(comm, "command line: %s is swept too (%s), expected one of them", a->key, a->origin);
  PetscCall(wring_options_create(comm, &alone));
  for (PetscInt i = 0; i < a->n; i++) {
    PetscCall(wring_options_set(alone, a->key, a->value[i], origin));
    PetscCall(wring_options_check(alone, c->n, c->entry, wring_problem_words));
    for (PetscInt j = 0; j < i; j++) {
      if (wring_ascii_compare(a->value[i], a->value[j]) == 0)
        WRING_REFUSE(comm, "%s: %s has the value %s twice", origin, a->key, a->value[i]);
    }
  }
  PetscCall(wring_options_destroy(&alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_parameter_grid_read(const wring_options *o, wring_parameter_grid *s)
{
  const char      *key, *value, *origin;
  wring_catalogue *c;

  PetscFunctionBegin;
  *s = (wring_parameter_grid){.n_run = 1};
  PetscCall(wring_keys_create(&c));
  PetscCall(wring_output_read(o, &s->output));
  PetscCall(PetscCalloc1(wring_options_count(o), &s->axis));
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    if (!is_of_family(key)) continue;
    wring_axis *const a = &s->axis[s->n_axis++];
    a->key              = key + strlen(family);
    a->origin           = origin;
    PetscCall(wring_options_get_word_list(o, key, wring_grid_options, "", &a->n, &a->value));
    const wring_option *const option = wring_schema_find(c->n, c->entry, a->key, 0);
    a->number                        = (PetscBool)(option && (option->type == WRING_INT || option->type == WRING_REAL));
    if (a->n > MAX_RUNS / s->n_run)
      WRING_REFUSE(s->output.comm, "%s: compare_sweep has more than %d combinations", origin, MAX_RUNS);
    s->n_run *= a->n;
  }
  PetscCall(wring_catalogue_destroy(&c));
  PetscCall(PetscCalloc1(s->n_run, &s->run));
  for (PetscInt r = 0; r < s->n_run && s->n_axis > 0; r++) PetscCall(make_run(o, s, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_parameter_grid_clear(wring_parameter_grid *s)
{
  PetscFunctionBegin;
  for (int k = 0; k < s->n_axis; k++) PetscCall(wring_words_destroy(s->axis[k].n, &s->axis[k].value));
  for (wring_grid_run *r = s->run; r < s->run + s->n_run; r++) {
    PetscCall(wring_compare_destroy(&r->compare));
    PetscCall(wring_comparison_clear(&r->found));
    if (r->deck) PetscCall(wring_options_destroy(&r->deck));
  }
  PetscCall(PetscFree(s->axis));
  PetscCall(PetscFree(s->run));
  *s = (wring_parameter_grid){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_parameter_grid_check(const wring_options *o, const wring_catalogue *c)
{
  json_t *const        seen = json_object();
  wring_parameter_grid s;

  PetscFunctionBegin;
  PetscCall(wring_parameter_grid_read(o, &s));
  for (int k = 0; k < s.n_axis; k++) PetscCall(check_axis(o, c, &s.axis[k]));
  for (PetscInt r = 0; r < s.n_run && s.n_axis > 0; r++) { // folders of their own, with names that file systems take
    const char *const folder = s.run[r].folder;
    if (strlen(folder) > WRING_FOLDER_SIZE - 2)
      WRING_REFUSE(wring_options_comm(o),
                   "compare_sweep: the folder %s... of a combination has more than %d characters", folder,
                   WRING_FOLDER_SIZE - 2);
    if (json_object_get(seen, folder))
      WRING_REFUSE(wring_options_comm(o), "compare_sweep: two combinations would share the folder %s", folder);
    json_object_set_new(seen, folder, json_true());
  }
  json_decref(seen);
  PetscCall(wring_parameter_grid_clear(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
