/* The loop over the combinations of a parameter grid. */
#include "compare_grid.h"
#include "study/common/output_directory.h"
#include "study/record/provenance.h"

/* The directory of a combination. */
static void name_directory(const wring_parameter_grid *s, PetscInt run, char path[PETSC_MAX_PATH_LEN])
{
  char folder[WRING_MAX_FOLDER + 2];
  wring_parameter_grid_folder(s, run, sizeof folder, folder);
  (void)PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", s->directory, folder);
}

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
  name_directory(s, run, path);
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

/* After each combination, so that a grid that is stopped keeps what it has found; n_done of them have ended. */
static PetscErrorCode write_files(MPI_Comm comm, const wring_parameter_grid *s, PetscInt n_done, json_t *provenance,
                                  wring_ending *end)
{
  wring_error error = {0};
  char        path[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    wring_parameter_grid_csv(s, &error);
    wring_parameter_grid_json(s, provenance, &error);
    if (n_done <= 1) wring_comparison_remove_others(s->directory, "sweep", &error);
    if (n_done == s->n_run) wring_parameter_grid_plot(s, end, &error);
    for (PetscInt r = 0; n_done == s->n_run && r < s->n_run; r++) {
      name_directory(s, r, path);
      wring_sittings_remove(path, &error);
    }
  }
  PetscCall(wring_error_raise_output(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each comparison is destroyed once it has ended; the grid takes what it has found, without its rows. */
static PetscErrorCode run_all(const wring_options *o, wring_parameter_grid *s, wring_compare **c,
                              wring_stopper *stopper, wring_ending *end)
{
  const MPI_Comm comm = wring_options_comm(o);
  PetscInt       done = 0;
  json_t        *provenance;

  PetscFunctionBegin;
  PetscCall(wring_provenance_of_command(o, "compare", &provenance));
  for (PetscInt r = 0; r < s->n_run && !stopper->cause; r++) {
    PetscCall(PetscPrintf(comm, "\n[%" PetscInt_FMT "/%" PetscInt_FMT "]", r + 1, s->n_run));
    for (int k = 0; k < s->n_axis; k++)
      PetscCall(PetscPrintf(comm, " %s %s", s->axis[k].key, wring_parameter_grid_value(s, r, k)));
    PetscCall(PetscPrintf(comm, "\n"));
    PetscCall(create(o, s, r, &c[r]));
    PetscCall(wring_compare_run(c[r], stopper, (PetscBool)(r == 0), end));
    if (!c[r]->c.stop) {
      for (PetscInt i = 0; i < c[r]->c.n; i++) PetscCall(wring_convergence_forget_rows(&c[r]->c.history[i]));
      s->run[done++] = c[r]->c;
      c[r]->c        = (wring_comparison){0};
    }
    PetscCall(wring_compare_destroy(&c[r]));
    PetscCall(write_files(comm, s, done, provenance, end));
    PetscCall(wring_stopper_check(stopper));
  }
  json_decref(provenance);
  if (done == s->n_run) PetscFunctionReturn(PETSC_SUCCESS);
  end->status = WRING_EXIT_STOPPED;
  PetscCall(wring_note(comm, "%s after %" PetscInt_FMT " of %" PetscInt_FMT " combinations",
                       wring_stop_text(stopper->cause), done, s->n_run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_parameter_grid_run(const wring_options *o, wring_stopper *stopper, wring_ending *end)
{
  wring_catalogue     *catalogue;
  wring_parameter_grid s;
  wring_compare      **c;

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&catalogue));
  PetscCall(wring_parameter_grid_read(o, catalogue, &s));
  PetscCall(wring_catalogue_destroy(&catalogue));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &s.directory));
  PetscCall(PetscCalloc1(s.n_run, &c));
  PetscCall(create_all(o, &s, c));
  PetscCall(run_all(o, &s, c, stopper, end));
  PetscCall(wring_parameter_grid_print(wring_options_comm(o), &s));
  for (PetscInt r = 0; r < s.n_run; r++) PetscCall(wring_compare_destroy(&c[r]));
  PetscCall(PetscFree(c));
  PetscCall(wring_parameter_grid_clear(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
