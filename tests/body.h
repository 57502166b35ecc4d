/* A box for tests of solvers and steps: a potential with attachments and springs, its operator, measures of x. */
#pragma once
#include "keys.h"
#include "model.h"
#include <wring/step.h>

typedef struct {
  wring_options   *o;
  wring_mesh      *mesh;
  wring_potential *g;
  wring_operator  *op;
  Mat              A, of[3]; // of x, borrowed; of x, y and z
  double           factor;   // of L in A
  Vec              x;        // rest positions
} test_body;

/* Parameters of about 1e5 Pa for any material; source: folder of the repository, which has the table of a spline. */
static inline PetscErrorCode test_set_material(wring_options *o, const wring_law *law, const char *source)
{
  static const char *const keys[][2] = {
    {"strain", "stiffness=1e5"}, {"polynomial", "mu=1e6"}, {"mooney_rivlin", "c10=1.5e4 c01=3e3 kappa=1.1e5"}};
  PetscBool known = PETSC_FALSE;
  char      file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (strcmp(keys[i][0], law->name) != 0) continue;
    known = PETSC_TRUE;
    PetscCall(test_set(o, "material_", "%s", keys[i][1]));
  }
  if (law == &wring_law_spline) {
    PetscCall(PetscSNPrintf(file, sizeof file, "%s/inputs/materials/stiff_in_tension.csv", source));
    PetscCall(wring_options_set(o, "material_file", file, "test"));
  } else if (!known && !wring_option_find(law->options, "young")) {
    PetscCall(wring_law_set_example(law, "material_", "test_example.csv", o));
  } else if (!known) {
    PetscCall(test_set(o, "material_", "young=1e5 poisson=0.35"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A variant `name` of a type with keys "key=value ...", in the manner of printf. */
static inline PetscErrorCode test_variant(wring_options *o, const char *name, const char *type, const char *keys, ...)
  __attribute__((format(printf, 4, 5)));

static inline PetscErrorCode test_variant(wring_options *o, const char *name, const char *type, const char *keys, ...)
{
  char    text[256], prefix[96];
  va_list values;

  PetscFunctionBegin;
  va_start(values, keys);
  vsnprintf(text, sizeof text, keys, values);
  va_end(values);
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "variant_%s_", name));
  PetscCall(test_set(o, prefix, "type=%s %s", type, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A 2 x 1 x 1 m box of a material of 1e5 Pa, 1000 kg/m^3, with n_springs springs across it; direct solves. On the ranks
  of comm.
*/
static inline PetscErrorCode test_body_create_on(MPI_Comm comm, const char *source, const wring_law *law, double h,
                                                 PetscInt n_springs, test_body *b)
{
  const PetscInt n = test_mesh_order, cells[3] = {6 / n, 3 / n, 3 / n}; // about as many vertices at either order
  wring_term    *springs = NULL;
  double        *par;

  PetscFunctionBegin;
  *b = (test_body){.x = NULL};
  PetscCall(wring_options_create(comm, &b->o));
  PetscCall(wring_options_set(b->o, "operator_type", "direct", "test"));
  PetscCall(test_set_material(b->o, law, source));
  PetscCall(PetscMalloc1(law->n_par, &par));
  PetscCall(law->set_par(law, b->o, "material_", "material_", par));
  b->mesh = test_box(comm, cells);
  if (n_springs) springs = test_springs(b->mesh, n_springs, 1e4);
  b->g = test_potential(b->mesh, law, par);
  PetscCall(PetscFree(par));
  if (springs) PetscCall(wring_potential_add_term(b->g, springs));
  PetscCall(wring_potential_set_step(b->g, h));
  PetscCall(wring_potential_create_vec(b->g, &b->x));
  test_displace(b->mesh, 0, 0, b->x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A 2 x 1 x 1 m block of 12 tets, 2e4 Pa, 1000 kg/m^3, whose fastest motion has about 20 rad/s, and the keys of a
  stepper for it; without an operator. On all ranks.
*/
static inline PetscErrorCode test_body_create_soft(const char *integrator, double h, PetscBool gravity, test_body *b)
{
  const PetscInt cells[3] = {2, 1, 1};
  double         par[8];

  PetscFunctionBegin;
  *b = (test_body){.x = NULL};
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &b->o));
  PetscCall(test_set(b->o, "material_", "young=2e4 poisson=0.3"));
  PetscCall(test_set(b->o, "time_", "step=%.17g integrator=%s", h, integrator));
  if (gravity) PetscCall(test_set(b->o, "", "gravity=0.5,-1,2"));
  PetscCall(wring_law_corotated.set_par(&wring_law_corotated, b->o, "material_", "material_", par));
  b->mesh = test_box(PETSC_COMM_WORLD, cells);
  b->g    = test_potential(b->mesh, &wring_law_corotated, par);
  PetscCall(wring_potential_create_vec(b->g, &b->x));
  test_displace(b->mesh, 0, 0, b->x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On all ranks. */
static inline PetscErrorCode test_body_create(const char *material, double h, PetscInt n_springs, test_body *b)
{
  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, ".", wring_law_find(material), h, n_springs, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A map of rest positions. */
typedef void test_map(const double X[3], double x[3]);

/* That of a body at rest. */
static inline void test_stay(const double X[3], double x[3])
{
  memcpy(x, X, 3 * sizeof *x);
}

static const wring_motion test_still = {.until = INFINITY, .release = INFINITY};

/* Rotates about x, at each metre by test_twist_rate rad. */
static double test_twist_rate = PETSC_PI / 3;

static inline void test_twist(const double X[3], double x[3])
{
  const double angle = test_twist_rate * X[0], c = cos(angle), s = sin(angle);
  x[0] = X[0], x[1] = c * X[1] - s * X[2], x[2] = s * X[1] + c * X[2];
}

/* Pulled and turned about the axis of the box, for its far end. */
static inline void test_pull_and_turn(const double X[3], double x[3])
{
  x[0] = X[0] + 0.3, x[1] = 0.5 + 0.8 * (X[1] - 0.5) - 0.6 * (X[2] - 0.5),
  x[2] = 0.5 + 0.6 * (X[1] - 0.5) + 0.8 * (X[2] - 0.5);
}

/* Attaches the vertices of a set to the images of their rest positions under `map`, which move by `motion`. */
static inline PetscErrorCode test_body_attach_moving(test_body *b, const char *set, double stiffness, test_map *map,
                                                     const wring_motion *motion)
{
  const PetscInt  i = wring_names_find(&b->mesh->set.names, set), n = b->mesh->set.count[i];
  const PetscInt *vertex = b->mesh->set.vertex[i];
  double         *k, *target;
  wring_term     *term;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &k, 3 * n, &target));
  for (PetscInt j = 0; j < n; j++) {
    k[j] = stiffness;
    map(b->mesh->X + 3 * vertex[j], target + 3 * j);
  }
  PetscCall(wring_term_create_attachments(b->mesh, set, n, vertex, k, target, motion, &term));
  PetscCall(PetscFree2(k, target));
  PetscCall(wring_potential_add_term(b->g, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To images at rest. */
static inline PetscErrorCode test_body_attach(test_body *b, const char *set, double stiffness, test_map *map)
{
  PetscFunctionBegin;
  PetscCall(test_body_attach_moving(b, set, stiffness, map, &test_still));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Holds a set exactly where `map` sends it. */
static inline PetscErrorCode test_body_hold(test_body *b, const char *set, test_map *map, const wring_motion *motion)
{
  const PetscInt  i = wring_names_find(&b->mesh->set.names, set), n = b->mesh->set.count[i];
  const PetscInt *vertex = b->mesh->set.vertex[i];
  double         *target;
  wring_term     *term;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &target));
  for (PetscInt j = 0; j < n; j++) map(b->mesh->X + 3 * vertex[j], target + 3 * j);
  PetscCall(wring_term_create_hard_attachments(b->mesh, set, n, vertex, target, motion, &term));
  PetscCall(PetscFree(target));
  PetscCall(wring_potential_add_term(b->g, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creates the operator; to be called when all terms have been added. */
static inline PetscErrorCode test_body_set_up(test_body *b)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(wring_potential_set_time(b->g, 0, 0, &changed));
  PetscCall(wring_potential_operator_matrices(b->g, 1, b->of));
  b->A      = b->of[0];
  b->factor = 1;
  PetscCall(wring_operator_create(b->mesh->comm, b->o, NULL, &b->op));
  PetscCall(wring_operator_set_matrices(b->op, b->of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode test_body_destroy(test_body *b)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&b->x));
  PetscCall(wring_operator_destroy(&b->op));
  PetscCall(wring_matrices_destroy(b->of));
  PetscCall(wring_potential_destroy(&b->g));
  PetscCall(wring_mesh_destroy(&b->mesh));
  PetscCall(wring_options_destroy(&b->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* And y. */
static inline PetscErrorCode test_body_destroy_with(test_body *b, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(y));
  PetscCall(test_body_destroy(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = map(rest positions) + noise, the same on any partition. */
static inline PetscErrorCode test_body_place(const test_body *b, test_map *map, double noise, Vec x)
{
  double *xa;

  PetscFunctionBegin;
  test_displace(b->mesh, noise, 5, x);
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < b->mesh->n_owned; i++) {
    const double *const X = b->mesh->X + 3 * i;
    double              at[3];
    map(X, at);
    for (int c = 0; c < 3; c++) xa[3 * i + c] += at[c] - X[c];
  }
  PetscCall(VecRestoreArray(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As test_body_set_up, with the target y of g at map(rest positions) + noise. */
static inline PetscErrorCode test_body_set_up_with(test_body *b, test_map *map, double noise, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_set_up(b));
  PetscCall(VecDuplicate(b->x, y));
  PetscCall(test_body_place(b, map, noise, *y));
  PetscCall(wring_potential_set_target(b->g, *y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state at time 0 and at rest, or with a field of velocities. */
static inline PetscErrorCode test_state_create(const test_body *b, test_map *velocity, wring_state *state)
{
  PetscFunctionBegin;
  *state = (wring_state){.time = 0};
  PetscCall(VecDuplicate(b->x, &state->q));
  PetscCall(VecDuplicate(b->x, &state->v));
  PetscCall(test_body_place(b, test_stay, 0, state->q));
  if (velocity) PetscCall(test_body_place(b, velocity, 0, state->v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A body, its stepper and its state. */
static inline PetscErrorCode test_body_destroy_moving(test_body *b, wring_stepper **stepper, wring_state *state)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&state->q));
  PetscCall(VecDestroy(&state->v));
  PetscCall(wring_stepper_destroy(stepper));
  PetscCall(test_body_destroy(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A velocity field: rotation about an oblique axis and translation, m/s. */
static inline void test_whirl(const double X[3], double v[3])
{
  v[0] = 2 * X[2] - X[1] + 1, v[1] = X[0] - 3 * X[2], v[2] = 3 * X[1] - 2 * X[0] - 2;
}

/* A solver of this type or variant, ready to solve, and the A that it needs. */
static inline PetscErrorCode test_body_solver(test_body *b, const char *name, wring_solver **s)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_create(b->mesh->comm, b->g, b->op, NULL, s));
  PetscCall(wring_solver_set_from_options(*s, b->o, name));
  const double factor = wring_solver_operator_factor(*s);
  if (factor != 0 && factor != b->factor) {
    PetscCall(wring_potential_operator_matrices(b->g, factor, b->of));
    PetscCall(wring_operator_set_matrices(b->op, b->of));
    b->factor = factor;
  }
  PetscCall(wring_solver_set_up(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves from x, in place, with a new solver; a monitor sees the rows, NULL: none. */
static inline PetscErrorCode test_body_solve_seen(test_body *b, const char *name, PetscInt max_it, double rtol,
                                                  wring_monitor *monitor, void *context, Vec x, wring_outcome *outcome)
{
  wring_solver *s;

  PetscFunctionBegin;
  PetscCall(test_body_solver(b, name, &s));
  wring_solver_set_limits(s, max_it, rtol, 0, 1);
  wring_solver_set_monitor(s, monitor, context);
  PetscCall(wring_solver_solve(s, x, outcome));
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode test_body_solve(test_body *b, const char *name, PetscInt max_it, double rtol, Vec x,
                                             wring_outcome *outcome)
{
  PetscFunctionBegin;
  PetscCall(test_body_solve_seen(b, name, max_it, rtol, NULL, NULL, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From y; x is the solution. */
static inline PetscErrorCode test_body_solve_from(test_body *b, const char *name, PetscInt max_it, double rtol, Vec y,
                                                  Vec x, wring_outcome *outcome)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(y, x));
  PetscCall(test_body_solve(b, name, max_it, rtol, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step by newton, or without a solve if the rule does not minimise; changed: A was. */
static inline PetscErrorCode test_body_step(test_body *b, wring_stepper *stepper, wring_state *state,
                                            PetscBool *changed)
{
  wring_outcome outcome;
  double        elastic;

  PetscFunctionBegin;
  PetscCall(wring_stepper_begin(stepper, state, b->x, changed));
  if (wring_stepper_minimises(stepper))
    PetscCall(test_body_solve(b, "newton", 50, 1e-12, b->x, &outcome));
  else
    PetscCall(wring_stepper_advance(stepper, state, b->x, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "step %d: %s", (int)state->step, wring_reason_name(outcome.reason));
  PetscCall(wring_stepper_finish(stepper, b->x, state, &elastic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |x - y|_inf. */
static inline PetscErrorCode test_distance(Vec x, Vec y, double *distance)
{
  Vec       d;
  PetscReal norm;

  PetscFunctionBegin;
  *distance = INFINITY;
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecWAXPY(d, -1, y, x));
  PetscCall(VecNorm(d, NORM_INFINITY, &norm));
  PetscCall(VecDestroy(&d));
  *distance = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |sum m_i (x_i - y_i)| relative to sum m_i |x_i|. */
static inline PetscErrorCode test_drift(const test_body *b, Vec x, Vec y, double *drift)
{
  const double *xa, *ya, *mass = wring_potential_mass(b->g);
  double        sum[4] = {0};

  PetscFunctionBegin;
  *drift = INFINITY;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(y, &ya));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) {
    sum[i % 3] += mass[i / 3] * (xa[i] - ya[i]);
    sum[3] += mass[i / 3] * fabs(xa[i]);
  }
  PetscCall(VecRestoreArrayRead(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  *drift = (fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2])) / sum[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}
