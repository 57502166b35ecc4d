/* ranks: 1 2 4 */
/*
  Vertex block descent: a sweep against the same steps from the assembled gradient and Hessian of g, with every stencil;
  the search of a vertex; the acceleration; contacts.
*/
#include "body.h"
#include "refused.h"
#include <omp.h>
#include "term/descent/descent_impl.h"
#include <wring/problem.h>

/* ---- problems ---------------------------------------------------------------------------------------------------- */

/* Every stencil and energy of one vertex: tets, fibres, triangles, hinges, points; x, y or z held; a plane below. */
static const char all_terms[] =
  "mesh_box_size=2,1,1 mesh_box_cells=6,3,3 mesh_box_jitter=0.3 "
  "material_young=1e5 material_poisson=0.35 material_density=1000 "
  "fibre_direction=0.6,0,0.8 fibre_stiffness=2e4 "
  "strain_limit_stiffness=3e4 strain_limit_min=0.9 strain_limit_max=1.1 "
  "membrane_zmax_stiffness=2e4 membrane_zmax_density=1 bending_zmax_stiffness=20 "
  "attach_xmax_stiffness=1e4 attach_xmin_hard=true attach_xmin_components=xz "
  "attach_ymin_hard=true attach_ymin_components=y gravity=1,-2,-9.8 time_step=0.1 operator_type=direct";

static const char floor_below[] = "collider_floor_shape=half_space collider_floor_point=0,0,0.05 "
                                  "collider_floor_normal=0,0,1 collider_floor_stiffness=1e4";

typedef struct {
  wring_options *o;
  wring_problem *p;
  Vec            x; // x_0 of the first step, moved by noise where it is free
} scene;

