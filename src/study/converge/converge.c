/* Convergence: run or take each level, measure, write, print. */
#include "converge.h"
#include "output/output.h"
#include "io/print.h"

/*
  Finished levels are taken; all directories are checked before the first level runs. If there are results but no level,
  they are of another deck.
*/
static PetscErrorCode take_levels(wring_converge *c)
{
  static const char *const results[] = {"converge.json", "converge.csv", NULL};
  wring_error              error     = {""};
  PetscBool                any       = PETSC_FALSE;

  PetscFunctionBegin;
  for (int k = c->first; k < c->end; k++) {
    PetscCall(wring_level_take(c, k, &c->level[k], &error));
    any = (PetscBool)(any || c->level[k].replaces);
  }
  PetscCall(wring_error_raise(c->comm, &error));
  if (!any && c->end - c->first == c->n) PetscCall(wring_directory_refuse_results(&c->output, "deck", results));
  for (int k = 0; k < c->n; k++) {
    if (c->level[k].results) wring_print(c->comm, "level %d of %s is finished\n", k, c->output.directory);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode note_unconverged(const wring_converge *c)
{
  PetscFunctionBegin;
  for (int k = 0; k < c->n; k++) {
    const double unconverged = wring_json_number(c->level[k].results, "steps_not_converged");
    if (unconverged > 0)
      PetscCall(wring_note(c->comm,
                           "level %d: %.0f of %" PetscInt_FMT
                           " steps did not converge, and what remains of their errors is part of the differences",
                           k, unconverged, c->level[k].steps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_converge(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  wring_converge c    = {0};
  int            done = 0;

  PetscFunctionBegin;
  PetscCall(wring_converge_get_keys(o, &c));
  PetscCall(wring_stopper_start(o, &c.stopper));
  PetscCall(wring_converge_check(&c));
  PetscCall(take_levels(&c));
  PetscCall(wring_converge_check_finest(&c));
  PetscCall(wring_directory_make(c.comm, c.output.directory, NULL));
  for (int k = c.first; k < c.end && !c.status; k++) {
    if (c.level[k].results) continue;
    PetscCall(wring_stopper_check(&c.stopper));
    if (c.stopper.cause)
      c.status = WRING_EXIT_STOPPED;
    else
      PetscCall(wring_level_run(&c, k));
  }
  if (!c.status && c.end - c.first == c.n) {
    PetscCall(wring_converge_measure(&c));
    PetscCall(wring_converge_write(&c, end));
    if (c.output.rank == 0) wring_converge_print(&c);
    PetscCall(note_unconverged(&c));
  }
  for (int k = 0; k < c.n; k++) {
    done += c.level[k].results != NULL;
    PetscCall(wring_options_destroy(&c.level[k].deck));
    json_decref(c.level[k].results);
  }
  if (c.status)
    PetscCall(wring_note(comm, "%s after %d of %d levels; the same command keeps these and runs the others",
                         c.stopper.cause ? wring_stop_text(c.stopper.cause) : "solver failed", done, c.n));
  end->status = c.status;
  json_decref(c.keys);
  PetscCall(PetscFree(c.quantity));
  PetscFunctionReturn(PETSC_SUCCESS);
}
