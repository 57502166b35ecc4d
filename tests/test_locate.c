/* ranks: 1 2 4 */
/*
  Places of points in an irregular box: inside, at vertices and on faces of tetrahedra, at the surface, and outside,
  where the distance is known. Fails if no rank or two ranks have a point, if weights do not give the point back, if a
  tetrahedron with a lower number also contains it, or if distances or nearest points are wrong.
*/
#include "model.h"

/* The weights of a point in a tet, from volumes. */
static void weights(const wring_mesh *m, PetscInt e, const double *point, double w[4])
{
  const double *X[4], *Y[4];
  double        B[9], whole;
  for (int a = 0; a < 4; a++) X[a] = m->X + 3 * m->tets.corner[4 * e + a];
  wring_tet_rest(X[0], X[1], X[2], X[3], B, &whole);
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) Y[b] = b == a ? point : X[b];
    wring_tet_rest(Y[0], Y[1], Y[2], Y[3], B, &w[a]);
    w[a] /= whole;
  }
}

static PetscErrorCode check_inside(const wring_mesh *m, const double *point)
{
  wring_place place;
  PetscInt64  mine = -1, number, lower = 0;
  int         holders;
  double      w[4], x[3] = {0};

  PetscFunctionBegin;
  PetscCall(wring_mesh_locate(m, point, &place));
  CHECK(place.distance == 0, "[%g, %g, %g] is %g m outside", point[0], point[1], point[2], place.distance);
  holders = place.tet >= 0;
  if (holders) mine = m->tets.original[place.tet];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &holders, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(&mine, &number, 1, MPIU_INT64, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(holders == 1, "%d ranks have [%g, %g, %g]", holders, point[0], point[1], point[2]);
  for (int a = 0; a < 4 && place.tet >= 0; a++) {
    CHECK(place.weight[a] >= -1e-7, "a weight is %g", place.weight[a]);
    for (int c = 0; c < 3; c++) x[c] += place.weight[a] * m->X[3 * m->tets.corner[4 * place.tet + a] + c];
  }
  for (int c = 0; c < 3 && place.tet >= 0; c++)
    CHECK(fabs(x[c] - point[c]) <= 1e-14 * 4, "%g, expected %g", x[c], point[c]);
  for (PetscInt e = 0; e < m->tets.n; e++) {
    weights(m, e, point, w);
    lower += m->tets.original[e] < number && fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) >= -1e-12;
  }
  CHECK(lower == 0, "%d tetrahedra with lower numbers contain the point too", (int)lower);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_outside(const wring_mesh *m, const double *point, double distance, const double *nearest)
{
  wring_place place;

  PetscFunctionBegin;
  PetscCall(wring_mesh_locate(m, point, &place));
  CHECK(place.tet == -1 && fabs(place.distance - distance) <= 1e-14, "distance %g, expected %g", place.distance,
        distance);
  for (int c = 0; c < 3; c++)
    CHECK(fabs(place.nearest[c] - nearest[c]) <= 1e-14, "nearest %g, expected %g", place.nearest[c], nearest[c]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertex `original`, and the middles of an edge, of a face and of all of one of its tets; the same on all ranks. */
static PetscErrorCode check_shared(const wring_mesh *m, PetscInt original)
{
  double points[4][3] = {{0}};
  int    found        = 0, first;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  for (PetscInt i = 0; i < 4 * m->tets.n && !found; i++) {
    const PetscInt *const v = m->tets.corner + i / 4 * 4;
    if (m->number.original[v[i % 4]] != original) continue;
    found = 1;
    for (int k = 0; k < 4; k++)
      for (int a = 0; a <= k; a++)
        for (int c = 0; c < 3; c++) points[k][c] += m->X[3 * v[(i + a) % 4] + c] / (k + 1);
  }
  first = found ? rank : 1000;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  CHECK(first < 1000, "no tet has vertex %d", (int)original);
  PetscCallMPI(MPI_Bcast(points, 12, MPI_DOUBLE, first, PETSC_COMM_WORLD));
  for (int k = 0; k < 4; k++) PetscCall(check_inside(m, points[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt cells[3] = {5, 4, 3};
  uint64_t       state    = 1;
  wring_mesh    *m;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  m = test_box(PETSC_COMM_WORLD, cells);
  for (int i = 0; i < 50; i++) {
    double point[3];
    for (int c = 0; c < 3; c++) point[c] = (c == 0 ? 1 : 0.5) * (1 + test_random(&state));
    PetscCall(check_inside(m, point));
    point[1] = 0; // a side, and an edge of the box
    PetscCall(check_inside(m, point));
    point[2] = 1;
    PetscCall(check_inside(m, point));
  }
  for (PetscInt v = 0; v < m->number.n_global; v += 7) PetscCall(check_shared(m, v));
  PetscCall(check_outside(m, (double[]){1.3, 0.4, 1.25}, 0.25, (double[]){1.3, 0.4, 1}));
  PetscCall(check_outside(m, (double[]){2.3, 0.4, -0.4}, 0.5, (double[]){2, 0.4, 0}));
  PetscCall(check_outside(m, (double[]){-2, -1, 3}, 3, (double[]){0, 0, 1}));
  PetscCall(check_outside(m, (double[]){1.3, -1e-6, 0.5}, 1e-6, (double[]){1.3, 0, 0.5}));
  PetscCall(check_inside(m, (double[]){1.3, -1e-9, 0.5}));
  PetscCall(wring_mesh_refine(m, 1));
  PetscCall(check_inside(m, (double[]){1.3, 0.4, 0.25}));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(PetscFinalize());
  return 0;
}
