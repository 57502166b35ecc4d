/* What is kept of a level, level.json, and whether it is of this deck: the same program, keys in force and files. */
#include "converge.h"
#include "study/common/output_directory.h"
#include "study/record/inputs.h"
#include "study/record/provenance.h"
#include <wring/io.h>

/* ---- keys and files of a deck; rank 0 ---------------------------------------------------------------------------- */

/* First words of keys that do not change the state at the end of a run. */
static const char *const without[] = {"output_", "checkpoint_", "compare_",   "evaluate_",
                                      "bench_",  "converge_",   "time_limit", NULL};

/* The defaults are those of the deck's problem, which all levels have. */
static PetscErrorCode describe(const wring_converge *c, const wring_level *l, json_t **keys, json_t **files)
{
  json_t *own;

  PetscFunctionBegin;
  PetscCall(wring_keys_of_command(l->deck, "run", &own));
  *keys = json_deep_copy(c->keys);
  json_object_update(*keys, own);
  json_decref(own);
  wring_inputs_leave_out(without, *keys);
  PetscCall(wring_provenance_add_program(*keys));
  PetscCall(wring_inputs_files(l->deck, without, "", files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is there; rank 0 --------------------------------------------------------------------------------------- */

enum { ABSENT, FINISHED, UNFINISHED, OTHER };

/* What is in the directory of a level; change: what differs, if it is OTHER. */
static PetscErrorCode look(const wring_converge *c, const wring_level *l, int *found, size_t size, char *change,
                           wring_error *e)
{
  json_t *keys, *files;
  char    path[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBegin;
  snprintf(path, sizeof path, "%s/level.json", l->directory);
  json_t *const old = wring_json_read(path, e);
  *found            = ABSENT;
  if (!old) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(describe(c, l, &keys, &files));
  wring_inputs_find_change(keys, json_object_get(old, "keys"), files, json_object_get(old, "files"), size, change);
  *found = change[0] ? OTHER : json_object_get(old, "scalars") ? FINISHED : UNFINISHED;
  json_decref(keys);
  json_decref(files);
  json_decref(old);
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
  json_t     *keys, *files;
  char        path[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBegin;
  for (int i = 0; i < l->n_scalar; i++)
    json_object_set_new(scalars, l->scalar[i].name, wring_json_real(l->scalar[i].value));
  json_object_set_new(json, "schema", json_integer(WRING_JSON_SCHEMA));
  if (l->finished) json_object_set(json, "scalars", scalars);
  json_decref(scalars);
  if (c->rank == 0) {
    PetscCall(describe(c, l, &keys, &files));
    json_object_set_new(json, "keys", keys);
    json_object_set_new(json, "files", files);
    snprintf(path, sizeof path, "%s/level.json", l->directory);
    wring_json_write(path, json, &error);
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

/* On all ranks. */
static PetscErrorCode read_level(const wring_converge *c, wring_level *l)
{
  char        path[PETSC_MAX_PATH_LEN + 32], *text;
  PetscInt64  size;
  const char *name;
  json_t     *value;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/level.json", l->directory));
  PetscCall(wring_text_read(c->comm, path, "level", 16, &text, &size));
  json_t *const json = json_loads(text, 0, NULL);
  PetscCall(PetscFree(text));
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
  json_decref(json);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_take(const wring_converge *c, int k, wring_level *l, wring_error *e)
{
  int       found       = ABSENT;
  char      change[256] = "";
  PetscBool overwrite, whole;

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(c->o, "output_", wring_output_options, "overwrite", &overwrite));
  if (c->rank == 0) PetscCall(look(c, l, &found, sizeof change, change, e));
  if (found == OTHER && !overwrite)
    wring_error_set(e,
                    "%s: level %d is of another deck or program: %s; add -output_overwrite true to replace it, or "
                    "-output_directory with another name",
                    l->directory, k, change);
  PetscCall(wring_error_share(c->comm, e));
  PetscCallMPI(MPI_Bcast(&found, 1, MPI_INT, 0, c->comm));
  if (found == OTHER && overwrite)
    PetscCall(wring_note(c->comm, "%s: level %d is computed anew: %s", l->directory, k, change));
  PetscCall(wring_checkpoint_is_there(c->comm, l->directory, &whole));
  l->replaces = (PetscBool)(found != ABSENT);
  l->finished = (PetscBool)(found == FINISHED && whole);
  if (found == ABSENT && !e->text[0]) PetscCall(wring_directory_find_conflict(l->deck, e));
  if (l->finished) PetscCall(read_level(c, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}
