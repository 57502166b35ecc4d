/* Time integration: keys and set-up, then begin, solve, finish and record each step. */
#include "run.h"
#include "study/common/header.h"
#include "study/common/output_directory.h"
#include <math.h>
#include <wring/sanity.h>

const wring_option wring_output_options[] = {
  {.key   = "directory",
   .type  = WRING_WORD,
   .value = "out",
   .help  = "Directory of the output files, relative to the working directory; created if missing."},
  {.key   = "every",
   .type  = WRING_INT,
   .value = "1",
   .range = "[0,inf)",
   .help  = "Steps between frames for ParaView; the last step always has one; 0: no frames."},
  {.key   = "steps",
   .type  = WRING_INTS,
   .range = "[0,inf)",
   .help  = "Steps that have a frame, 0: the start, in the place of `every`; the last step always has one."},
  {.key     = "format",
   .type    = WRING_WORD,
   .value   = "vtu",
   .choices = "vtu|vtkhdf",
   .help    = "Of frames: a .vtu of each and frames.pvd; or frames.vtkhdf, one file of all, with the mesh once, for "
              "ParaView 5.12 and later."},
  {.key     = "kind",
   .type    = WRING_WORD,
   .value   = "auto",
   .choices = "auto|volume|surface",
   .help    = "Frames of all tetrahedra, or of the triangles of their surface with the values of their tetrahedra; "
              "auto: of the surface, if the mesh has more than 1,000,000 tetrahedra."},
  {.key     = "precision",
   .type    = WRING_WORD,
   .value   = "double",
   .choices = "double|single",
   .help    = "Of positions and other real numbers in frames."},
  {.key   = "compress",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether to compress frames of format vtu: a sixth of the size, three times the time."},
  {.key   = "overwrite",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether to replace the checkpoints, frames or results of another run, comparison or level in "
            "output.directory, which are otherwise refused; what goes on from there keeps them."},
  {.key     = "fields",
   .type    = WRING_WORDS,
   .value   = "displacement,velocity,vertex,J,energy_density,region,rank",
   .choices = "displacement|velocity|vertex|J|energy_density|region|rank|stress|von_mises|deformation_gradient|"
              "membrane_force|contact_pressure",
   .help    = "Fields of points (the first three, and the last) and cells in frames, beside the positions of points."},
  {.key   = "plots",
   .type  = WRING_BOOL,
   .value = "true",
   .help  = "Whether gnuplot draws the pictures of `compare` and `converge` when they have ended; their scripts are "
            "written in any case."},
  {.key = "state_csv", .type = WRING_BOOL, .value = "false", .help = "Whether to write the last state to state.csv."},
  {0},
};

const wring_option wring_checkpoint_options[] = {
  {.key   = "every",
   .type  = WRING_INT,
   .value = "0",
   .range = "[0,inf)",
   .help  = "Steps between checkpoints, of which the last two are kept; 0: one at the end only."},
  {.key   = "resume",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether to continue from the newest checkpoint in output.directory, if there is one; the keys of initial "
            "then do not apply."},
  {0},
};

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

/* `end` is a time and `steps` counts from time 0: a restart ends at the same time. more_steps counts from the state. */
static PetscErrorCode find_last_step(wring_run *r)
{
  const wring_problem *const p = r->p;
  double                     end;

  PetscFunctionBegin;
  r->first = p->state.step;
  r->last  = wring_stepper_steps(p->stepper);
  if (wring_options_has(p->options, "time_", "more_steps")) r->last += r->first;
  if (wring_options_has(p->options, "time_", "end") && !wring_stepper_is_static(p->stepper)) {
    PetscCall(wring_options_get_real(p->options, "time_", wring_time_options, "end", &end));
    r->last = r->first + (PetscInt)ceil((end - p->state.time) / wring_stepper_size(p->stepper) - 1e-9);
  }
  if (r->last <= r->first) {
    PetscCall(wring_note(p->comm,
                         "nothing to do: the state is at step %" PetscInt_FMT ", %.6g s, already; time.steps and "
                         "time.end count from time 0, time.more_steps from this state",
                         r->first, p->state.time));
    r->last = r->first;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With checkpoint.resume and a checkpoint in output.directory: the deck with initial.restart for its keys of initial.
*/
static PetscErrorCode resume(MPI_Comm comm, const wring_options *o, wring_options **resumed)
{
  const char *directory;
  PetscBool   wanted, is_there;

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(o, "checkpoint_", wring_checkpoint_options, "resume", &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (wring_options_has(o, "time_", "more_steps"))
    WRING_REFUSE(comm, "%s: time_more_steps has no end with checkpoint_resume, expected time_steps or time_end",
                 wring_options_origin(o, "time_", "more_steps"));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  PetscCall(wring_checkpoint_is_there(comm, directory, &is_there));
  if (!is_there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_copy(o, "initial_", resumed));
  PetscCall(wring_options_set(*resumed, "initial_restart", directory, "checkpoint_resume"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_run wring_run_none = {.output = {.written = -1, .framed = -1}};

PetscErrorCode wring_run_set_up(MPI_Comm comm, const wring_options *o, wring_run *r)
{
  wring_error    conflict = {""};
  wring_problem *p;

  PetscFunctionBegin;
  PetscCall(wring_directory_find_conflict(o, &conflict));
  PetscCall(wring_error_raise(comm, &conflict));
  PetscCall(wring_stopper_start(o, &r->stopper));
  PetscCall(resume(comm, o, &r->resumed));
  PetscCall(wring_problem_create(comm, r->resumed ? r->resumed : o, &r->p));
  PetscCall(wring_options_get_int(o, "checkpoint_", wring_checkpoint_options, "every", &r->output.checkpoint_every));
  PetscCall(find_last_step(r));
  PetscCall(wring_frames_get_options(r->p, r->last, &r->output.frames));
  p = r->p;
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
  if (!r->status) PetscCall(wring_progress_step(p, &r->progress, &r->outcome));
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- time integration -------------------------------------------------------------------------------------------- */

static PetscErrorCode march(wring_run *r)
{
  wring_problem *const          p = r->p;
  const wring_run_output *const o = &r->output;

  PetscFunctionBegin;
  if (!o->goes_on && (o->frames.every || wring_frames_due(&o->frames, p->state.step)))
    PetscCall(wring_run_write_frame(r));
  PetscCall(wring_progress_start(p, r->last, &r->progress));
  r->set_up = r->marched = wring_phases_total(&p->phases);
  while (p->state.step < r->last && !r->status) {
    PetscCall(wring_stopper_check(&r->stopper));
    if (r->stopper.cause) r->status = WRING_EXIT_STOPPED;
    if (r->stopper.cause) break;
    PetscCall(make_step(r));
    PetscCall(record_step(r));
    if (r->status) break;
    if (wring_frames_due(&o->frames, p->state.step)) PetscCall(wring_run_write_frame(r));
    if (o->checkpoint_every > 0 && p->state.step % o->checkpoint_every == 0) PetscCall(wring_run_write_checkpoint(r));
  }
  r->marched = wring_phases_total(&p->phases);
  wring_progress_finish(p, &r->progress);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_end(const wring_run *r)
{
  wring_problem *const p      = r->p;
  wring_solver_limits  limits = {.stop = WRING_STOP_FORCE};

  PetscFunctionBegin;
  if (r->status == WRING_EXIT_FAILED) {
    PetscCall(wring_note(p->comm, "step %" PetscInt_FMT " failed: %s; the state before it is in %s", p->state.step + 1,
                         wring_reason_name(r->outcome.reason), r->output.directory));
  }
  if (r->rises.count) {
    PetscCall(wring_note(
      p->comm, "g rose in %" PetscInt_FMT " of %" PetscInt_FMT " measured iterations, by at most %.2g relative to g",
      r->rises.count, r->rises.measured, r->rises.largest));
  }
  PetscCall(wring_operator_note_unused(p->comm));
  PetscCall(wring_notes_count());
  PetscCall(wring_summary_print(p, wring_run_ended(r)));
  if (r->solver) wring_solver_get_limits(r->solver, &limits);
  PetscCall(wring_tally_print(p, limits.stop, &r->tally));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* When a solve ends and where it starts, below the header: "|grad g| <= 1e-05 times the largest force". */
static PetscErrorCode print_rules(const wring_run *r)
{
  static const char *const of[] = {"|grad g| at the start of the solve", "the largest force"};
  wring_solver_limits      l;

  PetscFunctionBegin;
  if (!r->solver) PetscFunctionReturn(PETSC_SUCCESS);
  wring_solver_get_limits(r->solver, &l);
  if (l.stop == WRING_STOP_GRADIENT)
    PetscCall(PetscPrintf(r->p->comm, "stop      |grad g| <= %.3g N", l.atol));
  else if (l.stop == WRING_STOP_DECREMENT)
    PetscCall(PetscPrintf(r->p->comm, "stop      grad g . A^-1 grad g <= %.3g times its first value", l.rtol));
  else
    PetscCall(PetscPrintf(r->p->comm, "stop      |grad g| <= %.3g times %s", l.rtol, of[l.stop]));
  PetscCall(PetscPrintf(r->p->comm, ", or %" PetscInt_FMT " iterations; start %s\n", l.max_it,
                        wring_start_name(wring_stepper_get_start(r->p->stepper))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_march(wring_run *r)
{
  const wring_run_output *const o = &r->output;
  PetscBool                     wants_state;

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(r->p->options, "output_", wring_output_options, "state_csv", &wants_state));
  if (r->first < r->last) {
    PetscCall(wring_problem_begin_step(r->p, r->x)); // may refuse the state
    PetscCall(wring_sanity_note(r->p));
  }
  PetscCall(wring_run_open_directory(r));
  PetscCall(wring_header_print(r->p, r->solver ? r->output.tables.solver : NULL));
  PetscCall(print_rules(r));
  PetscCall(wring_frames_print(r->p, &r->output.frames, r->first + r->output.goes_on));
  PetscCall(wring_tally_start(r->p, r->solver, &r->tally));
  PetscCall(wring_run_write_json(r));
  if (o->goes_on) PetscCall(wring_run_note_other_keys(r));
  if (r->solver) PetscCall(wring_solver_set_monitor(r->solver, monitor, r));
  if (r->solver) PetscCall(wring_solver_set_interrupt(r->solver, wring_stopper_ask_late, &r->stopper));
  PetscCall(march(r));
  PetscCall(wring_stopper_check(&r->stopper)); // ends a sum of the last step
  if (wring_frames_wanted(&o->frames) && r->p->state.step > r->first && o->framed != r->p->state.step)
    PetscCall(wring_run_write_frame(r)); // the last state is written however the run ends
  if (o->written != r->p->state.step || r->outcome.reason == WRING_INTERRUPTED)
    PetscCall(wring_run_write_checkpoint(r));
  if (wants_state) PetscCall(wring_run_write_state(r));
  PetscCall(wring_run_write_json(r));
  PetscCall(print_end(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_run_destroy(wring_run *r)
{
  PetscFunctionBegin;
  wring_tables_close(&r->output.tables);
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
  wring_run r = wring_run_none;

  PetscFunctionBegin;
  PetscCall(wring_run_set_up(comm, o, &r));
  PetscCall(wring_run_march(&r));
  end->status = r.status;
  PetscCall(wring_run_destroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
