/* ranks: 1 */
/*
  Medians over the repeats of a solve, whether repeats are equal, and what holds after the end of a solve, for numbers
  made by hand: wring compare itself can show neither repeats that differ nor times that are known.
*/
#include "check.h"
#include "study/compare/comparison.h"

enum { N = 4, MOST = 6 };

/* A solve of n rows whose k-th row took k times `pace`, and 0.5 s of set-up more than `pace`. */
static PetscErrorCode make(PetscInt n, double pace, wring_solve *one)
{
  PetscFunctionBegin;
  *one = (wring_solve){.n = n, .capacity = n, .fingerprint = 7};
  PetscCall(PetscCalloc1(n, &one->row));
  for (PetscInt k = 0; k < n; k++) {
    one->row[k] =
      (wring_iteration){.iteration = k, .value = {.objective = 100 - (double)k}, .seconds = pace * (double)k};
  }
  one->outcome = (wring_outcome){.iterations = n - 1, .last = one->row[n - 1]};
  one->setup   = (wring_setup){.seconds = 0.5 + pace};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A comparison of one solver, without solves. */
static PetscErrorCode create(wring_comparison *c, wring_convergence **h)
{
  PetscFunctionBegin;
  *c = (wring_comparison){.n_all = 1, .n = 1, .repeats = MOST, .start = {.objective = 100}};
  PetscCall(PetscCalloc1(1, &c->history));
  PetscCall(PetscCalloc1(MOST, &c->history[0].solve));
  *h = c->history;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add(PetscInt n, double pace, wring_comparison *c)
{
  wring_convergence *const h = c->history;

  PetscFunctionBegin;
  PetscCall(make(n, pace, &h->solve[h->n_solve++]));
  PetscCall(wring_comparison_summarise(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a mean is taken, if the rows keep the times of the first solve, or if an even number has no middle. */
static PetscErrorCode test_medians(void)
{
  wring_comparison   c;
  wring_convergence *h;

  PetscFunctionBegin;
  PetscCall(create(&c, &h));
  PetscCall(add(N, 3, &c));
  PetscCall(add(N, 100, &c));
  PetscCall(add(N, 1, &c));
  CHECK(h->n_solve == 3 && h->differs < 0, "%d repeats", (int)h->n_solve);
  for (int k = 0; k < N; k++) CHECK(h->seconds[k].median == 3. * k, "row %d: %g", k, h->seconds[k].median);
  CHECK(h->total.median == 9 && h->total.spread == 297 && h->setup.median == 3.5, "%g, %g, %g", h->total.median,
        h->total.spread, h->setup.median);
  PetscCall(add(N, 5, &c));
  CHECK(h->total.median == 12 && h->seconds[1].median == 4, "four: %g", h->total.median);
  PetscCall(wring_comparison_clear(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Solves that budgets end at other iterations are equal as far as both go. Fails if a repeat that ended earlier drops
  out of the median, so that seconds fall with iterations, or counts as 0 s, or if a row gets a time of another
  iteration.
*/
static PetscErrorCode test_budgets(void)
{
  wring_comparison   c;
  wring_convergence *h;

  PetscFunctionBegin;
  PetscCall(create(&c, &h));
  PetscCall(add(N, 1, &c));
  PetscCall(add(3, 10, &c));
  CHECK(h->differs < 0 && h->seconds[2].median == 11 && isnan(h->seconds[3].median), "%g, %g", h->seconds[2].median,
        h->seconds[3].median);
  PetscCall(add(3, 14, &c));
  CHECK(h->seconds[2].median == 20 && isnan(h->seconds[3].median), "%g, %g", h->seconds[2].median,
        h->seconds[3].median);
  CHECK(h->seconds[2].spread == 26 && isnan(h->seconds[3].spread), "%g", h->seconds[2].spread);
  PetscCall(add(N, 2, &c));
  PetscCall(add(N, 3, &c));
  CHECK(h->seconds[2].median == 6 && h->seconds[3].median == 9, "%g, %g", h->seconds[2].median, h->seconds[3].median);
  PetscCall(wring_comparison_clear(&c));
  PetscCall(create(&c, &h)); // measured every second iteration, and the last one: 0, 2, 4, 5, not 0, 2, 4, 6
  PetscCall(add(N, 1, &c));
  PetscCall(add(N, 1, &c));
  for (int k = 0; k < N; k++) h->solve[0].row[k].iteration = 2 * k, h->solve[1].row[k].iteration = k < 3 ? 2 * k : 5;
  h->solve[0].outcome.iterations = 6;
  h->solve[1].outcome.iterations = 5;
  PetscCall(wring_comparison_summarise(&c));
  CHECK(h->differs < 0 && h->seconds[2].median == 2 && isnan(h->seconds[3].median), "%g, differs %d",
        h->seconds[3].median, (int)h->differs);
  PetscCall(wring_comparison_clear(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a solver that failed, or was cut off, keeps its last values, or if one that diverged has a finite error. */
static PetscErrorCode test_ends(void)
{
  wring_comparison   c;
  wring_convergence *h;

  PetscFunctionBegin;
  PetscCall(create(&c, &h));
  PetscCall(PetscMalloc1(2, &c.report));
  c.report[c.n_report++] = 1;
  c.report[c.n_report++] = N + 5;
  PetscCall(add(N, 1, &c));
  for (int reason = 0; reason < WRING_N_REASON; reason++) {
    h->solve[0].outcome.reason = (wring_reason)reason;
    PetscCall(wring_comparison_summarise(&c));
    const PetscBool holds =
      (PetscBool)(reason < WRING_STOPPED_NOT_FINITE && reason != WRING_INTERRUPTED && reason != WRING_OUT_OF_BUDGET);
    const double    after = h->error[1], last = wring_relative_error(&c, &h->solve[0].row[N - 1]);
    const PetscBool right = (PetscBool)(reason == WRING_STOPPED_NOT_FINITE ? isinf(after) : isnan(after));
    CHECK(h->error[0] == 0.99 && (holds ? after == last : right), "%s: %g", wring_reason_name((wring_reason)reason),
          after);
  }
  PetscCall(wring_comparison_clear(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if one bit of a value or of the last iterate, or the sign of zero, goes unnoticed. */
static PetscErrorCode test_differences(void)
{
  wring_comparison   c;
  wring_convergence *h;

  PetscFunctionBegin;
  for (int way = 0; way < 3; way++) {
    PetscCall(create(&c, &h));
    PetscCall(add(N, 1, &c));
    PetscCall(add(N, 1, &c));
    wring_solve *const again = &h->solve[1];
    if (way == 0) again->row[2].value.objective = nextafter(98, 99);
    if (way == 1) again->row[2].gradient_norm = -0.0;
    if (way == 2) again->fingerprint++;
    PetscCall(wring_comparison_summarise(&c));
    CHECK(h->differs == (way < 2 ? 2 : N - 1), "%d: %d", way, (int)h->differs);
    PetscCall(add(N, 1, &c));
    CHECK(h->differs == (way < 2 ? 2 : N - 1), "a later one that is equal: %d", (int)h->differs);
    PetscCall(wring_comparison_clear(&c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_medians());
  PetscCall(test_budgets());
  PetscCall(test_ends());
  PetscCall(test_differences());
  return PetscFinalize();
}
