/* ranks: 1 2 4 */
/*
  The bound of steps that keep J > 0, the first step at which an element is flat, on any ranks; and line searches that
  stay below it after an energy was infinite. These take the same steps as searches without the bound and evaluate far
  fewer infinite energies: none in a search that follows one that met the bound. Fails if a root of a cubic is missed,
  if ghosts of x or d are stale, if the bound differs between ranks, if a search starts too far or too short, or if a
  bound once found is forgotten.
*/
#include "body.h"

static PetscInt64 infinite; // number of infinite element energies, this process

/* The law; also counts its infinite energies. */
static void counting(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  wring_law_neohookean.fused(&wring_law_neohookean, par, z, psi, p);
  for (int lane = 0; lane < WRING_LANES; lane++) infinite += isinf(psi[lane]) != 0;
}

static PetscErrorCode least_j(const test_body *b, Vec x, double alpha, Vec d, double *least)
{
  double *density, *J;
  Vec     at;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &at));
  PetscCall(VecWAXPY(at, alpha, d, x));
  PetscCall(PetscMalloc2(b->mesh->tets.n, &density, b->mesh->tets.n, &J));
  PetscCall(wring_potential_cell_data(b->g, at, density, J));
  *least = INFINITY;
  for (PetscInt e = 0; e < b->mesh->tets.n; e++) *least = fmin(*least, J[e]);
  PetscCall(PetscFree2(density, J));
  PetscCall(VecDestroy(&at));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No element is inverted up to the bound, and one is just beyond it. */
static PetscErrorCode check_bound(const test_body *b, Vec x, Vec d, double bound)
{
  double least;

  PetscFunctionBegin;
  CHECK(bound > 0 && (bound <= 1 || isinf(bound)), "the bound is %g", bound);
  for (int i = 0; i < 200; i++) {
    const double alpha = fmin(bound, 1) * (1 - 1e-9) * i / 199;
    PetscCall(least_j(b, x, alpha, d, &least));
    CHECK(least > 0, "J is %g at %g, before the bound %g", least, alpha, bound);
  }
  if (isinf(bound)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(least_j(b, x, bound * (1 + 1e-7), d, &least));
  CHECK(least <= 0, "J is %g beyond the bound %g", least, bound);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Directions of increasing length: the bound falls from none to a small part of the step. */
static PetscErrorCode test_bounds(const char *law, int has_bound)
{
  test_body b;
  Vec       x, d;
  double    bound;
  int       none = 0, some = 0;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, ".", wring_law_find(law), 0.02, 0, &b));
  PetscCall(test_body_set_up(&b));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &d));
  test_displace(b.mesh, 0.03, 3, x);
  for (int i = 0; i < 14; i++) {
    test_direction(b.mesh, (uint64_t)(10 + i), d);
    PetscCall(VecScale(d, 0.02 * pow(1.6, i)));
    PetscCall(wring_potential_bound(b.g, x, d, &bound));
    if (has_bound) PetscCall(check_bound(&b, x, d, bound));
    none += isinf(bound);
    some += !isinf(bound);
  }
  CHECK(has_bound ? none >= 2 && some >= 5 : some == 0, "%s: %d with and %d without a bound", law, some, none);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&d));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void squeeze(const double X[3], double x[3])
{
  x[0] = -2.5 * X[0], x[1] = -1.25 * X[1], x[2] = 0;
}

/* det = (1 - 2.5 a) (1 - 1.25 a) is positive at both ends of the step and negative between. */
static PetscErrorCode test_root_between(void)
{
  test_body b;
  Vec       d;
  double    bound;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, ".", &wring_law_neohookean, 0.02, 0, &b));
  PetscCall(test_body_set_up(&b));
  PetscCall(VecDuplicate(b.x, &d));
  PetscCall(test_body_place(&b, squeeze, 0, d));
  PetscCall(wring_potential_bound(b.g, b.x, d, &bound));
  CHECK(fabs(bound - 0.4) <= 1e-12, "the bound is %.15g, not 0.4", bound);
  PetscCall(VecDestroy(&d));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void mirror(const double X[3], double x[3])
{
  x[0] = 2 - X[0], x[1] = X[1], x[2] = X[2];
}

/* Solves from rest towards y, the mirrored body: x after max_it iterations, and the outcome. */
static PetscErrorCode solve(const wring_law *law, const char *name, Vec *x, wring_outcome *outcome)
{
  test_body b;
  Vec       y;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, ".", law, 0.001, 0, &b));
  PetscCall(test_set(b.o, "solver_newton_", "filter=clamp"));
  PetscCall(test_variant(b.o, "wolfe", "qn", "line_search=wolfe"));
  PetscCall(test_variant(b.o, "searching", "chebyshev", "line_search=armijo"));
  PetscCall(test_body_set_up_with(&b, mirror, 0.01, &y));
  PetscCall(VecDuplicate(b.x, x));
  PetscCall(VecCopy(b.x, *x));
  infinite = 0;
  PetscCall(test_body_solve(&b, name, 12, 0, *x, outcome));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &infinite, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(VecDestroy(&y));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With and without the bound. Sums of forces over ranks have no fixed order, so that not all bits agree. */
static PetscErrorCode test_searches(const char *name)
{
  wring_law     law[2] = {wring_law_neohookean, wring_law_neohookean};
  Vec           x[2];
  wring_outcome outcome[2];
  PetscInt64    wasted[2];
  double        distance;

  PetscFunctionBegin;
  law[0].positive = PETSC_FALSE;
  for (int i = 0; i < 2; i++) {
    law[i].fused = counting;
    PetscCall(solve(&law[i], name, &x[i], &outcome[i]));
    wasted[i] = infinite;
  }
  PetscCall(test_distance(x[0], x[1], &distance));
  CHECK(distance <= 1e-9 && outcome[0].iterations == outcome[1].iterations, "%s: %g m apart after %d and %d iterations",
        name, distance, (int)outcome[0].iterations, (int)outcome[1].iterations);
  CHECK(wasted[1] > 0 && 3 * wasted[1] <= wasted[0], "%s: %d infinite energies without the bound, %d with it", name,
        (int)wasted[0], (int)wasted[1]);
  CHECK(outcome[1].last.evaluations < outcome[0].last.evaluations, "%s: %d evaluations with the bound, %d without",
        name, (int)outcome[1].last.evaluations, (int)outcome[0].last.evaluations);
  CHECK(fabs(outcome[0].last.step_length / outcome[1].last.step_length - 1) <= 1e-6, "%s: steps of %g and %g", name,
        outcome[0].last.step_length, outcome[1].last.step_length);
  PetscCall(VecDestroy(&x[0]));
  PetscCall(VecDestroy(&x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const names[] = {"qn", "wolfe", "newton", "gradient_descent", "searching", "pncg"};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_bounds("neohookean", 1));
  PetscCall(test_bounds("mooney_rivlin", 1));
  PetscCall(test_bounds("stable_neohookean", 0));
  PetscCall(test_root_between());
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) PetscCall(test_searches(names[i]));
  PetscCall(PetscFinalize());
  return 0;
}
