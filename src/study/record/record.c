#define _POSIX_C_SOURCE 200809L // open_memstream
/* The record of a command, and that of a problem. */
#include "provenance.h"
#include "study/common/command_keys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef WRING_VERSION
  #define WRING_VERSION "unknown" // built without CMake
#endif
#ifndef WRING_COMMIT
  #define WRING_COMMIT "" // unknown: built from an archive
#endif

void wring_version_line(size_t size, char *line)
{
  char petsc[32], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  wring_petsc_version(sizeof petsc, petsc);
  wring_mpi_version(sizeof mpi, mpi);
  snprintf(line, size, "wring " WRING_VERSION "%s%s%s, PETSc %s, %s, %s", WRING_COMMIT[0] ? " (" : "", WRING_COMMIT,
           WRING_COMMIT[0] ? ")" : "", petsc, mpi, wring_compiler());
}

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

void wring_provenance_date(const char *key, json_t *json)
{
  const time_t now = time(NULL);
  char         date[32];
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  json_object_set_new(json, key, JSON(date));
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
  wring_error      e = {""};
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
    wring_checkpoint_seal(checkpoint, seal, &e);
    PetscCheck(!wring_failed(&e), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s", e.text); // it has been verified
    json_object_set_new(*files, "initial_restart",
                        wring_json_object("path", JSON(checkpoint), "seal", JSON(seal), NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* The deck and the files that it names, by their hashes; PETSc's options. */
static PetscErrorCode add_inputs(const wring_options *o, const char *checkpoint, json_t *json)
{
  wring_error unreadable = {""}; // no deck: the keys of a command line alone
  char        hash[WRING_SHA256_TEXT], *petsc;
  json_t     *files, *file, *mesh = NULL;
  const char *key;

  PetscFunctionBegin;
  PetscCall(wring_record_files(o, checkpoint, &files));
  json_object_foreach(files, key, file)
  {
    if (wring_ascii_compare(key, "mesh_file") == 0) mesh = json_object_get(file, "sha256");
  }
  wring_file_sha256(wring_options_deck(o), hash, &unreadable);
  PetscCall(PetscOptionsGetAll(NULL, &petsc));
  wring_json_set(json, "deck", JSON(wring_options_deck(o)), "deck_sha256", hash[0] ? JSON(hash) : json_null(),
                 "mesh_sha256", mesh ? json_incref(mesh) : json_null(), "files", files, "petsc_options", JSON(petsc),
                 NULL);
  PetscCall(PetscFree(petsc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance_begin(const wring_options *o, const char *command, const char *checkpoint,
                                      json_t **made)
{
  const MPI_Comm comm = wring_options_comm(o);
  PetscMPIInt    rank, size;
  char           folder[PETSC_MAX_PATH_LEN], petsc[64], mpi[MPI_MAX_LIBRARY_VERSION_STRING];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscGetWorkingDirectory(folder, sizeof folder));
  wring_petsc_version(sizeof petsc, petsc);
  wring_mpi_version(sizeof mpi, mpi);
  *made = wring_json_object("schema", JSON(WRING_JSON_SCHEMA), "command", JSON(command), "command_line",
                            JSON(wring_options_command_line(o)), NULL);
  if (rank == 0) {
    wring_provenance_date("started", *made);
    wring_json_set(*made, "working_directory", JSON(folder), "version", JSON(WRING_VERSION), "commit",
                   WRING_COMMIT[0] ? JSON(WRING_COMMIT) : json_null(), "petsc", JSON(petsc), "petsc_int_bits",
                   JSON(8 * (json_int_t)sizeof(PetscInt)), "mpi", JSON(mpi), "compiler", JSON(wring_compiler()), NULL);
    wring_record_libraries(*made);
    wring_record_build(*made);
    wring_json_set(*made, "ranks", JSON(size), "threads", JSON(wring_max_threads()), NULL);
    PetscCall(add_inputs(o, checkpoint, *made));
  }
  PetscCall(wring_record_machine(comm, *made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance_of_command(const wring_options *o, const char *command, json_t **json)
{
  json_t *keys;

  PetscFunctionBegin;
  PetscCall(wring_provenance_begin(o, command, "", json));
  PetscCall(wring_keys_of_command(o, command, &keys));
  wring_provenance_date("date", *json);
  json_object_set_new(*json, "options", keys);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_mesh(const wring_problem *p, json_t *json)
{
  const wring_mesh *const m = p->mesh;
  wring_mesh_info         info;
  PetscInt64              triangles, lines;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  PetscCall(wring_problem_count(p, &triangles, &lines));
  json_object_set_new(json, "mesh",
                      wring_json_object("vertices", JSON(m->number.n_global), "tets", JSON(m->tets.n_global),
                                        "triangles", JSON(triangles), "lines", JSON(lines), "regions",
                                        JSON(m->regions.n), "sets", JSON(m->set.names.n), "volume", JSON(info.volume),
                                        "mass", JSON(p->total_mass), "min_quality", JSON(info.min_quality),
                                        "balance_tets", JSON(info.balance_tets), "balance_vertices",
                                        JSON(info.balance_vertices), "ghosts", JSON(info.ghosts), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Null if it was never needed. */
static json_t *operator_json(const wring_problem *p)
{
  wring_operator_info info;
  if (!wring_problem_has_matrix(p)) return json_null();
  wring_operator_get_info(p->op, &info);
  return wring_json_object("type", JSON(info.type), "library", JSON(info.library), "rtol",
                           info.rtol == WRING_OPERATOR_ROUGH ? json_null() : JSON(info.rtol), "set_ups",
                           JSON(info.set_ups), "solves", JSON(info.solves), "iterations", JSON(info.total_iterations),
                           "memory", JSON(info.memory), NULL);
}

/* ---- what a result has cost, over all ranks ---------------------------------------------------------------------- */

typedef struct {
  double value;
  int    rank;
} of_rank; // as MPI_DOUBLE_INT

/* Rows of what is measured on each rank: the phases, then these. */
enum { MEMORY = WRING_N_PHASE, TOTAL, N_ROW };

/* Adds `seconds` and `phases`, `work`, `peak_memory` and `memory`, the same on all ranks. */
static PetscErrorCode add_cost(wring_problem *p, json_t *json)
{
  json_t *const seconds = json_object(), *const phases = json_object();
  double  mine[N_ROW], least[N_ROW], sum[N_ROW];
  of_rank own[N_ROW], most[N_ROW];

  PetscFunctionBegin;
  wring_phases_switch(&p->phases, p->phases.now); // accounts for the time up to now
  for (int i = 0; i < WRING_N_PHASE; i++) mine[i] = p->phases.seconds[i];
  mine[MEMORY] = wring_peak_memory();
  mine[TOTAL]  = wring_phases_total(&p->phases);
  for (int i = 0; i < N_ROW; i++) own[i] = (of_rank){mine[i], p->rank};
  PetscCallMPI(MPI_Allreduce(mine, least, N_ROW, MPI_DOUBLE, MPI_MIN, p->comm));
  PetscCallMPI(MPI_Allreduce(mine, sum, N_ROW, MPI_DOUBLE, MPI_SUM, p->comm));
  PetscCallMPI(MPI_Allreduce(own, most, N_ROW, MPI_DOUBLE_INT, MPI_MAXLOC, p->comm));
  for (int i = 0; i < WRING_N_PHASE; i++) {
    const double      mean = PetscMax(least[i], PetscMin(most[i].value, sum[i] / p->size)); // the sum is rounded
    const char *const name = wring_phase_name((wring_phase)i);
    json_object_set_new(phases, name,
                        wring_json_object("least", JSON(least[i]), "mean", JSON(mean), "largest", JSON(most[i].value),
                                          "slowest", JSON(most[i].rank), NULL));
    json_object_set_new(seconds, name, JSON(most[i].value));
  }
  json_object_set_new(seconds, "total", JSON(most[TOTAL].value));
  const json_int_t all = (json_int_t)sum[MEMORY], largest = (json_int_t)most[MEMORY].value;
  wring_json_set(
    json, "seconds", seconds, "phases", phases, "work", wring_work_json(&p->phases.work), "peak_memory", JSON(all),
    "memory",
    wring_json_object("largest", JSON(largest), "largest_rank", JSON(most[MEMORY].rank), "all", JSON(all), NULL), NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_provenance(wring_problem *p, const json_t *made, PetscInt n_solver, const char *const *solver,
                                json_t **json)
{
  const char *const command = json_string_value(json_object_get(made, "command"));
  json_t           *keys;

  PetscFunctionBegin;
  *json = json_deep_copy(made);
  wring_provenance_date("date", *json);
  json_object_set_new(*json, "restart", p->restart[0] ? JSON(p->restart) : json_null());
  PetscCall(wring_keys_in_force(p, command, n_solver, solver, &keys));
  json_object_set_new(*json, "options", keys);
  PetscCall(add_mesh(p, *json));
  json_object_set_new(*json, "operator", operator_json(p));
  PetscCall(add_cost(p, *json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
