/* ranks: 1 2 3 */
/*
  Second-order tets: shape functions, rules of quadrature, masses, the patch test, exact energies, places of points, and
  the derivatives of every law on curved elements. Fails if a shape function or its derivative belongs to another
  vertex, a point has the weight or the Jacobian of another, or a sum at a vertex lacks a point.
*/
#include "body.h"

/* ---- shape functions and rules ----------------------------------------------------------------------------------- */

static double power(double x, int n)
{
  return n > 0 ? x * power(x, n - 1) : 1;
}

/* The mean of L_0^a L_1^b L_2^c over a tet: 6 a! b! c!/(a + b + c + 3)!. */
static double mean_of(int a, int b, int c)
{
  return 6 * tgamma(a + 1) * tgamma(b + 1) * tgamma(c + 1) / tgamma(a + b + c + 4);
}

/* Fails if a rule does not integrate the polynomials of its degree. */
static void test_rule(int points, int degree)
{
  const wring_quadrature *const rule = wring_quadrature_of(points);
  for (int i = 0; i < 1000; i++) {
    const int a = i / 100, b = i / 10 % 10, c = i % 10;
    double    sum = 0;
    if (a + b + c > degree) continue;
    for (int p = 0; p < rule->n; p++)
      sum += rule->weight[p] * power(rule->L[p][0], a) * power(rule->L[p][1], b) * power(rule->L[p][2], c);
    CHECK(fabs(sum - mean_of(a, b, c)) <= 1e-15, "%d points: the mean of L^(%d %d %d) is %.17g", points, a, b, c, sum);
  }
}

/* Fails if a shape function is not 1 at its vertex and 0 at the others, or a derivative is not that of the function. */
static void test_shapes(void)
{
  static const double vertex[10][4] = {{1, 0, 0, 0},   {0, 1, 0, 0},   {0, 0, 1, 0},   {0, 0, 0, 1},   {.5, .5, 0, 0},
                                       {0, .5, .5, 0}, {.5, 0, .5, 0}, {.5, 0, 0, .5}, {0, .5, 0, .5}, {0, 0, .5, .5}};
  const double        at[4] = {0.2, 0.3, 0.1, 0.4}, eps = 1e-6;
  double              N[10], up[10], down[10], dN[10][3];
  for (int v = 0; v < 10; v++) {
    wring_tet_shape(10, vertex[v], N);
    for (int a = 0; a < 10; a++) CHECK(N[a] == (a == v), "N_%d is %g at vertex %d", a, N[a], v);
  }
  wring_tet_shape_gradients(10, at, dN);
  for (int k = 0; k < 3; k++) {
    double more[4], less[4];
    for (int i = 0; i < 4; i++) {
      more[i] = at[i] + (i == k) * eps - (i == 3) * eps;
      less[i] = at[i] - (i == k) * eps + (i == 3) * eps;
    }
    wring_tet_shape(10, more, up);
    wring_tet_shape(10, less, down);
    for (int a = 0; a < 10; a++)
      CHECK(fabs((up[a] - down[a]) / (2 * eps) - dN[a][k]) <= 1e-9, "dN_%d/dL_%d is %g", a, k, dN[a][k]);
  }
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* Sums over all ranks. */
static double sum_of(double x)
{
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return x;
}

/* Fails if masses are not positive, or if their sum is not that of the body. */
static PetscErrorCode test_lumped_masses(const char *source)
{
  const double density[1] = {1000};
  double       least = INFINITY, whole = 0, volume = 0, *mass;
  test_body    b;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, source, &wring_law_neohookean, 0.01, 0, &b));
  PetscCall(PetscMalloc1(b.mesh->n_owned, &mass));
  PetscCall(wring_mesh_lump_masses(b.mesh, WRING_MASS_DIAGONAL, density, NULL, mass));
  for (PetscInt i = 0; i < b.mesh->n_owned; i++) {
    least = fmin(least, mass[i]);
    whole += mass[i];
  }
  for (PetscInt e = 0; e < b.mesh->tets.n; e++) volume += wring_tet_volume(b.mesh, e);
  CHECK(least > 0, "a mass is %g", least);
  whole = sum_of(whole), volume = sum_of(volume);
  CHECK(fabs(whole - 1000 * volume) <= 1e-12 * whole, "the masses are %.15g, not %.15g", whole, 1000 * volume);
  CHECK(fabs(volume - 2) > 1e-6, "the edges are not curved");
  PetscCall(PetscFree(mass));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if dx/dL is not sum_a x_a dN_a/dL at points of curved tets, which lie far from 0. */
