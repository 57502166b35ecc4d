/* ranks: 1 2 */
/*
  Every time integrator on a small soft block: observed order, momenta, the linear case, and the results of a step. The
  energies of a pendulum are tested in test_integrators.sh.
*/
#include "body.h"
#include "step/step_impl.h"

/* Makes n steps; the solves converge to round-off. Fails if a step leaves members of its outcome as they were. */
static PetscErrorCode march(test_body *b, wring_stepper *stepper, int n, wring_state *state)
{
  wring_solver *solver;
  wring_outcome outcome;
  PetscBool     changed;

  PetscFunctionBegin;
  PetscCall(test_body_solver(b, "newton", &solver));
  wring_solver_set_limits(solver, 30, 1e-13, 0, 1);
  while (n-- > 0) {
    PetscCall(wring_stepper_begin(stepper, state, b->x, &changed));
    memset(&outcome, 1, sizeof outcome);
    if (wring_stepper_minimises(stepper))
      PetscCall(wring_solver_solve(solver, b->x, &outcome));
    else
      PetscCall(wring_stepper_advance(stepper, state, b->x, &outcome));
    CHECK(outcome.rises.measured <= outcome.iterations && outcome.cut == 0 && outcome.friction.repeats == 0,
          "step %d has counts that it has not made", (int)state->step);
    CHECK(!wring_reason_failed(outcome.reason), "step %d: %s", (int)state->step, wring_reason_name(outcome.reason));
    PetscCall(wring_stepper_finish(stepper, b->x, state, &outcome.last.value.elastic));
  }
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Replaces the stepper by one with another step size and the same stored vectors, as after a restart. */
static PetscErrorCode change_step(test_body *b, double h, wring_stepper **stepper)
{
  wring_stepper *old = *stepper;
  wring_memory   from[WRING_MOST_MEMORY], to[WRING_MOST_MEMORY];

  PetscFunctionBegin;
  PetscCall(test_set(b->o, "time_", "step=%.17g", h));
  PetscCall(wring_stepper_create(b->g, b->o, stepper));
  const int n = wring_stepper_memory(old, from, NULL);
  CHECK(wring_stepper_size(*stepper) == h, "h is %g", wring_stepper_size(*stepper));
  CHECK(n == wring_stepper_memory(*stepper, to, NULL), "%d arrays", n);
  for (int i = 0; i < n; i++) PetscCall(VecCopy(from[i].value, to[i].value));
  if (wring_stepper_remembers(old)) PetscCall(wring_stepper_remember(*stepper, n));
  PetscCall(wring_stepper_destroy(&old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Positions [n_owned][3] in *x after n steps of end/n seconds; with ratio 2, the second half of the time takes twice as
  many steps.
*/
static PetscErrorCode final_positions(const char *integrator, double end, int n, int ratio, Vec *x)
{
  const wring_motion motion = {.velocity = {0.3, 0, -0.2}, .spin = {40, 20, 0}, .until = INFINITY, .release = INFINITY};
  test_body          b;
  wring_state        state;
  wring_stepper     *stepper;

  PetscFunctionBegin;
  PetscCall(test_body_create_soft(integrator, end / n, PETSC_TRUE, &b));
  PetscCall(test_body_attach_moving(&b, "xmin", 2e3, test_stay, &motion));
  PetscCall(test_state_create(&b, test_whirl, &state));
  PetscCall(wring_stepper_create(b.g, b.o, &stepper));
  PetscCall(march(&b, stepper, n / 2, &state));
  if (ratio > 1) PetscCall(change_step(&b, end / n / ratio, &stepper));
  PetscCall(march(&b, stepper, ratio * n / 2, &state));
  PetscCall(VecDuplicate(state.q, x));
  PetscCall(VecCopy(state.q, *x));
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  log2 |x_h - x_(h/2)| / |x_(h/2) - x_(h/4)| with moving targets and gravity. Fails if y, v' or the time of the targets
  belongs to another rule: targets at t + h reduce the midpoint rule to first order, as a wrong factor does with BDF2.
*/
static PetscErrorCode test_order(const char *integrator, int ratio, double expected)
{
  const double end  = 0.2;
  const int    n[3] = {40, 80, 160};
  Vec          x[3];
  double       coarse, fine;

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) PetscCall(final_positions(integrator, end, n[i], ratio, &x[i]));
  PetscCall(test_distance(x[0], x[1], &coarse));
  PetscCall(test_distance(x[1], x[2], &fine));
  const double order = log2(coarse / fine);
  CHECK(fabs(order - expected) < 0.1, "%s has order %.3f: errors %.2e, %.2e m", integrator, order, coarse, fine);
  for (int i = 0; i < 3; i++) PetscCall(VecDestroy(&x[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* |x_0 - x| of the step after the first n of a soft body that moves freely for 0.1 s. */
static PetscErrorCode start_error(const char *integrator, int n, double *error)
{
  test_body      b;
  wring_state    state;
  wring_stepper *stepper;
  wring_solver  *solver;
  wring_outcome  outcome;
  Vec            start;
  PetscBool      changed;

  PetscFunctionBegin;
  PetscCall(test_body_create_soft(integrator, 0.1 / n, PETSC_FALSE, &b));
  PetscCall(test_state_create(&b, test_whirl, &state));
  PetscCall(wring_stepper_create(b.g, b.o, &stepper));
  wring_stepper_set_start(stepper, WRING_START_AUTO);
  PetscCall(march(&b, stepper, n, &state));
  PetscCall(test_body_solver(&b, "newton", &solver));
  wring_solver_set_limits(solver, 30, 1e-13, 0, 1);
  PetscCall(wring_stepper_begin(stepper, &state, b.x, &changed));
  PetscCall(VecDuplicate(b.x, &start));
  PetscCall(VecCopy(b.x, start));
  PetscCall(wring_solver_solve(solver, b.x, &outcome));
  PetscCall(test_distance(start, b.x, error));
  PetscCall(VecDestroy(&start));
  PetscCall(wring_solver_destroy(&solver));
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of x_0 is O(h^4), (2.3). Fails if a change of velocity has a wrong factor, sign or unknown, or is old. */
static PetscErrorCode test_start(const char *integrator)
{
  double coarse, fine;

  PetscFunctionBegin;
  PetscCall(start_error(integrator, 40, &coarse));
  PetscCall(start_error(integrator, 80, &fine));
  CHECK(fabs(log2(coarse / fine) - 4) < 0.3, "%s starts with errors %.3g and %.3g m, of order %.2f", integrator, coarse,
        fine, log2(coarse / fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- momenta ----------------------------------------------------------------------------------------------------- */

/* l = sum m_i x_i x v_i. */
static PetscErrorCode angular_momentum(const test_body *b, const wring_state *state, double l[3])
{
  const double *x, *v, *mass = wring_potential_mass(b->g);

  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) l[c] = 0;
  PetscCall(VecGetArrayRead(state->q, &x));
  PetscCall(VecGetArrayRead(state->v, &v));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) {
    const PetscInt j = i - i % 3 + (i + 1) % 3, k = i - i % 3 + (i + 2) % 3;
    l[i % 3] += mass[i / 3] * (x[j] * v[k] - x[k] * v[j]);
  }
  PetscCall(VecRestoreArrayRead(state->v, &v));
  PetscCall(VecRestoreArrayRead(state->q, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, l, 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  |l - l_0| / |l_0| after 0.2 s of a free rotating body in *angular; the drift of its linear momentum in *linear.
*/
static PetscErrorCode momenta(const char *integrator, int n, double *linear, double *angular)
{
  test_body      b;
  wring_state    state;
  wring_stepper *stepper;
  Vec            v;
  double         before[3], after[3], change = 0, scale = 0;

  PetscFunctionBegin;
  *linear = *angular = INFINITY;
  PetscCall(test_body_create_soft(integrator, 0.2 / n, PETSC_FALSE, &b));
  PetscCall(test_state_create(&b, test_whirl, &state));
  PetscCall(VecDuplicate(state.v, &v));
  PetscCall(VecCopy(state.v, v));
  PetscCall(angular_momentum(&b, &state, before));
  PetscCall(wring_stepper_create(b.g, b.o, &stepper));
  PetscCall(march(&b, stepper, n, &state));
  PetscCall(angular_momentum(&b, &state, after));
  PetscCall(test_drift(&b, state.v, v, linear));
  for (int c = 0; c < 3; c++) change += PetscSqr(after[c] - before[c]), scale += PetscSqr(before[c]);
  *angular = sqrt(change / scale);
  PetscCall(VecDestroy(&v));
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every rule keeps the momenta that its table declares, and no others: implicit Euler loses O(h^2) of its angular
  momentum per step, that is O(h) in total. Fails if a rule or a solve exerts a net force or torque.
*/
static PetscErrorCode test_momenta(void)
{
  const wring_integrator *rule;
  double                  linear, angular, half;

  PetscFunctionBegin;
  for (int i = 0; (rule = wring_integrator_get(i)); i++) {
    if (rule->is_static) continue; // test_static.c
    PetscCall(momenta(rule->name, 20, &linear, &angular));
    CHECK((linear <= 1e-12) == !!(rule->keeps & WRING_KEEPS_LINEAR), "%s: linear momentum drifts by %g", rule->name,
          linear);
    CHECK((angular <= 1e-9) == !!(rule->keeps & WRING_KEEPS_ANGULAR), "%s: angular momentum drifts by %g", rule->name,
          angular);
  }
  PetscCall(momenta("implicit_euler", 20, &linear, &angular));
  PetscCall(momenta("implicit_euler", 40, &linear, &half));
  CHECK(angular > 1e-3 && angular / half > 1.7 && angular / half < 2.3, "implicit Euler loses %g and %g", angular,
        half);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the linear case --------------------------------------------------------------------------------------------- */

/* Masses on moving targets only. */
static PetscErrorCode linear_positions(const char *integrator, Vec *x)
{
  const wring_motion motion = {.velocity = {3, 0, -2}, .spin = {400, 20, 0}, .until = 0.05, .release = 0.08};
  test_body          b;
  wring_state        state;
  wring_stepper     *stepper;
  wring_potential   *g;

  PetscFunctionBegin;
  PetscCall(test_body_create_soft(integrator, 0.01, PETSC_TRUE, &b));
  PetscCall(wring_potential_create(b.mesh, wring_potential_mass(b.g), NULL, &g)); // without tets
  PetscCall(wring_potential_destroy(&b.g));
  b.g = g;
  PetscCall(test_body_attach_moving(&b, "xmin", 2e3, test_stay, &motion));
  PetscCall(test_state_create(&b, test_whirl, &state));
  PetscCall(wring_stepper_create(b.g, b.o, &stepper));
  PetscCall(march(&b, stepper, 10, &state));
  PetscCall(VecDuplicate(state.q, x));
  PetscCall(VecCopy(state.q, *x));
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With linear forces linear_implicit_euler equals implicit Euler. Fails if K, the force or the time of the targets is
  wrong.
*/
static PetscErrorCode test_linear(void)
{
  Vec    x, y;
  double distance;

  PetscFunctionBegin;
  PetscCall(linear_positions("implicit_euler", &x));
  PetscCall(linear_positions("linear_implicit_euler", &y));
  PetscCall(test_distance(x, y, &distance));
  CHECK(distance <= 1e-13, "linear forces: %g m from implicit Euler", distance);
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- results of a step ------------------------------------------------------------------------------------------- */

/* A is requested again when h of g changes, and *elastic is E at the new positions. Fails if bdf2 keeps the first A. */
static PetscErrorCode test_reports(const char *integrator, const char *changes)
{
  const wring_motion motion = {.velocity = {0.3, 0, -0.2}, .until = INFINITY, .release = INFINITY};
  test_body          b;
  wring_state        state;
  wring_stepper     *stepper;
  wring_outcome      outcome;
  PetscBool          changed;
  wring_value        value;

  PetscFunctionBegin;
  PetscCall(test_body_create_soft(integrator, 0.01, PETSC_TRUE, &b));
  PetscCall(test_body_attach_moving(&b, "xmin", 2e3, test_stay, &motion));
  PetscCall(test_state_create(&b, test_whirl, &state));
  PetscCall(wring_stepper_create(b.g, b.o, &stepper));
  for (int n = 0; n < 3; n++) {
    double elastic;
    PetscCall(wring_stepper_begin(stepper, &state, b.x, &changed));
    CHECK(changed == (changes[n] == '1'), "%s, step %d: A changed: %d", integrator, n, (int)changed);
    PetscCall(test_body_solve(&b, "newton", 30, 1e-12, b.x, &outcome));
    elastic = outcome.last.value.elastic;
    PetscCall(wring_stepper_finish(stepper, b.x, &state, &elastic));
    PetscCall(wring_potential_set_time(b.g, state.time, state.time, &changed));
    PetscCall(wring_potential_value(b.g, state.q, &value));
    CHECK(fabs(value.elastic - elastic) <= 1e-12 * value.elastic, "%s: E is %g, not %g", integrator, value.elastic,
          elastic);
  }
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rule has the order that its table declares; multistep rules also if the step size changes. */
static PetscErrorCode test_orders(void)
{
  const wring_integrator *rule;

  PetscFunctionBegin;
  for (int i = 0; (rule = wring_integrator_get(i)); i++) {
    if (rule->is_static) continue;
    PetscCall(test_order(rule->name, 1, rule->order));
    if (rule->target) PetscCall(test_order(rule->name, 2, rule->order));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a table's name differs from that in the list, or if a rule neither finishes nor advances. */
static PetscErrorCode test_tables(void)
{
  const wring_integrator *rule;
  char                    choices[256] = "";

  PetscFunctionBegin;
  for (int i = 0; (rule = wring_integrator_get(i)); i++) {
    PetscCall(PetscStrlcat(choices, i ? "|" : "", sizeof choices));
    PetscCall(PetscStrlcat(choices, rule->name, sizeof choices));
    CHECK(rule->finish || rule->advance, "%s makes no step", rule->name);
    CHECK(rule->part > 0 && rule->part <= 1 && rule->when >= 0 && rule->when <= 1, "%s: part %g, when %g", rule->name,
          rule->part, rule->when);
  }
  CHECK(strcmp(choices, wring_option_choices(wring_option_find(wring_time_options, "integrator"))) == 0, "%s", choices);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(test_tables());
  if (size == 1) PetscCall(test_orders());
  for (int i = 0; i < 3; i++) PetscCall(test_start((const char *[]){"implicit_euler", "implicit_midpoint", "bdf2"}[i]));
  PetscCall(test_momenta());
  PetscCall(test_linear());
  PetscCall(test_reports("implicit_euler", "100"));
  PetscCall(test_reports("implicit_midpoint", "100"));
  PetscCall(test_reports("bdf2", "110"));
  PetscCall(PetscFinalize());
  return 0;
}
