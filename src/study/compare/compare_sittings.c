#define _POSIX_C_SOURCE 200809L // rmdir
#include "compare_kept.h"
#include "base/text.h"
#include "compare_show.h"
#include "study/common/command_keys.h"
#include "study/common/kept.h"
#include "study/common/output_directory.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 2 * PETSC_MAX_PATH_LEN };
static const char folder[] = "compare_kept";

/* ---- sittings ---------------------------------------------------------------------------------------------------- */

/* Whether there is more than a first sittings.json that was cut off while it was written. */
static PetscBool holds_any(const char *path, wring_error *e)
{
  static const char part[] = "sittings.json.part";
  char *const       list   = wring_list_directory(path, e);
  const PetscBool   any    = (PetscBool)(list && list[0] && (strcmp(list, part) != 0 || list[sizeof part]));
  free(list);
  return any;
}

PetscErrorCode wring_kept_check(const wring_problem *p, PetscInt n_solver, const char *const *solver, wring_kept *k)
{
  const char *directory;
  char        path[PATH], file[PATH + 16], change[512];
  PetscBool   overwrite;
  wring_error error = {""}, unreadable = {""};
  json_t     *keys, *old;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, "output_", wring_output_options, "directory", &directory));
  PetscCall(wring_options_get_bool(p->options, "output_", wring_output_options, "overwrite", &overwrite));
  snprintf(path, sizeof path, "%s/%s", directory, folder);
  snprintf(file, sizeof file, "%s/sittings.json", path);
  if (p->rank == 0) {
    PetscCall(wring_keys_in_force(p, "compare", n_solver, solver, &keys));
    PetscCall(wring_kept_origin(p->options, "compare", p->restart, keys, &k->origin));
  }
  PetscCall(wring_kept_read(p->comm, file, k->origin, sizeof change, change, &old, &unreadable));
  if (p->rank == 0 && !old && holds_any(path, &error))
    snprintf(change, sizeof change, "its sittings.json cannot be read");
  if (change[0] && !overwrite)
    wring_error_set(&error,
                    "%s: holds a comparison that has not ended, of another deck: %s; add -output_overwrite true to "
                    "replace it, or -output_directory with another name",
                    directory, change);
  PetscCall(wring_error_raise(p->comm, &error));
  if (!change[0]) k->sittings = json_incref(json_object_get(old, "sittings"));
  json_decref(old);
  k->earlier = (PetscInt)json_array_size(k->sittings);
  if (!k->earlier) PetscCall(wring_directory_refuse_results(p->options, "comparison", wring_comparison_files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  json_object_set_new(json, "sittings", sittings);
  snprintf(path, sizeof path, "%s/sittings.json", k->directory);
  wring_kept_write(path, k->origin, json, e);
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
  json_decref(k->origin);
  json_decref(k->sittings);
  *k = (wring_kept){.stays = PETSC_FALSE};
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/* "out/compare_kept/02_qn.json" of the solve that is due. */
static void name_file(const wring_kept *k, const char *solver, const char *end, char path[PATH])
{
  snprintf(path, PATH, "%s/%02" PetscInt_FMT "_%s%s", k->directory, k->solves, solver, end);
}

/* With all digits; a text if it is not finite. */
static json_t *number_json(double v)
{
  return isfinite(v) ? json_real(v) : json_string(isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static double number_of(const json_t *json)
{
  double v = json_number_value(json);
  if (json_is_string(json)) (void)wring_text_real(json_string_value(json), &v);
  return v;
}

static json_t *work_json(const wring_counts *work)
{
  json_t *const list = json_array();
  for (int i = 0; i < WRING_N_WORK; i++) json_array_append_new(list, json_integer(work->of[i]));
  return list;
}

static void take_work(const json_t *list, wring_counts *work)
{
  for (size_t i = 0; i < WRING_N_WORK; i++) work->of[i] = json_integer_value(json_array_get(list, i));
}

enum { N_NUMBER = 14 }; // of a row, besides its work

static json_t *row_json(const wring_iteration *r)
{
  const double  number[N_NUMBER] = {(double)r->iteration,
                                    r->value.objective,
                                    r->value.inertial,
                                    r->value.elastic,
                                    r->gradient_norm,
                                    r->step_length,
                                    r->primal,
                                    r->dual,
                                    r->seconds,
                                    (double)r->evaluations,
                                    (double)r->linear_iterations,
                                    r->reference,
                                    r->decrement,
                                    r->newton_decrement};
  json_t *const list             = json_array();
  for (int i = 0; i < N_NUMBER; i++) json_array_append_new(list, number_json(number[i]));
  json_array_append_new(list, work_json(&r->work));
  return list;
}

static wring_iteration row_of(const json_t *list)
{
  double v[N_NUMBER];
  for (size_t i = 0; i < N_NUMBER; i++) v[i] = number_of(json_array_get(list, i));
  wring_iteration r = {.iteration         = (PetscInt)v[0],
                       .value             = {.objective = v[1], .inertial = v[2], .elastic = v[3]},
                       .gradient_norm     = v[4],
                       .step_length       = v[5],
                       .primal            = v[6],
                       .dual              = v[7],
                       .seconds           = v[8],
                       .evaluations       = (PetscInt)v[9],
                       .linear_iterations = (PetscInt64)v[10],
                       .reference         = v[11],
                       .decrement         = v[12],
                       .newton_decrement  = v[13]};
  take_work(json_array_get(list, N_NUMBER), &r.work);
  return r;
}

static json_t *solve_json(const wring_kept *k, const wring_convergence *h)
{
  const wring_outcome *const o    = &h->outcome;
  json_t *const              rows = json_array();
  for (PetscInt i = 0; i < h->n; i++) json_array_append_new(rows, row_json(&h->row[i]));
  return json_pack("{s:I, s:I, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "sitting", (json_int_t)k->earlier,
                   "fingerprint", (json_int_t)h->fingerprint, "reason", o->reason, "iterations",
                   (json_int_t)o->iterations, "rises", (json_int_t)o->rises.count, "largest_rise",
                   number_json(o->rises.largest), "setup_seconds", number_json(h->setup.seconds), "setup_work",
                   work_json(&h->setup.work), "last", row_json(&o->last), "rows", rows);
}

PetscErrorCode wring_kept_take(const wring_problem *p, wring_kept *k, wring_convergence *h, PetscBool *found)
{
  json_t     *json = NULL;
  wring_error none = {""}; // a file that is not whole: the solve is made again
  char        path[PATH], change[1];

  PetscFunctionBegin;
  h->segment = k->earlier;
  k->solves++;
  name_file(k, h->name, ".json", path);
  if (k->directory[0] && k->earlier)
    PetscCall(wring_kept_read(p->comm, path, NULL, sizeof change, change, &json, &none));
  *found = (PetscBool)(json != NULL);
  if (!json) PetscFunctionReturn(PETSC_SUCCESS);
  json_t *const rows = json_object_get(json, "rows");
  h->n = h->capacity = (PetscInt)json_array_size(rows);
  PetscCall(PetscMalloc1(h->n, &h->row));
  for (PetscInt i = 0; i < h->n; i++) h->row[i] = row_of(json_array_get(rows, (size_t)i));
  h->segment               = (PetscInt)json_integer_value(json_object_get(json, "sitting"));
  h->fingerprint           = (uint64_t)json_integer_value(json_object_get(json, "fingerprint"));
  h->outcome.reason        = (wring_reason)json_integer_value(json_object_get(json, "reason"));
  h->outcome.iterations    = (PetscInt)json_integer_value(json_object_get(json, "iterations"));
  h->outcome.last          = row_of(json_object_get(json, "last"));
  h->outcome.rises.count   = (PetscInt)json_integer_value(json_object_get(json, "rises"));
  h->outcome.rises.largest = number_of(json_object_get(json, "largest_rise"));
  h->setup.seconds         = number_of(json_object_get(json, "setup_seconds"));
  take_work(json_object_get(json, "setup_work"), &h->setup.work);
  json_decref(json);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_kept_keep(const wring_problem *p, const wring_kept *k, const wring_convergence *h)
{
  wring_error error = {""};
  char        path[PATH];

  PetscFunctionBegin;
  if (!k->directory[0] || h->n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  name_file(k, h->name, ".json", path);
  if (p->rank == 0) {
    json_t *const json = solve_json(k, h);
    wring_kept_write(path, NULL, json, &error);
    json_decref(json);
  }
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
