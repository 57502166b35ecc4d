/* Time integration: set-up, then begin, solve, finish and record each step. */
#include "run.h"
#include "output/header.h"
#include "output/output.h"
#include "io/print.h"
#include <wring/sanity.h>

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/*
  With checkpoint.resume and a checkpoint in output.directory: the deck with initial.restart for its keys of initial.
*/
static PetscErrorCode resume(const wring_options *o, const wring_output *out, wring_options **resumed)
{
  PetscBool is_there;

  PetscFunctionBegin;
  if (!out->resume) PetscFunctionReturn(PETSC_SUCCESS);
  if (wring_options_has(o, "time_", "more_steps"))
    WRING_REFUSE(out->comm, "%s: time_more_steps has no end with checkpoint_resume, expected time_steps or time_end",
                 wring_options_origin(o, "time_", "more_steps"));
  PetscCall(wring_checkpoint_is_there(out->comm, out->directory, &is_there));
  if (!is_there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_copy(o, "initial_", resumed));
  PetscCall(wring_options_set(*resumed, "initial_restart", out->directory, "checkpoint_resume"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_set_up(MPI_Comm comm, const wring_options *o, wring_run *r)
{
  wring_error    conflict = {""};
  wring_problem *p;

  PetscFunctionBegin;
  *r = (wring_run){.output.lock = -1};
  PetscCall(wring_output_read(o, &r->output.keys));
  PetscCall(wring_directory_find_conflict(o, &r->output.keys, &conflict));
  PetscCall(wring_error_raise(comm, &conflict));
  PetscCall(wring_stopper_start(o, &r->stopper));
  PetscCall(resume(o, &r->output.keys, &r->resumed));
  PetscCall(wring_problem_create(comm, r->resumed ? r->resumed : o, &r->p));
  p        = r->p;
  r->first = p->state.step;
  PetscCall(wring_problem_find_last_step(p, &r->last));
  if (r->last == r->first)
    PetscCall(wring_note(comm,
                         "nothing to do: the state is at step %" PetscInt_FMT ", %.6g%s, already; time.steps and "
                         "time.end count from time 0, time.more_steps from this state",
                         r->first, p->state.time, wring_stepper_is_static(p->stepper) ? "" : " s"));
  PetscCall(wring_frames_set_up(p, &r->output.keys, r->last, &r->output.frames));
  PetscCall(wring_potential_create_vec(p->g, &r->x));
  r->output.tables.solver = wring_stepper_integrator(p->stepper); // without a minimisation there is no solver
  if (wring_stepper_minimises(p->stepper)) {
    PetscCall(wring_problem_create_solver(p, NULL, &r->solver));
    wring_solver_expect_solves(r->solver, wring_stepper_steps(p->stepper)); // of the whole run, also after a restart
    r->output.tables.solver = wring_solver_name(r->solver);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Of the step, or part of a load step, that has begun. */
static void name_step(wring_run *r)
{
  r->output.tables.step = r->p->state.step + 1;
  r->output.tables.time = wring_stepper_end(r->p->stepper, &r->p->state);
}

/* Each iteration: a row of history.csv; in a long step, a line of progress and a heartbeat. */
static PetscErrorCode monitor(void *context, const wring_iteration *it)
{
  wring_run *const          r = context;
  const wring_tables *const t = &r->output.tables;
  wring_error               e = {""};
  wring_solver_limits       limits;

  PetscFunctionBegin;
  name_step(r);
  wring_tables_add_iteration(t, it);
  wring_solver_get_limits(r->solver, &limits);
  if (r->p->rank == 0 && wring_progress_iteration(&r->progress, t->step, t->time, &limits, it))
    wring_run_beat(r, it, &e);
  PetscFunctionReturn(PETSC_SUCCESS); // a heartbeat that cannot be written is tried again after the step, and refused
}

static PetscErrorCode make_step(wring_run *r)
{
  PetscFunctionBegin;
  name_step(r);
  PetscCall(wring_problem_step(r->p, r->solver, r->x, &r->outcome, &r->elastic));
  if (!r->solver) wring_tables_add_iteration(&r->output.tables, &r->outcome.last);
  wring_rises_add(&r->outcome.rises, &r->rises);
  r->iterations += r->outcome.iterations;
  r->seconds += r->outcome.last.seconds;
  r->linear_iterations += r->outcome.last.linear_iterations;
  if (r->outcome.reason == WRING_INTERRUPTED) r->status = WRING_EXIT_STOPPED;
  if (wring_reason_failed(r->outcome.reason)) r->status = WRING_EXIT_FAILED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode record_step(wring_run *r)
{
  wring_problem *const p     = r->p;
  const wring_phase    old   = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  wring_error          error = {0};

  PetscFunctionBegin;
  if (!r->status) PetscCall(wring_tables_add_step(&r->output.tables, p, r->elastic, &r->outcome, &r->tally));
  wring_tables_flush(&r->output.tables, PETSC_FALSE, &error);
  wring_run_beat(r, NULL, &error);
  PetscCall(wring_error_raise_output(p->comm, &error));
  if (!r->status) wring_progress_step(p, &r->progress, &r->outcome);
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- time integration -------------------------------------------------------------------------------------------- */

static PetscErrorCode march(wring_run *r)
{
  wring_problem *const    p     = r->p;
  wring_run_output *const o     = &r->output;
  const PetscInt          every = o->keys.checkpoint_every;

  PetscFunctionBegin;
  if (!o->goes_on && wring_frames_begin(&o->frames, p->state.step)) PetscCall(wring_frames_write(&o->frames, p));
  PetscCall(wring_progress_start(p, r->last, &r->progress));
  r->set_up = r->marched = wring_phases_total(&p->phases);
  while (p->state.step < r->last && !r->status) {
    PetscCall(wring_stopper_check(&r->stopper));
    if (r->stopper.cause) {
      r->status = WRING_EXIT_STOPPED;
      if (p->restart[0] && p->state.step == r->first) r->outcome.reason = WRING_INTERRUPTED; // x may be an iterate
      break;
    }
    PetscCall(make_step(r));
    PetscCall(record_step(r));
    if (r->status) break;
    if (wring_frames_due(&o->frames, p->state.step)) PetscCall(wring_frames_write(&o->frames, p));
    if (every > 0 && p->state.step % every == 0) PetscCall(wring_run_write_checkpoint(r));
  }
  r->marched = wring_phases_total(&p->phases);
  wring_progress_finish(p, &r->progress);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the figure of merit is made of, and the figure, on a line that scripts look for. */
static void print_merit(const wring_run *r)
{
  const json_t *const json  = r->output.json;
  const double        march = r->marched - r->set_up;
  if (r->p->rank != 0 || r->p->state.step == r->first) return;
  printf("merit     %.0f unknowns x %" PetscInt_FMT " steps / %.3g s; set-up %.3g s before; %" PetscInt64_FMT
         " iterations",
         wring_json_number(json, "unknowns"), r->p->state.step - r->first, march, r->set_up, r->iterations);
  if (r->iterations) printf(", %.3g s each", march / (double)r->iterations);
  printf("\nFigure of Merit (FOM): %.6g\n", wring_json_number(json, "fom"));
}

static PetscErrorCode print_end(wring_run *r)
{
  wring_problem *const p      = r->p;
  wring_solver_limits  limits = {.stop = WRING_STOP_FORCE};

  PetscFunctionBegin;
  if (r->status == WRING_EXIT_FAILED)
    PetscCall(wring_note(p->comm, "step %" PetscInt_FMT " failed: %s; the state before it, at %s %.6g, is in %s",
                         p->state.step + 1, wring_reason_name(r->outcome.reason),
                         wring_stepper_is_static(p->stepper) ? "pseudo-time" : "time", p->state.time,
                         r->output.keys.directory));
  if (r->rises.count) {
    PetscCall(wring_note(
      p->comm, "g rose in %" PetscInt_FMT " of %" PetscInt_FMT " measured iterations, by at most %.2g relative to g",
      r->rises.count, r->rises.measured, r->rises.largest));
  }
  PetscCall(wring_operator_note_unused(p->comm));
  wring_core_watch_end(&r->progress.watch, r->output.json);
  wring_notes_count();
  wring_summary_print(p, r->output.json);
  if (r->solver) wring_solver_get_limits(r->solver, &limits);
  PetscCall(wring_tally_print(p, limits.stop, &r->tally));
  print_merit(r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* When a solve ends and where it starts, below the header: "|grad g| <= 1e-05 times the largest force". */
static void print_rules(const wring_run *r)
{
  static const char *const of[] = {"the largest force", "|grad g| at the start of the solve"};
  wring_solver_limits      l;
  if (!r->solver) return;
  wring_solver_get_limits(r->solver, &l);
  if (l.stop == WRING_STOP_GRADIENT)
    wring_print(r->p->comm, "stop      |grad g| <= %.3g N", l.atol);
  else if (l.stop == WRING_STOP_DECREMENT)
    wring_print(r->p->comm, "stop      grad g . A^-1 grad g <= %.3g times its first value", l.rtol);
  else
    wring_print(r->p->comm, "stop      |grad g| <= %.3g times %s", l.rtol, of[l.stop]);
  wring_print(r->p->comm, ", or %" PetscInt_FMT " iterations; start %s\n", l.max_it,
              wring_start_name(wring_stepper_get_start(r->p->stepper)));
}

static PetscErrorCode march_to_end(wring_run *r)
{
  wring_run_output *const o = &r->output;

  PetscFunctionBegin;
  if (r->first < r->last) {
    PetscCall(wring_problem_begin_step(r->p, r->x)); // may refuse the state
    PetscCall(wring_sanity_note(r->p));
  }
  PetscCall(wring_run_open_directory(r));
  PetscCall(wring_header_print(r->p, r->solver ? r->output.tables.solver : NULL));
  print_rules(r);
  PetscCall(wring_frames_print(r->p, &r->output.frames, r->output.goes_on));
  PetscCall(wring_tally_start(r->p, r->solver, &r->tally));
  PetscCall(wring_run_write_json(r));
  if (o->goes_on) PetscCall(wring_run_note_other_keys(r));
  if (r->solver) wring_solver_set_monitor(r->solver, monitor, r);
  if (r->solver) wring_solver_set_interrupt(r->solver, wring_stopper_ask_late, &r->stopper);
  PetscCall(march(r));
  PetscCall(wring_stopper_check(&r->stopper)); // ends a sum of the last step
  // The last state is written however the run ends: in statics, of a failed load step the part that was balanced.
  if (o->checkpoints.n == 0 || o->checkpoints.latest != r->p->state.step || r->outcome.reason == WRING_INTERRUPTED ||
      (r->status == WRING_EXIT_FAILED && wring_stepper_is_static(r->p->stepper)))
    PetscCall(wring_run_write_checkpoint(r));
  if (wring_frames_wanted(&o->frames) && r->p->state.step > r->first && o->frames.latest != r->p->state.step)
    PetscCall(wring_frames_write(&o->frames, r->p));
  if (o->keys.state_csv) PetscCall(wring_state_csv_write(o->keys.directory, r->p));
  PetscCall(wring_run_write_json(r));
  PetscCall(print_end(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tables are closed after a failure too: PetscFinalize fails if a file has rows that a full disk did not take. */
PetscErrorCode wring_run_march(wring_run *r)
{
  PetscFunctionBegin;
  const PetscErrorCode code = march_to_end(r);
  wring_tables_close(&r->output.tables);
  wring_directory_release(r->output.keys.directory, &r->output.lock);
  PetscFunctionReturn(code);
}

PetscErrorCode wring_run_destroy(wring_run *r)
{
  PetscFunctionBegin;
  json_decref(r->output.segments);
  json_decref(r->output.made);
  json_decref(r->output.json);
  PetscCall(wring_frames_destroy(&r->output.frames));
  PetscCall(wring_solver_destroy(&r->solver));
  PetscCall(wring_tally_destroy(&r->tally));
  PetscCall(VecDestroy(&r->x));
  PetscCall(wring_problem_destroy(&r->p));
  PetscCall(wring_options_destroy(&r->resumed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_run(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  wring_run r;

  PetscFunctionBegin;
  PetscCall(wring_run_set_up(comm, o, &r));
  PetscCall(wring_run_march(&r));
  end->status = r.status;
  PetscCall(wring_run_destroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
