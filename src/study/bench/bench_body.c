/* The box of `wring bench`: a problem that one face holds, in a step from a twisted and uneven state. */
#include "bench.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static PetscErrorCode set(wring_options *o, const char *key, const char *format, ...)
{
  char    value[128];
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  PetscCall(wring_options_set(o, key, value, "wring bench"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The box has cubes in about as many layers along all axes. */
static PetscErrorCode set_options(const wring_bench *b, const char *material, PetscInt tets, wring_options *o)
{
  const double cells = PetscMax(1, (double)tets / 6);
  const double nx = fmax(1, round(cbrt(cells))), ny = fmax(1, round(sqrt(cells / nx)));
  const double nz = fmax(1, round(cells / (nx * ny)));

  PetscFunctionBegin;
  PetscCall(set(o, "mesh_box_cells", "%.0f,%.0f,%.0f", nx, ny, nz));
  PetscCall(set(o, "mesh_box_size", "1,%.17g,%.17g", ny / nx, nz / nx));
  PetscCall(set(o, "mesh_order", "%d", (int)b->order));
  PetscCall(set(o, "material_model", "%s", material));
  PetscCall(set(o, "material_density", "1000"));
  PetscCall(wring_law_set_example(wring_law_find(material), "material_", b->spline, o));
  PetscCall(set(o, "attach_xmin_hard", "true"));
  PetscCall(set(o, "gravity", "0,-9.81,0"));
  PetscCall(set(o, "time_step", "%.17g", b->h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Turned by up to half a radian about the axis of x, stretched, and with noise of a hundredth of an edge. */
static void place(const wring_mesh *m, PetscInt v, double *q)
{
  const double *const X     = m->X + 3 * v;
  const double        angle = 0.5 * X[0], c = cos(angle), s = sin(angle), edge = cbrt(6 / (double)m->n_tet_global);
  const double        noise = X[0] > 0 ? 0.01 * edge : 0;
  q[0] = 1.05 * X[0], q[1] = c * X[1] - s * X[2], q[2] = s * X[1] + c * X[2];
  for (int i = 0; i < 3; i++) q[i] += noise * (2 * wring_uniform((uint64_t)(3 * (int64_t)m->original[v] + i)) - 1);
}

static PetscErrorCode count(wring_bench_body *body)
{
  const wring_mesh *const m = body->p->mesh;
  Mat                     A = NULL;
  MatInfo                 info;

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrix(body->p->g, 1, &A));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatDestroy(&A));
  body->tets     = (double)m->n_tet_global;
  body->vertices = (double)m->n_global;
  body->local    = (double)m->n_local;
  body->entries  = info.nz_used;
  body->points   = wring_mesh_quadrature(m)->n;
  body->corners  = m->order == 2 ? 10 : 4;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &body->local, 1, MPI_DOUBLE, MPI_SUM, m->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_body_create(const wring_bench *b, const char *material, PetscInt tets,
                                       wring_bench_body *body)
{
  wring_problem *p;
  double        *q;
  PetscBool      changed;

  PetscFunctionBegin;
  PetscCall(wring_options_copy(b->o, "bench_", &body->o));
  PetscCall(set_options(b, material, tets, body->o));
  PetscCall(wring_problem_create(b->comm, body->o, &body->p));
  p = body->p;
  PetscCall(VecGetArray(p->state.q, &q));
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) place(p->mesh, v, q + 3 * v);
  PetscCall(VecRestoreArray(p->state.q, &q));
  PetscCall(wring_potential_create_vec(p->g, &body->x));
  PetscCall(wring_stepper_begin(p->stepper, &p->state, body->x, &changed));
  PetscCall(count(body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_body_destroy(wring_bench_body *body)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&body->x));
  PetscCall(wring_problem_destroy(&body->p));
  PetscCall(wring_options_destroy(&body->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}
