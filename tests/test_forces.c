/* ranks: 1 2 4 */
/*
  The norms of forces against separate evaluations of each; counts of inverted tets; the rule of stopping by forces.
  Fails if a force is attributed to the wrong kind, a vertex shared by ranks counts twice, an inverted tet is missed, or
  a solve stops by a reference of another iterate.
*/
#include "body.h"

static const double h = 0.02;

static double norm(Vec x)
{
  PetscReal n;
  PetscCallAbort(PETSC_COMM_WORLD, VecNorm(x, NORM_2, &n));
  return n;
}

/* A smooth deformation without inverted tets. */
static void bend(const double X[3], double x[3])
{
  x[0] = 1.1 * X[0], x[1] = X[1] + 0.05 * X[0] * X[0], x[2] = X[2] - 0.1 * X[1];
}

/* force[0..2]: norms of M (x - y)/h^2 + load and of dE/dx without the attachment, and of the attachment's force. */
static PetscErrorCode expect(test_body *b, test_body *bare, Vec y, Vec load, double stiffness, double force[3])
{
  const double *const mass = wring_potential_mass(b->g);
  const PetscInt      set  = wring_names_find(&b->mesh->set.names, "xmin");
  const double       *x, *ya, *f;
  double              sum[2] = {0};
  Vec                 grad;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b->x, &grad));
  PetscCall(wring_potential_set_target(bare->g, b->x));
  PetscCall(wring_potential_gradient(bare->g, b->x, grad));
  force[1] = norm(grad);
  PetscCall(VecDestroy(&grad));
  PetscCall(VecGetArrayRead(b->x, &x));
  PetscCall(VecGetArrayRead(y, &ya));
  PetscCall(VecGetArrayRead(load, &f));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) sum[0] += PetscSqr(mass[i / 3] / (h * h) * (x[i] - ya[i]) + f[i]);
  for (PetscInt i = 0; i < 3 * b->mesh->set.count[set]; i++) {
    const PetscInt at = 3 * b->mesh->set.vertex[set][i / 3] + i % 3;
    sum[1] += PetscSqr(stiffness * (x[at] - b->mesh->X[at]));
  }
  PetscCall(VecRestoreArrayRead(load, &f));
  PetscCall(VecRestoreArrayRead(y, &ya));
  PetscCall(VecRestoreArrayRead(b->x, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  force[0] = sqrt(sum[0]);
  force[2] = sqrt(sum[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_near(const char *name, double value, double expected)
{
  CHECK(fabs(value - expected) <= 1e-11 * expected && expected > 0, "%s: %.15g N, expected %.15g", name, value,
        expected);
}

static PetscErrorCode test_norms(void)
{
  const double stiffness = 3e4;
  test_body    b, bare;
  Vec          y, load, grad;
  wring_forces forces;
  double       expected[3] = {0};

  PetscFunctionBegin;
  PetscCall(test_body_create("corotated", h, 0, &b));
  PetscCall(test_body_create("corotated", h, 0, &bare));
  PetscCall(test_body_attach(&b, "xmin", stiffness, test_stay));
  PetscCall(test_body_set_up(&b));
  PetscCall(VecDuplicate(b.x, &y));
  PetscCall(VecDuplicate(b.x, &load));
  PetscCall(VecDuplicate(b.x, &grad));
  PetscCall(test_body_place(&b, bend, 0.01, b.x));
  test_displace(b.mesh, 0.02, 7, y);
  test_direction(b.mesh, 9, load);
  PetscCall(VecScale(load, 40));
  PetscCall(wring_potential_set_target(b.g, y));
  PetscCall(wring_potential_set_load(b.g, load));
  PetscCall(wring_potential_gradient(b.g, b.x, grad));
  PetscCall(wring_potential_forces(b.g, b.x, grad, &forces));
  PetscCall(expect(&b, &bare, y, load, stiffness, expected));
  check_near("inertial", forces.inertial, expected[0]);
  check_near("internal", forces.internal, expected[1]);
  check_near("external", forces.external, norm(load));
  check_near("reaction", forces.reaction, expected[2]);
  check_near("largest", wring_forces_largest(&forces),
             fmax(fmax(expected[0], expected[1]), fmax(norm(load), expected[2])));
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&load));
  PetscCall(VecDestroy(&y));
  PetscCall(test_body_destroy(&bare));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertex 0, moved through the body, inverts some of its tets: those with J <= 0. */
static PetscErrorCode test_inverted(void)
{
  test_body  b;
  Vec        from;
  PetscInt64 newly, expected = 0;
  double    *xa, *density, *J;

  PetscFunctionBegin;
  PetscCall(test_body_create("corotated", h, 0, &b));
  PetscCall(VecDuplicate(b.x, &from));
  PetscCall(VecCopy(b.x, from));
  PetscCall(VecGetArray(b.x, &xa));
  for (PetscInt i = 0; i < b.mesh->n_owned; i++)
    for (int c = 0; c < 3; c++) xa[3 * i + c] += b.mesh->number.original[i] == 0 ? 0.6 : 0;
  PetscCall(VecRestoreArray(b.x, &xa));
  PetscCall(PetscMalloc2(b.mesh->tets.n, &density, b.mesh->tets.n, &J));
  PetscCall(wring_potential_cell_data(b.g, b.x, density, J));
  for (PetscInt e = 0; e < b.mesh->tets.n; e++) expected += J[e] <= 0;
  PetscCall(PetscFree2(density, J));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &expected, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(wring_potential_inverted(b.g, from, b.x, PETSC_FALSE, &newly));
  CHECK(expected > 0 && newly == expected, "%d newly inverted, expected %d", (int)newly, (int)expected);
  PetscCall(wring_potential_inverted(b.g, b.x, b.x, PETSC_FALSE, &newly));
  CHECK(newly == 0, "%d newly inverted without a motion", (int)newly);
  PetscCall(VecDestroy(&from));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every solve ends at the first iterate at which |grad g| <= rtol times the largest force there. */
static PetscErrorCode test_stop(const char *method, double rtol)
{
  test_body     b;
  Vec           y, grad;
  wring_solver *s;
  wring_outcome outcome;
  wring_forces  forces;

  PetscFunctionBegin;
  PetscCall(test_body_create("corotated", h, 0, &b));
  PetscCall(test_body_attach(&b, "xmin", 1e4, test_stay));
  PetscCall(test_body_set_up_with(&b, bend, 0, &y));
  PetscCall(VecDuplicate(b.x, &grad));
  PetscCall(test_body_solver(&b, method, &s));
  wring_solver_set_limits(s, 1000, rtol, 0, 1);
  PetscCall(wring_solver_set_stop(s, WRING_STOP_FORCE));
  PetscCall(wring_solver_solve(s, b.x, &outcome));
  PetscCall(wring_potential_gradient(b.g, b.x, grad));
  PetscCall(wring_potential_forces(b.g, b.x, grad, &forces));
  check_near("reference", outcome.last.reference, wring_forces_largest(&forces));
  CHECK(outcome.reason == WRING_CONVERGED && outcome.last.gradient_norm <= rtol * outcome.last.reference,
        "%s: %s at %g", method, wring_reason_name(outcome.reason), outcome.last.gradient_norm);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecDestroy(&grad));
  PetscCall(VecDestroy(&y));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_norms());
  PetscCall(test_inverted());
  PetscCall(test_stop("qn", 1e-3));
  PetscCall(test_stop("newton", 1e-6));
  PetscCall(test_stop("chebyshev", 1e-2)); // its iterations do not evaluate g
  PetscCall(PetscFinalize());
  return 0;
}
