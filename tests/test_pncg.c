/* ranks: 1 2 3 */
/*
  Nonlinear conjugate gradients, and the Hessian without a matrix that they use: against assembled matrices, and against
  linear conjugate gradients where g is quadratic.
*/
#include "body.h"
#include "quadratic.h"
#include <petscksp.h>

/* ---- the Hessian without a matrix -------------------------------------------------------------------------------- */

/* A body with springs and attachments, one of them hard, at rough positions. */
static PetscErrorCode create_rough(const wring_law *law, const char *source, test_body *b)
{
  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, source, law, 0.03, 12, b));
  PetscCall(test_body_attach(b, "xmin", 1e4, test_twist));
  PetscCall(test_body_hold(b, "xmax", test_stay, &test_still));
  PetscCall(test_body_set_up(b));
  PetscCall(wring_potential_set_start(b->g, b->x));
  PetscCall(wring_potential_set_target(b->g, b->x));
  test_displace(b->mesh, 0.05, 3, b->x);
  PetscCall(wring_potential_place(b->g, b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference of blocks [n_owned][6] and the diagonal blocks of H, relative to the largest entry. */
static PetscErrorCode compare_blocks(const test_body *b, Mat H, const double *block, double *worst)
{
  static const int at[] = {0, 4, 8, 1, 5, 2};
  PetscInt         first, row[3];
  double           own[9] = {0}, sum[2] = {0};

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(H, &first, NULL));
  for (PetscInt i = 0; i < b->mesh->n_owned; i++) {
    for (int c = 0; c < 3; c++) row[c] = first + 3 * i + c;
    PetscCall(MatGetValues(H, 3, row, 3, row, own));
    for (int e = 0; e < 6; e++) {
      sum[0] = test_worse(sum[0], fabs(own[at[e]] - block[6 * i + e]));
      sum[1] = fmax(sum[1], fabs(own[at[e]]));
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *worst = sum[0] / sum[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The three products of u and p with H by the matrix. */
static PetscErrorCode multiply(Mat H, Vec u, Vec p, double sum[3])
{
  Vec Hu, Hp;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(u, &Hu));
  PetscCall(VecDuplicate(u, &Hp));
  PetscCall(MatMult(H, u, Hu));
  PetscCall(MatMult(H, p, Hp));
  PetscCall(VecDot(u, Hu, &sum[0]));
  PetscCall(VecDot(p, Hu, &sum[1]));
  PetscCall(VecDot(p, Hp, &sum[2]));
  PetscCall(VecDestroy(&Hu));
  PetscCall(VecDestroy(&Hp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode update_ghosts(wring_potential *g, Vec x)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Blocks and products equal those of the matrix, for every material and filter. Fails if a stencil, an element's weight,
  a ghost or a held coordinate is treated in another way.
*/
static PetscErrorCode test_matrix(const wring_law *law, const char *source, wring_filter filter)
{
  test_body b;
  Mat       H = NULL;
  Vec       u, p;
  double   *block, sum[3], expected[3] = {0}, worst = INFINITY;

  PetscFunctionBegin;
  PetscCall(create_rough(law, source, &b));
  PetscCall(PetscMalloc1(6 * b.mesh->n_owned, &block));
  PetscCall(VecDuplicate(b.x, &u));
  PetscCall(VecDuplicate(b.x, &p));
  test_direction(b.mesh, 7, u);
  test_direction(b.mesh, 8, p);
  PetscCall(wring_potential_clear(b.g, u));
  PetscCall(wring_potential_clear(b.g, p));
  PetscCall(wring_potential_hessian(b.g, b.x, filter, &H));
  PetscCall(update_ghosts(b.g, b.x));
  PetscCall(update_ghosts(b.g, p));
  PetscCall(wring_potential_diagonal(b.g, b.x, filter, block));
  PetscCall(compare_blocks(&b, H, block, &worst));
  CHECK(worst <= 1e-12, "%s: blocks are off by %g", law->name, worst);
  PetscCall(wring_potential_products_local(b.g, b.x, filter, u, p, sum));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(multiply(H, u, p, expected));
  for (int k = 0; k < 3; k++)
    CHECK(fabs(sum[k] - expected[k]) <= 1e-11 * expected[0], "%s: product %d is %.15g, by the matrix %.15g", law->name,
          k, sum[k], expected[k]);
  PetscCall(PetscFree(block));
  PetscCall(MatDestroy(&H));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a quadratic g ----------------------------------------------------------------------------------------------- */

/* z = P^{-1} r with the 3 x 3 diagonal blocks of H. */
static PetscErrorCode set_up_cg(Mat H, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetOperators(*ksp, H, H));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x after `its` steps of PETSc's linear conjugate gradients from b->x. */
static PetscErrorCode solve_linear(test_body *b, PetscInt its, Vec x)
{
  Mat H = NULL;
  KSP ksp;
  Vec grad, d;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &grad));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(wring_potential_gradient(b->g, b->x, grad));
  PetscCall(wring_potential_hessian(b->g, b->x, WRING_FILTER_NONE, &H));
  PetscCall(set_up_cg(H, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-14, 0, PETSC_DEFAULT, its));
  PetscCall(KSPSolve(ksp, grad, d));
  PetscCall(VecWAXPY(x, -1, d, b->x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&H));
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Where g is quadratic, every rule for beta gives the iterates of linear conjugate gradients with the same
  preconditioner, and with A^{-1} = H^{-1} one step reaches the minimum. Fails if a step, a beta or a sum is wrong.
*/
static PetscErrorCode test_quadratic(const char *beta, const char *renew)
{
  test_body     b;
  wring_outcome outcome;
  Vec           x, expected;
  double        distance, moved;

  PetscFunctionBegin;
  PetscCall(test_body_create_quadratic(&b));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &expected));
  PetscCall(test_variant(b.o, "blocks", "pncg", "precondition=jacobi beta=%s renew=%s", beta, renew));
  PetscCall(test_variant(b.o, "exact", "pncg", "precondition=operator beta=%s renew=%s", beta, renew));
  for (PetscInt its = 1; its <= 10; its += 3) {
    PetscCall(test_body_solve_from(&b, "blocks", its, 0, b.x, x, &outcome));
    PetscCall(solve_linear(&b, its, expected));
    PetscCall(test_distance(expected, b.x, &moved));
    PetscCall(test_distance(x, expected, &distance));
    CHECK(distance <= 1e-9 * moved, "%s: iterate %d is %g of the way from linear conjugate gradients", beta, (int)its,
          distance / moved);
    CHECK(outcome.last.evaluations == 1 + its, "%s: %d evaluations", beta, (int)outcome.last.evaluations);
  }
  PetscCall(solve_linear(&b, 500, expected));
  PetscCall(test_body_solve_from(&b, "exact", 1, 0, b.x, x, &outcome));
  PetscCall(test_distance(x, expected, &distance));
  CHECK(distance <= 1e-8, "%s: one step with A = H ends %g m from the minimum", beta, distance);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&expected));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A second solve from the same start has the same iterates. Fails if it finds the last direction at ghosts. */
static PetscErrorCode test_again(void)
{
  test_body     b;
  wring_outcome outcome;
  wring_solver *s;
  Vec           x[2];
  double        distance, moved;

  PetscFunctionBegin;
  PetscCall(test_body_create_quadratic(&b));
  PetscCall(test_variant(b.o, "again", "pncg", "precondition=jacobi beta=subspace renew=1"));
  PetscCall(test_body_solver(&b, "again", &s));
  wring_solver_set_limits(s, 5, 0, 0, 1);
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDuplicate(b.x, &x[i]));
    PetscCall(VecCopy(b.x, x[i]));
    PetscCall(wring_solver_solve(s, x[i], &outcome));
  }
  PetscCall(test_distance(x[0], b.x, &moved));
  PetscCall(test_distance(x[1], x[0], &distance));
  CHECK(distance <= 1e-12 * moved, "a second solve ends %g of the way from the first", distance / moved);
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a nonlinear g ----------------------------------------------------------------------------------------------- */

/* Every variant ends at newton's minimiser without a rise of g. Fails if a restart or a search is missing. */
static PetscErrorCode test_variants(void)
{
  static const char *const name[][4] = {{"a", "jacobi", "dai_kou", "1"},    {"b", "jacobi", "dai_yuan", "7"},
                                        {"c", "jacobi", "subspace", "3"},   {"d", "operator", "dai_kou", "1"},
                                        {"e", "operator", "dai_yuan", "1"}, {"f", "operator", "subspace", "1"},
                                        {"g", "cycle", "dai_kou", "1"},     {"h", "cycle", "subspace", "1"}};
  test_body                b;
  wring_outcome            outcome;
  Vec                      x, expected;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(test_body_create("neohookean", 0.1, 0, &b));
  PetscCall(test_body_attach(&b, "xmin", 1e5, test_stay));
  PetscCall(test_body_attach(&b, "xmax", 1e5, test_twist));
  PetscCall(test_body_set_up(&b));
  PetscCall(wring_potential_set_start(b.g, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &expected));
  PetscCall(test_body_solve_from(&b, "newton", 50, 1e-10, b.x, expected, &outcome));
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    const char *const *const v = name[i];
    PetscCall(test_variant(b.o, v[0], "pncg", "precondition=%s beta=%s renew=%s", v[1], v[2], v[3]));
    PetscCall(test_body_solve_from(&b, name[i][0], 1000, 1e-8, b.x, x, &outcome));
    PetscCall(test_distance(x, expected, &distance));
    CHECK(outcome.reason == WRING_CONVERGED && outcome.rises.count == 0 && distance <= 1e-6,
          "%s, %s: %s after %d iterations, %d rises, %g m from newton", name[i][1], name[i][2],
          wring_reason_name(outcome.reason), (int)outcome.iterations, (int)outcome.rises.count, distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&expected));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  As published: the step of the quadratic model, whether g falls or not. Fails if a step is searched; a start at which
  none would be cut shows nothing.
*/
static PetscErrorCode test_published(void)
{
  enum { ITS = 40 };
  test_body     b;
  wring_outcome outcome;
  Vec           x;

  PetscFunctionBegin;
  PetscCall(test_body_create("stvk", 0.5, 0, &b));
  PetscCall(test_body_attach(&b, "xmin", 1e5, test_stay));
  PetscCall(test_body_set_up(&b));
  PetscCall(wring_potential_set_start(b.g, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(test_variant(b.o, "published", "pncg", "precondition=jacobi line_search=none"));
  PetscCall(test_variant(b.o, "searched", "pncg", "precondition=jacobi beta=dai_kou renew=1"));
  PetscCall(VecDuplicate(b.x, &x));
  for (int searched = 0; searched < 2; searched++) {
    test_displace(b.mesh, 0.5, 3, x);
    PetscCall(test_body_solve(&b, searched ? "searched" : "published", ITS, 0, x, &outcome));
    CHECK(searched == (outcome.last.evaluations > 1 + ITS) && searched == (outcome.rises.count == 0),
          "searched %d: %d evaluations, %d rises", searched, (int)outcome.last.evaluations, (int)outcome.rises.count);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const source = argc > 1 ? argv[1] : ".";

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  test_twist_rate = PETSC_PI / 5;
  for (int i = 0; wring_law_material(i); i++) {
    if (!(wring_law_can(wring_law_material(i)) & WRING_CAN_HESSIAN)) continue;
    PetscCall(test_matrix(wring_law_material(i), source, WRING_FILTER_NONE));
    PetscCall(test_matrix(wring_law_material(i), source, WRING_FILTER_CLAMP));
  }
  test_mesh_order = 2;
  PetscCall(test_matrix(&wring_law_neohookean, source, WRING_FILTER_CLAMP));
  test_mesh_order = 1;
  PetscCall(test_quadratic("dai_kou", "1"));
  PetscCall(test_quadratic("dai_yuan", "4"));
  PetscCall(test_quadratic("subspace", "1000"));
  PetscCall(test_again());
  PetscCall(test_variants());
  PetscCall(test_published());
  PetscCall(PetscFinalize());
  return 0;
}
