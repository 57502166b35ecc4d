/* The output directory of a run and its files. */
#include "run.h"
#include "study/common/kept.h"
#include "study/common/provenance.h"
#include <string.h>

/* ---- the directory ----------------------------------------------------------------------------------------------- */

/*
  Opens the tables, which may be refused, and only then removes the files of an earlier run after step `keep`: first
  files that list others, then the listed files, so that after a kill no list names a missing file. Rank 0.
*/
static PetscErrorCode open_files(wring_run *r, wring_error *refusal, wring_error *e)
{
  static const char *const lists[] = {WRING_CHECKPOINT_MESH, "run.json", "frames.pvd", WRING_FRAMES_HDF};
  wring_run_output *const  o       = &r->output;
  const PetscInt           all = PETSC_MAX_INT, keep = o->goes_on ? r->first : -1;
  const PetscBool          residuals = (PetscBool)(r->solver && wring_solver_has_residuals(r->solver));

  PetscFunctionBegin;
  o->tables.directory = o->keys.directory;
  if (o->goes_on) PetscCall(wring_frames_check(&o->frames, refusal));
  if (!wring_failed(refusal)) PetscCall(wring_tables_open(r->p, residuals, keep, &o->tables, refusal, e));
  if (wring_failed(refusal) || wring_failed(e)) PetscFunctionReturn(PETSC_SUCCESS);
  wring_directory_remove(o->keys.directory, "checkpoint_", ".h5", keep + 1, all, e);
  wring_directory_remove_file(o->keys.directory, "state.csv", e);
  for (int i = 0; i < 4 && !o->goes_on; i++) wring_directory_remove_file(o->keys.directory, lists[i], e);
  if (o->goes_on) PetscCall(wring_frames_read(&o->frames, keep, e));
  wring_directory_remove(o->keys.directory, "frame_", ".vtu", keep + 1, all, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_open_directory(wring_run *r)
{
  const wring_problem *const p       = r->p;
  wring_error                refusal = {""}, error = {""};

  PetscFunctionBegin;
  PetscCall(wring_directory_make(p->comm, r->output.keys.directory, &r->output.lock));
  if (p->rank == 0) {
    r->output.goes_on =
      (PetscBool)(p->restart[0] && wring_directory_holds(r->output.keys.directory, p->restart, &error));
    if (r->output.goes_on && p->chained)
      wring_error_set(&refusal, "%s: initial_continue is false: a new analysis needs an output_directory of its own",
                      p->restart);
    r->output.segments = wring_segments_read(p->chained ? "" : p->restart, r->first, &refusal);
    if (!wring_failed(&refusal) && !wring_failed(&error)) PetscCall(open_files(r, &refusal, &error));
  }
  PetscCall(wring_error_raise(p->comm, &refusal));
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscCallMPI(MPI_Bcast(&r->output.goes_on, 1, WRING_MPI_BOOL, 0, p->comm));
  PetscCall(wring_provenance_begin(p->options, "run", p->restart, &r->output.made));
  if (r->output.goes_on) PetscCall(wring_checkpoint_mesh_seal(p->comm, p->restart, r->output.checkpoints.mesh_seal));
  PetscCall(wring_checkpoints_write_mesh(&r->output.checkpoints, r->output.keys.directory, r->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of tables up to a checkpoint survive a crash, as it does. */
PetscErrorCode wring_run_write_checkpoint(wring_run *r)
{
  const PetscBool unfinished =
    (PetscBool)(r->solver && r->outcome.reason == WRING_INTERRUPTED && wring_solver_minimises(r->solver));
  wring_error error = {0};

  PetscFunctionBegin;
  const wring_phase old = wring_phases_switch(&r->p->phases, WRING_PHASE_OUTPUT);
  wring_tables_flush(&r->output.tables, PETSC_TRUE, &error);
  PetscCall(wring_error_raise_output(r->p->comm, &error));
  wring_phases_switch(&r->p->phases, old);
  PetscCall(wring_checkpoints_write(&r->output.checkpoints, r->output.keys.directory, r->p, unfinished ? r->x : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- run.json ---------------------------------------------------------------------------------------------------- */

/* "running", "done", "stopped by a signal". */
static const char *ended(const wring_run *r)
{
  if (r->status == WRING_EXIT_FAILED) return "solver failed";
  if (r->p->state.step >= r->last) return wring_stop_text(WRING_GO_ON);
  return r->stopper.cause ? wring_stop_text(r->stopper.cause) : "running";
}

/* What the solver has chosen in its solves so far: [{"solve", "iteration", "uses"}, ...]. New reference. */
static json_t *choices_json(const wring_solver *s)
{
  const wring_solver_choice *c;
  const PetscInt             n    = wring_solver_choices(s, &c);
  json_t *const              list = json_array();
  for (PetscInt i = 0; i < n; i++) {
    json_array_append_new(list, wring_json_object("solve", JSON(c[i].solve), "iteration", JSON(c[i].iteration), "uses",
                                                  JSON(c[i].text), NULL));
  }
  return list;
}

/* A step that failed or was cut off is not in the tally. */
static double merit(const wring_run *r)
{
  if (r->status && !wring_reason_converged(r->outcome.reason)) return 0;
  return wring_tally_merit(&r->tally, r->p->mesh->number.n_global, r->marched - r->set_up);
}

/* Until a time since the start of the problem; null before the first step. */
static void set_times(const wring_run *r, double until, json_t *json)
{
  wring_json_set(json, "setup_seconds", r->set_up > 0 ? JSON(r->set_up) : json_null(), "marching_seconds",
                 r->set_up > 0 ? JSON(until - r->set_up) : json_null(), NULL);
}

void wring_run_beat(wring_run *r, const wring_iteration *it, wring_error *e)
{
  static const double     interval = 10; // s
  wring_run_output *const o        = &r->output;
  const double            now = MPI_Wtime(), seconds = wring_phases_total(&r->p->phases);
  if (r->p->rank != 0 || wring_failed(e) || (o->beat > 0 && now - o->beat < interval)) return;
  json_t *const beat = json_object();
  wring_record_date("date", beat);
  wring_json_set(beat, "step", JSON(r->p->state.step), "time", JSON(r->p->state.time), "seconds", JSON(seconds), NULL);
  if (it)
    wring_json_set(beat, "solving", JSON(o->tables.step), "iteration", JSON(it->iteration), "objective",
                   JSON(it->value.objective), "gradient_norm", JSON(it->gradient_norm), NULL);
  json_object_set_new(o->json, "heartbeat", beat);
  set_times(r, seconds, o->json);
  wring_json_write(o->json, e, "%s/run.json", o->keys.directory);
  o->beat = now;
}

/* A key of what is simulated: not of the command, of times, outputs and methods. */
static PetscBool is_physical(const char *key)
{
  static const char *const other[] = {"time_", "initial_", "solver_", "operator_", "variant_", "mesh_partitioner"};
  for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
    if (wring_ascii_compare_n(key, other[i], strlen(other[i])) == 0) return PETSC_FALSE;
  return (PetscBool)!wring_keys_of_others("run", key);
}

PetscErrorCode wring_run_note_other_keys(const wring_run *r)
{
  const size_t  n         = json_array_size(r->output.segments);
  json_t *const before    = n ? json_object_get(json_array_get(r->output.segments, n - 1), "options") : NULL;
  char          text[512] = "";

  PetscFunctionBegin;
  if (before) wring_kept_describe(before, json_object_get(r->output.json, "options"), is_physical, sizeof text, text);
  PetscCallMPI(MPI_Bcast(text, sizeof text, MPI_CHAR, 0, r->p->comm));
  if (text[0])
    PetscCall(
      wring_note(r->p->comm, "%s: steps.csv and probes.csv there go on, but %s", r->output.keys.directory, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_write_json(wring_run *r)
{
  wring_problem *const      p      = r->p;
  const wring_frames *const f      = &r->output.frames;
  const PetscBool           solved = (PetscBool)(p->state.step > r->first || r->status == WRING_EXIT_FAILED);
  wring_error               error  = {0};
  wring_solver_limits       limits;
  json_t                   *json;

  PetscFunctionBegin;
  PetscCall(wring_provenance(p, r->output.made, 0, NULL, &json));
  if (r->solver) { // keys whose defaults depend on the command and the method
    wring_solver_get_limits(r->solver, &limits);
    wring_json_set(json_object_get(json, "options"), "solver_max_it", JSON(limits.max_it), "solver_stop",
                   JSON(wring_solver_stop_name(limits.stop)), "solver_start",
                   JSON(wring_start_name(wring_stepper_get_start(p->stepper))), NULL);
    json_object_set_new(json, "choices", choices_json(r->solver));
  }
  wring_json_set(
    json, "solver", JSON(r->output.tables.solver), "integrator", JSON(wring_stepper_integrator(p->stepper)),
    "first_step", JSON(r->first), "step", JSON(p->state.step), "time", JSON(p->state.time), "iterations",
    JSON(r->iterations), "linear_iterations", JSON(r->linear_iterations), "rises", JSON(r->rises.count), "largest_rise",
    JSON(r->rises.largest), "ended", JSON(ended(r)), "last_reason",
    solved ? JSON(wring_reason_name(r->outcome.reason)) : json_null(), "frames",
    wring_json_object("format", JSON(f->keys->hdf ? "vtkhdf" : "vtu"), "kind", JSON(f->surface ? "surface" : "volume"),
                      "precision", JSON(f->keys->single ? "single" : "double"), "written", JSON(f->written), "bytes",
                      JSON(f->bytes), "once", JSON(f->once), "seconds", JSON(f->seconds), NULL),
    NULL);
  set_times(r, r->marched, json);
  wring_json_set(json, "unknowns", JSON(3 * p->mesh->number.n_global), "fom", JSON(merit(r)), NULL);
  wring_tally_add(&r->tally, json);
  if (p->rank == 0) {
    wring_json_set(json, "checkpoints", wring_checkpoints_json(&r->output.checkpoints, r->output.keys.directory),
                   "segments", json_incref(r->output.segments), NULL);
    wring_json_write(json, &error, "%s/run.json", r->output.keys.directory);
  }
  json_decref(r->output.json);
  r->output.json = json;
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
