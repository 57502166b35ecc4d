/* What histories show: relative errors and when they were reached; whether solves are equal, medians of their times. */
#include "comparison.h"
#include "study/common/median.h"
#include <math.h>
#include <string.h>

PetscBool wring_convergence_cut_off(const wring_convergence *h)
{
  const wring_reason reason = h->solve[0].outcome.reason;
  return (PetscBool)(reason == WRING_INTERRUPTED || reason == WRING_OUT_OF_BUDGET || wring_reason_failed(reason));
}

const char *wring_convergence_end(const wring_convergence *h)
{
  return wring_failed(&h->refusal) ? "left out" : wring_reason_name(h->solve[0].outcome.reason);
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
  const wring_solve *const shown = &h->solve[0];
  PetscInt                 i     = shown->n - 1;
  while (i > 0 && shown->row[i].iteration > iteration) i--;
  const PetscBool holds = (PetscBool)(i == shown->n - 1 && !wring_convergence_cut_off(h));
  if (i >= 0 && (shown->row[i].iteration == iteration || holds)) return wring_relative_error(c, &shown->row[i]);
  return shown->outcome.reason == WRING_STOPPED_NOT_FINITE && iteration > shown->outcome.iterations ? INFINITY : NAN;
}

/* ---- equal solves ------------------------------------------------------------------------------------------------ */

/* Of two rows: values, gradient and step length, bit for bit. */
static PetscBool same_row(const wring_iteration *a, const wring_iteration *b)
{
  const double x[] = {a->value.objective, a->value.inertial, a->value.elastic, a->gradient_norm, a->step_length};
  const double y[] = {b->value.objective, b->value.inertial, b->value.elastic, b->gradient_norm, b->step_length};
  return (PetscBool)(memcmp(x, y, sizeof x) == 0);
}

/* The row of solve b that is row i of solve a; NULL if it has none: budgets may end it earlier. */
static const wring_iteration *row_at(const wring_solve *a, const wring_solve *b, PetscInt i)
{
  return i < b->n && b->row[i].iteration == a->row[i].iteration ? &b->row[i] : NULL;
}

/* The first iteration at which two solves, or their last iterates, differ; -1: none. */
static PetscInt first_difference(const wring_solve *a, const wring_solve *b)
{
  const PetscBool both = (PetscBool)(a->outcome.iterations == b->outcome.iterations);
  for (PetscInt i = 0; i < a->n && row_at(a, b, i); i++)
    if (!same_row(&a->row[i], &b->row[i])) return a->row[i].iteration;
  return both && a->fingerprint != b->fingerprint ? a->outcome.iterations : -1;
}

/* a [n]: seconds, infinite: not known; sorted. */
static PetscErrorCode take_seconds(PetscInt n, double *a, wring_seconds *s)
{
  PetscFunctionBegin;
  s->median = s->spread = NAN;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_median(n, a, &s->median));
  s->spread = a[n - 1] - a[0];
  if (!isfinite(s->median)) s->median = NAN;
  if (!isfinite(s->spread)) s->spread = NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds and set-up until each row of the first solve; a, b [n_solve] are for their sorting. */
static PetscErrorCode take_rows(wring_convergence *h, double *a, double *b)
{
  const wring_solve *const first = h->solve;

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)first->n * sizeof *h->seconds, &h->seconds));
  PetscCall(PetscRealloc((size_t)first->n * sizeof *h->setup_at, &h->setup_at));
  for (PetscInt i = 0; i < first->n; i++) {
    for (PetscInt r = 0; r < h->n_solve; r++) {
      const wring_iteration *const row = row_at(first, &h->solve[r], i);
      a[r]                             = row ? row->seconds : INFINITY;
      b[r]                             = row ? row->setup.seconds : INFINITY;
    }
    PetscCall(take_seconds(h->n_solve, a, &h->seconds[i]));
    PetscCall(take_seconds(h->n_solve, b, &h->setup_at[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_solves(wring_convergence *h)
{
  const PetscInt n = h->n_solve;
  double        *a, *b;

  PetscFunctionBegin;
  h->differs = -1;
  for (PetscInt r = 0; r < n && h->differs < 0; r++) h->differs = first_difference(h->solve, &h->solve[r]);
  PetscCall(PetscMalloc2(n, &a, n, &b));
  PetscCall(take_rows(h, a, b));
  for (PetscInt r = 0; r < n; r++) a[r] = h->solve[r].setup.seconds;
  PetscCall(take_seconds(n, a, &h->setup));
  for (PetscInt r = 0; r < n; r++) a[r] = h->solve[r].outcome.last.seconds;
  PetscCall(take_seconds(n, a, &h->total));
  PetscCall(PetscFree2(a, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first row with at most this error, n if there is none; if g may rise, the first from which on all have. */
static PetscInt find_crossing(const wring_comparison *c, const wring_solve *one, double error)
{
  PetscInt i = c->renews ? one->n : 0;
  if (c->renews)
    while (i > 0 && wring_relative_error(c, &one->row[i - 1]) <= error) i--;
  else
    while (i < one->n && wring_relative_error(c, &one->row[i]) > error) i++;
  return i;
}

PetscErrorCode wring_comparison_summarise(wring_comparison *c)
{
  static const wring_seconds none = {NAN, NAN};

  PetscFunctionBegin;
  for (wring_convergence *h = c->history; h < c->history + c->n; h++) {
    const wring_solve *const shown = h->solve;
    PetscCall(compare_solves(h));
    PetscCall(PetscRealloc((size_t)c->n_report * sizeof *h->error, &h->error));
    for (PetscInt i = 0; i < c->n_report; i++) h->error[i] = error_at(c, h, c->report[i]);
    for (int digit = 0; digit < WRING_N_DIGITS; digit++) {
      const PetscInt i        = find_crossing(c, shown, pow(10, -(digit + 1)));
      h->iterations_to[digit] = i < shown->n ? shown->row[i].iteration : -1;
      h->seconds_to[digit]    = i < shown->n ? h->seconds[i] : none;
      h->setup_to[digit]      = i < shown->n ? h->setup_at[i] : none;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_forget_rows(wring_comparison *c)
{
  PetscFunctionBegin;
  for (wring_convergence *h = c->history; h < c->history + c->n_all; h++) {
    for (wring_solve *one = h->solve; h->solve && one < h->solve + c->repeats; one++) {
      PetscCall(PetscFree(one->row));
      one->n = one->capacity = 0;
    }
    PetscCall(PetscFree(h->seconds));
    PetscCall(PetscFree(h->setup_at));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_comparison_clear(wring_comparison *c)
{
  PetscFunctionBegin;
  PetscCall(wring_comparison_forget_rows(c));
  for (wring_convergence *h = c->history; h < c->history + c->n_all; h++) {
    PetscCall(PetscFree(h->solve));
    PetscCall(PetscFree(h->error));
    json_decref(h->options);
  }
  json_decref(c->segments);
  PetscCall(PetscFree(c->history));
  PetscCall(PetscFree(c->report));
  *c = (wring_comparison){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}
