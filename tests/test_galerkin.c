/* ranks: 1 2 4 */
/*
  P^T A P by rows: the pattern of PETSc's product and, but for P in float, its numbers; threads do not change a bit.
*/
#include "check.h"
#include "operator/multigrid/galerkin/galerkin.h"
#include <omp.h>

enum { N = 9000 };

/*
  n x m, entries in a band, in every `far`-th row also far from it, on other ranks; the last row of P refers to no
  column.
*/
static PetscErrorCode create_matrix(PetscInt n, PetscInt m, PetscInt per_row, PetscInt far, Mat *A)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, m, per_row, NULL, per_row, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    uint64_t state = (uint64_t)(n + 7 * i);
    for (PetscInt k = 0; k < per_row && (i + 1 < n || n == m); k++) {
      const PetscInt near = (PetscInt)((int64_t)i * m / n) + k, away = m - 1 + 37 * i + k * (m / 2);
      const PetscInt column = (k > 0 && i % far == 0 ? away : near) % m;
      PetscCall(MatSetValue(*A, i, column, column == i ? 9 : 0.5 + test_random(&state), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_entries(Mat A, double *n)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  *n = info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |a - b| / |b|. b becomes b - a. */
static PetscErrorCode compare(Mat a, Mat b, double *difference)
{
  double size;

  PetscFunctionBegin;
  PetscCall(MatNorm(b, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(b, -1, a, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(b, NORM_FROBENIUS, difference));
  *difference /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiply(Mat A, Mat P, Mat *C)
{
  wring_level l;
  wring_rows  r;

  PetscFunctionBegin;
  PetscCall(wring_level_create(PETSC_COMM_WORLD, A, PETSC_TRUE, &l));
  PetscCall(wring_interpolation_create(P, &l.near, l.scale, &l.from_coarse));
  PetscCall(wring_rows_get(A, &r));
  PetscCall(wring_galerkin_matrix(&l, &(wring_level_values){r.own.value, r.ghost.value, l.scale}, C));
  PetscCall(wring_rows_restore(&r));
  PetscCall(wring_level_destroy(&l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The pattern of PETSc's product, and its numbers to the accuracy of float, to which it is P that is rounded. With far =
  N only the first row refers to other ranks. Fails if a part of a row that another rank computes is lost or added
  twice, and if columns that only such a part has are left out.
*/
static PetscErrorCode test_product(PetscInt far)
{
  double difference, entries[2] = {0, 0};
  Mat    A, P, reference, product;

  PetscFunctionBegin;
  PetscCall(create_matrix(N, N, 9, N, &A));
  PetscCall(create_matrix(N, N / 9, 3, far, &P));
  PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, 2, &reference));
  PetscCall(multiply(A, P, &product));
  PetscCall(count_entries(reference, &entries[0]));
  PetscCall(count_entries(product, &entries[1]));
  CHECK(entries[0] == entries[1], "%g and %g entries", entries[0], entries[1]);
  PetscCall(compare(product, reference, &difference));
  CHECK(difference < 2e-7, "%g", difference);
  PetscCall(MatDestroy(&reference));
  PetscCall(MatDestroy(&product));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One and three threads. Fails if a sum goes over all threads. */
static PetscErrorCode test_threads(void)
{
  const int threads = omp_get_max_threads();
  Mat       A, P, C[2];
  double    difference;

  PetscFunctionBegin;
  PetscCall(create_matrix(12000, 12000, 9, 3, &A));
  PetscCall(create_matrix(12000, 1500, 3, 3, &P));
  for (int i = 0; i < 2; i++) {
    omp_set_num_threads(i == 0 ? 1 : 3);
    PetscCall(multiply(A, P, &C[i]));
  }
  omp_set_num_threads(threads);
  PetscCall(compare(C[0], C[1], &difference));
  CHECK(difference == 0, "%g", difference);
  PetscCall(MatDestroy(&C[0]));
  PetscCall(MatDestroy(&C[1]));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_product(3));
  PetscCall(test_product(N));
  PetscCall(test_threads());
  PetscCall(PetscFinalize());
  return 0;
}
