/* ranks: 1 2 4 */
/*
  The pairs that qn keeps from step to step, and the operator that it computes from the deformed body. docs/theory.md
  (5.13), (5.14)
*/
#include "body.h"
#include "refused.h"
#include "shapes.h"

static const double h = 0.02;

enum { STEPS = 16 };

static void shear(const double X[3], double x[3])
{
  x[0] = 1.7 * X[0], x[1] = X[1] + 0.4 * X[0], x[2] = 0.8 * X[2];
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* One of three components has random values, the others are 0; the same on any partition. */
static PetscErrorCode fill_component(const test_body *m, int c, Vec v)
{
  double *a;

  PetscFunctionBegin;
  test_displace(m->mesh, 1, 11, v);
  PetscCall(VecAXPY(v, -1, m->x));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
    const double value = a[3 * i];
    for (int d = 0; d < 3; d++) a[3 * i + d] = d == c ? value : 0;
  }
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* part += the component c of v, one value per vertex. */
static PetscErrorCode add_component(Vec v, int c, Vec part)
{
  Vec one;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(part, &one));
  PetscCall(VecStrideGather(v, c, one, INSERT_VALUES));
  PetscCall(VecAXPY(part, 1, one));
  PetscCall(VecDestroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean of the three diagonal blocks of H, with elasticity doubled: (H_xx + H_yy + H_zz) 2/3 v - M/h^2 v. */
static PetscErrorCode apply_blocks(const test_body *m, Mat H, Vec v, Vec part)
{
  const double *const mass = wring_potential_mass(m->g);
  Vec                 Hv;
  const double       *va;
  double             *a;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(v, &Hv));
  PetscCall(VecZeroEntries(part));
  for (int c = 0; c < 3; c++) {
    PetscCall(fill_component(m, c, v));
    PetscCall(MatMult(H, v, Hv));
    PetscCall(add_component(Hv, c, part));
  }
  PetscCall(VecScale(part, 2.0 / 3));
  PetscCall(VecGetArrayRead(v, &va));
  PetscCall(VecGetArray(part, &a));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) a[i] -= mass[i] / (h * h) * va[3 * i + 2];
  PetscCall(VecRestoreArray(part, &a));
  PetscCall(VecRestoreArrayRead(v, &va));
  PetscCall(VecDestroy(&Hv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if A(x) is not (5.13): a wrong entry of B, another factor, M/h^2 counted twice; or if it is that at rest. */
static PetscErrorCode test_mean_matrix(const char *law)
{
  test_body m;
  Mat       H = NULL;
  Vec       v, expected, got, one;
  PetscReal norm, distance;

  PetscFunctionBegin;
  PetscCall(test_body_create(law, h, 3, &m));
  PetscCall(test_body_attach(&m, "xmin", 1e5, test_stay));
  PetscCall(test_body_set_up(&m));
  PetscCall(VecDuplicate(m.x, &v));
  PetscCall(test_body_place(&m, shear, 0.05, v));
  PetscCall(wring_potential_hessian(m.g, v, WRING_FILTER_CLAMP, &H));
  PetscCall(wring_potential_mean_matrices(m.g, v, PETSC_FALSE, 2, m.of));
  PetscCall(MatCreateVecs(m.A, &one, &got));
  PetscCall(VecDuplicate(got, &expected));
  PetscCall(apply_blocks(&m, H, v, expected));
  PetscCall(VecStrideGather(v, 2, one, INSERT_VALUES));
  PetscCall(MatMult(m.A, one, got));
  PetscCall(VecNorm(got, NORM_2, &norm));
  PetscCall(VecAXPY(got, -1, expected));
  PetscCall(VecNorm(got, NORM_2, &distance));
  CHECK(distance <= 1e-12 * norm, "%s: %g of %g apart", law, distance, norm);
  PetscCall(wring_potential_operator_matrix(m.g, 1, &m.A));
  PetscCall(MatMult(m.A, one, got));
  PetscCall(VecAXPY(got, -1, expected));
  PetscCall(VecNorm(got, NORM_2, &distance));
  CHECK(distance > 1e-2 * norm, "%s: A at rest is %g of %g apart", law, distance, norm);
  PetscCall(MatDestroy(&H));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&got));
  PetscCall(VecDestroy(&expected));
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if elements that are almost flat, whose energy has no bound, leave nothing of the rest of A in its numbers. */
static PetscErrorCode test_flat(void)
{
  test_body m;
  Vec       v, rest, flat;
  PetscReal largest, stiffest;

  PetscFunctionBegin;
  PetscCall(test_body_create("neohookean", h, 3, &m));
  PetscCall(test_body_set_up(&m));
  PetscCall(VecDuplicate(m.x, &v));
  PetscCall(VecCopy(m.x, v));
  PetscCall(VecStrideScale(v, 0, 1e-7));
  PetscCall(MatCreateVecs(m.A, &rest, &flat));
  PetscCall(MatGetDiagonal(m.A, rest));
  PetscCall(VecMax(rest, NULL, &largest));
  PetscCall(wring_potential_mean_matrices(m.g, v, PETSC_FALSE, 1, m.of));
  PetscCall(MatGetDiagonal(m.A, flat));
  PetscCall(VecMax(flat, NULL, &stiffest));
  CHECK(stiffest > 1e5 * largest && stiffest < 1e7 * largest, "A at rest has %g, flat %g", largest, stiffest);
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&rest));
  PetscCall(VecDestroy(&flat));
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt   iterations, evaluations;
  PetscInt64 set_ups;
  Vec        x;
} march;