static PetscErrorCode test_jacobians(const char *source)
{
  const wring_quadrature *const rule = wring_quadrature_of(14);
  double                        D[9], dN[10][3];
  PetscInt                      v[10];
  test_body                     b;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, source, &wring_law_neohookean, 0.01, 0, &b));
  const wring_mesh *const m = b.mesh;
  for (PetscInt i = 0; i < 3 * m->n_local; i++) m->X[i] += 4;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const int n = wring_tet_vertices(m, e, v);
    for (int p = 0; p < rule->n; p++) {
      wring_tet_shape_gradients(n, rule->L[p], dN);
      wring_tet_jacobian(m, e, m->X, rule->L[p], D);
      for (int i = 0; i < 9; i++) {
        double sum = 0;
        for (int a = 0; a < n; a++) sum += m->X[3 * v[a] + i / 3] * dN[a][i % 3];
        CHECK(fabs(D[i] - sum) <= 1e-13, "tet %d, point %d: D[%d] is %.15g, not %.15g", (int)e, p, i, D[i], sum);
      }
    }
  }
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef void field(const double X[3], double x[3]);

static void affine(const double X[3], double x[3])
{
  x[0] = 1.1 * X[0] + 0.2 * X[1] - 0.1 * X[2] + 3, x[1] = 0.1 * X[0] + 0.9 * X[1], x[2] = 1.2 * X[2] - 0.3 * X[1] - 1;
}

static void curve(const double X[3], double x[3])
{
  x[0] = X[0] + 0.1 * X[0] * X[1];
  x[1] = X[1] - 0.1 * X[2] * X[2] + 0.05 * X[0] * X[0];
  x[2] = X[2] + 0.1 * X[0] * X[1];
}

static PetscErrorCode place(const wring_mesh *m, field *f, Vec x)
{
  double *a;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = 0; i < m->n_owned; i++) f(m->X + 3 * i, a + 3 * i);
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The volume of the quadrature points. */
static double volume_of(const wring_mesh *m)
{
  const wring_quadrature *const rule = wring_mesh_quadrature(m);
  double                        B[9], at, volume = 0;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    for (int p = 0; p < rule->n; p++) {
      wring_tet_rest_at(m, e, rule->L[p], B, &at);
      volume += rule->weight[p] * at;
    }
  }
  return sum_of(volume);
}

