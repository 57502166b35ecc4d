/* The march in time: begin, solve, finish, record, step after step. */
#include "study/common/output_directory.h"
#include "frames.h"
#include "progress.h"
#include "study/common/provenance.h"
#include "records.h"
#include "stop.h"
#include <math.h>
#include <wring/study.h>

enum { HEADER = 1 << 16 }; // characters of the header of steps.csv

typedef struct {
  wring_problem *p;
  wring_solver  *solver;
  Vec            x;
  char           directory[PETSC_MAX_PATH_LEN];
  PetscBool      goes_on; // with the files of the run that was restarted
  wring_history  history;
  wring_record   steps;
  wring_frames   frames;
  wring_progress progress;
  PetscInt       first, last; // steps done at the start and at the end
  PetscInt       frame_every, checkpoint_every;
  PetscInt       written, framed; // steps of this run's newest checkpoint and frame, -1: none
  double         limit;           // s of wall clock
  PetscInt64     iterations, linear_iterations;
  PetscBool      begun, changed; // the next step is; A must be built for it
  wring_stop     stop;
  wring_outcome  outcome; // of the last step
  wring_rises    rises;   // of all steps
  double         elastic; // J, E at its end
  wring_exit     status;
} run;

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* `end` is a time and `steps` counts from time 0: a restart goes on to the same end. */
static PetscErrorCode find_last_step(run *r)
{
  const wring_problem *const p = r->p;
  double                     end;

  PetscFunctionBegin;
  r->first = p->state.step;
  r->last  = wring_stepper_steps(p->stepper);
  if (wring_options_has(p->options, "time_", "end")) {
    PetscCall(wring_options_get_real(p->options, "time_", wring_time_options, "end", &end));
    r->last = r->first + (PetscInt)ceil((end - p->state.time) / wring_stepper_size(p->stepper) - 1e-9);
  }
  if (r->last <= r->first) {
    PetscCall(wring_note(p->comm, "nothing to do: the state is at step %" PetscInt_FMT ", %.6g s, already", r->first,
                         p->state.time));
    r->last = r->first;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_options(run *r)
{
  const wring_options *const o = r->p->options;

  PetscFunctionBegin;
  PetscCall(wring_options_get_int(o, "output_", wring_output_options, "every", &r->frame_every));
  PetscCall(wring_options_get_int(o, "checkpoint_", wring_checkpoint_options, "every", &r->checkpoint_every));
  PetscCall(wring_options_get_bool(o, "output_", wring_output_options, "compress", &r->frames.compress));
  r->limit = INFINITY;
  if (wring_options_has(o, "time_", "limit")) {
    PetscCall(wring_options_get_real(o, "time_", wring_time_options, "limit", &r->limit));
  }
  PetscCall(find_last_step(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step without a minimisation has no solver; its rows bear the integrator's name. */
static PetscErrorCode create_solver(run *r)
{
  wring_problem *const p = r->p;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(p->g, &r->x));
  r->history.solver = wring_stepper_integrator(p->stepper);
  if (!wring_stepper_minimises(p->stepper)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_create(p->comm, p->g, p->op, &p->phases, &r->solver));
  PetscCall(wring_solver_set_from_options(r->solver, p->options, NULL));
  PetscCall(wring_solver_set_up(r->solver));
  wring_solver_expect_solves(r->solver, wring_stepper_steps(p->stepper)); // of the whole run: a restart chooses alike
  PetscCall(wring_solver_set_monitor(r->solver, wring_history_monitor, &r->history));
  r->history.solver = wring_solver_name(r->solver);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Opens the tables, which may refuse to go on, and only then removes what an earlier run left after step `keep`: what names
  other files before these, so that a kill in between leaves nothing that names a missing one. Rank 0.
*/
static PetscErrorCode open_files(run *r, wring_error *e)
{
  const PetscInt  all = PETSC_MAX_INT, keep = r->goes_on ? r->first : -1;
  const PetscBool residuals = (PetscBool)(r->solver && wring_solver_has_residuals(r->solver));
  char            header[HEADER];

  PetscFunctionBegin;
  wring_steps_header(r->p, sizeof header, header);
  wring_record_open(r->directory, "steps.csv", header, keep, &r->steps, e);
  wring_record_open(r->directory, "history.csv", wring_history_header, keep, &r->history.record, e);
  if (residuals)
    wring_record_open(r->directory, "residuals.csv", wring_residuals_header, keep, &r->history.residuals, e);
  if (e->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!residuals) wring_directory_remove_file(r->directory, "residuals.csv", e);
  wring_directory_remove(r->directory, "checkpoint_", ".h5", keep + 1, all, e);
  wring_directory_remove_file(r->directory, "state.csv", e);
  wring_directory_remove_file(r->directory, "run.json", e);
  if (r->goes_on)
    PetscCall(wring_frames_read(&r->frames, keep, e));
  else
    wring_directory_remove_file(r->directory, "frames.pvd", e);
  wring_directory_remove(r->directory, "frame_", ".vtu", keep + 1, all, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode open_directory(run *r)
{
  const wring_problem *const p     = r->p;
  wring_error                error = {0};

  PetscFunctionBegin;
  PetscCall(wring_directory_make(p->options, sizeof r->directory, r->directory));
  r->frames.directory = r->directory;
  if (p->rank == 0) {
    r->goes_on = (PetscBool)(p->restart[0] && wring_directory_holds(r->directory, p->restart));
    PetscCall(open_files(r, &error));
  }
  PetscCall(wring_error_raise(p->comm, &error));
  PetscCallMPI(MPI_Bcast(&r->goes_on, 1, MPIU_BOOL, 0, p->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files of a state -------------------------------------------------------------------------------------------- */

/* The rows up to a checkpoint must outlive a crash of the machine as the checkpoint does. */
static PetscErrorCode sync_records(run *r)
{
  wring_error error = {0};

  PetscFunctionBegin;
  wring_record_sync(&r->history.record, &error);
  wring_record_sync(&r->history.residuals, &error);
  wring_record_sync(&r->steps, &error);
  PetscCall(wring_error_raise_output(r->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes a checkpoint and keeps two. */
static PetscErrorCode write_checkpoint(run *r)
{
  wring_problem *const p   = r->p;
  const wring_phase    old = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  PetscScalar         *q, *v;
  char                 file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(sync_records(r));
  PetscCall(wring_checkpoint_name(r->directory, p->state.step, sizeof file, file));
  PetscCall(VecGetArray(p->state.q, &q));
  PetscCall(VecGetArray(p->state.v, &v));
  wring_checkpoint_field field[WRING_STATE_FIELDS] = {{"position", 3, q}, {"velocity", 3, v}};
  wring_memory           memory[2];
  const int              more = wring_stepper_remembers(p->stepper) ? wring_stepper_memory(p->stepper, memory) : 0;
  for (int i = 0; i < more; i++) {
    field[2 + i] = (wring_checkpoint_field){memory[i].name, 3, NULL};
    PetscCall(VecGetArray(memory[i].value, &field[2 + i].value));
  }
  PetscCall(wring_checkpoint_write(file, p->mesh, p->state.step, p->state.time, 2 + more, field));
  for (int i = 0; i < more; i++) PetscCall(VecRestoreArray(memory[i].value, &field[2 + i].value));
  PetscCall(VecRestoreArray(p->state.v, &v));
  PetscCall(VecRestoreArray(p->state.q, &q));
  PetscCall(wring_checkpoint_prune(p->comm, r->directory, 2));
  r->written = p->state.step;
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_frame(run *r)
{
  PetscFunctionBegin;
  PetscCall(wring_frames_write(&r->frames, r->p));
  r->framed = r->p->state.step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_state_csv(const run *r)
{
  wring_problem *const p = r->p;
  const PetscScalar   *q, *v;
  PetscBool            wanted;
  double              *row;
  char                 file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(p->options, "output_", wring_output_options, "state_csv", &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
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
  snprintf(file, sizeof file, "%s/state.csv", r->directory);
  PetscCall(wring_csv_write_vertices(file, p->mesh, "x,y,z,vx,vy,vz", 6, row));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As run.json and the summary say it. */
static const char *ended(const run *r)
{
  if (r->status == WRING_EXIT_FAILED) return "solver failed";
  if (r->stop == WRING_STOP_SIGNAL) return "stopped by a signal";
  if (r->stop == WRING_STOP_LIMIT) return "stopped by time.limit";
  return r->p->state.step < r->last ? "running" : "done";
}

static PetscErrorCode write_run_json(const run *r)
{
  wring_problem *const p      = r->p;
  const PetscBool      solved = (PetscBool)(p->state.step > r->first || r->status == WRING_EXIT_FAILED);
  wring_error          error  = {0};
  json_t              *json;
  char                 file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(wring_provenance(p, "run", &json));
  json_object_set_new(json, "solver", json_string(r->history.solver));
  json_object_set_new(json, "integrator", json_string(wring_stepper_integrator(p->stepper)));
  json_object_set_new(json, "first_step", json_integer(r->first));
  json_object_set_new(json, "step", json_integer(p->state.step));
  json_object_set_new(json, "time", wring_json_real(p->state.time));
  json_object_set_new(json, "iterations", json_integer(r->iterations));
  json_object_set_new(json, "linear_iterations", json_integer(r->linear_iterations));
  json_object_set_new(json, "rises", json_integer(r->rises.count));
  json_object_set_new(json, "largest_rise", wring_json_real(r->rises.largest));
  json_object_set_new(json, "ended", json_string(ended(r)));
  json_object_set_new(json, "last_reason", solved ? json_string(wring_reason_name(r->outcome.reason)) : json_null());
  snprintf(file, sizeof file, "%s/run.json", r->directory);
  if (p->rank == 0) wring_json_write(file, json, &error);
  json_decref(json);
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the march --------------------------------------------------------------------------------------------------- */

static PetscErrorCode begin_step(run *r)
{
  PetscFunctionBegin;
  if (r->begun) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_stepper_begin(r->p->stepper, &r->p->state, r->x, &r->changed));
  r->begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The new positions x, by the solver or by the integrator alone. */
static PetscErrorCode solve(run *r)
{
  wring_problem *const p = r->p;

  PetscFunctionBegin;
  r->history.step = p->state.step + 1;
  r->history.time = p->state.time + wring_stepper_size(p->stepper);
  if (r->solver) {
    PetscCall(wring_problem_prepare_operator(p, wring_solver_operator_factor(r->solver), r->changed));
    PetscCall(wring_solver_solve(r->solver, r->x, &r->outcome));
    wring_rises_add(&r->outcome.rises, &r->rises);
  } else {
    PetscCall(wring_stepper_advance(p->stepper, &p->state, r->x, &r->outcome));
    PetscCall(wring_history_monitor(&r->history, &r->outcome.last));
  }
  r->iterations += r->outcome.iterations;
  r->linear_iterations += r->outcome.last.linear_iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step. After a failure the state is still the one before it. */
static PetscErrorCode make_step(run *r)
{
  wring_problem *const p = r->p;

  PetscFunctionBegin;
  PetscCall(begin_step(r));
  r->begun = PETSC_FALSE;
  PetscCall(solve(r));
  if (!wring_reason_failed(r->outcome.reason)) {
    r->elastic = r->outcome.last.value.elastic;
    PetscCall(wring_stepper_finish(p->stepper, r->x, &p->state, &r->elastic));
    if (PetscIsInfOrNanReal(r->elastic)) r->outcome.reason = WRING_STOPPED_NOT_FINITE;
  }
  if (wring_reason_failed(r->outcome.reason)) r->status = WRING_EXIT_FAILED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode record_step(run *r)
{
  wring_problem *const p     = r->p;
  const wring_phase    old   = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  wring_error          error = {0};

  PetscFunctionBegin;
  if (!r->status) PetscCall(wring_steps_write(&r->steps, p, r->elastic, &r->outcome));
  wring_record_flush(&r->history.record, &error);
  wring_record_flush(&r->history.residuals, &error);
  wring_record_flush(&r->steps, &error);
  PetscCall(wring_error_raise_output(p->comm, &error));
  if (!r->status) wring_progress_step(p, &r->progress, &r->outcome);
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool due(PetscInt step, PetscInt every)
{
  return (PetscBool)(every > 0 && step % every == 0);
}

static PetscErrorCode march(run *r)
{
  wring_problem *const p = r->p;

  PetscFunctionBegin;
  if (r->frame_every && !r->goes_on) PetscCall(write_frame(r));
  wring_progress_start(p, r->last, &r->progress);
  while (p->state.step < r->last && !r->status) {
    PetscCall(wring_stop_agree(p->comm, wring_phases_total(&p->phases), r->limit, &r->stop));
    if (r->stop) r->status = WRING_EXIT_STOPPED;
    if (r->stop) break;
    PetscCall(make_step(r));
    PetscCall(record_step(r));
    if (r->status) break;
    if (due(p->state.step, r->frame_every)) PetscCall(write_frame(r));
    if (due(p->state.step, r->checkpoint_every)) PetscCall(write_checkpoint(r));
  }
  wring_progress_finish(p, &r->progress);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything that ends a run well, badly or early: the last state is always written. */
static PetscErrorCode finish(run *r)
{
  wring_problem *const p = r->p;

  PetscFunctionBegin;
  const PetscBool moved = (PetscBool)(p->state.step > r->first);
  if (r->frame_every && moved && r->framed != p->state.step) PetscCall(write_frame(r));
  if (r->written != p->state.step) PetscCall(write_checkpoint(r));
  wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  PetscCall(write_state_csv(r));
  wring_phases_switch(&p->phases, WRING_PHASE_OTHER);
  PetscCall(write_run_json(r));
  if (r->status == WRING_EXIT_FAILED) {
    PetscCall(wring_note(p->comm, "step %" PetscInt_FMT " failed: %s; the state before it is in %s", p->state.step + 1,
                         wring_reason_name(r->outcome.reason), r->directory));
  }
  if (r->rises.count) {
    PetscCall(wring_note(
      p->comm, "g rose in %" PetscInt_FMT " of %" PetscInt_FMT " measured iterations, by at most %.2g of itself",
      r->rises.count, r->rises.measured, r->rises.largest));
  }
  PetscCall(wring_operator_note_unused(p->comm));
  PetscCall(wring_summary_print(p, ended(r)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(run *r)
{
  PetscFunctionBegin;
  wring_record_close(&r->history.record);
  wring_record_close(&r->history.residuals);
  wring_record_close(&r->steps);
  PetscCall(wring_frames_destroy(&r->frames));
  PetscCall(wring_solver_destroy(&r->solver));
  PetscCall(VecDestroy(&r->x));
  PetscCall(wring_problem_destroy(&r->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_run(MPI_Comm comm, const wring_options *o, wring_exit *status)
{
  run r = {.written = -1, .framed = -1};

  PetscFunctionBegin;
  PetscCall(wring_problem_create(comm, o, &r.p));
  PetscCall(get_options(&r));
  PetscCall(create_solver(&r));
  if (r.first < r.last) PetscCall(begin_step(&r)); // may refuse the state
  PetscCall(open_directory(&r));                   // from here on files are written
  PetscCall(wring_header_print(r.p, r.solver ? r.history.solver : NULL));
  PetscCall(write_run_json(&r));
  PetscCall(march(&r));
  PetscCall(finish(&r));
  *status = r.status;
  PetscCall(destroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
