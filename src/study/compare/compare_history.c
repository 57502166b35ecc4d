/* What histories show: relative errors and when they were reached; equal solves, and medians of their times. */
#include "comparison.h"
#include "study/common/median.h"
#include <math.h>
#include <string.h>

PetscBool wring_convergence_left_out(const wring_convergence *h)
{
  return (PetscBool)(wring_failed(&h->refusal));
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

double wring_relative_error(const wring_comparison *c, const wring_iteration *row)
{
  const double range = c->start.objective - c->least.objective, error = row->value.objective - c->least.objective;
  if (!isfinite(error)) return INFINITY;
  return range > 0 ? error / range : 0;
}

/*
  NaN where nothing was measured; infinite once the solver has diverged. After its end, a solver that was not cut off
  holds its last row.
*/
static double error_at(const wring_comparison *c, const wring_convergence *h, PetscInt iteration)
{
  PetscInt i = h->n - 1;
  while (i > 0 && h->row[i].iteration > iteration) i--;
  const PetscBool holds = (PetscBool)(i == h->n - 1 && !wring_convergence_cut_off(h));
  if (i >= 0 && (h->row[i].iteration == iteration || holds)) return wring_relative_error(c, &h->row[i]);
  return h->outcome.reason == WRING_STOPPED_NOT_FINITE && iteration > h->outcome.iterations ? INFINITY : NAN;
}

/* Of two rows: values, gradient and step length, bit for bit. */
static PetscBool same_row(const wring_iteration *a, const wring_iteration *b)
{
  const double x[] = {a->value.objective, a->value.inertial, a->value.elastic, a->gradient_norm, a->step_length};
  const double y[] = {b->value.objective, b->value.inertial, b->value.elastic, b->gradient_norm, b->step_length};
  return (PetscBool)(memcmp(x, y, sizeof x) == 0);
}

/*
  The rows from the first one on that are of the same iterations: budgets may end two solves at different ones. differs:
  the first iteration at which these rows or the last iterates differ, -1: none.
*/
static PetscInt common_rows(const wring_convergence *a, const wring_convergence *b, PetscInt *differs)
{
  const PetscBool both = (PetscBool)(a->outcome.iterations == b->outcome.iterations);
  PetscInt        n    = 0;
  *differs             = -1;
  for (; n < a->n && n < b->n && a->row[n].iteration == b->row[n].iteration; n++)
    if (*differs < 0 && !same_row(&a->row[n], &b->row[n])) *differs = a->row[n].iteration;
  if (*differs < 0 && both && a->fingerprint != b->fingerprint) *differs = a->outcome.iterations;
  return n;
}

PetscErrorCode wring_repeats_add(const wring_convergence *again, wring_convergence *h)
{
  wring_repeat r = {.total = again->outcome.last.seconds, .setup = again->setup.seconds, .segment = again->segment};
  PetscInt     differs;

  PetscFunctionBegin;
  r.n = common_rows(h, again, &differs);
  if (h->n_repeat == 0 || h->differs < 0) h->differs = differs;
  PetscCall(PetscMalloc1(r.n, &r.seconds));
  for (PetscInt i = 0; i < r.n; i++) r.seconds[i] = again->row[i].seconds;
  PetscCall(PetscRealloc((size_t)(h->n_repeat + 1) * sizeof r, &h->repeat));
  h->repeat[h->n_repeat++] = r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_repeats_spread(const wring_convergence *h, PetscInt row)
{
  double least = INFINITY, most = 0;
  for (PetscInt r = 0; r < h->n_repeat; r++) {
    if (row >= h->repeat[r].n) return NAN;
    least = PetscMin(least, h->repeat[r].seconds[row]);
    most  = PetscMax(most, h->repeat[r].seconds[row]);
  }
  return h->n_repeat > 0 ? most - least : NAN;
}

/* A repeat that had ended before a row counts as slower, not as absent: medians never fall from row to row. */
PetscErrorCode wring_repeats_find_medians(wring_convergence *h)
{
  const PetscInt n = h->n_repeat;
  double        *a;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &a));
  for (PetscInt i = 0; i < h->n; i++) {
    for (PetscInt r = 0; r < n; r++) a[r] = i < h->repeat[r].n ? h->repeat[r].seconds[i] : INFINITY;
    PetscCall(wring_median(n, a, &h->row[i].seconds));
    if (!isfinite(h->row[i].seconds)) h->row[i].seconds = NAN;
  }
  for (PetscInt r = 0; r < n; r++) a[r] = h->repeat[r].setup;
  PetscCall(wring_median(n, a, &h->setup.seconds));
  for (PetscInt r = 0; r < n; r++) a[r] = h->repeat[r].total;
  PetscCall(wring_median(n, a, &h->outcome.last.seconds));
  h->spread = a[n - 1] - a[0];
  PetscCall(PetscFree(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_summarise(wring_comparison *c)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < c->n; s++) {
    wring_convergence *const h = &c->history[s];
    PetscCall(wring_repeats_find_medians(h));
    PetscCall(PetscRealloc((size_t)c->n_report * sizeof *h->error, &h->error));
    for (PetscInt i = 0; i < c->n_report; i++) h->error[i] = error_at(c, h, c->report[i]);
    for (int digit = 0; digit < WRING_N_DIGITS; digit++) {
      PetscInt i = 0; // the first measured iterate with an error of at most 10^-(digit + 1)
      while (i < h->n && wring_relative_error(c, &h->row[i]) > pow(10, -(digit + 1))) i++;
      h->iterations_to[digit] = i < h->n ? h->row[i].iteration : -1;
      h->seconds_to[digit]    = i < h->n ? h->row[i].seconds : NAN;
      h->spread_to[digit]     = i < h->n ? wring_repeats_spread(h, i) : NAN;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_convergence_forget_rows(wring_convergence *h)
{
  PetscFunctionBegin;
  for (PetscInt r = 0; r < h->n_repeat; r++) PetscCall(PetscFree(h->repeat[r].seconds));
  PetscCall(PetscFree(h->row));
  h->n = h->capacity = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_clear(wring_comparison *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n_all; i++) {
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
