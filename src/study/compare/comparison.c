/* Relative errors of a comparison, and when each solver reached them. */
#include "comparison.h"
#include <math.h>

PetscBool wring_convergence_left_out(const wring_convergence *h)
{
  return (PetscBool)(h->refusal.text[0] != '\0');
}

PetscBool wring_convergence_cut_off(const wring_convergence *h)
{
  const wring_reason reason = h->outcome.reason;
  return (PetscBool)(reason == WRING_INTERRUPTED || reason == WRING_OUT_OF_BUDGET || wring_reason_failed(reason));
}

const char *wring_convergence_end(const wring_convergence *h)
{
  return wring_convergence_left_out(h) ? "left out" : wring_reason_name(h->outcome.reason);
}

const wring_iteration *wring_convergence_at(const wring_convergence *h, PetscInt iteration)
{
  PetscInt i = h->n - 1;
  while (i > 0 && h->row[i].iteration > iteration) i--;
  if (h->row[i].iteration == iteration) return &h->row[i];
  return i == h->n - 1 && !wring_convergence_cut_off(h) ? &h->row[i] : NULL;
}

double wring_relative_error(const wring_comparison *c, const wring_iteration *row)
{
  const double range = c->start.objective - c->least.objective, error = row->value.objective - c->least.objective;
  if (!isfinite(error)) return INFINITY;
  return range > 0 ? error / range : 0;
}

/* NaN where nothing was measured; infinite once the solver has diverged. */
static double error_at(const wring_comparison *c, const wring_convergence *h, PetscInt iteration)
{
  const wring_iteration *const row = h->n > 0 ? wring_convergence_at(h, iteration) : NULL;
  if (row) return wring_relative_error(c, row);
  return h->outcome.reason == WRING_STOPPED_NOT_FINITE && iteration > h->outcome.iterations ? INFINITY : NAN;
}

/* The first measured iterate with an error of at most 10^-(digit + 1). */
static void find_time(const wring_comparison *c, wring_convergence *h, int digit)
{
  const double wanted     = pow(10, -(digit + 1));
  h->iterations_to[digit] = -1;
  h->seconds_to[digit] = h->spread_to[digit] = NAN;
  for (PetscInt i = 0; i < h->n; i++) {
    if (wring_relative_error(c, &h->row[i]) > wanted) continue;
    h->iterations_to[digit] = h->row[i].iteration;
    h->seconds_to[digit]    = h->row[i].seconds;
    h->spread_to[digit]     = wring_repeats_spread(h, i);
    return;
  }
}

PetscErrorCode wring_comparison_summarise(wring_comparison *c)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < c->n; s++) {
    wring_convergence *const h = &c->history[s];
    PetscCall(PetscMalloc1(c->n_report, &h->error));
    for (PetscInt i = 0; i < c->n_report; i++) h->error[i] = error_at(c, h, c->report[i]);
    for (int digit = 0; digit < WRING_N_DIGITS; digit++) find_time(c, h, digit);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_clear(wring_comparison *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; i++) {
    PetscCall(wring_convergence_forget_rows(&c->history[i]));
    PetscCall(PetscFree(c->history[i].repeat));
    PetscCall(PetscFree(c->history[i].error));
    json_decref(c->history[i].options);
  }
  json_decref(c->segments);
  PetscCall(PetscFree(c->history));
  PetscCall(PetscFree(c->report));
  *c = (wring_comparison){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}
