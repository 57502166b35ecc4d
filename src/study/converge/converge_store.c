/* What is kept of a level, level.json, and whether it is of this deck: the same program, keys in force and files. */
#include "converge.h"
#include "study/common/kept.h"
#include "study/common/output_directory.h"
#include <wring/io.h>

/* What a level belongs to; the defaults are those of the deck's problem, which all levels have. Rank 0. */
static PetscErrorCode describe(const wring_converge *c, const wring_level *l, json_t **origin)
{
  json_t *own, *const keys = json_deep_copy(c->keys);

  PetscFunctionBegin;
  PetscCall(wring_keys_of_command(l->deck, "run", &own));
  json_object_update(keys, own);
  json_decref(own);
  PetscCall(wring_kept_origin(l->deck, "run", "", keys, origin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_level_add(wring_level *l, const char *name, double value)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(l->n_scalar + 1) * sizeof *l->scalar, &l->scalar));
  PetscCall(PetscStrncpy(l->scalar[l->n_scalar].name, name, sizeof l->scalar->name));
  l->scalar[l->n_scalar++].value = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- level.json -------------------------------------------------------------------------------------------------- */

json_t *wring_level_results(const wring_level *l)
{
  json_t *const json = json_object();
  json_object_set_new(json, "vertices", json_integer(l->vertices));
  json_object_set_new(json, "tets", json_integer(l->tets));
  json_object_set_new(json, "time", wring_json_real(l->time));
  json_object_set_new(json, "iterations", json_integer(l->iterations));
  json_object_set_new(json, "linear_iterations", json_integer(l->linear_iterations));
  json_object_set_new(json, "seconds", wring_json_real(l->seconds));
  json_object_set_new(json, "steps_not_converged", json_integer(l->unconverged));
  return json;
}

PetscErrorCode wring_level_store(const wring_converge *c, const wring_level *l)
{
  json_t *const json = l->finished ? wring_level_results(l) : json_object(), *const scalars = json_object();
  wring_error error = {""};
  json_t     *origin;
  char        path[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBegin;
  for (int i = 0; i < l->n_scalar; i++)
    json_object_set_new(scalars, l->scalar[i].name, wring_json_real(l->scalar[i].value));
  if (l->finished) json_object_set(json, "scalars", scalars);
  json_decref(scalars);
  if (c->rank == 0) {
    PetscCall(describe(c, l, &origin));
    snprintf(path, sizeof path, "%s/level.json", l->directory);
    wring_kept_write(path, origin, json, &error);
    json_decref(origin);
  }
  json_decref(json);
  PetscCall(wring_error_raise_output(c->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double real_of(const json_t *json, const char *key)
{
  const json_t *const value = json_object_get(json, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static PetscErrorCode take_results(const json_t *json, wring_level *l)
{
  const char *name;
  json_t     *value;

  PetscFunctionBegin;
  l->vertices           = (PetscInt)json_integer_value(json_object_get(json, "vertices"));
  l->tets               = json_integer_value(json_object_get(json, "tets"));
  l->iterations         = json_integer_value(json_object_get(json, "iterations"));
  l->linear_iterations  = json_integer_value(json_object_get(json, "linear_iterations"));
  l->unconverged        = (PetscInt)json_integer_value(json_object_get(json, "steps_not_converged"));
  l->time               = real_of(json, "time");
  l->seconds            = real_of(json, "seconds");
  json_t *const scalars = json_object_get(json, "scalars");
  json_object_foreach(scalars, name, value)
  {
    PetscCall(wring_level_add(l, name, real_of(scalars, name)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_take(const wring_converge *c, int k, wring_level *l, wring_error *e)
{
  char      change[256], path[PETSC_MAX_PATH_LEN + 32];
  json_t   *origin = NULL, *old;
  PetscBool overwrite, whole;

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(c->o, "output_", wring_output_options, "overwrite", &overwrite));
  if (c->rank == 0) PetscCall(describe(c, l, &origin));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/level.json", l->directory));
  PetscCall(wring_kept_read(c->comm, path, origin, sizeof change, change, &old, e));
  json_decref(origin);
  if (change[0] && !overwrite)
    wring_error_set(e,
                    "%s: level %d is of another deck or program: %s; add -output_overwrite true to replace it, or "
                    "-output_directory with another name",
                    l->directory, k, change);
  PetscCall(wring_error_share(c->comm, e));
  if (change[0] && overwrite)
    PetscCall(wring_note(c->comm, "%s: level %d is computed anew: %s", l->directory, k, change));
  PetscCall(wring_checkpoint_is_there(c->comm, l->directory, &whole));
  l->replaces = (PetscBool)(old != NULL);
  l->finished = (PetscBool)(whole && !change[0] && json_object_get(old, "scalars"));
  if (!old && !e->text[0]) PetscCall(wring_directory_find_conflict(l->deck, e));
  if (l->finished) PetscCall(take_results(old, l));
  json_decref(old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
