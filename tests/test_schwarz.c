/* ranks: 1 2 4 */
/*
  Additive Schwarz on two levels, docs/theory.md (5.50): symmetry, a single part, growing meshes, and the methods that
  use it.
*/
#include "operator/schwarz.h"
#include "body.h"
#include <wring/problem.h>

static const char keys[] =
  "mesh_box_size=2,1,1 time_step=10 gravity=0,0,-1 operator_type=direct solver_newton_linear=direct "
  "material_model=stable_neohookean material_young=1e5 material_poisson=0.3 material_density=1000 "
  "material_volumetric=full "
  "variant_s_type=newton variant_s_linear=schwarz variant_p_type=pncg variant_p_precondition=schwarz "
  "variant_one_type=pncg variant_one_precondition=schwarz variant_one_renew=1";

/* A block that is held at one end, where one component of a side is held too. */
#define HELD "attach_xmin_hard=true attach_ymax_hard=true attach_ymax_components=y mesh_box_cells="

typedef struct {
  wring_options *o;
  wring_problem *p;
  Vec            x; // moved by noise where it is free
  Mat            H;
  KSP            ksp;
} scene;

static PetscErrorCode create(const char *more, scene *s)
{
  PetscBool changed;
  double   *x;
  PC        pc;

  PetscFunctionBegin;
  *s = (scene){.o = NULL};
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &s->o));
  PetscCall(test_set(s->o, "", "%s %s", keys, more));
  PetscCall(wring_problem_create(PETSC_COMM_WORLD, s->o, &s->p));
  PetscCall(wring_potential_create_vec(s->p->g, &s->x));
  PetscCall(wring_stepper_begin(s->p->stepper, &s->p->state, s->x, &changed));
  PetscCall(wring_problem_prepare_operator(s->p, 1, changed));
  PetscCall(VecGetArray(s->x, &x));
  for (PetscInt i = 0; i < 3 * s->p->mesh->n_owned; i++)
    x[i] += 0.02 * (wring_uniform((uint64_t)(3 * s->p->mesh->number.original[i / 3] + i % 3)) - 0.5);
  PetscCall(VecRestoreArray(s->x, &x));
  PetscCall(wring_potential_place(s->p->g, s->x));
  PetscCall(wring_potential_hessian(s->p->g, s->x, WRING_FILTER_CLAMP, &s->H));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
  PetscCall(KSPSetType(s->ksp, KSPCG));
  PetscCall(KSPSetTolerances(s->ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
  PetscCall(KSPSetOperators(s->ksp, s->H, s->H));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(wring_schwarz_pc_set(pc));
  PetscCall(wring_schwarz_pc_place(pc, s->x));
  PetscCall(KSPSetUp(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(scene *s)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(MatDestroy(&s->H));
  PetscCall(VecDestroy(&s->x));
  PetscCall(wring_problem_destroy(&s->p));
  PetscCall(wring_options_destroy(&s->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random numbers at free coordinates. */
static PetscErrorCode fill(const scene *s, uint64_t seed, Vec v)
{
  double *a;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < 3 * s->p->mesh->n_owned; i++)
    a[i] = wring_uniform(seed + (uint64_t)(3 * s->p->mesh->number.original[i / 3] + i % 3)) - 0.5;
  PetscCall(VecRestoreArray(v, &a));
  PetscCall(wring_potential_clear(s->p->g, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  x . P y = y . P x, x . P x > 0, and held coordinates stay 0. Fails if parts overlap with weights of one side, or if
  parts move what is held.
*/
static PetscErrorCode test_symmetry(void)
{
  scene       s;
  Vec         x, y, Px, Py;
  PetscScalar xPy, yPx, xPx;
  PetscReal   held, all;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(create(HELD "12,6,6", &s));
  PetscCall(KSPGetPC(s.ksp, &pc));
  for (Vec *const *v = (Vec *const[]){&x, &y, &Px, &Py, NULL}; *v; v++) PetscCall(VecDuplicate(s.x, *v));
  PetscCall(fill(&s, 1, x));
  PetscCall(fill(&s, 1000000, y));
  PetscCall(PCApply(pc, x, Px));
  PetscCall(PCApply(pc, y, Py));
  PetscCall(VecDot(x, Py, &xPy));
  PetscCall(VecDot(y, Px, &yPx));
  PetscCall(VecDot(x, Px, &xPx));
  CHECK(xPx > 0 && fabs(xPy - yPx) <= 1e-10 * xPx, "x . P x = %g, x . P y - y . P x = %g", xPx, xPy - yPx);
  PetscCall(VecNorm(Px, NORM_2, &all));
  PetscCall(VecCopy(Px, Py));
  PetscCall(wring_potential_clear(s.p->g, Py));
  PetscCall(VecAXPY(Py, -1, Px));
  PetscCall(VecNorm(Py, NORM_2, &held));
  CHECK(held <= 1e-14 * all, "held coordinates move by %g of %g", held, all);
  for (Vec *const *v = (Vec *const[]){&x, &y, &Px, &Py, NULL}; *v; v++) PetscCall(VecDestroy(*v));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations of conjugate gradients. */
static PetscErrorCode count(const char *more, PetscInt *iterations)
{
  KSPConvergedReason reason;
  scene              s;
  Vec                b, u;

  PetscFunctionBegin;
  PetscCall(create(more, &s));
  PetscCall(VecDuplicate(s.x, &b));
  PetscCall(VecDuplicate(s.x, &u));
  PetscCall(fill(&s, 7, b));
  PetscCall(KSPSolve(s.ksp, b, u));
  PetscCall(KSPGetConvergedReason(s.ksp, &reason));
  PetscCall(KSPGetIterationNumber(s.ksp, iterations));
  CHECK(reason > 0, "%s: conjugate gradients end with %d", more, (int)reason);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With one part P H is the identity and a projection: two iterations. Fails if a part is not solved exactly, or if
  columns of P are not rigid motions of all of it. On more ranks than one there is more than one part.
*/
static PetscErrorCode test_one_part(void)
{
  PetscInt iterations;

  PetscFunctionBegin;
  PetscCall(count(HELD "4,3,3", &iterations));
  CHECK(wring_comm_size(PETSC_COMM_WORLD) > 1 || iterations <= 3, "%d iterations with one part", (int)iterations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eight times as many parts take at most 1.6 times the iterations. Without the second level they take twice as many. */
static PetscErrorCode test_growth(void)
{
  PetscInt coarse, fine;

  PetscFunctionBegin;
  PetscCall(count(HELD "12,6,6", &coarse));
  PetscCall(count(HELD "24,12,12", &fine));
  CHECK(fine <= 1.6 * (double)coarse, "%d iterations, %d on a mesh of half the size", (int)coarse, (int)fine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  u . H P H u is at least u . H u for u of the coarse level, such as rotations of a free body; what the parts add is
  small where they are stiff. Fails if columns of P do not turn parts.
*/
static PetscErrorCode test_turn(void)
{
  const double *x;
  double       *u;
  scene         s;
  Vec           turn, Hu, PHu;
  PetscScalar   energy, found;
  PC            pc;

  PetscFunctionBegin;
  PetscCall(create("mesh_box_cells=12,6,6", &s));
  PetscCall(KSPGetPC(s.ksp, &pc));
  for (Vec *const *v = (Vec *const[]){&turn, &Hu, &PHu, NULL}; *v; v++) PetscCall(VecDuplicate(s.x, *v));
  PetscCall(VecGetArrayRead(s.x, &x));
  PetscCall(VecGetArray(turn, &u));
  for (PetscInt i = 0; i < 3 * s.p->mesh->n_owned; i += 3) u[i] = -x[i + 1] - x[i + 2], u[i + 1] = u[i + 2] = x[i];
  PetscCall(VecRestoreArray(turn, &u));
  PetscCall(VecRestoreArrayRead(s.x, &x));
  PetscCall(MatMult(s.H, turn, Hu));
  PetscCall(PCApply(pc, Hu, PHu));
  PetscCall(VecDot(turn, Hu, &energy));
  PetscCall(VecDot(Hu, PHu, &found));
  CHECK(found >= (1 - 1e-8) * energy, "a rotation has u . H P H u = %g of %g", found, energy);
  for (Vec *const *v = (Vec *const[]){&turn, &Hu, &PHu, NULL}; *v; v++) PetscCall(VecDestroy(*v));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* newton and pncg end at the minimum that newton finds with a factor. Fails if a direction is not that of x_k. */
static PetscErrorCode test_minimum(void)
{
  static const char *const name[] = {"newton", "s", "p", "one"};
  wring_solver            *solver;
  wring_outcome            outcome;
  scene                    s;
  Vec                      x, least;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create(HELD "12,6,6", &s));
  PetscCall(VecDuplicate(s.x, &x));
  PetscCall(VecDuplicate(s.x, &least));
  for (int i = 0; i < 4; i++) {
    PetscCall(VecCopy(s.x, x));
    PetscCall(wring_problem_create_solver(s.p, name[i], &solver));
    PetscCall(wring_solver_set_stop(solver, WRING_STOP_RELATIVE));
    wring_solver_set_limits(solver, 1000, 1e-11, 0, 1);
    PetscCall(wring_solver_solve(solver, x, &outcome));
    PetscCall(wring_solver_destroy(&solver));
    if (i == 0) PetscCall(VecCopy(x, least));
    PetscCall(test_distance(x, least, &distance));
    CHECK(outcome.reason == WRING_CONVERGED && outcome.rises.count == 0 && distance <= 1e-6,
          "%s: %s after %d iterations, %g m from newton", name[i], wring_reason_name(outcome.reason),
          (int)outcome.iterations, distance);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&least));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_symmetry());
  PetscCall(test_one_part());
  PetscCall(test_growth());
  PetscCall(test_turn());
  PetscCall(test_minimum());
  PetscCall(PetscFinalize());
  return 0;
}
