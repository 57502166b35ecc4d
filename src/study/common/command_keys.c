#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "command_keys.h"
#include "io/json.h"
#include "plugins.h"
#include <stdlib.h>
#include <string.h>

/* In the order of help; owner: the command that reads them, or "output", "checkpoint". */
static const wring_schema tables[] = {
  {"output_", wring_output_options, "output"},
  {"checkpoint_", wring_checkpoint_options, "checkpoint"},
  {"compare_", wring_compare_options, "compare"},
  {"compare_sweep_*", wring_grid_options, "compare"},
  {"evaluate_", wring_evaluate_options, "evaluate"},
  {"converge_", wring_converge_options, "converge"},
  {"bench_", wring_bench_options, "bench"},
  {"check_", wring_check_options, "check"},
  {"", wring_plugin_options, "plugin"},
};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

PetscErrorCode wring_keys_create(wring_catalogue **c)
{
  PetscFunctionBegin;
  PetscCall(wring_catalogue_create(c));
  for (int i = 0; i < N_TABLES; i++)
    PetscCall(wring_catalogue_add(*c, tables[i].prefix, tables[i].options, tables[i].owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_key(const wring_schema *table, const char *key)
{
  const size_t size = strcspn(table->prefix, "*"); // 0: of every command
  return (PetscBool)(size && !wring_ascii_compare_n(key, table->prefix, size));
}

PetscBool wring_keys_of_others(const char *command, const char *key)
{
  for (const wring_schema *s = tables; s < tables + N_TABLES; s++)
    if (strcmp(s->owner, command) && has_key(s, key)) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode wring_keys_check_command(const wring_options *o, const char *command)
{
  const char *key, *value, *origin;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    for (const wring_schema *s = tables; s < tables + N_TABLES && !strcmp(origin, WRING_COMMAND_LINE); s++) {
      const char *const reader = s->options == wring_checkpoint_options ? "run" : s->owner;
      if (s->options != wring_output_options && strcmp(reader, command) && has_key(s, key))
        WRING_REFUSE(wring_options_comm(o), "%s: %s is a key of wring %s, expected one that wring %s reads", origin,
                     key, reader, command);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One item of a list, or the value of a key with one value. */
static json_t *item_json(wring_option_type type, const char *text)
{
  double v;
  switch (type) {
  case WRING_INT:
  case WRING_INTS:
    return JSON(strtoll(text, NULL, 10));
  case WRING_REAL:
  case WRING_REALS:
    (void)wring_text_real(text, &v);
    return JSON(v);
  case WRING_BOOL:
    return json_boolean(strchr("1tTyY", text[0]) || wring_ascii_compare(text, "on") == 0);
  default:
    return JSON(text);
  }
}

/* Converts a text that the option accepts. */
static json_t *value_json(const wring_option *option, const char *text)
{
  json_t *list;
  char   *copy, *at = NULL;
  if (option->type != WRING_INTS && option->type != WRING_REALS && option->type != WRING_WORDS)
    return item_json(option->type, text);
  list = json_array();
  copy = strdup(text);
  for (char *item = copy ? strtok_r(copy, ", \t", &at) : NULL; item; item = strtok_r(NULL, ", \t", &at))
    json_array_append_new(list, item_json(option->type, item));
  free(copy);
  return list;
}

static PetscErrorCode add_default(void *context, const char *key, const wring_option *option)
{
  PetscFunctionBegin;
  json_object_set_new(context, key, value_json(option, option->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a command uses a key of a table; those of output_ are common to commands that write files. */
static PetscBool uses(const char *command, const wring_schema *table, const char *key)
{
  const PetscBool run   = (PetscBool)(strcmp(command, "run") == 0);
  const PetscBool draws = (PetscBool)(strcmp(command, "compare") == 0 || strcmp(command, "converge") == 0);
  if (strcmp(table->owner, "checkpoint") == 0) return run;
  if (strcmp(table->owner, "output") != 0) return (PetscBool)(strcmp(table->owner, command) == 0);
  if (strcmp(key, "plots") == 0) return draws;
  return (PetscBool)(run || strcmp(key, "directory") == 0);
}

/* Several tables may have a key, such as a parameter of several laws: the first that accepts the value is used. */
PetscErrorCode wring_keys_of_command(const wring_options *o, const char *command, json_t **keys)
{
  const char         *key, *value, *origin;
  const wring_option *option;
  wring_catalogue    *c;
  char                full[256];

  PetscFunctionBegin;
  *keys = json_object();
  PetscCall(wring_keys_create(&c));
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    for (int j = 0; (option = wring_schema_find(c->n, c->entry, key, j)); j++)
      if (wring_option_accepts(option, value)) break;
    json_object_set_new(*keys, key, option ? value_json(option, value) : JSON(value));
  }
  PetscCall(wring_catalogue_destroy(&c));
  for (int i = 0; i < N_TABLES; i++) {
    for (const wring_option *k = tables[i].options; k->key; k++) {
      if (!k->value || wring_options_has(o, tables[i].prefix, k->key) || !uses(command, &tables[i], k->key)) continue;
      snprintf(full, sizeof full, "%s%s", tables[i].prefix, k->key);
      PetscCall(add_default(*keys, full, k));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_keys_in_force(const wring_problem *p, const char *command, PetscInt n_solver,
                                   const char *const *solver, json_t **keys)
{
  const wring_options *const o = p->options;
  const char                *type;

  PetscFunctionBegin;
  PetscCall(wring_keys_of_command(o, command, keys));
  if (!solver && wring_stepper_minimises(p->stepper)) {
    PetscCall(wring_solver_default_type(o, &type));
    solver   = &type;
    n_solver = 1;
  }
  PetscCall(wring_problem_visit_defaults(p, n_solver, solver, add_default, *keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