static PetscErrorCode create(const char *model, const char *more, double noise, scene *s)
{
  PetscBool changed;
  double   *x;

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &s->o));
  PetscCall(test_set(s->o, "", "%s material_model=%s %s", all_terms, model, more ? more : ""));
  PetscCall(wring_problem_create(PETSC_COMM_WORLD, s->o, &s->p));
  PetscCall(wring_potential_create_vec(s->p->g, &s->x));
  PetscCall(wring_stepper_begin(s->p->stepper, &s->p->state, s->x, &changed));
  PetscCall(wring_problem_prepare_operator(s->p, 1, changed));
  PetscCall(VecGetArray(s->x, &x));
  for (PetscInt i = 0; i < 3 * s->p->mesh->n_owned; i++)
    x[i] += noise * (wring_uniform((uint64_t)(3 * s->p->mesh->number.original[i / 3] + i % 3)) - 0.5);
  PetscCall(VecRestoreArray(s->x, &x));
  PetscCall(wring_potential_place(s->p->g, s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(scene *s)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&s->x));
  PetscCall(wring_problem_destroy(&s->p));
  PetscCall(wring_options_destroy(&s->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(scene *s, const char *name, PetscInt max_it, double rtol, Vec x, wring_outcome *outcome)
{
  wring_solver *solver;

  PetscFunctionBegin;
  PetscCall(wring_problem_create_solver(s->p, name, &solver));
  PetscCall(wring_solver_set_stop(solver, WRING_STOP_RELATIVE));
  wring_solver_set_limits(solver, max_it, rtol, 0, 1);
  PetscCall(wring_solver_solve(solver, x, outcome));
  PetscCall(wring_solver_destroy(&solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a sweep ----------------------------------------------------------------------------------------------------- */

/* x_i -= factor H_ii^{-1} grad_i of the vertices of one colour, from the assembled H. */
static PetscErrorCode step_colour(scene *s, double factor, const PetscInt *colour, PetscInt c, Vec x, Vec grad, Mat *H)
{
  const PetscScalar *inverse;
  const double      *f;
  wring_value        value;
  double            *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_fused(s->p->g, x, &value, grad));
  PetscCall(wring_potential_hessian(s->p->g, x, WRING_FILTER_NONE, H));
  PetscCall(MatInvertBlockDiagonal(*H, &inverse));
  PetscCall(VecGetArrayRead(grad, &f));
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < s->p->mesh->n_owned; i++) {
    for (int k = 0; k < 9 && colour[i] == c; k++) xa[3 * i + k / 3] -= factor * inverse[9 * i + k] * f[3 * i + k % 3];
  }
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecRestoreArrayRead(grad, &f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A sweep as published equals, colour by colour, Newton steps of single vertices with the assembled gradient and
  Hessian, each times the relaxation.
  Fails if an element or term is missing at a vertex, also one of another rank; if neighbours are not fresh; if two
  vertices of a colour share an element; if what is held moves.
*/
static PetscErrorCode test_sweep(const char *model, const char *more)
{
  scene                s;
  wring_descent       *d;
  wring_term *const   *terms;
  wring_outcome        outcome;
  wring_contact_change change;
  Vec                  x, grad;
  Mat                  H = NULL;
  double               moved, distance;

  PetscFunctionBegin;
  PetscCall(create(model, more, 0.03, &s));
  PetscCall(test_variant(s.o, "published", "vbd", "line_search=%s relaxation=%s", more ? "armijo" : "none",
                         more ? "1" : "1.5"));
  PetscCall(VecDuplicate(s.x, &x));
  PetscCall(VecDuplicate(s.x, &grad));
  PetscCall(VecCopy(s.x, x));
  const int n = wring_potential_terms(s.p->g, &terms);
  PetscCall(wring_descent_create(s.p->mesh, n, terms, NULL, &d));
  CHECK(d->n_colour >= 4 && d->n_colour <= 20, "%d colours", (int)d->n_colour);
  PetscCall(solve(&s, "published", 1, 0, x, &outcome));
  PetscCall(test_distance(x, s.x, &moved));
  PetscCall(wring_potential_update_contacts(s.p->g, s.x, PETSC_TRUE, &change)); // those of the first iteration
  CHECK(!more || change.active > 0, "no contacts");
  for (PetscInt c = 0; c < d->n_colour; c++) PetscCall(step_colour(&s, more ? 1 : 1.5, d->colours, c, s.x, grad, &H));
  PetscCall(test_distance(x, s.x, &distance));
  CHECK(moved > 1e-3 && distance <= 1e-10 * moved, "%s: a sweep moves by %g and is off by %g m", model, moved,
        distance);
  PetscCall(MatDestroy(&H));
  PetscCall(wring_descent_destroy(&d));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&grad));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Sweeps give the same bits on 1, 2 and 3 threads; on one and two ranks the mesh has enough vertices per colour for
  threads.
  Fails if a vertex reads one of its own colour, or if threads share what they write.
*/
static PetscErrorCode test_threads(const char *model)
{
  const int     threads = omp_get_max_threads();
  scene         s;
  wring_outcome outcome;
  Vec           x[3];
  double        moved, distance;

  PetscFunctionBegin;
  PetscCall(create(model, "mesh_box_cells=24,12,12", 0.01, &s));
  for (int t = 0; t < 3; t++) {
    PetscCall(VecDuplicate(s.x, &x[t]));
    PetscCall(VecCopy(s.x, x[t]));
    omp_set_num_threads(t + 1);
    PetscCall(solve(&s, "vbd", 2, 0, x[t], &outcome));
    PetscCall(test_distance(x[t], s.x, &moved));
    PetscCall(test_distance(x[t], x[0], &distance));
    CHECK(moved > 1e-3 && distance == 0, "%s: 1 and %d threads differ by %g of %g m", model, t + 1, distance, moved);
  }
  omp_set_num_threads(threads);
  for (int t = 0; t < 3; t++) PetscCall(VecDestroy(&x[t]));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the minimum and the search ---------------------------------------------------------------------------------- */

/*
  From a rough start g falls in every iteration, with and without acceleration, to newton's minimum. Fails if a step is
  taken that raises g, if the search blocks progress near the minimum, or if contacts are not those of g.
*/
static PetscErrorCode test_minimum(const char *model, double noise, const char *more)
{
  static const char *const name[] = {"vbd", "fast"};
  scene                    s;
  wring_outcome            outcome[2];
  Vec                      x, least;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create(model, more, noise, &s));
  PetscCall(test_variant(s.o, "fast", "vbd", "rho=0.9"));
  PetscCall(VecDuplicate(s.x, &x));
  PetscCall(VecDuplicate(s.x, &least));
  PetscCall(VecCopy(s.x, least));
  PetscCall(solve(&s, "newton", 200, 1e-11, least, &outcome[0]));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecCopy(s.x, x));
    PetscCall(solve(&s, name[i], 1000, 1e-9, x, &outcome[i]));
    PetscCall(test_distance(x, least, &distance));
    CHECK(outcome[i].reason == WRING_CONVERGED && outcome[i].rises.count == 0, "%s, %s: %s after %d, g rose %d times",
          model, name[i], wring_reason_name(outcome[i].reason), (int)outcome[i].iterations,
          (int)outcome[i].rises.count);
    CHECK(distance <= 1e-6, "%s, %s ends %g m from newton", model, name[i], distance);
  }
  CHECK(outcome[1].iterations < outcome[0].iterations, "%s: %d iterations accelerated, %d plain", model,
        (int)outcome[1].iterations, (int)outcome[0].iterations);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&least));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  As published, sweeps from an inverted start raise g, with the search it does not. Fails if line_search has no effect:
  then test_minimum shows nothing.
*/
static PetscErrorCode test_search(void)
{
  scene         s;
  wring_outcome published, searched;
  Vec           x;

  PetscFunctionBegin;
  PetscCall(create("corotated", NULL, 0.1, &s));
  PetscCall(VecScale(s.x, -0.4));
  PetscCall(wring_potential_place(s.p->g, s.x));
  PetscCall(test_variant(s.o, "published", "vbd", "line_search=none"));
  PetscCall(VecDuplicate(s.x, &x));
  PetscCall(VecCopy(s.x, x));
  PetscCall(solve(&s, "published", 10, 0, x, &published));
  PetscCall(VecCopy(s.x, x));
  PetscCall(solve(&s, "vbd", 10, 0, x, &searched));
  CHECK(published.rises.count > 0 || wring_reason_failed(published.reason), "the published steps never raise g");
  CHECK(searched.rises.count == 0 && searched.last.value.objective < searched.first.value.objective,
        "g rises %d times with the search", (int)searched.rises.count);
  PetscCall(VecDestroy(&x));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PBNG ends at newton's minimum, and over-relaxation takes fewer sweeps. Fails if the definite model is not positive, or
  replaces the gradient too.
*/
static PetscErrorCode test_definite(const char *model)
{
  static const char *const relaxation[] = {"1", "1.6"};
  scene                    s;
  wring_outcome            outcome[2];
  Vec                      x, least;
  double                   distance;

  PetscFunctionBegin;
  PetscCall(create(model, NULL, 0.05, &s));
  PetscCall(test_variant(s.o, "pbng", "vbd", "line_search=none hessian=definite"));
  PetscCall(VecDuplicate(s.x, &x));
  PetscCall(VecDuplicate(s.x, &least));
  PetscCall(VecCopy(s.x, least));
  PetscCall(solve(&s, "newton", 200, 1e-11, least, &outcome[0]));
  for (int i = 0; i < 2; i++) {
    PetscCall(wring_options_set(s.o, "variant_pbng_relaxation", relaxation[i], "test"));
    PetscCall(VecCopy(s.x, x));
    PetscCall(solve(&s, "pbng", 2000, 1e-9, x, &outcome[i]));
    PetscCall(test_distance(x, least, &distance));
    CHECK(outcome[i].reason == WRING_CONVERGED && distance <= 1e-6, "%s by %s: %s after %d, %g m from newton", model,
          relaxation[i], wring_reason_name(outcome[i].reason), (int)outcome[i].iterations, distance);
  }
  CHECK(outcome[1].iterations < outcome[0].iterations, "%s: %d sweeps relaxed, %d plain", model,
        (int)outcome[1].iterations, (int)outcome[0].iterations);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&least));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* Contacts between vertices, and contacts without the search. Fails if either is accepted. */
static PetscErrorCode test_refusals(void)
{
  scene         s;
  wring_solver *solver;

  PetscFunctionBegin;
  PetscCall(create("corotated", "self_contact_stiffness=1e4", 0, &s));
  CHECK_REFUSED(wring_problem_create_solver(s.p, "vbd", &solver), "solver 'vbd' cannot use self_contact",
                "vertices, which move one at a time");
  PetscCall(destroy(&s));
  PetscCall(create("corotated", floor_below, 0, &s));
  PetscCall(test_variant(s.o, "published", "vbd", "line_search=none"));
  CHECK_REFUSED(wring_problem_create_solver(s.p, "published", &solver), "solver 'vbd' cannot use contacts",
                "it may increase g");
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_sweep("stable_neohookean", NULL));
  PetscCall(test_sweep("corotated", NULL));
  PetscCall(test_sweep("stable_neohookean", floor_below));
  PetscCall(test_threads("corotated"));
  PetscCall(test_minimum("neohookean", 0.05, NULL));
  PetscCall(test_minimum("corotated", 0.5, floor_below));
  PetscCall(test_search());
  PetscCall(test_definite("fixed_corotated"));
  PetscCall(test_definite("neohookean"));
  PetscCall(test_refusals());
  PetscCall(PetscFinalize());
  return 0;
}
