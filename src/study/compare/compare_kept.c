#define _POSIX_C_SOURCE 200809L // rmdir
#include "compare_kept.h"
#include "compare_show.h"
#include "study/common/command_keys.h"
#include "study/common/output_directory.h"
#include "study/record/inputs.h"
#include "study/record/provenance.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 2 * PETSC_MAX_PATH_LEN };
static const char folder[] = "compare_kept";

/* First words of keys that do not change results. */
static const char *const without[] = {"output_", "checkpoint_", "evaluate_", "bench_", "converge_", "time_limit", NULL};

/* ---- what identifies a comparison; rank 0 ------------------------------------------------------------------------ */

/* Every key in force, PETSc's options, and the program; the files that the deck names. */
static PetscErrorCode describe(const wring_problem *p, PetscInt n_solver, const char *const *solver, wring_kept *k)
{
  PetscFunctionBegin;
  PetscCall(wring_keys_in_force(p, "compare", n_solver, solver, &k->keys));
  wring_inputs_leave_out(without, k->keys);
  PetscCall(wring_provenance_add_program(k->keys));
  PetscCall(wring_inputs_files(p->options, without, p->restart, &k->files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there is more than a first sittings.json that was cut off while it was written. */
static PetscBool holds_any(const char *list)
{
  static const char part[] = "sittings.json.part";
  return (PetscBool)(list && list[0] && (strcmp(list, part) != 0 || list[sizeof part]));
}

/*
  Takes the earlier sittings. Those of another comparison are refused, as is what is kept without a whole sittings.json,
  unless they may be replaced.
*/
static void look(const char *directory, PetscBool overwrite, wring_kept *k, wring_error *e)
{
  char path[PATH], change[512] = "";
  snprintf(path, sizeof path, "%s/%s", directory, folder);
  char *const list = wring_list_directory(path, e);
  snprintf(path, sizeof path, "%s/%s/sittings.json", directory, folder);
  json_t *const old = holds_any(list) ? json_load_file(path, 0, NULL) : NULL;
  if (old)
    wring_inputs_find_change(k->keys, json_object_get(old, "keys"), k->files, json_object_get(old, "files"),
                             sizeof change, change);
  else if (holds_any(list))
    snprintf(change, sizeof change, "its sittings.json cannot be read");
  if (change[0] && !overwrite)
    wring_error_set(e,
                    "%s: holds a comparison that has not ended, of another deck: %s; add -output_overwrite true to "
                    "replace it, or -output_directory with another name",
                    directory, change);
  if (!change[0]) k->sittings = json_incref(json_object_get(old, "sittings"));
  json_decref(old);
  free(list);
}

PetscErrorCode wring_kept_check(const wring_problem *p, PetscInt n_solver, const char *const *solver, wring_kept *k)
{
  const char *directory;
  PetscBool   overwrite;
  wring_error error = {""};
  int         n     = 0;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, "output_", wring_output_options, "directory", &directory));
  PetscCall(wring_options_get_bool(p->options, "output_", wring_output_options, "overwrite", &overwrite));
  if (p->rank == 0) {
    PetscCall(describe(p, n_solver, solver, k));
    look(directory, overwrite, k, &error);
    n = (int)json_array_size(k->sittings);
  }
  PetscCall(wring_error_raise(p->comm, &error));
  PetscCallMPI(MPI_Bcast(&n, 1, MPI_INT, 0, p->comm));
  k->earlier = n;
  if (n == 0) PetscCall(wring_directory_refuse_results(p->options, "comparison", wring_comparison_files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sittings ---------------------------------------------------------------------------------------------------- */

void wring_kept_remove(const char *directory, wring_error *e)
{
  char path[PATH], file[PATH + 300];
  snprintf(path, sizeof path, "%s/%s", directory, folder);
  char *const list = wring_list_directory(path, e);
  for (const char *name = list; name && *name; name += strlen(name) + 1) {
    snprintf(file, sizeof file, "%s/%s", path, name);
    if (unlink(file)) wring_error_set(e, "%s: cannot be removed: %s", file, strerror(errno));
  }
  free(list);
  (void)rmdir(path);
}

static void write_sittings(const wring_kept *k, const json_t *made, wring_error *e)
{
  json_t *const json = json_object(), *const sittings = json_array();
  char path[PATH];
  json_array_extend(sittings, k->sittings);
  json_array_append_new(sittings, json_deep_copy(made));
  json_object_set_new(json, "schema", json_integer(WRING_JSON_SCHEMA));
  json_object_set(json, "keys", k->keys);
  json_object_set(json, "files", k->files);
  json_object_set_new(json, "sittings", sittings);
  snprintf(path, sizeof path, "%s/sittings.json", k->directory);
  wring_json_write(path, json, e);
  json_decref(json);
}

PetscErrorCode wring_kept_begin(const wring_problem *p, const char *directory, const json_t *made, wring_kept *k)
{
  wring_error error = {""};

  PetscFunctionBegin;
  if (p->rank == 0 && k->earlier == 0) wring_kept_remove(directory, &error);
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscCall(PetscSNPrintf(k->directory, sizeof k->directory, "%s/%s", directory, folder));
  PetscCall(wring_make_directory(p->comm, k->directory));
  if (p->rank == 0) write_sittings(k, made, &error);
  PetscCall(wring_error_raise_output(p->comm, &error));
  if (k->earlier)
    PetscCall(wring_note(p->comm, "%s: goes on with a comparison that was stopped: solves that have ended are taken",
                         directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_kept_clear(wring_kept *k)
{
  json_decref(k->keys);
  json_decref(k->files);
  json_decref(k->sittings);
  *k = (wring_kept){.stays = PETSC_FALSE};
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/*
  The head of a file, before the rows. Numbers are kept as their bytes, which are read by the same program only: sizes
  tell a program whose rows are others.
*/
typedef struct {
  char          magic[16];
  uint64_t      head, row; // bytes
  PetscInt64    rows, sitting;
  wring_outcome outcome;
  wring_setup   setup;
  uint64_t      fingerprint;
} kept_head;

static const kept_head empty = {.magic = "wring solve 1", .head = sizeof(kept_head), .row = sizeof(wring_iteration)};

/* "out/compare_kept/02_qn.kept" of the solve that is due. */
static void name_file(const wring_kept *k, const char *solver, const char *end, char path[PATH])
{
  snprintf(path, PATH, "%s/%02" PetscInt_FMT "_%s%s", k->directory, k->solves, solver, end);
}

/* rows stays 0 if the file is missing or is not whole: the solve is then made again. */
static PetscErrorCode read_solve(const char *path, kept_head *head, wring_iteration **row)
{
  FILE *const f = fopen(path, "rb");

  PetscFunctionBegin;
  *head = (kept_head){.rows = 0};
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  size_t          n     = fread(head, sizeof *head, 1, f);
  const PetscBool whole = (PetscBool)(n == 1 && memcmp(head, &empty, offsetof(kept_head, rows)) == 0 && head->rows > 0);
  if (whole) {
    PetscCall(PetscMalloc1(head->rows, row));
    n = fread(*row, sizeof **row, (size_t)head->rows, f);
  }
  if (!whole || n != (size_t)head->rows) head->rows = 0;
  fclose(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void write_solve(const char *path, const kept_head *head, const wring_convergence *h, wring_error *e)
{
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fwrite(head, sizeof *head, 1, f);
  fwrite(h->row, sizeof *h->row, (size_t)h->n, f);
  wring_file_commit(f, path, e);
}

/* The rows, from rank 0 to all. */
static PetscErrorCode share_rows(const wring_problem *p, PetscInt n, wring_iteration *row)
{
  MPI_Datatype type;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous(sizeof *row, MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Bcast(row, (PetscMPIInt)n, type, 0, p->comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_kept_take(const wring_problem *p, wring_kept *k, wring_convergence *h, PetscBool *found)
{
  kept_head        head = empty;
  wring_iteration *row  = NULL;
  char             path[PATH];

  PetscFunctionBegin;
  *found     = PETSC_FALSE;
  h->segment = k->earlier;
  k->solves++;
  if (!k->directory[0] || !k->earlier) PetscFunctionReturn(PETSC_SUCCESS);
  name_file(k, h->name, ".kept", path);
  if (p->rank == 0) PetscCall(read_solve(path, &head, &row));
  PetscCallMPI(MPI_Bcast(&head, sizeof head, MPI_BYTE, 0, p->comm));
  if (!head.rows) PetscCall(PetscFree(row));
  if (!head.rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->rank > 0) PetscCall(PetscMalloc1(head.rows, &row));
  PetscCall(share_rows(p, (PetscInt)head.rows, row));
  h->row = row;
  h->n = h->capacity = (PetscInt)head.rows;
  h->outcome         = head.outcome;
  h->setup           = head.setup;
  h->fingerprint     = head.fingerprint;
  h->segment         = (PetscInt)head.sitting;
  *found             = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_kept_keep(const wring_problem *p, const wring_kept *k, const wring_convergence *h)
{
  kept_head   head  = empty;
  wring_error error = {""};
  char        path[PATH];

  PetscFunctionBegin;
  if (!k->directory[0] || h->n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  head.rows        = h->n;
  head.sitting     = k->earlier;
  head.outcome     = h->outcome;
  head.setup       = h->setup;
  head.fingerprint = h->fingerprint;
  name_file(k, h->name, ".kept", path);
  if (p->rank == 0) write_solve(path, &head, h, &error);
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- minimisers -------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_kept_take_minimiser(const wring_problem *p, const wring_kept *k, const char *solver, Vec x)
{
  char         path[PATH], file[PETSC_MAX_PATH_LEN];
  PetscScalar *value;

  PetscFunctionBegin;
  name_file(k, solver, ".h5", path);
  PetscCall(wring_checkpoint_find(p->comm, path, sizeof file, file));
  PetscCall(VecGetArray(x, &value));
  PetscCall(wring_checkpoint_read_fields(file, p->mesh, 1, &(wring_checkpoint_field){"position", 3, value}));
  PetscCall(VecRestoreArray(x, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_kept_keep_minimiser(const wring_problem *p, const wring_kept *k, const char *solver, Vec x)
{
  char         path[PATH];
  PetscScalar *value;

  PetscFunctionBegin;
  if (!k->directory[0]) PetscFunctionReturn(PETSC_SUCCESS);
  name_file(k, solver, ".h5", path);
  PetscCall(VecGetArray(x, &value));
  PetscCall(wring_checkpoint_write(path, p->mesh, NULL, p->state.step, p->state.time, 1,
                                   &(wring_checkpoint_field){"position", 3, value}));
  PetscCall(VecRestoreArray(x, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
