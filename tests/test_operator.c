/* ranks: 1 2 3 4 */
/* A solve is judged by its residual, computed here with MatMult and not with the operator's own apply. */
#include "check.h"
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

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_type("direct", 12, 1e-12));
  PetscCall(test_type("direct", 1, 1e-12)); // one row: other ranks own none
  PetscCall(test_type("multigrid", 12, 1e-10));
  PetscCall(test_type("multigrid", 12, 1e-2));
  PetscCall(test_type("petsc", 12, 1e-6));
  PetscCall(PetscFinalize());
  return 0;
}
