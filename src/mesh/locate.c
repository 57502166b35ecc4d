/* The tet that contains a point, or the nearest point of the tets. */
#include "data.h"
#include "mesh/surface/nearest.h"
#include <wring/mesh.h>
#include <math.h>

/* Distance of a point from the bounding box of a tet, a lower bound of its distance from the tet. */
static double box_distance(const wring_mesh *m, PetscInt e, const double point[3])
{
  const PetscInt *const v      = m->tet + 4 * (size_t)e;
  double                square = 0;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int a = 0; a < 4; a++) {
      low  = PetscMin(low, m->X[3 * v[a] + c]);
      high = PetscMax(high, m->X[3 * v[a] + c]);
    }
    const double d = PetscMax(PetscMax(low - point[c], point[c] - high), 0);
    square += d * d;
  }
  return sqrt(square);
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/*
  Barycentric weights by (3.1), and whether the point is at most `tolerance` outside of each face: weight a times the
  height of corner a, 1/|grad w_a|, is the distance from the face opposite to it.
*/
static PetscBool find_weights(const wring_mesh *m, PetscInt e, const double point[3], double tolerance, double w[4])
{
  const PetscInt *const v = m->tet + 4 * (size_t)e;
  const double         *X[4];
  double                B[12]  = {0}, volume, d[3];
  PetscBool             inside = PETSC_TRUE;
  for (int a = 0; a < 4; a++) X[a] = m->X + 3 * (size_t)v[a];
  wring_tet_rest(X[0], X[1], X[2], X[3], B, &volume);
  wring_subtract3(point, X[3], d);
  w[3] = 1;
  for (int a = 0; a < 3; a++) {
    w[a] = wring_dot3(B + 3 * a, d);
    w[3] -= w[a];
    for (int c = 0; c < 3; c++) B[9 + c] -= B[3 * a + c];
  }
  for (int a = 0; a < 4; a++) {
    const double slope = sqrt(wring_dot3(B + 3 * a, B + 3 * a));
    if (!(w[a] >= -tolerance * slope)) inside = PETSC_FALSE;
  }
  return inside;
}

/*
  Barycentric coordinates of a point in a second-order tet, by Newton's method from those in its straight tet, which are
  exact if its edges are straight.
*/
static void curve_weights(const wring_mesh *m, PetscInt e, const double point[3], double L[4])
{
  PetscInt  v[10];
  const int n = wring_tet_vertices(m, e, v);
  for (int k = 0; k < 8; k++) {
    double N[10], B[9], volume, gap[3];
    wring_tet_shape(n, L, N);
    wring_tet_rest_at(m, e, L, B, &volume);
    for (int c = 0; c < 3; c++) {
      gap[c] = point[c];
      for (int a = 0; a < n; a++) gap[c] -= N[a] * m->X[3 * (size_t)v[a] + (size_t)c];
    }
    for (int a = 0; a < 3; a++) L[a] += wring_dot3(B + 3 * a, gap);
    L[3] = 1 - L[0] - L[1] - L[2];
  }
}

/* The tet with the lowest original number that contains the point, on the rank that has it. */
static PetscErrorCode find_tet(const wring_mesh *m, const double point[3], wring_place *place, PetscBool *found)
{
  PetscInt64 best      = INT64_MAX, least;
  double     tolerance = 0, low[3], high[3], w[4];

  PetscFunctionBegin;
  PetscCall(wring_mesh_tolerance(m, &tolerance, low, high));
  for (PetscInt e = 0; e < m->n_tet; e++) {
    if (box_distance(m, e, point) > 2 * tolerance || m->tet_original[e] >= best) continue;
    if (!find_weights(m, e, point, tolerance, w)) continue;
    best       = m->tet_original[e];
    place->tet = e;
  }
  PetscCallMPI(MPI_Allreduce(&best, &least, 1, MPIU_INT64, MPI_MIN, m->comm));
  *found = (PetscBool)(least < INT64_MAX);
  if (best > least) place->tet = -1;
  if (place->tet >= 0) find_weights(m, place->tet, point, tolerance, place->weight);
  if (place->tet >= 0 && m->order > 1) curve_weights(m, place->tet, point, place->weight);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- outside ----------------------------------------------------------------------------------------------------- */

/* Replaces the nearest point by that of a tet which does not contain the point, if that is nearer. */
static void approach(const wring_mesh *m, PetscInt e, const double point[3], wring_place *place)
{
  static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  for (int f = 0; f < 4; f++) {
    const double *X[3];
    double        ab[3], ac[3], ap[3], w[3], r[3];
    for (int a = 0; a < 3; a++) X[a] = m->X + 3 * (size_t)m->tet[4 * (size_t)e + (size_t)face[f][a]];
    wring_subtract3(X[1], X[0], ab);
    wring_subtract3(X[2], X[0], ac);
    wring_subtract3(point, X[0], ap);
    wring_nearest_weights(ab, ac, ap, w);
    for (int c = 0; c < 3; c++) r[c] = ap[c] - w[1] * ab[c] - w[2] * ac[c];
    const double distance = sqrt(wring_dot3(r, r));
    if (distance >= place->distance) continue;
    place->distance = distance;
    wring_subtract3(point, r, place->nearest);
  }
}

/* The nearest point of the tets of all ranks. */
static PetscErrorCode find_nearest(const wring_mesh *m, const double point[3], wring_place *place)
{
  struct {
    double distance;
    int    rank;
  } nearest;
  PetscMPIInt rank;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->n_tet; e++) {
    if (box_distance(m, e, point) < place->distance) approach(m, e, point, place);
  }
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  nearest.distance = place->distance;
  nearest.rank     = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &nearest, 1, MPI_DOUBLE_INT, MPI_MINLOC, m->comm));
  PetscCallMPI(MPI_Bcast(place->nearest, 3, MPI_DOUBLE, nearest.rank, m->comm));
  place->distance = nearest.distance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_locate(const wring_mesh *m, const double point[3], wring_place *place)
{
  PetscBool found;

  PetscFunctionBegin;
  *place = (wring_place){.tet = -1, .distance = INFINITY};
  PetscCall(find_tet(m, point, place, &found));
  if (found)
    place->distance = 0;
  else
    PetscCall(find_nearest(m, point, place));
  PetscFunctionReturn(PETSC_SUCCESS);
}
