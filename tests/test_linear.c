/* ranks: 1 2 4 */
/* Newton's linear systems: conjugate gradients with a V-cycle of A at x, beside a factor. */
#include "body.h"
#include "operator/direct/factor.h"
#include "solver/common/linear.h"

static const double h = 0.05;

static void pull(const double X[3], double x[3])
{
  x[0] = 1.1 * X[0], x[1] = X[1] + 0.1 * X[0], x[2] = 0.95 * X[2];
}

/* One iteration from the same start with `linear`; x on return is x_1, step its distance from x_0. */
static PetscErrorCode iterate(test_body *b, const char *linear, Vec x, double *step, wring_outcome *outcome)
{
  Vec start;

  PetscFunctionBegin;
  PetscCall(wring_options_set(b->o, "solver_newton_linear", linear, "test"));
  PetscCall(wring_options_set(b->o, "solver_newton_forcing", "fixed", "test"));
  PetscCall(wring_options_set(b->o, "solver_newton_rtol", "1e-10", "test"));
  PetscCall(VecCopy(b->x, x));
  PetscCall(test_body_place(b, pull, 0.01, x));
  PetscCall(VecDuplicate(x, &start));
  PetscCall(VecCopy(x, start));
  PetscCall(test_body_solve(b, "newton", 1, 0, x, outcome));
  PetscCall(VecAXPY(start, -1, x));
  PetscCall(VecNorm(start, NORM_2, step));
  PetscCall(VecDestroy(&start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if the cycle is not symmetric and positive, or belongs to another matrix: conjugate gradients then take many
  more iterations or find another direction.
*/
static PetscErrorCode check_same(const char *material)
{
  test_body     b;
  Vec           direct, cg;
  wring_outcome outcome;
  double        step, difference;

  PetscFunctionBegin;
  PetscCall(test_body_create(material, h, 0, &b));
  PetscCall(test_body_attach(&b, "xmin", 1e4, pull));
  PetscCall(test_body_set_up(&b));
  PetscCall(VecDuplicate(b.x, &direct));
  PetscCall(VecDuplicate(b.x, &cg));
  PetscCall(iterate(&b, "direct", direct, &step, &outcome));
  PetscCall(iterate(&b, "cg", cg, &step, &outcome));
  PetscCall(VecAXPY(cg, -1, direct));
  PetscCall(VecNorm(cg, NORM_2, &difference));
  CHECK(difference < 1e-8 * step, "%s: steps differ by %g of %g", material, difference, step);
  const int iterations = (int)outcome.last.linear_iterations;
  CHECK(iterations > 3 && iterations < 80, "%s: %d linear iterations", material, iterations);
  PetscCall(VecDestroy(&direct));
  PetscCall(VecDestroy(&cg));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if the choice depends on the number of vertices alone, or if a factor is expected where it costs too much. */
static PetscErrorCode check_choice(const PetscInt cells[3], PetscBool expected)
{
  double         par[8];
  wring_options *o;
  wring_mesh    *mesh = test_box(PETSC_COMM_WORLD, cells);
  Mat            A[3] = {NULL};
  Vec            x;
  PetscBool      pays;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, "material_young", "1e5", "test"));
  PetscCall(wring_options_set(o, "material_poisson", "0.3", "test"));
  PetscCall(wring_law_neohookean.set_par(&wring_law_neohookean, o, "material_", "material_", par));
  wring_potential *g = test_potential(mesh, &wring_law_neohookean, par);
  PetscCall(wring_potential_create_vec(g, &x));
  PetscCall(wring_potential_mean_matrices(g, x, 1, A));
  PetscCall(wring_factor_pays(A[0], &pays));
  CHECK(pays == expected, "%d x %d x %d cells: a factor %s", (int)cells[0], (int)cells[1], (int)cells[2],
        pays ? "pays" : "does not pay");
  PetscCall(wring_matrices_destroy(A));
  PetscCall(VecDestroy(&x));
  PetscCall(wring_potential_destroy(&g));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check_same("stable_neohookean"));
  PetscCall(check_same("fixed_corotated"));
  PetscCall(check_choice((const PetscInt[]){400, 1, 1}, PETSC_TRUE));
  PetscCall(check_choice((const PetscInt[]){11, 11, 11}, PETSC_FALSE));
  return PetscFinalize();
}