/* A box whose end is pulled to four times its length in STEPS solves, each from the result of the last one. */
static PetscErrorCode create_torn(const char *keep, const char *refresh, test_body *m)
{
  const wring_motion pull = {.until = INFINITY, .release = INFINITY, .velocity = {6.0 / STEPS / h, 0, 0}};

  PetscFunctionBegin;
  PetscCall(test_body_create("fixed_corotated", h, 0, m));
  PetscCall(test_body_hold(m, "xmin", test_stay, &test_still));
  PetscCall(test_body_hold(m, "xmax", test_stay, &pull));
  PetscCall(test_body_set_up(m));
  PetscCall(test_set(m->o, "solver_qn_", "keep=%s refresh=%s history=10", keep, refresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if g rises in a solve, or if a solve does not reach its tolerance. */
static PetscErrorCode run_march(const char *keep, const char *refresh, march *a)
{
  test_body           m;
  wring_solver       *s;
  wring_operator_info info;
  wring_outcome       outcome;
  PetscBool           changed;

  PetscFunctionBegin;
  *a = (march){0};
  PetscCall(create_torn(keep, refresh, &m));
  PetscCall(test_body_solver(&m, "qn", &s));
  wring_solver_set_limits(s, 2000, 1e-4, 0, 1);
  for (int k = 1; k <= STEPS; k++) {
    PetscCall(wring_potential_set_target(m.g, m.x));
    PetscCall(wring_potential_set_time(m.g, k * h, k * h, &changed));
    PetscCall(wring_solver_solve(s, m.x, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED, "keep %s, refresh %s, step %d: %s, %g of %g N", keep, refresh, k,
          wring_reason_name(outcome.reason), outcome.last.gradient_norm, outcome.first.gradient_norm);
    CHECK(outcome.rises.count == 0, "step %d: g rose by %g of itself", k, outcome.rises.largest);
    a->iterations += outcome.iterations;
    a->evaluations += outcome.last.evaluations;
  }
  wring_operator_get_info(m.op, &info);
  a->set_ups = info.set_ups;
  PetscCall(wring_solver_destroy(&s));
  a->x = m.x;
  m.x  = NULL;
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if kept pairs or a new operator lead to another minimum, if either does not save evaluations, or if no new
  operator is computed.
*/
static PetscErrorCode test_march(void)
{
  static const char *const how[][2] = {{"false", "0"}, {"true", "0"}, {"true", "20"}};
  march                    a[3];
  double                   distance;

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) PetscCall(run_march(how[i][0], how[i][1], &a[i]));
  for (int i = 1; i < 3; i++) {
    PetscCall(test_distance(a[0].x, a[i].x, &distance));
    CHECK(distance <= 1e-4, "keep %s, refresh %s: %g m from the plain solves", how[i][0], how[i][1], distance);
  }
  const PetscInt n[] = {a[0].evaluations, a[1].evaluations, a[2].evaluations};
  CHECK(n[1] < n[0] && n[2] < n[1], "evaluations %d, kept %d, renewed %d", (int)n[0], (int)n[1], (int)n[2]);
  CHECK(a[0].set_ups == 1 && a[1].set_ups == 1 && a[2].set_ups > 1, "operators %d, %d, %d", (int)a[0].set_ups,
        (int)a[1].set_ups, (int)a[2].set_ups);
  for (int i = 0; i < 3; i++) PetscCall(VecDestroy(&a[i].x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x after a solve by a solver that has solved before with another h, or by a new one. */
static PetscErrorCode solve_after(PetscBool before, test_body *m, Vec y, Vec x)
{
  wring_solver *s;
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(test_body_solver(m, "qn", &s));
  wring_solver_set_limits(s, 6, 0, 0, 1);
  PetscCall(wring_potential_set_step(m->g, 2 * h));
  if (before) {
    PetscCall(VecCopy(y, x));
    PetscCall(wring_solver_solve(s, x, &outcome));
  }
  PetscCall(wring_potential_set_step(m->g, h));
  PetscCall(VecCopy(y, x));
  PetscCall(wring_solver_solve(s, x, &outcome));
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if pairs of another g, with another h, are kept. */
static PetscErrorCode test_change(void)
{
  test_body m;
  Vec       y, x[2];
  double    distance;

  PetscFunctionBegin;
  PetscCall(create_torn("true", "0", &m));
  PetscCall(VecDuplicate(m.x, &y));
  PetscCall(test_body_place(&m, shear, 0.02, y));
  PetscCall(wring_potential_set_target(m.g, y));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDuplicate(y, &x[i]));
    PetscCall(solve_after((PetscBool)i, &m, y, x[i]));
  }
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance <= 1e-12, "%g m apart after a solve with another h", distance);
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(VecDestroy(&y));
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/*
  Fails if the evaluations after changes of contacts count as rejected steps: the planes of a body on a ball change in
  every iteration, and few steps are rejected.
*/
static PetscErrorCode test_contacts(void)
{
  enum { PATIENCE = 20, ITERATIONS = 25 };
  test_body           m;
  wring_collider      ball;
  wring_contact      *contact;
  wring_solver       *s;
  wring_outcome       outcome;
  wring_operator_info info;

  PetscFunctionBegin;
  PetscCall(test_body_create("fixed_corotated", h, 0, &m));
  PetscCall(test_collider(wring_shape_find("sphere"), 1, &ball));
  ball.centre[0] = 0.9, ball.centre[1] = 0.4, ball.centre[2] = 0.05 - ball.size[0];
  PetscCall(wring_colliders_create(m.mesh, 1, &ball, &contact));
  PetscCall(wring_potential_add_contact(m.g, contact));
  PetscCall(test_body_set_up(&m));
  PetscCall(wring_potential_set_target(m.g, m.x));
  PetscCall(wring_potential_set_start(m.g, m.x));
  PetscCall(test_set(m.o, "solver_qn_", "refresh=20"));
  PetscCall(test_body_solver(&m, "qn", &s));
  wring_solver_set_limits(s, ITERATIONS, 0, 0, 1);
  PetscCall(wring_solver_solve(s, m.x, &outcome));
  wring_operator_get_info(m.op, &info);
  const int more = (int)(outcome.last.evaluations - outcome.iterations);
  CHECK(more > PATIENCE && more < ITERATIONS + PATIENCE / 2, "%d evaluations more than iterations: nothing is shown",
        more);
  CHECK(info.set_ups == 1, "%d operators in %d iterations", (int)info.set_ups, (int)outcome.iterations);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* Fails if refresh is accepted where qn does not start from the operator. */
static PetscErrorCode test_refusals(void)
{
  static const char *const bad[] = {"initial_hessian=identity", "inner=cg"};
  test_body                m;
  wring_solver            *s;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(create_torn("false", "20", &m));
    PetscCall(test_set(m.o, "solver_qn_", "%s", bad[i]));
    PetscCall(wring_solver_create(m.mesh->comm, m.g, m.op, NULL, &s));
    CHECK_REFUSED(wring_solver_set_from_options(s, m.o, "qn"), "refresh is for initial_hessian operator", "");
    PetscCall(wring_solver_destroy(&s));
    PetscCall(test_body_destroy(&m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_mean_matrix("fixed_corotated"));
  PetscCall(test_mean_matrix("stvk"));
  PetscCall(test_flat());
  PetscCall(test_contacts());
  PetscCall(test_refusals());
  PetscCall(test_change());
  PetscCall(test_march());
  PetscCall(PetscFinalize());
  return 0;
}
