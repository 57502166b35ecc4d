/* ranks: 1 */
/* CHOLMOD as a preconditioner: its solutions, what it keeps from one matrix to the next, and its failures. */
#include "check.h"
#include "operator/direct/factor.h"
#include "operator/judge.h"

enum { SIDE = 5, N_VERTEX = SIDE * SIDE * SIDE };

/* Adds a random 3 x 3 coupling of vertices i and j, and as much to the diagonal that the matrix is definite. */
static PetscErrorCode couple(PetscInt i, PetscInt j, uint64_t *seed, double diagonal, Mat A)
{
  double   k[9], both[9], unit[9] = {diagonal, 0, 0, 0, diagonal, 0, 0, 0, diagonal};
  PetscInt v[2] = {i, j};

  PetscFunctionBegin;
  for (int a = 0; a < 9; a++) k[a] = test_random(seed);
  for (int a = 0; a < 9; a++) both[a] = k[3 * (a % 3) + a / 3];
  PetscCall(MatSetValuesBlocked(A, 1, &v[0], 1, &v[1], k, ADD_VALUES));
  PetscCall(MatSetValuesBlocked(A, 1, &v[1], 1, &v[0], both, ADD_VALUES));
  for (int e = 0; e < 2; e++) PetscCall(MatSetValuesBlocked(A, 1, &v[e], 1, &v[e], unit, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A grid whose vertices are coupled in the first `axes` directions; definite for diagonal 3 or more. */
static PetscErrorCode fill(uint64_t seed, int axes, double diagonal, Mat A)
{
  static const PetscInt stride[3] = {1, SIDE, SIDE * SIDE};

  PetscFunctionBegin;
  PetscCall(MatZeroEntries(A));
  for (PetscInt i = 0; i < N_VERTEX; i++) {
    for (int d = 0; d < axes; d++) {
      if (i / stride[d] % SIDE + 1 < SIDE) PetscCall(couple(i, i + stride[d], &seed, diagonal, A));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(uint64_t seed, int axes, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3 * N_VERTEX, 3 * N_VERTEX, 21, NULL, A));
  PetscCall(MatSetBlockSize(*A, 3));
  PetscCall(fill(seed, axes, 3, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_ksp(KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(wring_cholmod_pc_set(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_dense(Mat A, Vec b, Vec x)
{
  Mat D;

  PetscFunctionBegin;
  PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &D));
  PetscCall(MatLUFactor(D, NULL, NULL, NULL));
  PetscCall(MatSolve(D, b, x));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors A and compares the solution for noise with that of LAPACK. */
static PetscErrorCode compare(KSP ksp, Mat A)
{
  Vec    b, x, dense;
  double difference, norm;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &dense));
  for (PetscInt i = 0; i < 3 * N_VERTEX; i++) PetscCall(VecSetValue(b, i, sin((double)(i * i)), INSERT_VALUES));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(wring_factor_set_up(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(solve_dense(A, b, dense));
  PetscCall(VecNorm(dense, NORM_2, &norm));
  PetscCall(VecAXPY(x, -1, dense));
  PetscCall(VecNorm(x, NORM_2, &difference));
  CHECK(difference < 1e-12 * norm, "%g of %g", difference, norm);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if `expected` patterns have not been analysed so far. */
static PetscErrorCode check_analyses(KSP ksp, PetscInt expected)
{
  PetscInt n;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(wring_cholmod_pc_analyses(pc, &n));
  CHECK(n == expected, "%d analyses, expected %d", (int)n, (int)expected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if an order, the triangle or the values that CHOLMOD gets are wrong; if new values, or a new matrix of the same
  pattern, are analysed again; or if a new pattern is not.
*/
static PetscErrorCode check_patterns(void)
{
  Mat A, same, other;
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(create_ksp(&ksp));
  PetscCall(create(1, 3, &A));
  PetscCall(create(4, 3, &same));
  PetscCall(create(5, 2, &other));
  for (uint64_t seed = 1; seed < 4; seed++) {
    PetscCall(fill(seed, 3, 3, A));
    PetscCall(compare(ksp, A));
  }
  PetscCall(compare(ksp, same));
  PetscCall(check_analyses(ksp, 1));
  PetscCall(compare(ksp, other));
  PetscCall(check_analyses(ksp, 2));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&same));
  PetscCall(MatDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a matrix that is not positive definite is an error or has a solution, or makes later factors fail. */
static PetscErrorCode check_indefinite(void)
{
  Mat             A;
  KSP             ksp;
  Vec             x;
  wring_solve_end end;

  PetscFunctionBegin;
  PetscCall(create_ksp(&ksp));
  PetscCall(create(1, 3, &A));
  PetscCall(fill(1, 3, -3, A));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(wring_factor_set_up(ksp));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecSet(x, 1));
  PetscCall(KSPSolve(ksp, x, x));
  PetscCall(wring_solve_judge(ksp, "test", &end));
  CHECK(end == WRING_SOLVE_SINGULAR, "end %d", (int)end);
  PetscCall(VecDestroy(&x));
  PetscCall(fill(1, 3, 3, A));
  PetscCall(compare(ksp, A));
  PetscCall(check_analyses(ksp, 1));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check_patterns());
  PetscCall(check_indefinite());
  return PetscFinalize();
}
