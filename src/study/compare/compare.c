/* wring compare: one comparison, or one for each combination of the values of some keys. */
#include "compare_grid.h"
#include "study/common/output_directory.h"
#include "study/record/provenance.h"

/* The comparison of a combination, whose deck is without the keys of the grid; nothing is done if there is one. */
static PetscErrorCode create(const wring_options *o, const wring_parameter_grid *s, PetscInt run, wring_compare **c)
{
  const char *const origin = wring_options_origin(o, "output_", "directory");
  wring_options    *deck;
  char              path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (*c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_copy(o, "compare_sweep_", &deck));
  for (int k = 0; k < s->n_axis; k++)
    PetscCall(wring_options_set(deck, s->axis[k].key, wring_parameter_grid_value(s, run, k), s->axis[k].origin));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s", s->directory, s->run[run].folder));
  PetscCall(wring_options_set(deck, "output_directory", path, origin ? origin : "default"));
  PetscCall(wring_compare_create(deck, c));
  (*c)->deck = deck;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Creates every comparison before the first is run, which refuses bad input, and keeps those that there is room for. A
  grid that has not ended has sittings in a folder; the results of any other are refused.
*/
static PetscErrorCode create_all(const wring_options *o, const wring_parameter_grid *s, wring_compare **c)
{
  const double most = 1e9; // bytes of a rank
  double       resident, before, bytes;
  PetscInt     sittings = 0;

  PetscFunctionBegin;
  wring_current_memory(&resident, &before);
  for (PetscInt r = 0; r < s->n_run; r++) {
    PetscCall(create(o, s, r, &c[r]));
    sittings += c[r]->sittings;
    wring_current_memory(&resident, &bytes);
    bytes -= before;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, wring_options_comm(o)));
    if (bytes > most) PetscCall(wring_compare_destroy(&c[r]));
  }
  if (sittings == 0) PetscCall(wring_directory_refuse_results(o, "comparison", wring_comparison_files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  One comparison for each combination, each in a folder of its own, and what they show together. A comparison is
  destroyed once it has ended; the grid takes what it has found, without its rows. A stop ends the grid after the
  combinations that are done; the files of the one under way are in its folder.
*/
static PetscErrorCode run_all(const wring_options *o, wring_parameter_grid *s, wring_stopper *stopper,
                              wring_ending *end)
{
  const MPI_Comm  comm = wring_options_comm(o);
  PetscInt        done = 0;
  json_t         *provenance;
  wring_compare **c;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(s->n_run, &c));
  PetscCall(create_all(o, s, c));
  PetscCall(wring_provenance_of_command(o, "compare", &provenance));
  for (PetscInt r = 0; r < s->n_run && !stopper->cause; r++) {
    PetscCall(PetscPrintf(comm, "\n[%" PetscInt_FMT "/%" PetscInt_FMT "]", r + 1, s->n_run));
    for (int k = 0; k < s->n_axis; k++)
      PetscCall(PetscPrintf(comm, " %s %s", s->axis[k].key, wring_parameter_grid_value(s, r, k)));
    PetscCall(PetscPrintf(comm, "\n"));
    PetscCall(create(o, s, r, &c[r]));
    PetscCall(wring_compare_run(c[r], stopper, (PetscBool)(r == 0), end));
    if (!c[r]->c.stop) {
      PetscCall(wring_comparison_forget_rows(&c[r]->c));
      s->run[done++].found = c[r]->c;
      c[r]->c              = (wring_comparison){0};
    }
    PetscCall(wring_compare_destroy(&c[r]));
    PetscCall(wring_parameter_grid_write(s, done, provenance, end));
    PetscCall(wring_stopper_check(stopper));
  }
  json_decref(provenance);
  for (PetscInt r = done; r < s->n_run; r++) PetscCall(wring_compare_destroy(&c[r]));
  PetscCall(PetscFree(c));
  if (done == s->n_run) PetscFunctionReturn(PETSC_SUCCESS);
  end->status = WRING_EXIT_STOPPED;
  PetscCall(wring_note(comm, "%s after %" PetscInt_FMT " of %" PetscInt_FMT " combinations",
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
  if (grid.n_axis > 0) {
    PetscCall(run_all(o, &grid, &stopper, end));
    if (grid.rank == 0) wring_parameter_grid_print(&grid);
  } else {
    PetscCall(wring_compare_create(o, &s));
    PetscCall(wring_compare_run(s, &stopper, PETSC_TRUE, end));
    PetscCall(wring_compare_destroy(&s));
  }
  PetscCall(wring_parameter_grid_clear(&grid));
  PetscCall(wring_operator_note_unused(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
