/* A small deformable body for tests of solvers and steps: a jittered box under a law, attachments, a spring, an operator. */
#pragma once
#include "check.h"
#include <math.h>
#include <string.h>
#include <wring/step.h>

typedef struct {
  wring_options   *o;
  wring_mesh      *mesh;
  wring_potential *g;
  wring_operator  *op;
  Mat              A;
  Vec              x; // rest positions
} test_body;

/* What PETSc's error handler was told last. */
typedef struct {
  char text[1024];
} test_message;

static inline PetscErrorCode test_keep_message(MPI_Comm comm, int line, const char *function, const char *file,
                                               PetscErrorCode code, PetscErrorType type, const char *text,
                                               void *context)
{
  test_message *m = (test_message *)context;
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL) snprintf(m->text, sizeof m->text, "%s", text);
  return code;
}

/* A 3 x 1 x 1 m box of 6 x 2 x 2 cells. */
static inline PetscErrorCode test_body_mesh(wring_mesh **mesh)
{
  const wring_box  box  = {.size = {3, 1, 1}, .cells = {6, 2, 2}, .origin = {-1.5, -0.5, -0.5}, .jitter = 0.05};
  wring_mesh_data *data = NULL;
  PetscMPIInt      rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) PetscCall(wring_mesh_box(&box, &data));
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, &data, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A material of Young's modulus 1e5 Pa or stiffness 1e5 Pa, and direct solves unless o says otherwise. */
static inline PetscErrorCode test_body_create(const char *law_name, double h, test_body *m)
{
  const wring_law *law     = wring_law_find(law_name);
  const PetscBool  strain  = (PetscBool)(strcmp(law_name, "strain") == 0);
  const double     density = 1000;
  double           par[8], *mass;
  wring_term      *term;

  PetscFunctionBegin;
  memset(m, 0, sizeof *m);
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &m->o));
  PetscCall(wring_options_set(m->o, "operator_type", "direct", "test"));
  if (strain)
    PetscCall(wring_options_set(m->o, "material_stiffness", "1e5", "test"));
  else {
    PetscCall(wring_options_set(m->o, "material_young", "1e5", "test"));
    PetscCall(wring_options_set(m->o, "material_poisson", "0.35", "test"));
  }
  PetscCall(law->set_par(m->o, "material_", "material_", par));
  PetscCall(test_body_mesh(&m->mesh));
  PetscCall(PetscMalloc1(m->mesh->n_owned, &mass));
  PetscCall(wring_mesh_lumped_mass(m->mesh, &density, mass));
  PetscCall(wring_potential_create(m->mesh, mass, NULL, &m->g));
  PetscCall(PetscFree(mass));
  PetscCall(wring_potential_set_step(m->g, h));
  PetscCall(wring_term_create_tets(m->mesh, 0, law, par, 0, &term));
  PetscCall(wring_potential_add_term(m->g, term));
  PetscCall(wring_potential_create_vec(m->g, &m->x));
  double *xa;
  PetscCall(VecGetArray(m->x, &xa));
  PetscCall(PetscArraycpy(xa, m->mesh->X, 3 * m->mesh->n_owned));
  PetscCall(VecRestoreArray(m->x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A map of positions. */
typedef void test_map(const double X[3], double x[3]);

/* Holds the vertices of a set at the places that `map` sends their rest positions to. */
static inline PetscErrorCode test_body_attach(test_body *m, const char *set, double stiffness, test_map *map)
{
  const PetscInt     i = wring_names_find(&m->mesh->sets, set), n = m->mesh->set_count[i];
  const PetscInt    *vertex = m->mesh->set_vertex[i];
  const wring_motion still  = {.until = INFINITY, .release = INFINITY};
  double            *k, *target;
  wring_term        *term;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &k, 3 * n, &target));
  for (PetscInt j = 0; j < n; j++) {
    k[j] = stiffness;
    map(m->mesh->X + 3 * vertex[j], target + 3 * j);
  }
  PetscCall(wring_term_create_attachments(m->mesh, set, n, vertex, k, target, &still, &term));
  PetscCall(PetscFree2(k, target));
  PetscCall(wring_potential_add_term(m->g, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A spring between two vertices of one element of rank 0, half as long as it is at rest. */
static inline PetscErrorCode test_body_spring(test_body *m, double stiffness)
{
  const PetscInt n = m->mesh->begin == 0 && m->mesh->n_tet > 0;
  PetscInt       a = 0, b = 0;
  double         length = 0;
  wring_term    *term;

  PetscFunctionBegin;
  if (n) {
    a = m->mesh->tet[0], b = m->mesh->tet[1];
    for (int c = 0; c < 3; c++) length += PetscSqr(m->mesh->X[3 * a + c] - m->mesh->X[3 * b + c]);
    length = sqrt(length) / 2;
  }
  PetscCall(wring_term_create_springs(m->mesh, "brace", n, &a, &b, &stiffness, &length, &term));
  PetscCall(wring_potential_add_term(m->g, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator, once all terms are there. */
static inline PetscErrorCode test_body_set_up(test_body *m)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(wring_potential_set_time(m->g, 0, &changed));
  PetscCall(wring_potential_operator_matrix(m->g, &m->A));
  PetscCall(wring_operator_create(PETSC_COMM_WORLD, m->o, NULL, &m->op));
  PetscCall(wring_operator_set_matrix(m->op, m->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = map(rest positions), plus noise of this size that depends on the vertex and not on ranks. */
static inline PetscErrorCode test_body_place(const test_body *m, test_map *map, double noise, Vec x)
{
  double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
    uint64_t state = 77 + 1000 * (uint64_t)m->mesh->original[i];
    map(m->mesh->X + 3 * i, xa + 3 * i);
    for (int c = 0; c < 3; c++) xa[3 * i + c] += noise * test_random(&state);
  }
  PetscCall(VecRestoreArray(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver of this type or variant, ready to solve. */
static inline PetscErrorCode test_body_solver(const test_body *m, const char *name, wring_solver **s)
{
  PetscFunctionBegin;
  PetscCall(wring_solver_create(PETSC_COMM_WORLD, m->g, m->op, NULL, s));
  PetscCall(wring_solver_set_from_options(*s, m->o, name));
  PetscCall(wring_solver_set_up(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves from x, in place, with a solver made for it. */
static inline PetscErrorCode test_body_solve(const test_body *m, const char *name, PetscInt max_it, double rtol, Vec x,
                                             wring_outcome *outcome)
{
  wring_solver *s;

  PetscFunctionBegin;
  PetscCall(test_body_solver(m, name, &s));
  PetscCall(wring_solver_set_limits(s, max_it, rtol, 0, 1));
  PetscCall(wring_solver_solve(s, x, outcome));
  PetscCall(wring_solver_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode test_body_destroy(test_body *m)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&m->x));
  PetscCall(wring_operator_destroy(&m->op));
  PetscCall(MatDestroy(&m->A));
  PetscCall(wring_potential_destroy(&m->g));
  PetscCall(wring_mesh_destroy(&m->mesh));
  PetscCall(wring_options_destroy(&m->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |a - b|_inf. */
static inline PetscErrorCode test_distance(Vec a, Vec b, double *distance)
{
  Vec       d;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(a, &d));
  PetscCall(VecWAXPY(d, -1, a, b));
  PetscCall(VecNorm(d, NORM_INFINITY, &norm));
  PetscCall(VecDestroy(&d));
  *distance = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum m_i (x_i - y_i), relative to sum m_i |x_i|. */
static inline PetscErrorCode test_drift(const test_body *m, Vec x, Vec y, double *drift)
{
  const double *xa, *ya, *mass = wring_potential_mass(m->g);
  double        sum[4] = {0};

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(y, &ya));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
    for (int c = 0; c < 3; c++) {
      sum[c] += mass[i] * (xa[3 * i + c] - ya[3 * i + c]);
      sum[3] += mass[i] * fabs(xa[3 * i + c]);
    }
  }
  PetscCall(VecRestoreArrayRead(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  *drift = (fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2])) / sum[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}
