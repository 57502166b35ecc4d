/* ranks: 1 2 4 */
/* The variants of qn: initial Hessians, inner solves, line searches, and condition numbers. docs/theory.md 5 */
#include "body.h"
#include "refused.h"
#include "solver/lbfgs/lbfgs.h"
#include <petscksp.h>

static const double h = 0.02;

/* ---- places ------------------------------------------------------------------------------------------------------ */

static void stretch(const double X[3], double x[3])
{
  x[0] = 1.2 * X[0], x[1] = X[1], x[2] = X[2];
}

/* The stretched box, rotated by 90 degrees about z. */
static void stretch_and_turn(const double X[3], double x[3])
{
  x[0] = -X[1], x[1] = 1.2 * X[0], x[2] = X[2];
}

static PetscErrorCode turn(Vec x)
{
  PetscInt n;
  double  *xa;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < n; i += 3) {
    const double at = xa[i];
    xa[i]           = -xa[i + 1];
    xa[i + 1]       = at;
  }
  PetscCall(VecRestoreArray(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A free box of the law, deformed by `map` and rough; y is its initial position. */
static PetscErrorCode create_free(const char *law, test_map *map, double noise, test_body *m, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create(law, h, 0, m));
  PetscCall(test_body_set_up_with(m, map, noise, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const hessians[] = {"operator", "identity", "rest_hessian", "frame_hessian", "warped_rest_hessian"};

enum { N_HESSIANS = sizeof hessians / sizeof hessians[0] };

/* Variants with the names and initial Hessians of this list. */
static PetscErrorCode set_hessians(test_body *m)
{
  PetscFunctionBegin;
  for (int i = 0; i < N_HESSIANS; i++)
    PetscCall(test_variant(m->o, hessians[i], "qn", "initial_hessian=%s", hessians[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- condition numbers ------------------------------------------------------------------------------------------- */

/* The matrix as a dense array [n][n], the same on every rank. */
static PetscErrorCode make_dense(Mat A, PetscInt n, double *dense)
{
  PetscInt        first, end, count;
  const PetscInt *column;
  const double   *value;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(dense, n * n));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt r = first; r < end; r++) {
    PetscCall(MatGetRow(A, r, &count, &column, &value));
    for (PetscInt k = 0; k < count; k++) dense[n * r + column[k]] = value[k];
    PetscCall(MatRestoreRow(A, r, &count, &column, &value));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, dense, (int)(n * n), MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H_0 of the solver, column by column. */
static PetscErrorCode make_dense_inverse(wring_solver *s, Vec like, PetscInt n, double *dense)
{
  Vec           b, d;
  PetscInt      first, end;
  const double *a;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(like, &b));
  PetscCall(VecDuplicate(like, &d));
  PetscCall(PetscArrayzero(dense, n * n));
  PetscCall(VecGetOwnershipRange(b, &first, &end));
  for (PetscInt c = 0; c < n; c++) {
    PetscCall(VecZeroEntries(b));
    if (c >= first && c < end) PetscCall(VecSetValue(b, c, 1, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
    PetscCall(s->ops->precondition(s, b, d));
    PetscCall(VecGetArrayRead(d, &a));
    for (PetscInt r = first; r < end; r++) dense[n * c + r] = a[r - first];
    PetscCall(VecRestoreArrayRead(d, &a));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, dense, (int)(n * n), MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues of the dense P H by LAPACK, through PETSc. */
static PetscErrorCode dense_extremes(PetscInt n, double *P, double *H, double *least, double *largest)
{
  KSP        ksp;
  PC         pc;
  Mat        dense[2];
  PetscReal *real, *imaginary;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, n, H, &dense[0]));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, n, P, &dense[1]));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, dense[0], dense[1]));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCMAT)); // P itself is the preconditioner
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscMalloc2(n, &real, n, &imaginary));
  PetscCall(KSPComputeEigenvaluesExplicitly(ksp, n, real, imaginary));
  PetscCall(PetscSortReal(n, real));
  *least   = real[0];
  *largest = real[n - 1];
  PetscCall(PetscFree2(real, imaginary));
  PetscCall(KSPDestroy(&ksp));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&dense[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compares with A itself, whose three components are equal. */
static PetscErrorCode check_against_operator(test_body *m, PetscInt n, const double *inverse)
{
  const PetscInt rows = n / 3;
  double        *A;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(rows * rows, &A));
  PetscCall(make_dense(m->A, rows, A));
  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j = 0; j < rows; j++) {
      double product = 0;
      for (PetscInt k = 0; k < rows; k++) product += A[rows * i + k] * inverse[n * 3 * k + 3 * j];
      CHECK(fabs(product - (i == j)) <= 1e-9, "A H_0 [%d][%d] = %g", (int)i, (int)j, product);
    }
  }
  PetscCall(PetscFree(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_condition(test_body *m, Vec x, const char *name)
{
  wring_solver *s;
  PetscInt      n;
  Mat           H = NULL;
  double       *inverse, *dense, least, largest, exact_least = 0, exact_largest = 0;

  PetscFunctionBegin;
  PetscCall(VecGetSize(x, &n));
  PetscCall(PetscMalloc2(n * n, &inverse, n * n, &dense));
  PetscCall(test_body_solver(m, name, &s));
  PetscCall(wring_solver_condition(s, x, 1000, &least, &largest));
  PetscCall(make_dense_inverse(s, x, n, inverse));
  PetscCall(wring_potential_hessian(m->g, x, WRING_FILTER_NONE, &H));
  PetscCall(make_dense(H, n, dense));
  if (strcmp(name, "operator") == 0) PetscCall(check_against_operator(m, n, inverse));
  PetscCall(dense_extremes(n, inverse, dense, &exact_least, &exact_largest));
  CHECK(fabs(least - exact_least) <= 1e-6 * exact_least, "%s: least %.12g, not %.12g", name, least, exact_least);
  CHECK(fabs(largest - exact_largest) <= 1e-6 * exact_largest, "%s: largest %.12g, not %.12g", name, largest,
        exact_largest);
  PetscCall(MatDestroy(&H));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(PetscFree2(inverse, dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if the eigenvalues are not those of H_0 H, or if H_0 of `operator` is not the inverse of A. On several ranks
  only the last initial Hessian is tested.
*/
static PetscErrorCode test_condition(void)
{
  test_body m;
  Vec       y;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create_free("neohookean", stretch, 0.01, &m, &y));
  PetscCall(set_hessians(&m));
  for (int i = size > 1 ? N_HESSIANS - 1 : 0; i < N_HESSIANS; i++) PetscCall(check_condition(&m, y, hessians[i]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode condition_of(test_map *map, const char *name, double *condition)
{
  test_body     m;
  Vec           y;
  wring_solver *s;
  double        least, largest;

  PetscFunctionBegin;
  PetscCall(create_free("neohookean", map, 0, &m, &y));
  PetscCall(set_hessians(&m));
  PetscCall(test_body_solver(&m, name, &s));
  PetscCall(wring_solver_condition(s, y, 1000, &least, &largest));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy_with(&m, &y));
  *condition = largest / least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The order of Liu et al. 2017, table II: for a stretched body the Hessian at rest is a good preconditioner, but not
  when it is rotated by 90 degrees, where A is as good as before and warping helps. Fails if a Hessian is evaluated at
  the wrong positions.
*/
static PetscErrorCode test_order_of_conditions(void)
{
  double c[N_HESSIANS][2];

  PetscFunctionBegin;
  for (int i = 0; i < N_HESSIANS; i++) {
    PetscCall(condition_of(stretch, hessians[i], &c[i][0]));
    PetscCall(condition_of(stretch_and_turn, hessians[i], &c[i][1]));
  }
  const double *operator= c[0], *rest = c[2], *frame = c[3], *warped = c[4];
  CHECK(rest[0] < operator[0] && operator[0]<rest[1], "rest %g and %g, operator %g", rest[0], rest[1], operator[0]);
  CHECK(fabs(operator[0] - operator[1]) <= 1e-6 * operator[0], "operator: %g, turned %g", operator[0], operator[1]);
  CHECK(fabs(warped[0] - warped[1]) <= 1e-6 * warped[0], "warped: %g, turned %g", warped[0], warped[1]);
  CHECK(frame[0] <= rest[0] && frame[1] <= rest[0], "frame: %g, turned %g", frame[0], frame[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

/* The box, stretched, held at its ends, rough. With `turned` everything is rotated by 90 degrees about z. */
static PetscErrorCode create_held(const char *law, PetscBool turned, double noise, test_body *m, Vec *y)
{
  test_map *const map = turned ? stretch_and_turn : stretch;

  PetscFunctionBegin;
  PetscCall(test_body_create(law, h, 0, m));
  PetscCall(test_body_attach(m, "xmin", 1e5, map));
  PetscCall(test_body_attach(m, "xmax", 1e5, map));
  PetscCall(test_body_set_up(m));
  PetscCall(VecDuplicate(m->x, y));
  PetscCall(test_body_place(m, stretch, noise, *y));
  if (turned) PetscCall(turn(*y));
  PetscCall(wring_potential_set_target(m->g, *y));
  PetscCall(set_hessians(m));
  PetscCall(wring_options_set(m->o, "solver_newton_filter", "clamp", "test")); // one Hessian an iteration
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if the frame's Hessian is not Newton's at x_0, or if the direction is not -H_0 grad g. */
static PetscErrorCode test_first_step(void)
{
  test_body     m;
  Vec           y, x, newton;
  wring_outcome outcome;
  double        distance, length;

  PetscFunctionBegin;
  PetscCall(create_held("corotated", PETSC_FALSE, 0.05, &m, &y));
  PetscCall(test_variant(m.o, "plain", "qn", "initial_hessian=frame_hessian history=0"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &newton));
  PetscCall(test_body_solve_from(&m, "plain", 1, 0, y, x, &outcome));
  PetscCall(test_body_solve_from(&m, "newton", 1, 0, y, newton, &outcome));
  PetscCall(test_distance(y, newton, &length));
  PetscCall(test_distance(x, newton, &distance));
  CHECK(distance <= 1e-12 && length > 1e-2, "%g m apart after a step of %g m", distance, length);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&newton));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { ROWS = 9 };

typedef struct {
  const char *solver;
  double      g[ROWS], step[ROWS];
  PetscInt    rows;
} history;

static PetscErrorCode keep_row(void *context, const wring_iteration *it)
{
  history     *seen = context;
  const double g    = it->value.objective;

  PetscFunctionBegin;
  if (seen->rows > 0) {
    const double before = seen->g[PetscMin(seen->rows, ROWS) - 1];
    CHECK(seen->rows > ROWS || g <= before + 1e-12 * fabs(before), "%s: g rises by %g of %g in iteration %d",
          seen->solver, g - before, before, (int)it->iteration);
  }
  if (seen->rows < ROWS) {
    seen->g[seen->rows]    = g;
    seen->step[seen->rows] = it->step_length;
  } else {
    seen->g[ROWS - 1] = g;
  }
  seen->rows++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_watched(test_body *m, const char *name, PetscInt max_it, double rtol, Vec x, history *seen,
                                    wring_outcome *outcome)
{
  PetscFunctionBegin;
  *seen = (history){.solver = name};
  PetscCall(test_body_solve_seen(m, name, max_it, rtol, keep_row, seen, x, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The largest difference of g, relative to its decrease, and of alpha between the histories of a body and of its rotated
  copy.
*/
static PetscErrorCode compare_turned(const char *name, double *difference)
{
  history       seen[2];
  wring_outcome outcome;

  PetscFunctionBegin;
  for (int t = 0; t < 2; t++) {
    test_body m;
    Vec       y;
    PetscCall(create_held("neohookean", (PetscBool)t, 0.02, &m, &y));
    PetscCall(solve_watched(&m, name, ROWS - 1, 0, y, &seen[t], &outcome));
    CHECK(seen[t].rows == ROWS, "%s: %d rows", name, (int)seen[t].rows);
    PetscCall(test_body_destroy_with(&m, &y));
  }
  *difference = 0;
  for (int i = 0; i < ROWS; i++) {
    const double fall = seen[0].g[0] - seen[0].g[ROWS - 1];
    *difference       = test_worse(*difference, fabs(seen[0].g[i] - seen[1].g[i]) / fall);
    *difference       = test_worse(*difference, fabs(seen[0].step[i] - seen[1].step[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Liu et al. 2017, figure 9. Fails if A or the vertex rotations do not rotate with a body, or if H at rest does. */
static PetscErrorCode test_turned_copy(void)
{
  double difference[N_HESSIANS];

  PetscFunctionBegin;
  for (int i = 0; i < N_HESSIANS; i++) {
    PetscCall(compare_turned(hessians[i], &difference[i]));
    const PetscBool follows = (PetscBool)(strcmp(hessians[i], "rest_hessian") != 0);
    CHECK(follows == (difference[i] <= 1e-9), "%s: a turned copy differs by %g", hessians[i], difference[i]);
    CHECK(follows || difference[i] > 1e-3, "%s: a turned copy differs by %g", hessians[i], difference[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *name, *keys;
} variant;

static const variant variants[] = {
  {"wolfe", "line_search=wolfe"},
  {"identity", "initial_hessian=identity history=20"},
  {"wolfe_identity", "line_search=wolfe initial_hessian=identity history=20"},
  {"rest", "initial_hessian=rest_hessian"},
  {"frame", "initial_hessian=frame_hessian"},
  {"warped", "initial_hessian=warped_rest_hessian history=100"},
  {"steps", "inner=cg inner_max_it=5 inner_preconditioner=icholesky"},
  {"one_step", "inner=cg inner_max_it=1 inner_preconditioner=none"},
  {"jacobi", "inner=cg inner_max_it=5 initial_hessian=rest_hessian"},
  {"own", "inner=cg inner_max_it=5 initial_hessian=frame_hessian inner_preconditioner=icholesky"},
  {"from_rest", "inner=cg inner_max_it=5 initial_hessian=frame_hessian inner_preconditioner=icholesky_rest"},
  {"from_operator", "inner=cg inner_max_it=15 initial_hessian=frame_hessian inner_preconditioner=icholesky_operator"},
  {"warped_steps", "inner=cg inner_max_it=15 initial_hessian=warped_rest_hessian inner_preconditioner=icholesky"},
};

enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

/* Fails if g rises in an iteration of a variant, or if it ends away from newton's minimiser. */
static PetscErrorCode test_same_minimiser(const char *law)
{
  test_body     m;
  Vec           y, x, reference;
  wring_outcome outcome;
  history       seen;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create_held(law, PETSC_TRUE, 0.02, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &reference));
  PetscCall(test_body_solve_from(&m, "newton", 50, 1e-10, y, reference, &outcome));
  for (int i = 0; i < N_VARIANTS; i++) {
    PetscCall(test_variant(m.o, variants[i].name, "qn", "%s", variants[i].keys));
    PetscCall(VecCopy(y, x));
    PetscCall(solve_watched(&m, variants[i].name, 1000, 1e-8, x, &seen, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED || outcome.reason == WRING_AT_ROUND_OFF, "%s: %s", variants[i].name,
          wring_reason_name(outcome.reason));
    PetscCall(test_distance(x, reference, &distance));
    CHECK(distance <= 1e-7, "%s ends %g m from newton's minimiser", variants[i].name, distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if steps are not counted, or if many steps do not solve the system. */
static PetscErrorCode test_steps(void)
{
  test_body     m;
  Vec           y, x, exact;
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create_held("strain", PETSC_FALSE, 0.05, &m, &y));
  PetscCall(test_variant(m.o, "few", "qn", "inner=cg inner_max_it=3"));
  PetscCall(test_variant(m.o, "many", "qn", "inner=cg inner_max_it=1000 inner_preconditioner=icholesky"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &exact));
  PetscCall(test_body_solve_from(&m, "few", 4, 0, y, x, &outcome));
  CHECK(outcome.last.linear_iterations == 12, "4 times 3 steps are %d", (int)outcome.last.linear_iterations);
  PetscCall(test_body_solve_from(&m, "many", 4, 0, y, x, &outcome));
  CHECK(outcome.last.linear_iterations < 4 * 100, "%d steps", (int)outcome.last.linear_iterations);
  PetscCall(test_body_solve_from(&m, "operator", 4, 0, y, exact, &outcome));
  PetscCall(test_distance(x, exact, &distance));
  CHECK(distance <= 1e-11, "steps end %g m from the factor's iterate", distance);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&exact));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a constant matrix is kept when h changes. */
static PetscErrorCode test_new_step_size(void)
{
  test_body     m;
  Vec           y, x[2];
  wring_solver *s;
  wring_outcome outcome;
  double        distance;

  PetscFunctionBegin;
  PetscCall(create_held("corotated", PETSC_FALSE, 0.02, &m, &y));
  PetscCall(test_body_solver(&m, "warped_rest_hessian", &s));
  wring_solver_set_limits(s, 3, 0, 0, 1);
  for (int i = 0; i < 2; i++) PetscCall(VecDuplicate(y, &x[i]));
  PetscCall(VecCopy(y, x[0]));
  PetscCall(wring_solver_solve(s, x[0], &outcome));
  PetscCall(wring_potential_set_step(m.g, h / 4));
  for (int i = 0; i < 2; i++) PetscCall(VecCopy(y, x[i]));
  PetscCall(wring_solver_solve(s, x[0], &outcome));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_solve(&m, "warped_rest_hessian", 3, 0, x[1], &outcome));
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance <= 1e-12, "a solver that knew another h is %g m off", distance);
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Replaces MPI_Allreduce and counts its calls. */
#undef MPI_Allreduce
static int allreduces;

int MPI_Allreduce(const void *send, void *receive, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  allreduces++;
  return PMPI_Allreduce(send, receive, n, type, op, comm);
}

/* Messages of halos, which PETSc starts as requests at both ends. */
#undef MPI_Startall
static int started;

int MPI_Startall(int n, MPI_Request *request)
{
  started += n;
  return PMPI_Startall(n, request);
}

/* All messages on all ranks since `before` requests had been started. */
static PetscErrorCode messages_since(int before, int *messages)
{
  const int requests = started - before;

  PetscFunctionBegin;
  PetscCallMPI(PMPI_Allreduce(&requests, messages, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  *messages /= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *solver;
  int         allreduces, most;
  PetscInt    evaluations, iterations;
  PetscInt64  inner;
  int         started, expected, foreseen, of_evaluation, of_inner; // only for inner iterations
} counts;

/* Counts iterations whose first trial is accepted. */
static PetscErrorCode count_row(void *context, const wring_iteration *it)
{
  counts   *seen = context;
  const int made = allreduces - seen->allreduces;

  PetscFunctionBegin;
  if (it->iteration > 1 && it->evaluations == seen->evaluations + 1) {
    seen->most = PetscMax(seen->most, made);
    seen->iterations++;
  }
  seen->allreduces  = allreduces;
  seen->evaluations = it->evaluations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if dot products of L-BFGS have their own reduction, or if the bound of steps is computed where it is not needed.
  On one rank, because a factor on several ranks has reductions too.
*/
static PetscErrorCode test_reductions(const char *law, int expected)
{
  static const char *const names[] = {"operator", "none", "newton"};
  test_body                m;
  Vec                      y, x;
  wring_outcome            outcome;

  PetscFunctionBegin;
  PetscCall(create_held(law, PETSC_FALSE, 0.02, &m, &y));
  PetscCall(test_variant(m.o, "none", "qn", "history=0"));
  PetscCall(VecDuplicate(y, &x));
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    counts seen = {.solver = names[i]};
    PetscCall(VecCopy(y, x));
    PetscCall(test_body_solve_seen(&m, names[i], 12, 1e-6, count_row, &seen, x, &outcome));
    CHECK(seen.iterations >= 2 && seen.most == expected, "%s, %s: %d reductions in one of %d iterations", law, names[i],
          seen.most, (int)seen.iterations);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Wolfe's conditions ------------------------------------------------------------------------------------------ */

/* The trial point is x + alpha d, and its value and gradient are those of g there. */
static PetscErrorCode check_trial(wring_solver *s, Vec x, Vec d)
{
  Vec         at, grad;
  wring_value value;
  double      distance;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &at));
  PetscCall(VecDuplicate(x, &grad));
  PetscCall(VecWAXPY(at, s->trial.step, d, x));
  PetscCall(test_distance(at, s->trial.x, &distance));
  CHECK(distance <= 1e-14, "the trial point is %g m off", distance);
  PetscCall(wring_potential_fused(s->g, s->trial.x, &value, grad));
  CHECK(value.objective == s->trial.value.objective, "g is %.16g, not %.16g", s->trial.value.objective,
        value.objective);
  PetscCall(test_distance(grad, s->trial.grad, &distance));
  CHECK(distance == 0, "the gradient is %g N off", distance);
  PetscCall(VecDestroy(&at));
  PetscCall(VecDestroy(&grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if a step violates one of the conditions, for any length of the direction: too short, too long, or into infinite
  g.
*/
static PetscErrorCode test_wolfe(void)
{
  static const double scale[] = {1e-6, 1e-3, 1, 10, 1e4};
  test_body           m;
  Vec                 y, d;
  wring_solver       *s;
  wring_search        result;
  double              slope, after, first;
  int                 exponent;

  PetscFunctionBegin;
  PetscCall(create_held("neohookean", PETSC_FALSE, 0.02, &m, &y));
  PetscCall(test_body_solver(&m, "operator", &s));
  PetscCall(VecDuplicate(y, &d));
  for (size_t i = 0; i < sizeof scale / sizeof scale[0]; i++) {
    s->current.known = PETSC_FALSE;
    PetscCall(wring_solver_evaluate(s, y));
    PetscCall(wring_solver_apply_inverse(s, s->current.grad, d));
    PetscCall(VecScale(d, -scale[i]));
    PetscCall(wring_solver_dot(s, s->current.grad, d, &slope));
    const PetscInt before = s->work.evaluations;
    PetscCall(wring_solver_try(s, y, 1, d));
    first = s->trial.value.objective;
    PetscCall(wring_solver_wolfe(s, y, d, slope, &result));
    CHECK(result == WRING_SEARCH_FOUND, "nothing found along %g d", scale[i]);
    PetscCall(wring_solver_dot(s, s->trial.grad, d, &after));
    CHECK(s->trial.value.objective <= s->current.value.objective + 0.3 * s->trial.step * slope,
          "g falls too little along %g d", scale[i]);
    CHECK(fabs(after) <= 0.9 * fabs(slope), "slope %g of %g along %g d", after, slope, scale[i]);
    CHECK(s->work.evaluations >= before + 2, "evaluations are not counted");
    CHECK(scale[i] < 1e4 || isinf(first), "g is finite along all of d");
    CHECK(scale[i] < 1e4 || frexp(s->trial.step, &exponent) != 0.5, "the search left infinite g to the backtracking");
    PetscCall(check_trial(s, y, d));
  }
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecDestroy(&d));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs and directions that are no use ------------------------------------------------------------------------ */

/* H_0 = -A^{-1}, whose direction ascends. */
static PetscErrorCode ascend(wring_solver *s, Vec q, Vec r, int n, const Vec *with, double *dots)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_apply_inverse(s, q, r));
  PetscCall(VecScale(r, -1));
  PetscCall(wring_solver_sum_dots(s, r, n, with, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double curvature; // s . y/|s . grad g(x_k)| of the step that take_flat takes

static PetscErrorCode take_flat(wring_solver *s, Vec x, Vec d, double slope, wring_search *result)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_try(s, x, 1, d));
  s->trial.sums[1] = slope * (1 - curvature);
  *result          = WRING_SEARCH_FOUND;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if a solve that stops by decrement takes a direction of ascent, whose predicted decrease is negative, for its
  end, or if a pair is kept whose s . y is positive by rounding only.
*/
static PetscErrorCode test_useless(void)
{
  static const double of[] = {1e-3, 1e-12, -1e-3};
  test_body           m;
  Vec                 y, x;
  wring_solver       *s;
  wring_lbfgs         l;

  PetscFunctionBegin;
  PetscCall(create_held("neohookean", PETSC_FALSE, 0.02, &m, &y));
  PetscCall(wring_options_set(m.o, "solver_stop", "decrement", "test"));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(test_body_solver(&m, "qn", &s));
  for (int i = 0; i < 3; i++) {
    PetscCall(VecCopy(y, x));
    wring_solver_forget(s);
    PetscCall(wring_solver_evaluate(s, x));
    l = (wring_lbfgs){.window = 3};
    PetscCall(wring_lbfgs_create(s, &l));
    curvature = of[i];
    PetscCall(wring_lbfgs_iterate(s, &l, wring_lbfgs_apply_operator, take_flat, x));
    CHECK(l.count == (i == 0), "%d pairs with s . y = %g |s . grad g|", (int)l.count, curvature);
    PetscCall(wring_lbfgs_destroy(&l));
    l = (wring_lbfgs){.window = 0};
    PetscCall(wring_lbfgs_create(s, &l));
    const double before = s->current.value.objective;
    PetscCall(wring_lbfgs_iterate(s, &l, ascend, wring_solver_backtrack, x));
    CHECK(!s->end.given && s->current.value.objective < before, "a direction of ascent ends the solve: %s",
          wring_reason_name(s->end.reason));
    PetscCall(wring_lbfgs_destroy(&l));
  }
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* The message with which the variant is refused, "" if it is not refused. */
static PetscErrorCode message_of(test_body *m, int i, const char *keys, wring_error *message)
{
  char           name[16];
  wring_solver  *s;
  PetscErrorCode code;

  PetscFunctionBegin;
  *message = (wring_error){""};
  PetscCall(PetscSNPrintf(name, sizeof name, "odd%d", i));
  PetscCall(test_variant(m->o, name, "qn", "%s", keys));
  PetscCall(wring_solver_create(PETSC_COMM_WORLD, m->g, m->op, NULL, &s));
  PetscCall(PetscPushErrorHandler(keep_message, message->text));
  code = wring_solver_set_from_options(s, m->o, name);
  PetscCall(PetscPopErrorHandler());
  CHECK(code == (message->text[0] ? PETSC_ERR_USER_INPUT : PETSC_SUCCESS), "%s: code %d", keys, (int)code);
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a value out of range, or a key that would be ignored, is accepted. */
static PetscErrorCode test_refusals(void)
{
  static const char *const good[]   = {"history=0", "history=100", "inner=cg inner_max_it=1"};
  static const char *const bad[][2] = {
    {"history=101", "[0,100]"},
    {"history=-1", "[0,100]"},
    {"inner=cg inner_max_it=0", "[1,inf)"},
    {"line_search=exact", "armijo, wolfe, none"},
    {"initial_hessian=rest", "operator, identity, rest_hessian"},
    {"inner=cg initial_hessian=identity", "inner cg has nothing to solve with initial_hessian identity"},
    {"inner_max_it=3", "expected inner cg"},
    {"inner_preconditioner=none", "expected inner cg"},
    {"inner=cg inner_preconditioner=icholesky_rest", "expected none|jacobi|icholesky with initial_hessian operator"},
  };
  test_body   m;
  Vec         y;
  wring_error message;

  PetscFunctionBegin;
  PetscCall(create_free("strain", stretch, 0, &m, &y));
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    PetscCall(message_of(&m, (int)i, good[i], &message));
    CHECK(!message.text[0], "%s: \"%s\"", good[i], message.text);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    PetscCall(message_of(&m, (int)i + 100, bad[i][0], &message));
    CHECK(strstr(message.text, bad[i][1]) && !strchr(message.text, '\n'), "%s: \"%s\"", bad[i][0], message.text);
  }
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Iterations whose first trial is accepted: reductions are those of the inner iterations and of one evaluation; messages
  are at most these and those of one inner iteration more, because multigrid sends the first right-hand side.
*/
static PetscErrorCode count_inner(void *context, const wring_iteration *it)
{
  counts   *seen  = context;
  const int made  = allreduces - seen->allreduces;
  const int inner = (int)(it->linear_iterations - seen->inner);
  int       messages;

  PetscFunctionBegin;
  PetscCall(messages_since(seen->started, &messages));
  if (it->iteration > 1 && it->evaluations == seen->evaluations + 1) {
    const int own = made - inner;
    CHECK(own == seen->expected || own == seen->expected + 1, "%d reductions in %d inner iterations", made, inner);
    CHECK(messages <= seen->of_evaluation + (inner + 1) * seen->of_inner, "%d messages in %d inner iterations",
          messages, inner);
    seen->foreseen += own == seen->expected;
    seen->iterations++;
  }
  seen->allreduces  = allreduces;
  seen->started     = started;
  seen->evaluations = it->evaluations;
  seen->inner       = it->linear_iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts the messages of one evaluation, and of an inner iteration. */
static PetscErrorCode count_messages(test_body *m, wring_solver *s, Vec x, counts *seen)
{
  wring_operator_info info;
  Vec                 d;
  int                 before = started;

  PetscFunctionBegin;
  s->current.known = PETSC_FALSE;
  PetscCall(wring_solver_evaluate(s, x));
  PetscCall(messages_since(before, &seen->of_evaluation));
  before = started;
  PetscCall(VecDuplicate(x, &d));
  PetscCall(
    wring_operator_solve_from_zero(m->op, 1e-3, s->current.norm, s->current.grad, d, &(wring_operator_dots){.n = 0}));
  PetscCall(VecDestroy(&d));
  wring_operator_get_info(m->op, &info);
  PetscCall(messages_since(before, &seen->of_inner));
  seen->of_inner /= (int)info.iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if dot products of L-BFGS have their own reduction with multigrid: an iteration has one reduction besides those
  of conjugate gradients, and another in the few iterations whose last inner iteration was not predicted. Between two
  ranks a halo is at most two messages: an evaluation has two halos, an inner iteration on two levels five.
*/
static PetscErrorCode test_inner_reductions(const char *law)
{
  test_body     m;
  Vec           y;
  wring_solver *s;
  wring_outcome outcome;
  counts        seen = {.expected = 1};

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(test_body_create(law, h, 0, &m));
  PetscCall(wring_options_set(m.o, "operator_type", "multigrid", "test"));
  PetscCall(test_body_attach(&m, "xmin", 1e5, stretch));
  PetscCall(test_body_set_up_with(&m, stretch, 0.02, &y));
  PetscCall(test_body_solver(&m, "qn", &s));
  wring_solver_set_limits(s, 1, 0, 0, 1);
  PetscCall(wring_solver_solve(s, y, &outcome)); // PETSc sets up halos at their first use
  PetscCall(count_messages(&m, s, y, &seen));
  CHECK(seen.of_evaluation <= 2 * 2 * (size - 1), "%d messages in an evaluation", seen.of_evaluation);
  CHECK(seen.of_inner <= 5 * 2 * (size - 1), "%d messages in an inner iteration", seen.of_inner);
  wring_solver_set_limits(s, 12, 1e-6, 0, 1);
  wring_solver_set_monitor(s, count_inner, &seen);
  PetscCall(wring_solver_solve(s, y, &outcome));
  CHECK(seen.iterations >= 5 && 2 * seen.foreseen > seen.iterations, "foreseen in %d of %d iterations", seen.foreseen,
        (int)seen.iterations);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_condition());
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  if (size < 4) PetscCall(test_order_of_conditions()); // thousands of solves
  PetscCall(test_useless());
  PetscCall(test_refusals());
  PetscCall(test_first_step());
  PetscCall(test_turned_copy());
  PetscCall(test_same_minimiser("neohookean"));
  if (size == 1) PetscCall(test_same_minimiser("strain"));
  PetscCall(test_steps());
  PetscCall(test_new_step_size());
  PetscCall(test_wolfe());
  if (size <= 2) {
    PetscCall(test_inner_reductions("corotated"));
    PetscCall(test_inner_reductions("neohookean"));
  }
  if (size == 1) {
    PetscCall(test_reductions("corotated", 2));
    PetscCall(test_reductions("neohookean", 2));
  }
  PetscCall(PetscFinalize());
  return 0;
}
