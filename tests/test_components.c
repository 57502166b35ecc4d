/* ranks: 1 2 4 */
/*
  Hard attachments of single components: A of x, y and z are those of the free coordinates; every solver and integrator
  keeps what is held to the last bit and leaves the rest free; methods that minimise g end in the same minimum; a bar
  between three symmetry planes is in the exact uniaxial state; forces are those of the held components.
*/
#include "body.h"
#include "refused.h"
#include <wring/step.h>

/* Pulled, for the far end. */
static void pull(const double X[3], double x[3])
{
  x[0] = X[0] + 0.2, x[1] = X[1] - 0.1, x[2] = X[2] + 0.05;
}

/* What a test holds: the components of sets; their masks differ in all three columns. */
typedef struct {
  const char *set;
  unsigned    components;
  test_map   *map;
} hold;

static const hold planes[] = {{"xmin", WRING_X, test_stay},
                              {"ymin", WRING_Y, test_stay},
                              {"zmin", WRING_Z, test_stay},
                              {"xmax", WRING_X, pull},
                              {"ymax", WRING_Y | WRING_Z, test_stay}};
enum { N_PLANES = sizeof planes / sizeof planes[0] };

static PetscErrorCode hold_components(test_body *b, const hold *h, const wring_motion *motion)
{
  const PetscInt i = wring_names_find(&b->mesh->set.names, h->set), n = b->mesh->set.count[i];
  double        *target;
  wring_term    *term;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &target));
  for (PetscInt j = 0; j < n; j++) h->map(b->mesh->X + 3 * b->mesh->set.vertex[i][j], target + 3 * j);
  PetscCall(wring_term_create_hard_attachments(b->mesh, h->set, n, b->mesh->set.vertex[i], target, motion, &term));
  PetscCall(PetscFree(target));
  wring_term_set_components(term, h->components);
  PetscCall(wring_potential_add_term(b->g, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block of a material between the first n planes; y is noise about the rest. */
static PetscErrorCode create_held(const char *material, double noise, int n, test_body *b)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(material, 0.03, 0, b));
  for (int i = 0; i < n; i++) PetscCall(hold_components(b, &planes[i], &test_still));
  PetscCall(test_body_set_up(b));
  PetscCall(test_body_place(b, test_stay, noise, b->x));
  PetscCall(wring_potential_set_target(b->g, b->x));
  PetscCall(wring_potential_set_start(b->g, b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The held coordinates of x are at their targets, to the last bit, and the free ones of these vertices have moved. */
static PetscErrorCode check_held(const test_body *b, int n, Vec x, const char *what)
{
  const double *xa, *ya;
  double        moved = 0, at[3];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(b->x, &ya));
  for (int k = 0; k < n; k++) {
    const PetscInt s = wring_names_find(&b->mesh->set.names, planes[k].set);
    for (PetscInt j = 0; j < b->mesh->set.count[s]; j++) {
      const PetscInt v    = b->mesh->set.vertex[s][j];
      const char     mark = wring_potential_held_marks(b->g)[v];
      planes[k].map(b->mesh->X + 3 * v, at);
      for (int c = 0; c < 3; c++) {
        const double is = xa[3 * v + c];
        CHECK(!(planes[k].components >> c & 1) || is == at[c], "%s: %s, component %d is off by %g", what, planes[k].set,
              c, is - at[c]);
        if (!(mark >> c & 1)) moved = fmax(moved, fabs(is - ya[3 * v + c]));
      }
    }
  }
  PetscCall(VecRestoreArrayRead(b->x, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(moved > 1e-3, "%s: free components of held vertices moved by %g m only", what, moved);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

/* y = A x of the free coordinates and M/h^2 x of the held ones, from A of the body without attachments. */
static PetscErrorCode reference(const test_body *held, const test_body *free_body, Vec x, Vec y)
{
  const char *const   mark = wring_potential_held_marks(held->g);
  const double *const mass = wring_potential_mass(held->g), h = wring_potential_step(held->g);
  const PetscInt      n = 3 * held->mesh->n_owned;
  const double       *xa;
  double             *pa, *ya;
  Vec                 in, one, two;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &in));
  PetscCall(VecCopy(x, in));
  PetscCall(MatCreateVecs(free_body->A, &one, &two));
  PetscCall(VecGetArray(in, &pa));
  for (PetscInt i = 0; i < n; i++) pa[i] = mark[i / 3] >> i % 3 & 1 ? 0 : pa[i];
  PetscCall(VecRestoreArray(in, &pa));
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideGather(in, c, one, INSERT_VALUES));
    PetscCall(MatMult(free_body->A, one, two));
    PetscCall(VecStrideScatter(two, c, y, INSERT_VALUES));
  }
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArray(y, &ya));
  for (PetscInt i = 0; i < n; i++) ya[i] = mark[i / 3] >> i % 3 & 1 ? mass[i / 3] / (h * h) * xa[i] : ya[i];
  PetscCall(VecRestoreArray(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&two));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each component of a - b, relative to that of b. */
static PetscErrorCode check_components(Vec a, Vec b, double most, const char *what)
{
  Vec       d;
  PetscReal norm[2];

  PetscFunctionBegin;
  PetscCall(VecDuplicate(a, &d));
  PetscCall(VecWAXPY(d, -1, a, b));
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideNorm(d, c, NORM_2, &norm[0]));
    PetscCall(VecStrideNorm(b, c, NORM_2, &norm[1]));
    CHECK(norm[0] <= most * norm[1], "%s: component %d is off by %g of %g", what, c, norm[0], norm[1]);
  }
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A x, and a solve from a guess and from 0, by one type of operator with n planes: up to three different matrices. Fails
  if a column has the matrix or the solution of another, or keeps a row or column that is held in it.
