/* ranks: 1 2 4 */
#define _XOPEN_SOURCE 700
/* A solve is judged by its residual, computed here with MatMult and not with the operator's own apply. */
#include "operator/direct/factor.h"
#include "operator/direct/team.h"
#include "operator/judge.h"
#include "grids.h"
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

static const char in_parts[] = "type=direct factor=distributed";

/* The components of b differ in size by up to 1e12: a test of the joint norm would stop too early. */
static PetscErrorCode create(const char *keys, test_edges edges, PetscInt m, double shift, problem *p)
{
  const double size[3] = {1, 1e-6, 1e6};

  PetscFunctionBegin;
  PetscCall(problem_create(&(test_grid){edges, m, 1, shift}, size, keys, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest |b - A x| / |b| of the components. */
static PetscErrorCode residual(const problem *p, double *worst)
{
  double r[3], b[3];

  PetscFunctionBegin;
  *worst = 0;
  PetscCall(problem_residual(p, r, b));
  for (int c = 0; c < 3; c++) {
    const double ratio = b[c] > 0 ? r[c] / b[c] : r[c];
    if (!(ratio <= *worst)) *worst = ratio; // NaN is the worst
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_type(const char *keys, PetscInt m, double rtol)
{
  problem             p;
  Vec                 y;
  wring_operator_info info;
  double              worst, xAb, bAx, zero;
  PetscBool           reached;

  PetscFunctionBegin;
  PetscCall(create(keys, GRID_PLAIN, m, 0.1, &p));
  for (int again = 0; again < 2; again++) { // then with changed values: an old factor would fail
    PetscCall(wring_operator_solve(p.op, rtol, p.b, p.x, &reached));
    PetscCall(residual(&p, &worst));
    CHECK(reached && worst <= 1.01 * rtol, "%s m %d: residual %g", keys, (int)m, worst);
    PetscCall(wring_operator_solve(p.op, 2 * rtol, p.b, p.x, &reached)); // a warm start
    wring_operator_get_info(p.op, &info);
    CHECK(info.iterations == 0, "%s: %d iterations from the solution", keys, (int)info.iterations);
    PetscCall(MatShift(p.A, 0.5));
    PetscCall(wring_operator_set_matrix(p.op, p.A));
  }
  PetscCall(VecDuplicate(p.b, &y));
  PetscCall(wring_operator_apply(p.op, p.x, y));
  PetscCall(VecDot(y, p.b, &bAx));
  PetscCall(wring_operator_apply(p.op, p.b, y));
  PetscCall(VecDot(y, p.x, &xAb));
  CHECK(fabs(bAx - xAb) <= 1e-12 * fabs(bAx), "%s: apply is not symmetric: %g %g", keys, bAx, xAb);
  PetscCall(VecSet(p.b, 0));
  PetscCall(wring_operator_solve(p.op, rtol, p.b, p.x, &reached));
  PetscCall(VecNorm(p.x, NORM_INFINITY, &zero));
  CHECK(reached && zero == 0, "%s: solution of zero is %g", keys, zero);
  PetscCall(VecDestroy(&y));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_and_solve(const problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_operator_set_matrix(p->op, p->A));
  PetscCall(wring_operator_solve(p->op, 1e-8, p->b, p->x, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues from -2 on: a factorisation with pivoting would continue silently. */
static PetscErrorCode test_indefinite(const char *keys)
{
  problem p;

  PetscFunctionBegin;
  __lsan_disable(); // the refused solve keeps a reference to A
  PetscCall(create(keys, GRID_PLAIN, 6, 1, &p));
  __lsan_enable();
  PetscCall(MatShift(p.A, -3));
  CHECK_REFUSED(set_and_solve(&p), "operator: ", "not positive definite");
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two types share only the matrix: they agree to the condition number times the residual. */
static PetscErrorCode test_agreement(const char *keys)
{
  problem         p;
  Vec             x;
  wring_operator *op;
  double          far[3], size[3];
  PetscBool       reached[2];

  PetscFunctionBegin;
  PetscCall(create(keys, GRID_PLAIN, 12, 0.1, &p));
  PetscCall(VecDuplicate(p.x, &x));
  PetscCall(test_operator_create("type=multigrid", p.A, &op));
  PetscCall(wring_operator_solve(p.op, 1e-10, p.b, p.x, &reached[0]));
  PetscCall(wring_operator_solve(op, 1e-10, p.b, x, &reached[1]));
  CHECK(reached[0] && reached[1], "%s: %d, multigrid: %d", keys, (int)reached[0], (int)reached[1]);
  PetscCall(VecAXPY(x, -1, p.x));
  PetscCall(VecStrideNormAll(p.x, NORM_2, size));
  PetscCall(VecStrideNormAll(x, NORM_2, far));
  for (int c = 0; c < 3; c++)
    CHECK(far[c] <= 121 * 1e-10 * size[c], "component %d: %g of %g", c, far[c], size[c]); // (12 + 0.1) / 0.1
  PetscCall(wring_operator_destroy(&op));
  PetscCall(VecDestroy(&x));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  From a residual of 1e-6 to 1e-7 is one decade of seven: a solve that ignores the guess needs more iterations than the
  first.
*/
static PetscErrorCode test_guess(void)
{
  problem             p;
  wring_operator_info cold, warm;
  PetscBool           reached;

  PetscFunctionBegin;
  PetscCall(create("type=multigrid", GRID_PLAIN, 12, 0.01, &p));
  PetscCall(wring_operator_solve(p.op, 1e-6, p.b, p.x, &reached));
  wring_operator_get_info(p.op, &cold);
  PetscCall(wring_operator_solve(p.op, 1e-7, p.b, p.x, &reached));
  wring_operator_get_info(p.op, &warm);
  CHECK(reached && 2 * warm.iterations <= cold.iterations, "%d after %d", (int)warm.iterations, (int)cold.iterations);
  CHECK(warm.solves == 2 && warm.total_iterations == cold.iterations + warm.iterations && warm.memory > 0, "info");
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A matrix of each kind, to each rtol that is not less than `least`. Fails if refinement is omitted or couples
  components, or if a row is put in a wrong place.
*/
static PetscErrorCode test_accuracy(test_edges edges, PetscInt m, double shift, double least)
{
  const double rtol[] = {1e-3, 1e-6, 1e-9, 1e-12};
  problem      p;

  PetscFunctionBegin;
  PetscCall(create("type=direct", edges, m, shift, &p));
  for (int zero = 0; zero < 2; zero++) { // then with one zero column
    for (int i = 0; i < 4 && rtol[i] >= least; i++) {
      PetscReal size[3];
      double    worst;
      PetscBool reached;
      PetscCall(VecSet(p.x, NAN)); // the guess is ignored
      PetscCall(wring_operator_solve(p.op, rtol[i], p.b, p.x, &reached));
      PetscCall(residual(&p, &worst));
      CHECK(reached && worst <= 1.01 * rtol[i], "kind %d m %d: %g for %g", (int)edges, (int)m, worst, rtol[i]);
      PetscCall(VecStrideNormAll(p.x, NORM_INFINITY, size));
      CHECK(!zero || size[1] == 0, "kind %d: %g from nothing", (int)edges, size[1]);
    }
    PetscCall(VecStrideScale(p.b, 1, 0));
  }
  PetscCall(problem_destroy(&p));
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
  problem             p;
  wring_operator_info info;
  double              worst, memory[3];

  PetscFunctionBegin;
  PetscCall(create("type=direct", GRID_PLAIN, 18, shift[0], &p));
  for (int i = 0; i < 3; i++) {
    PetscCall(MatShift(p.A, i ? shift[i] - shift[i - 1] : 0));
    PetscCall(wring_operator_set_matrix(p.op, p.A));
    wring_operator_get_info(p.op, &info);
    memory[i] = info.memory;
    CHECK(strstr(info.library, i == 1 ? "double" : "single"), "shift %g: %s", shift[i], info.library);
    PetscCall(wring_operator_solve(p.op, 1e-3, p.b, p.x, NULL));
    PetscCall(residual(&p, &worst));
    CHECK(worst <= (i == 1 ? 1e-7 : 1e-4), "shift %g: residual %g", shift[i], worst);
  }
  CHECK(memory[0] < 0.75 * memory[1], "%g bytes, %g in double precision", memory[0], memory[1]);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if a sum depends on the number of threads, or if a tolerance that cannot be reached is reported as reached.
*/
static PetscErrorCode test_threads(PetscInt m)
{
  problem   p;
  Vec       first;
  PetscBool reached, same;

  PetscFunctionBegin;
  const PetscMPIInt n_rank = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create("type=direct", GRID_PLAIN, m, 0.1, &p));
  PetscCall(VecDuplicate(p.x, &first));
  for (int threads = 1; threads <= (n_rank > 1 ? 2 : 4); threads++) {
    omp_set_num_threads(threads);
    if (n_rank > 1) PetscCall(wring_operator_set_matrix(p.op, p.A)); // ranks agree on threads here
    PetscCall(wring_operator_solve(p.op, 1e-12, p.b, p.x, &reached));
    CHECK(reached, "%d threads", threads);
    if (threads == 1) PetscCall(VecCopy(p.x, first));
    PetscCall(VecEqual(p.x, first, &same));
    CHECK(same, "m %d: %d threads do not give what one gives", (int)m, threads);
  }
  omp_set_num_threads(1);
  PetscCall(wring_operator_solve(p.op, 1e-18, p.b, p.x, &reached));
  CHECK(!reached || m == 1, "a residual of 1e-18");
  PetscCall(VecDestroy(&first));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The tolerance of a solve with rtol 0: round-off with `operator.type: direct`; operator.rtol if the deck gives it; if
  `auto` chooses a factor, round-off too, except for callers that ask for rough solves. Fails if a solve is less exact
  than requested.
*/
static PetscErrorCode test_default(const char *keys, double rough, double least, double most)
{
  problem             p;
  double              worst;
  PetscBool           reached;
  wring_operator_info info;

  PetscFunctionBegin;
  PetscCall(create(keys, GRID_PLAIN, 12, 0.01, &p));
  PetscCall(wring_operator_solve(p.op, 0, p.b, p.x, &reached));
  PetscCall(residual(&p, &worst));
  CHECK(reached && least <= worst && worst <= most, "%s: residual %g", keys, worst);
  PetscCall(wring_operator_solve(p.op, WRING_OPERATOR_ROUGH, p.b, p.x, NULL));
  wring_operator_get_info(p.op, &info);
  CHECK(info.rtol == rough, "%s: %g", keys, info.rtol);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Many solves in sequence: fails occasionally if threads or ranks do not wait for each other's numbers.
*/
static PetscErrorCode test_repeated(int threads)
{
  const double rtol[] = {1e-3, 1e-12, 1e-9};
  problem      p;
  Vec          x[3];
  PetscBool    same;

  PetscFunctionBegin;
  omp_set_num_threads(threads);
  PetscCall(create("type=direct", GRID_PLAIN, 20, 0.1, &p));
  for (int i = 0; i < 60; i++) {
    Vec to = p.x;
    if (i < 3) PetscCall(VecDuplicate(p.b, &x[i]));
    if (i < 3) to = x[i];
    PetscCall(wring_operator_solve(p.op, rtol[i % 3], p.b, to, NULL));
    PetscCall(VecEqual(to, x[i % 3], &same));
    CHECK(same, "%d threads: solve %d is not the same again", threads, i);
  }
  for (int i = 0; i < 3; i++) PetscCall(VecDestroy(&x[i]));
  omp_set_num_threads(1);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if work arrays keep numbers that are not finite, or if b is not scaled to the range of single precision. */
static PetscErrorCode test_not_finite(void)
{
  problem p;
  Vec     bad;
  double  worst;

  PetscFunctionBegin;
  PetscCall(create("type=direct", GRID_PLAIN, 9, 0.1, &p));
  PetscCall(VecDuplicate(p.b, &bad));
  PetscCall(VecSet(bad, INFINITY));
  PetscCall(wring_operator_solve(p.op, 1e-3, bad, p.x, NULL));
  PetscCall(VecSet(bad, NAN));
  PetscCall(wring_operator_solve(p.op, 1e-12, bad, p.x, NULL));
  PetscCall(wring_operator_solve(p.op, 1e-12, p.b, p.x, NULL));
  PetscCall(residual(&p, &worst));
  CHECK(worst <= 1e-12, "after NaN: %g", worst);
  for (int i = 0; i < 2; i++) { // beyond the range of single precision
    PetscCall(VecScale(p.b, i ? 1e-100 : 1e50));
    PetscCall(wring_operator_solve(p.op, 1e-12, p.b, p.x, NULL));
    PetscCall(residual(&p, &worst));
    CHECK(worst <= 1e-12, "very %s b: %g", i ? "small" : "large", worst);
  }
  PetscCall(VecDestroy(&bad));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose(const char *keys, wring_operator_use use, PetscInt n, const char *wanted)
{
  wring_operator *op;
  const char     *choice;

  PetscFunctionBegin;
  PetscCall(test_operator_create(keys, NULL, &op));
  wring_operator_expect(op, &use);
  choice = wring_operator_choice(op, n);
  CHECK(!strcmp(choice, wanted), "%s, %d vertices, %d solves, rtol %g: %s", keys, (int)n, (int)use.solves, use.rtol,
        choice);
  PetscCall(wring_operator_destroy(&op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A distributed factor is given the cost of MUMPS, whose solve takes four times as long. Fails if it is given the cost
  of the shared factor, which is the only one on one rank.
*/
static PetscErrorCode test_choice_in_parts(void)
{
  const wring_operator_use many   = {.solves = 100000};
  const char *const        wanted = wring_comm_size(PETSC_COMM_WORLD) > 1 ? "multigrid" : "direct";

  PetscFunctionBegin;
  PetscCall(choose("type=auto factor=distributed", many, 6000, "direct"));
  PetscCall(choose("type=auto factor=distributed", many, 20000, wanted));
  PetscCall(choose("type=auto factor=shared", many, 20000, "direct"));
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
  PetscCall(choose("type=multigrid", many, 10, "multigrid"));
  PetscCall(choose("type=direct", rough, 100000000, "direct"));
  PetscCall(choose("type=auto", (wring_operator_use){.solves = 1, .rtol = WRING_OPERATOR_ROUGH}, 1000, "direct"));
  PetscCall(choose("type=auto", many, 1000000, "multigrid"));
  PetscCall(choose("type=auto", many, 60000, "direct"));
  PetscCall(choose("type=auto", rough, 5000, "direct"));
  PetscCall(choose("type=auto rtol=1e-1", rough, 10000, "direct"));
  PetscCall(choose("type=auto", rough, 10000, "multigrid"));
  PetscCall(choose("type=auto", rough, 60000, "multigrid"));
  PetscCall(choose("type=auto rtol=1e-6", rough, 60000, "direct"));
  PetscCall(choose("type=auto", correction, 5000, "direct"));
  PetscCall(choose("type=auto", correction, 60000, "multigrid"));
  PetscCall(choose("type=auto rtol=1e-6", correction, 60000, "direct"));
  PetscCall(choose("type=auto rtol=1e-14", many, 60000, "direct"));
  PetscCall(choose("type=auto rtol=1e-1", few, 20000, "multigrid"));
  PetscCall(choose("type=auto rtol=1e-1", many, 20000, "direct"));
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
  PetscCall(test_type("type=direct", 12, 1e-12));
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

static PetscErrorCode create_and_solve(const problem *p)
{
  wring_operator *op;

  PetscFunctionBegin;
  PetscCall(test_operator_create("type=petsc", p->A, &op));
  PetscCall(wring_operator_solve(op, 1e-8, p->b, p->x, NULL));
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
  problem                  p;
  double                   worst;

  PetscFunctionBegin;
  PetscCall(create(NULL, GRID_PLAIN, 20, 0.1, &p));
  for (int i = 0; i < 4; i++) PetscCall(PetscOptionsSetValue(NULL, option[i][0], option[i][1]));
  CHECK_REFUSED(create_and_solve(&p), "operator: the factor by mumps, INFOG(1) = -19", "has failed");
  PetscCall(PetscOptionsClearValue(NULL, option[3][0]));
  PetscCall(create_and_solve(&p));
  PetscCall(residual(&p, &worst));
  CHECK(worst <= 1e-12, "with memory: %g", worst);
  for (int i = 0; i < 3; i++) PetscCall(PetscOptionsClearValue(NULL, option[i][0]));
  PetscCall(problem_destroy(&p));
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
  PetscCall(test_type("type=direct", 12, 1e-12));
  PetscCall(test_type("type=direct", 1, 1e-12)); // one row: other ranks own none
  PetscCall(test_accuracy(GRID_PLAIN, 14, 0.01, 0));
  PetscCall(test_accuracy(GRID_STIFF, 11, 0.1, 1e-6)); // A x itself is known to 1e10 eps |x|
  PetscCall(test_accuracy(GRID_PIECES, 10, 0.1, 0));
  PetscCall(test_accuracy(GRID_PLAIN, 2, 0.1, 0));
  PetscCall(test_precision());
  PetscCall(test_default("type=direct", 0, 0, 5e-15));
  PetscCall(test_default("type=auto", 1e-1, 0, 5e-15));
  PetscCall(test_default("type=direct rtol=1e-3", 1e-3, 1e-9, 1e-3));
  PetscCall(test_default("type=auto rtol=1e-2", 1e-2, 1e-9, 1e-2));
  PetscCall(test_default("type=multigrid", WRING_OPERATOR_ROUGH, 1e-9, 1e-3));
  PetscCall(test_default("type=multigrid rtol=1e-2", 1e-2, 1e-9, 1e-2));
  PetscCall(test_default("type=petsc", 1e-1, 1e-9, 1e-3));
  PetscCall(test_threads(1));
  PetscCall(test_threads(20));
  PetscCall(test_repeated(1));
  PetscCall(test_repeated(2));
  PetscCall(test_not_finite());
  PetscCall(test_type(in_parts, 12, 1e-12));
  PetscCall(test_type(in_parts, 1, 1e-12));
  PetscCall(test_indefinite(in_parts));
  PetscCall(test_type("type=multigrid", 12, 1e-10));
  PetscCall(test_type("type=multigrid", 12, 1e-2));
  PetscCall(test_type("type=multigrid", 1, 1e-10));
  PetscCall(test_type("type=petsc", 12, 1e-6));
  PetscCall(test_indefinite("type=direct"));
  PetscCall(test_indefinite("type=multigrid"));
  PetscCall(test_indefinite("type=petsc"));
  PetscCall(test_agreement("type=direct"));
  PetscCall(test_agreement(in_parts));
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
