#include "kept.h"
#include "command_keys.h"
#include "provenance.h"
#include <string.h>

/* Removes keys that change no result, and those of other commands. */
static void leave_out(const char *command, json_t *keys)
{
  const char *key;
  json_t     *value;
  void       *next;
  json_object_foreach_safe(keys, next, key, value)
  {
    if (wring_keys_of_others(command, key) || wring_ascii_compare(key, "time_limit") == 0)
      json_object_del(keys, key); // which frees key
  }
}

PetscErrorCode wring_kept_origin(const wring_options *o, const char *command, const char *checkpoint, json_t *keys,
                                 json_t **origin)
{
  json_t *files;
  char   *petsc, program[512];

  PetscFunctionBegin;
  PetscCall(wring_provenance_files(o, checkpoint, &files));
  leave_out(command, keys);
  leave_out(command, files);
  PetscCall(PetscOptionsGetAll(NULL, &petsc));
  json_object_set_new(keys, "petsc", JSON(petsc));
  PetscCall(PetscFree(petsc));
  wring_version_line(sizeof program, program);
  json_object_set_new(keys, "the program", JSON(program));
  *origin = json_pack("{s:i, s:o, s:o}", "schema", WRING_JSON_SCHEMA, "keys", keys, "files", files);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A text as it is, another value as JSON has it. */
static const char *text_of(const json_t *value, size_t size, char *text)
{
  if (!value) return "not given";
  if (json_is_string(value)) return json_string_value(value);
  memset(text, 0, size); // json_dumpb writes no part that would be cut
  json_dumpb(value, text, size - 1, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
  return text;
}

void wring_kept_describe(json_t *before, json_t *now, PetscBool (*counts)(const char *key), size_t size, char *change)
{
  json_t *const all = json_copy(now);
  const char   *key;
  json_t       *value;
  char          was[128], is[128];
  json_object_update_missing(all, before);
  json_object_foreach(all, key, value)
  {
    const json_t *const old = json_object_get(before, key), *const new = json_object_get(now, key);
    const size_t        end = strlen(change);
    if ((counts && !counts(key)) || json_equal(old, new)) continue;
    snprintf(change + end, size - end, "%s%s was %s, now %s", end ? "; " : "", key, text_of(old, sizeof was, was),
             text_of(new, sizeof is, is));
  }
  json_decref(all);
}

/* What a file contains; where it is does not matter. */
static const json_t *content(const json_t *file)
{
  const json_t *const seal = json_object_get(file, "seal");
  return seal ? seal : json_object_get(file, "sha256");
}

static void find_change(const json_t *origin, const json_t *old, wring_error *change)
{
  const char *key;
  json_t     *value;
  json_object_foreach(json_object_get(old, "files"), key, value)
  {
    const json_t *const now = json_object_get(json_object_get(origin, "files"), key);
    if (now && !json_equal(content(value), content(now)))
      snprintf(change->text, sizeof change->text, "the file of %s has changed", key);
  }
  wring_kept_describe(json_object_get(old, "keys"), json_object_get(origin, "keys"), NULL, sizeof change->text,
                      change->text);
}

PetscErrorCode wring_kept_read(MPI_Comm comm, const char *path, const json_t *origin, wring_error *change,
                               json_t **result, wring_error *e)
{
  PetscMPIInt there = 0;
  PetscInt64  length;
  char       *text;

  PetscFunctionBegin;
  wring_error_clear(change);
  if (wring_comm_rank(comm) == 0) {
    json_t *const old = wring_json_read(path, e);
    there             = old != NULL;
    if (old && origin) find_change(origin, old, change);
    json_decref(old);
  }
  *result = NULL;
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, comm));
  PetscCall(wring_error_share(comm, change));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_text_read(comm, path, "result", 1024, &text, &length));
  *result = json_loads(text, 0, NULL);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