*/
static PetscErrorCode test_operator(const char *type, const char *factor, double rtol, int n)
{
  test_body free_body, b;
  Vec       x, y, expected;
  PetscBool reached;
  double    dot;
  PetscReal exact;
  PetscCall(test_body_create("strain", 0.03, 0, &free_body));
  PetscCall(test_body_set_up(&free_body));
  PetscCall(create_held("strain", 0, n, &b));
  PetscCall(test_set(b.o, "operator_", "type=%s factor=%s rtol=%g", type, factor, rtol));
  PetscCall(wring_operator_destroy(&b.op));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, b.o, NULL, &b.op));
  for (int i = 0; i < 2; i++) PetscCall(wring_operator_set_matrices(b.op, b.of)); // the second keeps what it can
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &y));
  PetscCall(VecDuplicate(b.x, &expected));
  test_direction(b.mesh, 3, x);
  PetscCall(reference(&b, &free_body, x, expected));
  PetscCall(wring_operator_apply(b.op, x, y));
  PetscCall(check_components(y, expected, 1e-13, "product"));
  PetscCall(VecScale(y, 1e-6));
  PetscCall(wring_operator_solve(b.op, 0, x, y, &reached)); // from the guess y
  CHECK(reached, "%s: the tolerance was not reached", type);
  PetscCall(reference(&b, &free_body, y, expected));
  PetscCall(check_components(expected, x, 2 * rtol, type));
  PetscCall(VecDot(y, x, &exact));
  const double *with;
  PetscCall(VecGetArrayRead(x, &with));
  PetscCall(wring_operator_solve_from_zero(b.op, 0, 1, x, y, &(wring_operator_dots){1, &with, &dot}));
  PetscCall(VecRestoreArrayRead(x, &with));
  PetscCall(reference(&b, &free_body, y, expected));
  PetscCall(check_components(expected, x, 2 * rtol, type));
  CHECK(fabs(dot - exact) <= 10 * rtol * fabs(exact), "%s: dot product %g, expected %g", type, dot, exact);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&expected));
  PetscCall(test_body_destroy(&b));
  PetscCall(test_body_destroy(&free_body));
  return PETSC_SUCCESS;
}

