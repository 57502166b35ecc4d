/* Creates a run from a deck, up to its first step; destroys it. */
#include "run.h"
#include "study/common/output_directory.h"
#include <math.h>

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
              "membrane_force",
   .help    = "Fields of points (the first three) and cells in frames, beside the positions of points."},
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
  PetscCall(wring_bounds_create(p, &r->bounds));
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
