/* Equal solves by one solver: whether they are equal, and medians of their times. */
#include "comparison.h"
#include "study/common/median.h"
#include <math.h>
#include <string.h>

/* ---- equality ---------------------------------------------------------------------------------------------------- */

static PetscBool same_bits(double a, double b)
{
  return (PetscBool)(memcmp(&a, &b, sizeof a) == 0);
}

static PetscBool same_row(const wring_iteration *a, const wring_iteration *b)
{
  return (PetscBool)(same_bits(a->value.objective, b->value.objective) &&
                     same_bits(a->value.inertial, b->value.inertial) && same_bits(a->value.elastic, b->value.elastic) &&
                     same_bits(a->gradient_norm, b->gradient_norm) && same_bits(a->step_length, b->step_length));
}

/* The rows from the first one on that are of the same iterations: budgets may end two solves at different ones. */
static PetscInt common_rows(const wring_convergence *a, const wring_convergence *b)
{
  PetscInt n = 0;
  while (n < a->n && n < b->n && a->row[n].iteration == b->row[n].iteration) n++;
  return n;
}

/* The first iteration at which two solves differ, -1: none. */
static PetscInt first_difference(const wring_convergence *a, const wring_convergence *b)
{
  const PetscInt n = common_rows(a, b);
  for (PetscInt i = 0; i < n; i++) {
    if (!same_row(&a->row[i], &b->row[i])) return a->row[i].iteration;
  }
  const PetscBool both = (PetscBool)(a->outcome.iterations == b->outcome.iterations);
  return both && a->fingerprint != b->fingerprint ? a->outcome.iterations : -1;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_repeats_add(const wring_convergence *again, wring_convergence *h)
{
  wring_repeat r = {.n       = common_rows(again, h),
                    .total   = again->outcome.last.seconds,
                    .setup   = again->setup.seconds,
                    .segment = again->segment};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r.n, &r.seconds));
  for (PetscInt i = 0; i < r.n; i++) r.seconds[i] = again->row[i].seconds;
  PetscCall(PetscRealloc((size_t)(h->n_repeat + 1) * sizeof r, &h->repeat));
  if (h->n_repeat == 0) h->differs = -1;
  if (h->differs < 0) h->differs = first_difference(h, again);
  h->repeat[h->n_repeat++] = r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* When a repeat reached a row, INFINITY if it had ended before: it counts as slower, not as absent. */
static double reached(const wring_repeat *r, PetscInt row)
{
  return row < r->n ? r->seconds[row] : INFINITY;
}

/* Over all repeats, hence it never falls from row to row; NaN once half of them have ended. */
static PetscErrorCode find_row_median(const wring_convergence *h, PetscInt row, double *a)
{
  double *const seconds = &h->row[row].seconds;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < h->n_repeat; r++) a[r] = reached(&h->repeat[r], row);
  PetscCall(wring_median(h->n_repeat, a, seconds));
  if (!isfinite(*seconds)) *seconds = NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_repeats_spread(const wring_convergence *h, PetscInt row)
{
  double least = INFINITY, most = 0;
  for (PetscInt r = 0; r < h->n_repeat; r++) {
    least = PetscMin(least, reached(&h->repeat[r], row));
    most  = PetscMax(most, reached(&h->repeat[r], row));
  }
  return isfinite(least) && isfinite(most) ? most - least : NAN;
}

PetscErrorCode wring_repeats_find_medians(wring_convergence *h)
{
  const PetscInt n = h->n_repeat;
  double        *a;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &a));
  for (PetscInt i = 0; i < h->n; i++) PetscCall(find_row_median(h, i, a));
  for (PetscInt r = 0; r < n; r++) a[r] = h->repeat[r].setup;
  PetscCall(wring_median(n, a, &h->setup.seconds));
  for (PetscInt r = 0; r < n; r++) a[r] = h->repeat[r].total;
  PetscCall(wring_median(n, a, &h->outcome.last.seconds));
  h->spread = a[n - 1] - a[0];
  PetscCall(PetscFree(a));
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