/*
  A rough solve by multigrid with n planes. Fails if a column is that of another column's matrix.
*/
static PetscErrorCode test_rough(int n)
{
  test_body b;
  Vec       x, y, expected;
  PetscInt  first;
  PetscCall(create_held("strain", 0, n, &b));
  PetscCall(wring_options_set(b.o, "operator_type", "multigrid", "test"));
  PetscCall(wring_operator_destroy(&b.op));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &y));
  PetscCall(VecDuplicate(b.x, &expected));
  PetscCall(VecGetOwnershipRange(x, &first, NULL));
  test_direction(b.mesh, 3, x);
  for (int c = 0; c < 4; c++) { // each matrix alone; then those of x, y and z
    const Mat of[] = {b.of[c % 3], b.of[c % 3], b.of[c % 3]};
    PetscCall(wring_operator_create(PETSC_COMM_WORLD, b.o, NULL, &b.op));
    PetscCall(wring_operator_set_matrices(b.op, c < 3 ? of : b.of));
    PetscCall(wring_operator_solve_from_zero(b.op, WRING_OPERATOR_ROUGH, 0, x, y, &(wring_operator_dots){.n = 0}));
    PetscCall(wring_operator_destroy(&b.op));
    for (PetscInt i = c; c < 3 && i < 3 * b.mesh->n_owned; i += 3) {
      PetscScalar    value;
      const PetscInt at = first + i;
      PetscCall(VecGetValues(y, 1, &at, &value));
      PetscCall(VecSetValue(expected, at, value, INSERT_VALUES));
    }
  }
  PetscCall(VecAssemblyBegin(expected));
  PetscCall(VecAssemblyEnd(expected));
  PetscCall(check_components(y, expected, 1e-6, "rough"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&expected));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static const char variants[] = "mixed_type=anderson mixed_inner=admm rest_type=qn rest_initial_hessian=rest_hessian "
                               "frame_type=qn frame_initial_hessian=frame_hessian warped_type=qn "
                               "warped_initial_hessian=warped_rest_hessian identity_type=qn "
                               "identity_initial_hessian=identity cg_type=qn cg_inner=cg "
                               "cg_inner_preconditioner=icholesky newton_cg_type=newton newton_cg_linear=cg";

/*
  Methods that minimise g end in newton's minimiser. Fails if a row of a gradient, residual, matrix or inverse mass is
  that of a whole vertex.
*/
static PetscErrorCode test_minimisers(const char *material, int n, const char *const *solver)
{
  test_body     b;
  Vec           x, least;
  wring_outcome outcome;
  double        distance;
  PetscCall(create_held(material, 0.05, N_PLANES, &b));
  PetscCall(test_set(b.o, "variant_", "%s", variants));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &least));
  PetscCall(test_body_solve_from(&b, "newton", 100, 1e-11, b.x, least, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "newton: %s", wring_reason_name(outcome.reason));
  PetscCall(check_held(&b, N_PLANES, least, "newton"));
  for (int i = 0; i < n; i++) {
    PetscCall(test_body_solve_from(&b, solver[i], 3000, 1e-9, b.x, x, &outcome));
    CHECK(!wring_reason_failed(outcome.reason), "%s: %s", solver[i], wring_reason_name(outcome.reason));
    PetscCall(check_held(&b, N_PLANES, x, solver[i]));
    PetscCall(test_distance(x, least, &distance));
    CHECK(distance < 1e-6, "%s: %g m from newton's minimiser", solver[i], distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&least));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/*
  Many iterations of conjugate gradients on A as one matrix give the direction of the operator's factors. Fails if a
  component has the rows of another.
*/
static PetscErrorCode test_inner(void)
{
  test_body     b;
  Vec           x, y;
  wring_outcome outcome;
  double        distance, moved;
  PetscCall(create_held("strain", 0.05, N_PLANES, &b));
  PetscCall(test_variant(b.o, "cg", "qn", "inner=cg inner_max_it=500"));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &y));
  PetscCall(test_body_solve_from(&b, "qn", 1, 0, b.x, x, &outcome));
  PetscCall(test_body_solve_from(&b, "cg", 1, 0, b.x, y, &outcome));
  PetscCall(test_distance(x, y, &distance));
  PetscCall(test_distance(x, b.x, &moved));
  CHECK(distance < 1e-8 * moved, "directions differ by %g of %g m", distance, moved);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/* Sweeps, averaged between ranks too, one linear step, and pd's average by masses. */
