/* ranks: 1 2 4 */
/*
  Newton's method with each filter of element Hessians, and inexact: properties of its matrices, directions and iterates
  (docs/theory.md (5.17)), on a box that is held at its ends, half as long as at rest.
*/
#include "body.h"
#include "refused.h"

static const char *const filters[] = {"clamp", "absolute", "trust_region", "on_demand", "progressive", "none"};
static const char *const names[]   = {"by_clamp",     "by_absolute",    "by_trust_region",
                                      "by_on_demand", "by_progressive", "by_none"}; // variants
enum { CLAMP, ABSOLUTE, TRUST_REGION, ON_DEMAND, PROGRESSIVE, NONE, N_FILTERS };

static void compress(const double X[3], double x[3])
{
  x[0] = 0.6 * X[0], x[1] = X[1], x[2] = X[2];
}

/* A box between ends that approach; y, the start of every solve, is rough. */
static PetscErrorCode create(const char *law, double h, test_body *m, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(law, h, 0, m));
  PetscCall(test_body_attach(m, "xmin", 1e6, compress));
  PetscCall(test_body_attach(m, "xmax", 1e6, compress));
  PetscCall(test_body_set_up_with(m, compress, 0.1, y));
  for (int i = 0; i < N_FILTERS; i++) PetscCall(test_variant(m->o, names[i], "newton", "filter=%s", filters[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* |A - B| / |B|, A given as the filtered Hessian of the vertices above a threshold; without grad of thin parts. */
static PetscErrorCode difference(test_body *m, Vec y, Vec grad, double threshold, wring_filter of, double *result)
{
  const wring_hessian_choice how = {
    .filter = WRING_FILTER_CLAMP, .grad = grad, .threshold = threshold, .thin = (PetscBool)!grad};

  Mat    A = NULL, B = NULL;
  double size;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian_with(m->g, y, &how, &A));
  PetscCall(wring_potential_hessian(m->g, y, of, &B));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(A, -1, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(A, NORM_FROBENIUS, result));
  *result /= size;
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Vertices whose rows of the Hessian change if only the elements at the vertex with the largest force are filtered, and
  the vertices of these elements.
*/
static PetscErrorCode count_changed(test_body *m, Vec y, Vec grad, double largest, PetscInt count[2])
{
  const wring_hessian_choice how = {.filter = WRING_FILTER_ABSOLUTE, .grad = grad, .threshold = largest * (1 - 1e-12)};

  Mat           A = NULL, B = NULL;
  Vec           rows;
  const double *r, *ga;
  PetscInt      first, n;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian_with(m->g, y, &how, &A));
  PetscCall(wring_potential_hessian(m->g, y, WRING_FILTER_NONE, &B));
  PetscCall(MatCreateVecs(B, &rows, NULL));
  PetscCall(MatGetOwnershipRange(B, &first, NULL));
  PetscCall(MatAXPY(A, -1, B, SAME_NONZERO_PATTERN));
  PetscCall(MatGetRowMaxAbs(A, rows, NULL));
  PetscCall(VecGetArrayRead(rows, &r));
  PetscCall(VecGetArrayRead(grad, &ga));
  count[0] = count[1] = 0;
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
    count[0] += fmax(r[3 * i], fmax(r[3 * i + 1], r[3 * i + 2])) > 1e-3;
    if (fmax(fabs(ga[3 * i]), fmax(fabs(ga[3 * i + 1]), fabs(ga[3 * i + 2]))) < largest * (1 - 1e-12)) continue;
    PetscCall(MatGetRow(B, first + 3 * i, &n, NULL, NULL));
    count[1] += n / 3;
    PetscCall(MatRestoreRow(B, first + 3 * i, &n, NULL, NULL));
  }
  PetscCall(VecRestoreArrayRead(grad, &ga));
  PetscCall(VecRestoreArrayRead(rows, &r));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(VecDestroy(&rows));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if elements without the vertex are filtered too, such as others of its block; if an element is filtered where no
  force is above the threshold, if some are not where all are, or if a threshold between filters all or none of them.
*/
static PetscErrorCode test_above(void)
{
  test_body   m;
  Vec         y, grad;
  wring_value value;
  PetscReal   largest;
  double      none, all, some, other, thin;
  PetscInt    count[2];

  PetscFunctionBegin;
  PetscCall(create("stable_neohookean", 0.1, &m, &y));
  PetscCall(VecDuplicate(y, &grad));
  PetscCall(wring_potential_fused(m.g, y, &value, grad));
  PetscCall(VecNorm(grad, NORM_INFINITY, &largest));
  PetscCall(difference(&m, y, grad, largest, WRING_FILTER_NONE, &none));
  PetscCall(difference(&m, y, grad, 0, WRING_FILTER_CLAMP, &all));
  PetscCall(difference(&m, y, grad, 0.6 * largest, WRING_FILTER_CLAMP, &some));
  PetscCall(difference(&m, y, grad, 0.6 * largest, WRING_FILTER_NONE, &other));
  CHECK(none < 1e-15 && all < 1e-15, "elements without or with large forces: %g, %g", none, all);
  PetscCall(difference(&m, y, NULL, 0, WRING_FILTER_NONE, &thin));
  CHECK(thin == 0, "a filter for thin parts changes tets by %g", thin);
  PetscCall(count_changed(&m, y, grad, largest, count));
  CHECK(count[0] > 0 && count[0] <= count[1], "%d vertices change, %d share an element with the marked one",
        (int)count[0], (int)count[1]);
  CHECK(some > 1e-6 && other > 1e-6, "a threshold between: %g from clamped, %g from the true Hessian", some, other);
  PetscCall(VecDestroy(&grad));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- iterates ---------------------------------------------------------------------------------------------------- */

enum { MAX_ROWS = 200 };

typedef struct {
  int             n;
  wring_iteration row[MAX_ROWS];
} history;

static PetscErrorCode keep(void *context, const wring_iteration *it)
{
  history *h = context;
  if (h->n < MAX_ROWS) h->row[h->n++] = *it;
  return PETSC_SUCCESS;
}

static PetscErrorCode solve(test_body *m, const char *name, double rtol, Vec x, history *h, wring_outcome *outcome)
{
  PetscFunctionBegin;
  h->n = 0;
  PetscCall(test_body_solve_seen(m, name, MAX_ROWS - 1, rtol, keep, h, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every filter ends at a minimiser, g never rises, every step was predicted to lower g, and the exact ones converge
  quadratically at its end: |grad g| falls by more than a factor of 1000 in one of the last iterations. Fails for clamp,
  which converges linearly, if it is used in the place of on_demand, progressive or none.
*/
static PetscErrorCode test_filters(const char *law)
{
  test_body     m;
  Vec           y, x;
  wring_outcome outcome;
  history       h;

  PetscFunctionBegin;
  PetscCall(create(law, 0.1, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  for (int i = 0; i < N_FILTERS; i++) {
    double best = 1;
    PetscCall(VecCopy(y, x));
    PetscCall(solve(&m, names[i], 1e-10, x, &h, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED && outcome.rises.count == 0, "%s, %s: %s, g rose %d times", law, filters[i],
          wring_reason_name(outcome.reason), (int)outcome.rises.count);
    for (int k = 1; k < h.n; k++) {
      best = fmin(best, h.row[k].gradient_norm / h.row[k - 1].gradient_norm);
      CHECK(h.row[k].decrement > 0, "%s, %s: predicted decrease %g", law, filters[i], h.row[k].decrement);
    }
    CHECK(i < ON_DEMAND || best < 1e-3, "%s, %s: |grad g| falls by no more than %g", law, filters[i], best);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  From an inverted start, where some systems are not definite, conjugate gradients take at most twice the iterations of
  factors. Fails if a V-cycle of an earlier system that is not definite is kept: all later steps are short.
*/
static PetscErrorCode test_indefinite(void)
{
  test_body     m;
  Vec           y, x;
  wring_outcome outcome[2];
  history       h;

  PetscFunctionBegin;
  PetscCall(create("stable_neohookean", 1, &m, &y));
  PetscCall(test_body_place(&m, compress, 0.6, y));
  PetscCall(VecDuplicate(y, &x));
  for (int i = 0; i < 2; i++) {
    PetscCall(wring_options_set(m.o, "variant_by_on_demand_linear", i ? "cg" : "direct", "deck:3"));
    PetscCall(VecCopy(y, x));
    PetscCall(solve(&m, "by_on_demand", 1e-8, x, &h, &outcome[i]));
  }
  CHECK(outcome[1].reason == WRING_CONVERGED && outcome[1].iterations <= 2 * outcome[0].iterations,
        "%s after %d iterations of conjugate gradients, %d of factors", wring_reason_name(outcome[1].reason),
        (int)outcome[1].iterations, (int)outcome[0].iterations);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Conjugate gradients with forcing terms reach the same minimiser in fewer linear iterations, and in the end faster than
  linearly: |grad g| falls by more than a factor of 1000 in an iteration. Fails if the forcing term does not tighten, or
  if it is not used.
*/
static PetscErrorCode test_forcing(void)
{
  static const char *const ways[] = {"loose", "tight"}, *const values[] = {"eisenstat_walker", "fixed"};
  test_body     m;
  Vec           y, x[2];
  wring_outcome outcome[2];
  history       h;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create("stable_neohookean", 0.02, &m, &y));
  for (int i = 0; i < 2; i++) {
    PetscCall(test_variant(m.o, ways[i], "newton", "linear=cg filter=on_demand forcing=%s", values[i]));
    PetscCall(VecDuplicate(y, &x[i]));
    PetscCall(VecCopy(y, x[i]));
    PetscCall(solve(&m, ways[i], 1e-9, x[i], &h, &outcome[i]));
    CHECK(outcome[i].reason == WRING_CONVERGED, "%s: %s", ways[i], wring_reason_name(outcome[i].reason));
    double best = 1;
    for (int k = 1; k < h.n; k++) best = fmin(best, h.row[k].gradient_norm / h.row[k - 1].gradient_norm);
    CHECK(best < 1e-3, "%s: |grad g| falls by no more than %g", ways[i], best);
  }
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance < 1e-7, "the minimisers differ by %g m", distance);
  CHECK(outcome[0].last.linear_iterations < 0.7 * (double)outcome[1].last.linear_iterations,
        "forcing terms: %g linear iterations, a fixed tolerance: %g", (double)outcome[0].last.linear_iterations,
        (double)outcome[1].last.linear_iterations);
  PetscCall(VecDestroy(&x[0]));
  PetscCall(VecDestroy(&x[1]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rules of stopping ------------------------------------------------------------------------------------------- */

/*
  With atol alone a solve stops where |grad g| has fallen to it, and not before. Fails if that is tested one iteration
  late, or if the first direction does not predict Newton's decrement. Stopping by decrement: tests/test_solver_types.c
*/
static PetscErrorCode test_stops(void)
{
  const double  rtol = 1e-5;
  test_body     m;
  Vec           y, x;
  wring_outcome outcome;
  wring_solver *s, *newton;
  history       h;
  double        first, atol;

  PetscFunctionBegin;
  PetscCall(create("stable_neohookean", 0.1, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecCopy(y, x));
  PetscCall(test_body_solver(&m, names[CLAMP], &newton));
  PetscCall(wring_solver_newton_decrement(newton, x, &first));
  PetscCall(solve(&m, names[CLAMP], rtol, x, &h, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED && h.n > 3, "%s after %d rows", wring_reason_name(outcome.reason), h.n);
  CHECK(fabs(h.row[1].decrement - first) < 1e-9 * first, "predicted %g, Newton's decrement %g", h.row[1].decrement,
        first);

  atol = 0.5 * (h.row[1].gradient_norm + h.row[2].gradient_norm);
  PetscCall(VecCopy(y, x));
  PetscCall(test_body_solver(&m, names[CLAMP], &s));
  PetscCall(wring_solver_set_stop(s, WRING_STOP_GRADIENT));
  wring_solver_set_limits(s, 100, 0.999, atol, 1);
  PetscCall(wring_solver_solve(s, x, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED && outcome.last.gradient_norm <= atol && outcome.first.gradient_norm > atol &&
          outcome.iterations > 0,
        "stop gradient: %s after %d", wring_reason_name(outcome.reason), (int)outcome.iterations);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(wring_solver_destroy(&newton));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_above());
  PetscCall(test_filters("stable_neohookean"));
  PetscCall(test_filters("strain"));
  PetscCall(test_indefinite());
  PetscCall(test_forcing());
  PetscCall(test_stops());
  PetscCall(PetscFinalize());
  return 0;
}
