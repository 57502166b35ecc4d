/* ranks: 1 2 4 */
/*
  qn, pd and newton on a twisted box: checks the properties of their iterations (docs/theory.md 5). Requirements on
  every type are tested in test_solver_types.c.
*/
#include "body.h"
#include "refused.h"
#include <omp.h>

static const double h = 0.02;

static const char *const types[] = {"qn", "pd", "newton"};

enum { N_TYPES = sizeof types / sizeof types[0] };

/* ---- places ------------------------------------------------------------------------------------------------------ */

static void stretch(const double X[3], double x[3])
{
  x[0] = 1.3 * X[0], x[1] = 1.2 * X[1], x[2] = 1.25 * X[2];
}

/* Inside out along x. */
static void mirror(const double X[3], double x[3])
{
  x[0] = -0.5 * X[0], x[1] = X[1], x[2] = X[2];
}

/* The twisted box with springs across it, its ends held; y and x_0 are rough. */
static PetscErrorCode create_twisted(const char *law, test_body *m, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(law, h, 12, m));
  PetscCall(test_body_attach(m, "xmin", 1e6, test_twist));
  PetscCall(test_body_attach(m, "xmax", 1e6, test_twist));
  PetscCall(test_body_set_up_with(m, test_twist, 0.05, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Fails if the residual of pd is not -grad g, or the step is not the solution of A d = r. */
static PetscErrorCode test_pd_step(void)
{
  test_body     m;
  Vec           y, x, grad, d;
  wring_outcome outcome;
  double        distance;
  PetscReal     length;

  PetscFunctionBegin;
  PetscCall(create_twisted("strain", &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &grad));
  PetscCall(VecDuplicate(y, &d));
  PetscCall(VecCopy(y, x));
  PetscCall(wring_potential_gradient(m.g, y, grad));
  PetscCall(VecZeroEntries(d));
  PetscCall(wring_operator_solve(m.op, 0, grad, d, NULL));
  PetscCall(VecNorm(d, NORM_INFINITY, &length));
  PetscCall(VecAYPX(d, -1, y));
  PetscCall(test_body_solve(&m, "pd", 1, 0, x, &outcome));
  PetscCall(test_distance(x, d, &distance));
  CHECK(distance <= 1e-10 * length, "pd is %g m from x - A^{-1} grad g, a step of %g m", distance, length);
  CHECK(outcome.reason == WRING_MAX_IT && outcome.iterations == 1, "%s", wring_reason_name(outcome.reason));
  CHECK(outcome.last.evaluations == 0, "pd evaluated g %d times", (int)outcome.last.evaluations);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&d));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of a history file. */
typedef struct {
  const char *solver;
  PetscInt    rows;
  double      last, norm[64], shortest;
} history;

static PetscErrorCode check_descent(void *context, const wring_iteration *it)
{
  history     *seen = context;
  const double g    = it->value.objective;

  PetscFunctionBegin;
  CHECK(it->iteration == seen->rows, "%s: row %d is iteration %d", seen->solver, (int)seen->rows, (int)it->iteration);
  CHECK(isfinite(g), "%s: g is %g", seen->solver, g);
  CHECK(fabs(g - it->value.inertial - it->value.elastic) <= 1e-14 * fabs(g), "%s: g is not its parts", seen->solver);
  CHECK(it->iteration == 0 || g <= seen->last + 1e-12 * fabs(seen->last), "%s: g rises by %g of %g in iteration %d",
        seen->solver, g - seen->last, g, (int)it->iteration);
  CHECK((it->step_length == 0) == (it->iteration == 0), "%s: step length %g", seen->solver, it->step_length);
  if (seen->rows < 64) seen->norm[seen->rows] = it->gradient_norm;
  if (it->iteration > 0) seen->shortest = fmin(seen->shortest, it->step_length);
  seen->last = g;
  seen->rows++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_watched(test_body *m, const char *name, PetscInt max_it, double rtol, Vec x, history *seen,
                                    wring_outcome *outcome)
{
  PetscFunctionBegin;
  *seen = (history){.solver = name, .shortest = 1};
  PetscCall(test_body_solve_seen(m, name, max_it, rtol, check_descent, seen, x, outcome));
  CHECK(seen->rows == outcome->iterations + 1, "%s: %d rows of %d iterations", name, (int)seen->rows,
        (int)outcome->iterations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if g rises in an iteration, or if a method ends away from the minimiser of the others. */
static PetscErrorCode test_same_minimiser(void)
{
  test_body     m;
  Vec           y, x, reference;
  wring_outcome outcome;
  history       seen;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create_twisted("strain", &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(VecCopy(y, reference));
  PetscCall(solve_watched(&m, "newton", 50, 1e-10, reference, &seen, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED, "newton: %s", wring_reason_name(outcome.reason));
  for (int i = 0; i < N_TYPES; i++) {
    PetscCall(VecCopy(y, x));
    PetscCall(solve_watched(&m, types[i], 3000, 1e-10, x, &seen, &outcome));
    CHECK(!wring_reason_failed(outcome.reason), "%s: %s", types[i], wring_reason_name(outcome.reason));
    PetscCall(test_distance(x, reference, &distance));
    CHECK(distance <= 1e-7, "%s ends %g m from newton's minimiser", types[i], distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a line search accepts a step to infinite energy, or stops there. */
static PetscErrorCode test_steps_back(void)
{
  test_body     m;
  Vec           y, x;
  wring_outcome outcome;
  history       seen;
  wring_value   value;

  PetscFunctionBegin;
  PetscCall(test_body_create("neohookean", h / 20, 0, &m)); // large inertia: full steps lead to y, inside out
  PetscCall(test_body_set_up_with(&m, mirror, 0, &y));
  PetscCall(VecDuplicate(m.x, &x));
  PetscCall(wring_potential_value(m.g, y, &value));
  CHECK(isinf(value.objective), "g inside out is %g", value.objective);
  for (int i = 0; i < 2; i++) {
    const char *const type = i ? "newton" : "qn";
    PetscCall(VecCopy(m.x, x));
    PetscCall(solve_watched(&m, type, 30, 1e-6, x, &seen, &outcome));
    CHECK(!wring_reason_failed(outcome.reason), "%s: %s", type, wring_reason_name(outcome.reason));
    CHECK(seen.shortest < 1, "%s never stepped back", type);
  }
  PetscCall(test_body_solve_from(&m, "qn", 5, 1e-6, y, x, &outcome));
  CHECK(outcome.reason == WRING_STOPPED_NOT_FINITE && outcome.iterations == 0, "from an infinite g: %s",
        wring_reason_name(outcome.reason));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  If no element's Hessian is projected, |grad g| must converge quadratically; fails if H is not the derivative of the
  gradient.
*/
static PetscErrorCode test_newton_is_quadratic(void)
{
  static const char *const side[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  static const char *const laws[] = {"strain", "corotated", "neohookean"};
  wring_outcome            outcome;
  history                  seen;
  Vec                      y;

  PetscFunctionBegin;
  for (int l = 0; l < 3; l++) {
    test_body m;
    PetscCall(test_body_create(laws[l], h, 0, &m));
    for (int i = 0; i < 6; i++) PetscCall(test_body_attach(&m, side[i], 1e5, stretch));
    PetscCall(test_body_set_up_with(&m, stretch, 0.02, &y));
    PetscCall(solve_watched(&m, "newton", 20, 1e-10, y, &seen, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED, "%s: %s", laws[l], wring_reason_name(outcome.reason));
    CHECK(outcome.iterations <= 8, "newton took %d iterations with %s", (int)outcome.iterations, laws[l]);
    const PetscInt k      = outcome.iterations;
    const double   before = seen.norm[k - 1] / seen.norm[0], after = seen.norm[k] / seen.norm[0];
    CHECK(after <= 10 * before * before || after < 1e-13, "%s: %g after %g", laws[l], after, before);
    PetscCall(test_body_destroy_with(&m, &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if the order of a sum or a scatter depends on the number of threads. On several ranks MUMPS adds in the order in
  which messages arrive, so that two runs on one thread differ as much.
*/
static PetscErrorCode test_threads(void)
{
  const int     threads = omp_get_max_threads();
  test_body     m;
  Vec           y, x[2];
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create_twisted("strain", &m, &y));
  for (int t = 0; t < 2; t++) PetscCall(VecDuplicate(y, &x[t]));
  for (int i = 0; i < N_TYPES; i++) {
    for (int t = 0; t < 2; t++) {
      omp_set_num_threads(t + 1);
      PetscCall(test_body_solve_from(&m, types[i], 5, 0, y, x[t], &outcome));
    }
    PetscCall(test_distance(x[0], x[1], &distance));
    CHECK(distance <= (size == 1 ? 0 : 1e-12), "%s: 1 and 2 threads differ by %g m", types[i], distance);
  }
  omp_set_num_threads(threads);
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every variant of qn and newton must reach the minimiser. Fails if a key is not read, or if a history of some length is
  wrong.
*/
static PetscErrorCode test_variants(void)
{
  static const char *const variants[][3] = {
    {"plain", "qn", "history=0"},       {"short", "qn", "history=1"},
    {"long", "qn", "history=30"},       {"scaled", "qn", "initial_hessian=identity"},
    {"bold", "qn", "line_search=none"}, {"krylov", "newton", "linear=cg"},
  };
  test_body     m;
  Vec           y, x, reference;
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create_twisted("strain", &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "newton", 50, 1e-10, y, reference, &outcome));
  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
    const char *const *const v = variants[i];
    PetscCall(test_variant(m.o, v[0], v[1], "%s", v[2]));
    PetscCall(test_body_solve_from(&m, v[0], 3000, 1e-8, y, x, &outcome));
    PetscCall(test_distance(x, reference, &distance));
    CHECK(outcome.reason == WRING_CONVERGED || outcome.reason == WRING_AT_ROUND_OFF, "%s: %s", v[0],
          wring_reason_name(outcome.reason));
    CHECK(distance <= 1e-5, "%s ends %g m from the minimiser", v[0], distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  solver.measure changes what is measured, not the iterates of pd; with rtol 0 pd never converges, with atol it stops.
  Fails if a measurement changes the iterates: on one rank no bit may differ. On several ranks MUMPS does not repeat its
  last bits.
*/
static PetscErrorCode test_measuring(void)
{
  test_body     m;
  Vec           y, x[2];
  wring_outcome outcome[2];
  wring_solver *s;
  double        distance;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create_twisted("strain", &m, &y));
  PetscCall(test_body_solver(&m, "pd", &s));
  for (int t = 0; t < 2; t++) {
    PetscCall(VecDuplicate(y, &x[t]));
    PetscCall(VecCopy(y, x[t]));
    wring_solver_set_limits(s, 7, 0, 0, t ? 0 : 1);
    PetscCall(wring_solver_solve(s, x[t], &outcome[t]));
    CHECK(outcome[t].reason == WRING_MAX_IT && outcome[t].last.iteration == 7, "%s",
          wring_reason_name(outcome[t].reason));
  }
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance <= (size == 1 ? 0 : 1e-12), "measuring moved pd by %g m", distance);
  const double g[2] = {outcome[0].last.value.objective, outcome[1].last.value.objective};
  CHECK(fabs(g[0] - g[1]) <= (size == 1 ? 0 : 1e-12) * fabs(g[0]), "measuring changed g from %.17g to %.17g", g[0],
        g[1]);
  CHECK(outcome[0].rises.measured == 7 && outcome[1].rises.measured == 1, "%d and %d rows",
        (int)outcome[0].rises.measured, (int)outcome[1].rises.measured);
  wring_solver_set_limits(s, 100, 0, 0.5 * outcome[0].first.gradient_norm, 1);
  PetscCall(VecCopy(y, x[0]));
  PetscCall(wring_solver_solve(s, x[0], &outcome[0]));
  CHECK(outcome[0].reason == WRING_CONVERGED && outcome[0].iterations > 0, "%s", wring_reason_name(outcome[0].reason));
  PetscCall(wring_solver_destroy(&s));
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a law without a projection is accepted, or if the message for an unknown method does not name it. */
static PetscErrorCode test_refusals(void)
{
  test_body     m;
  wring_solver *s;
  char          expected[512];

  PetscFunctionBegin;
  PetscCall(test_body_create("neohookean", h, 0, &m));
  PetscCall(test_body_set_up(&m));
  PetscCall(wring_solver_create(PETSC_COMM_WORLD, m.g, m.op, NULL, &s));
  PetscCall(wring_solver_set_from_options(s, m.o, "pd"));
  CHECK_REFUSED(wring_solver_set_up(s), "solver 'pd' cannot use material 'neohookean'", "it has no projection");
  snprintf(expected, sizeof expected, "solver 'qm' is neither a variant with a type nor one of %s, did you mean qn?",
           wring_option_find(wring_solver_options, "type")->choices);
  CHECK_REFUSED(wring_solver_set_from_options(s, m.o, "qm"), "deck: ", expected);
  PetscCall(wring_options_set(m.o, "variant_pd_type", "qn", "deck:3"));
  CHECK_REFUSED(wring_solver_set_from_options(s, m.o, "pd"), "deck:3: 'pd' is already", "expected another name");
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_refusals());
  PetscCall(test_pd_step());
  PetscCall(test_same_minimiser());
  PetscCall(test_steps_back());
  PetscCall(test_newton_is_quadratic());
  PetscCall(test_threads());
  PetscCall(test_variants());
  PetscCall(test_measuring());
  PetscCall(PetscFinalize());
  return 0;
}
