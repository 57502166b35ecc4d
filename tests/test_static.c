/* ranks: 1 2 4 */
/*
  Statics: g without inertia and with dead loads is the integral of its gradient, does not depend on a step, and has the
  same minimum under every method; load steps grow as they should; the reactions balance the loads.
*/
#include "body.h"
#include "potential/potential_impl.h"
#include "step/step_impl.h"

/* Oblique forces on all vertices that do not balance, [n_owned][3] N. */
static PetscErrorCode set_forces(const test_body *b, double size)
{
  Vec f;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b->x, &f));
  test_direction(b->mesh, 9, f);
  PetscCall(VecShift(f, 0.3));
  PetscCall(VecScale(f, size));
  PetscCall(wring_potential_set_load(b->g, f));
  PetscCall(VecDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block that is held at xmin, and at xmax turned, unless far is NULL, under the forces; g has this h. */
static PetscErrorCode create_loaded(const char *material, double h, test_map *far, test_body *b)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(material, h, 0, b));
  PetscCall(wring_potential_set_static(b->g));
  PetscCall(test_body_hold(b, "xmin", test_stay, &test_still));
  if (far) PetscCall(test_body_hold(b, "xmax", far, &test_still));
  PetscCall(test_body_set_up(b));
  PetscCall(set_forces(b, 30));
  PetscCall(wring_potential_set_target(b->g, b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- g, its gradient and its Hessian ----------------------------------------------------------------------------- */

/*
  (g(x + e d) - g(x - e d))/(2 e) = grad g . d, and the same for grad g and H d, for d = 0 at the held vertices. Fails
  if the load has another sign or size in one of them, or if a mass remains in g or H.
*/
static PetscErrorCode test_derivatives(void)
{
  test_body b;
  Vec       d;

  PetscFunctionBegin;
  PetscCall(create_loaded("corotated", 0.01, test_pull_and_turn, &b));
  PetscCall(VecDuplicate(b.x, &d));
  test_displace(b.mesh, 0.02, 4, b.x);
  PetscCall(wring_potential_place(b.g, b.x));
  test_direction(b.mesh, 5, d);
  PetscCall(wring_potential_clear(b.g, d));
  PetscCall(test_differences(b.g, b.x, d, "static", 1e-6, 1e-7, 1e-6));
  PetscCall(VecDestroy(&d));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g, its gradient, A and H are the same numbers for any h. Fails if a mass or an h remains in one of them. */
static PetscErrorCode test_no_step(void)
{
  wring_value value[2];
  double      sum[2][3];

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    test_body b;
    Mat       H = NULL;
    Vec       grad;
    PetscCall(create_loaded("neohookean", i ? 1e-3 : 0.7, NULL, &b));
    PetscCall(VecDuplicate(b.x, &grad));
    test_displace(b.mesh, 0.02, 4, b.x);
    PetscCall(wring_potential_place(b.g, b.x));
    PetscCall(wring_potential_fused(b.g, b.x, &value[i], grad));
    PetscCall(wring_potential_hessian(b.g, b.x, WRING_FILTER_CLAMP, &H));
    PetscCall(VecNorm(grad, NORM_2, &sum[i][0]));
    PetscCall(MatNorm(b.A, NORM_FROBENIUS, &sum[i][1]));
    PetscCall(MatNorm(H, NORM_FROBENIUS, &sum[i][2]));
    PetscCall(MatDestroy(&H));
    PetscCall(VecDestroy(&grad));
    PetscCall(test_body_destroy(&b));
  }
  CHECK(value[0].objective == value[1].objective, "g %.17g and %.17g", value[0].objective, value[1].objective);
  for (int k = 0; k < 3; k++) CHECK(sum[0][k] == sum[1][k], "norm %d: %.17g and %.17g", k, sum[0][k], sum[1][k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the minimum ------------------------------------------------------------------------------------------------- */

/* The sum over all ranks of the forces of the hard attachments and of the load, and of the sizes of the load. */
static PetscErrorCode balance(const test_body *b, Vec load, Vec x, double sum[3], double *size)
{
  double        force[3][3] = {{0}};
  const double *f;

  PetscFunctionBegin;
  PetscCall(wring_potential_resultants(b->g, x, force[0]));
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideNorm(load, c, NORM_1, &sum[c]));
    *size += sum[c];
    sum[c] = 0;
  }
  PetscCall(VecGetArrayRead(load, &f));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) sum[i % 3] += f[i];
  PetscCall(VecRestoreArrayRead(load, &f));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, b->mesh->comm));
  for (int c = 0; c < 3; c++) sum[c] += force[1][c] + force[2][c];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forces at the attachments and the load add up to 0 at the minimum. Fails if reactions miss the load. */
static PetscErrorCode test_reactions(void)
{
  test_body     b;
  wring_outcome outcome;
  Vec           load;
  double        sum[3], size = 0;

  PetscFunctionBegin;
  PetscCall(create_loaded("corotated", 1, test_pull_and_turn, &b));
  PetscCall(VecDuplicate(b.x, &load));
  test_direction(b.mesh, 9, load);
  PetscCall(VecShift(load, 0.3));
  PetscCall(VecScale(load, 30));
  PetscCall(test_body_solve(&b, "newton", 100, 1e-12, b.x, &outcome));
  PetscCall(balance(&b, load, b.x, sum, &size));
  for (int c = 0; c < 3; c++) CHECK(fabs(sum[c]) <= 1e-8 * size, "forces %d: %g N of %g", c, sum[c], size);
  PetscCall(VecDestroy(&load));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every method that minimises ends at the same positions (steepest descent, which is slow, near the same g), and the
  Hessian is positive definite there. Fails if one of them uses an A, a metric or a scale with a mass in it.
*/
static PetscErrorCode test_methods(void)
{
  static const char *const name[] = {"qn", "pd", "admm", "chebyshev", "anderson", "gradient_descent"};
  test_body                b;
  wring_outcome            outcome;
  wring_solver            *solver;
  Vec                      x;
  double                   distance, least, largest;

  PetscFunctionBegin;
  PetscCall(create_loaded("strain", 1, NULL, &b));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(test_body_solve(&b, "newton", 100, 1e-11, b.x, &outcome));
  const double lowest = outcome.last.value.objective;
  for (int i = 0; i < 6; i++) {
    test_displace(b.mesh, 0, 0, x);
    PetscCall(test_body_solve(&b, name[i], i == 5 ? 4000 : 1000, 1e-11, x, &outcome));
    const double first = outcome.first.value.objective, last = outcome.last.value.objective;
    CHECK(fabs(last - lowest) <= (i == 5 ? 0.02 : 1e-9) * (first - lowest), "%s ends at %g J, newton at %g J", name[i],
          last, lowest);
    PetscCall(test_distance(x, b.x, &distance));
    CHECK(i == 5 || distance <= 1e-9, "%s ends %g m from newton", name[i], distance);
  }
  PetscCall(test_body_solver(&b, "pd", &solver));
  PetscCall(wring_solver_condition(solver, b.x, 100, &least, &largest));
  CHECK(least > 0 && largest / least < 1e4, "eigenvalues %g to %g", least, largest);
  PetscCall(wring_solver_destroy(&solver));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- load steps -------------------------------------------------------------------------------------------------- */

/* A bar along x, held at xmin, that gravity pulls along x; a stepper with n load steps. */
static PetscErrorCode create_bar(const char *young, const char *steps, test_body *b, wring_stepper **stepper,
                                 wring_state *state)
{
  const PetscInt cells[3] = {6, 2, 2};
  double         par[8];

  PetscFunctionBegin;
  *b = (test_body){.x = NULL};
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &b->o));
  PetscCall(test_set(b->o, "", "material_young=%s material_poisson=0 gravity=10,0,0", young));
  PetscCall(test_set(b->o, "time_", "integrator=static steps=%s", steps));
  PetscCall(wring_law_corotated.set_par(&wring_law_corotated, b->o, "material_", "material_", par));
  b->mesh = test_box(PETSC_COMM_WORLD, cells);
  b->g    = test_potential(b->mesh, &wring_law_corotated, par);
  PetscCall(test_body_hold(b, "xmin", test_stay, &test_still));
  PetscCall(wring_potential_create_vec(b->g, &b->x));
  PetscCall(wring_stepper_create(b->g, b->o, stepper));
  PetscCall(test_state_create(b, NULL, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode march(test_body *b, wring_stepper *stepper, wring_state *state)
{
  wring_outcome outcome;
  PetscBool     changed;
  double        speed;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < wring_stepper_steps(stepper); i++) {
    PetscCall(wring_stepper_begin(stepper, state, b->x, &changed));
    CHECK(changed == (i == 0), "load step %d: A changes", (int)i);
    PetscCall(test_body_solve(b, "newton", 50, 1e-12, b->x, &outcome));
    PetscCall(wring_stepper_finish(stepper, b->x, state, &outcome.last.value.elastic));
    CHECK(state->step == i + 1 && state->time == (double)(i + 1) / (double)wring_stepper_steps(stepper),
          "step %d at %g", (int)state->step, state->time);
  }
  PetscCall(VecNorm(state->v, NORM_INFINITY, &speed));
  CHECK(speed == 0, "a velocity of %g m/s", speed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The mean over xmax of the displacement along x, weighted by the nodal forces of a uniform traction, which hold the
  uniform stretch of the bar.
*/
static PetscErrorCode mean_displacement(const test_body *b, Vec x, double *mean)
{
  const double  stretch = 1e-6;
  Vec           moved, f[2];
  const double *u, *force;
  double        sum[2] = {0};

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &moved));
  for (int i = 0; i < 2; i++) {
    double *at;
    PetscCall(VecDuplicate(x, &f[i]));
    test_displace(b->mesh, 0, 0, moved);
    PetscCall(VecGetArray(moved, &at));
    for (PetscInt k = 0; i && k < b->mesh->n_owned; k++) at[3 * k] *= 1 + stretch;
    PetscCall(VecRestoreArray(moved, &at));
    PetscCall(wring_potential_gradient(b->g, moved, f[i]));
  }
  PetscCall(VecAXPY(f[1], -1, f[0])); // of the stretch alone
  test_displace(b->mesh, 0, 0, moved);
  PetscCall(VecAYPX(moved, -1, x));
  PetscCall(VecGetArrayRead(moved, &u));
  PetscCall(VecGetArrayRead(f[1], &force));
  for (PetscInt k = 0; k < 3 * b->mesh->n_owned; k += 3) sum[0] += force[k] * u[k], sum[1] += force[k];
  PetscCall(VecRestoreArrayRead(f[1], &force));
  PetscCall(VecRestoreArrayRead(moved, &u));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, b->mesh->comm));
  *mean = sum[0] / sum[1];
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&f[i]));
  PetscCall(VecDestroy(&moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The end of a bar of length L under its own weight moves by rho g L^2/(2 E) on any mesh: by Betti's theorem the mean is
  the work of the weight on the linear displacement of a traction. Fails if the load is not that of pseudo-time 1.
*/
static PetscErrorCode test_bar(void)
{
  const double   expected = 1000 * 10 * 4 / (2 * 1e10);
  test_body      b;
  wring_stepper *stepper;
  wring_state    state;
  double         mean = 0;

  PetscFunctionBegin;
  PetscCall(create_bar("1e10", "2", &b, &stepper, &state));
  PetscCall(march(&b, stepper, &state));
  PetscCall(mean_displacement(&b, state.q, &mean));
  CHECK(fabs(mean - expected) <= 1e-5 * expected, "the end moves by %.9g m, expected %.9g", mean, expected);
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One load step and five end at the same positions where the minimum is unique. */
static PetscErrorCode test_path(void)
{
  Vec    x[2];
  double distance;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    test_body      b;
    wring_stepper *stepper;
    wring_state    state;
    PetscCall(create_bar("1e5", i ? "5" : "1", &b, &stepper, &state));
    PetscCall(march(&b, stepper, &state));
    PetscCall(VecDuplicate(state.q, &x[i]));
    PetscCall(VecCopy(state.q, x[i]));
    PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  }
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance <= 1e-9, "1 and 5 load steps differ by %g m", distance);
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&x[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Halves the part of the load step that begins at the state, `times` times; *end: its pseudo-time at the end. */
static PetscErrorCode begin_part(test_body *b, wring_stepper *stepper, const wring_state *state, int times, double *end)
{
  PetscBool changed, halved;

  PetscFunctionBegin;
  PetscCall(wring_stepper_begin(stepper, state, b->x, &changed));
  for (int i = 0; i < times; i++) {
    PetscCall(wring_stepper_halve(stepper, state, &halved));
    CHECK(halved, "load step %d is not halved", (int)state->step);
    PetscCall(wring_stepper_begin(stepper, state, b->x, &changed));
  }
  *end = wring_stepper_end(stepper, state);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A load step of which a quarter, another one and the half that is left succeed, at pseudo-times that are rounded.
  Fails if a part of the size of this rounding remains.
*/
static PetscErrorCode test_parts(void)
{
  test_body      b;
  wring_stepper *stepper;
  wring_state    state;
  double         end = 0, elastic = 0;

  PetscFunctionBegin;
  PetscCall(create_bar("1e5", "10", &b, &stepper, &state));
  for (int i = 0; i < 10; i++) {
    for (int part = 0; part < 3; part++) {
      PetscCall(begin_part(&b, stepper, &state, 2 - part, &end));
      CHECK(fabs(10 * end - i - (part == 2 ? 1 : 0.25 * (part + 1))) <= 1e-12, "part %d of load step %d ends at %.17g",
            part, i, end);
      PetscCall(wring_stepper_finish(stepper, b.x, &state, &elastic));
    }
    CHECK(state.step == i + 1 && state.time == (i + 1) / 10., "step %d at %.17g", (int)state.step, state.time);
  }
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts of work in the starts of `steps` load steps, from q times 1 + off, with xmax in motion, or free (NULL). */
static PetscErrorCode count_starts(int steps, double off, const wring_motion *motion, wring_counts *n)
{
  test_body      b;
  wring_stepper *stepper;
  wring_state    state;
  wring_phases   phases;
  PetscBool      changed;
  double         elastic = 0;

  PetscFunctionBegin;
  PetscCall(create_bar("1e10", "4", &b, &stepper, &state));
  if (motion) PetscCall(test_body_hold(&b, "xmax", test_stay, motion));
  PetscCall(VecScale(state.q, 1 + off));
  wring_stepper_set_start(stepper, WRING_START_AUTO);
  wring_phases_start(&phases);
  b.g->phases = &phases;
  for (int i = 0; i < steps; i++) {
    PetscCall(wring_stepper_begin(stepper, &state, b.x, &changed));
    PetscCall(wring_stepper_finish(stepper, b.x, &state, &elastic));
  }
  *n = wring_counts_now(&phases);
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The x_0 that continues the motion of held vertices takes one solve of three components, and none where q, or q moved
  on, has the vertices in place. Fails if iterations are missing in the counts of work, if rounding of places is taken
  for a motion, or if a motion that goes on straight is continued again, or one that turns is not.
*/
static PetscErrorCode test_start(void)
{
  const wring_motion pull = {.velocity = {0.1, 0, 0}, .until = INFINITY, .release = INFINITY};
  const wring_motion turn = {.spin = {20, 0, 0}, .until = INFINITY, .release = INFINITY};
  const struct {
    int                 steps;
    double              off;
    const wring_motion *motion;
    int                 solves;
  } cases[] = {{1, 0, &pull, 1}, {1, 1e-15, NULL, 0}, {1, 1e-12, NULL, 1}, {3, 0, &pull, 1}, {3, 0, &turn, 3}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    wring_counts n = {.of = {0}};
    PetscCall(count_starts(cases[i].steps, cases[i].off, cases[i].motion, &n));
    const int solves = (int)n.of[WRING_WORK_LINEAR_SOLVES], products = (int)n.of[WRING_WORK_PRODUCTS];
    CHECK(solves == cases[i].solves, "case %d: %d solves", (int)i, solves);
    CHECK(products >= 2 * solves && n.of[WRING_WORK_REDUCTIONS] > 2 * products, "case %d: %d products, %d reductions",
          (int)i, products, (int)n.of[WRING_WORK_REDUCTIONS]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |L d| at free vertices. */
static PetscErrorCode residual(const test_body *b, Vec d, double *norm)
{
  Mat A[3] = {NULL, NULL, NULL};
  Vec r;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(d, &r));
  PetscCall(wring_potential_continue(b->g, d, r, A));
  PetscCall(VecNorm(r, NORM_2, norm));
  PetscCall(wring_matrices_destroy(A));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L d = 0 at free vertices, d = x_0 - q of a bar that is turned at xmax. Fails if x_0 does not continue the turn. */
static PetscErrorCode test_continued(void)
{
  const wring_motion turn = {.spin = {20, 0, 0}, .until = INFINITY, .release = INFINITY};
  test_body          b;
  wring_stepper     *stepper;
  wring_state        state;
  PetscBool          changed;
  double             continued, alone;
  Vec                d;

  PetscFunctionBegin;
  PetscCall(create_bar("1e10", "4", &b, &stepper, &state));
  PetscCall(test_body_hold(&b, "xmax", test_stay, &turn));
  wring_stepper_set_start(stepper, WRING_START_AUTO);
  PetscCall(wring_stepper_begin(stepper, &state, b.x, &changed));
  PetscCall(VecDuplicate(b.x, &d));
  PetscCall(VecWAXPY(d, -1, state.q, b.x));
  PetscCall(residual(&b, d, &continued));
  PetscCall(VecCopy(state.q, d));
  PetscCall(wring_potential_place(b.g, d));
  PetscCall(VecAXPY(d, -1, state.q));
  PetscCall(residual(&b, d, &alone));
  CHECK(alone > 0 && continued <= 1e-2 * alone, "|L d| is %g N, %g N of the held vertices alone", continued, alone);
  PetscCall(VecDestroy(&d));
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_derivatives());
  PetscCall(test_no_step());
  PetscCall(test_reactions());
  PetscCall(test_methods());
  PetscCall(test_bar());
  PetscCall(test_path());
  PetscCall(test_parts());
  PetscCall(test_start());
  PetscCall(test_continued());
  PetscCall(PetscFinalize());
  return 0;
}
