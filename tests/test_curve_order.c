/* The order along the Hilbert curve and the numbering of vertices, on which pieces of meshes depend. Fails if points
  that follow each other are not neighbours, if keys depend on how many are computed at a time, or if numbers that lie
  close together get other places than those that lie far apart. */
#include "check.h"
#include "mesh/distribute/slices.h"
#include "mesh/distribute/order.h"
#include "base/sort.h"

enum { SIDE = 8, POINTS = SIDE * SIDE * SIDE, TETS = 50 };

/* The centres of the cells of a cube: each step of the curve goes from a cell to one that shares a side with it. */
static void test_curve(void)
{
  static double X[POINTS][3];
  const double  low[3] = {0, 0, 0};
  const double  side   = SIDE;
  uint64_t      key[POINTS];
  PetscInt      order[POINTS];
  wring_hilbert h = wring_hilbert_begin(low, side, key);
  for (int i = 0; i < POINTS; i++) {
    X[i][0] = i % SIDE + 0.5;
    X[i][1] = i / SIDE % SIDE + 0.5;
    X[i][2] = i / SIDE / SIDE + 0.5;
    wring_hilbert_add(&h, X[i]);
  }
  wring_hilbert_end(&h);
  for (int i = 0; i < POINTS; i++) CHECK(key[i] == wring_hilbert_key(X[i], low, side), "key of point %d", i);
  PetscCallAbort(PETSC_COMM_SELF, wring_order_keys(POINTS, key, order));
  for (int i = 1; i < POINTS; i++) {
    double way = 0;
    for (int c = 0; c < 3; c++) way += PetscAbsReal(X[order[i]][c] - X[order[i - 1]][c]);
    CHECK(way == 1, "a step of %g cells after %d", way, i - 1);
  }
}

/* The last points of a number that no block of lanes divides; the mean of four points. */
static void test_rest(void)
{
  const double   X[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, mean[3] = {0.25, 0.25, 0.25};
  const PetscInt tet[4] = {3, 1, 0, 2};
  uint64_t       key[2] = {0, 7};
  wring_hilbert  h      = wring_hilbert_begin(X[0], 1, key);
  wring_hilbert_add_tet(&h, X[0], tet);
  wring_hilbert_end(&h);
  CHECK(key[0] == wring_hilbert_key(mean, X[0], 1) && key[1] == 7, "the mean of a tet");
}

/* The same tets with all numbers times `gap`, plus 3. */
static void test_places(PetscInt gap)
{
  PetscInt tet[4 * TETS], old[4 * TETS], n, *vertex;
  uint64_t state = 5;
  for (int i = 0; i < 4 * TETS; i++) old[i] = tet[i] = 3 + gap * (PetscInt)(30 * (1 + test_random(&state)));
  PetscCallAbort(PETSC_COMM_SELF, wring_slices_compact(TETS, tet, &n, &vertex));
  CHECK(n > 40 && n <= 60, "%d numbers", (int)n);
  for (PetscInt i = 1; i < n; i++) CHECK(vertex[i] > vertex[i - 1], "numbers ascend");
  for (int i = 0; i < 4 * TETS; i++) CHECK(vertex[tet[i]] == old[i], "entry %d", i);
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(vertex));
  PetscCallAbort(PETSC_COMM_SELF, wring_slices_compact(0, tet, &n, &vertex));
  CHECK(n == 0, "%d numbers of no tet", (int)n);
  PetscCallAbort(PETSC_COMM_SELF, PetscFree(vertex));
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  test_curve();
  test_rest();
  test_places(1);
  test_places(1000000);
  PetscCall(PetscFinalize());
  return 0;
}