static PetscErrorCode test_held(const char *material, int n, const char *const *solver)
{
  test_body     b;
  wring_outcome outcome;
  Vec           x;
  PetscCall(create_held(material, 0.05, N_PLANES, &b));
  PetscCall(test_variant(b.o, "hybrid", "xpbd", "order=hybrid"));
  PetscCall(test_variant(b.o, "mass", "pd", "metric=mass"));
  PetscCall(VecDuplicate(b.x, &x));
  for (int i = 0; i < n; i++) {
    const int one = !strcmp(solver[i], "penalty") || !strcmp(solver[i], "compliant");
    PetscCall(test_body_solve_from(&b, solver[i], one ? 1 : 10, 0, b.x, x, &outcome));
    CHECK(!wring_reason_failed(outcome.reason), "%s: %s", solver[i], wring_reason_name(outcome.reason));
    PetscCall(check_held(&b, N_PLANES, x, solver[i]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/*
  A spring from a held corner of the box to the opposite one, whose y and z are held: one step of a rigid constraint
  moves its x by -C/(dC/dx). Fails if the inverse mass of y or z is part of the denominator.
*/
static PetscErrorCode test_spring(const char *solver)
{
  const PetscInt cells[3] = {1, 1, 1};
  const double   k = 1e4, length = 2, X[2][3] = {{0, 0, 0}, {2, 1, 1}};
  test_body      b = {.x = NULL};
  PetscInt       end[2], n = 0;
  wring_term    *term;
  wring_outcome  outcome;
  double        *mass, before = 0, after = 0;
  const double  *xa;
  PetscCall(wring_options_create(PETSC_COMM_SELF, &b.o));
  PetscCall(wring_options_set(b.o, "solver_compliant_compliance", "0", "test"));
  b.mesh = test_box(PETSC_COMM_SELF, cells);
  for (PetscInt i = 0; i < b.mesh->n_owned; i++)
    for (int a = 0; a < 2; a++) {
      const double *const at = b.mesh->X + 3 * i;
      if (fabs(at[0] - X[a][0]) + fabs(at[1] - X[a][1]) + fabs(at[2] - X[a][2]) < 1e-9) end[a] = i, n++;
    }
  CHECK(n == 2, "%d corners were found", (int)n);
  PetscCall(PetscMalloc1(b.mesh->n_owned, &mass));
  for (PetscInt i = 0; i < b.mesh->n_owned; i++) mass[i] = 1;
  PetscCall(wring_potential_create(b.mesh, mass, NULL, &b.g));
  PetscCall(PetscFree(mass));
  PetscCall(wring_term_create_springs(b.mesh, "s", 1, end, &k, &length, NULL, &term));
  PetscCall(wring_potential_add_term(b.g, term));
  for (int i = 0; i < 2; i++) {
    PetscCall(wring_term_create_hard_attachments(b.mesh, "end", 1, &end[i], X[i], &test_still, &term));
    wring_term_set_components(term, i ? WRING_Y | WRING_Z : WRING_XYZ);
    PetscCall(wring_potential_add_term(b.g, term));
  }
  PetscCall(wring_potential_create_vec(b.g, &b.x));
  test_displace(b.mesh, 0, 0, b.x);
  PetscCall(wring_potential_set_start(b.g, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(VecGetArrayRead(b.x, &xa));
  before = xa[3 * end[1]];
  PetscCall(VecRestoreArrayRead(b.x, &xa));
  PetscCall(test_body_set_up(&b));
  PetscCall(test_body_solve(&b, solver, 1, 0, b.x, &outcome));
  PetscCall(VecGetArrayRead(b.x, &xa));
  after = xa[3 * end[1]];
  PetscCall(VecRestoreArrayRead(b.x, &xa));
  const double expected = -(sqrt(6) - length) / (2 / sqrt(6));
  CHECK(fabs(after - before - expected) < 1e-10, "%s: x moved by %.12g, expected %.12g", solver, after - before,
        expected);
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/* ---- exact states ------------------------------------------------------------------------------------------------ */

/*
  Statics of a bar between three planes, pulled by the fourth: the uniaxial state. S_xx = E E_xx and E_yy = -nu E_xx of
  stvk give the lateral contraction and the force; stresses and forces of the planes beside it are 0.
*/
static PetscErrorCode test_bar(const char *solver)
{
  const double  E = 1e5, nu = 0.35, stretch = 1.1;
  const double  strain  = (stretch * stretch - 1) / 2;
  const double  ratio[] = {stretch, sqrt(1 - 2 * nu * strain), sqrt(1 - 2 * nu * strain)};
  test_body     b;
  wring_outcome outcome;
  double        force[3 + 4 * 3], off = 0;
  const double *xa;
  Vec           grad;
  PetscCall(test_body_create("stvk", 1, 0, &b));
  PetscCall(wring_potential_set_static(b.g));
  for (int i = 0; i < 4; i++) PetscCall(hold_components(&b, &planes[i], &test_still));
  PetscCall(test_body_set_up(&b));
  PetscCall(wring_potential_set_start(b.g, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(VecDuplicate(b.x, &grad));
  PetscCall(test_body_solve(&b, solver, 3000, 1e-12, b.x, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "bar by %s: %s", solver, wring_reason_name(outcome.reason));
  PetscCall(wring_potential_gradient(b.g, b.x, grad)); // reactions are those of the last gradient
  PetscCall(wring_potential_resultants(b.g, b.x, force));
  PetscCall(VecGetArrayRead(b.x, &xa));
  for (PetscInt i = 0; i < 3 * b.mesh->n_owned; i++) off = test_worse(off, fabs(xa[i] - ratio[i % 3] * b.mesh->X[i]));
  PetscCall(VecRestoreArrayRead(b.x, &xa));
  CHECK(off < 1e-9, "bar by %s: %g m from the uniaxial state", solver, off);
  for (int i = 3; i < 15; i++) {
    const double expected = i == 3 ? -stretch * E * strain : i == 12 ? stretch * E * strain : 0;
    CHECK(fabs(force[i] - expected) < 1e-7 * E, "bar by %s: force %d is %g N, expected %g", solver, i - 3, force[i],
          expected);
  }
  PetscCall(VecDestroy(&grad));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/*
  In statics without loads, all forces are those of the elements: the squares of those on free coordinates and of the
  reactions of the held ones add up to |grad E|^2 of the free body. Forces act in held components only. Fails if
  a coordinate is left out or counted twice.
*/
static PetscErrorCode test_forces(void)
{
  test_body    free_body, b;
  wring_forces forces;
  Vec          grad, x;
  PetscReal    norm;
  double       force[3 * (1 + N_PLANES)];
  PetscCall(test_body_create("neohookean", 1, 0, &free_body));
  PetscCall(wring_potential_set_static(free_body.g));
  PetscCall(test_body_create("neohookean", 1, 0, &b));
  PetscCall(wring_potential_set_static(b.g));
  for (int i = 0; i < N_PLANES; i++) PetscCall(hold_components(&b, &planes[i], &test_still));
  PetscCall(VecDuplicate(b.x, &grad));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(test_body_place(&b, test_stay, 0.03, x));
  PetscCall(wring_potential_gradient(free_body.g, x, grad));
  PetscCall(VecNorm(grad, NORM_2, &norm));
  PetscCall(wring_potential_gradient(b.g, x, grad));
  PetscCall(wring_potential_forces(b.g, x, grad, &forces));
  const double sum = hypot(forces.internal, forces.reaction);
  CHECK(forces.internal > 0.1 * norm && forces.reaction > 0.1 * norm, "%g and %g N", forces.internal, forces.reaction);
  CHECK(fabs(sum - norm) <= 1e-12 * norm, "forces of %.15g N, expected %.15g", sum, norm);
  PetscCall(wring_potential_resultants(b.g, x, force));
  for (int i = 0; i < 3 * N_PLANES; i++) {
    const PetscBool held = (PetscBool)(planes[i / 3].components >> i % 3 & 1);
    CHECK(held == (force[3 + i] != 0), "%s: force %g N in component %d", planes[i / 3].set, force[3 + i], i % 3);
  }
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscCall(test_body_destroy(&free_body));
  return PETSC_SUCCESS;
}

/* ---- in time ----------------------------------------------------------------------------------------------------- */

/* A soft block under gravity: x and z of xmin move at a velocity, y of ymin is held. */
static PetscErrorCode create_moving(const char *rule, double h, const double velocity[3], test_body *b,
                                    wring_stepper **stepper, wring_state *state)
{
  static const hold end = {"xmin", WRING_X | WRING_Z, test_stay}, side = {"ymin", WRING_Y, test_stay};
  wring_motion motion = {.velocity = {velocity[0], velocity[1], velocity[2]}, .until = INFINITY, .release = INFINITY};

  PetscFunctionBegin;
  PetscCall(test_body_create_soft(rule, h, PETSC_TRUE, b));
  PetscCall(hold_components(b, &end, &motion));
  PetscCall(hold_components(b, &side, &test_still));
  PetscCall(wring_stepper_create(b->g, b->o, stepper));
  PetscCall(test_state_create(b, NULL, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Held coordinates are at their targets, the others of their vertices are not at rest; p [3] momentum. */
static PetscErrorCode check_state(const test_body *b, const char *rule, const double velocity[3],
                                  const wring_state *state, double p[3])
{
  const char *const   mark = wring_potential_held_marks(b->g);
  const double *const mass = wring_potential_body_mass(b->g);
  const double       *q, *v;
  double              way = 0;

  PetscFunctionBegin;
  p[0] = p[1] = p[2] = 0;
  PetscCall(VecGetArrayRead(state->q, &q));
  PetscCall(VecGetArrayRead(state->v, &v));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) {
    const double moved = i % 3 == 1 ? 0 : state->time * velocity[i % 3], held = b->mesh->X[i] + moved;
    p[i % 3] += mass[i / 3] * v[i];
    if (mark[i / 3] >> i % 3 & 1) {
      const double speed = i % 3 == 1 ? 0 : velocity[i % 3];
      CHECK(fabs(q[i] - held) < 1e-15, "%s: component %d is off its target by %g", rule, (int)i % 3, q[i] - held);
      CHECK(fabs(v[i] - speed) < 1e-11 || !strcmp(rule, "bdf2"), "%s: velocity %g, expected %g", rule, v[i], speed);
    } else if (mark[i / 3])
      way = fmax(way, fabs(q[i] - b->mesh->X[i]));
  }
  PetscCall(VecRestoreArrayRead(state->v, &v));
  PetscCall(VecRestoreArrayRead(state->q, &q));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, p, 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &way, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(way > 1e-5 || state->step < 2, "%s: free components of held vertices moved by %g m only", rule, way);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Held components are at their targets after every step, and the forces that hold them are what the momentum lacks, none
  in free components. Fails if a rule moves a held component, holds a free one, or leaves out its inertia.
*/
static PetscErrorCode test_rule(const char *rule)
{
  const double   velocity[3] = {0.3, 0.2, -0.4}, gravity[3] = {0.5, -1, 2}, h = 0.005, weight = 2000;
  test_body      b;
  wring_stepper *stepper;
  wring_state    state;
  PetscBool      changed;
  double         p[2][3] = {{0}}, force[9];
  PetscCall(create_moving(rule, h, velocity, &b, &stepper, &state));
  for (int i = 0; i < 4; i++) {
    PetscCall(test_body_step(&b, stepper, &state, &changed));
    PetscCall(PetscArraycpy(p[0], p[1], 3));
    PetscCall(check_state(&b, rule, velocity, &state, p[1]));
    PetscCall(wring_potential_resultants(b.g, state.q, force));
    CHECK(force[4] == 0 && force[6] == 0 && force[8] == 0, "%s: forces in free components", rule);
    for (int c = 0; !strcmp(rule, "implicit_euler") && c < 3; c++) {
      const double lacks = (p[1][c] - p[0][c]) / h - weight * gravity[c];
      CHECK(fabs(force[3 + c] + force[6 + c] - lacks) < 1e-7 * weight, "step %d: force %.12g, momentum lacks %.12g", i,
            force[3 + c] + force[6 + c], lacks);
    }
  }
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  return PETSC_SUCCESS;
}

/* ---- two attachments of a vertex --------------------------------------------------------------------------------- */

/*
  A component that two attachments hold is where both want it, and counts once; at different targets it is refused, now
  or when one moves, as are two that hold all components.
*/
static PetscErrorCode test_twice(void)
{
  static const hold whole = {"ymax", WRING_XYZ, test_stay}, other = {"zmax", WRING_XYZ, test_stay},
                    off = {"xmin", WRING_Z | WRING_Y, pull}, side = {"zmin", WRING_Z, test_stay};
  const wring_motion up = {.velocity = {0.1, 0, 1}, .until = INFINITY, .release = INFINITY};
  test_body          b;
  PetscBool          changed;
  PetscCall(test_body_create("corotated", 0.03, 0, &b));
  PetscCall(hold_components(&b, &whole, &test_still));
  PetscCall(hold_components(&b, &side, &test_still));
  CHECK(wring_potential_held(b.g) == 3 * 28 + 21, "%d coordinates are held", (int)wring_potential_held(b.g));
  CHECK_REFUSED(hold_components(&b, &other, &test_still), "is held by 'ymax' and by 'zmax'",
                "expected one hard attachment");
  PetscCall(test_body_destroy(&b));
  PetscCall(test_body_create("corotated", 0.03, 0, &b));
  PetscCall(hold_components(&b, &side, &test_still));
  CHECK_REFUSED(hold_components(&b, &off, &test_still), "is held by 'zmin' at z = 0 m and by 'xmin' at 0.05 m",
                "expected equal targets");
  PetscCall(test_body_destroy(&b));
  PetscCall(test_body_create("corotated", 0.03, 0, &b));
  PetscCall(hold_components(&b, &side, &test_still));
  PetscCall(hold_components(&b, &whole, &up));
  PetscCall(wring_potential_set_time(b.g, 0, 0, &changed));
  CHECK_REFUSED(wring_potential_set_time(b.g, 0.1, 0.1, &changed),
                "is held by 'zmin' at z = 0 m and by 'ymax' at 0.1 m", "expected equal targets");
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

int main(int argc, char **argv)
{
  static const char *const any[]    = {"qn",     "admm",     "chebyshev", "gradient_descent", "newton", "rest", "frame",
                                       "warped", "identity", "cg",        "newton_cg",        "vbd"};
  static const char *const strain[] = {"pd", "anderson", "admm", "mixed"};
  static const char *const sweeps[] = {"xpbd", "hybrid", "pbd", "rgc", "penalty", "mass"};
  static const char *const one[]    = {"compliant"};
  static const char *const rules[]  = {"implicit_euler",        "implicit_midpoint", "bdf2",
                                       "linear_implicit_euler", "symplectic_euler",  "explicit_euler"};
  static const char *const rigid[]  = {"rgc", "compliant"};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  for (int n = 1; n <= N_PLANES; n += 2) {
    PetscCall(test_operator("direct", "auto", 1e-10, n));
    PetscCall(test_operator("direct", "distributed", 1e-10, n));
    PetscCall(test_operator("multigrid", "auto", 1e-8, n));
    PetscCall(test_operator("petsc", "auto", 1e-8, n));
    PetscCall(test_rough(n));
  }
  PetscCall(test_minimisers("corotated", size > 1 ? 4 : 12, any)); // the same iterations on any ranks
  PetscCall(test_minimisers("strain", 4, strain));
  PetscCall(test_inner());
  PetscCall(test_held("strain", 6, sweeps));
  PetscCall(test_held("stable_neohookean", 1, one));
  for (int i = 0; i < 2; i++) PetscCall(test_spring(rigid[i]));
  PetscCall(test_bar("newton"));
  PetscCall(test_forces());
  for (int i = 0; i < 6; i++) PetscCall(test_rule(rules[i]));
  PetscCall(test_twice());
  PetscCall(PetscFinalize());
  return 0;
}
