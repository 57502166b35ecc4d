/* The files that a deck names, with their hashes. */
#include "provenance.h"
#include "study/common/command_keys.h"
#include <string.h>

static void add_file(const char *key, const char *path, json_t *files)
{
  wring_error unreadable = {""}; // who reads it has refused it
  char        hash[WRING_SHA256_TEXT];
  wring_file_sha256(path, hash, &unreadable);
  json_object_set_new(files, key,
                      wring_json_set(json_object(), "path", wring_json_text(path), "sha256",
                                     hash[0] ? json_string(hash) : json_null(), NULL));
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

/* Adds the file that a key names, if it names one. */
static PetscErrorCode add_key(const wring_options *o, const wring_catalogue *c, const char *key, json_t *files)
{
  wring_option        table[2] = {{0}, {0}};
  const wring_option *option;
  char                prefix[256], path[PETSC_MAX_PATH_LEN];
  int                 i = 0;

  PetscFunctionBegin;
  while ((option = wring_schema_find(c->n, c->entry, key, i)) && option->type != WRING_PATH) i++;
  if (!option) PetscFunctionReturn(PETSC_SUCCESS);
  table[0] = *option;
  snprintf(prefix, sizeof prefix, "%.*s", (int)(strlen(key) - strlen(option->key)), key);
  PetscCall(wring_options_get_path(o, prefix, table, option->key, sizeof path, path));
  add_file(key, path, files);
  if (wring_ascii_compare(key, "mesh_file") == 0) add_other(path, files);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_record_files(const wring_options *o, const char *checkpoint, json_t **files)
{
  wring_catalogue *catalogue;
  const char      *key, *value, *origin;
  char             seal[WRING_SEAL_TEXT];

  PetscFunctionBegin;
  *files = json_object();
  PetscCall(wring_keys_create(&catalogue));
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    PetscCall(add_key(o, catalogue, key, *files));
  }
  PetscCall(wring_catalogue_destroy(&catalogue));
  if (checkpoint[0]) {
    wring_checkpoint_seal(checkpoint, seal);
    json_object_set_new(
      *files, "initial_restart",
      wring_json_set(json_object(), "path", wring_json_text(checkpoint), "seal", json_string(seal), NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
