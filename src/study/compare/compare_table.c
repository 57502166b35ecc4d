/* Tables on the screen: relative errors at the report, and iterations and seconds to given errors. */
#include "compare_show.h"
#include "study/common/table.h"
#include <math.h>

void wring_percent(double error, size_t size, char *text)
{
  if (isnan(error))
    snprintf(text, size, "-");
  else
    snprintf(text, size, "%.3g", 100 * error);
}

/* Seconds of set-up and of all iterations, and their spread over the repeats. */
static PetscErrorCode add_seconds(wring_table *t, const wring_comparison *c, const wring_convergence *h)
{
  const double column[] = {h->setup.seconds, h->outcome.last.seconds, h->spread};

  PetscFunctionBegin;
  for (int i = 0; i < (c->repeats > 1 ? 3 : 2); i++) {
    if (h->n_repeat > 0)
      PetscCall(wring_table_add(t, "%.3g", column[i]));
    else
      PetscCall(wring_table_add(t, "-"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One row a solver: errors in percent, seconds, and how it ended. */
static PetscErrorCode print_errors(MPI_Comm comm, const wring_comparison *c)
{
  wring_table *t;
  char         text[32];

  PetscFunctionBegin;
  PetscCall(wring_table_create(4 + (c->repeats > 1) + (int)c->n_report, 1, &t));
  PetscCall(wring_table_add(t, "iteration"));
  for (PetscInt i = 0; i < c->n_report; i++) PetscCall(wring_table_add(t, "%" PetscInt_FMT, c->report[i]));
  PetscCall(wring_table_add(t, "set-up"));
  PetscCall(wring_table_add(t, "seconds"));
  if (c->repeats > 1) PetscCall(wring_table_add(t, "spread"));
  PetscCall(wring_table_add(t, "ended"));
  for (PetscInt s = 0; s < c->n; s++) {
    const wring_convergence *const h = &c->history[s];
    PetscCall(wring_table_add(t, "%s", h->name));
    for (PetscInt i = 0; i < c->n_report; i++) {
      wring_percent(h->error[i], sizeof text, text);
      PetscCall(wring_table_add(t, "%s", text));
    }
    PetscCall(add_seconds(t, c, h));
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
      if (h->iterations_to[i] < 0 || (seconds && isnan(h->seconds_to[i])))
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

static PetscErrorCode add_spectrum(wring_table *t, const wring_spectrum *s)
{
  PetscFunctionBegin;
  if (isfinite(s->largest / s->least))
    PetscCall(wring_table_add(t, "%.4g", s->largest / s->least));
  else
    PetscCall(wring_table_add(t, "-"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_conditions(MPI_Comm comm, const wring_comparison *c)
{
  wring_table *t;
  PetscBool    any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(wring_table_create(3, 1, &t));
  PetscCall(wring_table_add(t, "method"));
  PetscCall(wring_table_add(t, "at x_0"));
  PetscCall(wring_table_add(t, "at the minimiser"));
  for (PetscInt s = 0; s < c->n; s++) {
    if (!c->history[s].has_spectrum) continue;
    any = PETSC_TRUE;
    PetscCall(wring_table_add(t, "%s", c->history[s].name));
    PetscCall(add_spectrum(t, &c->history[s].at_start));
    PetscCall(add_spectrum(t, &c->history[s].at_least));
  }
  if (any) {
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
