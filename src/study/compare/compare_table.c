/* Tables on the screen: relative errors at the report, and iterations and seconds to given errors. */
#include "comparison.h"
#include "study/common/table.h"
#include <math.h>

/* One row a solver: errors in percent, seconds of set-up and of all iterations with their spread, and how it ended. */
static PetscErrorCode print_errors(MPI_Comm comm, const wring_comparison *c)
{
  const PetscBool spread = (PetscBool)(c->repeats > 1);
  wring_table    *t;

  PetscFunctionBegin;
  PetscCall(wring_table_create(4 + spread + (int)c->n_report, 1, &t));
  PetscCall(wring_table_add(t, "iteration"));
  for (PetscInt i = 0; i < c->n_report; i++) PetscCall(wring_table_add(t, "%" PetscInt_FMT, c->report[i]));
  PetscCall(wring_table_add(t, "set-up\tseconds%s\tended", spread ? "\tspread" : ""));
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_convergence *const h    = &c->history[s];
    const double                   none = h->n_repeat > 0 ? 0 : NAN;
    PetscCall(wring_table_add(t, "%s", h->name));
    for (PetscInt i = 0; i < c->n_report; i++) PetscCall(wring_table_add(t, "%.3g", 100 * h->error[i]));
    PetscCall(wring_table_add(t, "%.3g\t%.3g", h->setup.seconds + none, h->outcome.last.seconds + none));
    if (spread) PetscCall(wring_table_add(t, "%.3g", h->spread + none));
    PetscCall(wring_table_add(t, "%s", wring_convergence_end(h)));
  }
  PetscCall(wring_table_print(comm, t));
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_times(MPI_Comm comm, const wring_comparison *c, const char *unit, PetscBool seconds)
{
  wring_table *t;

  PetscFunctionBegin;
  PetscCall(wring_table_create(1 + WRING_N_DIGITS, 1, &t));
  PetscCall(wring_table_add(t, "%s", unit));
  for (int i = 0; i < WRING_N_DIGITS; i++) PetscCall(wring_table_add(t, "1e-%d", i + 1));
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_convergence *const h = &c->history[s];
    PetscCall(wring_table_add(t, "%s", h->name));
    for (int i = 0; i < WRING_N_DIGITS; i++) {
      if (h->iterations_to[i] < 0)
        PetscCall(wring_table_add(t, "-"));
      else if (seconds)
        PetscCall(wring_table_add(t, "%.3g", h->seconds_to[i]));
      else
        PetscCall(wring_table_add(t, "%" PetscInt_FMT, h->iterations_to[i]));
    }
  }
  PetscCall(wring_table_print(comm, t));
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_conditions(MPI_Comm comm, const wring_comparison *c)
{
  wring_table *t;

  PetscFunctionBegin;
  PetscCall(wring_table_create(3, 1, &t));
  PetscCall(wring_table_add(t, "method\tat x_0\tat the minimiser"));
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_convergence *const h = &c->history[s];
    const double at_start = h->at_start.largest / h->at_start.least, at_least = h->at_least.largest / h->at_least.least;
    if (!h->has_spectrum) continue;
    PetscCall(wring_table_add(t, "%s\t%.4g\t%.4g", h->name, isfinite(at_start) ? at_start : NAN,
                              isfinite(at_least) ? at_least : NAN));
  }
  if (t->n > t->columns) {
    PetscCall(PetscPrintf(comm, "\ncondition number of H_0 H; -: H is not definite there\n"));
    PetscCall(wring_table_print(comm, t));
  }
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_print(MPI_Comm comm, const wring_comparison *c)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "\nrelative error (g(x_k) - g*) / (g(x_0) - g*) in %%\n"));
  PetscCall(PetscPrintf(comm, "g* = %.12e J (%s): inertial %.4e J, elastic %.4e J; g(x_0) = %.4e J\n",
                        c->least.objective, c->source, c->least.inertial, c->least.elastic, c->start.objective));
  PetscCall(print_errors(comm, c));
  PetscCall(PetscPrintf(comm, "\niterations and seconds to a relative error of\n"));
  PetscCall(print_times(comm, c, "iterations", PETSC_FALSE));
  PetscCall(PetscPrintf(comm, "\n"));
  PetscCall(print_times(comm, c, "seconds", PETSC_TRUE));
  PetscCall(print_conditions(comm, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
