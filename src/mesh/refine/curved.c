/* Second-order meshes that were read: the positions of middles, their sets, and tets that these fold. */
#include "refine.h"
#include "base/exchange.h"
#include "mesh/distribute/halo.h"
#include <math.h>

/* ---- positions --------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_refine_curve(wring_refinement *r)
{
  const wring_mesh *const m = r->m;
  double                 *X, *got;
  PetscBool               fits;

  PetscFunctionBegin;
  if (m->order_read < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(3 * (size_t)r->edges.n, &X, 3 * (size_t)r->n_edge, &got));
  PetscCall(wring_edges_place(&r->edges, m->n_global, &m->middles, X, &fits));
  if (!fits) WRING_REFUSE(m->comm, "mesh: the table of vertices at middles of edges is not that of its tetrahedra");
  PetscCall(wring_edges_fetch(&r->edges, r->n_edge, r->key, X, got));
  for (size_t i = 0; i < 3 * (size_t)r->n_edge; i++)
    if (!isnan(got[i])) r->X[3 * (size_t)m->n_local + i] = got[i];
  PetscCall(PetscFree2(X, got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_refine_add_members(const wring_mesh *m, const wring_middles *t, wring_members *s)
{
  PetscInt *owner, *got, n_got;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)t->n_member, &owner));
  for (PetscInt i = 0; i < t->n_member; i++) owner[i] = t->member[2 * (size_t)i + 1];
  PetscCall(wring_mesh_find_owners(m, t->n_member, owner));
  PetscCall(wring_exchange_rows(m->comm, t->n_member, owner, 2 * sizeof *got, t->member, &n_got, &got));
  PetscCall(PetscFree(owner));
  PetscCall(PetscRealloc(2 * (size_t)(s->n + n_got) * sizeof *s->member, &s->member));
  PetscCall(PetscArraycpy(s->member + 2 * (size_t)s->n, got, 2 * (size_t)n_got));
  s->n += n_got;
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- folded tets ------------------------------------------------------------------------------------------------- */

/* det dX/dL at a point with barycentric coordinates L of a tet of ten points, which is 6 V if it is straight. */
static double jacobian(const double *const x[WRING_REFINE_POINTS], const double L[4])
{
  static const int end[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  double           d[4][3];
  for (int a = 0; a < 4; a++)
    for (int c = 0; c < 3; c++) d[a][c] = (4 * L[a] - 1) * x[a][c];
  for (int k = 0; k < 6; k++) {
    for (int c = 0; c < 3; c++) {
      d[end[k][0]][c] += 4 * L[end[k][1]] * x[4 + k][c];
      d[end[k][1]][c] += 4 * L[end[k][0]] * x[4 + k][c];
    }
  }
  for (int a = 1; a < 4; a++)
    for (int c = 0; c < 3; c++) d[a][c] -= d[0][c];
  return d[1][0] * (d[2][1] * d[3][2] - d[2][2] * d[3][1]) + d[1][1] * (d[2][2] * d[3][0] - d[2][0] * d[3][2]) +
         d[1][2] * (d[2][0] * d[3][1] - d[2][1] * d[3][0]);
}

/* The least Jacobian at the corners and the four points of the quadrature of degree 2. */
static double least_jacobian(const wring_refinement *r, PetscInt e)
{
  const double  far = (5 - sqrt(5)) / 20; // the other coordinate is 1 - 3 far
  const double *x[WRING_REFINE_POINTS];
  PetscInt      p[WRING_REFINE_POINTS];
  double        least = INFINITY;
  wring_refine_tet_points(r, e, p);
  for (int a = 0; a < WRING_REFINE_POINTS; a++) x[a] = r->X + 3 * (size_t)p[a];
  for (int k = 0; k < 8; k++) {
    double L[4];
    for (int a = 0; a < 4; a++) L[a] = k < 4 ? a == k : a == k - 4 ? 1 - 3 * far : far;
    least = fmin(least, jacobian(x, L));
  }
  return least;
}

PetscErrorCode wring_refine_check_folded(const wring_refinement *r)
{
  const wring_mesh *const m     = r->m;
  PetscInt64              first = INT64_MAX, least, n = 0;
  PetscInt                worst = -1;
  wring_error             error = {""};

  PetscFunctionBegin;
  if (m->order_read < 2) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt e = 0; e < m->n_tet; e++) {
    if (least_jacobian(r, e) > 0) continue;
    n++;
    if (m->tet_original[e] > first) continue;
    first = m->tet_original[e];
    worst = e;
  }
  PetscCallMPI(MPI_Allreduce(&first, &least, 1, MPIU_INT64, MPI_MIN, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT64, MPI_SUM, m->comm));
  if (first == least && worst >= 0) {
    const double *const x = m->X + 3 * (size_t)m->tet[4 * (size_t)worst];
    char                text[128]; // PETSc prints 1 as "1."
    snprintf(text, sizeof text, "[%g, %g, %g]", x[0], x[1], x[2]);
    wring_error_set(
      &error,
      "mesh_order: 2: %lld second-order tetrahedra are folded (their Jacobian is not positive), the first "
      "with a corner at %s, expected 0; mesh_order: 1 takes the corners alone",
      (long long)n, text);
  }
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
