/* ranks: 1 2 3 4 */
#define _XOPEN_SOURCE 700
/* A solve is judged by its residual, computed here with MatMult and not with the operator's own apply. */
#include "operator/direct/factor.h"
#include "operator/direct/team.h"
#include "operator/judge.h"
#include "refused.h"
#include <math.h>
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

static PetscBool no_window; // ranks cannot share memory

int(MPI_Win_allocate_shared)(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window)
{
  return no_window ? MPI_ERR_NO_MEM : PMPI_Win_allocate_shared(size, unit, info, comm, memory, window);
}

/* The edges between grid points. */
typedef enum { PLAIN, STIFF, PIECES } grid;

/* Weight of the edge from r along an axis: 1; STIFF: up to 1e10, by layer; PIECES: 0 between every third layer. */
static double weight_of(grid kind, PetscInt m, PetscInt r, int axis)
{
  const PetscInt layer = r / (m * m);
  if (kind == STIFF) return pow(10, 10.0 * (double)layer / (double)m);
  return kind == PIECES && axis == 2 && layer % 3 == 2 ? 0 : 1;
}

/* Graph Laplacian of an m^3 grid plus shift, rows 7 wide. The last rank may own nothing. */
static PetscErrorCode create_grid(grid kind, PetscInt m, double shift, Mat *A)
{
  const PetscInt n = m * m * m, step[3] = {1, m, m * m};
  PetscInt       first, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 7, NULL, 6, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt r = first; r < end; r++) {
    double diagonal = shift;
    for (int k = 0; k < 6; k++) {
      const PetscInt axis = k / 2, at = r / step[axis] % m + (k % 2 ? 1 : -1);
      if (at < 0 || at >= m) continue;
      const PetscInt other  = r + (k % 2 ? 1 : -1) * step[axis];
      const double   weight = weight_of(kind, m, PetscMin(r, other), (int)axis);
      PetscCall(MatSetValue(*A, r, other, -weight, INSERT_VALUES));
      diagonal += weight;
    }
    PetscCall(MatSetValue(*A, r, r, diagonal, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_matrix(PetscInt m, double shift, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(create_grid(PLAIN, m, shift, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "mumps" is type direct with a distributed factor. */
static PetscErrorCode create_operator(const char *type, Mat A, wring_operator **op)
{
  const PetscBool mumps = (PetscBool)!strcmp(type, "mumps");
  wring_options  *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "operator_type", mumps ? "direct" : type, "test"));
  if (mumps) PetscCall(wring_options_set(o, "operator_factor", "distributed", "test"));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, o, NULL, op));
  PetscCall(wring_operator_set_matrix(*op, A));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors [n][3]. The sizes of the components differ by up to 1e12: a test of the joint norm would stop too early. */
static PetscErrorCode create_vectors(Mat A, Vec *b, Vec *x)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 3 * (end - first), PETSC_DETERMINE, b));
  for (PetscInt i = 3 * first; i < 3 * end; i++) {
    uint64_t     state   = (uint64_t)i;
    const double size[3] = {1, 1e-6, 1e6};
    PetscCall(VecSetValue(*b, i, size[i % 3] * test_random(&state), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscCall(VecDuplicate(*b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |b - A x| / |b| of the components. */
static PetscErrorCode residual(Mat A, Vec b, Vec x, double *worst)
{
  Vec bc, xc, r;

  PetscFunctionBegin;
  *worst = 0;
  PetscCall(MatCreateVecs(A, &xc, &bc));
  PetscCall(VecDuplicate(bc, &r));
  PetscCall(VecSetBlockSize(b, 3));
  PetscCall(VecSetBlockSize(x, 3));
  for (int c = 0; c < 3; c++) {
    double norm, size;
    PetscCall(VecStrideGather(x, c, xc, INSERT_VALUES));
    PetscCall(VecStrideGather(b, c, bc, INSERT_VALUES));
    PetscCall(MatMult(A, xc, r));
    PetscCall(VecAXPY(r, -1, bc));
    PetscCall(VecNorm(r, NORM_2, &norm));
    PetscCall(VecNorm(bc, NORM_2, &size));
    const double ratio = size > 0 ? norm / size : norm;
    if (!(ratio <= *worst)) *worst = ratio; // NaN is the worst
  }
  PetscCall(VecDestroy(&bc));
  PetscCall(VecDestroy(&xc));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_type(const char *type, PetscInt m, double rtol)
{
  Mat                 A;
  Vec                 b, x, y;
  wring_operator     *op;
  wring_operator_info info;
  double              worst, xAb, bAx, zero;
  PetscBool           reached;

  PetscFunctionBegin;
  PetscCall(create_matrix(m, 0.1, &A));
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(create_operator(type, A, &op));
  for (int again = 0; again < 2; again++) { // then with changed values: an old factor would fail
    PetscCall(wring_operator_solve(op, rtol, b, x, &reached));
    PetscCall(residual(A, b, x, &worst));
    CHECK(reached && worst <= 1.01 * rtol, "%s m %d: residual %g", type, (int)m, worst);
    PetscCall(wring_operator_solve(op, 2 * rtol, b, x, &reached)); // a warm start
    wring_operator_get_info(op, &info);
    CHECK(info.iterations == 0, "%s: %d iterations from the solution", type, (int)info.iterations);
    PetscCall(MatShift(A, 0.5));
    PetscCall(wring_operator_set_matrix(op, A));
  }
  PetscCall(VecDuplicate(b, &y));
  PetscCall(wring_operator_apply(op, x, y));
  PetscCall(VecDot(y, b, &bAx));
  PetscCall(wring_operator_apply(op, b, y));
  PetscCall(VecDot(y, x, &xAb));
  CHECK(fabs(bAx - xAb) <= 1e-12 * fabs(bAx), "%s: apply is not symmetric: %g %g", type, bAx, xAb);
  PetscCall(VecSet(b, 0));
  PetscCall(wring_operator_solve(op, rtol, b, x, &reached));
  PetscCall(VecNorm(x, NORM_INFINITY, &zero));
  CHECK(reached && zero == 0, "%s: solution of zero is %g", type, zero);
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_and_solve(wring_operator *op, Mat A, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_operator_set_matrix(op, A));
  PetscCall(wring_operator_solve(op, 1e-8, b, x, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues from -2 on: a factorisation with pivoting would continue silently. */
static PetscErrorCode test_indefinite(const char *type)
{
  Mat             A;
  Vec             b, x;
  wring_operator *op;

  PetscFunctionBegin;
  __lsan_disable(); // the refused solve keeps a reference to A
  PetscCall(create_matrix(6, 1, &A));
  __lsan_enable();
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(create_operator(type, A, &op));
  PetscCall(MatShift(A, -3));
  CHECK_REFUSED(set_and_solve(op, A, b, x), "operator: ", "not positive definite");
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two types share only the matrix: they agree to the condition number times the residual. */
static PetscErrorCode test_agreement(const char *direct)
{
  const char *const type[2] = {direct, "multigrid"};
  Mat               A;
  Vec               b, x[2];
  double            far[3], size[3];

  PetscFunctionBegin;
  PetscCall(create_matrix(12, 0.1, &A));
  PetscCall(create_vectors(A, &b, &x[0]));
  PetscCall(VecDuplicate(b, &x[1]));
  for (int t = 0; t < 2; t++) {
    wring_operator *op;
    PetscBool       reached;
    PetscCall(create_operator(type[t], A, &op));
    PetscCall(wring_operator_solve(op, 1e-10, b, x[t], &reached));
    CHECK(reached, "%s", type[t]);
    PetscCall(wring_operator_destroy(&op));
  }
  PetscCall(VecAXPY(x[1], -1, x[0]));
  for (int t = 0; t < 2; t++) PetscCall(VecSetBlockSize(x[t], 3));
  PetscCall(VecStrideNormAll(x[0], NORM_2, size));
  PetscCall(VecStrideNormAll(x[1], NORM_2, far));
  for (int c = 0; c < 3; c++)
    CHECK(far[c] <= 121 * 1e-10 * size[c], "component %d: %g of %g", c, far[c], size[c]); // (12 + 0.1) / 0.1
  PetscCall(VecDestroy(&b));
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  From a residual of 1e-6 to 1e-7 is one decade of seven: a solve that ignores the guess needs more iterations than the
  first.
*/
static PetscErrorCode test_guess(void)
{
  Mat                 A;
  Vec                 b, x;
  wring_operator     *op;
  wring_operator_info cold, warm;
  PetscBool           reached;

  PetscFunctionBegin;
  PetscCall(create_matrix(12, 0.01, &A));
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(create_operator("multigrid", A, &op));
  PetscCall(wring_operator_solve(op, 1e-6, b, x, &reached));
  wring_operator_get_info(op, &cold);
  PetscCall(wring_operator_solve(op, 1e-7, b, x, &reached));
  wring_operator_get_info(op, &warm);
  CHECK(reached && 2 * warm.iterations <= cold.iterations, "%d after %d", (int)warm.iterations, (int)cold.iterations);
  CHECK(warm.solves == 2 && warm.total_iterations == cold.iterations + warm.iterations && warm.memory > 0, "info");
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A matrix of each kind, to each rtol that is not less than `least`. Fails if refinement is omitted or couples
  components, or if a row is put in a wrong place.
*/
static PetscErrorCode test_accuracy(grid kind, PetscInt m, double shift, double least)
{
  const double    rtol[] = {1e-3, 1e-6, 1e-9, 1e-12};
  Mat             A;
  Vec             b, x;
  wring_operator *op;

  PetscFunctionBegin;
  PetscCall(create_grid(kind, m, shift, &A));
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(create_operator("direct", A, &op));
  for (int zero = 0; zero < 2; zero++) { // then with one zero column
    for (int i = 0; i < 4 && rtol[i] >= least; i++) {
      PetscReal size[3];
      double    worst;
      PetscBool reached;
      PetscCall(VecSet(x, NAN)); // the guess is ignored
      PetscCall(wring_operator_solve(op, rtol[i], b, x, &reached));
      PetscCall(residual(A, b, x, &worst));
      CHECK(reached && worst <= 1.01 * rtol[i], "kind %d m %d: %g for %g", (int)kind, (int)m, worst, rtol[i]);
      PetscCall(VecStrideNormAll(x, NORM_INFINITY, size));
      CHECK(!zero || size[1] == 0, "kind %d: %g from nothing", (int)kind, size[1]);
    }
    PetscCall(VecStrideScale(b, 1, 0));
  }
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A solve in single precision leaves eps times the condition number of |b|: 1e-6 / 0.1 with a shift of 0.1, more than
  |b| with 1e-7, where CHOLMOD's own factor leaves 1e-16 / 1e-8. Fails if the precision is not chosen, not chosen again
  after a change, or not reported by info.
*/
static PetscErrorCode test_precision(void)
{
  const double        shift[] = {0.1, 1e-7, 0.1};
  Mat                 A;
  Vec                 b, x;
  wring_operator     *op;
  wring_operator_info info;
  double              before = 0, worst, memory[3];

  PetscFunctionBegin;
  PetscCall(create_matrix(18, 0, &A));
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(MatShift(A, shift[0]));
  PetscCall(create_operator("direct", A, &op));
  for (int i = 0; i < 3; i++) {
    PetscCall(MatShift(A, i ? shift[i] - before : 0));
    before = shift[i];
    PetscCall(wring_operator_set_matrix(op, A));
    wring_operator_get_info(op, &info);
    memory[i] = info.memory;
    CHECK(strstr(info.library, i == 1 ? "double" : "single"), "shift %g: %s", shift[i], info.library);
    PetscCall(wring_operator_solve(op, 1e-3, b, x, NULL));
    PetscCall(residual(A, b, x, &worst));
    CHECK(worst <= (i == 1 ? 1e-7 : 1e-4), "shift %g: residual %g", shift[i], worst);
  }
  CHECK(memory[0] < 0.75 * memory[1], "%g bytes, %g in double precision", memory[0], memory[1]);
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if a sum depends on the number of threads, or if a tolerance that cannot be reached is reported as reached.
*/
static PetscErrorCode test_threads(PetscInt m)
{
  Mat             A;
  Vec             b, x, first;
  wring_operator *op;
  PetscBool       reached, same;

  PetscFunctionBegin;
  const PetscMPIInt n_rank = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create_grid(PLAIN, m, 0.1, &A));
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(VecDuplicate(x, &first));
  PetscCall(create_operator("direct", A, &op));
  for (int threads = 1; threads <= (n_rank > 1 ? 2 : 4); threads++) {
    omp_set_num_threads(threads);
    if (n_rank > 1) PetscCall(wring_operator_set_matrix(op, A)); // ranks agree on threads here
    PetscCall(wring_operator_solve(op, 1e-12, b, x, &reached));
    CHECK(reached, "%d threads", threads);
    if (threads == 1) PetscCall(VecCopy(x, first));
    PetscCall(VecEqual(x, first, &same));
    CHECK(same, "m %d: %d threads do not give what one gives", (int)m, threads);
  }
  omp_set_num_threads(1);
  PetscCall(wring_operator_solve(op, 1e-18, b, x, &reached));
  CHECK(!reached || m == 1, "a residual of 1e-18");
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&first));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The tolerance of a solve with rtol 0: round-off with `operator.type: direct`; operator.rtol if the deck gives it; if
  `auto` chooses a factor, round-off too, except for callers that ask for rough solves. Fails if a solve is less exact
  than requested.
*/
static PetscErrorCode test_default(const char *type, const char *rtol, double rough, double least, double most)
{
  Mat                 A;
  Vec                 b, x;
  wring_options      *o;
  wring_operator     *op;
  double              worst;
  PetscBool           reached;
  wring_operator_info info;

  PetscFunctionBegin;
  PetscCall(create_matrix(12, 0.01, &A));
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "operator_type", type, "test"));
  if (rtol) PetscCall(wring_options_set(o, "operator_rtol", rtol, "test"));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, o, NULL, &op));
  PetscCall(wring_operator_set_matrix(op, A));
  PetscCall(wring_operator_solve(op, 0, b, x, &reached));
  PetscCall(residual(A, b, x, &worst));
  CHECK(reached && least <= worst && worst <= most, "%s %s: residual %g", type, rtol ? rtol : "", worst);
  PetscCall(wring_operator_solve(op, WRING_OPERATOR_ROUGH, b, x, NULL));
  wring_operator_get_info(op, &info);
  CHECK(info.rtol == rough, "%s %s: %g", type, rtol ? rtol : "", info.rtol);
  PetscCall(wring_operator_destroy(&op));
  PetscCall(wring_options_destroy(&o));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Many solves in sequence: fails occasionally if threads or ranks do not wait for each other's numbers.
*/
static PetscErrorCode test_repeated(int threads)
{
  const double    rtol[] = {1e-3, 1e-12, 1e-9};
  Mat             A;
  Vec             b, x[3], again;
  wring_operator *op;
  PetscBool       same;

  PetscFunctionBegin;
  omp_set_num_threads(threads);
  PetscCall(create_grid(PLAIN, 20, 0.1, &A));
  PetscCall(create_vectors(A, &b, &again));
  PetscCall(create_operator("direct", A, &op));
  for (int i = 0; i < 60; i++) {
    Vec to = again;
    if (i < 3) PetscCall(VecDuplicate(b, &x[i]));
    if (i < 3) to = x[i];
    PetscCall(wring_operator_solve(op, rtol[i % 3], b, to, NULL));
    PetscCall(VecEqual(to, x[i % 3], &same));
    CHECK(same, "%d threads: solve %d is not the same again", threads, i);
  }
  for (int i = 0; i < 3; i++) PetscCall(VecDestroy(&x[i]));
  omp_set_num_threads(1);
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&again));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if work arrays keep numbers that are not finite, or if b is not scaled to the range of single precision. */
static PetscErrorCode test_not_finite(void)
{
  Mat             A;
  Vec             b, x, bad;
  wring_operator *op;
  double          worst;

  PetscFunctionBegin;
  PetscCall(create_matrix(9, 0.1, &A));
  PetscCall(create_vectors(A, &b, &x));
  PetscCall(VecDuplicate(b, &bad));
  PetscCall(VecSet(bad, INFINITY));
  PetscCall(create_operator("direct", A, &op));
  PetscCall(wring_operator_solve(op, 1e-3, bad, x, NULL));
  PetscCall(VecSet(bad, NAN));
  PetscCall(wring_operator_solve(op, 1e-12, bad, x, NULL));
  PetscCall(wring_operator_solve(op, 1e-12, b, x, NULL));
  PetscCall(residual(A, b, x, &worst));
  CHECK(worst <= 1e-12, "after NaN: %g", worst);
  for (int i = 0; i < 2; i++) { // beyond the range of single precision
    PetscCall(VecScale(b, i ? 1e-100 : 1e50));
    PetscCall(wring_operator_solve(op, 1e-12, b, x, NULL));
    PetscCall(residual(A, b, x, &worst));
    CHECK(worst <= 1e-12, "very %s b: %g", i ? "small" : "large", worst);
  }
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&bad));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_with(const char *factor, const char *type, const char *rtol, wring_operator_use use,
                                  PetscInt n, const char *wanted)
{
  wring_options  *o;
  wring_operator *op;
  const char     *choice;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "operator_type", type, "test"));
  PetscCall(wring_options_set(o, "operator_factor", factor, "test"));
  if (rtol) PetscCall(wring_options_set(o, "operator_rtol", rtol, "test"));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, o, NULL, &op));
  wring_operator_expect(op, &use);
  choice = wring_operator_choice(op, n);
  CHECK(!strcmp(choice, wanted), "%s, %d vertices, %d solves, rtol %g: %s", type, (int)n, (int)use.solves, use.rtol,
        choice);
  PetscCall(wring_operator_destroy(&op));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose(const char *type, const char *rtol, wring_operator_use use, PetscInt n, const char *wanted)
{
  PetscFunctionBegin;
  PetscCall(choose_with("auto", type, rtol, use, n, wanted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A distributed factor is given the cost of MUMPS, whose solve takes four times as long. Fails if it is given the cost
  of the shared factor, which is the only one on one rank.
*/
static PetscErrorCode test_choice_in_parts(void)
{
  const wring_operator_use many = {.solves = 100000};

  PetscFunctionBegin;
  const PetscMPIInt n_rank = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(choose_with("distributed", "auto", NULL, many, 6000, "direct"));
  PetscCall(choose_with("distributed", "auto", NULL, many, 20000, n_rank > 1 ? "multigrid" : "direct"));
  PetscCall(choose_with("shared", "auto", NULL, many, 20000, "direct"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A type that the user sets is used. A small mesh is factored, a large one is not. Between them multigrid is chosen if
  solves are rough or few, a factor if they are many and exact. Fails if size, number, tolerance or roughness has no
  effect.
*/
static PetscErrorCode test_choice(void)
{
  const wring_operator_use many = {.solves = 100000}, few = {.solves = 20},
                           rough      = {.solves = 100000, .rtol = WRING_OPERATOR_ROUGH},
                           correction = {.solves = 100000, .rtol = WRING_OPERATOR_CORRECTION};

  PetscFunctionBegin;
  PetscCall(choose("multigrid", NULL, many, 10, "multigrid"));
  PetscCall(choose("direct", NULL, rough, 100000000, "direct"));
  PetscCall(choose("auto", NULL, (wring_operator_use){.solves = 1, .rtol = WRING_OPERATOR_ROUGH}, 1000, "direct"));
  PetscCall(choose("auto", NULL, many, 1000000, "multigrid"));
  PetscCall(choose("auto", NULL, many, 60000, "direct"));
  PetscCall(choose("auto", NULL, rough, 5000, "direct"));
  PetscCall(choose("auto", "1e-1", rough, 10000, "direct"));
  PetscCall(choose("auto", NULL, rough, 10000, "multigrid"));
  PetscCall(choose("auto", NULL, rough, 60000, "multigrid"));
  PetscCall(choose("auto", "1e-6", rough, 60000, "direct"));
  PetscCall(choose("auto", NULL, correction, 5000, "direct"));
  PetscCall(choose("auto", NULL, correction, 60000, "multigrid"));
  PetscCall(choose("auto", "1e-6", correction, 60000, "direct"));
  PetscCall(choose("auto", "1e-14", many, 60000, "direct"));
  PetscCall(choose("auto", "1e-1", few, 20000, "multigrid"));
  PetscCall(choose("auto", "1e-1", many, 20000, "direct"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

/*
  Two pages of a file of one page: the second is not available, as on a /dev/shm that is smaller than MPI has promised.
  Fails with SIGBUS if the program itself writes the zeros.
*/
static PetscErrorCode test_no_page(void)
{
  const size_t page   = (size_t)sysconf(_SC_PAGESIZE);
  char         name[] = "/tmp/wring_test_XXXXXX";
  const int    file   = mkstemp(name);

  PetscFunctionBegin;
  CHECK(file >= 0 && ftruncate(file, (off_t)page) == 0, "%s", name);
  char *const memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(memory != MAP_FAILED, "mmap");
  memory[0] = memory[page - 1] = 1;
  CHECK(!wring_shared_clear(memory, 2 * page), "a page that is not there was taken");
  memory[page - 1] = 1;
  CHECK(wring_shared_clear(memory, page) && memory[0] == 0 && memory[page - 1] == 0, "one page");
  munmap(memory, 2 * page);
  close(file);
  unlink(name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Ranks that cannot share memory have a distributed factor, and are told so. Fails if the solve is not right, or if
  nothing is said.
*/
static PetscErrorCode test_no_window(void)
{
  char        text[1024] = "";
  FILE *const file       = tmpfile();
  const int   old        = dup(STDERR_FILENO);

  PetscFunctionBegin;
  CHECK(file && old >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0, "standard error");
  no_window = PETSC_TRUE;
  PetscCall(test_type("direct", 12, 1e-12));
  no_window = PETSC_FALSE;
  fflush(stderr);
  CHECK(dup2(old, STDERR_FILENO) >= 0, "standard error");
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  const PetscBool said                        = (PetscBool)(strstr(text, "a distributed factor by MUMPS") != NULL);
  CHECK(said == (wring_comm_size(PETSC_COMM_WORLD) > 1 && wring_comm_rank(PETSC_COMM_WORLD) == 0), "\"%s\"", text);
  fclose(file);
  close(old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- factors by PETSc -------------------------------------------------------------------------------------------- */

static PetscErrorCode create_and_solve(Mat A, Vec b, Vec x)
{
  wring_operator *op;

  PetscFunctionBegin;
  PetscCall(create_operator("petsc", A, &op));
  PetscCall(wring_operator_solve(op, 1e-8, b, x, NULL));
  PetscCall(wring_operator_destroy(&op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A factor for which MUMPS is not allowed the memory that it needs is refused. Fails if the Inf with which PETSc then
  fills the solution is accepted, or if a set-up with enough memory reuses the failed factor.
*/
static PetscErrorCode test_starved(void)
{
  static const char *const option[][2] = {{"-operator_ksp_type", "preonly"},
                                          {"-operator_pc_type", "cholesky"},
                                          {"-operator_pc_factor_mat_solver_type", "mumps"},
                                          {"-operator_mat_mumps_icntl_23", "1"}}; // megabytes
  Mat                      A;
  Vec                      b, x;
  double                   worst;

  PetscFunctionBegin;
  PetscCall(create_matrix(20, 0.1, &A));
  PetscCall(create_vectors(A, &b, &x));
  for (int i = 0; i < 4; i++) PetscCall(PetscOptionsSetValue(NULL, option[i][0], option[i][1]));
  CHECK_REFUSED(create_and_solve(A, b, x), "operator: the factor by mumps, INFOG(1) = -19", "has failed");
  PetscCall(PetscOptionsClearValue(NULL, option[3][0]));
  PetscCall(create_and_solve(A, b, x));
  PetscCall(residual(A, b, x, &worst));
  CHECK(worst <= 1e-12, "with memory: %g", worst);
  for (int i = 0; i < 3; i++) PetscCall(PetscOptionsClearValue(NULL, option[i][0]));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pivoting of an indefinite matrix with a half-zero diagonal needs more workspace than MUMPS estimates. */
static PetscErrorCode create_saddle(PetscInt n, Mat *A)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 2 * n, 2 * n, 64, NULL, 64, NULL, A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt r = first; r < end; r++) {
    PetscCall(MatSetValue(*A, r, r, r < n ? 1e-8 : 0, ADD_VALUES));
    for (PetscInt k = 0; r < n && k < 6; k++) {
      uint64_t       state = (uint64_t)(6 * r + k);
      const double   value = test_random(&state);
      const PetscInt other = n + (PetscInt)(wring_uniform((uint64_t)(6 * r + k)) * (double)n);
      PetscCall(MatSetValue(*A, r, other, value, ADD_VALUES));
      PetscCall(MatSetValue(*A, other, r, value, ADD_VALUES));
    }
    if (r < n) {
      PetscCall(MatSetValue(*A, r, n + r, 10, ADD_VALUES));
      PetscCall(MatSetValue(*A, n + r, r, 10, ADD_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A factorisation that ran out of workspace is repeated with more, also after a failure. Fails if it is not: PETSc does
  not repeat a factorisation in a MUMPS factor that has failed, even with another ICNTL(14).
*/
static PetscErrorCode test_workspace(void)
{
  wring_factor   f = {.library = MATSOLVERMUMPS, .type = MAT_FACTOR_CHOLESKY, .workspace = 1};
  MatFactorInfo  info;
  MatFactorError error;
  Mat            A;
  Vec            b, x;
  double         size, left;

  PetscFunctionBegin;
  PetscCall(create_saddle(600, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(wring_factor_symbolic(&f, A));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatCholeskyFactorNumeric(f.F, A, &info));
  PetscCall(MatFactorGetError(f.F, &error));
  CHECK(error == MAT_FACTOR_OUTMEMORY, "1 %% of workspace was enough: error %d", (int)error);
  PetscCall(wring_factor_numeric(&f, A, &error));
  CHECK(error == MAT_FACTOR_NOERROR && f.workspace > 1, "error %d at %d %%", (int)error, (int)f.workspace);
  PetscCall(MatSolve(f.F, b, x));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &left));
  CHECK(left <= 1e-9 * size, "residual %g of %g", left, size);
  PetscCall(MatDestroy(&f.F));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors A, of which `expected` eigenvalues are negative, in ksp. */
static PetscErrorCode check_settings(KSP ksp, Mat A, PetscInt expected)
{
  enum { ICNTL_ROOT = 13 };
  PetscInt root = 0, workspace = 0, negative = 0;
  PC       pc;
  Mat      F;

  PetscFunctionBegin;
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(wring_factor_set_up(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatMumpsGetIcntl(F, ICNTL_ROOT, &root));
  PetscCall(MatMumpsGetIcntl(F, WRING_MUMPS_ICNTL_WORKSPACE, &workspace));
  PetscCall(wring_solve_negative_pivots(ksp, &negative));
  CHECK(root == 1 && workspace >= WRING_MUMPS_WORKSPACE && negative == expected, "ICNTL(13) %d, (14) %d, %d negative",
        (int)root, (int)workspace, (int)negative);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a factor of a new pattern or of another matrix has MUMPS's own settings, as PETSc creates it. */
static PetscErrorCode test_settings(void)
{
  enum { N = 60 };
  PetscInt first;
  Mat      A, B;
  KSP      ksp;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(create_saddle(N, &A));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(check_settings(ksp, A, N));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  if (first == 0) PetscCall(MatSetValue(A, 0, 1, 1e-3, ADD_VALUES));
  if (first == 0) PetscCall(MatSetValue(A, 1, 0, 1e-3, ADD_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(check_settings(ksp, A, N));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(check_settings(ksp, B, N));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_type("direct", 12, 1e-12));
  PetscCall(test_type("direct", 1, 1e-12)); // one row: other ranks own none
  PetscCall(test_accuracy(PLAIN, 14, 0.01, 0));
  PetscCall(test_accuracy(STIFF, 11, 0.1, 1e-6)); // A x itself is known to 1e10 eps |x|
  PetscCall(test_accuracy(PIECES, 10, 0.1, 0));
  PetscCall(test_accuracy(PLAIN, 2, 0.1, 0));
  PetscCall(test_precision());
  PetscCall(test_default("direct", NULL, 0, 0, 5e-15));
  PetscCall(test_default("auto", NULL, 1e-1, 0, 5e-15));
  PetscCall(test_default("direct", "1e-3", 1e-3, 1e-9, 1e-3));
  PetscCall(test_default("auto", "1e-2", 1e-2, 1e-9, 1e-2));
  PetscCall(test_default("multigrid", NULL, WRING_OPERATOR_ROUGH, 1e-9, 1e-3));
  PetscCall(test_default("multigrid", "1e-2", 1e-2, 1e-9, 1e-2));
  PetscCall(test_default("petsc", NULL, 1e-1, 1e-9, 1e-3));
  PetscCall(test_threads(1));
  PetscCall(test_threads(20));
  PetscCall(test_repeated(1));
  PetscCall(test_repeated(2));
  PetscCall(test_not_finite());
  PetscCall(test_type("mumps", 12, 1e-12));
  PetscCall(test_type("mumps", 1, 1e-12));
  PetscCall(test_indefinite("mumps"));
  PetscCall(test_type("multigrid", 12, 1e-10));
  PetscCall(test_type("multigrid", 12, 1e-2));
  PetscCall(test_type("multigrid", 1, 1e-10));
  PetscCall(test_type("petsc", 12, 1e-6));
  PetscCall(test_indefinite("direct"));
  PetscCall(test_indefinite("multigrid"));
  PetscCall(test_indefinite("petsc"));
  PetscCall(test_agreement("direct"));
  PetscCall(test_agreement("mumps"));
  PetscCall(test_choice());
  PetscCall(test_choice_in_parts());
  PetscCall(test_guess());
  PetscCall(test_no_page());
  PetscCall(test_no_window());
  PetscCall(test_starved());
  PetscCall(test_workspace());
  PetscCall(test_settings());
  PetscCall(PetscFinalize());
  return 0;
}
