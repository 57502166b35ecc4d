/* The output directory of a run and its files. */
#include "run.h"
#include "segments.h"
#include "study/common/output_directory.h"
#include "study/record/provenance.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STATE_FIELDS = 5 }; // of a checkpoint: positions, velocities, work and the two arrays of wring_stepper_memory

/* ---- the directory ----------------------------------------------------------------------------------------------- */

/* The tables of a run, in the order in which they are opened. */
enum { STEPS, HISTORY, RESIDUALS, PROBES, N_TABLE };

typedef struct {
  const char   *name, *header; // header NULL: this run has no such table
  wring_record *record;
} run_table;

/*
  Opens the tables, after all that a run continues have been checked, so that a refusal changes nothing; removes those
  that this run does not have.
*/
static void open_tables(const wring_run *r, const run_table *table, PetscInt keep, wring_error *refusal, wring_error *e)
{
  const char *const directory = r->output.directory;
  for (int i = 0; i < N_TABLE && keep >= 0; i++) {
    if (table[i].header) wring_record_check(directory, table[i].name, table[i].header, refusal);
  }
  if (refusal->text[0]) return;
  for (int i = 0; i < N_TABLE && !e->text[0]; i++) {
    if (table[i].header) wring_record_open(directory, table[i].name, table[i].header, keep, table[i].record, e);
  }
  for (int i = 0; i < N_TABLE && !e->text[0]; i++) {
    if (!table[i].header) wring_directory_remove_file(directory, table[i].name, e);
  }
}

