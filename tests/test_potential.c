/* ranks: 1 2 4 */
/*
  The potential on boxes of tets of both orders: derivatives, matrices, ranks and threads. Fails if a force is added to
  a wrong vertex, a halo is incomplete, a padded lane contributes, a chunk's shared vertex is summed twice, or an order
  of sums depends on threads.
*/
#include "model.h"
#include <omp.h>

static const PetscInt cells[3] = {9, 6, 5}; // 1620 tets: several chunks on one rank, the last block half full
static const double   still[3] = {0};

typedef struct {
  wring_mesh      *mesh;
  wring_potential *g;
  Vec              x, d, grad, work;
} model;

static PetscErrorCode model_create(MPI_Comm comm, const wring_law *law, const double *par, PetscBool held, model *m)
{
  PetscBool changed;

  PetscFunctionBegin;
  m->mesh             = test_box(comm, cells);
  wring_term *springs = held ? test_springs(m->mesh, 40, 2e3) : NULL;
  m->g                = test_potential(m->mesh, law, par);
  if (held) {
    PetscCall(wring_potential_add_term(m->g, springs));
    PetscCall(wring_potential_add_term(m->g, test_hold(m->mesh, "xmin", 1e4, still)));
  }
  PetscCall(wring_potential_set_step(m->g, 0.02));
  PetscCall(wring_potential_set_time(m->g, 0.02, 0.02, &changed));
  PetscCall(wring_potential_create_vec(m->g, &m->x));
  PetscCall(wring_potential_create_vec(m->g, &m->d));
  PetscCall(wring_potential_create_vec(m->g, &m->grad));
  PetscCall(wring_potential_create_vec(m->g, &m->work));
  test_displace(m->mesh, 0.01, 1, m->x);
  PetscCall(wring_potential_set_target(m->g, m->x));
  test_displace(m->mesh, 0.015, 2, m->x);
  test_direction(m->mesh, 3, m->d);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_destroy(model *m)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&m->x));
  PetscCall(VecDestroy(&m->d));
  PetscCall(VecDestroy(&m->grad));
  PetscCall(VecDestroy(&m->work));
  PetscCall(wring_potential_destroy(&m->g));
  PetscCall(wring_mesh_destroy(&m->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* grad . d is the derivative of g; the fused pass gives the same as the separate ones. */
static PetscErrorCode check_gradient(model *m, const char *name)
{
  wring_value fused, alone;
  Vec         both;
  double      size, difference;

  PetscFunctionBegin;
  PetscCall(test_differences(m->g, m->x, m->d, name, 1e-7, 1e-6, 0));
  PetscCall(wring_potential_gradient(m->g, m->x, m->grad));
  PetscCall(VecDuplicate(m->x, &both));
  PetscCall(wring_potential_fused(m->g, m->x, &fused, both));
  PetscCall(wring_potential_value(m->g, m->x, &alone));
  CHECK(fabs(fused.objective - alone.objective) <= 1e-13 * alone.objective, "%s: %.17g and %.17g", name,
        fused.objective, alone.objective);
  PetscCall(VecAXPY(both, -1, m->grad));
  PetscCall(VecNorm(both, NORM_INFINITY, &difference));
  PetscCall(VecNorm(m->grad, NORM_INFINITY, &size));
  CHECK(difference <= 1e-12 * size, "%s: fused gradient differs by %g of %g", name, difference, size);
  PetscCall(VecDestroy(&both));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H d is the derivative of the gradient; H is symmetric; filling it again does not change its pattern. */
static PetscErrorCode check_hessian(model *m, const char *name)
{
  Mat    H = NULL;
  Vec    Hd;
  double size, dHe, eHd;

  PetscFunctionBegin;
  PetscCall(test_differences(m->g, m->x, m->d, name, 1e-6, 0, 1e-6));
  PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_NONE, &H));
  PetscCall(VecDuplicate(m->x, &Hd));
  PetscCall(MatMult(H, m->d, Hd));
  PetscCall(VecNorm(Hd, NORM_2, &size));
  test_direction(m->mesh, 5, m->work);
  PetscCall(VecDot(Hd, m->work, &eHd));
  PetscCall(MatMult(H, m->work, Hd));
  PetscCall(VecDot(Hd, m->d, &dHe));
  CHECK(fabs(dHe - eHd) <= 1e-10 * (fabs(dHe) + size), "%s: H is not symmetric: %.15g and %.15g", name, dHe, eHd);
  PetscCall(VecDestroy(&Hd));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For laws k/2 |z - p|^2 the residual of the global step is minus the gradient. */
static PetscErrorCode check_residual(model *m)
{
  double error, size;

  PetscFunctionBegin;
  PetscCall(wring_potential_residual(m->g, m->x, m->work));
  PetscCall(wring_potential_gradient(m->g, m->x, m->grad));
  PetscCall(VecNorm(m->grad, NORM_INFINITY, &size));
  PetscCall(VecAXPY(m->work, 1, m->grad));
  PetscCall(VecNorm(m->work, NORM_INFINITY, &error));
  CHECK(error <= 1e-12 * size, "residual + gradient is %g of %g", error, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A on a constant: L maps it to zero, so that only mass and attachments remain; A is symmetric. */
static PetscErrorCode check_operator(model *m, double held)
{
  Mat       A = NULL;
  Vec       one, Aone;
  double    sum, expected = 0;
  PetscBool symmetric;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(MatCreateVecs(A, &one, &Aone));
  PetscCall(VecSet(one, 1));
  PetscCall(MatMult(A, one, Aone));
  PetscCall(VecSum(Aone, &sum));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) expected += wring_potential_mass(m->g)[i] / 4e-4;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &expected, 1, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  expected += held;
  CHECK(fabs(sum - expected) <= 1e-10 * expected, "1.A.1 is %.15g, not %.15g", sum, expected);
  PetscCall(MatIsTranspose(A, A, 1e-8, &symmetric));
  CHECK(symmetric, "A is not symmetric");
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&Aone));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if A depends on the number of threads. On several ranks, PETSc adds the rows of ghosts in any order. */
static PetscErrorCode check_operator_threads(model *m)
{
  const double most = m->mesh->n_owned == m->mesh->number.n_global ? 0 : 1e-14;
  Mat          A = NULL, more = NULL;
  double       norm, difference;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  for (int threads = 2; threads <= 4; threads++) {
    omp_set_num_threads(threads);
    PetscCall(wring_potential_operator_matrix(m->g, 1, &more));
    PetscCall(MatAXPY(more, -1, A, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(more, NORM_FROBENIUS, &difference));
    CHECK(difference <= most * norm, "%d threads: %g of %g", threads, difference, norm);
    PetscCall(MatDestroy(&more));
  }
  omp_set_num_threads(1);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |A - B| / |B|, B made from nothing. */
static PetscErrorCode compare_with_new(model *m, double factor, Mat A, double *difference)
{
  Mat    B = NULL;
  double norm;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(m->g, factor, &B));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(B, -1, A, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(B, NORM_FROBENIUS, difference));
  *difference /= norm;
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Changes an entry beside the diagonal, without a word to PETSc. */
static PetscErrorCode poke(Mat A, double more)
{
  const PetscInt *start, *column;
  const double   *value;
  PetscInt        n;
  PetscBool       done;
  Mat             own;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(A, &own));
  PetscCall(MatGetRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscCall(MatSeqAIJGetArrayRead(own, &value));
  ((double *)value)[column[0] == 0 ? 1 : 0] += more;
  PetscCall(MatSeqAIJRestoreArrayRead(own, &value));
  PetscCall(MatRestoreRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  After a change of the step only the diagonal of A is set again: an entry that was changed beside it stays so. After a
  release, a change of the factor or of A itself all of A is. Fails if A is summed again for another step, or kept in
  spite of another change.
*/
static PetscErrorCode check_operator_again(model *m)
{
  const double most = m->mesh->n_owned == m->mesh->number.n_global ? 0 : 1e-14;
  Mat          A    = NULL;
  double       difference, poked;
  PetscBool    changed;

  PetscFunctionBegin;
  PetscCall(wring_potential_add_term(m->g, test_hold_until(m->mesh, "xmax", 1e4, still, 1)));
  PetscCall(wring_potential_set_time(m->g, 0.02, 0.02, &changed));
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(wring_potential_set_time(m->g, 2, 2, &changed));
  CHECK(changed, "nothing is released");
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(compare_with_new(m, 1, A, &difference));
  CHECK(difference <= most, "released: %g", difference);
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(poke(A, 100));
  PetscCall(wring_potential_set_step(m->g, 0.01));
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(compare_with_new(m, 1, A, &poked));
  CHECK(poked > 1e-8, "all of A is summed again, %g", poked);
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A)); // another matrix was made meanwhile
  PetscCall(compare_with_new(m, 1, A, &difference));
  CHECK(difference <= most, "after another matrix: %g", difference);
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(wring_potential_operator_matrix(m->g, 0.5, &A));
  PetscCall(compare_with_new(m, 0.5, A, &difference));
  CHECK(difference <= most, "another factor: %g", difference);
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(MatScale(A, 2));
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(compare_with_new(m, 1, A, &difference));
  CHECK(difference <= most, "a changed A: %g", difference);
  PetscCall(wring_potential_set_step(m->g, 0.02));
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(compare_with_new(m, 1, A, &difference));
  CHECK(difference <= most, "another step: %g", difference);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f = (A - M/h^2) X, X the component c of the rest positions. */
static PetscErrorCode apply_to_rest(model *m, Mat A, int c, Vec X, Vec f)
{
  double *a;

  PetscFunctionBegin;
  PetscCall(VecGetArray(X, &a));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) a[i] = m->mesh->X[3 * i + c];
  PetscCall(VecRestoreArray(X, &a));
  PetscCall(MatMult(A, X, f));
  PetscCall(VecGetArray(f, &a));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) a[i] -= wring_potential_mass(m->g)[i] / 4e-4 * m->mesh->X[3 * i + c];
  PetscCall(VecRestoreArray(f, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A free body of one material: L = sum w k G^T G of a linear function X_c is zero inside the body, up to quadrature on
  curved elements, and X_c . L X_c = k times the volume for c = x, y, z. Fails if an element is left out of a row, or
  counted twice, or in a wrong column.
*/
static PetscErrorCode check_linear(model *m)
{
  Mat           A = NULL;
  Vec           X, f;
  const double *fa;
  double        energy[3], inside = 0, largest;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(MatCreateVecs(A, &X, &f));
  for (int c = 0; c < 3; c++) {
    double low[3], high[3];
    for (int d = 0; d < 3; d++) low[d] = INFINITY, high[d] = -INFINITY;
    for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) {
      low[i % 3]  = fmin(low[i % 3], m->mesh->X[i]);
      high[i % 3] = fmax(high[i % 3], m->mesh->X[i]);
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, 3, MPI_DOUBLE, MPI_MIN, m->mesh->comm));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, 3, MPI_DOUBLE, MPI_MAX, m->mesh->comm));
    PetscCall(apply_to_rest(m, A, c, X, f));
    PetscCall(VecDot(X, f, &energy[c]));
    PetscCall(VecNorm(f, NORM_INFINITY, &largest));
    PetscCall(VecGetArrayRead(f, &fa));
    for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
      PetscBool in = PETSC_TRUE; // vertices of the surface move by at most a fifth of a cell of 0.22 m
      for (int d = 0; d < 3; d++)
        in = (PetscBool)(in && m->mesh->X[3 * i + d] > low[d] + 0.1 && m->mesh->X[3 * i + d] < high[d] - 0.1);
      if (in) inside = fmax(inside, fabs(fa[i]));
    }
    PetscCall(VecRestoreArrayRead(f, &fa));
    CHECK(inside <= (test_mesh_order == 1 ? 1e-9 : 1e-2) * largest, "component %d: %g inside, %g at most", c, inside,
          largest);
    CHECK(energy[c] > 0 && fabs(energy[c] - energy[0]) <= 1e-9 * energy[0], "%.15g and %.15g", energy[c], energy[0]);
  }
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&f));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same bits on 1, 2 and 3 threads. */
static PetscErrorCode check_threads(model *m)
{
  wring_value one, more;
  Vec         grad;
  PetscBool   equal;

  PetscFunctionBegin;
  omp_set_num_threads(1);
  PetscCall(wring_potential_fused(m->g, m->x, &one, m->grad));
  PetscCall(VecDuplicate(m->grad, &grad));
  for (int threads = 2; threads < 4; threads++) {
    omp_set_num_threads(threads);
    PetscCall(wring_potential_fused(m->g, m->x, &more, grad));
    PetscCall(VecEqual(grad, m->grad, &equal));
    CHECK(equal && more.objective == one.objective, "%d threads change the result", threads);
  }
  omp_set_num_threads(1);
  PetscCall(VecDestroy(&grad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if H depends on the number of threads, or if values that replace others in a matrix differ from those of a new
  matrix. On several ranks, PETSc adds the rows of ghosts in any order.
*/
static PetscErrorCode check_replaced(model *m)
{
  const double most = m->mesh->n_owned == m->mesh->number.n_global ? 0 : 1e-14;
  Mat          H = NULL, used = NULL;
  double       norm, difference;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_CLAMP, &H));
  PetscCall(MatNorm(H, NORM_FROBENIUS, &norm));
  PetscCall(VecWAXPY(m->work, 0.1, m->d, m->x));
  PetscCall(wring_potential_hessian(m->g, m->work, WRING_FILTER_NONE, &used));
  for (int threads = 1; threads < 4; threads++) {
    omp_set_num_threads(threads);
    PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_CLAMP, &used));
    PetscCall(MatAXPY(used, -1, H, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(used, NORM_FROBENIUS, &difference));
    CHECK(difference <= most * norm, "%d threads: %g of %g", threads, difference, norm);
  }
  omp_set_num_threads(1);
  PetscCall(MatDestroy(&H));
  PetscCall(MatDestroy(&used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A free body: elastic forces add up to zero, and a rigid motion costs no energy. */
static PetscErrorCode check_free(model *m)
{
  const double c = cos(0.7), s = sin(0.7);
  double      *xa, sum[3]      = {0}, size;
  wring_value  v;

  PetscFunctionBegin;
  PetscCall(wring_potential_set_target(m->g, m->x)); // no inertial force
  PetscCall(wring_potential_gradient(m->g, m->x, m->grad));
  for (int k = 0; k < 3; k++) PetscCall(VecStrideSum(m->grad, k, &sum[k]));
  PetscCall(VecNorm(m->grad, NORM_1, &size));
  for (int k = 0; k < 3; k++) CHECK(fabs(sum[k]) <= 1e-13 * size, "forces add up to %g of %g", sum[k], size);
  PetscCall(VecGetArray(m->x, &xa));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
    const double *X = m->mesh->X + 3 * i;
    xa[3 * i] = c * X[0] - s * X[1] + 3, xa[3 * i + 1] = s * X[0] + c * X[1] - 1, xa[3 * i + 2] = X[2] + 2;
  }
  PetscCall(VecRestoreArray(m->x, &xa));
  PetscCall(wring_potential_fused(m->g, m->x, &v, m->work));
  CHECK(fabs(v.elastic) <= 1e-20 * size * size + 1e-9, "a rigid motion costs %g J", v.elastic);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value does not depend on the number of ranks: compared with the same model on this rank alone. */
static PetscErrorCode check_ranks(model *m, const wring_law *law, const double *par)
{
  model       alone;
  wring_value here, there;
  double      norm, norm_alone;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_SELF, law, par, PETSC_TRUE, &alone));
  PetscCall(wring_potential_fused(m->g, m->x, &here, m->grad));
  PetscCall(wring_potential_fused(alone.g, alone.x, &there, alone.grad));
  CHECK(fabs(here.objective - there.objective) <= 1e-12 * there.objective, "g is %.16g, alone %.16g", here.objective,
        there.objective);
  PetscCall(VecNorm(m->grad, NORM_2, &norm));
  PetscCall(VecNorm(alone.grad, NORM_2, &norm_alone));
  CHECK(fabs(norm - norm_alone) <= 1e-12 * norm_alone, "|grad g| is %.16g, alone %.16g", norm, norm_alone);
  PetscCall(model_destroy(&alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One inverted tet makes g infinite, never NaN, for a law that is infinite for J <= 0. */
static PetscErrorCode check_infinity(model *m)
{
  wring_value v;

  PetscFunctionBegin;
  test_displace(m->mesh, 0.5, 7, m->x);
  PetscCall(wring_potential_fused(m->g, m->x, &v, m->grad));
  CHECK(isinf(v.objective) && v.objective > 0, "g is %g", v.objective);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_law(const wring_law *law, const double *par)
{
  model  m;
  double held = 0;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, law, par, PETSC_TRUE, &m));
  PetscCall(check_gradient(&m, law->name));
  PetscCall(check_hessian(&m, law->name));
  PetscCall(check_ranks(&m, law, par));
  PetscCall(check_threads(&m));
  PetscCall(check_replaced(&m));
  held = 1e4 * (double)((test_mesh_order * cells[1] + 1) * (test_mesh_order * cells[2] + 1));
  PetscCall(check_operator(&m, held));
  PetscCall(check_operator_threads(&m));
  PetscCall(check_operator_again(&m));
  if (law->project) PetscCall(check_residual(&m));
  if (law == &wring_law_neohookean) PetscCall(check_infinity(&m));
  PetscCall(model_destroy(&m));
  PetscCall(model_create(PETSC_COMM_WORLD, law, par, PETSC_FALSE, &m));
  PetscCall(check_linear(&m));
  PetscCall(check_free(&m));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const double lame[] = {3e4, 7e4}, stiffness[] = {1e5};

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check_law(&wring_law_strain, stiffness));
  PetscCall(check_law(&wring_law_corotated, lame));
  PetscCall(check_law(&wring_law_neohookean, lame));
  test_mesh_order = 2;
  PetscCall(check_law(&wring_law_strain, stiffness));
  PetscCall(check_law(&wring_law_neohookean, lame));
  PetscCall(PetscFinalize());
  return 0;
}
