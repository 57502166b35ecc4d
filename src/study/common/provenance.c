#define _POSIX_C_SOURCE 200809L // open_memstream
/* The record of a command: its line, its keys and the files that they name. */
#include "provenance.h"
#include "output/tally.h"
#include "study/common/command_keys.h"
#include "study/common/plugins.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Quotes a word, if it has characters that mean something to a shell. */
static void put_word(const char *word, FILE *f)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=@%";
  const PetscBool   quote   = (PetscBool)(!word[0] || word[strspn(word, plain)]);
  if (quote) fputc('\'', f);
  for (; *word; word++) {
    if (*word == '\'') fputs("'\\'", f);
    fputc(*word, f);
  }
  if (quote) fputc('\'', f);
}

PetscErrorCode wring_provenance_keep_words(int n, char *const *word, wring_options *o)
{
  char       *text;
  size_t      size;
  FILE *const f = open_memstream(&text, &size);

  PetscFunctionBegin;
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the command line");
  for (int i = 0; i < n; i++) {
    if (i) fputc(' ', f);
    put_word(word[i], f);
  }
  PetscCheck(fclose(f) == 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the command line");
  PetscCall(wring_options_set_command_line(o, text));
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files that a deck names ------------------------------------------------------------------------------------- */

static void add_file(const char *key, const char *path, json_t *files)
{
  wring_error unreadable = {""}; // who reads it has refused it
  char        hash[WRING_SHA256_TEXT];
  wring_file_sha256(path, hash, &unreadable);
  json_object_set_new(files, key,
                      wring_json_object("path", JSON(path), "sha256", hash[0] ? JSON(hash) : json_null(), NULL));
}

/* TetGen's meshes are two files, of which the deck names one. */
static void add_other(const char *key, const char *path, json_t *files)
{
  char              other[PETSC_MAX_PATH_LEN + 8], name[256];
  const char *const dot = strrchr(path, '.');
  if (!dot || (strcmp(dot, ".node") != 0 && strcmp(dot, ".ele") != 0)) return;
  snprintf(other, sizeof other, "%.*s%s", (int)(dot - path), path, strcmp(dot, ".node") == 0 ? ".ele" : ".node");
  snprintf(name, sizeof name, "%s_other", key);
  add_file(name, other, files);
}

/* Adds the file that a key names, if it names one: words of converge.against, the key that has a default, are none. */
static PetscErrorCode add_key(const wring_options *o, const wring_catalogue *c, const char *key, const char *value,
                              json_t *files)
{
  wring_option        table[2] = {{0}, {0}};
  const wring_option *option;
  char                path[PETSC_MAX_PATH_LEN];
  int                 i = 0;

  PetscFunctionBegin;
  while ((option = wring_schema_find(c->n, c->entry, key, i)) && option->type != WRING_PATH) i++;
  if (!option) PetscFunctionReturn(PETSC_SUCCESS);
  if (option->value && (!wring_ascii_compare(value, "finest") || !wring_ascii_compare(value, "exact")))
    PetscFunctionReturn(PETSC_SUCCESS);
  table[0]     = *option;
  table[0].key = key;
  PetscCall(wring_options_get_path(o, "", table, key, sizeof path, path));
  add_file(key, path, files);
  if (option == wring_mesh_source_options) add_other(key, path, files); // its first entry, `file`
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds "plugin_1", ... */
static void add_plugins(const wring_options *o, json_t *files)
{
  const char *list = wring_options_text(o, "", wring_plugin_options);
  char        key[32], file[PETSC_MAX_PATH_LEN];
  for (int i = 1; list && *list; i++, list += strcspn(list, ","), list += *list == ',') {
    snprintf(key, sizeof key, "plugin_%d", i);
    snprintf(file, sizeof file, "%.*s", (int)strcspn(list, ","), list);
    add_file(key, file, files);
  }
}

PetscErrorCode wring_provenance_files(const wring_options *o, const char *checkpoint, json_t **files)
{
  wring_catalogue *catalogue;
  const char      *key, *value, *origin;
  wring_error      e = {""};
  char             seal[WRING_SEAL_TEXT];

  PetscFunctionBegin;
  *files = json_object();
  PetscCall(wring_keys_create(&catalogue));
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    PetscCall(add_key(o, catalogue, key, value, *files));
  }
  PetscCall(wring_catalogue_destroy(&catalogue));
  add_plugins(o, *files);
  if (checkpoint[0]) {
    wring_checkpoint_seal(checkpoint, seal, &e);
    PetscCheck(!wring_failed(&e), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s", e.text); // it has been verified
    json_object_set_new(*files, "initial_restart",
                        wring_json_object("path", JSON(checkpoint), "seal", JSON(seal), NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* The deck and the files that it names, or the mesh of a chain's first run, by their hashes; PETSc's options. */
static PetscErrorCode add_inputs(const wring_options *o, const char *checkpoint, json_t *json)
{
  wring_error   unreadable = {""}; // no deck: the keys of a command line alone
  char          hash[WRING_SHA256_TEXT], *petsc;
  json_t *const chain = wring_segments_read(checkpoint, PETSC_MAX_INT, &unreadable);
  json_t       *files, *file, *mesh = json_object_get(json_array_get(chain, 0), "mesh_sha256");
  const char   *key;

  PetscFunctionBegin;
  PetscCall(wring_provenance_files(o, checkpoint, &files));
  json_object_foreach(files, key, file)
  {
    if (wring_ascii_compare(key, "mesh_file") == 0) mesh = json_object_get(file, "sha256");
  }
  wring_file_sha256(wring_options_deck(o), hash, &unreadable);
  PetscCall(PetscOptionsGetAll(NULL, &petsc));
  wring_json_set(json, "deck", JSON(wring_options_deck(o)), "deck_sha256", hash[0] ? JSON(hash) : json_null(),
                 "mesh_sha256", mesh ? json_incref(mesh) : json_null(), "files", files, "petsc_options", JSON(petsc),
                 NULL);
  json_decref(chain);
  PetscCall(PetscFree(petsc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance_begin(const wring_options *o, const char *command, const char *checkpoint,
                                      json_t **made)
{
  const MPI_Comm comm = wring_options_comm(o);
  char           folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscGetWorkingDirectory(folder, sizeof folder));
  *made = wring_json_object("schema", JSON(WRING_JSON_SCHEMA), "command", JSON(command), "command_line",
                            JSON(wring_options_command_line(o)), NULL);
  if (wring_comm_rank(comm) == 0) {
    wring_record_date("started", *made);
    json_object_set_new(*made, "working_directory", JSON(folder));
    wring_record_program(*made);
    wring_json_set(*made, "ranks", JSON(wring_comm_size(comm)), "threads", JSON(wring_max_threads()), NULL);
    PetscCall(add_inputs(o, checkpoint, *made));
  }
  PetscCall(wring_record_machine(comm, *made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance_of_command(const wring_options *o, const char *command, const char *checkpoint,
                                           json_t **json)
{
  json_t *keys;

  PetscFunctionBegin;
  PetscCall(wring_provenance_begin(o, command, checkpoint, json));
  PetscCall(wring_keys_of_command(o, command, &keys));
  wring_record_date("date", *json);
  json_object_set_new(*json, "options", keys);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance(wring_problem *p, const json_t *made, PetscInt n_solver, const char *const *solver,
                                json_t **json)
{
  const char *const command = json_string_value(json_object_get(made, "command"));
  json_t           *keys;

  PetscFunctionBegin;
  *json = json_deep_copy(made);
  wring_record_date("date", *json);
  json_object_set_new(*json, "restart", p->restart[0] ? JSON(p->restart) : json_null());
  PetscCall(wring_keys_in_force(p, command, n_solver, solver, &keys));
  json_object_set_new(*json, "options", keys);
  PetscCall(wring_record_problem(p, *json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
