/* The tet that contains a point, or the nearest point of the tets. */
#include "data.h"
#include "mesh/surface/nearest.h"
#include "mesh/tet.h"
#include <math.h>
#include <string.h>

/*
  Distance of a point from a box around a tet, a lower bound of its distance from the tet. A quadratic tet lies in the
  convex hull of its Bezier points: the corners, and 2 X_mid - (X_a + X_b)/2 of each edge.
*/
static double box_distance(const wring_mesh *m, PetscInt e, const double point[3])
{
  PetscInt  v[10];
  const int n      = wring_tet_vertices(m, e, v);
  double    square = 0;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY, X[10];
    for (int a = 0; a < n; a++) X[a] = m->X[3 * (size_t)v[a] + (size_t)c];
    for (int a = 4; a < n; a++) X[a] = 2 * X[a] - 0.5 * (X[wring_tet_edge[a - 4][0]] + X[wring_tet_edge[a - 4][1]]);
    for (int a = 0; a < n; a++) {
      low  = PetscMin(low, X[a]);
      high = PetscMax(high, X[a]);
    }
    const double d = PetscMax(PetscMax(low - point[c], point[c] - high), 0);
    square += d * d;
  }
  return sqrt(square);
}

static void find_position(const wring_mesh *m, PetscInt e, const double L[4], double X[3])
{
  PetscInt  v[10];
  const int n = wring_tet_vertices(m, e, v);
  double    N[10];
  wring_tet_shape(n, L, N);
  for (int c = 0; c < 3; c++) {
    X[c] = 0;
    for (int a = 0; a < n; a++) X[c] += N[a] * m->X[3 * (size_t)v[a] + (size_t)c];
  }
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/*
  Whether the point with weights w is at most `tolerance` outside of each face: weight a times the height of corner a,
  1/|grad w_a|, is the distance from the face opposite to it. B [12]: grad w_a, of which the last row is computed here.
*/
static PetscBool is_inside(double B[12], const double w[4], double tolerance)
{
  for (int c = 0; c < 3; c++) B[9 + c] = -B[c] - B[3 + c] - B[6 + c];
  for (int a = 0; a < 4; a++)
    if (!(w[a] >= -tolerance * sqrt(wring_dot3(B + 3 * a, B + 3 * a)))) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Barycentric weights by (3.1), and whether the point is inside. */
static PetscBool find_weights(const wring_mesh *m, PetscInt e, const double point[3], double tolerance, double w[4])
{
  const PetscInt *const v = m->tets.corner + 4 * (size_t)e;
  const double         *X[4];
  double                B[12], volume, d[3];
  for (int a = 0; a < 4; a++) X[a] = m->X + 3 * (size_t)v[a];
  wring_tet_rest(X[0], X[1], X[2], X[3], B, &volume);
  wring_subtract3(point, X[3], d);
  w[3] = 1;
  for (int a = 0; a < 3; a++) {
    w[a] = wring_dot3(B + 3 * a, d);
    w[3] -= w[a];
  }
  return is_inside(B, w, tolerance);
}

/* gap = point - X(L) in a second-order tet; returns its length. */
static double find_gap(const wring_mesh *m, PetscInt e, const double point[3], const double L[4], double gap[3])
{
  double X[3];
  find_position(m, e, L, X);
  wring_subtract3(point, X, gap);
  return sqrt(wring_dot3(gap, gap));
}

/* Halves the step from L until the gap becomes smaller; false: it does not, as at round-off. */
static PetscBool step_towards(const wring_mesh *m, PetscInt e, const double point[3], const double step[3], double L[4],
                              double gap[3], double *size)
{
  for (double t = 1; t > 1e-3; t *= 0.5) {
    double next[4] = {L[0] + t * step[0], L[1] + t * step[1], L[2] + t * step[2], 0}, rest[3];
    next[3]        = 1 - next[0] - next[1] - next[2];
    const double d = find_gap(m, e, point, next, rest);
    if (!(d < *size)) continue;
    for (int a = 0; a < 4; a++) L[a] = next[a];
    for (int c = 0; c < 3; c++) gap[c] = rest[c];
    *size = d;
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
  The same as find_weights in a second-order tet, by Newton's method for X(L) = point from the centroid. Points that it
  does not reach, because X(L) folds on the way there, are not in the tet, whose Jacobian is positive.
*/
static PetscBool find_curved_weights(const wring_mesh *m, PetscInt e, const double point[3], double tolerance,
                                     double L[4])
{
  enum { STEPS = 50 };
  double B[12] = {0}, gap[3], step[3], volume;
  for (int a = 0; a < 4; a++) L[a] = 0.25;
  double size = find_gap(m, e, point, L, gap);
  for (int k = 0; k < STEPS; k++) {
    wring_tet_rest_at(m, e, L, B, &volume);
    if (!(volume > 0)) return PETSC_FALSE;
    for (int a = 0; a < 3; a++) step[a] = wring_dot3(B + 3 * a, gap);
    if (!step_towards(m, e, point, step, L, gap, &size)) break;
  }
  return (PetscBool)(size <= tolerance && is_inside(B, L, tolerance));
}

static PetscBool contains(const wring_mesh *m, PetscInt e, const double point[3], double tolerance, double w[4])
{
  return m->tets.order > 1 ? find_curved_weights(m, e, point, tolerance, w) : find_weights(m, e, point, tolerance, w);
}

/* The tet with the lowest original number that contains the point, on the rank that has it. */
static PetscErrorCode find_tet(const wring_mesh *m, const double point[3], wring_place *place, PetscBool *found)
{
  PetscInt64 best      = INT64_MAX, least;
  double     tolerance = 0, low[3], high[3], w[4];

  PetscFunctionBegin;
  PetscCall(wring_mesh_tolerance(m, &tolerance, low, high));
  for (PetscInt e = 0; e < m->tets.n; e++) {
    if (box_distance(m, e, point) > 2 * tolerance || m->tets.original[e] >= best) continue;
    if (!contains(m, e, point, tolerance, w)) continue;
    best       = m->tets.original[e];
    place->tet = e;
  }
  PetscCallMPI(MPI_Allreduce(&best, &least, 1, MPIU_INT64, MPI_MIN, m->comm));
  *found = (PetscBool)(least < INT64_MAX);
  if (best > least) place->tet = -1;
  if (place->tet >= 0) contains(m, place->tet, point, tolerance, place->weight);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- outside ----------------------------------------------------------------------------------------------------- */

/* The point nearest to a flat part of a face, w [3][4] its corners in the tet, then on the face that may be curved. */
static void approach_part(const wring_mesh *m, PetscInt e, double w[3][4], const double point[3], wring_place *place)
{
  double X[3][3], ab[3], ac[3], ap[3], at[3], L[4], nearest[3];
  for (int k = 0; k < 3; k++) find_position(m, e, w[k], X[k]);
  wring_subtract3(X[1], X[0], ab);
  wring_subtract3(X[2], X[0], ac);
  wring_subtract3(point, X[0], ap);
  wring_nearest_weights(ab, ac, ap, at);
  for (int a = 0; a < 4; a++) L[a] = at[0] * w[0][a] + at[1] * w[1][a] + at[2] * w[2][a];
  find_position(m, e, L, nearest);
  const double distance = wring_distance3(point, nearest);
  if (distance >= place->distance) return;
  place->distance = distance;
  memcpy(place->nearest, nearest, sizeof nearest);
}

/* Replaces the nearest point by that of a tet which does not contain the point, if that is nearer. */
static void approach(const wring_mesh *m, PetscInt e, const double point[3], wring_place *place)
{
  static const int whole[3] = {0, 1, 2};
  for (int f = 0; f < 4; f++) {
    double w[6][4] = {{0}}, part[3][4];
    for (int a = 0; a < 3; a++) {
      w[a][wring_face_corner[f][a]]     = 1;
      w[3 + a][wring_face_corner[f][a]] = w[3 + a][wring_face_corner[f][(a + 1) % 3]] = 0.5;
    }
    for (int k = 0; k < (m->tets.order > 1 ? 4 : 1); k++) {
      const int *const cut = m->tets.order > 1 ? wring_triangle_part[k] : whole;
      for (int a = 0; a < 3; a++) memcpy(part[a], w[cut[a]], sizeof part[a]);
      approach_part(m, e, part, point, place);
    }
  }
}

/* The nearest point of the tets of all ranks. */
static PetscErrorCode find_nearest(const wring_mesh *m, const double point[3], wring_place *place)
{
  struct {
    double distance;
    int    rank;
  } nearest;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->tets.n; e++)
    if (box_distance(m, e, point) < place->distance) approach(m, e, point, place);
  nearest.distance = place->distance;
  nearest.rank     = wring_comm_rank(m->comm);
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
