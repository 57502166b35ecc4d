/* ranks: 1 2 4 */
/*
  Compliant constraints, docs/theory.md (5.18): one linearly implicit step of springs, attachments and
  stable_neohookean. Fails if a row, a sign, a scale or the numbering of the system is wrong, or if redundant hard
  constraints pass.
*/
#include "model.h"
#include "refused.h"
#include "mesh/data.h"
#include <wring/step.h>

enum { MOST = 32 };

/* Point masses connected by springs, some held by attachments; vertex numbers are original numbers. */
typedef struct {
  int      n, n_spring, n_held;
  double   X[MOST][3], V[MOST][3], mass[MOST], stiffness[MOST];
  PetscInt spring[MOST][2], held[MOST];
  double   length[MOST];                           // 0: the distance between the points
  double   grip[MOST][3], grip_stiffness, release; // targets; s, 0: never released
} net;

typedef struct {
  MPI_Comm         comm;
  wring_mesh      *mesh;
  wring_potential *g;
  wring_options   *o;
  Vec              q, v, y, x;
} model;

/* ---- models ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode create_mesh(const net *w, model *m)
{
  wring_mesh_data *data = NULL;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  if (rank == 0) {
    PetscCall(wring_mesh_data_create(w->n, 0, &data));
    PetscCall(PetscCalloc1(1, &data->set_start));
    for (int i = 0; i < 3 * w->n; i++) data->X[i] = w->X[i / 3][i % 3];
  }
  PetscCall(wring_mesh_distribute(m->comm, WRING_PARTITIONER_METIS, &data, &m->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double distance(const double *a, const double *b)
{
  return sqrt(PetscSqr(a[0] - b[0]) + PetscSqr(a[1] - b[1]) + PetscSqr(a[2] - b[2]));
}

static PetscErrorCode create_springs(const net *w, model *m, wring_term **t)
{
  PetscInt vertex[2 * MOST], far[MOST], n = 0;
  double   k[MOST], length[MOST];

  PetscFunctionBegin;
  for (int e = 0; e < w->n_spring; e++) {
    const PetscInt i = w->spring[e][0], j = w->spring[e][1], local = wring_mesh_local(m->mesh, i);
    if (local < 0 || local >= m->mesh->n_owned) continue;
    k[n] = w->stiffness[e], length[n] = w->length[e] != 0 ? PetscMax(w->length[e], 0) : distance(w->X[i], w->X[j]);
    vertex[2 * n] = local, far[n++] = j;
  }
  PetscCall(wring_mesh_extend_halo(m->mesh, n, far));
  for (PetscInt e = 0; e < n; e++) vertex[2 * e + 1] = wring_mesh_local(m->mesh, far[e]);
  PetscCall(wring_term_create_springs(m->mesh, "net", n, vertex, k, length, NULL, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_grips(const net *w, model *m)
{
  const wring_motion still = {.until = INFINITY, .release = w->release > 0 ? w->release : INFINITY};
  PetscInt           vertex[MOST], n = 0;
  double             k[MOST], target[3 * MOST];
  wring_term        *t;

  PetscFunctionBegin;
  for (int e = 0; e < w->n_held; e++) {
    const PetscInt local = wring_mesh_local(m->mesh, w->held[e]);
    if (local < 0 || local >= m->mesh->n_owned) continue;
    for (int c = 0; c < 3; c++) target[3 * n + c] = w->grip[e][c];
    vertex[n] = local, k[n++] = w->grip_stiffness;
  }
  PetscCall(wring_term_create_attachments(m->mesh, "grip", n, vertex, k, target, &still, &t));
  PetscCall(wring_potential_add_term(m->g, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_vectors(model *m)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(m->g, &m->q));
  PetscCall(wring_potential_create_vec(m->g, &m->v));
  PetscCall(wring_potential_create_vec(m->g, &m->y));
  PetscCall(wring_potential_create_vec(m->g, &m->x));
  PetscCall(wring_options_create(m->comm, &m->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_create(MPI_Comm comm, const net *w, model *m)
{
  wring_term *springs;
  double      mass[MOST], *q, *v;

  PetscFunctionBegin;
  *m = (model){.comm = comm};
  PetscCall(create_mesh(w, m));
  PetscCall(create_springs(w, m, &springs));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) mass[i] = w->mass[m->mesh->number.original[i]];
  PetscCall(wring_potential_create(m->mesh, mass, NULL, &m->g));
  PetscCall(wring_potential_add_term(m->g, springs));
  PetscCall(add_grips(w, m));
  PetscCall(create_vectors(m));
  PetscCall(VecGetArrayWrite(m->q, &q));
  PetscCall(VecGetArrayWrite(m->v, &v));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) {
    q[i] = w->X[m->mesh->number.original[i / 3]][i % 3];
    v[i] = w->V[m->mesh->number.original[i / 3]][i % 3];
  }
  PetscCall(VecRestoreArrayWrite(m->v, &v));
  PetscCall(VecRestoreArrayWrite(m->q, &q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_destroy(model *m)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&m->q));
  PetscCall(VecDestroy(&m->v));
  PetscCall(VecDestroy(&m->y));
  PetscCall(VecDestroy(&m->x));
  PetscCall(wring_options_destroy(&m->o));
  PetscCall(wring_potential_destroy(&m->g));
  PetscCall(wring_mesh_destroy(&m->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver; compliance NULL: from the stiffness. */
