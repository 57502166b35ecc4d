#define _POSIX_C_SOURCE 200809L // rmdir
#include "comparison.h"
#include "base/grow.h"
#include "base/text.h"
#include "study/common/kept.h"
#include "output/output.h"
#include <errno.h>
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
  char                       path[PATH], file[PATH + 16];
  wring_error                error = {""}, change, unreadable = {""}; // which refuses like another origin, below
  json_t                    *keys, *old;

  PetscFunctionBegin;
  snprintf(path, sizeof path, "%s/%s", s->output.directory, folder);
  snprintf(file, sizeof file, "%s/sittings.json", path);
  if (p->rank == 0) {
    PetscCall(wring_keys_in_force(p, "compare", s->n_solver, s->solver, &keys));
    PetscCall(wring_kept_origin(p->options, "compare", p->restart, keys, &s->origin));
  }
  PetscCall(wring_kept_read(p->comm, file, s->origin, &change, &old, &unreadable));
  if (p->rank == 0 && !old && holds_any(path, &error)) wring_error_set(&change, "its sittings.json cannot be read");
  if (wring_failed(&change) && !s->output.overwrite)
    wring_error_set(&error,
                    "%s: holds a comparison that has not ended, of another deck: %s; add -output_overwrite true to "
                    "replace it, or -output_directory with another name",
                    s->output.directory, change.text);
  PetscCall(wring_error_raise(p->comm, &error));
  if (!wring_failed(&change)) s->c.segments = json_incref(json_object_get(old, "sittings"));
  json_decref(old);
  s->sittings = (PetscInt)json_array_size(s->c.segments);
  if (!s->sittings) PetscCall(wring_directory_refuse_results(&s->output, "comparison", wring_comparison_files));
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
  if (s->p->rank == 0 && !s->sittings) wring_sittings_remove(s->output.directory, &error);
  PetscCall(wring_error_raise_output(comm, &error));
  snprintf(path, sizeof path, "%s/%s", s->output.directory, folder);
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
                         s->output.directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/* "out/compare_kept/02_qn.json" of the solve that is due. */
static void name_file(const wring_compare *s, const char *solver, const char *end, char path[PATH])
{
  snprintf(path, PATH, "%s/%s/%02" PetscInt_FMT "_%s%s", s->output.directory, folder, s->solves, solver, end);
}

/* The numbers of a solve in a list, which is filled from the solve or read into it. */
typedef struct {
  json_t   *list;
  size_t    at;           // the next one to read
  PetscBool reads, whole; // whole: each was the number of a solve
} numbers;

static void pass_integer(numbers *a, int64_t *v)
{
  if (!a->reads) {
    json_array_append_new(a->list, JSON(*v));
    return;
  }
  const json_t *const read = json_array_get(a->list, a->at++);
  a->whole &= json_is_integer(read);
  *v = json_integer_value(read);
}

static void pass_count(numbers *a, PetscInt *v)
{
  int64_t wide = *v;
  pass_integer(a, &wide);
  *v = (PetscInt)wide;
  a->whole &= wide >= 0 && wide == *v;
}

/* With all digits, as a text: JSON has no infinity. */
static void pass_real(numbers *a, double *v)
{
  if (!a->reads) {
    json_array_append_new(a->list, json_sprintf("%.17g", *v));
    return;
  }
  const char *const read = json_string_value(json_array_get(a->list, a->at++));
  a->whole &= read && wring_text_real(read, v);
}

static void pass_work(numbers *a, wring_counts *work)
{
  for (int i = 0; i < WRING_N_WORK; i++) pass_integer(a, &work->of[i]);
}

static void pass_row(numbers *a, wring_iteration *r)
{
  double *const real[] = {&r->value.objective, &r->value.inertial, &r->value.elastic, &r->gradient_norm,
                          &r->step_length,     &r->primal,         &r->dual,          &r->seconds,
                          &r->setup.seconds,   &r->reference,      &r->decrement,     &r->newton_decrement};
  pass_count(a, &r->iteration);
  pass_count(a, &r->evaluations);
  pass_integer(a, &r->linear_iterations);
  pass_work(a, &r->work);
  for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) pass_real(a, real[i]);
}

