/* Second-order meshes that were read: the positions of middles, and tets that these fold. */
#include "refine.h"
#include "mesh/data.h"
#include <math.h>

PetscErrorCode wring_refine_curve(wring_refinement *r)
{
  const wring_mesh *const m = r->m;
  double                 *X;
  PetscBool               fits;

  PetscFunctionBegin;
  if (m->read.order < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(3 * (size_t)r->edge.n, &X));
  PetscCall(
    wring_edges_find_middles(&r->edge.all, m->number.n_global, &m->read.middles, r->edge.n, r->edge.key, X, &fits));
  for (size_t i = 0; fits && i < 3 * (size_t)r->edge.n; i++)
    if (!isnan(X[i])) r->point.X[3 * (size_t)m->n_local + i] = X[i];
  PetscCall(PetscFree(X));
  if (!fits) WRING_REFUSE(m->comm, "mesh: the table of vertices at middles of edges is not that of its tetrahedra");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the Jacobian is not positive at one of the corners and the four points of the quadrature of degree 2. */
static PetscBool is_folded(const wring_refinement *r, PetscInt e)
{
  PetscInt p[WRING_TET_POINTS];
  double   X[3 * WRING_TET_POINTS], volume;
  wring_refine_tet_points(r, e, p);
  for (int i = 0; i < 3 * WRING_TET_POINTS; i++) X[i] = r->point.X[3 * (size_t)p[i / 3] + (size_t)(i % 3)];
  return (PetscBool) !(wring_tet_least(X, wring_quadrature_of(4), &volume) > 0);
}

PetscErrorCode wring_refine_check_folded(const wring_refinement *r)
{
  const wring_mesh *const m     = r->m;
  PetscInt64              first = INT64_MAX, least, n = 0;
  PetscInt                worst = -1;
  wring_error             error = {""};

  PetscFunctionBegin;
  if (m->read.order < 2) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt e = 0; e < m->tets.n; e++) {
    if (!is_folded(r, e)) continue;
    n++;
    if (m->tets.original[e] > first) continue;
    first = m->tets.original[e];
    worst = e;
  }
  PetscCallMPI(MPI_Allreduce(&first, &least, 1, MPIU_INT64, MPI_MIN, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT64, MPI_SUM, m->comm));
  if (first == least && worst >= 0) {
    const double *const x = m->X + 3 * (size_t)m->tets.corner[4 * (size_t)worst];
    wring_error_set(&error,
                    "mesh_order: 2: %lld second-order tetrahedra are folded (their Jacobian is not positive), the "
                    "first with a corner at [%g, %g, %g], expected 0; mesh_order: 1 takes the corners alone",
                    (long long)n, x[0], x[1], x[2]);
  }
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
