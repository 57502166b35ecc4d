#define _POSIX_C_SOURCE 200809L // rmdir
#include "comparison.h"
#include "base/text.h"
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

PetscErrorCode wring_sittings_find(wring_compare *s)
{
  const wring_problem *const p = s->p;
  const char                *directory;
  char                       path[PATH], file[PATH + 16];
  PetscBool                  overwrite;
  wring_error                error = {""}, change, unreadable = {""}; // which refuses like another origin, below
  json_t                    *keys, *old;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, "output_", wring_output_options, "directory", &directory));
  PetscCall(wring_options_get_bool(p->options, "output_", wring_output_options, "overwrite", &overwrite));
  snprintf(path, sizeof path, "%s/%s", directory, folder);
  snprintf(file, sizeof file, "%s/sittings.json", path);
  if (p->rank == 0) {
    PetscCall(wring_keys_in_force(p, "compare", s->n_solver, s->solver, &keys));
    PetscCall(wring_kept_origin(p->options, "compare", p->restart, keys, &s->origin));
  }
  PetscCall(wring_kept_read(p->comm, file, s->origin, &change, &old, &unreadable));
  if (p->rank == 0 && !old && holds_any(path, &error)) wring_error_set(&change, "its sittings.json cannot be read");
  if (wring_failed(&change) && !overwrite)
    wring_error_set(&error,
                    "%s: holds a comparison that has not ended, of another deck: %s; add -output_overwrite true to "
                    "replace it, or -output_directory with another name",
                    directory, change.text);
  PetscCall(wring_error_raise(p->comm, &error));
  if (!wring_failed(&change)) s->c.segments = json_incref(json_object_get(old, "sittings"));
  json_decref(old);
  s->sittings = (PetscInt)json_array_size(s->c.segments);
  if (!s->sittings) PetscCall(wring_directory_refuse_results(p->options, "comparison", wring_comparison_files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_sittings_remove(const char *directory, wring_error *e)
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

PetscErrorCode wring_sittings_begin(const wring_compare *s)
{
  const MPI_Comm comm     = s->p->comm;
  json_t *const  sittings = json_array();
  wring_error    error    = {""};
  char           path[PATH];

  PetscFunctionBegin;
  if (s->p->rank == 0 && !s->sittings) wring_sittings_remove(s->directory, &error);
  PetscCall(wring_error_raise_output(comm, &error));
  snprintf(path, sizeof path, "%s/%s", s->directory, folder);
  PetscCall(wring_make_directory(comm, path));
  json_array_extend(sittings, s->c.segments);
  json_array_append(sittings, s->made);
  if (s->p->rank == 0) {
    json_object_set(s->origin, "sittings", sittings);
    wring_json_write(s->origin, &error, "%s/sittings.json", path);
  }
  json_decref(sittings);
  PetscCall(wring_error_raise_output(comm, &error));
  if (s->sittings)
    PetscCall(wring_note(comm, "%s: goes on with a comparison that was stopped: solves that have ended are taken",
                         s->directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/* "out/compare_kept/02_qn.json" of the solve that is due. */
static void name_file(const wring_compare *s, const char *solver, const char *end, char path[PATH])
{
  snprintf(path, PATH, "%s/%s/%02" PetscInt_FMT "_%s%s", s->directory, folder, s->solves, solver, end);
}

enum { N_REAL = 11 }; // of a row

static void get_reals(wring_iteration *r, double *real[N_REAL])
{
  double *const all[] = {&r->value.objective, &r->value.inertial, &r->value.elastic, &r->gradient_norm, &r->step_length,
                         &r->primal,          &r->dual,           &r->seconds,       &r->reference,     &r->decrement,
                         &r->newton_decrement};
  memcpy(real, all, sizeof all);
}

/* All numbers of a row: counts, then reals with all digits, as texts if they are not finite. */
static json_t *row_json(wring_iteration r)
{
  double       *real[N_REAL];
  json_t *const list =
    json_pack("[I, I, I]", (json_int_t)r.iteration, (json_int_t)r.evaluations, (json_int_t)r.linear_iterations);
  for (int i = 0; i < WRING_N_WORK; i++) json_array_append_new(list, json_integer(r.work.of[i]));
  get_reals(&r, real);
  for (int i = 0; i < N_REAL; i++)
    json_array_append_new(list, isfinite(*real[i]) ? json_real(*real[i])
                                                   : json_string(isnan(*real[i]) ? "nan"
                                                                 : *real[i] > 0  ? "inf"
                                                                                 : "-inf"));
  return list;
}

static wring_iteration row_of(const json_t *list)
{
  double         *real[N_REAL];
  json_int_t      count[3 + WRING_N_WORK];
  wring_iteration r;
  for (size_t i = 0; i < 3 + WRING_N_WORK; i++) count[i] = json_integer_value(json_array_get(list, i));
  r.iteration         = (PetscInt)count[0];
  r.evaluations       = (PetscInt)count[1];
  r.linear_iterations = count[2];
  for (int i = 0; i < WRING_N_WORK; i++) r.work.of[i] = count[3 + i];
  get_reals(&r, real);
  for (size_t i = 0; i < N_REAL; i++) {
    const json_t *const number = json_array_get(list, 3 + WRING_N_WORK + i);
    *real[i]                   = json_number_value(number);
    if (json_is_string(number)) (void)wring_text_real(json_string_value(number), real[i]);
  }
  return r;
}

static json_int_t integer_of(const json_t *json, const char *key)
{
  return json_integer_value(json_object_get(json, key));
}

PetscErrorCode wring_sittings_take(wring_compare *s, wring_convergence *h, PetscBool *found)
{
  wring_outcome *const o    = &h->outcome;
  json_t              *json = NULL;
  wring_error          change, none = {""}; // a file that is not whole: the solve is made again
  char                 path[PATH];

  PetscFunctionBegin;
  h->segment = s->sittings;
  s->solves++;
  name_file(s, h->name, ".json", path);
  if (s->sittings) PetscCall(wring_kept_read(s->p->comm, path, NULL, &change, &json, &none));
  *found = (PetscBool)(json != NULL);
  if (!json) PetscFunctionReturn(PETSC_SUCCESS);
  const json_t *const   rows  = json_object_get(json, "rows");
  const wring_iteration setup = row_of(json_object_get(json, "set-up"));
  h->n = h->capacity = (PetscInt)json_array_size(rows);
  PetscCall(PetscMalloc1(h->n, &h->row));
  for (PetscInt i = 0; i < h->n; i++) h->row[i] = row_of(json_array_get(rows, (size_t)i));
  h->segment       = (PetscInt)integer_of(json, "sitting");
  h->fingerprint   = (uint64_t)integer_of(json, "fingerprint");
  h->setup         = (wring_setup){.seconds = setup.seconds, .work = setup.work};
  o->reason        = (wring_reason)integer_of(json, "reason");
  o->iterations    = (PetscInt)integer_of(json, "iterations");
  o->last          = row_of(json_object_get(json, "last"));
  o->rises.count   = (PetscInt)integer_of(json, "rises");
  o->rises.largest = json_number_value(json_object_get(json, "largest_rise"));
  json_decref(json);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sittings_keep(const wring_compare *s, const wring_convergence *h)
{
  const wring_outcome *const o     = &h->outcome;
  const wring_iteration      setup = {.seconds = h->setup.seconds, .work = h->setup.work};
  wring_error                error = {""};
  char                       path[PATH];

  PetscFunctionBegin;
  name_file(s, h->name, ".json", path);
  if (s->p->rank == 0) {
    json_t *const rows = json_array();
    for (PetscInt i = 0; i < h->n; i++) json_array_append_new(rows, row_json(h->row[i]));
    json_t *const json = wring_json_set(json_object(), "sitting", json_integer(h->segment), "fingerprint",
                                        json_integer((json_int_t)h->fingerprint), "reason", json_integer(o->reason),
                                        "iterations", json_integer(o->iterations), "rises",
                                        json_integer(o->rises.count), "largest_rise", wring_json_real(o->rises.largest),
                                        "set-up", row_json(setup), "last", row_json(o->last), "rows", rows, NULL);
    wring_json_write(json, &error, "%s", path);
    json_decref(json);
  }
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sittings_lowest(wring_compare *s, const wring_convergence *h, PetscBool found)
{
  const wring_problem *const p = s->p;
  const double               g = h->outcome.last.value.objective;
  char                       path[PATH], file[PETSC_MAX_PATH_LEN];
  wring_checkpoint_field     field = {.name = "position", .components = 3};

  PetscFunctionBegin;
  if (!s->lowest || !(g < s->lowest_g)) PetscFunctionReturn(PETSC_SUCCESS);
  s->lowest_g = g;
  if (!found) PetscCall(VecCopy(s->x, s->lowest));
  name_file(s, h->name, ".h5", path);
  if (found) PetscCall(wring_checkpoint_find(p->comm, path, sizeof file, file));
  PetscCall(VecGetArray(s->lowest, &field.value));
  if (found)
    PetscCall(wring_checkpoint_read_fields(file, p->mesh, 1, &field));
  else if (h->outcome.reason != WRING_INTERRUPTED)
    PetscCall(wring_checkpoint_write(path, p->mesh, NULL, p->state.step, p->state.time, 1, &field));
  PetscCall(VecRestoreArray(s->lowest, &field.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
