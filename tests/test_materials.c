/* ranks: 1 2 4 */
/*
  Every material of the registry in one step of a box that is pulled and twisted: newton, qn and admm converge to one
  minimiser, which does not depend on the number of ranks, nor do the iterates of xpbd. Fails if the gradient, Hessian
  or prox of a law belong to different energies, if a lane reads another lane's element, or if an order of sums depends
  on the partition.
*/
#include "body.h"

static const double h = 0.02;

static void twist(const double X[3], double x[3])
{
  const double angle = 0.4 * (X[0] - 1), c = cos(angle), s = sin(angle), y = X[1] - 0.5, z = X[2] - 0.5;
  x[0] = 1.15 * X[0], x[1] = 0.5 + c * y - s * z, x[2] = 0.5 + s * y + c * z;
}

static PetscErrorCode create(MPI_Comm comm, const char *source, const wring_law *law, test_body *b, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create_on(comm, source, law, h, 0, b));
  PetscCall(test_body_attach(b, "xmin", 1e5, twist));
  PetscCall(test_body_attach(b, "xmax", 1e5, twist));
  PetscCall(test_body_set_up_with(b, twist, 0.04, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(test_body *b, Vec *y, Vec *x)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(y));
  PetscCall(VecDestroy(x));
  PetscCall(test_body_destroy(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *solver;
  PetscInt    max_it;
  double      rtol;
} method;

/* Solves from y until |grad g| is rtol of its first value, if rtol > 0. */
static PetscErrorCode solve(test_body *b, const wring_law *law, const method *how, Vec y, Vec x)
{
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(test_body_solve_from(b, how->solver, how->max_it, how->rtol, y, x, &outcome));
  CHECK(how->rtol == 0 || outcome.reason == WRING_CONVERGED || outcome.reason == WRING_AT_ROUND_OFF,
        "%s, %s: %s after %d iterations, |grad g| %g of %g", law->name, how->solver, wring_reason_name(outcome.reason),
        (int)outcome.iterations, outcome.last.gradient_norm, outcome.first.gradient_norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on rank 0 only, by original vertex number: x [n_global][3], on every rank. */
static PetscErrorCode solve_alone(const char *source, const wring_law *law, const method *how, PetscInt n_global,
                                  double *x)
{
  test_body     b;
  Vec           y, one;
  const double *a;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  if (rank == 0) {
    PetscCall(create(PETSC_COMM_SELF, source, law, &b, &y));
    PetscCall(VecDuplicate(y, &one));
    PetscCall(solve(&b, law, how, y, one));
    PetscCall(VecGetArrayRead(one, &a));
    for (PetscInt i = 0; i < 3 * n_global; i++) x[3 * b.mesh->number.original[i / 3] + i % 3] = a[i];
    PetscCall(VecRestoreArrayRead(one, &a));
    PetscCall(destroy(&b, &y, &one));
  }
  PetscCallMPI(MPI_Bcast(x, (PetscMPIInt)(3 * n_global), MPI_DOUBLE, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |x - alone|_inf */
static PetscErrorCode distance_to(const test_body *b, Vec x, const double *alone, double *distance)
{
  const double *a;

  PetscFunctionBegin;
  *distance = 0;
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) {
    *distance = test_worse(*distance, fabs(a[i] - alone[3 * b->mesh->number.original[i / 3] + i % 3]));
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, distance, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compares each method's result with newton's on one rank; xpbd's iterate, not a minimiser, with xpbd's on one rank. */
static PetscErrorCode check_material(const char *source, const wring_law *law)
{
  static const method methods[] = {{"newton", 60, 1e-10}, {"qn", 1000, 1e-9}, {"admm", 4000, 1e-9}, {"xpbd", 8, 0}};
  static const double most[]    = {1e-8, 1e-6, 1e-6, 1e-9};
  test_body           b;
  Vec                 y, x;
  double             *alone, distance;

  PetscFunctionBegin;
  PetscCall(create(PETSC_COMM_WORLD, source, law, &b, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(PetscMalloc1(3 * b.mesh->number.n_global, &alone));
  for (int i = 0; i < 4; i++) {
    if (i == 0 || i == 3) PetscCall(solve_alone(source, law, &methods[i], b.mesh->number.n_global, alone));
    PetscCall(solve(&b, law, &methods[i], y, x));
    PetscCall(distance_to(&b, x, alone, &distance));
    CHECK(distance <= most[i], "%s: %s ends %g m from %s on one rank", law->name, methods[i].solver, distance,
          methods[i == 3 ? 3 : 0].solver);
  }
  PetscCall(PetscFree(alone));
  PetscCall(destroy(&b, &y, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const wring_law *law;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  for (int i = 0; (law = wring_law_material(i)); i++) PetscCall(check_material(argc > 1 ? argv[1] : ".", law));
  PetscCall(PetscFinalize());
  return 0;
}
