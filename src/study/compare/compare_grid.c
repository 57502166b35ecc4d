/* A comparison for each combination of the values of the keys of compare_sweep_. */
#include "compare_grid.h"
#include "compare_one.h"
#include "compare_show.h"
#include "study/common/gnuplot.h"

/* The deck of a combination, without the keys of the grid and in a folder of its own. */
static PetscErrorCode create_deck(const wring_options *o, const wring_parameter_grid *s, PetscInt run,
                                  wring_options **deck)
{
  const char *directory, *origin = wring_options_origin(o, "output_", "directory");
  char        folder[WRING_MAX_FOLDER + 2], path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(wring_options_copy(o, "compare_sweep_", deck));
  for (int k = 0; k < s->n_axis; k++) {
    PetscCall(wring_options_set(*deck, s->axis[k].key, wring_parameter_grid_value(s, run, k), s->axis[k].origin));
  }
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  wring_parameter_grid_folder(s, run, sizeof folder, folder);
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s", directory, folder));
  PetscCall(wring_options_set(*deck, "output_directory", path, origin ? origin : "default"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode rehearse(const wring_options *o, const wring_parameter_grid *s)
{
  wring_options *deck;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < s->n_run; r++) {
    PetscCall(create_deck(o, s, r, &deck));
    PetscCall(wring_comparison_rehearse(wring_options_comm(o), deck));
    PetscCall(wring_options_destroy(&deck));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is left after each combination: a grid that is stopped keeps what it has found. */
static PetscErrorCode write_files(const wring_options *o, const wring_parameter_grid *s, PetscInt run)
{
  const MPI_Comm comm  = wring_options_comm(o);
  wring_error    error = {0};
  const char    *directory;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  if (rank == 0) {
    if (run == 0) wring_comparison_remove(directory, &error);
    wring_parameter_grid_csv(s, directory, &error);
    wring_parameter_grid_json(s, directory, &error);
    const PetscBool last = (PetscBool)(run == s->n_run - 1);
    if (last && !wring_parameter_grid_plot(s, directory, &error)) PetscCall(wring_plot_note());
  }
  PetscCall(wring_error_raise_output(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_one(const wring_options *o, wring_parameter_grid *s, PetscInt run)
{
  const MPI_Comm          comm = wring_options_comm(o);
  wring_comparison *const c    = &s->run[run];
  wring_options          *deck;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "\n[%" PetscInt_FMT "/%" PetscInt_FMT "]", run + 1, s->n_run));
  for (int k = 0; k < s->n_axis; k++) {
    PetscCall(PetscPrintf(comm, " %s %s", s->axis[k].key, wring_parameter_grid_value(s, run, k)));
  }
  PetscCall(PetscPrintf(comm, "\n"));
  PetscCall(create_deck(o, s, run, &deck));
  PetscCall(wring_comparison_make(comm, deck, run ? WRING_TELL_RESULTS : WRING_TELL_HEADER, c));
  PetscCall(wring_options_destroy(&deck));
  for (PetscInt i = 0; i < c->n; i++) {
    PetscCall(PetscFree(c->history[i].row));
    c->history[i].n = c->history[i].capacity = 0;
  }
  PetscCall(write_files(o, s, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_parameter_grid_run(MPI_Comm comm, const wring_options *o, PetscBool *found, PetscBool *failed)
{
  wring_catalogue     *catalogue;
  wring_parameter_grid s;

  PetscFunctionBegin;
  *failed = PETSC_FALSE;
  PetscCall(wring_catalogue_create(&catalogue));
  PetscCall(wring_parameter_grid_read(o, catalogue, &s));
  PetscCall(wring_catalogue_destroy(&catalogue));
  *found = (PetscBool)(s.n_axis > 0);
  if (*found) {
    PetscCall(rehearse(o, &s));
    for (PetscInt r = 0; r < s.n_run; r++) {
      PetscCall(run_one(o, &s, r));
      if (s.run[r].failed) *failed = PETSC_TRUE;
    }
    PetscCall(wring_parameter_grid_print(comm, &s));
  }
  PetscCall(wring_parameter_grid_clear(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
