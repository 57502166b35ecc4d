/*
  A level: a run in a directory of its own; and level.json, what is kept of it, with the program, keys in force and
  files that it belongs to.
*/
#include "converge.h"
#include "study/common/kept.h"
#include "output/output.h"
#include "io/print.h"
#include "study/run/run.h"
#include <math.h>
#include <wring/io.h>
#include <string.h>

/* ---- level.json -------------------------------------------------------------------------------------------------- */

/* What a level belongs to; the defaults are those of the deck's problem, which all levels have. Rank 0. */
static PetscErrorCode describe(const wring_converge *c, const wring_converge_level *l, json_t **origin)
{
  json_t *own, *const keys = json_deep_copy(c->keys);

  PetscFunctionBegin;
  PetscCall(wring_keys_of_command(l->deck, "run", &own));
  json_object_update(keys, own);
  json_decref(own);
  PetscCall(wring_kept_origin(l->deck, "run", "", keys, origin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes level.json: of a level that is not finished, only the program, keys and files of the run in its directory. */
static PetscErrorCode store(const wring_converge *c, const wring_converge_level *l)
{
  wring_error error = {""};
  json_t     *origin;

  PetscFunctionBegin;
  if (c->output.rank == 0) {
    json_t *const json = l->results ? json_copy(l->results) : json_object();
    PetscCall(describe(c, l, &origin));
    json_object_update(json, origin);
    json_decref(origin);
    wring_json_write(json, &error, "%s/level.json", l->directory);
    json_decref(json);
  }
  PetscCall(wring_error_raise_output(c->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_take(const wring_converge *c, int k, wring_converge_level *l, wring_error *e)
{
  wring_output out;
  wring_error  change;
  char         path[PETSC_MAX_PATH_LEN + 32];
  json_t      *origin = NULL, *old;
  PetscBool    whole;

  PetscFunctionBegin;
  PetscCall(wring_output_read(l->deck, &out));
  if (c->output.rank == 0) PetscCall(describe(c, l, &origin));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/level.json", l->directory));
  PetscCall(wring_kept_read(c->comm, path, origin, &change, &old, e));
  json_decref(origin);
  if (wring_failed(&change) && !out.overwrite)
    wring_error_set(e,
                    "%s: level %d is of another deck or program: %s; add -output_overwrite true to replace it, or "
                    "-output_directory with another name",
                    l->directory, k, change.text);
  PetscCall(wring_error_share(c->comm, e));
  if (wring_failed(&change) && out.overwrite)
    PetscCall(wring_note(c->comm, "%s: level %d is computed anew: %s", l->directory, k, change.text));
  PetscCall(wring_checkpoint_is_there(c->comm, l->directory, &whole));
  l->replaces = (PetscBool)(old != NULL);
  if (!old && !wring_failed(e)) PetscCall(wring_directory_find_conflict(l->deck, &out, e));
  if (whole && !wring_failed(&change) && json_object_get(old, "scalars")) l->results = json_incref(old);
  json_decref(old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* True if a column of a probe is a place, NAME_x, NAME_y or NAME_z: that of a largest stress jumps between elements. */
static PetscBool is_place(const char *column)
{
  const size_t n = strlen(column);
  return (PetscBool)(n > 2 && column[n - 2] == '_' && strchr("xyz", column[n - 1]));
}

/* Scalars: the energies at the end, those of steps.csv, and what the probes measure, the last row of probes.csv. */
static PetscErrorCode collect(wring_run *r, wring_converge_level *l)
{
  const wring_problem *const p = r->p;
  const char *const         *name;
  const PetscInt             n           = wring_problem_probe_columns(p, &name);
  wring_balance              b           = {.elastic = r->elastic};
  PetscInt                   unconverged = 0;
  double                    *value;

  PetscFunctionBegin;
  PetscCall(wring_balance_measure(p, r->tally.inverted, &b));
  json_t *const scalars =
    wring_json_object("elastic", JSON(b.elastic), "total", JSON(b.kinetic + b.elastic + b.external), NULL);
  PetscCall(PetscMalloc1(n, &value));
  if (n) PetscCall(wring_problem_measure_probes(r->p, p->state.q, p->state.v, value));
  for (PetscInt i = 0; i < n; i++)
    if (!is_place(name[i])) json_object_set_new(scalars, name[i], JSON(value[i]));
  PetscCall(PetscFree(value));
  for (int i = 0; i < WRING_N_REASON; i++)
    if (!wring_reason_converged((wring_reason)i)) unconverged += r->tally.steps[i];
  l->results = wring_json_object("vertices", JSON(p->mesh->number.n_global), "tets", JSON(p->mesh->tets.n_global),
                                 "time", JSON(p->state.time), "iterations", JSON(r->iterations), "linear_iterations",
                                 JSON(r->linear_iterations), "seconds", JSON(r->seconds), "steps_not_converged",
                                 JSON(unconverged), "scalars", scalars, NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_level_run(wring_converge *c, int k)
{
  wring_converge_level *const l = &c->level[k];
  wring_run                   r;

  PetscFunctionBegin;
  if (l->replaces) PetscCall(wring_options_set(l->deck, "output_overwrite", "true", "wring converge"));
  wring_print(c->comm, "\n[%d/%d] mesh.refine %" PetscInt_FMT, k + 1, c->n, l->refine);
  if (!c->is_static) wring_print(c->comm, ", time.step %.6g s", l->step);
  wring_print(c->comm, ", %s\n", l->directory);
  PetscCall(wring_run_set_up(c->comm, l->deck, &r));
  r.stopper = c->stopper;
  PetscCall(wring_directory_make(c->comm, l->directory, NULL));
  PetscCall(store(c, l)); // what was kept of an earlier run does not hold any more
  PetscCall(wring_run_march(&r));
  c->stopper = r.stopper;
  c->status  = r.status;
  if (!r.status) PetscCall(collect(&r, l));
  PetscCall(wring_run_destroy(&r));
  if (l->results) PetscCall(store(c, l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_level_size(const wring_converge *c, int k)
{
  return cbrt(c->volume / wring_json_number(c->level[k].results, "tets"));
}
