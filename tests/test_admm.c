/* ranks: 1 2 4 */
/*
  admm on a twisted box: its residuals, momentum, minimisers and options. Fails if z, u, the weights W or the operator
  are inconsistent, if a sum depends on threads or ranks, or if a solve depends on the last one where it should not.
*/
#include "body.h"
#include "refused.h"
#include "solver/common/solver_impl.h"
#include <omp.h>

static const double h = 0.02;

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* A twisted box with springs across it, its ends held or free; y is rough. The variant "heavy" has a = 2. */
static PetscErrorCode create(const char *law, PetscBool held, double noise, test_body *m, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(law, h, 12, m));
  if (held) {
    PetscCall(test_body_attach(m, "xmin", 1e6, test_twist));
    PetscCall(test_body_attach(m, "xmax", 1e6, test_twist));
  }
  PetscCall(test_variant(m->o, "heavy", "admm", "weight=2"));
  PetscCall(test_variant(m->o, "warm", "admm", "weight=2 warm_start=true"));
  PetscCall(test_variant(m->o, "balanced", "admm", "balancing=true weight=8"));
  PetscCall(test_body_set_up_with(m, test_twist, noise, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* A free body: sum m_i x_i equals that of y after every iteration. Fails if the forces of z and u do not cancel. */
static PetscErrorCode test_momentum(void)
{
  static const char *const laws[] = {"strain", "corotated", "neohookean", "stable_neohookean"};
  test_body                m;
  Vec                      y, x;
  wring_outcome            outcome;
  double                   drift;

  PetscFunctionBegin;
  for (int l = 0; l < 4; l++) {
    PetscCall(create(laws[l], PETSC_FALSE, 0.02, &m, &y));
    PetscCall(VecDuplicate(y, &x));
    for (PetscInt its = 1; its <= 5; its++) {
      PetscCall(test_body_solve_from(&m, its % 2 ? "admm" : "heavy", its, 0, y, x, &outcome));
      CHECK(outcome.iterations == its, "%s: %s", laws[l], wring_reason_name(outcome.reason));
      PetscCall(test_drift(&m, x, y, &drift));
      CHECK(drift <= 1e-12, "%s: momentum drifts by %g in %d iterations", laws[l], drift, (int)its);
    }
    PetscCall(VecDestroy(&x));
    PetscCall(test_body_destroy_with(&m, &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Laws with and without a closed form reach newton's minimiser. Fails if a prox does not belong to the energy of the
  gradient.
*/
static PetscErrorCode test_minimisers(void)
{
  static const char *const laws[] = {"strain", "corotated", "neohookean", "stable_neohookean"};
  test_body                m;
  Vec                      y, x, reference;
  wring_outcome            outcome;
  double                   distance;

  PetscFunctionBegin;
  for (int l = 0; l < 4; l++) {
    PetscCall(create(laws[l], PETSC_TRUE, 0.02, &m, &y));
    PetscCall(VecDuplicate(y, &x));
    PetscCall(VecDuplicate(y, &reference));
    PetscCall(test_body_solve_from(&m, "newton", 50, 1e-10, y, reference, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED, "%s: newton ends %s", laws[l], wring_reason_name(outcome.reason));
    PetscCall(test_body_solve_from(&m, "admm", 3000, 1e-9, y, x, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED, "%s: %s", laws[l], wring_reason_name(outcome.reason));
    PetscCall(test_distance(x, reference, &distance));
    CHECK(distance <= 1e-6, "%s: %g m from newton's minimiser", laws[l], distance);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&reference));
    PetscCall(test_body_destroy_with(&m, &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a = 1 and laws that have a projection, admm is pd up to second-order terms [Overby et al. 2017, section 4]. */
static PetscErrorCode test_is_almost_pd(void)
{
  test_body     m;
  Vec           y, x;
  wring_outcome least, pd, admm;

  PetscFunctionBegin;
  PetscCall(create("strain", PETSC_TRUE, 0.02, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(test_body_solve_from(&m, "newton", 50, 1e-10, y, x, &least));
  const double g = least.last.value.objective;
  for (PetscInt its = 1; its <= 10; its++) {
    PetscCall(test_body_solve_from(&m, "pd", its, 0, y, x, &pd));
    PetscCall(test_body_solve_from(&m, "admm", its, 0, y, x, &admm));
    const double start   = pd.first.value.objective - g;
    const double error[] = {(pd.last.value.objective - g) / start, (admm.last.value.objective - g) / start};
    CHECK(fabs(error[0] - error[1]) <= 0.03, "%g of pd, %g of admm after %d iterations", error[0], error[1], (int)its);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same numbers on any ranks and threads; the constants were computed on one rank. */
static PetscErrorCode test_reproducible(void)
{
  const int     threads = omp_get_max_threads();
  test_body     m;
  Vec           y, x[2];
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create("neohookean", PETSC_TRUE, 0.02, &m, &y));
  for (int t = 0; t < 2; t++) PetscCall(VecDuplicate(y, &x[t]));
  for (int t = 0; t < 2; t++) {
    omp_set_num_threads(t + 1);
    PetscCall(test_body_solve_from(&m, "heavy", 10, 0, y, x[t], &outcome));
  }
  omp_set_num_threads(threads);
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance <= (size == 1 ? 0 : 1e-12), "1 and 2 threads differ by %g m", distance);
  const double expected[] = {37389.7384629515, 2.00833189864011, 9.89168845884491};
  const double found[]    = {outcome.last.value.objective, outcome.last.primal, outcome.last.dual};
  for (int i = 0; i < 3; i++)
    CHECK(fabs(found[i] - expected[i]) <= 1e-10 * expected[i], "number %d is %.15g, not %.15g", i, found[i],
          expected[i]);
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt rows;
  double   primal, dual; // of the last row
} residuals;

static PetscErrorCode see_residuals(void *context, const wring_iteration *it)
{
  residuals *seen = context;

  PetscFunctionBegin;
  CHECK(isnan(it->primal) == (it->iteration == 0), "primal residual %g", it->primal);
  CHECK(isnan(it->dual) == (it->iteration == 0), "dual residual %g", it->dual);
  seen->rows++;
  seen->primal = it->primal;
  seen->dual   = it->dual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Both residuals converge to 0 with the gradient. The first primal residual is the displacement by the prox, because
  u = 0. Other methods have no residuals.
*/
static PetscErrorCode test_residuals(void)
{
  test_body     m;
  Vec           y, x;
  wring_outcome outcome;
  wring_solver *s;
  residuals     seen = {0};

  PetscFunctionBegin;
  PetscCall(create("corotated", PETSC_TRUE, 0.02, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(test_body_solver(&m, "admm", &s));
  CHECK(wring_solver_has_residuals(s), "admm has no residuals");
  wring_solver_set_monitor(s, see_residuals, &seen);
  wring_solver_set_limits(s, 1, 0, 0, 1);
  PetscCall(VecCopy(y, x));
  PetscCall(wring_solver_solve(s, x, &outcome));
  const residuals first = seen;
  CHECK(fabs(first.primal - first.dual) <= 1e-12 * first.primal, "%g and %g", first.primal, first.dual);
  wring_solver_set_limits(s, 1000, 1e-8, 0, 1);
  PetscCall(VecCopy(y, x));
  PetscCall(wring_solver_solve(s, x, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED && seen.rows == outcome.iterations + 3, "%d rows", (int)seen.rows);
  CHECK(seen.primal < 1e-6 * first.primal && seen.dual < 1e-6 * first.dual, "%g, %g at the end", seen.primal,
        seen.dual);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_solve_from(&m, "qn", 2, 0, y, x, &outcome));
  CHECK(isnan(outcome.last.primal) && isnan(outcome.last.dual), "qn has residuals");
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |grad g| after a solve to 1e-8, and after one more iteration of the same solver from its result. */
static PetscErrorCode solve_on(test_body *m, const char *name, Vec y, Vec x, double norm[2])
{
  wring_solver *s;
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(test_body_solver(m, name, &s));
  PetscCall(VecCopy(y, x));
  for (int i = 0; i < 2; i++) {
    wring_solver_set_limits(s, i ? 1 : 1000, i ? 0 : 1e-8, 0, 1);
    PetscCall(wring_solver_solve(s, x, &outcome));
    norm[i] = outcome.last.gradient_norm;
  }
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The duals of the minimiser keep x there; u = 0 moves it away. Fails if u is lost, or kept without warm_start.
*/
static PetscErrorCode test_warm_start(void)
{
  test_body m;
  Vec       y, x;
  double    norm[2];

  PetscFunctionBegin;
  PetscCall(create("strain", PETSC_TRUE, 0.02, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(solve_on(&m, "warm", y, x, norm));
  CHECK(norm[1] <= 2 * norm[0], "with u kept |grad g| goes from %g to %g", norm[0], norm[1]);
  PetscCall(solve_on(&m, "heavy", y, x, norm));
  CHECK(norm[1] >= 1e4 * norm[0], "with u = 0 |grad g| goes from %g to %g", norm[0], norm[1]);
  PetscCall(wring_options_set(m.o, "solver_admm_warm_start", "true", "test"));
  PetscCall(wring_options_set(m.o, "solver_admm_weight", "2", "test")); // with 1 and strain 2 prox(s) - s is a rotation
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford"));
  PetscCall(solve_on(&m, "whole", y, x, norm));
  CHECK(norm[1] <= 2 * norm[0], "as Douglas-Rachford splitting |grad g| goes from %g to %g", norm[0], norm[1]);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends the solve as a failure after the next iteration. */
static PetscErrorCode fail(void *context, const wring_iteration *it)
{
  PetscFunctionBegin;
  if (it->iteration == 2) wring_solver_end(context, WRING_STOPPED_NOT_FINITE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve after one that has failed is that of a new solver. Fails if it starts from the u of the failure. */
static PetscErrorCode test_after_failure(void)
{
  static const char *const names[] = {"warm", "whole"};
  test_body                m;
  wring_solver            *s;
  wring_outcome            outcome;
  Vec                      y, x[2];
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create("strain", PETSC_TRUE, 0.02, &m, &y));
  for (int i = 0; i < 2; i++) PetscCall(VecDuplicate(y, &x[i]));
  PetscCall(wring_options_set(m.o, "solver_admm_warm_start", "true", "test"));
  PetscCall(wring_options_set(m.o, "solver_admm_weight", "2", "test"));
  PetscCall(test_variant(m.o, "whole", "anderson", "inner=admm form=douglas_rachford"));
  for (int i = 0; i < 2; i++) {
    PetscCall(test_body_solve_from(&m, names[i], 5, 0, y, x[0], &outcome));
    PetscCall(test_body_solver(&m, names[i], &s));
    wring_solver_set_limits(s, 5, 0, 0, 1);
    wring_solver_set_monitor(s, fail, s);
    PetscCall(VecCopy(y, x[1]));
    PetscCall(wring_solver_solve(s, x[1], &outcome));
    CHECK(outcome.reason == WRING_STOPPED_NOT_FINITE, "%s: %s", names[i], wring_reason_name(outcome.reason));
    wring_solver_set_monitor(s, NULL, NULL);
    PetscCall(VecCopy(y, x[1]));
    PetscCall(wring_solver_solve(s, x[1], &outcome));
    PetscCall(test_distance(x[0], x[1], &distance));
    CHECK(distance <= 1e-12, "%s: after a failure x differs by %g m", names[i], distance);
    PetscCall(wring_solver_destroy(&s));
  }
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  a^2 = 64 is far too large: z hardly moves, so that each solve halves a^2 until the residuals are of similar size. The
  minimiser does not change. Fails if a changes within a solve, or in the wrong direction.
*/
static PetscErrorCode test_balancing(void)
{
  test_body     m;
  Vec           y, x, reference;
  wring_solver *s;
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create("strain", PETSC_TRUE, 0.02, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "newton", 50, 1e-10, y, reference, &outcome));
  PetscCall(test_body_solver(&m, "balanced", &s));
  wring_solver_set_limits(s, 40, 0, 0, 0);
  for (int i = 0; i < 6; i++) {
    const double factor = wring_solver_operator_factor(s);
    CHECK(fabs(factor - PetscMax(64 / pow(2, i), 8)) <= 1e-12 * factor, "solve %d has the factor %g", i, factor);
    PetscCall(wring_potential_operator_matrix(m.g, factor, &m.A));
    PetscCall(wring_operator_set_matrix(m.op, m.A));
    if (i == 5) wring_solver_set_limits(s, 3000, 1e-9, 0, 1);
    PetscCall(VecCopy(y, x));
    PetscCall(wring_solver_solve(s, x, &outcome));
  }
  PetscCall(test_distance(x, reference, &distance));
  CHECK(distance <= 1e-6, "%g m from newton's minimiser", distance);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a law without a prox is accepted. */
static PetscErrorCode test_refusal(void)
{
  static wring_law law;
  test_body        m;
  wring_term      *term;
  wring_solver    *s;
  const double     par[2] = {1, 1};

  PetscFunctionBegin;
  law      = wring_law_strain;
  law.name = "putty";
  law.prox = NULL;
  PetscCall(test_body_create("strain", h, 0, &m));
  PetscCall(wring_term_create_tets(m.mesh, 0, &law, par, 0, NULL, &term));
  PetscCall(wring_potential_add_term(m.g, term));
  PetscCall(test_body_set_up(&m));
  PetscCall(wring_solver_create(PETSC_COMM_WORLD, m.g, m.op, NULL, &s));
  PetscCall(wring_solver_set_from_options(s, m.o, "admm"));
  CHECK_REFUSED(wring_solver_set_up(s), "solver 'admm' cannot use material 'putty': it has no prox, ",
                "expected material strain, ");
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  test_twist_rate = PETSC_PI / 4.5;
  PetscCall(test_refusal());
  PetscCall(test_momentum());
  PetscCall(test_minimisers());
  PetscCall(test_is_almost_pd());
  PetscCall(test_residuals());
  PetscCall(test_warm_start());
  PetscCall(test_after_failure());
  PetscCall(test_balancing());
  PetscCall(test_reproducible());
  PetscCall(PetscFinalize());
  return 0;
}
