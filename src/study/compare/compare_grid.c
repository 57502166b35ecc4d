/* A comparison for each combination of the values of the keys of compare_sweep_. */
#include "compare_grid.h"
#include "compare_one.h"
#include "compare_show.h"
#include "study/common/output_directory.h"
#include "study/record/provenance.h"

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

/* ---- checking all combinations before the first is run ----------------------------------------------------------- */

static const double KEPT = 1e9; // bytes of a rank that comparisons may take from their check to their run

/* A combination: its deck and its comparison. */
typedef struct {
  wring_options *deck;
  wring_compare *compare;
} combination;

static PetscErrorCode create(const wring_options *o, const wring_parameter_grid *s, PetscInt run, combination *k)
{
  PetscFunctionBegin;
  if (k->compare) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_deck(o, s, run, &k->deck));
  PetscCall(wring_compare_create(wring_options_comm(o), k->deck, &k->compare));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(combination *k)
{
  PetscFunctionBegin;
  PetscCall(wring_compare_destroy(&k->compare));
  if (k->deck) PetscCall(wring_options_destroy(&k->deck));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double set_aside(void)
{
  double resident, bytes;
  wring_current_memory(&resident, &bytes);
  return bytes;
}

/*
  Creates every combination, which refuses bad input, and keeps those that there is room for: they are made once. A grid
  that has not ended has sittings in a folder; the results of any other are refused.
*/
static PetscErrorCode check(const wring_options *o, const wring_parameter_grid *s, combination *k)
{
  const double before = set_aside();
  double       bytes;
  PetscInt     earlier = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < s->n_run; r++) {
    PetscCall(create(o, s, r, &k[r]));
    earlier += k[r].compare->kept.earlier;
    bytes = set_aside() - before;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, wring_options_comm(o)));
    if (bytes > KEPT) PetscCall(destroy(&k[r]));
  }
  if (earlier == 0) PetscCall(wring_directory_refuse_results(o, "comparison", wring_comparison_files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Written after each combination, so that a grid that is stopped keeps what it has found. */
static PetscErrorCode write_files(const wring_options *o, const wring_parameter_grid *s, PetscInt run,
                                  json_t *provenance, wring_ending *end)
{
  static const char *const written[] = {"sweep.csv", "sweep.json", NULL};
  const MPI_Comm           comm      = wring_options_comm(o);
  wring_error              error     = {0};
  const char              *directory;
  PetscMPIInt              rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  if (rank == 0) {
    wring_parameter_grid_csv(s, directory, &error);
    wring_parameter_grid_json(s, directory, provenance, &error);
    if (run == 0) wring_comparison_remove_others(directory, written, &error);
    if (run == s->n_run - 1 && s->run[run].n > 0) wring_parameter_grid_plot(s, directory, end, &error);
  }
  PetscCall(wring_error_raise_output(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_heading(MPI_Comm comm, const wring_parameter_grid *s, PetscInt run)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "\n[%" PetscInt_FMT "/%" PetscInt_FMT "]", run + 1, s->n_run));
  for (int k = 0; k < s->n_axis; k++) {
    PetscCall(PetscPrintf(comm, " %s %s", s->axis[k].key, wring_parameter_grid_value(s, run, k)));
  }
  PetscCall(PetscPrintf(comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The grid takes what the comparison has found, without its rows. */
static PetscErrorCode take(wring_compare *from, wring_comparison *c)
{
  PetscFunctionBegin;
  *c      = from->c;
  from->c = (wring_comparison){0};
  for (PetscInt i = 0; i < c->n; i++) {
    PetscCall(wring_convergence_forget_rows(&c->history[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_one(const wring_options *o, wring_parameter_grid *s, PetscInt run, combination *k,
                              wring_stopper *stopper, json_t *provenance, wring_ending *end)
{
  PetscFunctionBegin;
  PetscCall(print_heading(wring_options_comm(o), s, run));
  PetscCall(create(o, s, run, k));
  k->compare->kept.stays = PETSC_TRUE;
  PetscCall(wring_compare_run(k->compare, stopper, run ? WRING_PRINT_RESULTS : WRING_PRINT_HEADER, end));
  if (!k->compare->c.stop) PetscCall(take(k->compare, &s->run[run]));
  PetscCall(destroy(k));
  PetscCall(write_files(o, s, run, provenance, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is kept of the combinations is not needed once all are done. */
static PetscErrorCode forget(const wring_options *o, const wring_parameter_grid *s)
{
  const MPI_Comm comm  = wring_options_comm(o);
  wring_error    error = {0};
  const char    *directory;
  char           folder[WRING_MAX_FOLDER + 2], path[PETSC_MAX_PATH_LEN + WRING_MAX_FOLDER];
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  for (PetscInt r = 0; r < s->n_run && rank == 0; r++) {
    wring_parameter_grid_folder(s, r, sizeof folder, folder);
    snprintf(path, sizeof path, "%s/%s", directory, folder);
    wring_kept_remove(path, &error);
  }
  PetscCall(wring_error_raise_output(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_all(const wring_options *o, wring_parameter_grid *s, combination *k, wring_stopper *stopper,
                              wring_ending *end)
{
  PetscInt done = 0;
  json_t  *provenance;

  PetscFunctionBegin;
  PetscCall(wring_provenance_of_command(o, "compare", &provenance));
  for (PetscInt r = 0; r < s->n_run && !stopper->cause; r++) {
    PetscCall(run_one(o, s, r, &k[r], stopper, provenance, end));
    done += s->run[r].n > 0;
    PetscCall(wring_stopper_check(stopper));
  }
  json_decref(provenance);
  if (done == s->n_run) PetscCall(forget(o, s));
  if (done == s->n_run) PetscFunctionReturn(PETSC_SUCCESS);
  end->status = WRING_EXIT_STOPPED;
  PetscCall(wring_note(wring_options_comm(o), "%s after %" PetscInt_FMT " of %" PetscInt_FMT " combinations",
                       wring_stop_text(stopper->cause), done, s->n_run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_grid(const wring_options *o, wring_parameter_grid *s, wring_stopper *stopper,
                               wring_ending *end)
{
  combination *k;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(s->n_run, &k));
  PetscCall(check(o, s, k));
  PetscCall(run_all(o, s, k, stopper, end));
  PetscCall(wring_parameter_grid_print(wring_options_comm(o), s));
  for (PetscInt r = 0; r < s->n_run; r++) PetscCall(destroy(&k[r]));
  PetscCall(PetscFree(k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_parameter_grid_run(const wring_options *o, wring_stopper *stopper, PetscBool *found,
                                        wring_ending *end)
{
  wring_catalogue     *catalogue;
  wring_parameter_grid s;

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&catalogue));
  PetscCall(wring_parameter_grid_read(o, catalogue, &s));
  PetscCall(wring_catalogue_destroy(&catalogue));
  *found = (PetscBool)(s.n_axis > 0);
  if (*found) PetscCall(run_grid(o, &s, stopper, end));
  PetscCall(wring_parameter_grid_clear(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