static PetscErrorCode create_solver(model *m, const char *compliance, wring_solver **s)
{
  PetscFunctionBegin;
  if (compliance) PetscCall(wring_options_set(m->o, "solver_compliant_compliance", compliance, "test"));
  PetscCall(wring_solver_create(m->comm, m->g, NULL, NULL, s));
  PetscCall(wring_solver_set_from_options(*s, m->o, "compliant"));
  PetscCall(wring_solver_set_up(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q <- x, v <- (x - q)/h, with gravity [m/s^2] along -z. */
static PetscErrorCode step(model *m, wring_solver *s, double h, double gravity)
{
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(wring_potential_set_step(m->g, h));
  PetscCall(VecWAXPY(m->y, h, m->v, m->q));
  double *y;
  PetscCall(VecGetArray(m->y, &y));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) y[3 * i + 2] -= h * h * gravity;
  PetscCall(VecRestoreArray(m->y, &y));
  PetscCall(wring_potential_set_target(m->g, m->y));
  PetscCall(wring_potential_set_start(m->g, m->q));
  PetscCall(VecCopy(m->y, m->x));
  PetscCall(wring_solver_solve(s, m->x, &outcome));
  CHECK(outcome.iterations == 1 && !wring_reason_failed(outcome.reason), "%d iterations, %s", (int)outcome.iterations,
        wring_reason_name(outcome.reason));
  PetscCall(VecWAXPY(m->v, -1, m->q, m->x));
  PetscCall(VecScale(m->v, 1 / h));
  PetscCall(VecCopy(m->x, m->q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode single_step(const net *w, MPI_Comm comm, const char *compliance, double h, model *m)
{
  wring_solver *s;

  PetscFunctionBegin;
  PetscCall(model_create(comm, w, m));
  PetscCall(create_solver(m, compliance, &s));
  PetscCall(step(m, s, h, 9.81));
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Position of an original vertex, on every rank. */
static PetscErrorCode position(const model *m, Vec x, PetscInt original, double p[3])
{
  const PetscInt local = wring_mesh_local(m->mesh, original);
  const double  *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  for (int c = 0; c < 3; c++) p[c] = local >= 0 && local < m->mesh->n_owned ? xa[3 * local + c] : 0;
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, p, 3, MPI_DOUBLE, MPI_SUM, m->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one spring -------------------------------------------------------------------------------------------------- */

/* One spring in free fall: compares with the closed form along its direction; nothing changes across it. */
static PetscErrorCode test_spring(const char *compliance, double alpha)
{
  const double h       = 0.02;
  const net    w       = {.n         = 2,
                          .n_spring  = 1,
                          .X         = {{0.3, -0.2, 0.1}, {1.1, 0.4, -0.7}},
                          .V         = {{1, 2, -3}, {-2, 1, 0.5}},
                          .mass      = {0.7, 2.5},
                          .stiffness = {3e3},
                          .spring    = {{0, 1}},
                          .length    = {1.1}};
  const double l       = distance(w.X[0], w.X[1]);
  double       stretch = l - 1.1, d[3], x[2][3];
  model        m;

  PetscFunctionBegin;
  PetscCall(single_step(&w, PETSC_COMM_WORLD, compliance, h, &m));
  for (int c = 0; c < 3; c++) {
    d[c] = (w.X[0][c] - w.X[1][c]) / l;
    stretch += h * d[c] * (w.V[0][c] - w.V[1][c]);
  }
  const double multiplier = -stretch / (1 / w.mass[0] + 1 / w.mass[1] + alpha / (h * h));
  for (int i = 0; i < 2; i++) {
    PetscCall(position(&m, m.x, i, x[i]));
    for (int c = 0; c < 3; c++) {
      const double y        = w.X[i][c] + h * w.V[i][c] - (c == 2) * h * h * 9.81;
      const double expected = y + (i == 0 ? 1 : -1) * d[c] * multiplier / w.mass[i];
      CHECK(fabs(x[i][c] - expected) <= 1e-12, "vertex %d: %.17g, not %.17g", i, x[i][c], expected);
    }
  }
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pendulum ---------------------------------------------------------------------------------------------------- */

/*
  The largest error of the lengths, and of the support, of a hard double pendulum with bars of 1 m that falls from the
  horizontal for 0.2 s.
*/
static PetscErrorCode pendulum(double h, double *drift, double *slip)
{
  const net     w = {.n              = 3,
                     .n_spring       = 2,
                     .n_held         = 1,
                     .X              = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                     .mass           = {1, 1, 2},
                     .stiffness      = {1e3, 1e3},
                     .grip_stiffness = 1e3,
                     .spring         = {{0, 1}, {1, 2}}};
  wring_solver *s;
  model         m;

  PetscFunctionBegin;
  *drift = *slip = 0;
  PetscCall(model_create(PETSC_COMM_WORLD, &w, &m));
  PetscCall(create_solver(&m, "0", &s));
  for (int i = 0; i < (int)(0.2 / h + 0.5); i++) {
    double p[3][3];
    PetscCall(step(&m, s, h, 9.81));
    for (int k = 0; k < 3; k++) PetscCall(position(&m, m.q, k, p[k]));
    *slip  = test_worse(*slip, distance(p[0], w.X[0]));
    *drift = test_worse(*drift, fabs(distance(p[0], p[1]) - 1));
    *drift = test_worse(*drift, fabs(distance(p[1], p[2]) - 1));
  }
  PetscCall(wring_solver_destroy(&s));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A linearised constraint is violated by |dx|^2/(2 l), which the next step corrects: the drift is O(h^2) and does not
  grow.
*/
static PetscErrorCode test_pendulum(void)
{
  double coarse, fine, slip;

  PetscFunctionBegin;
  PetscCall(pendulum(1e-2, &coarse, &slip));
  CHECK(slip <= 1e-14, "the support slips by %g", slip);
  PetscCall(pendulum(5e-3, &fine, &slip));
  CHECK(slip <= 1e-14, "the support slips by %g", slip);
  CHECK(coarse < 1e-2 && coarse / fine > 3.5 && coarse / fine < 4.5, "lengths drift by %g and %g", coarse, fine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- nets -------------------------------------------------------------------------------------------------------- */

/* A crooked chain of points, its springs not at rest length, with an extra spring across every third point. */
static net chain(int n)
{
  net      w     = {.n = n, .grip_stiffness = 1e5};
  uint64_t state = 3;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++)
      w.X[i][c] = (c == 0 ? i : 0) + 0.4 * test_random(&state), w.V[i][c] = test_random(&state);
    w.mass[i] = 1 + 0.5 * test_random(&state);
  }
  for (int i = 0; i + 1 < n; i++) {
    w.spring[w.n_spring][0] = i, w.spring[w.n_spring][1] = i + 1;
    w.stiffness[w.n_spring] = 1e4 * (1.5 + test_random(&state)), w.length[w.n_spring++] = 0.9;
  }
  for (int i = 0; i + 3 < n; i += 3) {
    w.spring[w.n_spring][0] = i + 3, w.spring[w.n_spring][1] = i;
    w.stiffness[w.n_spring] = 1e3, w.length[w.n_spring++] = 2.9;
  }
  return w;
}

/* n points, every two of them connected: for n = 4 a rigid body, for n = 5 one spring too many. */
static net complete(int n)
{
  net      w     = {.n = n, .grip_stiffness = 1};
  uint64_t state = 9;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) w.X[i][c] = test_random(&state), w.V[i][c] = test_random(&state);
    w.mass[i] = 1;
    for (int j = 0; j < i; j++) {
      w.spring[w.n_spring][0] = i, w.spring[w.n_spring][1] = j;
      w.stiffness[w.n_spring++] = 1;
    }
  }
  return w;
}

static void hold(net *w, PetscInt vertex, double shift)
{
  w->held[w->n_held] = vertex;
  for (int c = 0; c < 3; c++) w->grip[w->n_held][c] = w->X[vertex][c] + shift;
  w->n_held++;
}

/* A net moves on all ranks as on one. */
static PetscErrorCode test_ranks(const char *compliance)
{
  net    w = chain(20);
  double a[3], b[3];
  model  all, one;

  PetscFunctionBegin;
  hold(&w, 0, 0.01);
  hold(&w, 19, 0);
  PetscCall(single_step(&w, PETSC_COMM_WORLD, compliance, 0.01, &all));
  PetscCall(single_step(&w, PETSC_COMM_SELF, compliance, 0.01, &one));
  for (int i = 0; i < w.n; i++) {
    PetscCall(position(&all, all.x, i, a));
    PetscCall(position(&one, one.x, i, b));
    CHECK(distance(a, b) <= 1e-10, "vertex %d is off by %g", i, distance(a, b));
  }
  PetscCall(model_destroy(&all));
  PetscCall(model_destroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Spring forces add up to zero: sum m (x - y) = 0, hard or not. */
static PetscErrorCode test_momentum(const char *compliance)
{
  const net     w      = chain(20);
  double        sum[4] = {0};
  const double *x, *y, *mass;
  model         m;

  PetscFunctionBegin;
  PetscCall(single_step(&w, PETSC_COMM_WORLD, compliance, 0.01, &m));
  mass = wring_potential_mass(m.g);
  PetscCall(VecGetArrayRead(m.x, &x));
  PetscCall(VecGetArrayRead(m.y, &y));
  for (PetscInt i = 0; i < 3 * m.mesh->n_owned; i++) {
    sum[i % 3] += mass[i / 3] * (x[i] - y[i]);
    sum[3] += mass[i / 3] * fabs(x[i] - y[i]);
  }
  PetscCall(VecRestoreArrayRead(m.y, &y));
  PetscCall(VecRestoreArrayRead(m.x, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, m.comm));
  for (int c = 0; c < 3; c++) CHECK(fabs(sum[c]) <= 1e-12 * sum[3], "momentum changes by %g of %g", sum[c], sum[3]);
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A released attachment leaves the system: from the second step a hard dumbbell falls freely. Fails if the layout of the
  system, which changes, counts as a part of the solve.
*/
static PetscErrorCode test_release(void)
{
  net            w     = complete(2);
  wring_state    state = {0};
  wring_stepper *stepper;
  wring_solver  *s;
  wring_outcome  outcome;
  model          m;

  PetscFunctionBegin;
  hold(&w, 1, 0);
  w.release = 0.015;
  PetscCall(model_create(PETSC_COMM_WORLD, &w, &m));
  PetscCall(wring_options_set(m.o, "time_step", "0.01", "test"));
  PetscCall(create_solver(&m, "0", &s));
  PetscCall(wring_stepper_create(m.g, m.o, &stepper));
  state.q = m.q, state.v = m.v;
  for (state.step = 0; state.step < 2; state.step++) {
    double    moved = 0, p[3], y[3];
    PetscBool changed;
    PetscCall(wring_stepper_begin(stepper, &state, m.x, &changed));
    PetscCall(wring_solver_solve(s, m.x, &outcome));
    CHECK(outcome.last.setup.seconds > 1e-6, "step %d: the layout is not set-up", (int)state.step);
    for (int i = 0; i < 2; i++) {
      PetscCall(position(&m, m.x, i, p));
      PetscCall(position(&m, wring_potential_target(m.g), i, y));
      for (int c = 0; c < 3; c++) moved += w.mass[i] * (p[c] - y[c]);
    }
    CHECK(state.step == 0 ? fabs(moved) > 1e-4 : fabs(moved) <= 1e-13, "step %d: momentum changes by %g",
          (int)state.step, moved);
    state.time += 0.01;
  }
  PetscCall(wring_stepper_destroy(&stepper));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the linear system ------------------------------------------------------------------------------------------- */

/* out = J^T K (J d + c C) of all terms at q: sums over rows, sent to the owners of their vertices. */
static PetscErrorCode apply_rows(model *m, Vec d, double c, Vec out)
{
  wring_term *const *terms;
  const double      *q, *da;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(out));
  PetscCall(wring_potential_get_local(m->g, m->q, &q));
  PetscCall(wring_potential_get_local(m->g, d, &da));
  for (int i = 0; i < wring_potential_terms(m->g, &terms); i++) {
    wring_constraint_rows r;
    PetscCall(wring_constraint_rows_create(m->comm, terms[i], PETSC_FALSE, &r));
    wring_term_rows(terms[i], q, &r);
    for (PetscInt j = 0; j < r.n; j++) {
      double sum = c * r.C[j];
      for (int a = 0; a < 3 * r.m; a++) sum += r.dC[3 * r.m * j + a] * da[3 * r.vertex[r.m * j + a / 3] + a % 3];
      for (int a = 0; a < 3 * r.m; a++) {
        const PetscInt to = 3 * m->mesh->number.global[r.vertex[r.m * j + a / 3]] + a % 3;
        PetscCall(VecSetValue(out, to, r.k[j] * r.dC[3 * r.m * j + a] * sum, ADD_VALUES));
      }
    }
    PetscCall(wring_constraint_rows_destroy(&r));
  }
  PetscCall(VecRestoreArrayRead(d, &da));
  PetscCall(VecRestoreArrayRead(m->q, &q));
  PetscCall(VecAssemblyBegin(out));
  PetscCall(VecAssemblyEnd(out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_small(Vec x, double size, double tolerance, const char *what)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));
  CHECK(norm <= tolerance * size, "%s: %g of %g", what, (double)norm, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  q is the start and y the target, set in m. J^T K C is the gradient of E at q, and the step x solves
  M/h^2 (x - y) + J^T K (C + J (x - q)) = 0. With springs at rest the matrix is the Hessian of g: the step is Newton's.
*/
static PetscErrorCode check_system(model *m, double h, PetscBool newton)
{
  Vec           sum, d, grad;
  Mat           H = NULL;
  wring_solver *s;
  wring_outcome outcome;
  PetscReal     size;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(m->g, &sum));
  PetscCall(wring_potential_create_vec(m->g, &d));
  PetscCall(wring_potential_create_vec(m->g, &grad));
  PetscCall(wring_potential_set_step(m->g, h));
  PetscCall(wring_potential_set_start(m->g, m->q));
  PetscCall(wring_potential_set_target(m->g, m->q));
  PetscCall(wring_potential_gradient(m->g, m->q, grad));
  PetscCall(apply_rows(m, d, 1, sum));
  PetscCall(VecNorm(sum, NORM_INFINITY, &size));
  PetscCall(VecAXPY(sum, -1, grad));
  PetscCall(check_small(sum, size, 1e-10, "the gradient of rows"));

  PetscCall(wring_potential_set_target(m->g, m->y));
  PetscCall(VecCopy(m->y, m->x));
  PetscCall(create_solver(m, NULL, &s));
  wring_solver_set_limits(s, 7, 0, 0, 0);
  PetscCall(wring_solver_solve(s, m->x, &outcome));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecWAXPY(d, -1, m->q, m->x));
  PetscCall(apply_rows(m, d, 1, sum));
  PetscCall(VecNorm(sum, NORM_INFINITY, &size));
  const double *x, *y, *mass = wring_potential_mass(m->g);
  double       *f;
  PetscCall(VecGetArray(sum, &f));
  PetscCall(VecGetArrayRead(m->x, &x));
  PetscCall(VecGetArrayRead(m->y, &y));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) f[i] += mass[i / 3] / (h * h) * (x[i] - y[i]);
  PetscCall(VecRestoreArrayRead(m->y, &y));
  PetscCall(VecRestoreArrayRead(m->x, &x));
  PetscCall(VecRestoreArray(sum, &f));
  PetscCall(check_small(sum, size, 1e-10, "the linear system"));
  if (newton) {
    PetscCall(wring_potential_hessian(m->g, m->q, WRING_FILTER_NONE, &H));
    PetscCall(wring_potential_gradient(m->g, m->q, grad));
    PetscCall(MatMult(H, d, sum));
    PetscCall(VecNorm(grad, NORM_INFINITY, &size));
    PetscCall(VecAXPY(sum, 1, grad));
    PetscCall(check_small(sum, size, 1e-10, "Newton's step"));
    PetscCall(MatDestroy(&H));
  }
  PetscCall(VecDestroy(&sum));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_system_of_net(PetscBool at_rest)
{
  net   w = chain(20);
  model m;

  PetscFunctionBegin;
  hold(&w, 3, 0.1);
  for (int e = 0; at_rest && e < w.n_spring; e++) w.length[e] = 0;
  PetscCall(model_create(PETSC_COMM_WORLD, &w, &m));
  PetscCall(VecWAXPY(m.y, 0.01, m.v, m.q));
  PetscCall(check_system(&m, 0.01, at_rest));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rough box of stable_neohookean, held at one end, with springs across it. */
static PetscErrorCode test_system_of_box(void)
{
  const PetscInt cells[3] = {4, 2, 2};
  const double   par[2] = {1e5, 2e5}, shift[3] = {0.1, 0, 0};
  model          m = {.comm = PETSC_COMM_WORLD};
  wring_term    *springs;

  PetscFunctionBegin;
  m.mesh  = test_box(PETSC_COMM_WORLD, cells);
  springs = test_springs(m.mesh, 5, 1e4);
  m.g     = test_potential(m.mesh, &wring_law_stable_neohookean, par);
  PetscCall(wring_potential_add_term(m.g, springs));
  PetscCall(wring_potential_add_term(m.g, test_hold(m.mesh, "xmin", 1e6, shift)));
  PetscCall(create_vectors(&m));
  test_displace(m.mesh, 0.05, 1, m.q);
  test_displace(m.mesh, 0.05, 2, m.y);
  PetscCall(check_system(&m, 0.02, PETSC_FALSE));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A box whose left half is held exactly, so that many elements have no free vertex, after one step from rough positions.
*/
static PetscErrorCode step_half_held(MPI_Comm comm, model *m)
{
  const PetscInt     cells[3] = {4, 2, 2};
  const double       par[2]   = {1e5, 2e5};
  const wring_motion still    = {.until = INFINITY, .release = INFINITY};
  PetscInt          *vertex, n = 0;
  double            *target;
  wring_term        *term;
  wring_solver      *s;
  wring_outcome      outcome;
  PetscBool          changed;

  PetscFunctionBegin;
  *m = (model){.comm = comm, .mesh = test_box(comm, cells)};
  PetscCall(PetscMalloc2(m->mesh->n_owned, &vertex, 3 * m->mesh->n_owned, &target));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
    if (m->mesh->X[3 * i] > 1.2) continue;
    for (int c = 0; c < 3; c++) target[3 * n + c] = m->mesh->X[3 * i + c];
    vertex[n++] = i;
  }
  m->g = test_potential(m->mesh, &wring_law_stable_neohookean, par);
  PetscCall(wring_term_create_hard_attachments(m->mesh, "left", n, vertex, target, &still, &term));
  PetscCall(PetscFree2(vertex, target));
  PetscCall(wring_potential_add_term(m->g, term));
  PetscCall(create_vectors(m));
  PetscCall(wring_potential_set_step(m->g, 0.02));
  test_displace(m->mesh, 0.02, 1, m->q);
  test_displace(m->mesh, 0.02, 2, m->y);
  PetscCall(wring_potential_set_start(m->g, m->q));
  PetscCall(wring_potential_set_target(m->g, m->y));
  PetscCall(wring_potential_set_time(m->g, 0, 0, &changed));
  PetscCall(wring_potential_place(m->g, m->q));
  PetscCall(wring_potential_set_start(m->g, m->q));
  PetscCall(create_solver(m, NULL, &s));
  PetscCall(VecCopy(m->y, m->x));
  wring_solver_set_limits(s, 1, 0, 0, 1);
  PetscCall(wring_solver_solve(s, m->x, &outcome));
  CHECK(!wring_reason_failed(outcome.reason), "%s", wring_reason_name(outcome.reason));
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Constraints without a free vertex change nothing. Fails if they make the system singular, or if held vertices move.
*/
static PetscErrorCode test_held_elements(void)
{
  model  all, one;
  double a[3], b[3];

  PetscFunctionBegin;
  PetscCall(step_half_held(PETSC_COMM_WORLD, &all));
  PetscCall(step_half_held(PETSC_COMM_SELF, &one));
  for (PetscInt i = 0; i < all.mesh->number.n_global; i++) {
    PetscCall(position(&all, all.x, i, a));
    PetscCall(position(&one, one.x, i, b));
    CHECK(distance(a, b) <= 1e-10, "vertex %d is off by %g", (int)i, distance(a, b));
    const double *const X = one.mesh->X + 3 * wring_mesh_local(one.mesh, i);
    if (X[0] <= 1.2) CHECK(distance(a, X) == 0, "held vertex %d has moved by %g", (int)i, distance(a, X));
  }
  PetscCall(model_destroy(&all));
  PetscCall(model_destroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode refuse_step(const net *w, const char *compliance, const char *first, const char *second)
{
  wring_solver *s;
  wring_outcome outcome;
  model         m;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, w, &m));
  PetscCall(create_solver(&m, compliance, &s));
  PetscCall(wring_potential_set_start(m.g, m.q));
  PetscCall(VecWAXPY(m.y, 1, m.v, m.q));
  PetscCall(wring_potential_set_target(m.g, m.y));
  PetscCall(VecCopy(m.y, m.x));
  wring_solver_set_limits(s, 1, 0, 0, 1);
  CHECK_REFUSED(wring_solver_solve(s, m.x, &outcome), first, second);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_redundant(void)
{
  net   w = complete(4);
  model m;

  PetscFunctionBegin;
  PetscCall(single_step(&w, PETSC_COMM_WORLD, "0", 0.01, &m)); // 6 independent constraints
  PetscCall(model_destroy(&m));
  w = complete(5);
  PetscCall(refuse_step(&w, "0", "1 of 10 constraints are redundant", "compliance > 0"));
  PetscCall(single_step(&w, PETSC_COMM_WORLD, "1e-9", 0.01, &m));
  PetscCall(model_destroy(&m));
  w = complete(3);
  hold(&w, 1, 0);
  hold(&w, 1, 0.1); // the same vertex at two places
  PetscCall(refuse_step(&w, "0", "3 of 9 constraints are redundant", "compliance > 0"));
  PetscCall(refuse_step(&w, "1e-30", "3 of 9 constraints are redundant", "compliance > 0"));
  w = complete(2);
  hold(&w, 0, 0);
  hold(&w, 1, 0); // a bar between two held points
  PetscCall(refuse_step(&w, "0", "1 of 7 constraints are redundant", "compliance > 0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_refused_terms(void)
{
  const PetscInt cells[3] = {2, 1, 1};
  const double   par[1]   = {1e5};
  net            w        = chain(8);
  model          m;
  wring_solver  *s;

  PetscFunctionBegin;
  w.length[5] = -1; // means 0
  PetscCall(model_create(PETSC_COMM_WORLD, &w, &m));
  CHECK_REFUSED(create_solver(&m, NULL, &s), "solver 'compliant' cannot use material 'spring'", "length 0");
  PetscCall(wring_solver_destroy(&s));
  PetscCall(model_destroy(&m));
  m      = (model){.comm = PETSC_COMM_WORLD};
  m.mesh = test_box(PETSC_COMM_WORLD, cells);
  m.g    = test_potential(m.mesh, &wring_law_strain, par);
  PetscCall(create_vectors(&m));
  CHECK_REFUSED(create_solver(&m, NULL, &s), "solver 'compliant' cannot use material 'strain'", "gradient");
  PetscCall(wring_solver_destroy(&s));
  CHECK_REFUSED(create_solver(&m, "-1", &s), "compliance", "[0,inf)");
  PetscCall(wring_solver_destroy(&s));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_spring(NULL, 1 / 3e3));
  PetscCall(test_spring("1e-5", 1e-5));
  PetscCall(test_spring("0", 0));
  PetscCall(test_pendulum());
  PetscCall(test_ranks(NULL));
  PetscCall(test_ranks("0"));
  PetscCall(test_momentum(NULL));
  PetscCall(test_momentum("0"));
  PetscCall(test_release());
  PetscCall(test_system_of_net(PETSC_FALSE));
  PetscCall(test_system_of_net(PETSC_TRUE));
  PetscCall(test_system_of_box());
  PetscCall(test_held_elements());
  PetscCall(test_redundant());
  PetscCall(test_refused_terms());
  PetscCall(PetscFinalize());
  return 0;
}
