/* ranks: 1 2 3 4 */
/* A solve is judged by its residual, computed here with MatMult and not with the operator's own apply. */
#include "refused.h"
#include <wring/operator.h>
#include <math.h>

/* Graph Laplacian of an m^3 grid plus shift: rows 7 wide, weights constant. The last rank may own nothing. */
static PetscErrorCode create_matrix(PetscInt m, double shift, Mat *A)
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
      PetscCall(MatSetValue(*A, r, r + (k % 2 ? 1 : -1) * step[axis], -1, INSERT_VALUES));
      diagonal += 1;
    }
    PetscCall(MatSetValue(*A, r, r, diagonal, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_operator(const char *type, Mat A, wring_operator **op)
{
  wring_options *o;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "operator_type", type, "test"));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, o, NULL, op));
  PetscCall(wring_operator_set_matrix(*op, A));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors [n][3]; the sizes of the components differ by 1e6: a test of the joint norm would stop too early. */
static PetscErrorCode create_vectors(Mat A, Vec *b, Vec *x)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 3 * (end - first), PETSC_DETERMINE, b));
  for (PetscInt i = 3 * first; i < 3 * end; i++) {
    uint64_t     state   = (uint64_t)i;
    const double size[3] = {1, 1e-6, 1e3};
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
    *worst = fmax(*worst, norm / size);
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
  for (int again = 0; again < 2; again++) { // the second time with changed values: an old factor would fail
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

/* Eigenvalues from -2 on: a factorisation with pivots would go on silently. */
static PetscErrorCode test_indefinite(const char *type)
{
  Mat             A;
  Vec             b, x;
  wring_operator *op;

  PetscFunctionBegin;
  PetscCall(create_matrix(6, 1, &A));
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

/* The two types share nothing but the matrix: they agree to the condition number times the residual. */
static PetscErrorCode test_agreement(void)
{
  const char *const type[2] = {"direct", "multigrid"};
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

/* From a residual of 1e-6 to 1e-7 is one decade of seven: a solve that forgets the guess needs more than the first. */
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

/* What a user names is never overruled; a small mesh is factored, a large one is not. */
static void test_choice(void)
{
  CHECK(!strcmp(wring_operator_choose("multigrid", 10), "multigrid"), "small");
  CHECK(!strcmp(wring_operator_choose("direct", 100000000), "direct"), "large");
  CHECK(!strcmp(wring_operator_choose("auto", 10000), "direct"), "small");
  CHECK(!strcmp(wring_operator_choose("auto", 1000000), "multigrid"), "large");
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_type("direct", 12, 1e-12));
  PetscCall(test_type("direct", 1, 1e-12)); // one row: other ranks own none
  PetscCall(test_type("multigrid", 12, 1e-10));
  PetscCall(test_type("multigrid", 12, 1e-2));
  PetscCall(test_type("multigrid", 1, 1e-10));
  PetscCall(test_type("petsc", 12, 1e-6));
  PetscCall(test_indefinite("direct"));
  PetscCall(test_indefinite("multigrid"));
  PetscCall(test_indefinite("petsc"));
  PetscCall(test_agreement());
  test_choice();
  PetscCall(test_guess());
  PetscCall(PetscFinalize());
  return 0;
}
