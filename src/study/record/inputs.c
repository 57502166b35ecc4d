#include "inputs.h"
#include "study/common/command_keys.h"
#include "study/common/json.h"
#include <string.h>

static PetscBool is_without(const char *key, const char *const *without)
{
  for (; *without; without++)
    if (wring_ascii_compare_n(key, *without, strlen(*without)) == 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void add_file(const char *key, const char *path, json_t *files)
{
  json_t *const file       = json_object();
  wring_error   unreadable = {""}; // who reads it has refused it
  char          hash[WRING_SHA256_TEXT];
  wring_file_sha256(path, hash, &unreadable);
  json_object_set_new(file, "path", wring_json_text(path));
  json_object_set_new(file, "sha256", hash[0] ? json_string(hash) : json_null());
  json_object_set_new(files, key, file);
}

/* TetGen's meshes are two files, of which the deck names one. */
static void add_other(const char *path, json_t *files)
{
  char              other[PETSC_MAX_PATH_LEN + 8];
  const char *const dot = strrchr(path, '.');
  if (!dot || (strcmp(dot, ".node") != 0 && strcmp(dot, ".ele") != 0)) return;
  snprintf(other, sizeof other, "%.*s%s", (int)(dot - path), path, strcmp(dot, ".node") == 0 ? ".ele" : ".node");
  add_file("mesh_file_other", other, files);
}

/* The entry of a key that names a file, or NULL. */
static const wring_option *find_path(const wring_catalogue *s, const char *key)
{
  const wring_option *option;
  for (int i = 0; (option = wring_schema_find(s->n, s->entry, key, i)); i++)
    if (option->type == WRING_PATH) return option;
  return NULL;
}

static PetscErrorCode add_key(const wring_options *o, const wring_option *option, const char *key, json_t *files)
{
  const wring_option table[] = {*option, {0}};
  char               prefix[256], path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  snprintf(prefix, sizeof prefix, "%.*s", (int)(strlen(key) - strlen(option->key)), key);
  PetscCall(wring_options_get_path(o, prefix, table, option->key, sizeof path, path));
  add_file(key, path, files);
  if (wring_ascii_compare(key, "mesh_file") == 0) add_other(path, files);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_checkpoint(const char *path, json_t *files)
{
  json_t *const file = json_object();
  char          seal[WRING_SEAL_TEXT];
  wring_checkpoint_seal(path, seal);
  json_object_set_new(file, "path", wring_json_text(path));
  json_object_set_new(file, "seal", json_string(seal));
  json_object_set_new(files, "initial_restart", file);
}

PetscErrorCode wring_inputs_files(const wring_options *o, const char *const *without, const char *checkpoint,
                                  json_t **files)
{
  wring_catalogue *catalogue;
  const char      *key, *value, *origin;

  PetscFunctionBegin;
  *files = json_object();
  PetscCall(wring_keys_create(&catalogue));
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    const wring_option *const option = is_without(key, without) ? NULL : find_path(catalogue, key);
    if (option) PetscCall(add_key(o, option, key, *files));
  }
  PetscCall(wring_catalogue_destroy(&catalogue));
  if (checkpoint[0]) add_checkpoint(checkpoint, *files);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

void wring_inputs_leave_out(const char *const *without, json_t *keys)
{
  const char *key;
  json_t     *value;
  void       *next;
  json_object_foreach_safe(keys, next, key, value)
  {
    if (is_without(key, without)) json_object_del(keys, key);
  }
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* A text as it is, another value as JSON has it. */
static const char *text_of(const json_t *value, size_t size, char *text)
{
  if (!value) return "not given";
  if (json_is_string(value)) return json_string_value(value);
  const size_t n = json_dumpb(value, text, size - 1, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
  text[PetscMin(n, size - 1)] = '\0';
  return text;
}

/* What a file contains; where it is does not matter. */
static const json_t *content(const json_t *file)
{
  const json_t *const seal = json_object_get(file, "seal");
  return seal ? seal : json_object_get(file, "sha256");
}

void wring_inputs_find_change(json_t *keys, json_t *old_keys, json_t *files, json_t *old_files, size_t size, char *text)
{
  const char *key;
  json_t     *value;
  char        was[128], is[128];
  text[0] = '\0';
  json_object_foreach(old_files, key, value)
  {
    const json_t *const now = json_object_get(files, key);
    if (now && !json_equal(content(value), content(now))) snprintf(text, size, "the file of %s has changed", key);
  }
  json_object_foreach(keys, key, value)
  {
    const json_t *const old = json_object_get(old_keys, key);
    if (!json_equal(value, old))
      snprintf(text, size, "%s was %s, now %s", key, text_of(old, sizeof was, was), text_of(value, sizeof is, is));
  }
  json_object_foreach(old_keys, key, value)
  {
    if (!json_object_get(keys, key))
      snprintf(text, size, "%s was %s, now not given", key, text_of(value, sizeof was, was));
  }
}
