/* ranks: 1 2 4 */
/* Newton in a trust region: its steps where g is quadratic, its radii, negative curvature, and the order near x*. */
#include "body.h"
#include "quadratic.h"

/* Shortened along x by 20 %, without a change of width: the ends are held there. */
static void squash(const double X[3], double x[3])
{
  x[0] = 0.8 * X[0], x[1] = X[1], x[2] = X[2];
}

/* |x - y|_A of `op`. */
static PetscErrorCode length(test_body *b, Vec x, Vec y, double *l)
{
  Vec d, Ad;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecDuplicate(x, &Ad));
  PetscCall(VecWAXPY(d, -1, y, x));
  PetscCall(wring_operator_apply(b->op, d, Ad));
  PetscCall(VecDot(d, Ad, l));
  *l = sqrt(*l);
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&Ad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the monitor has seen. */
typedef struct {
  PetscInt n;
  double   g[64], norm[64];
} trace;

static PetscErrorCode watch(void *context, const wring_iteration *it)
{
  trace *t = context;

  PetscFunctionBegin;
  if (t->n < 64) t->g[t->n] = it->value.objective, t->norm[t->n] = it->gradient_norm;
  t->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(test_body *b, const char *name, PetscInt max_it, double rtol, Vec x, trace *t,
                            wring_outcome *outcome)
{
  PetscFunctionBegin;
  t->n = 0;
  PetscCall(test_body_solve_seen(b, name, max_it, rtol, watch, t, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Where g is quadratic and A = H, m is g: a step of a small region ends at its boundary on the line to the minimum, the
  radius doubles from step to step, and the first step of a large region ends at the minimum. Fails with another norm,
  another rule for the radius, or a wrong model.
*/
static PetscErrorCode test_radii(void)
{
  test_body     b;
  wring_outcome outcome;
  trace         t;
  Vec           x;
  double        first, moved;

  PetscFunctionBegin;
  PetscCall(test_body_create_quadratic(&b));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecCopy(b.x, x));
  PetscCall(solve(&b, "trust_region", 1, 0, x, &t, &outcome)); // radius 1 is the length of the step by A
  PetscCall(length(&b, x, b.x, &first));
  CHECK(outcome.last.gradient_norm <= 1e-9 * outcome.first.gradient_norm, "one step leaves %g of |grad g|",
        outcome.last.gradient_norm / outcome.first.gradient_norm);
  PetscCall(test_set(b.o, "solver_trust_region_", "radius=0.01"));
  for (PetscInt its = 1; its <= 5; its += 2) {
    const double part = 0.01 * (double)((1 << its) - 1); // 1 + 2 + 4 + ...
    PetscCall(VecCopy(b.x, x));
    PetscCall(solve(&b, "trust_region", its, 0, x, &t, &outcome));
    PetscCall(length(&b, x, b.x, &moved));
    CHECK(fabs(moved - part * first) <= 1e-8 * first, "%d steps have %.12g of the way, expected %g", (int)its,
          moved / first, part);
    CHECK(outcome.last.evaluations == 1 + its, "%d evaluations", (int)outcome.last.evaluations);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d . H d of one direction with the Hessian as it is. */
static PetscErrorCode curvature(test_body *b, Vec x, Vec d, double *c)
{
  Mat H = NULL;
  Vec Hd;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(d, &Hd));
  PetscCall(wring_potential_hessian(b->g, x, WRING_FILTER_NONE, &H));
  PetscCall(MatMult(H, d, Hd));
  PetscCall(VecDot(d, Hd, c));
  PetscCall(MatDestroy(&H));
  PetscCall(VecDestroy(&Hd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar of 8 x 1 x 1 m of 1e5 Pa whose ends are held where squash has them. */
static PetscErrorCode create_slender(test_body *b)
{
  const wring_box box = {.size = {8, 1, 1}, .cells = {16, 2, 2}};
  double          par[8];

  PetscFunctionBegin;
  *b = (test_body){.x = NULL};
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &b->o));
  PetscCall(wring_options_set(b->o, "operator_type", "direct", "test"));
  PetscCall(test_set_material(b->o, &wring_law_stable_neohookean, "."));
  PetscCall(wring_law_stable_neohookean.set_par(&wring_law_stable_neohookean, b->o, "material_", "material_", par));
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &b->mesh));
  b->g = test_potential(b->mesh, &wring_law_stable_neohookean, par);
  PetscCall(wring_potential_set_step(b->g, 10));
  PetscCall(wring_potential_create_vec(b->g, &b->x));
  test_displace(b->mesh, 0, 0, b->x);
  PetscCall(test_body_attach(b, "xmin", 1e6, squash));
  PetscCall(test_body_attach(b, "xmax", 1e6, squash));
  PetscCall(test_body_set_up(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A bar squashed beyond the load at which it buckles, straight but for 1e-6 m: H has a negative eigenvalue, along
  bending, and g falls by bending. Newton with clamped elements, which has no negative curvature, ends at the same g
  in more than twice the iterations. Fails if negative curvature is not followed, if g rises, or if the region is not
  shrunk where the model is wrong.
*/
static PetscErrorCode test_negative_curvature(void)
{
  test_body     b;
  wring_outcome outcome, newton;
  trace         t;
  Vec           x, bend, clamped;
  double       *ba, c, least;

  PetscFunctionBegin;
  PetscCall(create_slender(&b));
  PetscCall(wring_potential_set_start(b.g, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &bend));
  PetscCall(test_body_place(&b, squash, 1e-6, x));
  PetscCall(VecGetArray(bend, &ba));
  for (PetscInt i = 0; i < b.mesh->n_owned; i++) { // as a beam: sections stay normal to the axis
    const double *const X = b.mesh->X + 3 * i, k = PETSC_PI / 4;
    ba[3 * i] = (0.5 - X[2]) * k * sin(k * X[0]), ba[3 * i + 1] = 0, ba[3 * i + 2] = 1 - cos(k * X[0]);
  }
  PetscCall(VecRestoreArray(bend, &ba));
  PetscCall(curvature(&b, x, bend, &c));
  CHECK(c < 0, "bending has the curvature %g: the test shows nothing", c);
  PetscCall(VecDuplicate(x, &clamped));
  PetscCall(VecCopy(x, clamped));
  PetscCall(wring_options_set(b.o, "solver_newton_filter", "clamp", "test"));
  PetscCall(solve(&b, "newton", 600, 1e-9, clamped, &t, &newton));
  PetscCall(solve(&b, "trust_region", 60, 1e-9, x, &t, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED && outcome.rises.count == 0, "%s after %d iterations, %d rises",
        wring_reason_name(outcome.reason), (int)outcome.iterations, (int)outcome.rises.count);
  CHECK(2 * outcome.iterations <= newton.iterations, "%d iterations, newton with clamped elements %d",
        (int)outcome.iterations, (int)newton.iterations);
  CHECK(fabs(outcome.last.value.objective - newton.last.value.objective) <= 1e-9 * newton.last.value.objective,
        "g %.12g, by newton %.12g", outcome.last.value.objective, newton.last.value.objective);
  PetscCall(curvature(&b, x, bend, &least));
  CHECK(least > 0, "bending still has the curvature %g", least);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&bend));
  PetscCall(VecDestroy(&clamped));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With power 1 convergence is quadratic: below 1e-2 of the first |grad g|, an iteration squares it, up to a constant and
  to rounding. Fails with a filtered Hessian, or if CG ends too early.
*/
static PetscErrorCode test_order(void)
{
  test_body     b;
  wring_outcome outcome;
  trace         t;
  Vec           x;
  int           quadratic = 0;

  PetscFunctionBegin;
  PetscCall(test_body_create("neohookean", 0.1, 0, &b));
  PetscCall(test_body_attach(&b, "xmin", 1e5, test_twist));
  PetscCall(test_body_attach(&b, "xmax", 1e5, test_twist));
  PetscCall(test_set(b.o, "solver_trust_region_", "power=1"));
  PetscCall(test_body_set_up(&b));
  PetscCall(wring_potential_set_start(b.g, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecCopy(b.x, x));
  PetscCall(solve(&b, "trust_region", 60, 1e-11, x, &t, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED && t.n < 20, "%s after %d iterations", wring_reason_name(outcome.reason),
        (int)outcome.iterations);
  for (PetscInt i = 1; i < t.n; i++) {
    const double before = t.norm[i - 1] / t.norm[0], now = t.norm[i] / t.norm[0];
    if (before > 1e-2) continue;
    quadratic++;
    CHECK(now <= 20 * before * before + 1e-12, "iteration %d: %g to %g of the first |grad g|", (int)i, before, now);
  }
  CHECK(quadratic > 1, "only %d iterations near the minimum", quadratic);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  test_twist_rate = PETSC_PI / 6;
  PetscCall(test_radii());
  PetscCall(test_negative_curvature());
  PetscCall(test_order());
  PetscCall(PetscFinalize());
  return 0;
}
