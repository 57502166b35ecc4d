/* ranks: 1 2 3 */
/*
  The family of solvers: every registered type is tested on a small box by the declarations in its table. A new type is
  tested as soon as it is listed in src/solver/solver_types.c.
*/
#include "body.h"
#include "refused.h"
#include "solver/common/solver_impl.h"

/* The i-th type; NULL past the end. */
static const wring_solver_ops *type(int i)
{
  const char *const name = wring_solver_type(i);
  return name ? wring_solver_find(name) : NULL;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* Inside out along x. */
static void mirror(const double X[3], double x[3])
{
  x[0] = -0.5 * X[0], x[1] = X[1], x[2] = X[2];
}

/*
  A body with springs across it at order 1 (at order 2 they would be compressed to a part of their length, where admm
  fails), free or with its ends held; y, the start of every solve, is twisted and rough.
*/
static PetscErrorCode create(MPI_Comm comm, const char *source, const wring_law *law, PetscBool held, test_body *b,
                             Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create_on(comm, source, law, 0.01, test_mesh_order == 1 ? 12 : 0, b));
  PetscCall(test_set(b->o, "solver_mgpbd_", "rtol=1e-13 inner_max_it=1000")); // iterative on any number of ranks
  if (held) PetscCall(test_body_attach(b, "xmin", 1e5, test_twist));
  if (held) PetscCall(test_body_attach(b, "xmax", 1e5, test_twist));
  PetscCall(test_body_set_up_with(b, test_twist, 0.02, y));
  PetscCall(wring_potential_set_start(b->g, b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A material that the type can use. */
static const wring_law *material_of(const wring_solver_ops *ops)
{
  const PetscBool rows = (PetscBool)(strcmp(ops->name, "compliant") == 0);
  return rows ? &wring_law_stable_neohookean : &wring_law_strain;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Fails if a table's name differs from that in the list, or if a table lacks a function that the loop calls. */
static PetscErrorCode test_tables(void)
{
  char choices[256] = "";

  PetscFunctionBegin;
  for (int i = 0; type(i); i++) {
    const wring_solver_ops *const ops = type(i);
    PetscCall(PetscStrlcat(choices, i ? "|" : "", sizeof choices));
    PetscCall(PetscStrlcat(choices, wring_solver_type(i), sizeof choices));
    CHECK(ops->options && wring_solver_keys(ops->name) == ops->options, "%s has no keys", ops->name);
    CHECK(ops->data_size > 0 && ops->set_up && ops->iterate, "%s lacks a function", ops->name);
    CHECK(!(ops->declares & WRING_DESCENDS) || ops->declares & WRING_MINIMISES, "%s descends to nowhere", ops->name);
  }
  CHECK(strcmp(choices, wring_option_choices(wring_option_find(wring_solver_options, "type"))) == 0, "%s", choices);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a type that minimises ends away from newton's minimiser, or if g rises in one that descends. */
static PetscErrorCode test_minimisers(const char *source)
{
  test_body     b;
  Vec           y, x, reference;
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create(PETSC_COMM_WORLD, source, &wring_law_strain, PETSC_TRUE, &b, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&b, "newton", 50, 1e-10, y, reference, &outcome));
  for (int i = 0; type(i); i++) {
    const wring_solver_ops *const ops = type(i);
    if (!(ops->declares & WRING_MINIMISES)) continue;
    PetscCall(test_body_solve_from(&b, ops->name, 1000, 1e-8, y, x, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED, "%s: %s after %d", ops->name, wring_reason_name(outcome.reason),
          (int)outcome.iterations);
    PetscCall(test_distance(x, reference, &distance));
    CHECK(distance <= 1e-6, "%s ends %g m from newton's minimiser", ops->name, distance);
    CHECK(!(ops->declares & WRING_DESCENDS) || outcome.rises.count == 0, "%s: g rose %d times, by %g of itself",
          ops->name, (int)outcome.rises.count, outcome.rises.largest);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&b, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A free body: sum m_i x_i equals that of y after every iteration. Fails if a type exerts a net force. */
static PetscErrorCode test_momentum(const char *source)
{
  PetscFunctionBegin;
  for (int i = 0; type(i); i++) {
    const wring_solver_ops *const ops = type(i);
    test_body                     b;
    Vec                           y, x;
    wring_outcome                 outcome;
    double                        drift;
    if (!(ops->declares & WRING_KEEPS_MOMENTUM)) continue;
    PetscCall(create(PETSC_COMM_WORLD, source, material_of(ops), PETSC_FALSE, &b, &y));
    PetscCall(VecDuplicate(y, &x));
    for (PetscInt its = 1; its <= 5; its += 2) {
      PetscCall(test_body_solve_from(&b, ops->name, its, 0, y, x, &outcome));
      CHECK(!wring_reason_failed(outcome.reason), "%s: %s", ops->name, wring_reason_name(outcome.reason));
      PetscCall(test_drift(&b, x, y, &drift));
      CHECK(drift <= 1e-12, "%s: momentum drifts by %g in %d iterations", ops->name, drift, (int)its);
    }
    PetscCall(VecDestroy(&x));
    PetscCall(test_body_destroy_with(&b, &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five iterations give the same on all ranks as on one. Fails if a decision or an order depends on the partition. */
static PetscErrorCode test_ranks(const char *source)
{
  PetscFunctionBegin;
  for (int i = 0; type(i); i++) {
    const wring_solver_ops *const ops = type(i);
    test_body                     b[2];
    Vec                           y[2];
    wring_outcome                 outcome;
    double                        worst;
    for (int k = 0; k < 2; k++) {
      PetscCall(create(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, source, material_of(ops), PETSC_FALSE, &b[k], &y[k]));
      PetscCall(test_body_solve(&b[k], ops->name, 5, 0, y[k], &outcome));
    }
    PetscCall(test_distance_to_one(b[0].mesh, y[0], b[1].mesh, y[1], INFINITY, &worst));
    CHECK(worst <= 1e-9, "%s on all ranks is %g m from one", ops->name, worst);
    for (int k = 0; k < 2; k++) PetscCall(test_body_destroy_with(&b[k], &y[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A second solve by the same solver repeats the first. Fails if `begin` keeps data of the last solve. On several ranks
  MUMPS does not repeat its last bits.
*/
static PetscErrorCode test_repeated(const char *source)
{
  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  for (int i = 0; type(i); i++) {
    const wring_solver_ops *const ops = type(i);
    test_body                     b;
    Vec                           y, x[2];
    wring_solver                 *s;
    wring_outcome                 outcome;
    double                        distance;
    PetscCall(create(PETSC_COMM_WORLD, source, material_of(ops), PETSC_FALSE, &b, &y));
    PetscCall(test_body_solver(&b, ops->name, &s));
    wring_solver_set_limits(s, 5, 0, 0, 1);
    for (int k = 0; k < 2; k++) {
      PetscCall(VecDuplicate(y, &x[k]));
      PetscCall(VecCopy(y, x[k]));
      PetscCall(wring_solver_solve(s, x[k], &outcome));
    }
    PetscCall(test_distance(x[0], x[1], &distance));
    CHECK(ops->declares & WRING_REMEMBERS || distance <= (size == 1 ? 0 : 1e-11), "%s: the second solve is off by %g m",
          ops->name, distance);
    PetscCall(wring_solver_destroy(&s));
    for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
    PetscCall(test_body_destroy_with(&b, &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls set_up and keeps its message. */
static PetscErrorCode try_set_up(wring_solver *s, wring_error *message, PetscErrorCode *code)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(keep_message, message->text));
  *code = wring_solver_set_up(s);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From an x with infinite g every type that descends ends at once with a failure, and does not change x. */
static PetscErrorCode test_not_finite(const char *source)
{
  int ran = 0;

  PetscFunctionBegin;
  for (int i = 0; type(i); i++) {
    const wring_solver_ops *const ops     = type(i);
    wring_error                   message = {""};
    PetscErrorCode                code    = PETSC_SUCCESS;
    test_body                     b;
    Vec                           y, x;
    wring_solver                 *s;
    wring_outcome                 outcome;
    double                        distance;
    if (!(ops->declares & WRING_DESCENDS)) continue;
    PetscCall(create(PETSC_COMM_WORLD, source, &wring_law_neohookean, PETSC_FALSE, &b, &y));
    PetscCall(test_body_place(&b, mirror, 0, y));
    PetscCall(VecDuplicate(y, &x));
    PetscCall(VecCopy(y, x));
    PetscCall(wring_solver_create(PETSC_COMM_WORLD, b.g, b.op, NULL, &s));
    PetscCall(wring_solver_set_from_options(s, b.o, ops->name));
    PetscCall(try_set_up(s, &message, &code));
    if (!code) { // not refused
      ran++;
      PetscCall(wring_solver_solve(s, x, &outcome));
      CHECK(outcome.reason == WRING_STOPPED_NOT_FINITE && outcome.iterations == 0, "%s: %s", ops->name,
            wring_reason_name(outcome.reason));
      PetscCall(test_distance(x, y, &distance));
      CHECK(distance == 0, "%s moved x by %g m", ops->name, distance);
    }
    PetscCall(wring_solver_destroy(&s));
    PetscCall(VecDestroy(&x));
    PetscCall(test_body_destroy_with(&b, &y));
  }
  CHECK(ran > 0, "every type is refused");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type with the law: refused in one line, which is required if the law lacks what the type needs, or iterates. */
static PetscErrorCode test_pair(const wring_solver_ops *ops, test_body *b, const wring_law *law, Vec y, Vec x)
{
  const PetscBool lacks   = (PetscBool)((ops->needs & ~wring_law_can(law)) != 0);
  wring_error     message = {""};
  char            expected[128];
  PetscErrorCode  code = PETSC_SUCCESS;
  wring_solver   *s;
  wring_outcome   outcome;

  PetscFunctionBegin;
  snprintf(expected, sizeof expected, "solver '%s' cannot use material '%s': ", ops->name, law->name);
  PetscCall(wring_solver_create(PETSC_COMM_WORLD, b->g, b->op, NULL, &s));
  PetscCall(wring_solver_set_from_options(s, b->o, ops->name));
  PetscCall(try_set_up(s, &message, &code));
  CHECK(code == PETSC_SUCCESS || code == PETSC_ERR_USER_INPUT, "%s with %s: error %d", ops->name, law->name, (int)code);
  CHECK(!lacks || code, "%s does not refuse %s", ops->name, law->name);
  if (code) {
    CHECK(strncmp(message.text, expected, strlen(expected)) == 0 && !strchr(message.text, '\n'), "\"%s\"",
          message.text);
  } else {
    PetscCall(VecCopy(y, x));
    wring_solver_set_limits(s, 1, 0, 0, 1);
    PetscCall(wring_solver_solve(s, x, &outcome));
    CHECK(isfinite(outcome.first.value.objective) && outcome.iterations == 1, "%s with %s: %s", ops->name, law->name,
          wring_reason_name(outcome.reason));
  }
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every type with every material. Fails if a law that lacks what a type needs is accepted, or is refused with another
  message.
*/
static PetscErrorCode test_materials(const char *source)
{
  const wring_law *law;

  PetscFunctionBegin;
  for (int l = 0; (law = wring_law_material(l)); l++) {
    test_body b;
    Vec       y, x;
    PetscCall(create(PETSC_COMM_WORLD, source, law, PETSC_FALSE, &b, &y));
    PetscCall(VecDuplicate(y, &x));
    PetscCall(VecCopy(b.x, y)); // the rest pose: finite with any law
    for (int i = 0; type(i); i++) PetscCall(test_pair(type(i), &b, law, y, x));
    PetscCall(VecDestroy(&x));
    PetscCall(test_body_destroy_with(&b, &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- stopping by decrement --------------------------------------------------------------------------------------- */

/* p = grad g . A^{-1} grad g/2 at x, with the A of the rest state and an operator of the test's own. */
static PetscErrorCode decrement_at(const test_body *b, Vec x, double *p)
{
  wring_operator *op;
  Mat             A[3] = {NULL};
  Vec             grad, d;

  PetscFunctionBegin;
  PetscCall(wring_operator_create(b->mesh->comm, b->o, NULL, &op));
  PetscCall(wring_potential_operator_matrices(b->g, 1, A));
  PetscCall(wring_operator_set_matrices(op, A));
  PetscCall(wring_potential_create_vec(b->g, &grad));
  PetscCall(VecDuplicate(grad, &d));
  PetscCall(wring_potential_gradient(b->g, x, grad));
  PetscCall(wring_operator_solve(op, 0, grad, d, NULL));
  PetscCall(VecDot(grad, d, p));
  *p /= 2;
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&grad));
  PetscCall(wring_matrices_destroy(A));
  PetscCall(wring_operator_destroy(&op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every type that minimises g. Fails if it stops by `decrement` where (2.8a) is not met or was met before, by a number
  of its own, or with forces of another size than the others: those that converge in small steps end within a factor of
  4, and none is above them.
*/
static PetscErrorCode test_decrements(const char *source)
{
  static const char *const slow[] = {"qn", "pd", "pncg"};
  const double             rtol   = 1e-6;
  double                   first, last, before, least = INFINITY, most = 0, any = 0;
  int                      found = 0;
  test_body                b;
  wring_outcome            o, shorter;
  Vec                      y, x;

  PetscFunctionBegin;
  PetscCall(create(PETSC_COMM_WORLD, source, &wring_law_strain, PETSC_TRUE, &b, &y));
  PetscCall(wring_options_set(b.o, "solver_stop", "decrement", "test"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(decrement_at(&b, y, &first));
  for (int i = 0; type(i); i++) {
    const char *const name = type(i)->name;
    if (!(type(i)->declares & WRING_MINIMISES)) continue;
    PetscCall(test_body_solve_from(&b, name, 2000, rtol, y, x, &o));
    PetscCall(decrement_at(&b, x, &last));
    PetscCall(test_body_solve_from(&b, name, o.iterations - 1, 0, y, x, &shorter));
    PetscCall(decrement_at(&b, x, &before));
    CHECK(o.reason == WRING_CONVERGED && last <= rtol * first && before > rtol * first,
          "%s: %s after %d, p = %g p_0, %g before", name, wring_reason_name(o.reason), (int)o.iterations, last / first,
          before / first);
    any = fmax(any, o.last.gradient_norm);
    for (int k = 0; k < 3; k++) {
      if (strcmp(name, slow[k]) != 0) continue;
      found++;
      least = fmin(least, o.last.gradient_norm);
      most  = fmax(most, o.last.gradient_norm);
    }
  }
  CHECK(found == 3, "%d of qn, pd and pncg", found);
  CHECK(most <= 4 * least && any <= 4 * least, "|grad g| = %g to %g N of qn, pd and pncg, %g N of any", least, most,
        any);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&b, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Where |grad g| is compared with atol only. Fails if newton's tolerances of conjugate gradients aim at rtol, a share of
  |grad g(x_0)|, which would make its systems less accurate than the rest of the solve needs; or if a preconditioner
  that PETSc's options give is applied once, in the place of a factor.
*/
static PetscErrorCode test_gradient(const char *source)
{
  const struct {
    const char *linear;
    double      rtol;
  } ways[] = {{"cg", 0}, {"cg", 0.1}, {"auto", 0}};
  double        norms[3];
  test_body     b;
  wring_outcome o;
  wring_solver *s;
  Vec           y, x;

  PetscFunctionBegin;
  PetscCall(create(PETSC_COMM_WORLD, source, &wring_law_strain, PETSC_TRUE, &b, &y));
  PetscCall(PetscOptionsSetValue(NULL, "-newton_pc_type", "jacobi")); // a V-cycle of a small box is almost exact
  PetscCall(VecDuplicate(y, &x));
  for (int i = 0; i < 3; i++) {
    PetscCall(wring_options_set(b.o, "solver_newton_linear", ways[i].linear, "test"));
    PetscCall(VecCopy(y, x));
    PetscCall(test_body_solver(&b, "newton", &s));
    PetscCall(wring_solver_set_stop(s, WRING_STOP_GRADIENT));
    wring_solver_set_limits(s, 2, ways[i].rtol, 1e-9, 1);
    PetscCall(wring_solver_solve(s, x, &o));
    PetscCall(wring_solver_destroy(&s));
    norms[i] = o.last.gradient_norm;
  }
  PetscCall(PetscOptionsClearValue(NULL, "-newton_pc_type"));
  CHECK(fabs(norms[1] - norms[0]) <= 1e-6 * norms[0], "|grad g| = %g N with rtol 0, %g N with 0.1", norms[0], norms[1]);
  CHECK(norms[2] == norms[0], "|grad g| = %g N by cg, %g by auto with a preconditioner of PETSc's", norms[0], norms[2]);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&b, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const source = argc > 1 ? argv[1] : ".";

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  test_twist_rate = PETSC_PI / 4.5;
  PetscCall(test_tables());
  PetscCall(test_minimisers(source));
  PetscCall(test_momentum(source));
  PetscCall(test_ranks(source));
  PetscCall(test_repeated(source));
  PetscCall(test_not_finite(source));
  PetscCall(test_materials(source));
  PetscCall(test_decrements(source));
  PetscCall(test_gradient(source));
  test_mesh_order = 2;
  PetscCall(test_minimisers(source));
  PetscCall(test_ranks(source));
  PetscCall(PetscFinalize());
  return 0;
}