static PetscErrorCode pass_solve(numbers *a, wring_solve *one)
{
  wring_outcome *const o           = &one->outcome;
  int64_t              fingerprint = (int64_t)one->fingerprint;
  PetscInt             reason      = o->reason;

  PetscFunctionBegin;
  pass_count(a, &one->segment);
  pass_integer(a, &fingerprint);
  one->fingerprint = (uint64_t)fingerprint;
  pass_count(a, &reason);
  o->reason = (wring_reason)reason;
  pass_count(a, &o->iterations);
  pass_count(a, &o->rises.count);
  pass_real(a, &o->rises.largest);
  pass_real(a, &one->setup.seconds);
  pass_real(a, &one->waited);
  pass_work(a, &one->setup.work);
  pass_row(a, &o->last);
  pass_count(a, &one->n);
  a->whole &= reason < WRING_N_REASON && one->n > 0 && (!a->reads || (size_t)one->n < json_array_size(a->list));
  if (!a->whole) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->reads) PetscCall(wring_grow(one->n, &one->capacity, sizeof *one->row, &one->row));
  for (PetscInt i = 0; i < one->n; i++) pass_row(a, &one->row[i]);
  a->whole &= !a->reads || a->at == json_array_size(a->list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterate is written before the solve is kept, or it is read with a solve that was kept. */
static PetscErrorCode take_lowest(wring_compare *s, const char *name, const wring_solve *one, PetscBool found)
{
  const wring_problem *const p = s->p;
  const double               g = one->outcome.last.value.objective;
  char                       path[PATH], file[PETSC_MAX_PATH_LEN];
  wring_checkpoint_field     field = {.name = "position", .components = 3};

  PetscFunctionBegin;
  if (!s->lowest || !(g < s->lowest_g)) PetscFunctionReturn(PETSC_SUCCESS);
  s->lowest_g = g;
  if (!found) PetscCall(VecCopy(s->x, s->lowest));
  name_file(s, name, ".h5", path);
  if (found) PetscCall(wring_checkpoint_find(p->comm, path, sizeof file, file));
  PetscCall(VecGetArray(s->lowest, &field.value));
  if (found)
    PetscCall(wring_checkpoint_read_fields(file, p->mesh, 1, &field));
  else if (one->outcome.reason != WRING_INTERRUPTED)
    PetscCall(wring_checkpoint_write(path, p->mesh, NULL, p->state.step, p->state.time, 1, &field));
  PetscCall(VecRestoreArray(s->lowest, &field.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sittings_take(wring_compare *s, const char *name, wring_solve *one, PetscBool *found)
{
  numbers     kept = {.reads = PETSC_TRUE, .whole = PETSC_TRUE};
  wring_error change, error = {""};
  char        path[PATH];

  PetscFunctionBegin;
  one->segment = s->sittings;
  s->solves++;
  name_file(s, name, ".json", path);
  if (s->sittings) PetscCall(wring_kept_read(s->p->comm, path, NULL, &change, &kept.list, &error));
  PetscCall(wring_error_raise(s->p->comm, &error));
  *found = (PetscBool)(kept.list != NULL);
  if (*found) PetscCall(pass_solve(&kept, one));
  if (*found && !kept.whole)
    WRING_REFUSE(s->p->comm,
                 "%s: does not hold the numbers of a solve, expected none: remove it to make the solve again", path);
  if (*found) PetscCall(take_lowest(s, name, one, PETSC_TRUE));
  json_decref(kept.list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_sittings_keep(wring_compare *s, const char *name, wring_solve *one)
{
  numbers     kept  = {.list = json_array(), .whole = PETSC_TRUE};
  wring_error error = {""};
  char        path[PATH];

  PetscFunctionBegin;
  PetscCall(take_lowest(s, name, one, PETSC_FALSE));
  name_file(s, name, ".json", path);
  PetscCall(pass_solve(&kept, one));
  if (s->p->rank == 0 && one->outcome.reason != WRING_INTERRUPTED) wring_json_write(kept.list, &error, "%s", path);
  json_decref(kept.list);
  PetscCall(wring_error_raise_output(s->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
