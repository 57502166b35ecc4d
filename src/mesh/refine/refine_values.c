/*
  Values of vertices on a refined mesh: old vertices keep theirs, a midpoint has the mean of the ends of its edge, or
  the value of the quadratic function of the second-order tet that contains it.
*/
#include "refine.h"
#include "base/sort.h"

PetscErrorCode wring_mesh_update_ghosts(const wring_mesh *m, int width, double *value)
{
  MPI_Datatype unit = MPI_DOUBLE;

  PetscFunctionBegin;
  if (width > 1) { // PetscSF would keep the buffers of a type of one number for MPI_DOUBLE, and cannot add these up
    PetscCallMPI(MPI_Type_contiguous(width, MPI_DOUBLE, &unit));
    PetscCallMPI(MPI_Type_commit(&unit));
  }
  PetscCall(PetscSFBcastBegin(m->forest.halo, unit, value, value, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, unit, value, value, MPI_REPLACE));
  if (width > 1) PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* point [point.n][width], of which the local vertices have been set. */
static void interpolate(const wring_refinement *r, double *point)
{
  const size_t width = (size_t)r->value.width;
  double *const new  = point + width *(size_t)r->m->n_local;
  for (size_t j = 0; j < (size_t)r->edge.n; j++) {
    const double *const a = point + width * (size_t)r->edge.end[2 * j];
    const double *const b = point + width * (size_t)r->edge.end[2 * j + 1];
    for (size_t c = 0; c < width; c++) new[width * j + c] = 0.5 * (a[c] + b[c]);
  }
}

/*
  Point i of a second-order tet is in the middle of two of its corners, of which 0 to 3 are the same; its child c has at
  corner a that of (c, a).
*/
static int end_of(int i, int end)
{
  return i < 4 ? i : wring_tet_edge[i - 4][end];
}

/* Twice the barycentric coordinates of local vertex `one`, of v [10]. */
static void find_place(const PetscInt v[10], PetscInt one, double place[4])
{
  int i = 0;
  while (v[i] != one) i++;
  for (int a = 0; a < 4; a++) place[a] = (double)((a == end_of(i, 0)) + (a == end_of(i, 1)));
}

/* The midpoints of the edges of a child, from the values of the ten vertices. */
static void interpolate_child(const wring_refinement *r, PetscInt child, const PetscInt v[10], double *point)
{
  const size_t width = (size_t)r->value.width;
  double       place[4][4], L[4], N[10];
  for (int a = 0; a < 4; a++) find_place(v, r->m->tets.corner[4 * child + a], place[a]);
  for (int k = 0; k < 6; k++) {
    double *const new = point + width *(size_t)(r->m->n_local + r->edge.of_tet[6 * child + k]);
    for (int a = 0; a < 4; a++) L[a] = 0.25 * (place[wring_tet_edge[k][0]][a] + place[wring_tet_edge[k][1]][a]);
    wring_tet_shape(10, L, N);
    for (size_t c = 0; c < width; c++) {
      new[c] = 0;
      for (int i = 0; i < 10; i++) new[c] += N[i] * point[width * (size_t)v[i] + c];
    }
  }
}

/* Numbers 8 t to 8 t + 7 are the children of t, all on this rank. */
static PetscErrorCode interpolate_tets(const wring_refinement *r, double *point)
{
  const wring_mesh *const m = r->m;
  PetscInt               *tet, v[10];
  uint64_t               *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)m->tets.n, &tet, (size_t)m->tets.n, &key));
  for (PetscInt e = 0; e < m->tets.n; e++) key[e] = (uint64_t)m->tets.original[e];
  PetscCall(wring_order_keys(m->tets.n, key, tet));
  for (PetscInt i = 0; i < m->tets.n; i++) {
    for (int k = 0; k < 10 && i % 8 == 0; k++) v[k] = m->tets.corner[4 * tet[i + end_of(k, 0)] + end_of(k, 1)];
    interpolate_child(r, tet[i], v, point);
  }
  PetscCall(PetscFree2(tet, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode wring_refine_values(wring_refinement *r)
{
  const wring_mesh *const m     = r->m;
  const size_t            width = (size_t)r->value.width;
  double                 *point;

  PetscFunctionBegin;
  if (!width) PetscFunctionReturn(PETSC_SUCCESS); // a rank without vertices may have no rows
  PetscCall(PetscMalloc1(width * (size_t)r->point.n, &point));
  PetscCall(PetscArraycpy(point, r->value.row, width * (size_t)m->n_owned));
  PetscCall(wring_mesh_update_ghosts(m, r->value.width, point));
  interpolate(r, point);
  if (r->children == 1) PetscCall(interpolate_tets(r, point));
  PetscCall(PetscRealloc(width * (size_t)r->point.n_owned * sizeof *point, &r->value.row));
  for (size_t i = 0; i < (size_t)r->point.n_owned; i++)
    PetscCall(PetscArraycpy(r->value.row + width * i, point + width * (size_t)r->point.owned[i], width));
  PetscCall(PetscFree(point));
  PetscFunctionReturn(PETSC_SUCCESS);
}
