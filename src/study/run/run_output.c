/* The output directory of a run and its files. */
#include "run.h"
#include "study/common/kept.h"
#include "study/common/output_directory.h"
#include "study/record/provenance.h"
#include <string.h>
#include <sys/stat.h>

enum { STATE_FIELDS = 6 }; // of a checkpoint: positions, velocities, work, two of wring_stepper_memory, an iterate

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

/*
  The mesh file of the checkpoints is written before the first step, when memory is free that solves need. A run that
  goes on keeps the one that its state names, whose bytes were verified when its mesh was read.
*/
static PetscErrorCode write_mesh(wring_run *r)
{
  wring_run_checkpoints *const c     = &r->output.checkpoints;
  const double                 start = MPI_Wtime();

  PetscFunctionBegin;
  PetscCall(wring_checkpoint_write_mesh(r->output.keys.directory, r->p->mesh, c->mesh_seal));
  c->mesh_seconds += MPI_Wtime() - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_open_directory(wring_run *r)
{
  const wring_problem *const p       = r->p;
  wring_error                refusal = {""}, error = {""};

  PetscFunctionBegin;
  PetscCall(wring_directory_make(p->comm, r->output.keys.directory));
  if (p->rank == 0) {
    r->output.goes_on =
      (PetscBool)(p->restart[0] && wring_directory_holds(r->output.keys.directory, p->restart, &error));
    r->output.segments = wring_segments_read(p->restart, r->first, &refusal);
    if (!wring_failed(&refusal) && !wring_failed(&error)) PetscCall(open_files(r, &refusal, &error));
  }
  PetscCall(wring_error_raise(p->comm, &refusal));
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscCallMPI(MPI_Bcast(&r->output.goes_on, 1, WRING_MPI_BOOL, 0, p->comm));
  PetscCall(wring_provenance_begin(p->options, "run", p->restart, &r->output.made));
  if (r->output.goes_on) PetscCall(wring_checkpoint_mesh_seal(p->comm, p->restart, r->output.checkpoints.mesh_seal));
  const wring_phase old = wring_phases_switch(&r->p->phases, WRING_PHASE_OUTPUT);
  PetscCall(write_mesh(r));
  wring_phases_switch(&r->p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files of a state -------------------------------------------------------------------------------------------- */

/*
  The fields of a checkpoint: names and vectors of 3 numbers a vertex; returns their number. An interrupted solve of a
  method that minimises g leaves an iterate, from which the next run goes on.
*/
static int list_vectors(const wring_run *r, wring_memory vector[STATE_FIELDS])
{
  const wring_problem *const p = r->p;
  int                        n = 2;
  vector[0] = (wring_memory){"position", p->state.q}, vector[1] = (wring_memory){"velocity", p->state.v};
  if (wring_stepper_remembers(p->stepper)) n += wring_stepper_memory(p->stepper, vector + n);
  if (r->solver && r->outcome.reason == WRING_INTERRUPTED && wring_solver_minimises(r->solver))
    vector[n++] = (wring_memory){WRING_CHECKPOINT_ITERATE, r->x};
  return n;
}

/* Writes a checkpoint and keeps two; the mesh too if its file is no longer there. */
PetscErrorCode wring_run_write_checkpoint(wring_run *r)
{
  wring_problem *const         p   = r->p;
  wring_run_checkpoints *const c   = &r->output.checkpoints;
  const wring_phase            old = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  wring_checkpoint_field       field[STATE_FIELDS];
  wring_memory                 vector[STATE_FIELDS];
  wring_error                  error = {0};
  char                         file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  wring_tables_flush(&r->output.tables, PETSC_TRUE, &error); // rows up to a checkpoint survive a crash, as it does
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscCall(write_mesh(r));
  const double start = MPI_Wtime();
  const int    n     = list_vectors(r, vector);
  PetscCall(wring_checkpoint_name(r->output.keys.directory, p->state.step, sizeof file, file));
  for (int i = 0; i < n; i++) {
    field[i] = (wring_checkpoint_field){vector[i].name, 3, NULL};
    PetscCall(VecGetArray(vector[i].value, &field[i].value));
  }
  field[n] = (wring_checkpoint_field){"work", 0, &p->state.work};
  PetscCall(wring_checkpoint_write(file, p->mesh, c->mesh_seal, p->state.step, p->state.time, n + 1, field));
  for (int i = 0; i < n; i++) PetscCall(VecRestoreArray(vector[i].value, &field[i].value));
  PetscCall(wring_checkpoint_prune(p->comm, r->output.keys.directory, 2));
  c->n++;
  c->seconds += MPI_Wtime() - start;
  c->latest = p->state.step;
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_write_state(const wring_run *r)
{
  wring_problem *const p   = r->p;
  const wring_phase    old = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  const PetscScalar   *q, *v;
  double              *row;
  char                 file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6 * p->mesh->n_owned, &row));
  PetscCall(VecGetArrayRead(p->state.q, &q));
  PetscCall(VecGetArrayRead(p->state.v, &v));
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    PetscCall(PetscArraycpy(row + 6 * i, q + 3 * i, 3));
    PetscCall(PetscArraycpy(row + 6 * i + 3, v + 3 * i, 3));
  }
  PetscCall(VecRestoreArrayRead(p->state.v, &v));
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  snprintf(file, sizeof file, "%s/state.csv", r->output.keys.directory);
  PetscCall(wring_csv_write_vertices(file, p->mesh, "x,y,z,vx,vy,vz", 6, row));
  PetscCall(PetscFree(row));
  wring_phases_switch(&p->phases, old);
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
  wring_provenance_date("date", beat);
  wring_json_set(beat, "step", JSON(r->p->state.step), "time", JSON(r->p->state.time), "seconds", JSON(seconds), NULL);
  if (it)
    wring_json_set(beat, "solving", JSON(o->tables.step), "iteration", JSON(it->iteration), "objective",
                   JSON(it->value.objective), "gradient_norm", JSON(it->gradient_norm), NULL);
  json_object_set_new(o->json, "heartbeat", beat);
  set_times(r, seconds, o->json);
  wring_json_write(o->json, e, "%s/run.json", o->keys.directory);
  o->beat = now;
}

/* Null if there is no such file. */
static json_t *size_of(const char *directory, const char *name)
{
  char        path[2 * PETSC_MAX_PATH_LEN];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return stat(path, &status) ? json_null() : JSON((json_int_t)status.st_size);
}

/* Bytes of the last checkpoint and of the mesh, and the seconds that writing and verifying them took. Rank 0. */
static json_t *checkpoints_json(const wring_run *r)
{
  const wring_run_output *const o = &r->output;
  char                          last[64];
  snprintf(last, sizeof last, "checkpoint_%06" PetscInt_FMT ".h5", o->checkpoints.latest);
  return wring_json_object(
    "written", JSON(o->checkpoints.n), "bytes", o->checkpoints.n ? size_of(o->keys.directory, last) : json_null(),
    "seconds", JSON(o->checkpoints.seconds), "mesh", JSON(WRING_CHECKPOINT_MESH), "mesh_seal",
    JSON(o->checkpoints.mesh_seal), "mesh_bytes", size_of(o->keys.directory, WRING_CHECKPOINT_MESH), "mesh_seconds",
    JSON(o->checkpoints.mesh_seconds), NULL);
}

/* A key of what is simulated: not of the command, of times, outputs and methods. */
static PetscBool is_physical(const char *key)
{
  static const char *const other[] = {"time_",     "output_",   "checkpoint_", "initial_",
                                      "solver_",   "operator_", "variant_",    "compare_",
                                      "converge_", "evaluate_", "bench_",      "mesh_partitioner"};
  for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
    if (wring_ascii_compare_n(key, other[i], strlen(other[i])) == 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode wring_run_note_other_keys(const wring_run *r)
{
  const size_t        n      = json_array_size(r->output.segments);
  const json_t *const before = n ? json_object_get(json_array_get(r->output.segments, n - 1), "options") : NULL,
                      *now   = json_object_get(r->output.json, "options");
  char        text[512]      = "";
  const char *key;
  json_t     *value;

  PetscFunctionBegin;
  json_object_foreach((json_t *)now, key, value)
  {
    if (before && is_physical(key)) wring_kept_describe(key, json_object_get(before, key), value, sizeof text, text);
  }
  json_object_foreach((json_t *)before, key, value)
  {
    if (is_physical(key) && !json_object_get(now, key)) wring_kept_describe(key, value, NULL, sizeof text, text);
  }
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
  wring_tally_add(&r->tally, json);
  if (p->rank == 0) {
    wring_json_set(json, "checkpoints", checkpoints_json(r), "segments", json_incref(r->output.segments), NULL);
    wring_json_write(json, &error, "%s/run.json", r->output.keys.directory);
  }
  json_decref(r->output.json);
  r->output.json = json;
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