/* The largest force on a vertex inside the body, relative to the largest of all. */
static PetscErrorCode force_inside(const test_body *b, Vec f, double *inside)
{
  const double *a;
  double        size;

  PetscFunctionBegin;
  *inside = 0;
  PetscCall(VecNorm(f, NORM_INFINITY, &size));
  PetscCall(VecGetArrayRead(f, &a));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) {
    const double *const X     = b->mesh->X + 3 * (i / 3);
    const double        least = fmin(fmin(X[0], X[1]), X[2]), most = fmax(X[0] / 2, fmax(X[1], X[2]));
    if (least > 0.02 && most < 0.98) *inside = fmax(*inside, fabs(a[i]) / size);
  }
  PetscCall(VecRestoreArrayRead(f, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The energy of a constant deformation, for every volume; the forces inside, if it has order 2. */
static PetscErrorCode deform(const char *source, double *density, double *inside)
{
  test_body   b;
  Vec         f;
  wring_value v;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, source, &wring_law_neohookean, 1e6, 0, &b));
  PetscCall(place(b.mesh, affine, b.x));
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(VecDuplicate(b.x, &f));
  PetscCall(wring_potential_fused(b.g, b.x, &v, f));
  *density = v.elastic / volume_of(b.mesh);
  PetscCall(force_inside(&b, f, inside));
  PetscCall(VecDestroy(&f));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A constant deformation has the energy of its volume, and no forces inside: with straight edges, and with curved ones
  if the rule is exact for the Jacobian's cofactors times the derivatives, which four points are not.
*/
static PetscErrorCode test_patch(const char *source)
{
  static const struct {
    int    order, points;
    double curved;
  } cases[] = {{1, 0, 0}, {2, 4, 0}, {2, 14, 0}, {2, 14, 0.01}};
  double density[4], inside = 0;

  PetscFunctionBegin;
  for (int i = 0; i < 4; i++) {
    test_mesh_order = cases[i].order, test_mesh_points = cases[i].points, test_mesh_curved = cases[i].curved;
    PetscCall(deform(source, &density[i], &inside));
    CHECK(inside <= 1e-11, "order %d, %d points: a force inside is %g of the largest", test_mesh_order,
          test_mesh_points, inside);
    CHECK(fabs(density[i] - density[0]) <= 1e-12 * density[0], "order %d, %d points: %.15g J/m^3, not %.15g",
          test_mesh_order, test_mesh_points, density[i], density[0]);
  }
  test_mesh_order = 2, test_mesh_points = 0, test_mesh_curved = 0.01;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The energy of stvk under a quadratic map, on a box of cells along y and z. */
static PetscErrorCode energy_of(PetscInt cells, double *energy)
{
  const double     par[2] = {1e5, 2e5};
  wring_mesh      *m      = test_box(PETSC_COMM_WORLD, (const PetscInt[3]){2 * cells, cells, cells});
  wring_potential *g      = test_potential(m, &wring_law_stvk, par);
  Vec              x;
  wring_value      v;

  PetscFunctionBegin;
  PetscCall(wring_potential_set_step(g, 1e6));
  PetscCall(wring_potential_create_vec(g, &x));
  PetscCall(place(m, curve, x));
  PetscCall(wring_potential_set_target(g, x));
  PetscCall(wring_potential_value(g, x, &v));
  *energy = v.elastic;
  PetscCall(VecDestroy(&x));
  PetscCall(wring_potential_destroy(&g));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With straight edges, F of a quadratic map is linear in every tet and stvk's energy a quartic, which 14 points
  integrate exactly: every mesh has the same energy.
*/
static PetscErrorCode test_exact(void)
{
  double coarse, fine;

  PetscFunctionBegin;
  test_mesh_points = 14, test_mesh_curved = 0;
  PetscCall(energy_of(1, &coarse));
  PetscCall(energy_of(3, &fine));
  CHECK(fabs(coarse - fine) <= 1e-12 * fine, "a quadratic map has the energy %.15g or %.15g", coarse, fine);
  test_mesh_points = 0, test_mesh_curved = 0.01;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The point with coordinates L in the tet with this original number, on all ranks. */
static PetscErrorCode point_of(const wring_mesh *m, PetscInt64 number, const double L[4], double point[3])
{
  double   N[10], sum[3] = {0};
  PetscInt v[10];

  PetscFunctionBegin;
  wring_tet_shape(10, L, N);
  for (PetscInt e = 0; e < m->tets.n; e++) {
    if (m->tets.original[e] != number) continue;
    wring_tet_vertices(m, e, v);
    for (int a = 0; a < 10; a++)
      for (int c = 0; c < 3; c++) sum[c] += N[a] * m->X[3 * v[a] + c];
  }
  PetscCallMPI(MPI_Allreduce(sum, point, 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails unless one rank has the point, in tet `number` (-1: any), with coordinates that give it back. */
static PetscErrorCode check_place(const wring_mesh *m, const double point[3], PetscInt64 number)
{
  wring_place place;
  PetscInt    v[10];
  double      N[10], x[3] = {0};

  PetscFunctionBegin;
  PetscCall(wring_mesh_locate(m, point, &place));
  int holders = place.tet >= 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &holders, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(holders == 1 && place.distance == 0, "%d ranks have a point, %g m outside", holders, place.distance);
  if (place.tet < 0) PetscFunctionReturn(PETSC_SUCCESS);
  CHECK(number < 0 || m->tets.original[place.tet] == number, "tet %d has a point of tet %d",
        (int)m->tets.original[place.tet], (int)number);
  const int n = wring_tet_vertices(m, place.tet, v);
  wring_tet_shape(n, place.weight, N);
  for (int c = 0; c < 3; c++) {
    for (int a = 0; a < n; a++) x[c] += N[a] * m->X[3 * v[a] + c];
    CHECK(fabs(x[c] - point[c]) <= 1e-13, "a point is off by %g", x[c] - point[c]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A point outside: `nearest` is at that distance, and a point of the body. */
static PetscErrorCode check_nearest(const wring_mesh *m, const double point[3])
{
  wring_place place;

  PetscFunctionBegin;
  PetscCall(wring_mesh_locate(m, point, &place));
  const double *const x = place.nearest;
  const double        d = sqrt(PetscSqr(x[0] - point[0]) + PetscSqr(x[1] - point[1]) + PetscSqr(x[2] - point[2]));
  CHECK(place.distance > 0.1 && fabs(place.distance - d) <= 1e-13, "distance %g, expected %g", place.distance, d);
  PetscCall(check_place(m, x, -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Points of curved tets, inside, in the parts that bulge out of the straight ones, and on faces. Fails if points are
  looked for among the corners of tets, or a rank misses one.
*/
static PetscErrorCode test_places(double curved)
{
  uint64_t    state = 5;
  double      point[3];
  wring_mesh *m;

  PetscFunctionBegin;
  test_mesh_curved = curved;
  m                = test_box(PETSC_COMM_WORLD, (const PetscInt[3]){4, 2, 2});
  for (PetscInt64 e = 0; e < m->tets.n_global; e++) {
    double L[4], sum = 0;
    for (int a = 0; a < 4; a++) L[a] = 1 + test_random(&state) + (a == e % 4 ? -0.99 : 0), L[a] *= L[a], sum += L[a];
    for (int a = 0; a < 4; a++) L[a] /= sum;
    PetscCall(point_of(m, e, L, point));
    PetscCall(check_place(m, point, L[e % 4] > 1e-6 ? e : -1));
    L[(e + 1) % 4] += L[e % 4];
    L[e % 4] = 0;
    PetscCall(point_of(m, e, L, point));
    PetscCall(check_place(m, point, -1));
  }
  PetscCall(check_nearest(m, (const double[]){1.1, 0.4, 1.3}));
  PetscCall(check_nearest(m, (const double[]){2.4, 1.3, -0.2}));
  PetscCall(wring_mesh_destroy(&m));
  test_mesh_curved = 0.01;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/* The gradient is the derivative of g, H that of the gradient. */
static PetscErrorCode test_derivatives(const char *source, const wring_law *law)
{
  const double hessian = (wring_law_can(law) & WRING_CAN_HESSIAN) ? 1e-5 : 0;
  test_body    b;
  Vec          d;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, source, law, 0.02, 0, &b));
  PetscCall(VecDuplicate(b.x, &d));
  test_direction(b.mesh, 3, d);
  PetscCall(wring_potential_set_target(b.g, b.x));
  test_displace(b.mesh, 0.005, 2, b.x);
  PetscCall(test_differences(b.g, b.x, d, law->name, 1e-6, 1e-5, hessian));
  PetscCall(VecDestroy(&d));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const source = argc > 1 ? argv[1] : ".";
  const wring_law  *law;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  test_rule(1, 1);
  test_rule(4, 2);
  test_rule(14, 5);
  test_shapes();
  test_mesh_order = 2;
  PetscCall(test_lumped_masses(source));
  PetscCall(test_jacobians(source));
  PetscCall(test_patch(source));
  PetscCall(test_exact());
  PetscCall(test_places(0));
  PetscCall(test_places(0.01));
  PetscCall(test_places(0.04));
  for (int i = 0; (law = wring_law_material(i)); i++) PetscCall(test_derivatives(source, law));
  PetscCall(PetscFinalize());
  return 0;
}