/*
  Opens the tables, which may be refused, and only then removes the files of an earlier run after step `keep`: first
  files that list others, then the listed files, so that after a kill no list names a missing file. Rank 0.
*/
static PetscErrorCode open_files(wring_run *r, wring_error *refusal, wring_error *e)
{
  wring_run_output *const o   = &r->output;
  const PetscInt          all = PETSC_MAX_INT, keep = o->goes_on ? r->first : -1;
  const PetscBool         residuals = (PetscBool)(r->solver && wring_solver_has_residuals(r->solver));
  char                   *steps, *probes;

  PetscFunctionBegin;
  PetscCall(wring_steps_header(r->p, &steps));
  PetscCall(wring_probes_header(r->p, &probes));
  const run_table table[N_TABLE] = {
    [STEPS]     = {"steps.csv", steps, &o->steps},
    [HISTORY]   = {"history.csv", wring_history_header, &o->history.record},
    [RESIDUALS] = {"residuals.csv", residuals ? wring_residuals_header : NULL, &o->history.residuals},
    [PROBES]    = {"probes.csv", probes, &o->probes}};
  if (o->goes_on) PetscCall(wring_frames_check(&o->frames, refusal));
  if (!refusal->text[0]) open_tables(r, table, keep, refusal, e);
  free(steps);
  PetscCall(PetscFree(probes));
  if (refusal->text[0] || e->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  wring_directory_remove(o->directory, "checkpoint_", ".h5", keep + 1, all, e);
  if (!o->goes_on) wring_directory_remove_file(o->directory, WRING_CHECKPOINT_MESH, e); // no checkpoint needs it now
  wring_directory_remove_file(o->directory, "state.csv", e);
  if (!o->goes_on) wring_directory_remove_file(o->directory, "run.json", e); // otherwise it is replaced
  if (o->goes_on)
    PetscCall(wring_frames_read(&o->frames, keep, e));
  else {
    wring_directory_remove_file(o->directory, "frames.pvd", e);
    wring_directory_remove_file(o->directory, WRING_FRAMES_HDF, e);
  }
  wring_directory_remove(o->directory, "frame_", ".vtu", keep + 1, all, e);
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
  PetscCall(wring_checkpoint_write_mesh(r->output.directory, r->p->mesh, c->mesh_seal));
  c->mesh_seconds += MPI_Wtime() - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_open_directory(wring_run *r)
{
  const wring_problem *const p       = r->p;
  wring_error                refusal = {""}, error = {""};

  PetscFunctionBegin;
  PetscCall(wring_directory_make(p->options, sizeof r->output.directory, r->output.directory));
  r->output.frames.directory = r->output.directory;
  if (p->rank == 0) {
    r->output.goes_on  = (PetscBool)(p->restart[0] && wring_directory_holds(r->output.directory, p->restart, &error));
    r->output.segments = wring_segments_read(p->restart, r->first, &refusal);
    if (!refusal.text[0] && !error.text[0]) PetscCall(open_files(r, &refusal, &error));
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

/* The rows up to a checkpoint must survive a crash of the machine, as the checkpoint does. */
static PetscErrorCode sync_records(wring_run *r)
{
  wring_error error = {0};

  PetscFunctionBegin;
  wring_record_sync(&r->output.history.record, &error);
  wring_record_sync(&r->output.history.residuals, &error);
  wring_record_sync(&r->output.steps, &error);
  wring_record_sync(&r->output.probes, &error);
  PetscCall(wring_error_raise_output(r->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes a checkpoint and keeps two; the mesh too if its file is no longer there. */
PetscErrorCode wring_run_write_checkpoint(wring_run *r)
{
  wring_problem *const         p   = r->p;
  wring_run_checkpoints *const c   = &r->output.checkpoints;
  const wring_phase            old = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  PetscScalar                 *q, *v;
  char                         file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(sync_records(r));
  PetscCall(write_mesh(r));
  const double start = MPI_Wtime();
  PetscCall(wring_checkpoint_name(r->output.directory, p->state.step, sizeof file, file));
  PetscCall(VecGetArray(p->state.q, &q));
  PetscCall(VecGetArray(p->state.v, &v));
  wring_checkpoint_field field[STATE_FIELDS] = {{"position", 3, q}, {"velocity", 3, v}, {"work", 0, &p->state.work}};
  wring_memory           memory[2];
  const int              more = wring_stepper_remembers(p->stepper) ? wring_stepper_memory(p->stepper, memory) : 0;
  for (int i = 0; i < more; i++) {
    field[3 + i] = (wring_checkpoint_field){memory[i].name, 3, NULL};
    PetscCall(VecGetArray(memory[i].value, &field[3 + i].value));
  }
  PetscCall(wring_checkpoint_write(file, p->mesh, c->mesh_seal, p->state.step, p->state.time, 3 + more, field));
  for (int i = 0; i < more; i++) PetscCall(VecRestoreArray(memory[i].value, &field[3 + i].value));
  PetscCall(VecRestoreArray(p->state.v, &v));
  PetscCall(VecRestoreArray(p->state.q, &q));
  PetscCall(wring_checkpoint_prune(p->comm, r->output.directory, 2));
  c->n++;
  c->seconds += MPI_Wtime() - start;
  r->output.written = p->state.step;
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_write_frame(wring_run *r)
{
  PetscFunctionBegin;
  PetscCall(wring_frames_write(&r->output.frames, r->p));
  r->output.framed = r->p->state.step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_state_csv(const wring_run *r)
{
  const wring_problem *const p = r->p;
  const PetscScalar         *q, *v;
  double                    *row;
  char                       file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6 * p->mesh->n_owned, &row));
  PetscCall(VecGetArrayRead(p->state.q, &q));
  PetscCall(VecGetArrayRead(p->state.v, &v));
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    for (int c = 0; c < 3; c++) {
      row[6 * i + c]     = q[3 * i + c];
      row[6 * i + 3 + c] = v[3 * i + c];
    }
  }
  PetscCall(VecRestoreArrayRead(p->state.v, &v));
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  snprintf(file, sizeof file, "%s/state.csv", r->output.directory);
  PetscCall(wring_csv_write_vertices(file, p->mesh, "x,y,z,vx,vy,vz", 6, row));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_write_state(const wring_run *r)
{
  wring_problem *const p   = r->p;
  const wring_phase    old = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  PetscBool            wanted;

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(p->options, "output_", wring_output_options, "state_csv", &wanted));
  if (wanted) PetscCall(write_state_csv(r));
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- run.json ---------------------------------------------------------------------------------------------------- */

const char *wring_run_ended(const wring_run *r)
{
  if (r->status == WRING_EXIT_FAILED) return "solver failed";
  const PetscBool running = (PetscBool)(r->p->state.step < r->last && !r->stopper.cause);
  return running ? "running" : wring_stop_text(r->stopper.cause);
}

static void write_json(const wring_run *r, const json_t *json, wring_error *e)
{
  char file[PETSC_MAX_PATH_LEN + 64];
  snprintf(file, sizeof file, "%s/run.json", r->output.directory);
  wring_json_write(file, json, e);
}

/* Until a time since the start of the problem; null before the first step. */
static void add_times(const wring_run *r, double until, json_t *json)
{
  json_object_set_new(json, "setup_seconds", r->set_up > 0 ? wring_json_real(r->set_up) : json_null());
  json_object_set_new(json, "marching_seconds", r->set_up > 0 ? wring_json_real(until - r->set_up) : json_null());
}

/* Of the solve of the next step. */
static void add_iteration(const wring_run *r, const wring_iteration *it, json_t *beat)
{
  json_object_set_new(beat, "solving", json_integer(r->output.history.step));
  json_object_set_new(beat, "iteration", json_integer(it->iteration));
  json_object_set_new(beat, "objective", wring_json_real(it->value.objective));
  json_object_set_new(beat, "gradient_norm", wring_json_real(it->gradient_norm));
}

void wring_run_beat(wring_run *r, const wring_iteration *it, wring_error *e)
{
  static const double     interval = 10; // s
  wring_run_output *const o        = &r->output;
  const double            now      = MPI_Wtime();
  if (r->p->rank != 0 || e->text[0] || (o->beat > 0 && now - o->beat < interval)) return;
  json_t *const beat = json_object();
  wring_provenance_date("date", beat);
  json_object_set_new(beat, "step", json_integer(r->p->state.step));
  json_object_set_new(beat, "time", wring_json_real(r->p->state.time));
  json_object_set_new(beat, "seconds", wring_json_real(wring_phases_total(&r->p->phases)));
  if (it) add_iteration(r, it, beat);
  json_object_set_new(o->json, "heartbeat", beat);
  add_times(r, wring_phases_total(&r->p->phases), o->json);
  write_json(r, o->json, e);
  o->beat = now;
}

/* Keys of the solver whose defaults depend on the command and the method. */
static void add_rules(const wring_run *r, json_t *options)
{
  wring_solver_limits limits;
  if (!r->solver || !options) return;
  wring_solver_get_limits(r->solver, &limits);
  json_object_set_new(options, "solver_max_it", json_integer(limits.max_it));
  json_object_set_new(options, "solver_stop", json_string(wring_solver_stop_name(limits.stop)));
  json_object_set_new(options, "solver_start", json_string(wring_start_name(wring_stepper_get_start(r->p->stepper))));
}

/* Null if there is no such file. */
static json_t *size_of(const char *directory, const char *name)
{
  char        path[2 * PETSC_MAX_PATH_LEN];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return stat(path, &status) ? json_null() : json_integer((json_int_t)status.st_size);
}

/* Bytes of the last checkpoint and of the mesh, and the seconds that writing and verifying them took. Rank 0. */
static json_t *describe_checkpoints(const wring_run *r)
{
  const wring_run_output *const o    = &r->output;
  json_t *const                 json = json_object();
  char                          last[64];
  snprintf(last, sizeof last, "checkpoint_%06" PetscInt_FMT ".h5", o->written);
  json_object_set_new(json, "written", json_integer(o->checkpoints.n));
  json_object_set_new(json, "bytes", size_of(o->directory, last));
  json_object_set_new(json, "seconds", wring_json_real(o->checkpoints.seconds));
  json_object_set_new(json, "mesh", json_string(WRING_CHECKPOINT_MESH));
  json_object_set_new(json, "mesh_seal", json_string(o->checkpoints.mesh_seal));
  json_object_set_new(json, "mesh_bytes", size_of(o->directory, WRING_CHECKPOINT_MESH));
  json_object_set_new(json, "mesh_seconds", wring_json_real(o->checkpoints.mesh_seconds));
  return json;
}

static json_t *describe_frames(const wring_frames *f)
{
  json_t *const json = json_object();
  json_object_set_new(json, "format", json_string(f->hdf ? "vtkhdf" : "vtu"));
  json_object_set_new(json, "kind", json_string(f->surface ? "surface" : "volume"));
  json_object_set_new(json, "precision", json_string(f->single ? "single" : "double"));
  json_object_set_new(json, "written", json_integer(f->written));
  json_object_set_new(json, "bytes", wring_json_real(f->bytes));
  json_object_set_new(json, "once", wring_json_real(f->once));
  json_object_set_new(json, "seconds", wring_json_real(f->seconds));
  return json;
}

PetscErrorCode wring_run_write_json(wring_run *r)
{
  wring_problem *const p      = r->p;
  const PetscBool      solved = (PetscBool)(p->state.step > r->first || r->status == WRING_EXIT_FAILED);
  wring_error          error  = {0};
  json_t              *json;

  PetscFunctionBegin;
  PetscCall(wring_provenance(p, r->output.made, 0, NULL, &json));
  add_rules(r, json_object_get(json, "options"));
  json_object_set_new(json, "solver", json_string(r->output.history.solver));
  if (r->solver) json_object_set_new(json, "choices", wring_json_choices(r->solver));
  json_object_set_new(json, "integrator", json_string(wring_stepper_integrator(p->stepper)));
  json_object_set_new(json, "first_step", json_integer(r->first));
  json_object_set_new(json, "step", json_integer(p->state.step));
  json_object_set_new(json, "time", wring_json_real(p->state.time));
  json_object_set_new(json, "iterations", json_integer(r->iterations));
  json_object_set_new(json, "linear_iterations", json_integer(r->linear_iterations));
  json_object_set_new(json, "rises", json_integer(r->rises.count));
  json_object_set_new(json, "largest_rise", wring_json_real(r->rises.largest));
  add_times(r, r->marched, json);
  wring_tally_add(&r->tally, json);
  json_object_set_new(json, "ended", json_string(wring_run_ended(r)));
  json_object_set_new(json, "last_reason", solved ? json_string(wring_reason_name(r->outcome.reason)) : json_null());
  if (p->rank == 0) json_object_set_new(json, "checkpoints", describe_checkpoints(r));
  json_object_set_new(json, "frames", describe_frames(&r->output.frames));
  if (p->rank == 0) json_object_set(json, "segments", r->output.segments);
  if (p->rank == 0) write_json(r, json, &error);
  json_decref(r->output.json);
  r->output.json = json;
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
