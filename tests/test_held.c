/* ranks: 1 2 4 */
/*
  Hard attachments: every solver and integrator ends with the vertices where they are held, to the last bit; the free
  ones go where very stiff attachments of the same targets let them go; forces, momentum, order in time, and what
  happens at a release.
*/
#include "body.h"
#include "refused.h"

/* Turned about an oblique axis, stretched and sheared: an affine map. */
static void affine(const double X[3], double x[3])
{
  x[0] = 0.9 * X[0] - 0.35 * X[1] + 0.1 * X[2] + 0.2;
  x[1] = 0.3 * X[0] + 1.05 * X[1] - 0.1 * X[2] - 0.1;
  x[2] = -0.05 * X[0] + 0.2 * X[1] + 1.1 * X[2] + 0.3;
}

/* The vertices of a set are where `map` sends them, to the last bit. */
static PetscErrorCode check_held(const test_body *b, const char *set, test_map *map, Vec x, const char *what)
{
  const PetscInt  i = wring_names_find(&b->mesh->set.names, set), n = b->mesh->set.count[i];
  const PetscInt *vertex = b->mesh->set.vertex[i];
  const double   *xa;
  double          at[3];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  for (PetscInt j = 0; j < n; j++) {
    map(b->mesh->X + 3 * vertex[j], at);
    for (int c = 0; c < 3; c++) {
      const double is = xa[3 * vertex[j] + c];
      CHECK(is == at[c], "%s: vertex %d is off by %g", what, (int)b->mesh->number.original[vertex[j]], is - at[c]);
    }
  }
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block of a material, its ends held: xmin at rest, xmax pulled and turned; y is noise about the rest. */
static PetscErrorCode create_held(const char *material, double noise, test_body *b)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(material, 0.03, 0, b));
  PetscCall(test_body_hold(b, "xmin", test_stay, &test_still));
  PetscCall(test_body_hold(b, "xmax", test_pull_and_turn, &test_still));
  PetscCall(test_body_set_up(b));
  PetscCall(test_body_place(b, test_stay, noise, b->x));
  PetscCall(wring_potential_set_target(b->g, b->x));
  PetscCall(wring_potential_set_start(b->g, b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

/*
  Methods that minimise g end in newton's minimiser, whatever x they start from at the ends. A row of a gradient,
  residual or matrix that is not eliminated moves the ends or stops the method elsewhere.
*/
static PetscErrorCode test_minimisers(const char *material, int n, const char *const *solver)
{
  test_body     b;
  Vec           x, least;
  wring_outcome outcome;
  double        distance;
  PetscCall(create_held(material, 0.05, &b));
  PetscCall(test_variant(b.o, "mixed", "anderson", "inner=admm"));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &least));
  PetscCall(test_body_solve_from(&b, "newton", 100, 1e-11, b.x, least, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "newton: %s", wring_reason_name(outcome.reason));
  for (int i = 0; i < n; i++) {
    PetscCall(test_body_solve_from(&b, solver[i], 3000, 1e-9, b.x, x, &outcome));
    CHECK(!wring_reason_failed(outcome.reason), "%s: %s", solver[i], wring_reason_name(outcome.reason));
    PetscCall(check_held(&b, "xmin", test_stay, x, solver[i]));
    PetscCall(check_held(&b, "xmax", test_pull_and_turn, x, solver[i]));
    PetscCall(test_distance(x, least, &distance));
    CHECK(distance < 1e-7, "%s: %g m from newton's minimiser", solver[i], distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&least));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/* Ways to solve with A and H other than a factor: those that iterate. */
static PetscErrorCode test_iterative(void)
{
  static const char *const solver[] = {"qn", "newton", "cg"};
  test_body                b;
  wring_outcome            outcome;
  Vec                      x;
  PetscCall(create_held("corotated", 0.05, &b));
  PetscCall(test_set(b.o, "", "operator_type=multigrid operator_rtol=1e-3 solver_newton_linear=cg"));
  PetscCall(test_set(b.o, "variant_cg_", "type=qn initial_hessian=warped_rest_hessian inner=cg"));
  PetscCall(test_set(b.o, "variant_cg_", "inner_preconditioner=icholesky"));
  PetscCall(wring_operator_destroy(&b.op));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, b.o, NULL, &b.op));
  PetscCall(wring_operator_set_matrices(b.op, b.of));
  PetscCall(VecDuplicate(b.x, &x));
  for (int i = 0; i < 3; i++) {
    PetscCall(test_body_solve_from(&b, solver[i], 100, 1e-8, b.x, x, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED, "%s: %s", solver[i], wring_reason_name(outcome.reason));
    PetscCall(check_held(&b, "xmin", test_stay, x, solver[i]));
    PetscCall(check_held(&b, "xmax", test_pull_and_turn, x, solver[i]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/* Sweeps move nothing that is held: also averaged between ranks, and pd's average by masses. */
static PetscErrorCode test_sweeps(void)
{
  static const char *const solver[] = {"xpbd", "hybrid", "pbd", "rgc", "penalty", "mass"};
  test_body                b;
  wring_outcome            outcome;
  Vec                      x;
  double                   distance;
  PetscCall(create_held("strain", 0.05, &b));
  PetscCall(test_set(b.o, "solver_", "penalty_order=hybrid"));
  PetscCall(test_variant(b.o, "hybrid", "xpbd", "order=hybrid"));
  PetscCall(test_variant(b.o, "mass", "pd", "metric=mass"));
  PetscCall(VecDuplicate(b.x, &x));
  for (int i = 0; i < 6; i++) {
    PetscCall(test_body_solve_from(&b, solver[i], strcmp(solver[i], "penalty") ? 10 : 1, 0, b.x, x, &outcome));
    CHECK(!wring_reason_failed(outcome.reason), "%s: %s", solver[i], wring_reason_name(outcome.reason));
    PetscCall(check_held(&b, "xmin", test_stay, x, solver[i]));
    PetscCall(check_held(&b, "xmax", test_pull_and_turn, x, solver[i]));
    PetscCall(test_distance(x, b.x, &distance));
    CHECK(distance > 1e-3, "%s moved nothing", solver[i]);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/*
  Masses so great that nothing moves them, at the targets of the held vertices: what a sweep does to their neighbours is
  the same.
*/
static PetscErrorCode test_heavy(const char *solver)
{
  const double  density[1] = {1000}, par[1] = {1e5};
  test_body     hard, heavy                 = {.x = NULL};
  wring_term   *term;
  wring_outcome outcome;
  double       *mass, distance;
  PetscCall(create_held("strain", 0.05, &hard));
  heavy.mesh = hard.mesh, heavy.o = hard.o;
  PetscCall(PetscMalloc1(hard.mesh->n_owned, &mass));
  PetscCall(wring_mesh_lump_masses(hard.mesh, WRING_MASS_DIAGONAL, density, NULL, mass));
  for (PetscInt i = 0; i < hard.mesh->n_owned; i++) mass[i] *= wring_potential_held_marks(hard.g)[i] ? 1e14 : 1;
  PetscCall(wring_potential_create(hard.mesh, mass, NULL, &heavy.g));
  PetscCall(PetscFree(mass));
  PetscCall(wring_term_create_tets(hard.mesh, 0, &wring_law_strain, par, 0, NULL, &term));
  PetscCall(wring_potential_add_term(heavy.g, term));
  PetscCall(wring_potential_set_step(heavy.g, 0.03));
  PetscCall(VecDuplicate(hard.x, &heavy.x));
  PetscCall(VecCopy(wring_potential_target(hard.g), heavy.x));
  PetscCall(wring_potential_set_target(heavy.g, heavy.x));
  PetscCall(wring_potential_set_start(heavy.g, hard.x));
  PetscCall(test_body_solve(&heavy, solver, 5, 0, heavy.x, &outcome));
  PetscCall(test_body_solve(&hard, solver, 5, 0, hard.x, &outcome));
  PetscCall(test_distance(hard.x, heavy.x, &distance));
  CHECK(distance < 1e-9, "%s: %g m from what heavy vertices do", solver, distance);
  PetscCall(VecDestroy(&heavy.x));
  PetscCall(wring_potential_destroy(&heavy.g));
  PetscCall(test_body_destroy(&hard));
  return PETSC_SUCCESS;
}

/* compliant with hard attachments is compliant with soft ones of compliance 0, and holds them to the last bit. */
static PetscErrorCode test_compliant(void)
{
  test_body     soft, hard;
  wring_outcome outcome;
  double        distance;
  PetscCall(create_held("stable_neohookean", 0.02, &hard));
  PetscCall(test_body_create("stable_neohookean", 0.03, 0, &soft));
  PetscCall(wring_options_set(soft.o, "solver_compliant_compliance", "0", "test"));
  PetscCall(test_body_attach(&soft, "xmin", 1, test_stay));
  PetscCall(test_body_attach(&soft, "xmax", 1, test_pull_and_turn));
  PetscCall(test_body_set_up(&soft));
  PetscCall(VecCopy(hard.x, soft.x));
  PetscCall(wring_potential_set_target(soft.g, soft.x));
  PetscCall(wring_potential_set_start(soft.g, soft.x));
  PetscCall(test_body_solve(&hard, "compliant", 1, 0, hard.x, &outcome));
  PetscCall(check_held(&hard, "xmin", test_stay, hard.x, "compliant"));
  PetscCall(check_held(&hard, "xmax", test_pull_and_turn, hard.x, "compliant"));
  PetscCall(test_body_solve(&soft, "compliant", 1, 0, soft.x, &outcome));
  PetscCall(test_distance(hard.x, soft.x, &distance));
  CHECK(distance < 1e-8, "%g m from constraints without compliance", distance);
  PetscCall(test_body_destroy(&soft));
  PetscCall(test_body_destroy(&hard));
  return PETSC_SUCCESS;
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

/*
  Soft attachments of stiffness k end 1/k away from hard ones: 100 times closer for 100 times k. Columns that are left
  in A, or a force of the held vertices on the others that is lost, keep a distance.
*/
static PetscErrorCode test_limit(void)
{
  test_body     hard;
  wring_outcome outcome;
  double        distance[2];
  PetscCall(create_held("corotated", 0.05, &hard));
  for (int i = 0; i < 2; i++) {
    test_body soft;
    PetscCall(test_body_create("corotated", 0.03, 0, &soft));
    PetscCall(test_body_attach(&soft, "xmin", i ? 1e10 : 1e8, test_stay));
    PetscCall(test_body_attach(&soft, "xmax", i ? 1e10 : 1e8, test_pull_and_turn));
    PetscCall(test_body_set_up(&soft));
    PetscCall(test_body_place(&soft, test_stay, 0.05, soft.x));
    PetscCall(wring_potential_set_target(soft.g, soft.x));
    PetscCall(test_body_solve(&soft, "newton", 100, 1e-13, soft.x, &outcome));
    PetscCall(test_body_solve(&hard, "newton", 100, 1e-11, hard.x, &outcome));
    PetscCall(test_distance(soft.x, hard.x, &distance[i]));
    PetscCall(test_body_destroy(&soft));
  }
  CHECK(distance[0] < 1e-3 && distance[1] < 0.02 * distance[0], "distances %g, %g", distance[0], distance[1]);
  PetscCall(test_body_destroy(&hard));
  return PETSC_SUCCESS;
}

/* With all sides held by an affine map the inside follows it, whatever the material: y is there too. */
static PetscErrorCode test_patch(const wring_law *law, const char *source)
{
  static const char *const side[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  test_body                b;
  wring_outcome            outcome;
  Vec                      x;
  double                   distance;
  PetscInt                *vertex, n = 0;
  double                  *target;
  char                    *mark;
  wring_term              *term;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, source, law, 10, 0, &b));
  PetscCall(PetscCalloc3(b.mesh->n_owned, &mark, b.mesh->n_owned, &vertex, 3 * b.mesh->n_owned, &target));
  for (int i = 0; i < 6; i++) {
    const PetscInt s = wring_names_find(&b.mesh->set.names, side[i]);
    for (PetscInt j = 0; j < b.mesh->set.count[s]; j++) mark[b.mesh->set.vertex[s][j]] = 1;
  }
  for (PetscInt i = 0; i < b.mesh->n_owned; i++) {
    if (!mark[i]) continue;
    affine(b.mesh->X + 3 * i, target + 3 * n);
    vertex[n++] = i;
  }
  PetscCall(wring_term_create_hard_attachments(b.mesh, "all", n, vertex, target, &test_still, &term));
  PetscCall(wring_potential_add_term(b.g, term));
  PetscCall(PetscFree3(mark, vertex, target));
  PetscCall(test_body_set_up(&b));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(test_body_place(&b, affine, 0, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(test_body_place(&b, affine, 0.02, x));
  PetscCall(test_body_solve(&b, "newton", 100, 1e-13, x, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "%s: %s", law->name, wring_reason_name(outcome.reason));
  PetscCall(test_distance(x, b.x, &distance));
  CHECK(distance < 1e-12, "%s: %g m from the affine map", law->name, distance);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/*
  With an A ten times as stiff as H, all eigenvalues of A^(-1) H on the free vertices are about 1/10: rows of held ones,
  where it is 1, must not take part.
*/
static PetscErrorCode test_condition(void)
{
  const PetscInt cells[3] = {4, 2, 2};
  const double   par[1]   = {1e5};
  test_body      b        = {.x = NULL};
  wring_term    *term;
  wring_solver  *s;
  double         least, largest;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &b.o));
  PetscCall(wring_options_set(b.o, "operator_type", "direct", "test"));
  b.mesh = test_box(PETSC_COMM_WORLD, cells);
  b.g    = test_masses(b.mesh, 1);
  PetscCall(wring_term_create_tets(b.mesh, 0, &wring_law_strain, par, 10 * par[0], NULL, &term));
  PetscCall(wring_potential_add_term(b.g, term));
  PetscCall(wring_potential_set_step(b.g, 10));
  PetscCall(wring_potential_create_vec(b.g, &b.x));
  test_displace(b.mesh, 0, 0, b.x);
  PetscCall(test_body_hold(&b, "xmin", test_stay, &test_still));
  PetscCall(test_body_set_up(&b));
  PetscCall(test_body_solver(&b, "qn", &s));
  PetscCall(wring_solver_condition(s, b.x, 100, &least, &largest));
  CHECK(largest < 0.1 + 1e-6 && least > 0, "eigenvalues %.17g to %.17g", least, largest);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/* A vertex that two of them hold is refused on all ranks; a soft one beside it changes nothing. */
static PetscErrorCode test_both(void)
{
  test_body     b;
  wring_outcome outcome;
  Vec           x;
  double        distance;
  PetscCall(create_held("corotated", 0.05, &b));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(test_body_solve_from(&b, "newton", 100, 1e-12, b.x, x, &outcome));
  PetscCall(test_body_attach(&b, "xmin", 1e6, test_pull_and_turn));
  PetscCall(test_body_solve(&b, "newton", 100, 1e-12, b.x, &outcome));
  PetscCall(test_distance(x, b.x, &distance));
  CHECK(distance < 1e-10, "a soft attachment moved what a hard one holds by %g m", distance);
  CHECK_REFUSED(test_body_hold(&b, "ymin", test_stay, &test_still), "is held by 'x",
                "and by 'ymin', expected one hard attachment per vertex");
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/* ---- in time ----------------------------------------------------------------------------------------------------- */

static const char *const rules[] = {"implicit_euler",        "implicit_midpoint", "bdf2",
                                    "linear_implicit_euler", "symplectic_euler",  "explicit_euler"};

/* A soft block, xmin held on a smooth way that turns. */
static PetscErrorCode create_moving(const char *rule, double h, double release, test_body *b, wring_stepper **stepper,
                                    wring_state *state)
{
  const double      points[6][4] = {{-1, -1, 2, 0},       {0, 0, 0, 0}, {0.3, 0.2, 0.1, 0},
                                    {0.5, 0.1, 0.3, 0.2}, {1, 0, 0, 0}, {2, 1, 0, 0}};
  wring_motion      motion       = {.spin = {40, 20, 0}, .until = INFINITY, .release = release};
  wring_time_curve *path;
  wring_error       error = {""};

  PetscFunctionBegin;
  PetscCall(test_body_create_soft(rule, h, PETSC_TRUE, b));
  PetscCall(wring_time_curve_create(WRING_CURVE_CUBIC, "path", 6, 3, points[0], &path, &error));
  motion.path = path;
  PetscCall(test_body_hold(b, "xmin", test_stay, &motion));
  PetscCall(wring_time_curve_destroy(&path));
  PetscCall(wring_stepper_create(b->g, b->o, stepper));
  PetscCall(test_state_create(b, NULL, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  q at the targets of the state's time, to the last bit; v of rules of one step the way of the last one, of all sizes
  sensible.
*/
static PetscErrorCode check_places(const test_body *b, const char *rule, const wring_state *state, Vec before, double h)
{
  wring_term *const *term;
  const PetscInt    *vertex;
  const double      *target, *q, *v, *old;

  PetscFunctionBegin;
  const int n = wring_potential_terms(b->g, &term);
  PetscCall(VecGetArrayRead(state->q, &q));
  PetscCall(VecGetArrayRead(state->v, &v));
  PetscCall(VecGetArrayRead(before, &old));
  for (int t = 0; t < n; t++) {
    const PetscInt held = wring_term_held(term[t], &vertex, &target);
    for (PetscInt i = 0; i < 3 * held; i++) {
      const PetscInt at = 3 * vertex[i / 3] + i % 3;
      CHECK(q[at] == target[i], "%s: off its target by %g", rule, q[at] - target[i]);
      if (strcmp(rule, "bdf2")) CHECK(fabs(v[at] - (q[at] - old[at]) / h) < 1e-12, "%s: velocity %g", rule, v[at]);
      CHECK(fabs(v[at]) < 4, "%s: velocity %g", rule, v[at]);
    }
  }
  PetscCall(VecRestoreArrayRead(before, &old));
  PetscCall(VecRestoreArrayRead(state->v, &v));
  PetscCall(VecRestoreArrayRead(state->q, &q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q after n steps of 0.24/n s, all held vertices at their targets after each. */
static PetscErrorCode march(const char *rule, int n, PetscBool check, double *q)
{
  const double   h = 0.24 / n;
  test_body      b;
  wring_stepper *stepper;
  wring_state    state;
  Vec            before;
  const double  *qa;
  PetscBool      changed;

  PetscFunctionBegin;
  PetscCall(create_moving(rule, h, INFINITY, &b, &stepper, &state));
  PetscCall(VecDuplicate(state.q, &before));
  for (int i = 0; i < n; i++) {
    PetscCall(VecCopy(state.q, before));
    PetscCall(test_body_step(&b, stepper, &state, &changed));
    CHECK(changed == (i == 0) || !strcmp(rule, "bdf2"), "step %d: changed is %d", i, changed);
    if (check) PetscCall(check_places(&b, rule, &state, before, h));
  }
  PetscCall(VecGetArrayRead(state.q, &qa));
  PetscCall(PetscArraycpy(q, qa, 3 * b.mesh->n_owned));
  PetscCall(VecRestoreArrayRead(state.q, &qa));
  PetscCall(VecDestroy(&before));
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The order in time stays 1 or 2: targets at a wrong time of the step, as the middle's for the midpoint rule, cost an
  order.
*/
static PetscErrorCode test_order(const char *rule)
{
  enum { MOST = 3 * 12 };
  const int second     = !strcmp(rule, "implicit_midpoint") || !strcmp(rule, "bdf2");
  const int n          = !strncmp(rule, "symplectic", 4) || !strncmp(rule, "explicit", 4) ? 32 : 8;
  double    q[3][MOST] = {{0}}, e[2] = {0};
  for (int i = 0; i < 3; i++) PetscCall(march(rule, n << i, (PetscBool)(i == 0), q[i]));
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < MOST; k++) e[i] += (q[i][k] - q[i + 1][k]) * (q[i][k] - q[i + 1][k]);
  MPI_Allreduce(MPI_IN_PLACE, e, 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  const double order = 0.5 * log2(e[0] / e[1]);
  CHECK(fabs(order - (second ? 2 : 1)) < 0.25, "%s: observed order %g", rule, order);
  return PETSC_SUCCESS;
}

/*
  What holds the end is what the momentum lacks: sum M (v' - v)/h = sum m g + the force. A sign, or the inertia of held
  vertices left out, fails.
*/
static PetscErrorCode test_force(void)
{
  const double   g[3] = {0.5, -1, 2}, h = 0.01;
  test_body      b;
  wring_stepper *stepper;
  wring_state    state;
  const double  *mass, *v;
  double         p[2][3] = {{0}}, force[6], weight = 0;
  PetscBool      changed;
  PetscCall(create_moving("implicit_euler", h, INFINITY, &b, &stepper, &state));
  mass = wring_potential_mass(b.g);
  for (int i = 0; i < 4; i++) {
    PetscCall(PetscArraycpy(p[0], p[1], 3));
    PetscCall(test_body_step(&b, stepper, &state, &changed));
    p[1][0] = p[1][1] = p[1][2] = weight = 0;
    PetscCall(VecGetArrayRead(state.v, &v));
    for (PetscInt k = 0; k < 3 * b.mesh->n_owned; k++) p[1][k % 3] += mass[k / 3] * v[k], weight += mass[k / 3] / 3;
    PetscCall(VecRestoreArrayRead(state.v, &v));
    MPI_Allreduce(MPI_IN_PLACE, p[1], 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &weight, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    PetscCall(wring_potential_resultants(b.g, state.q, force));
    for (int c = 0; c < 3; c++) {
      const double lacks = (p[1][c] - p[0][c]) / h - weight * g[c];
      CHECK(fabs(force[3 + c] - lacks) < 1e-7 * weight, "step %d: force %.12g, momentum lacks %.12g", i, force[3 + c],
            lacks);
    }
  }
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  return PETSC_SUCCESS;
}

/* A is built again at the release, without a held row; the body then falls as a whole by gravity alone. */
static PetscErrorCode test_release(const char *rule)
{
  const double   g[3] = {0.5, -1, 2}, h = 0.02;
  test_body      b;
  wring_stepper *stepper;
  wring_state    state;
  const double  *v;
  double         p[2][3] = {{0}}, weight = 0;
  PetscBool      changed;
  PetscCall(create_moving(rule, h, 3 * h, &b, &stepper, &state));
  const double *const mass = wring_potential_mass(b.g);
  for (int i = 0; i < 6; i++) {
    PetscCall(PetscArraycpy(p[0], p[1], 3));
    PetscCall(test_body_step(&b, stepper, &state, &changed));
    CHECK(changed || (i != 0 && i != 3), "step %d: A is not built again", i);
    CHECK((wring_potential_held(b.g) > 0) == (i < 3), "step %d: %d vertices are held", i,
          (int)wring_potential_held(b.g));
    p[1][0] = p[1][1] = p[1][2] = weight = 0;
    PetscCall(VecGetArrayRead(state.v, &v));
    for (PetscInt k = 0; k < 3 * b.mesh->n_owned; k++) p[1][k % 3] += mass[k / 3] * v[k], weight += mass[k / 3] / 3;
    PetscCall(VecRestoreArrayRead(state.v, &v));
    MPI_Allreduce(MPI_IN_PLACE, p[1], 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &weight, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    for (int c = 0; i >= 3 && strcmp(rule, "bdf2") && c < 3; c++) {
      const double pull = (p[1][c] - p[0][c]) / h / weight;
      CHECK(fabs(pull - g[c]) < 1e-8, "%s: step %d: acceleration %.12g, expected %g", rule, i, pull, g[c]);
    }
  }
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  return PETSC_SUCCESS;
}

int main(int argc, char **argv)
{
  static const char *const any[]    = {"qn",     "admm", "chebyshev",    "gradient_descent",
                                       "newton", "pncg", "trust_region", "vbd"};
  static const char *const sweep[]  = {"xpbd", "pbd", "rgc"};
  static const char *const strain[] = {"qn", "pd", "anderson", "admm", "mixed"};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(test_minimisers("corotated", 8, any));
  PetscCall(test_minimisers("strain", 5, strain));
  PetscCall(test_iterative());
  PetscCall(test_sweeps());
  for (int i = 0; i < 3; i++) PetscCall(test_heavy(sweep[i]));
  PetscCall(test_compliant());
  PetscCall(test_limit());
  for (int i = 0; wring_law_material(i); i++) PetscCall(test_patch(wring_law_material(i), argv[1]));
  PetscCall(test_condition());
  for (int i = 0; i < 6 && size <= 2; i++) PetscCall(test_order(rules[i])); // many steps, the same on any ranks
  PetscCall(test_force());
  for (int i = 0; i < 6; i++) PetscCall(test_release(rules[i]));
  PetscCall(test_both());
  PetscCall(PetscFinalize());
  return 0;
}
