/* ranks: 1 2 */
/* Implicit Euler steps of a free body: free fall by formula, momentum, the start of a solve, the number of steps. */
#include "body.h"
#include "refused.h"

/* Counts reductions: every evaluation of g is one. */
#undef MPI_Allreduce
static int reductions;

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reductions++;
  return PMPI_Allreduce(in, out, n, type, op, comm);
}

static const double step = 0.01;

/* A velocity that turns the body inside out within one step. */
static void implode(const double X[3], double v[3])
{
  for (int c = 0; c < 3; c++) v[c] = c ? 0 : -1.5 * X[c] / step;
}

/* One step by qn. */
static PetscErrorCode march(test_body *m, wring_stepper *stepper, wring_state *state)
{
  wring_outcome outcome;
  PetscBool     changed;
  double        elastic;

  PetscFunctionBegin;
  PetscCall(wring_stepper_begin(stepper, state, m->x, &changed));
  CHECK((changed != 0) == (state->step == 0), "A must be built again in step %d: %d", (int)state->step, (int)changed);
  PetscCall(test_body_solve(m, "qn", 100, 1e-10, m->x, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "step %d: %s", (int)state->step, wring_reason_name(outcome.reason));
  elastic = outcome.last.value.elastic;
  PetscCall(wring_stepper_finish(stepper, m->x, state, &elastic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  From rest a body falls rigidly under gravity: by g h^2 n (n + 1)/2 after n steps. Fails if y or v' differs from the
  formula.
*/
static PetscErrorCode test_free_fall(void)
{
  const double   gravity[3] = {1, -2, -9.81};
  test_body      m;
  wring_state    state;
  wring_stepper *stepper;
  const double  *q, *v;

  PetscFunctionBegin;
  PetscCall(test_body_create("strain", step, 0, &m));
  PetscCall(test_set(m.o, "", "time_step=0.01 time_end=0.05 gravity=1,-2,-9.81"));
  PetscCall(test_body_set_up(&m));
  PetscCall(test_state_create(&m, NULL, &state));
  PetscCall(wring_stepper_create(m.g, m.o, &stepper));
  const PetscInt n = wring_stepper_steps(stepper);
  CHECK(n == 5 && wring_stepper_size(stepper) == step, "%d steps", (int)n);
  while (state.step < n) PetscCall(march(&m, stepper, &state));
  CHECK(fabs(state.time - 0.05) < 1e-15, "time %g", state.time);
  PetscCall(VecGetArrayRead(state.q, &q));
  PetscCall(VecGetArrayRead(state.v, &v));
  for (PetscInt i = 0; i < 3 * m.mesh->n_owned; i++) {
    const double g = gravity[i % 3], fallen = q[i] - m.mesh->X[i];
    CHECK(fabs(fallen - g * step * step * 15) <= 1e-13, "fell %g m", fallen);
    CHECK(fabs(v[i] - 5 * g * step) <= 1e-11, "falls with %g m/s", v[i]);
  }
  PetscCall(VecRestoreArrayRead(state.v, &v));
  PetscCall(VecRestoreArrayRead(state.q, &q));
  PetscCall(test_body_destroy_moving(&m, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum m_i v_i of a rotating body does not change. Fails if a step or a solve exerts a net force. */
static PetscErrorCode test_momentum(void)
{
  test_body      m;
  wring_state    state;
  wring_stepper *stepper;
  Vec            v;
  double         drift;

  PetscFunctionBegin;
  PetscCall(test_body_create("corotated", step, 0, &m));
  PetscCall(wring_options_set(m.o, "time_step", "0.01", "test"));
  PetscCall(test_body_set_up(&m));
  PetscCall(test_state_create(&m, test_whirl, &state));
  PetscCall(VecDuplicate(state.v, &v));
  PetscCall(VecCopy(state.v, v));
  PetscCall(wring_stepper_create(m.g, m.o, &stepper));
  for (int n = 0; n < 4; n++) PetscCall(march(&m, stepper, &state));
  PetscCall(test_drift(&m, state.v, v, &drift));
  CHECK(drift <= 1e-12, "momentum drifts by %g", drift);
  PetscCall(VecDestroy(&v));
  PetscCall(test_body_destroy_moving(&m, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If y turns neo-Hookean elements inside out, x_0 is half way; from inverted positions there is no start. */
static PetscErrorCode test_start(void)
{
  test_body      m;
  wring_state    state;
  wring_stepper *stepper;
  PetscBool      changed;
  const double  *x;

  PetscFunctionBegin;
  PetscCall(test_body_create("neohookean", step, 0, &m));
  PetscCall(wring_options_set(m.o, "time_step", "0.01", "test"));
  PetscCall(test_body_set_up(&m));
  PetscCall(test_state_create(&m, implode, &state));
  PetscCall(wring_stepper_create(m.g, m.o, &stepper));
  PetscCall(wring_stepper_begin(stepper, &state, m.x, &changed));
  PetscCall(VecGetArrayRead(m.x, &x));
  for (PetscInt i = 0; i < 3 * m.mesh->n_owned; i++) {
    const double expected = i % 3 ? m.mesh->X[i] : 0.25 * m.mesh->X[i]; // q + t (y - q) = X - 1.5 t X, t = 1/2
    CHECK(fabs(x[i] - expected) < 1e-14, "x_0 is %g, not %g", x[i], expected);
  }
  PetscCall(VecRestoreArrayRead(m.x, &x));
  PetscCall(VecScale(state.q, -1));
  CHECK_REFUSED(wring_stepper_begin(stepper, &state, m.x, &changed), "not finite", "");
  PetscCall(test_body_destroy_moving(&m, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |x - (q + t (y - q))|_inf with y of g. */
static PetscErrorCode start_distance(test_body *m, const wring_state *state, double t, double *distance)
{
  Vec at;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(m->x, &at));
  PetscCall(VecWAXPY(at, -1, state->q, wring_potential_target(m->g)));
  PetscCall(VecAYPX(at, t, state->q));
  PetscCall(test_distance(m->x, at, distance));
  PetscCall(VecDestroy(&at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  start auto: a body in free flight starts from y, a stiff body at rest that is loaded from q, and a body whose y is
  inside out from q, although its material is finite there; start y takes y. Fails if another candidate is taken, or
  one that inverts tets although q does not.
*/
static PetscErrorCode test_auto_start(void)
{
  static const struct {
    const char *gravity, *start;
    test_map   *velocity;
    double      stiffness, t; // of xmin [N/m]; x_0 = q + t (y - q)
  } cases[] = {{"0,0,-9.81", NULL, test_whirl, 0, 1},
               {"0,0,-1000", NULL, NULL, 1e7, 0},
               {"0,0,0", NULL, implode, 0, 0},
               {"0,0,0", "y", implode, 0, 1},
               {"0,0,-9.81", "q", test_whirl, 0, 0}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    test_body      m;
    wring_state    state;
    wring_stepper *stepper;
    PetscBool      changed;
    double         distance = INFINITY;
    PetscCall(test_body_create("corotated", step, 0, &m));
    if (cases[i].stiffness > 0) PetscCall(test_body_attach(&m, "box", cases[i].stiffness, test_stay));
    PetscCall(test_set(m.o, "", "time_step=0.01 gravity=%s", cases[i].gravity));
    if (cases[i].start) PetscCall(wring_options_set(m.o, "solver_start", cases[i].start, "test"));
    PetscCall(test_body_set_up(&m));
    PetscCall(test_state_create(&m, cases[i].velocity, &state));
    PetscCall(wring_stepper_create(m.g, m.o, &stepper));
    wring_stepper_set_start(stepper, WRING_START_AUTO);
    PetscCall(wring_stepper_begin(stepper, &state, m.x, &changed));
    PetscCall(start_distance(&m, &state, cases[i].t, &distance));
    CHECK(distance < 1e-14, "case %d starts %g m away", (int)i, distance);
    PetscCall(test_body_destroy_moving(&m, &stepper, &state));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ceil(end/step - 1e-9) steps, or the given number, never both. */
static PetscErrorCode test_counts(void)
{
  static const struct {
    const char *step, *end, *steps;
    PetscInt    count; // -1: refused
  } cases[] = {
    {"1e-2", "1.5", NULL, 150}, {"0.1", "0.3", NULL, 3}, {"0.1", "0.30001", NULL, 4}, {"1", "1e-3", NULL, 1},
    {"0.1", NULL, "7", 7},      {"0.1", NULL, NULL, 1},  {"0.1", "1", "10", -1},      {"1e-9", "1e9", NULL, -1},
  };
  test_body m;

  PetscFunctionBegin;
  PetscCall(test_body_create("strain", step, 0, &m));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    wring_error    message = {""};
    wring_options *o;
    wring_stepper *stepper;
    if (cases[i].count < 0 && sizeof(PetscInt) == 8 && !cases[i].steps) continue; // 64 bits can count these steps
    PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
    PetscCall(wring_options_set(o, "time_step", cases[i].step, "deck:1"));
    if (cases[i].end) PetscCall(wring_options_set(o, "time_end", cases[i].end, "deck:2"));
    if (cases[i].steps) PetscCall(wring_options_set(o, "time_steps", cases[i].steps, "deck:3"));
    PetscCall(PetscPushErrorHandler(keep_message, message.text));
    const PetscErrorCode code = wring_stepper_create(m.g, o, &stepper);
    PetscCall(PetscPopErrorHandler());
    if (cases[i].count < 0)
      CHECK(code == PETSC_ERR_USER_INPUT && message.text[0], "case %d is taken", (int)i);
    else
      CHECK(code == 0 && wring_stepper_steps(stepper) == cases[i].count, "case %d: %d steps", (int)i,
            (int)wring_stepper_steps(stepper));
    PetscCall(wring_stepper_destroy(&stepper));
    PetscCall(wring_options_destroy(&o));
  }
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A law without a Hessian. Fails if the message calls an integrator a solver. */
static PetscErrorCode test_refusal(void)
{
  static wring_law law;
  const double     par[2] = {1, 1};
  test_body        m;
  wring_term      *term;
  wring_stepper   *stepper;

  PetscFunctionBegin;
  law         = wring_law_strain;
  law.name    = "putty";
  law.hessian = NULL;
  PetscCall(test_body_create("strain", step, 0, &m));
  PetscCall(wring_term_create_tets(m.mesh, 0, &law, par, 0, NULL, &term));
  PetscCall(wring_potential_add_term(m.g, term));
  PetscCall(test_set(m.o, "", "time_step=0.01 time_integrator=linear_implicit_euler"));
  CHECK_REFUSED(wring_stepper_create(m.g, m.o, &stepper),
                "integrator 'linear_implicit_euler' cannot use material 'putty': it has no Hessian",
                "expected material ");
  PetscCall(wring_stepper_destroy(&stepper));
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Counts reductions of a first step by qn that stops at x_0, where the solver gets g(x_0) or not; returns the outcome.
*/
static PetscErrorCode count_reductions(PetscBool told, int *begin, int *solve, wring_outcome *outcome)
{
  test_body      m;
  wring_state    state;
  wring_stepper *stepper;
  wring_solver  *s;
  PetscBool      changed;

  wring_evaluation known;
  PetscFunctionBegin;
  PetscCall(test_body_create("neohookean", step, 0, &m));
  PetscCall(wring_options_set(m.o, "time_step", "0.01", "test"));
  PetscCall(test_body_set_up(&m));
  PetscCall(test_state_create(&m, test_whirl, &state));
  PetscCall(wring_stepper_create(m.g, m.o, &stepper));
  PetscCall(test_body_solver(&m, "qn", &s));
  wring_solver_set_limits(s, 0, 0, 0, 1);
  const int before = reductions;
  PetscCall(wring_stepper_begin(stepper, &state, m.x, &changed));
  *begin = reductions - before;
  known  = *wring_stepper_evaluation(stepper);
  known.value.objective += 1;
  if (told) wring_solver_know_start(s, &known);
  PetscCall(wring_solver_solve(s, m.x, outcome));
  *solve = reductions - before - *begin;
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy_moving(&m, &stepper, &state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The stepper evaluates g(x_0) once, and a solver that gets an evaluation, here with an objective that is 1 J larger,
  does not evaluate it again. Fails if it does, or if it gets other numbers.
*/
static PetscErrorCode test_start_is_handed_on(void)
{
  int           begin[2], solve[2];
  wring_outcome outcome[2];

  PetscFunctionBegin;
  for (int told = 0; told < 2; told++)
    PetscCall(count_reductions((PetscBool)told, &begin[told], &solve[told], &outcome[told]));
  CHECK(begin[0] == 1 && begin[1] == 1, "the stepper evaluates g %d times", begin[1]);
  CHECK(solve[1] <= solve[0], "%d reductions of a solve, %d where it is told g(x_0)", solve[0], solve[1]);
  CHECK(outcome[0].first.value.objective + 1 == outcome[1].first.value.objective, "other values of g");
  CHECK(outcome[0].first.gradient_norm == outcome[1].first.gradient_norm, "other gradients");
  CHECK(outcome[0].first.evaluations == outcome[1].first.evaluations, "evaluations are counted otherwise");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_counts());
  PetscCall(test_refusal());
  PetscCall(test_free_fall());
  PetscCall(test_momentum());
  PetscCall(test_start());
  PetscCall(test_auto_start());
  PetscCall(test_start_is_handed_on());
  PetscCall(PetscFinalize());
  return 0;
}
