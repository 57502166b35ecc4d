/* wring compare: one comparison, or one for each combination of the values of some keys. */
#include "compare_grid.h"
#include "output/output.h"
#include "io/print.h"
#include "study/common/provenance.h"

/*
  Creates every comparison before the first is run, which refuses bad input, and keeps the first and those that there is
  room for. A grid that has not ended has sittings in a folder; the results of any other are refused.
*/
static PetscErrorCode create_all(const wring_parameter_grid *s)
{
  const double most     = 1e9; // bytes of a rank
  const double before   = wring_set_aside_memory();
  PetscInt     sittings = 0;

  PetscFunctionBegin;
  for (wring_grid_run *r = s->run; r < s->run + s->n_run; r++) {
    PetscCall(wring_compare_create(r->deck, &r->compare));
    sittings += r->compare->sittings;
    double bytes = wring_set_aside_memory() - before;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, s->output.comm));
    if (bytes > most && r > s->run) PetscCall(wring_compare_destroy(&r->compare));
  }
  if (sittings == 0) PetscCall(wring_directory_refuse_results(&s->output, "comparison", wring_comparison_files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once it has ended, the grid takes what a comparison has found, without its rows, unless it was stopped. */
static PetscErrorCode run_one(wring_grid_run *r, wring_stopper *stopper, PetscBool first, wring_ending *end)
{
  PetscFunctionBegin;
  if (!r->compare) PetscCall(wring_compare_create(r->deck, &r->compare));
  r->compare->in_grid = PETSC_TRUE;
  PetscCall(wring_compare_run(r->compare, stopper, first, end));
  if (!r->compare->c.stop) {
    PetscCall(wring_comparison_forget_rows(&r->compare->c));
    r->found      = r->compare->c;
    r->compare->c = (wring_comparison){0};
  }
  PetscCall(wring_compare_destroy(&r->compare));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  One comparison for each combination, each in a folder of its own, and what they show together. A stop ends the grid
  after the combinations that are done; the files of the one under way are in its folder.
*/
static PetscErrorCode run_all(const wring_options *o, wring_parameter_grid *s, wring_stopper *stopper,
                              wring_ending *end)
{
  PetscInt done = 0;
  json_t  *provenance;

  PetscFunctionBegin;
  PetscCall(create_all(s));
  PetscCall(wring_provenance_of_command(o, "compare", s->run->compare->p->restart, &provenance));
  for (PetscInt r = 0; r < s->n_run && !stopper->cause; r++) {
    wring_print(s->output.comm, "\n[%" PetscInt_FMT "/%" PetscInt_FMT "]", r + 1, s->n_run);
    for (int k = 0; k < s->n_axis; k++)
      wring_print(s->output.comm, " %s %s", s->axis[k].key, wring_parameter_grid_value(s, r, k));
    wring_print(s->output.comm, "\n");
    PetscCall(run_one(&s->run[r], stopper, (PetscBool)(r == 0), end));
    done += s->run[r].found.n > 0;
    PetscCall(wring_parameter_grid_write(s, done, provenance, end));
    PetscCall(wring_stopper_check(stopper));
  }
  json_decref(provenance);
  if (done == s->n_run) PetscFunctionReturn(PETSC_SUCCESS);
  end->status = WRING_EXIT_STOPPED;
  PetscCall(wring_note(s->output.comm, "%s after %" PetscInt_FMT " of %" PetscInt_FMT " combinations",
                       wring_stop_text(stopper->cause), done, s->n_run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_compare(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  wring_parameter_grid grid;
  wring_compare       *s;
  wring_stopper        stopper;

  PetscFunctionBegin;
  PetscCall(wring_stopper_start(o, &stopper));
  PetscCall(wring_parameter_grid_read(o, &grid));
  PetscCall(wring_compare_note_keys(o));
  if (grid.n_axis > 0) {
    PetscCall(run_all(o, &grid, &stopper, end));
    if (grid.output.rank == 0) wring_parameter_grid_print(&grid);
  } else {
    PetscCall(wring_compare_create(o, &s));
    PetscCall(wring_compare_run(s, &stopper, PETSC_TRUE, end));
    PetscCall(wring_compare_destroy(&s));
  }
  PetscCall(wring_parameter_grid_clear(&grid));
  PetscCall(wring_operator_note_unused(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
