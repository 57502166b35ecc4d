/* ranks: 1 2 4 */
/*
  The fused multigrid, in addition to the tests of all types in test_operator.c: components of very different size, the
  smallest tolerance, the same bits on any threads, matrices that cannot be coarsened, and a hierarchy that follows the
  matrix.
*/
#include "operator/multigrid/aggregates.h"
#include "operator/multigrid/multigrid.h"
#include "operator/operator_impl.h"
#include "grids.h"
#include "refused.h"
#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- matrices and vectors ---------------------------------------------------------------------------------------- */

static const double alike[3] = {1, 1, 1};

/* Multigrid for a grid of two halves. */
static PetscErrorCode create_halves(PetscInt m, double contrast, double shift, const double size[3], problem *p)
{
  PetscFunctionBegin;
  PetscCall(problem_create(&(test_grid){GRID_HALVES, m, contrast, shift}, size, "type=multigrid", p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static wring_multigrid *multigrid_of(const problem *p)
{
  return p->op->part->data;
}

/* Solves from the given x; each component must reach rtol. Returns the number of iterations. */
static PetscErrorCode solve_and_check(const problem *p, const char *what, double rtol, PetscInt *iterations)
{
  wring_operator_info info;
  PetscBool           reached;
  double              r[3], b[3];

  PetscFunctionBegin;
  PetscCall(wring_operator_solve(p->op, rtol, p->b, p->x, &reached));
  PetscCall(problem_residual(p, r, b));
  for (int c = 0; c < 3; c++)
    CHECK(reached && r[c] <= 1.0001 * rtol * b[c], "%s, rtol %g, component %d: %g of %g", what, rtol, c, r[c], b[c]);
  wring_operator_get_info(p->op, &info);
  if (iterations) *iterations = info.iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- accuracy ---------------------------------------------------------------------------------------------------- */

/*
  Every tolerance, for components whose sizes a float cannot hold together, and one zero component, from a nonzero
  guess. Fails if components share a coefficient or a test, if residuals are not scaled to the range of a float for the
  cycle, or if a zero column is not set to zero.
*/
static PetscErrorCode test_components(void)
{
  const double size[3] = {1, 1e-60, 0};
  const double rtol[]  = {1e-2, 1e-4, 1e-8, 1e-10};
  problem      p;
  double       zero[3];

  PetscFunctionBegin;
  PetscCall(create_halves(13, 1, 0.01, size, &p));
  for (int i = 0; i < 4; i++) {
    PetscCall(VecSet(p.x, 0));
    PetscCall(VecStrideSet(p.x, 2, 1));
    PetscCall(solve_and_check(&p, "components", rtol[i], NULL));
    PetscCall(VecStrideNormAll(p.x, NORM_INFINITY, zero));
    CHECK(zero[2] == 0 && zero[1] > 0 && zero[1] < 1e-56, "|x| %g %g", zero[1], zero[2]);
  }
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compared with a factor of the same matrix: they agree to the residual times the norm of the inverse, 1/shift. */
static PetscErrorCode test_direct(void)
{
  const double    rtol[] = {1e-2, 1e-4, 1e-8, 1e-10}, shift = 0.05;
  problem         p;
  Vec             exact;
  wring_operator *direct;
  double          far[3], b[3];

  PetscFunctionBegin;
  PetscCall(create_halves(11, 1, shift, (double[3]){1, 1e3, 1e-6}, &p));
  PetscCall(VecDuplicate(p.x, &exact));
  PetscCall(test_operator_create("type=direct", p.A, &direct));
  PetscCall(wring_operator_solve(direct, 1e-10, p.b, exact, NULL));
  PetscCall(VecStrideNormAll(p.b, NORM_2, b));
  for (int i = 0; i < 4; i++) {
    PetscCall(VecSet(p.x, 0));
    PetscCall(solve_and_check(&p, "direct", rtol[i], NULL));
    PetscCall(VecAXPY(p.x, -1, exact));
    PetscCall(VecStrideNormAll(p.x, NORM_2, far));
    for (int c = 0; c < 3; c++) CHECK(far[c] <= 1.01 * rtol[i] * b[c] / shift, "rtol %g, %d: %g", rtol[i], c, far[c]);
  }
  PetscCall(wring_operator_destroy(&direct));
  PetscCall(VecDestroy(&exact));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Stiffness that jumps by 1e6, and a shift of a millionth of the diagonal for constants: the float cycle must still be a
  good preconditioner. It takes 8 or 9 and 14 or 15 iterations; an omitted step of the cycle, a wrong weight of ghosts
  or of the last direction increase them.
*/
static PetscErrorCode test_contrast(void)
{
  problem  p;
  PetscInt it[2];

  PetscFunctionBegin;
  PetscCall(create_halves(20, 1e6, 1e-2, alike, &p));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecSet(p.x, 0));
    PetscCall(solve_and_check(&p, "contrast", i ? 1e-8 : 1e-4, &it[i]));
  }
  CHECK(it[0] <= 10 && it[1] <= 17, "%d and %d iterations", (int)it[0], (int)it[1]);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Stiff islands take as many iterations as none, 10, where no rank boundary cuts them, here 28 on four ranks. Fails
  without a threshold of aggregates: 242.
*/
static PetscErrorCode test_islands(void)
{
  PetscInt it[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    const test_grid g = {GRID_ISLANDS, 25, i ? 1e6 : 1, 1e-2};
    problem         p;
    PetscCall(problem_create(&g, alike, "type=multigrid", &p));
    PetscCall(solve_and_check(&p, "islands", 1e-8, &it[i]));
    PetscCall(problem_destroy(&p));
  }
  CHECK(it[1] <= 3 * it[0], "%d iterations, without islands %d", (int)it[1], (int)it[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With a guess wrong by 1e12 the recurrence for the residual loses b by cancellation, so that b - A x must be computed
  again. A guess accurate to 1e-4 saves the iterations of four digits.
*/
static PetscErrorCode test_guess(void)
{
  problem  p;
  PetscInt cold, warm;

  PetscFunctionBegin;
  PetscCall(create_halves(12, 1, 0.01, alike, &p));
  PetscCall(solve_and_check(&p, "cold", 1e-8, &cold));
  PetscCall(VecScale(p.x, 1.0001));
  PetscCall(solve_and_check(&p, "warm", 1e-8, &warm));
  CHECK(warm >= 1 && 4 * warm <= 3 * cold, "%d after %d iterations", (int)warm, (int)cold);
  PetscCall(VecScale(p.x, 1e12));
  PetscCall(VecShift(p.x, 1e10));
  PetscCall(solve_and_check(&p, "wrong guess", 1e-9, NULL));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces MPI_Allreduce and counts its calls. */
#undef MPI_Allreduce
static int allreduces;

int MPI_Allreduce(const void *send, void *receive, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  allreduces++;
  return PMPI_Allreduce(send, receive, n, type, op, comm);
}

/* Dot products of x with b and `last`, as the operator reports them and as PETSc computes them. */
static PetscErrorCode check_from_zero(const problem *p, double rtol, double size, Vec last, PetscInt *iterations,
                                      int *made)
{
  const double       *b, *y;
  double              dots[2], r[3], norm[3];
  PetscScalar         expected[2];
  wring_operator_info info;

  PetscFunctionBegin;
  PetscCall(VecSet(p->x, NAN));
  PetscCall(VecGetArrayRead(p->b, &b));
  PetscCall(VecGetArrayRead(last, &y));
  *made = -allreduces;
  PetscCall(wring_operator_solve_from_zero(p->op, rtol, size, p->b, p->x,
                                           &(wring_operator_dots){2, (const double *const[]){b, y}, dots}));
  *made += allreduces;
  PetscCall(VecRestoreArrayRead(last, &y));
  PetscCall(VecRestoreArrayRead(p->b, &b));
  PetscCall(problem_residual(p, r, norm));
  for (int c = 0; c < 3; c++)
    CHECK(r[c] <= 1.0001 * rtol * norm[c], "size %g, rtol %g: %g of %g", size, rtol, r[c], norm[c]);
  PetscCall(VecMDot(p->x, 2, (Vec[]){p->b, last}, expected));
  PetscCall(VecNorm(p->x, NORM_2, norm));
  PetscCall(VecNorm(last, NORM_2, norm + 1));
  CHECK(fabs(dots[0] - expected[0]) <= 1e-13 * expected[0], "x . b is %.16g, not %.16g", dots[0], expected[0]);
  CHECK(fabs(dots[1] - expected[1]) <= 1e-13 * norm[0] * norm[1], "x . y is %.16g, not %.16g", dots[1], expected[1]);
  wring_operator_get_info(p->op, &info);
  *iterations = info.iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  From zero, whatever x holds, to every tolerance, with dot products, whatever size of b is given. An unknown size costs
  no more iterations than the right one, and every iteration has one reduction, unless the last one was not predicted.
  Fails if a dot product is that of another iterate, or omits a component that has converged.
*/
static PetscErrorCode test_from_zero(void)
{
  static const double rtol[] = {0.5, 1e-1, 1e-2, 1e-4, 1e-8}, factor[] = {0, 1, 1e-3, 1e3, 1e-40, 1e40};
  problem             p;
  Vec                 y;
  double              norm;
  PetscInt            it = 0, first = 0;
  int                 made = 0, seldom = 0;

  PetscFunctionBegin;
  PetscCall(create_halves(13, 1, 0.01, (double[3]){1, 1e-10, 0}, &p));
  PetscCall(VecDuplicate(p.b, &y));
  PetscCall(VecSet(y, 1));
  PetscCall(VecStrideScale(y, 1, -3e5));
  PetscCall(VecNorm(p.b, NORM_2, &norm));
  PetscCall(solve_and_check(&p, "first", 1e-1, NULL)); // PETSc sets up halos at their first use
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 6; k++) {
      PetscCall(check_from_zero(&p, rtol[i], factor[k] * norm, y, &it, &made));
      if (k == 0) first = it;
      CHECK(k > 3 ? it <= first + 1 : it == first, "rtol %g: %d iterations, not %d", rtol[i], (int)it, (int)first);
      CHECK(made <= it + (k == 0 ? 2 : 1) + (rtol[i] < 1e-6), "rtol %g, %g: %d reductions in %d iterations", rtol[i],
            factor[k], made, (int)it);
      if (k == 1) seldom += made > it;
    }
  }
  CHECK(seldom <= 3, "the last iteration was not foreseen %d times", seldom);
  PetscCall(VecDestroy(&y));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One iteration is not enough, and rtol 1e-18 is beyond double precision: both are reported, and the solve ends. */
static PetscErrorCode test_not_reached(void)
{
  problem             p;
  wring_operator     *hasty;
  wring_operator_info info;
  PetscBool           reached = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(create_halves(12, 1, 0.01, alike, &p));
  PetscCall(test_operator_create("type=multigrid max_it=1", p.A, &hasty));
  PetscCall(wring_operator_solve(hasty, 1e-8, p.b, p.x, &reached));
  wring_operator_get_info(hasty, &info);
  CHECK(!reached && info.iterations == 1, "%d iterations", (int)info.iterations);
  PetscCall(wring_operator_destroy(&hasty));
  PetscCall(solve_and_check(&p, "after a hasty one", 1e-8, NULL));
  PetscCall(wring_operator_solve(p.op, 1e-18, p.b, p.x, &reached));
  wring_operator_get_info(p.op, &info);
  CHECK(!reached && info.iterations < 500, "beyond round-off: %d iterations", (int)info.iterations);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the cycle --------------------------------------------------------------------------------------------------- */

/* Fills the input of a cycle, applies it and copies its output. */
static PetscErrorCode apply(wring_cycle *c, uint64_t seed, float *in, float *out)
{
  const PetscInt n = 3 * c->level->n;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) c->level->b[i] = in[i] = (float)(wring_uniform(seed + (uint64_t)i) - 0.5);
  PetscCall(wring_cycle_apply(c, PETSC_TRUE));
  for (PetscInt i = 0; i < n; i++) out[i] = c->level->y[i] / c->level->scale[i / 3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dot(wring_cycle *c, const float *a, const float *b, double *sum)
{
  PetscFunctionBegin;
  *sum = 0;
  for (PetscInt i = 0; i < 3 * c->level->n; i++) *sum += (double)a[i] * b[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE, MPI_SUM, c->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The cycle is a symmetric positive definite map, to float precision: restriction is the transpose of interpolation for
  any distribution. Fails if a ghost's contribution is lost on its way to the owner, or counted twice.
*/
static PetscErrorCode test_symmetry(void)
{
  problem  p;
  float   *a, *b, *Ma, *Mb;
  double   aMb, bMa, aMa, bMb;
  uint64_t mine;

  PetscFunctionBegin;
  PetscCall(create_halves(17, 10, 0.01, alike, &p));
  wring_cycle *const c = multigrid_of(&p)->cycle;
  const PetscInt     n = 3 * c->level->n;
  PetscCall(PetscMalloc4(n, &a, n, &b, n, &Ma, n, &Mb));
  PetscInt first;
  PetscCall(MatGetOwnershipRange(p.A, &first, NULL));
  mine = 3 * (uint64_t)first;
  PetscCall(apply(c, 1000 + mine, a, Ma));
  PetscCall(apply(c, 1000000 + mine, b, Mb));
  PetscCall(dot(c, a, Mb, &aMb));
  PetscCall(dot(c, b, Ma, &bMa));
  PetscCall(dot(c, a, Ma, &aMa));
  PetscCall(dot(c, b, Mb, &bMb));
  CHECK(c->n_level >= 3 && aMa > 0 && bMb > 0, "%d levels, %g %g", c->n_level, aMa, bMb);
  CHECK(fabs(aMb - bMa) <= 1e-5 * sqrt(aMa * bMb), "%g and %g beside %g", aMb, bMa, sqrt(aMa * bMb));
  PetscCall(PetscFree4(a, b, Ma, Mb));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = A y for the three components by PETSc's product. */
static PetscErrorCode multiply(Mat A, Vec y, Vec z)
{
  Vec one, two;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &one, &two));
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideGather(y, c, one, INSERT_VALUES));
    PetscCall(MatMult(A, one, two));
    PetscCall(VecStrideScatter(two, c, z, INSERT_VALUES));
  }
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&two));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = B b, B the rough solve, with x . b; it takes one cycle whatever the size said. */
static PetscErrorCode solve_roughly(const problem *p, double size, double *xb)
{
  wring_operator_info info;
  const double       *b;

  PetscFunctionBegin;
  PetscCall(VecSet(p->x, NAN));
  PetscCall(VecGetArrayRead(p->b, &b));
  PetscCall(wring_operator_solve_from_zero(p->op, WRING_OPERATOR_ROUGH, size, p->b, p->x,
                                           &(wring_operator_dots){1, (const double *const[]){b}, xb}));
  PetscCall(VecRestoreArrayRead(p->b, &b));
  wring_operator_get_info(p->op, &info);
  CHECK(info.iterations == 1 && info.rtol == WRING_OPERATOR_ROUGH, "%d iterations to %g", (int)info.iterations,
        info.rtol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A rough solve x = B b: linear in b, whatever size of b is given; x . b > 0; and e = A^(-1) b - 2/3 B b, the error of a
  cycle, has less than a third of the energy of A^(-1) b, though b is rough. Fails if B changes with b, as conjugate
  gradients do, or if its factor of 3/2 is lost.
*/
static PetscErrorCode test_rough(void)
{
  static const double factor[] = {1, 1e-20, 1e20};
  problem             p;
  Vec                 first, e, Ae;
  double              norm, xb, x0, ee, xx;

  PetscFunctionBegin;
  PetscCall(create_halves(13, 100, 0.01, (double[3]){1, 1e-10, 0}, &p));
  PetscCall(VecDuplicate(p.b, &first));
  PetscCall(VecDuplicate(p.b, &e));
  PetscCall(VecDuplicate(p.b, &Ae));
  PetscCall(VecNorm(p.b, NORM_2, &norm));
  PetscCall(solve_roughly(&p, 0, &xb));
  CHECK(xb > 0, "x . b %g", xb);
  PetscCall(VecCopy(p.x, first));
  PetscCall(VecNorm(first, NORM_2, &x0));
  for (int i = 0; i < 3; i++) {
    double other;
    PetscCall(VecScale(p.b, -3));
    PetscCall(solve_roughly(&p, factor[i] * norm, &other));
    PetscCall(VecScale(p.b, -1. / 3));
    PetscCall(VecWAXPY(e, 3, first, p.x));
    PetscCall(VecNorm(e, NORM_2, &ee));
    CHECK(ee <= 1e-5 * x0 && fabs(other - 9 * xb) <= 1e-5 * xb, "size %g: off by %g of %g", factor[i], ee, x0);
  }
  PetscCall(VecSet(p.x, 0));
  PetscCall(wring_operator_solve(p.op, 1e-10, p.b, p.x, NULL));
  PetscCall(VecWAXPY(e, -2. / 3, first, p.x));
  PetscCall(multiply(p.A, e, Ae));
  PetscCall(VecDot(e, Ae, &ee));
  PetscCall(VecDot(p.x, p.b, &xx));
  CHECK(ee < xx / 3, "energy of the error %g of %g", ee, xx);
  PetscCall(VecDestroy(&first));
  PetscCall(VecDestroy(&e));
  PetscCall(VecDestroy(&Ae));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A correction is a solve to 0.2 that takes fewer iterations than one to operator.rtol, 1e-3. Fails if it is a cycle, or
  if its tolerance is that of other solves.
*/
static PetscErrorCode test_correction(void)
{
  const double        rtol[] = {0, WRING_OPERATOR_CORRECTION};
  problem             p;
  wring_operator_info info[2];
  Vec                 r;
  double              size, left;

  PetscFunctionBegin;
  PetscCall(create_halves(13, 100, 0.01, (double[3]){1, 1e-10, 0}, &p));
  PetscCall(VecDuplicate(p.b, &r));
  PetscCall(VecNorm(p.b, NORM_2, &size));
  for (int i = 0; i < 2; i++) {
    PetscCall(wring_operator_solve_from_zero(p.op, rtol[i], 0, p.b, p.x, &(wring_operator_dots){.n = 0}));
    wring_operator_get_info(p.op, &info[i]);
  }
  PetscCall(multiply(p.A, p.x, r));
  PetscCall(VecAXPY(r, -1, p.b));
  PetscCall(VecNorm(r, NORM_2, &left));
  CHECK(info[0].rtol == 1e-3 && info[1].rtol == 0.2, "solves to %g and %g", info[0].rtol, info[1].rtol);
  CHECK(info[1].iterations < info[0].iterations, "%d and %d iterations", (int)info[0].iterations,
        (int)info[1].iterations);
  CHECK(left <= 0.2 * size, "a residual of %g of %g", left, size);
  PetscCall(VecDestroy(&r));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghosts [n][3] of x [][3], from their owners. */
static PetscErrorCode compare_ghosts(const wring_level *l, size_t size, const void *x, const void *ghost,
                                     double *farthest)
{
  char *expected;

  PetscFunctionBegin;
  *farthest = 0;
  PetscCall(PetscMalloc1(3 * size * (size_t)l->n_ghost, &expected));
  PetscCall(wring_neighbours_fetch(&l->near, 3 * size, x, expected));
  for (PetscInt i = 0; i < 3 * l->n_ghost; i++) {
    const double far = size == sizeof(float) ? ((const float *)ghost)[i] - ((const float *)(void *)expected)[i]
                                             : ((const double *)ghost)[i] - ((const double *)(void *)expected)[i];
    *farthest        = test_worse(*farthest, fabs(far));
  }
  PetscCall(PetscFree(expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  No exchange fills the ghosts of x on the way up, and none those of r between the iterations, but they are those of
  their owners: the first bit for bit, the second to round-off. Fails if a row of P for a ghost lacks an entry, if b has
  other ghosts than x, or if a recurrence is left out at ghosts, which all change the preconditioner a little.
*/
static PetscErrorCode test_ghosts(void)
{
  problem         p;
  wring_multigrid m;
  double          farthest, largest = 0;
  PetscInt        n_ghost = 0;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create_halves(17, 10, 0.01, alike, &p));
  PetscCall(solve_and_check(&p, "ghosts", 1e-4, NULL)); // r is not computed again
  m = *multigrid_of(&p);
  for (int i = 0; i < m.cycle->n_level - 1; i++) {
    const wring_level *const l = &m.cycle->level[i];
    n_ghost += l->n_ghost;
    PetscCall(compare_ghosts(l, sizeof(float), l->x, wring_level_ghosts(l, l->x), &farthest));
    CHECK(farthest == 0, "x of level %d: %g", i, farthest);
  }
  CHECK(size == 1 || n_ghost > 0, "no ghosts");
  for (PetscInt i = 0; i < 3 * m.cg->n; i++) largest = PetscMax(largest, fabs(m.cg->r[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(compare_ghosts(m.cycle->level, sizeof(double), m.cg->r, m.cg->ghost_r, &farthest));
  CHECK(farthest <= 1e-12 * largest, "r: %g of %g", farthest, largest);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- gathered levels --------------------------------------------------------------------------------------------- */

/* Replaces MPI_Startall and counts its calls: one for an exchange in which this rank takes part. */
#undef MPI_Startall
static int exchanges;

int MPI_Startall(int n, MPI_Request request[])
{
  exchanges++;
  return PMPI_Startall(n, request);
}

/* Solves with the levels gathered by g; x must agree with `expected` unless that is empty yet. */
static PetscErrorCode solve_gathered(problem *p, const wring_coarsening *g, Vec *expected, PetscInt *iterations)
{
  double far, size;

  PetscFunctionBegin;
  p->op->set.coarsening = *g;
  PetscCall(wring_operator_forget(p->op));
  PetscCall(wring_operator_set_matrix(p->op, p->A));
  PetscCall(VecSet(p->x, 0));
  PetscCall(solve_and_check(p, "gathered", 1e-10, iterations));
  if (!*expected) {
    PetscCall(VecDuplicate(p->x, expected));
    PetscCall(VecCopy(p->x, *expected));
  }
  PetscCall(VecNorm(*expected, NORM_2, &size));
  PetscCall(VecAXPY(p->x, -1, *expected));
  PetscCall(VecNorm(p->x, NORM_2, &far));
  CHECK(far <= 1e-8 * size, "%g of %g", far, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level 1 is on the first ranks, `ranks` of them, and coarser levels are on no others. */
static PetscErrorCode check_owners(const wring_cycle *c, PetscMPIInt ranks)
{
  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  CHECK((c->level[1].n > 0) == (rank < ranks), "level 1: %d rows", (int)c->level[1].n);
  for (int i = 2; i < c->n_level; i++)
    CHECK(c->level[i].n == 0 || rank < ranks, "level %d: %d rows", i, (int)c->level[i].n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of level 1, which the first rank has. */
static PetscErrorCode count_entries(const wring_cycle *c, PetscInt *entries)
{
  PetscFunctionBegin;
  *entries = c->level[1].own.start[c->level[1].n];
  PetscCallMPI(MPI_Bcast(entries, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Levels gathered on the ranks of one host give the same solution in as many iterations, also after the matrix has
  changed, and one rank with all coarse levels takes part in the exchanges of the finest one only. The last two ways
  have five times the share of entries on one rank, and a few more on as many ranks as the host has. Fails if rows
  change their numbers on the way, if a level is not moved, is moved to another host or to another number of ranks, or
  if the products for a new matrix are distributed otherwise.
*/
static PetscErrorCode test_gather(void)
{
  enum { WAYS = 5 };
  wring_coarsening way[WAYS] = {{20000, 0, 0, 0, PETSC_FALSE},
                                {100000, 10000, 0, 0, PETSC_FALSE},
                                {100000, 10000, 1, 0, PETSC_FALSE},
                                {0, 10000, 2, 0, PETSC_FALSE},
                                {0, 10000, 2, 0, PETSC_FALSE}};
  problem          p;
  Vec              expected = NULL;
  PetscInt         it[WAYS], entries;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create_halves(17, 10, 0.01, alike, &p));
  for (int i = 0; i < WAYS; i++) {
    PetscCall(solve_gathered(&p, &way[i], &expected, &it[i]));
    wring_cycle *const c = multigrid_of(&p)->cycle;
    CHECK(abs((int)(it[i] - it[0])) <= 1, "way %d: %d iterations, not %d", i, (int)it[i], (int)it[0]);
    if (i == 1) {
      PetscCall(count_entries(c, &entries));
      way[3].rank_entries = (entries + 4) / 5;
      way[4].rank_entries = (entries - 1) / 5;
    }
    if (size == 1 || i == 0) continue;
    PetscCall(check_owners(c, i == 4 ? 2 : 1));
    exchanges = 0;
    PetscCall(wring_cycle_apply(c, PETSC_TRUE));
    CHECK(exchanges <= (i == 4 ? 3 * (c->n_level - 1) : 3), "way %d: %d exchanges", i, exchanges);
  }
  PetscCall(MatShift(p.A, 0.5));
  PetscCall(wring_operator_set_matrix(p.op, p.A));
  PetscCall(VecSet(p.x, 0));
  PetscCall(solve_and_check(&p, "gathered, shifted", 1e-8, NULL));
  if (size > 1) PetscCall(check_owners(multigrid_of(&p)->cycle, 2));
  PetscCall(VecDestroy(&expected));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The last owned vertex is read as four numbers while the ghosts are a receive buffer: none of the four may belong to a
  ghost. Fails if ghosts directly follow the owned vertices. The seeds of random vectors are 64-bit: fails if 3 times
  the first row is computed in fewer bits.
*/
static PetscErrorCode test_layout(void)
{
  problem p;

  PetscFunctionBegin;
  PetscCall(create_halves(17, 10, 0.01, alike, &p));
  const wring_cycle *const c = multigrid_of(&p)->cycle;
  for (int i = 0; i < c->n_level; i++) {
    const wring_level *const l    = &c->level[i];
    float *const             last = l->x + 3 * (size_t)l->n - 3;
    CHECK(l->n == 0 || wring_level_ghosts(l, l->x) - last >= 4, "level %d", i);
  }
  CHECK(wring_level_seed(PETSC_MAX_INT) == 3 * (uint64_t)PETSC_MAX_INT, "%g", (double)wring_level_seed(PETSC_MAX_INT));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int count_subnormal(size_t n, const float *x)
{
  int count = 0;
  for (size_t i = 0; i < n; i++) count += fpclassify(x[i]) == FP_SUBNORMAL;
  return count;
}

/*
  Disconnected parts, and a right-hand side that falls by 60 decades from the first to the last, so that parts of the
  solution are beyond the range of a float. Fails if the cycle keeps subnormal numbers, or if a thread still flushes
  them after a solve; the calling thread does with libomp if only a parallel region restores its mode.
*/
static PetscErrorCode test_subnormal(void)
{
  const int             threads = omp_get_max_threads();
  volatile const double tiny    = 1e-308;
  problem               p;
  int                   left, zero = 0;
  PetscInt              first, end, size;

  PetscFunctionBegin;
  omp_set_num_threads(2);
  PetscCall(create_halves(22, 0, 1, alike, &p));
  PetscCall(VecGetSize(p.b, &size));
  PetscCall(VecGetOwnershipRange(p.b, &first, &end));
  for (PetscInt i = first; i < end; i++)
    PetscCall(VecSetValue(p.b, i, pow(10, -60.0 * (double)i / (double)size), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(p.b));
  PetscCall(VecAssemblyEnd(p.b));
  PetscCall(solve_and_check(&p, "decay", 1e-3, NULL));
  const wring_level *const l = multigrid_of(&p)->cycle->level;
  for (PetscInt i = 0; i < 3 * l->n; i++) zero += l->b[i] == 0;
  left = count_subnormal(3 * (size_t)l->n, l->b) + count_subnormal(3 * (size_t)l->n, l->y);
  CHECK(left == 0 && (zero > 0 || end < size), "%d subnormal numbers, %d zeros", left, zero);
#pragma omp parallel
  CHECK(tiny / 4 > 0, "thread %d flushes after a solve", omp_get_thread_num());
  omp_set_num_threads(threads);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Sums have a fixed order. Fails if the last bits change, as with a reduction by OpenMP or with strips that depend on
  the number of threads.
*/
static PetscErrorCode test_threads(void)
{
  const int threads = omp_get_max_threads();
  problem   p;
  Vec       one;
  PetscBool equal;

  PetscFunctionBegin;
  for (int t = 1; t <= 4; t++) {
    omp_set_num_threads(t);
    PetscCall(create_halves(30, 3, 0.01, alike, &p)); // threads on all ranks; on one, more strips than the least
    PetscCall(MatShift(p.A, 0.02));                   // new values too
    PetscCall(wring_operator_set_matrix(p.op, p.A));
    PetscCall(wring_operator_solve(p.op, 1e-3, p.b, p.x, NULL));
    if (t == 1) PetscCall(VecDuplicate(p.x, &one));
    if (t == 1) PetscCall(VecCopy(p.x, one));
    PetscCall(VecEqual(p.x, one, &equal));
    CHECK(equal, "%d threads", t);
    PetscCall(problem_destroy(&p));
  }
  omp_set_num_threads(threads);
  PetscCall(VecDestroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  One vertex; a few vertices, where some ranks own none; and isolated vertices, too many for a dense coarsest level.
*/
static PetscErrorCode test_small(void)
{
  const PetscInt m[]        = {1, 2, 4, 12};
  const double   contrast[] = {1, 1, 1, 0};

  PetscFunctionBegin;
  for (int i = 0; i < 4; i++) {
    problem  p;
    PetscInt it;
    PetscCall(create_halves(m[i], contrast[i], 0.5, alike, &p));
    PetscCall(solve_and_check(&p, "small", 1e-10, &it));
    CHECK(it <= (i < 3 ? 3 : 12), "m %d: %d iterations", (int)m[i], (int)it);
    const wring_cycle *const c = multigrid_of(&p)->cycle;
    CHECK(c->n_level == 1 && c->coarsest.dense == (i < 3), "m %d: %d levels", (int)m[i], c->n_level);
    PetscCall(problem_destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if what the rounding of floats makes of a definite matrix is refused, or one that is indefinite is not. */
static PetscErrorCode test_coarsest(void)
{
  const double o = 1 + 1e-7; // x . A x = 2 - 2 o for x = (1, -1)

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    double    a[] = {1, i == 0 ? -o : -2, i == 0 ? -o : -2, 1};
    PetscBool definite;
    PetscCall(wring_coarsest_invert(2, 1e-3, a, &definite));
    CHECK(definite == (i == 0), "%d: definite %d", i, definite);
    CHECK(!definite || (a[0] > 1e5 && a[0] < 1e6), "a shift of 1e-6 leaves %g", a[0]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if more rows than 32 bits can address end the program, or only the rank that has them. */
static PetscErrorCode test_too_many(void)
{
  PetscLayout      rows;
  wring_neighbours near;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(PETSC_COMM_WORLD, 1, PETSC_DETERMINE, 1, &rows));
  const PetscInt n = wring_comm_rank(PETSC_COMM_WORLD) == wring_comm_size(PETSC_COMM_WORLD) - 1 ? INT32_MAX / 3 + 1 : 0;
  CHECK_REFUSED(wring_neighbours_create(rows, n, NULL, &near), "operator: 715827883 vertices", "at most 715827882");
  PetscCall(PetscLayoutDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- several hosts ----------------------------------------------------------------------------------------------- */

static PetscErrorCode pretend_hosts(PetscMPIInt each, wring_operator *op)
{
  PetscFunctionBegin;
  op->set.coarsening.ranks_each = each;
  PetscCall(wring_hosts_find(PETSC_COMM_WORLD, each, &op->set.hosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every host has the whole factor, of one rank or of two: solves to a few digits and to all agree with the residual, and
  again after the matrix has changed. Fails if a rank's rows of b, or its share of a residual, are missing on a host, or
  if the hosts disagree when to stop. `auto` takes this factor in place of MUMPS's for a small mesh, and multigrid for a
  large one.
*/
static PetscErrorCode test_hosts(void)
{
  wring_operator_info    info;
  wring_operator_seconds s;
  wring_operator        *op;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  for (PetscMPIInt each = 1; each <= 2; each++) {
    problem p;
    PetscCall(create_halves(9, 3, 0.01, alike, &p));
    PetscCall(wring_operator_destroy(&p.op));
    PetscCall(test_operator_create("type=direct", NULL, &p.op));
    PetscCall(pretend_hosts(each, p.op));
    CHECK(p.op->set.hosts.n == (size + each - 1) / each, "%d hosts", (int)p.op->set.hosts.n);
    PetscCall(wring_operator_set_matrix(p.op, p.A));
    wring_operator_get_info(p.op, &info);
    CHECK(strstr(info.library, "cholmod"), "%s", info.library);
    PetscCall(solve_and_check(&p, "hosts", 1e-2, NULL));
    PetscCall(solve_and_check(&p, "hosts", 1e-12, NULL));
    PetscCall(MatShift(p.A, 0.5));
    PetscCall(wring_operator_set_matrix(p.op, p.A));
    PetscCall(solve_and_check(&p, "hosts, shifted", 1e-12, NULL));
    PetscCall(problem_destroy(&p));
  }
  PetscCall(test_operator_create("type=auto", NULL, &op));
  PetscCall(pretend_hosts(1, op));
  CHECK(!strcmp(wring_operator_choice(op, 1097), "direct") && wring_operator_shares_factor(op, 1097), "1097 vertices");
  CHECK(size == 1 || !strcmp(wring_operator_choice(op, 80000), "multigrid"), "80000 vertices");
  wring_operator_expect(op, &(wring_operator_use){.solves = 1000, .rtol = WRING_OPERATOR_ROUGH});
  wring_operator_estimate(op, 1097, &s);
  CHECK(s.shared > 0 && s.multigrid > 0 && (size == 1 || s.distributed > 10 * s.shared), "%g %g %g", s.shared,
        s.distributed, s.multigrid);
  PetscCall(wring_operator_destroy(&op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values that change ------------------------------------------------------------------------------------------ */

/*
  Another time step shifts the diagonal: the interpolation is kept, and is as good as a new one. When held vertices, a
  million times stiffer than the rest, are released, a new one is needed: the old one cannot move them, and the number
  of iterations would increase.
*/
static PetscErrorCode test_changes(void)
{
  problem  p;
  PetscInt it[4], first, end;

  PetscFunctionBegin;
  PetscCall(create_halves(15, 1, 0.02, alike, &p));
  const wring_multigrid *const m = multigrid_of(&p);
  PetscCall(solve_and_check(&p, "first", 1e-8, &it[0]));
  PetscCall(MatShift(p.A, 0.5));
  PetscCall(wring_operator_set_matrix(p.op, p.A));
  PetscCall(VecSet(p.x, 0));
  PetscCall(solve_and_check(&p, "shifted", 1e-8, &it[1]));
  CHECK(m->built == 1 && it[1] <= it[0] + 1, "%d hierarchies, %d and %d", (int)m->built, (int)it[0], (int)it[1]);
  PetscCall(MatGetOwnershipRange(p.A, &first, &end));
  for (PetscInt r = first; r < end; r++)
    if (r % 15 == 0) PetscCall(MatSetValue(p.A, r, r, 1e6, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(p.A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p.A, MAT_FINAL_ASSEMBLY));
  PetscCall(wring_operator_set_matrix(p.op, p.A));
  PetscCall(VecSet(p.x, 0));
  PetscCall(solve_and_check(&p, "held", 1e-8, &it[2]));
  for (PetscInt r = first; r < end; r++)
    if (r % 15 == 0) PetscCall(MatSetValue(p.A, r, r, 6.52, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(p.A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p.A, MAT_FINAL_ASSEMBLY));
  PetscCall(wring_operator_set_matrix(p.op, p.A));
  PetscCall(VecSet(p.x, 0));
  PetscCall(solve_and_check(&p, "let go", 1e-8, &it[3]));
  CHECK(m->built == 3 && it[3] <= it[0] + 2, "%d hierarchies, %d and %d", (int)m->built, (int)it[0], (int)it[3]);
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* largest [2]: of |R A P x - A_coarse x| and of |A_coarse x| between two levels, for random x. */
static PetscErrorCode compare_product(wring_level *l, wring_level *next, double largest[2])
{
  const float omega = l->omega, next_omega = next->omega;
  float      *x;

  PetscFunctionBegin;
  largest[0] = largest[1] = 0;
  PetscCall(PetscMalloc1(3 * next->n, &x));
  for (PetscInt i = 0; i < 3 * next->n; i++) {
    uint64_t state = (uint64_t)(3 * next->first + i);
    next->y[i] = x[i] = (float)test_random(&state);
  }
  l->omega = next->omega = -1; // combine then computes A x
  PetscCall(PetscArrayzero(l->b, 3 * (l->n + l->n_ghost) + 1));
  PetscCall(wring_interpolation_prolong(&l->from_coarse, next->y, 0, l->b, l->x));
  PetscCall(wring_level_combine(l, PETSC_FALSE, 0, l->b, 0, l->x, l->y, NULL));
  PetscCall(wring_interpolation_restrict(&l->from_coarse, l->y, next->b));
  PetscCall(PetscArraycpy(next->x, x, 3 * next->n));
  PetscCall(wring_level_combine(next, PETSC_TRUE, 0, next->b, 0, next->x, next->y, NULL));
  for (PetscInt i = 0; i < 3 * next->n; i++) {
    largest[0] = test_worse(largest[0], fabs((double)next->b[i] - next->y[i]));
    largest[1] = PetscMax(largest[1], fabs((double)next->y[i]));
  }
  l->omega    = omega;
  next->omega = next_omega;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  New values of the same pattern, of which every row and column has another factor: all levels have the products of the
  new values, by the interpolations that they had, to the accuracy of float. Fails if a
  coarse level keeps old values (then the error is about 0.3), if the part of a row that another rank computes is left
  out, or if set_up builds the hierarchy again.
*/
static PetscErrorCode test_renewal(void)
{
  problem  p;
  Vec      factor;
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(create_halves(17, 2, 0.02, alike, &p));
  PetscCall(MatCreateVecs(p.A, &factor, NULL));
  PetscCall(VecGetOwnershipRange(factor, &first, &end));
  for (PetscInt i = first; i < end; i++)
    PetscCall(VecSetValue(factor, i, 1 + 0.4 * (double)(i % 7) / 7, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(factor));
  PetscCall(VecAssemblyEnd(factor));
  PetscCall(MatDiagonalScale(p.A, factor, factor));
  PetscCall(wring_operator_set_matrix(p.op, p.A));
  const wring_multigrid *const m = multigrid_of(&p);
  CHECK(m->built == 1 && m->cycle->n_level > 2, "%d hierarchies of %d levels", (int)m->built, m->cycle->n_level);
  for (int i = 0; i + 1 < m->cycle->n_level; i++) {
    double largest[2];
    PetscCall(compare_product(&m->cycle->level[i], &m->cycle->level[i + 1], largest));
    CHECK(largest[1] > 0.1 && largest[0] < 2e-6 * largest[1], "level %d: %g of %g", i, largest[0], largest[1]);
  }
  PetscCall(solve_and_check(&p, "renewed", 1e-8, NULL));
  PetscCall(VecDestroy(&factor));
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  After new values the power method starts from the vector where it ended, and from random numbers. Where that vector is
  useless, here 1, of the smallest eigenvalue, the random numbers alone must bring the estimate to 5/6 of the largest
  eigenvalue lambda: a cycle is positive definite only for omega < 2/lambda, an estimate above 0.79 lambda. Fails with 4
  steps in the place of 10.
*/
static PetscErrorCode test_power(void)
{
  problem p;

  PetscFunctionBegin;
  PetscCall(create_halves(15, 1, 0.02, alike, &p));
  wring_cycle *const c = multigrid_of(&p)->cycle;
  for (int i = 0; i < c->n_level; i++) {
    wring_level *const l = &c->level[i];
    for (PetscInt j = 0; j < l->n; j++) l->top[j] = 1;
    PetscCall(wring_level_find_omega(l));
    const float omega = l->omega;
    for (int k = 0; k < 30; k++) PetscCall(wring_level_find_omega(l));
    CHECK(omega < 1.2 * l->omega, "level %d: %g and %g", i, omega, l->omega);
  }
  PetscCall(problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

enum { CHAIN = 90, WEAK = 46 };

/* A chain of springs 1, in which that after row WEAK is `weak` and the last row has none, with the diagonal d. */
static PetscErrorCode create_chain(double weak, double d, Mat *A)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, CHAIN, CHAIN, 3, NULL, 1, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    double sum = d;
    for (PetscInt j = i - 1; j <= i + 1; j += 2) {
      const double k = PetscMin(i, j) == WEAK ? weak : 1;
      if (j < 0 || i >= CHAIN - 1 || j >= CHAIN - 1) continue;
      PetscCall(MatSetValue(*A, i, j, -k, INSERT_VALUES));
      sum += k;
    }
    PetscCall(MatSetValue(*A, i, i, sum, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows `with` and with + 1 are in one aggregate; PETSC_FALSE on other ranks. */
static PetscBool are_together(const wring_level *l, const PetscInt *aggregate, PetscInt with)
{
  const PetscInt i = with - l->first;
  return (PetscBool)(i >= 0 && i + 1 < l->n && aggregate[i] == aggregate[i + 1]);
}

/*
  All rows but the one without connections are in aggregates, at most 2/3 as many as rows; those of a weak spring are
  together without a threshold (in this order of rows) and apart with one; P keeps a constant where A has none, P 1 = 1.
  Fails if the threshold is not read, if a row is left out, and if P's rows are scaled.
*/
static PetscErrorCode test_aggregates(void)
{
  const double threshold[2] = {0, 0.01};
  PetscInt    *aggregate, n;
  PetscBool    together[2];
  wring_level  l;
  Mat          A, P;
  Vec          one, sum;
  double       worst;

  PetscFunctionBegin;
  PetscCall(create_chain(1e-4, 1e-9, &A));
  for (int k = 0; k < 2; k++) {
    PetscCall(wring_level_create(PETSC_COMM_WORLD, A, PETSC_TRUE, &l));
    PetscCall(wring_level_set_up(&l, 0));
    PetscCall(wring_aggregates_find(&l, threshold[k], PETSC_FALSE, &n, &aggregate));
    for (PetscInt i = 0; i < l.n; i++)
      CHECK((aggregate[i] < 0) == (l.first + i == CHAIN - 1) && aggregate[i] < n, "row %d: %d", (int)(l.first + i),
            (int)aggregate[i]);
    CHECK(3 * n <= 2 * l.n, "%d aggregates of %d rows", (int)n, (int)l.n);
    together[k] = are_together(&l, aggregate, WEAK);
    PetscCall(wring_aggregates_interpolate(&l, A, n, aggregate, &P));
    PetscCall(MatCreateVecs(P, &one, &sum));
    PetscCall(VecSet(one, 1));
    PetscCall(MatMult(P, one, sum));
    PetscCall(VecShift(sum, -1));
    if (l.first + l.n == CHAIN) PetscCall(VecSetValue(sum, CHAIN - 1, 0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(sum));
    PetscCall(VecAssemblyEnd(sum));
    PetscCall(VecNorm(sum, NORM_INFINITY, &worst));
    CHECK(worst < 1e-8, "%g", worst);
    PetscCall(VecDestroy(&one));
    PetscCall(VecDestroy(&sum));
    PetscCall(MatDestroy(&P));
    PetscCall(PetscFree(aggregate));
    PetscCall(wring_level_destroy(&l));
  }
  CHECK(!together[1], "a weak spring connects");
  if (l.first == 0 && l.n == CHAIN) CHECK(together[0], "a weak spring does not connect without a threshold");
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode create_with(const char *name, const char *value)
{
  wring_operator *op;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, name, value));
  PetscCall(test_operator_create("type=multigrid", NULL, &op));
  PetscCall(wring_operator_destroy(&op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's options are refused. Fails if one is accepted without an effect. */
static PetscErrorCode test_options(void)
{
  static const char *const bad[] = {"-operator_pc_gamg_threshold", "-operator_mg_levels_ksp_type", "-operator_pc_type"};

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) {
    CHECK_REFUSED(create_with(bad[i], "gamg"), bad[i] + 1, "operator_threshold");
    PetscCall(PetscOptionsClearValue(NULL, bad[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscLogDefaultBegin()); // counts of products
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_components());
  PetscCall(test_direct());
  PetscCall(test_contrast());
  PetscCall(test_islands());
  PetscCall(test_guess());
  PetscCall(test_from_zero());
  PetscCall(test_not_reached());
  PetscCall(test_symmetry());
  PetscCall(test_rough());
  PetscCall(test_correction());
  PetscCall(test_ghosts());
  PetscCall(test_gather());
  PetscCall(test_layout());
  PetscCall(test_subnormal());
  PetscCall(test_threads());
  PetscCall(test_small());
  PetscCall(test_coarsest());
  PetscCall(test_too_many());
  PetscCall(test_hosts());
  PetscCall(test_changes());
  PetscCall(test_renewal());
  PetscCall(test_power());
  PetscCall(test_aggregates());
  PetscCall(test_options());
  PetscCall(PetscFinalize());
  return 0;
}
