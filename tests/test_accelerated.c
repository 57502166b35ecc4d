/* ranks: 1 2 4 */
/*
  Steepest descent, Chebyshev and Anderson on a twisted box: checks the properties of their iterations (docs/theory.md
  5).
*/
#include "solver/common/solver_impl.h"
#include "body.h"
#include "refused.h"
#include <omp.h>

/* A box, held at its ends if requested. Its target y, the start of every solve, is twisted and rough. */
static PetscErrorCode create(const char *law, double h, PetscBool held, test_body *m, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(law, h, 12, m));
  if (held) PetscCall(test_body_attach(m, "xmin", 1e6, test_twist));
  if (held) PetscCall(test_body_attach(m, "xmax", 1e6, test_twist));
  PetscCall(test_body_set_up_with(m, test_twist, 0.05, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Fails if a method ends away from the minimiser, or if g rises in a method in which it must not. */
static PetscErrorCode test_same_minimiser(const char *law)
{
  static const char *const names[] = {"chebyshev",        "split",  "whole",   "careful",
                                      "gradient_descent", "jacobi", "anderson"};
  const PetscBool          strain  = (PetscBool)(strcmp(law, "strain") == 0);
  test_body                m;
  Vec                      y, x, reference;
  wring_outcome            outcome;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create(law, 0.005, PETSC_FALSE, &m, &y)); // stiffness small against inertia: steepest descent converges
  PetscCall(test_variant(m.o, "careful", "chebyshev", "line_search=armijo delay=2"));
  PetscCall(wring_options_set(m.o, "solver_chebyshev_delay", "2", "deck:3"));
  PetscCall(test_variant(m.o, "split", "anderson", "inner=admm"));
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford window=5"));
  PetscCall(test_variant(m.o, "jacobi", "chebyshev", "precondition=jacobi"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "newton", 50, 1e-10, y, reference, &outcome));
  for (int i = 0; i < (strain ? 7 : 6); i++) {
    PetscCall(test_body_solve_from(&m, names[i], 5000, 1e-8, y, x, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED, "%s, %s: %s after %d", law, names[i], wring_reason_name(outcome.reason),
          (int)outcome.iterations);
    PetscCall(test_distance(x, reference, &distance));
    CHECK(distance <= 1e-6, "%s, %s ends %g m from newton's minimiser", law, names[i], distance);
    CHECK(i == 1 || i == 2 || outcome.rises.count == 0, "%s, %s: g rose %d times, by %g of itself", law, names[i],
          (int)outcome.rises.count, outcome.rises.largest);
    CHECK(outcome.rises.measured == outcome.iterations, "%d rows counted", (int)outcome.rises.measured);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With rho = 0, within the delay and with no window the accelerated method must equal plain pd or admm. */
static PetscErrorCode test_plain(void)
{
  static const char *const names[] = {"unmoved", "late", "alone", "split", "whole"};
  test_body                m;
  Vec                      y, x, reference;
  wring_outcome            outcome;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create("strain", 0.02, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, names[0], "chebyshev", "rho=0"));
  PetscCall(test_variant(m.o, names[1], "chebyshev", "delay=20"));
  PetscCall(test_variant(m.o, names[2], "anderson", "window=0"));
  PetscCall(test_variant(m.o, names[3], "anderson", "inner=admm window=0"));
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford window=0"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "pd", 20, 0, y, reference, &outcome));
  for (int i = 0; i < 5; i++) {
    if (i == 3) {
      PetscCall(test_body_solve_from(&m, "admm", 20, 0, y, reference, &outcome));
    }
    PetscCall(test_body_solve_from(&m, names[i], 20, 0, y, x, &outcome));
    PetscCall(test_distance(x, reference, &distance));
    CHECK(distance <= 1e-12, "%s is %g m from its plain method", names[i], distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Compares Chebyshev's iterates with the recurrence w_(k+1) (x_k + q - x_(k-1)) + x_(k-1); fails if w or x_(k-1) is one
  iteration early or late.
*/
static PetscErrorCode test_chebyshev_recurrence(void)
{
  const double  rho = 0.9;
  test_body     m;
  Vec           y, x, v[3], grad, q;
  wring_outcome outcome;
  double        distance, w = 1;

  PetscFunctionBegin;
  PetscCall(create("corotated", 0.02, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "given", "chebyshev", "rho=0.9 delay=3 line_search=none"));
  for (int i = 0; i < 3; i++) PetscCall(VecDuplicate(y, &v[i]));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &grad));
  PetscCall(VecDuplicate(y, &q));
  PetscCall(VecCopy(y, v[0]));
  for (int k = 0; k < 8; k++) { // v[k % 3] = x_k
    const Vec now = v[k % 3], before = v[(k + 2) % 3], next = v[(k + 1) % 3];
    w = k < 3 ? 1 : k == 3 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * w);
    PetscCall(wring_potential_gradient(m.g, now, grad));
    PetscCall(VecZeroEntries(q));
    PetscCall(wring_operator_solve(m.op, 0, grad, q, NULL));
    PetscCall(VecWAXPY(next, -1, q, now));
    if (k > 0) PetscCall(VecAXPBY(next, 1 - w, w, before));
  }
  PetscCall(test_body_solve_from(&m, "given", 8, 0, y, x, &outcome));
  PetscCall(test_distance(x, v[8 % 3], &distance));
  CHECK(distance <= 1e-11, "after 8 iterations %g m from the recurrence", distance);
  for (int i = 0; i < 3; i++) PetscCall(VecDestroy(&v[i]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&q));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations until |grad g| is 1e-8 of its first value, and the outcome for g. */
static PetscErrorCode count_iterations(double h, const char *name, wring_outcome *outcome)
{
  test_body m;
  Vec       y;

  PetscFunctionBegin;
  PetscCall(create("strain", h, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "split", "anderson", "inner=admm"));
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford window=5"));
  PetscCall(test_body_solve(&m, name, 1000, 1e-8, y, outcome));
  CHECK(outcome->reason == WRING_CONVERGED, "%s: %s", name, wring_reason_name(outcome->reason));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if the mixing does not minimise, or if the estimate of rho is wrong. */
static PetscErrorCode test_faster(void)
{
  wring_outcome pd, chebyshev, anderson, admm, split, whole;

  PetscFunctionBegin;
  PetscCall(count_iterations(1, "pd", &pd));
  PetscCall(count_iterations(1, "chebyshev", &chebyshev));
  PetscCall(count_iterations(1, "anderson", &anderson));
  PetscCall(count_iterations(0.1, "admm", &admm));
  PetscCall(count_iterations(0.1, "split", &split));
  PetscCall(count_iterations(0.1, "whole", &whole));
  CHECK(anderson.rises.count == 0, "g rose %d times under anderson", (int)anderson.rises.count);
  CHECK(3 * chebyshev.iterations < 2 * pd.iterations && 2 * anderson.iterations < pd.iterations,
        "pd %d, chebyshev %d, anderson %d", (int)pd.iterations, (int)chebyshev.iterations, (int)anderson.iterations);
  CHECK(2 * split.iterations < admm.iterations && 2 * whole.iterations < admm.iterations, "admm %d, mixed %d and %d",
        (int)admm.iterations, (int)split.iterations, (int)whole.iterations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  From a crumpled start with inverted elements, mixed iterates raise g. Fails if they are accepted, or if the plain
  iterate that replaces them raises g.
*/
static PetscErrorCode test_falls_back(void)
{
  test_body     m;
  Vec           y, x;
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(create("strain", 0.2, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "long", "anderson", "window=20"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(test_body_place(&m, test_twist, 1, x));
  PetscCall(test_body_solve(&m, "long", 60, 0, x, &outcome));
  CHECK(outcome.rises.count == 0, "g rose %d times by %g", (int)outcome.rises.count, outcome.rises.largest);
  CHECK(outcome.last.evaluations > outcome.iterations + 1, "anderson never fell back");
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a monitor and the inner method see of the envelope (5.49) of Douglas-Rachford splitting. */
typedef struct {
  wring_solver           *s;
  const wring_solver_ops *admm;
  PetscInt                made, before; // iterations of admm, also those that are repeated; at the last row
  PetscInt                rises, repeats;
  double                  last;
} envelopes;

static envelopes envelope;

static PetscErrorCode count_iterate(wring_solver *s, Vec x)
{
  PetscFunctionBegin;
  envelope.made++;
  PetscCall(envelope.admm->iterate(s, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rise where the iteration was not repeated; the first two have no mixed iterate. */
static PetscErrorCode read_envelope(void *context, const wring_iteration *it)
{
  double merit, rounding;

  PetscFunctionBegin;
  (void)context;
  if (it->iteration == 0) PetscFunctionReturn(PETSC_SUCCESS);
  envelope.admm->moves->merit(envelope.s->inner, &merit, &rounding);
  if (it->iteration > 2 && merit > envelope.last + rounding && envelope.made == envelope.before + 1) envelope.rises++;
  if (envelope.made > envelope.before + 1) envelope.repeats++;
  envelope.last   = merit;
  envelope.before = envelope.made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves from a crumpled start with the weight a, and sees its envelope. */
static PetscErrorCode solve_seen(test_body *m, const char *a, Vec x, wring_outcome *outcome)
{
  wring_solver_ops counted;

  PetscFunctionBegin;
  envelope = (envelopes){0};
  PetscCall(wring_options_set(m->o, "solver_admm_weight", a, "deck:5"));
  PetscCall(test_body_place(m, test_twist, 0.5, x));
  PetscCall(test_body_solver(m, "whole", &envelope.s));
  envelope.admm          = envelope.s->inner->ops;
  counted                = *envelope.admm;
  counted.iterate        = count_iterate;
  envelope.s->inner->ops = &counted;
  wring_solver_set_monitor(envelope.s, read_envelope, NULL);
  wring_solver_set_limits(envelope.s, 200, 1e-10, 0, 1);
  PetscCall(wring_solver_solve(envelope.s, x, outcome));
  PetscCall(wring_solver_destroy(&envelope.s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The envelope of an accepted mixed iterate is not above the last one: with a weight of 0.7, at which some are repeated,
  and of 1. It ends at g of newton's minimum, where D x = z. Fails if a mixed iterate is kept whatever its envelope, or
  with a wrong sum in the envelope, such as one without g0 or <s - z, D x - z>.
*/
static PetscErrorCode test_envelope(const char *law)
{
  test_body     m;
  Vec           y, x;
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(create(law, 0.2, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford window=20"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(test_body_solve_from(&m, "newton", 100, 1e-10, y, x, &outcome));
  const double least = outcome.last.value.objective;
  PetscCall(solve_seen(&m, "0.7", x, &outcome));
  CHECK(envelope.repeats > 0 && envelope.rises == 0, "%s: %d repeated, the envelope rose in %d others", law,
        (int)envelope.repeats, (int)envelope.rises);
  PetscCall(solve_seen(&m, "1", x, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED && envelope.rises == 0, "%s: %s, the envelope rose %d times", law,
        wring_reason_name(outcome.reason), (int)envelope.rises);
  CHECK(fabs(envelope.last - least) <= 1e-11 * least, "%s: the envelope ends at %.15g, newton's g at %.15g", law,
        envelope.last, least);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The same numbers on any ranks and threads; the constants were computed on one rank. Fails if padded lanes or the order
  of sums enter the state or the envelope.
*/
static PetscErrorCode test_reproducible(void)
{
  const int     threads = omp_get_max_threads();
  test_body     m;
  Vec           y, x[2];
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create("neohookean", 0.2, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford window=5"));
  for (int t = 0; t < 2; t++) {
    omp_set_num_threads(t + 1);
    PetscCall(VecDuplicate(y, &x[t]));
    PetscCall(test_body_solve_from(&m, "whole", 15, 0, y, x[t], &outcome));
  }
  omp_set_num_threads(threads);
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance <= (size == 1 ? 0 : 1e-12), "1 and 2 threads differ by %g m", distance);
  const double expected[] = {41855.9822086034, 139.844707264093};
  const double found[]    = {outcome.last.value.objective, outcome.last.gradient_norm};
  for (int i = 0; i < 2; i++)
    CHECK(fabs(found[i] - expected[i]) <= 1e-9 * expected[i], "number %d is %.15g, not %.15g", i, found[i],
          expected[i]);
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts rises independently of the solver. */
typedef struct {
  PetscInt rises;
  double   last, largest;
} watch;

static PetscErrorCode count_rises(void *context, const wring_iteration *it)
{
  watch       *seen = context;
  const double g = it->value.objective, rise = (g - seen->last) / fabs(seen->last);

  PetscFunctionBegin;
  if (it->iteration > 0 && rise > 2e-12) {
    seen->rises++;
    seen->largest = fmax(seen->largest, rise);
  }
  seen->last = g;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blown up, so that J is 5. */
static void blow_up(const double X[3], double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = 1.7 * X[c];
}

/*
  Where the Hessian is much stiffer than A, plain steps diverge, and the default must not: it ends in newton's minimum.
  Fails if the default takes steps without a search.
*/
static PetscErrorCode test_stiff(void)
{
  static const char *const sides[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  test_body                m;
  Vec                      y, x, reference;
  wring_outcome            outcome;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(test_body_create("stable_neohookean", 0.05, 0, &m));
  for (int i = 0; i < 6; i++) PetscCall(test_body_attach(&m, sides[i], 1e6, blow_up));
  PetscCall(test_body_set_up_with(&m, blow_up, 0.05, &y));
  PetscCall(test_variant(m.o, "published", "chebyshev", "line_search=none"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "newton", 100, 1e-10, y, reference, &outcome));
  PetscCall(test_body_solve_from(&m, "published", 100, 1e-6, y, x, &outcome));
  CHECK(outcome.reason != WRING_CONVERGED, "published steps converge: the test shows nothing");
  PetscCall(test_body_solve_from(&m, "chebyshev", 1000, 1e-8, y, x, &outcome));
  PetscCall(test_distance(x, reference, &distance));
  CHECK(outcome.reason == WRING_CONVERGED && outcome.rises.count == 0 && distance <= 1e-5,
        "chebyshev: %s after %d, %g m from newton", wring_reason_name(outcome.reason), (int)outcome.iterations,
        distance);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The first step of Wang's Jacobi form is -D^{-1} grad g, D the diagonal of A, before and after a change of the time
  step. Fails if D is not renewed, or has another order of components.
*/
static PetscErrorCode test_jacobi(void)
{
  test_body     m;
  Vec           y, x, grad, diagonal, D;
  wring_value   value;
  wring_outcome outcome;
  wring_solver *s;
  double        size, difference;

  PetscFunctionBegin;
  PetscCall(create("corotated", 0.02, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "jacobi", "chebyshev", "precondition=jacobi line_search=none"));
  PetscCall(test_body_solver(&m, "jacobi", &s));
  wring_solver_set_limits(s, 1, 0, 0, 0);
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &grad));
  PetscCall(VecDuplicate(y, &D));
  for (int again = 0; again < 2; again++) {
    Mat A = NULL;
    PetscCall(wring_potential_set_step(m.g, again ? 0.005 : 0.02));
    PetscCall(wring_potential_fused(m.g, y, &value, grad));
    PetscCall(wring_potential_operator_matrix(m.g, 1, &A));
    PetscCall(MatCreateVecs(A, &diagonal, NULL));
    PetscCall(MatGetDiagonal(A, diagonal));
    for (int c = 0; c < 3; c++) PetscCall(VecStrideScatter(diagonal, c, D, INSERT_VALUES));
    PetscCall(VecCopy(y, x));
    PetscCall(wring_solver_solve(s, x, &outcome));
    PetscCall(VecAXPY(x, -1, y));
    PetscCall(VecNorm(x, NORM_2, &size));
    PetscCall(VecPointwiseDivide(grad, grad, D));
    PetscCall(VecAXPY(x, 1, grad));
    PetscCall(VecNorm(x, NORM_2, &difference));
    CHECK(size > 0 && difference <= 1e-12 * size, "solve %d: the step of %g m differs by %g m", again, size,
          difference);
    PetscCall(VecDestroy(&diagonal));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecDestroy(&D));
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Anderson without differences around vbd. Fails if a sweep starts elsewhere than at x_k, or if its step is not x's. */
static PetscErrorCode test_plain_vbd(void)
{
  test_body     m;
  Vec           y, x, reference;
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create("corotated", 0.05, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "plain", "anderson", "inner=vbd window=0"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "vbd", 20, 0, y, reference, &outcome));
  PetscCall(test_body_solve_from(&m, "plain", 20, 0, y, x, &outcome));
  PetscCall(test_distance(x, reference, &distance));
  CHECK(distance <= 1e-12, "the iterates are %g m from those of vbd", distance);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  anderson and chebyshev around methods whose state is x: the minimum is newton's and g never rises, by the solver's
  count of every row; with differences or weights pncg and vbd take at most 3/4 of the iterations of their plain maps,
  and trust_region, which needs few, no more than two more. Their counted evaluations include those of the inner method.
  Fails if pncg keeps the direction of another point, if the inner method begins from another g than that of x_k, or if
  an accelerated iterate that raises g is kept.
*/
static PetscErrorCode test_around(const char *inner)
{
  static const char *const name[] = {"plain", "mixed", "weighted"};
  const PetscBool          trust  = (PetscBool)(strcmp(inner, "trust_region") == 0);
  test_body                m;
  Vec                      y, x, reference;
  wring_outcome            outcome[3];
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create("corotated", 0.05, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "plain", "anderson", "inner=%s window=0", inner));
  PetscCall(test_variant(m.o, "mixed", "anderson", "inner=%s window=5", inner));
  PetscCall(test_variant(m.o, "weighted", "chebyshev", "inner=%s delay=5", inner));
  PetscCall(wring_options_set(m.o, "solver_pncg_precondition", "jacobi", "deck:4"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "newton", 100, 1e-11, y, reference, &outcome[0]));
  for (int i = 0; i < 3; i++) {
    PetscCall(test_body_solve_from(&m, name[i], 2000, 1e-8, y, x, &outcome[i]));
    PetscCall(test_distance(x, reference, &distance));
    CHECK(outcome[i].reason == WRING_CONVERGED && outcome[i].rises.count == 0 && distance <= 1e-6,
          "%s around %s: %s after %d, %d rises, %g m from newton", name[i], inner, wring_reason_name(outcome[i].reason),
          (int)outcome[i].iterations, (int)outcome[i].rises.count, distance);
    CHECK(outcome[i].last.evaluations > outcome[i].iterations, "%d evaluations", (int)outcome[i].last.evaluations);
    CHECK(!trust || outcome[i].last.linear_iterations > outcome[i].iterations, "the solves of %s are not counted",
          inner);
  }
  for (int i = 1; i < 3; i++) {
    CHECK(trust ? outcome[i].iterations <= outcome[0].iterations + 2
                : 4 * outcome[i].iterations <= 3 * outcome[0].iterations,
          "%s: plain %d, %s %d iterations", inner, (int)outcome[0].iterations, name[i], (int)outcome[i].iterations);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Without weights or differences every iteration of either is that of the plain map: n iterations around pncg are n
  solves of one iteration. Fails if pncg does not restart.
*/
static PetscErrorCode test_restarts(void)
{
  static const char *const name[] = {"mixing", "weights"};
  test_body                m;
  Vec                      y, x, reference;
  wring_outcome            outcome;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create("corotated", 0.05, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "mixing", "anderson", "inner=pncg window=0"));
  PetscCall(test_variant(m.o, "weights", "chebyshev", "inner=pncg rho=0"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(VecCopy(y, reference));
  for (int k = 0; k < 8; k++) PetscCall(test_body_solve(&m, "pncg", 1, 0, reference, &outcome));
  for (int i = 0; i < 2; i++) {
    PetscCall(test_body_solve_from(&m, name[i], 8, 0, y, x, &outcome));
    PetscCall(test_distance(x, reference, &distance));
    CHECK(distance <= 1e-12, "%s: %g m from 8 first iterations of pncg", name[i], distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With too large a rho the weighted iterates of chebyshev around another method raise g, and the default takes those of
  the inner method in their place. Fails if it keeps them.
*/
static PetscErrorCode test_bold(const char *inner)
{
  static const char *const name[] = {"published", "safe"};
  test_body                m;
  Vec                      y, x;
  wring_outcome            outcome[2];

  PetscFunctionBegin;
  PetscCall(create("corotated", 0.05, PETSC_TRUE, &m, &y));
  for (int i = 0; i < 2; i++) {
    PetscCall(test_variant(m.o, name[i], "chebyshev", "inner=%s rho=0.9999", inner));
    if (i == 0) PetscCall(wring_options_set(m.o, "variant_published_line_search", "none", "deck:4"));
  }
  PetscCall(VecDuplicate(y, &x));
  for (int i = 0; i < 2; i++) {
    PetscCall(test_body_solve_from(&m, name[i], 60, 0, y, x, &outcome[i]));
  }
  CHECK(outcome[0].rises.count > 0, "around %s nothing rises: the test shows nothing", inner);
  CHECK(outcome[1].rises.count == 0, "around %s g rose %d times, by %g", inner, (int)outcome[1].rises.count,
        outcome[1].rises.largest);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* chebyshev with too large a rho raises g. Fails if the loop miscounts this, or adds the counts of the last solve. */
static PetscErrorCode test_rises(void)
{
  test_body     m;
  Vec           y, x;
  wring_solver *s;
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(create("strain", 0.02, PETSC_TRUE, &m, &y));
  PetscCall(test_variant(m.o, "bold", "chebyshev", "rho=0.9999 line_search=none"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(test_body_solver(&m, "bold", &s));
  wring_solver_set_limits(s, 40, 0, 0, 1);
  for (int again = 0; again < 2; again++) {
    watch seen = {0};
    wring_solver_set_monitor(s, count_rises, &seen);
    PetscCall(VecCopy(y, x));
    PetscCall(wring_solver_solve(s, x, &outcome));
    CHECK(seen.rises > 0 && outcome.rises.count == seen.rises, "%d rises, %d counted", (int)seen.rises,
          (int)outcome.rises.count);
    CHECK(outcome.rises.measured == 40, "%d rows counted", (int)outcome.rises.measured);
    CHECK(fabs(outcome.rises.largest - seen.largest) <= 1e-12 * seen.largest, "%g, not %g", outcome.rises.largest,
          seen.largest);
  }
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A free body: sum m_i x_i equals that of y after every iteration. Fails if a step is not a sum of A^{-1} grad g.
*/
static PetscErrorCode test_momentum(void)
{
  static const char *const names[] = {"chebyshev", "anderson", "split", "whole"};
  test_body                m;
  Vec                      y, x;
  wring_outcome            outcome;
  double                   drift;

  PetscFunctionBegin;
  PetscCall(create("strain", 0.02, PETSC_FALSE, &m, &y));
  PetscCall(test_variant(m.o, "split", "anderson", "inner=admm"));
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford window=5"));
  PetscCall(VecDuplicate(y, &x));
  for (int i = 0; i < 4; i++) {
    for (PetscInt its = 1; its <= 21; its += 10) {
      PetscCall(test_body_solve_from(&m, names[i], its, 0, y, x, &outcome));
      PetscCall(test_drift(&m, x, y, &drift));
      CHECK(drift <= 1e-12, "%s: momentum drifts by %g in %d iterations", names[i], drift, (int)its);
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a value outside its range is accepted, or a law that the method cannot use. */
static PetscErrorCode test_refusals(void)
{
  static const char *const bad[][3] = {
    {"chebyshev", "rho", "1"},           {"chebyshev", "rho", "-0.1"},   {"chebyshev", "delay", "-1"},
    {"chebyshev", "line_search", "sum"}, {"anderson", "window", "-1"},   {"anderson", "window", "21"},
    {"anderson", "inner", "newton"},     {"chebyshev", "inner", "admm"}, {"anderson", "form", "douglas_rachford"},
  };
  test_body     m;
  Vec           y;
  wring_solver *s;
  char          name[32], key[64];

  PetscFunctionBegin;
  PetscCall(create("neohookean", 0.02, PETSC_FALSE, &m, &y));
  PetscCall(wring_solver_create(PETSC_COMM_WORLD, m.g, m.op, NULL, &s));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    snprintf(name, sizeof name, "bad%d", (int)i);
    snprintf(key, sizeof key, "variant_%s_%s", name, bad[i][1]);
    PetscCall(test_variant(m.o, name, bad[i][0], "%s=%s", bad[i][1], bad[i][2]));
    CHECK_REFUSED(wring_solver_set_from_options(s, m.o, name), key, bad[i][2]);
  }
  PetscCall(wring_solver_set_from_options(s, m.o, "anderson"));
  CHECK_REFUSED(wring_solver_set_up(s), "solver 'anderson' cannot use material 'neohookean'", "projection");
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_refusals());
  PetscCall(test_plain());
  PetscCall(test_chebyshev_recurrence());
  PetscCall(test_same_minimiser("strain"));
  PetscCall(test_same_minimiser("corotated"));
  PetscCall(test_faster());
  PetscCall(test_falls_back());
  PetscCall(test_envelope("strain"));
  PetscCall(test_envelope("stable_neohookean"));
  PetscCall(test_reproducible());
  PetscCall(test_stiff());
  PetscCall(test_jacobi());
  PetscCall(test_plain_vbd());
  PetscCall(test_around("vbd"));
  PetscCall(test_around("pncg"));
  PetscCall(test_around("trust_region"));
  PetscCall(test_restarts());
  PetscCall(test_bold("vbd"));
  PetscCall(test_bold("pncg"));
  PetscCall(test_rises());
  PetscCall(test_momentum());
  PetscCall(PetscFinalize());
  return 0;
}
