/* ranks: 1 */
/*
  Medians over the repeats of a solve, whether repeats are equal, and what holds after the end of a solve, for numbers
  made by hand: wring compare itself can show neither repeats that differ nor times that are known.
*/
#include "check.h"
#include "study/compare/comparison.h"

enum { N = 4 };

/* A solve of n rows whose k-th row took k times `pace`, and 0.5 s of set-up more than `pace`. */
static PetscErrorCode make(PetscInt n, double pace, wring_convergence *h)
{
  PetscFunctionBegin;
  *h = (wring_convergence){.n = n, .capacity = n, .fingerprint = 7};
  PetscCall(PetscCalloc1(n, &h->row));
  for (PetscInt k = 0; k < n; k++) {
    h->row[k] = (wring_iteration){.iteration = k, .value = {.objective = 100 - (double)k}, .seconds = pace * (double)k};
  }
  h->outcome = (wring_outcome){.iterations = n - 1, .last = h->row[n - 1]};
  h->setup   = (wring_setup){.seconds = 0.5 + pace};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add(PetscInt n, double pace, wring_convergence *h)
{
  wring_convergence again;

  PetscFunctionBegin;
  PetscCall(make(n, pace, &again));
  PetscCall(wring_repeats_add(&again, h));
  PetscCall(wring_convergence_forget_rows(&again));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_convergence *h)
{
  PetscFunctionBegin;
  PetscCall(wring_convergence_forget_rows(h));
  PetscCall(PetscFree(h->repeat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a mean is taken, if the rows keep the times of the first solve, or if an even number has no middle. */
static PetscErrorCode test_medians(void)
{
  wring_convergence h;

  PetscFunctionBegin;
  PetscCall(make(N, 3, &h));
  PetscCall(wring_repeats_add(&h, &h));
  PetscCall(add(N, 100, &h));
  PetscCall(add(N, 1, &h));
  PetscCall(wring_repeats_find_medians(&h));
  CHECK(h.n_repeat == 3 && h.differs < 0, "%d repeats", (int)h.n_repeat);
  for (int k = 0; k < N; k++) CHECK(h.row[k].seconds == 3. * k, "row %d: %g", k, h.row[k].seconds);
  CHECK(h.outcome.last.seconds == 9 && h.spread == 297 && h.setup.seconds == 3.5, "%g, %g, %g", h.outcome.last.seconds,
        h.spread, h.setup.seconds);
  PetscCall(add(N, 5, &h));
  PetscCall(wring_repeats_find_medians(&h));
  CHECK(h.outcome.last.seconds == 12 && h.row[1].seconds == 4, "four: %g", h.outcome.last.seconds);
  PetscCall(destroy(&h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Solves that budgets end at other iterations are equal as far as both go. Fails if a repeat that ended earlier drops
  out of the median, so that seconds fall with iterations, or counts as 0 s, or if a row gets a time of another
  iteration.
*/
static PetscErrorCode test_budgets(void)
{
  wring_convergence h, again;

  PetscFunctionBegin;
  PetscCall(make(N, 1, &h));
  PetscCall(wring_repeats_add(&h, &h));
  PetscCall(add(3, 10, &h));
  PetscCall(wring_repeats_find_medians(&h));
  CHECK(h.differs < 0 && h.row[2].seconds == 11 && isnan(h.row[3].seconds), "%g, %g", h.row[2].seconds,
        h.row[3].seconds);
  PetscCall(add(3, 14, &h));
  PetscCall(wring_repeats_find_medians(&h));
  CHECK(h.row[2].seconds == 20 && isnan(h.row[3].seconds), "%g, %g", h.row[2].seconds, h.row[3].seconds);
  CHECK(wring_repeats_spread(&h, 2) == 26 && isnan(wring_repeats_spread(&h, 3)), "%g", wring_repeats_spread(&h, 2));
  PetscCall(add(N, 2, &h));
  PetscCall(add(N, 3, &h));
  PetscCall(wring_repeats_find_medians(&h));
  CHECK(h.row[2].seconds == 6 && h.row[3].seconds == 9, "%g, %g", h.row[2].seconds, h.row[3].seconds);
  PetscCall(make(N, 0.1, &again)); // measured every second iteration, and the last one: 0, 2, 4, 5, not 0, 2, 4, 6
  for (int k = 0; k < N; k++) h.row[k].iteration = 2 * k, again.row[k].iteration = k < 3 ? 2 * k : 5;
  PetscCall(wring_repeats_add(&again, &h));
  CHECK(h.differs < 0 && h.repeat[5].n == 3, "%d rows, differs %d", (int)h.repeat[5].n, (int)h.differs);
  PetscCall(wring_convergence_forget_rows(&again));
  PetscCall(destroy(&h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a solver that failed, or was cut off, keeps its last values, or if one that diverged has a finite error. */
static PetscErrorCode test_ends(void)
{
  PetscInt report[] = {1, N + 5};

  PetscFunctionBegin;
  for (int reason = 0; reason < WRING_N_REASON; reason++) {
    wring_convergence h;
    PetscCall(make(N, 1, &h));
    wring_comparison c = {.n = 1, .history = &h, .n_report = 2, .report = report, .start = h.row[0].value};
    h.outcome.reason   = (wring_reason)reason;
    PetscCall(wring_comparison_summarise(&c));
    const PetscBool holds =
      (PetscBool)(reason < WRING_STOPPED_NOT_FINITE && reason != WRING_INTERRUPTED && reason != WRING_OUT_OF_BUDGET);
    const double    after = h.error[1], last = wring_relative_error(&c, &h.row[N - 1]);
    const PetscBool right = (PetscBool)(reason == WRING_STOPPED_NOT_FINITE ? isinf(after) : isnan(after));
    CHECK(h.error[0] == 0.99 && (holds ? after == last : right), "%s: %g", wring_reason_name(h.outcome.reason), after);
    PetscCall(PetscFree(h.error));
    PetscCall(destroy(&h));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if one bit of a value or of the last iterate, or the sign of zero, goes unnoticed. */
static PetscErrorCode test_differences(void)
{
  wring_convergence h, again;

  PetscFunctionBegin;
  for (int way = 0; way < 3; way++) {
    PetscCall(make(N, 1, &h));
    PetscCall(wring_repeats_add(&h, &h));
    PetscCall(make(N, 1, &again));
    if (way == 0) again.row[2].value.objective = nextafter(98, 99);
    if (way == 1) again.row[2].gradient_norm = -0.0;
    if (way == 2) again.fingerprint++;
    PetscCall(wring_repeats_add(&again, &h));
    CHECK(h.differs == (way < 2 ? 2 : N - 1), "%d: %d", way, (int)h.differs);
    PetscCall(add(N, 1, &h));
    CHECK(h.differs == (way < 2 ? 2 : N - 1), "a later one that is equal: %d", (int)h.differs);
    PetscCall(wring_convergence_forget_rows(&again));
    PetscCall(destroy(&h));
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
