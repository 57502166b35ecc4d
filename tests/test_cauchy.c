/* ranks: 1 2 4 */
/*
  Cauchy stresses of boxes of every material with fibres and limits on top, on irregular meshes. A linear map gives
  P F^T/J of the laws in every tetrahedron and vertex; the stress is work-conjugate to any velocity gradient, also
  antisymmetric ones, and turns with the body; it is NaN in inverted tetrahedra and nowhere else. Fails if a term, a
  scale, an order of components or a factor J is wrong, if a vertex between ranks misses a tetrahedron, or if a linear
  stress in tetrahedra of second order is not exact at their vertices.
*/
#include "body.h"

static const double fibre[2] = {3e5, 1}, volume[3] = {2e5, 0.95, 1.05}, limit[3] = {4e5, 0.9, 1.15};
static const double along[3] = {0.48, 0.6, 0.64};
static const int    row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2}; // ParaView: XX YY ZZ XY YZ XZ

typedef struct {
  test_body b;
  double   *F, *stress, *mean; // of tets, of vertices
} model;

/* varied: another direction of the fibres in every tet, and another scale of the limit of volume. */
static PetscErrorCode model_create(const char *source, const wring_law *law, PetscBool varied, model *m)
{
  double     *direction, *scale;
  wring_term *t;

  PetscFunctionBegin;
  PetscCall(test_body_create_on(PETSC_COMM_WORLD, source, law, 0.02, 0, &m->b));
  const wring_mesh *const mesh = m->b.mesh;
  PetscCall(PetscMalloc2(3 * mesh->tets.n, &direction, mesh->tets.n, &scale));
  for (PetscInt e = 0; e < mesh->tets.n; e++) {
    uint64_t state = 77 + (uint64_t)mesh->tets.original[e];
    double   r[9];
    scale[e] = varied ? 1 + 0.5 * test_random(&state) : 1;
    test_rotation(&state, r);
    memcpy(direction + 3 * e, varied ? r : along, sizeof along);
  }
  PetscCall(wring_term_create_fibres(mesh, 0, &wring_law_fibre, fibre, direction, &t));
  PetscCall(wring_potential_add_term(m->b.g, t));
  PetscCall(wring_term_create_tets(mesh, 0, &wring_law_volume, volume, 0, scale, &t));
  PetscCall(wring_potential_add_term(m->b.g, t));
  PetscCall(wring_term_create_tets(mesh, 0, &wring_law_strain_limit, limit, 0, NULL, &t));
  PetscCall(wring_potential_add_term(m->b.g, t));
  PetscCall(PetscFree2(direction, scale));
  PetscCall(PetscMalloc3(9 * mesh->tets.n, &m->F, 6 * mesh->tets.n, &m->stress, 6 * mesh->n_local, &m->mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_destroy(model *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(m->F, m->stress, m->mean));
  PetscCall(test_body_destroy(&m->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = A x. */
static PetscErrorCode map(const model *m, const double A[9], Vec x, Vec y)
{
  const double *xa;
  double       *ya;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayWrite(y, &ya));
  for (PetscInt i = 0; i < 3 * m->b.mesh->n_owned; i++) {
    const double *const a = A + 3 * (i % 3), *const v = xa + 3 * (i / 3);
    ya[i] = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
  }
  PetscCall(VecRestoreArrayWrite(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double determinant(const double A[9])
{
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
}

/* ---- patch test -------------------------------------------------------------------------------------------------- */

/* tau [3][3] += P F^T of one law, from one block; q = 1: z = F d, P = p d^T. */
static void add_law(const wring_law *law, const double *par, const double A[9], double tau[9])
{
  WRING_ALIGNED double z[9][WRING_LANES], p[9][WRING_LANES], psi[WRING_LANES], all[16][WRING_LANES];
  double               P[9];
  for (int i = 0; i < law->n_par; i++) {
    for (int l = 0; l < WRING_LANES; l++) all[i][l] = par[i];
  }
  for (int i = 0; i < 3 * law->q; i++) {
    const double *const a = A + 3 * i;
    for (int l = 0; l < WRING_LANES; l++)
      z[i][l] = law->q == 3 ? A[i] : a[0] * along[0] + a[1] * along[1] + a[2] * along[2];
  }
  law->fused(law, (wring_in)all, (wring_in)z, psi, p);
  for (int i = 0; i < 9; i++) P[i] = law->q == 3 ? p[i][3] : p[i / 3][3] * along[i % 3];
  for (int i = 0; i < 9; i++) {
    for (int k = 0; k < 3; k++) tau[i] += P[3 * (i / 3) + k] * A[3 * (i % 3) + k];
  }
}

static double worst_of(PetscInt n, const double *stress, const double expected[9])
{
  double worst = 0;
  for (PetscInt i = 0; i < 6 * n; i++) {
    const double off = fabs(stress[i] - expected[3 * row[i % 6] + column[i % 6]]);
    if (!(off <= worst)) worst = off;
  }
  return worst;
}

static PetscErrorCode test_patch(const char *source, const wring_law *law)
{
  const double A[9] = {1.2, 0.25, -0.1, -0.05, 0.85, 0.2, 0.15, -0.1, 1.1}, J = determinant(A);
  double       tau[9] = {0}, size = 0, par[16];
  model        m;
  Vec          x;

  PetscFunctionBegin;
  PetscCall(model_create(source, law, PETSC_FALSE, &m));
  PetscCall(law->set_par(law, m.b.o, "material_", "material_", par));
  add_law(law, par, A, tau);
  add_law(&wring_law_fibre, fibre, A, tau);
  add_law(&wring_law_volume, volume, A, tau);
  add_law(&wring_law_strain_limit, limit, A, tau);
  for (int i = 0; i < 9; i++) tau[i] /= J, size = fmax(size, fabs(tau[i]));
  for (int i = 0; i < 9; i++)
    CHECK(fabs(tau[i] - tau[3 * (i % 3) + i / 3]) <= 1e-11 * size, "%s: the stress is not symmetric", law->name);
  PetscCall(VecDuplicate(m.b.x, &x));
  PetscCall(map(&m, A, m.b.x, x));
  PetscCall(wring_potential_stress(m.b.g, x, m.F, m.stress));
  PetscCall(wring_potential_recover_stress(m.b.g, x, m.mean));
  for (PetscInt i = 0; i < 9 * m.b.mesh->tets.n; i++)
    CHECK(fabs(m.F[i] - A[i % 9]) <= 1e-13, "F[%d] is %g, expected %g", (int)(i % 9), m.F[i], A[i % 9]);
  const double tets = worst_of(m.b.mesh->tets.n, m.stress, tau), means = worst_of(m.b.mesh->n_local, m.mean, tau);
  CHECK(tets <= 1e-11 * size && means <= 1e-11 * size, "%s: errors %g and %g of %g Pa", law->name, tets, means, size);
  PetscCall(VecDestroy(&x));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- work and rotations ------------------------------------------------------------------------------------------ */

/* The rate of psi under a velocity gradient L is J sigma : L, in every tet. */
static PetscErrorCode test_work(const char *source, const wring_law *law)
{
  const double L[9] = {0.3, -0.7, 0.5, 0.9, -0.4, 0.2, -0.6, 0.8, 0.35}, eps = 1e-6;
  double      *psi[2], *J, A[9];
  model        m;
  Vec          x, y;

  PetscFunctionBegin;
  PetscCall(model_create(source, law, PETSC_TRUE, &m));
  const PetscInt n = m.b.mesh->tets.n;
  PetscCall(PetscMalloc3(n, &psi[0], n, &psi[1], n, &J));
  PetscCall(VecDuplicate(m.b.x, &x));
  PetscCall(VecDuplicate(m.b.x, &y));
  test_displace(m.b.mesh, 0.03, 7, x);
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 9; i++) A[i] = (i % 4 == 0) + (s ? eps : -eps) * L[i];
    PetscCall(map(&m, A, x, y));
    PetscCall(wring_potential_cell_data(m.b.g, y, psi[s], J));
  }
  PetscCall(wring_potential_stress(m.b.g, x, m.F, m.stress));
  for (PetscInt e = 0; e < n; e++) {
    const double *const s    = m.stress + 6 * e;
    double              rate = 0;
    for (int i = 0; i < 6; i++) rate += s[i] * (L[3 * row[i] + column[i]] + (i < 3 ? 0 : L[3 * column[i] + row[i]]));
    rate *= wring_volume_ratio(m.F + 9 * e);
    const double expected = (psi[1][e] - psi[0][e]) / (2 * eps);
    CHECK(fabs(rate - expected) <= 1e-5 * (fabs(expected) + 1e4), "%s: power %g, energy changes by %g", law->name, rate,
          expected);
  }
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFree3(psi[0], psi[1], J));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sigma of R x is R sigma R^T, and the von Mises stress is the same. */
static PetscErrorCode test_turned(const char *source, const wring_law *law)
{
  uint64_t state = 3;
  double   R[9], *before;
  model    m;
  Vec      x, y;

  PetscFunctionBegin;
  PetscCall(model_create(source, law, PETSC_TRUE, &m));
  const PetscInt n = m.b.mesh->tets.n;
  PetscCall(PetscMalloc1(6 * n, &before));
  PetscCall(VecDuplicate(m.b.x, &x));
  PetscCall(VecDuplicate(m.b.x, &y));
  test_displace(m.b.mesh, 0.03, 7, x);
  test_rotation(&state, R);
  PetscCall(map(&m, R, x, y));
  PetscCall(wring_potential_stress(m.b.g, x, m.F, before));
  PetscCall(wring_potential_stress(m.b.g, y, m.F, m.stress));
  for (PetscInt e = 0; e < n; e++) {
    const double *const s    = before + 6 * e;
    const double        S[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}, vm = wring_von_mises(s);
    for (int i = 0; i < 6; i++) {
      double sum = 0;
      for (int k = 0; k < 9; k++) sum += R[3 * row[i] + k / 3] * S[k] * R[3 * column[i] + k % 3];
      CHECK(fabs(m.stress[6 * e + i] - sum) <= 1e-8 * (vm + 1e5), "%s: %g turned is %g", law->name, sum,
            m.stress[6 * e + i]);
    }
    CHECK(fabs(wring_von_mises(m.stress + 6 * e) - vm) <= 1e-8 * (vm + 1e5), "%s: von Mises", law->name);
  }
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFree(before));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- recovery ---------------------------------------------------------------------------------------------------- */

/* A quadratic map and its gradient. */
static void bend(const double X[3], double x[3], double F[9])
{
  const double f[9] = {1 + 0.2 * X[0], 0.05 * X[2], 0.05 * X[1], -0.08 * X[1],   1 - 0.08 * X[0],
                       0.12 * X[2],    0.07 * X[2], -0.1 * X[1], 1 + 0.07 * X[0]};
  x[0]              = X[0] + 0.1 * X[0] * X[0] + 0.05 * X[1] * X[2];
  x[1]              = X[1] - 0.08 * X[0] * X[1] + 0.06 * X[2] * X[2];
  x[2]              = X[2] + 0.07 * X[0] * X[2] - 0.05 * X[1] * X[1];
  memcpy(F, f, sizeof f);
}

/* Shear along `axis` by a quadratic function of the others: J = 1, so that shear stresses are linear, mu du/dX. */
static void slide(int axis, const double X[3], double x[3], double F[9])
{
  const int    b = (axis + 1) % 3, c = (axis + 2) % 3;
  const double slope[2] = {0.3 * X[b] - 0.1 * X[c] + 0.05, 0.2 * X[c] - 0.1 * X[b] - 0.07};
  for (int i = 0; i < 9; i++) F[i] = i % 4 == 0;
  memcpy(x, X, 3 * sizeof *x);
  x[axis] += X[b] * (0.15 * X[b] - 0.1 * X[c] + 0.05) + X[c] * (0.1 * X[c] - 0.07);
  F[3 * axis + b] = slope[0];
  F[3 * axis + c] = slope[1];
}

/* A cube of n^3 cells, straight or curved, and its map. */
typedef struct {
  int      order, points, axis; // axis of `slide`; -1: `bend`
  PetscInt n;
  double   jitter, curved;
} recovery;

static wring_mesh *recovery_mesh(const recovery *c)
{
  const wring_box box = {.size = {1, 1, 1}, .cells = {c->n, c->n, c->n}, .jitter = c->jitter};
  wring_mesh     *m;
  PetscCallAbort(PETSC_COMM_WORLD, test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  if (c->order == 2) test_raise(m, c->curved);
  m->tets.points = c->points;
  return m;
}

/* The largest errors of recovered stresses inside, error[0], and at the surface; error[2] of shear stresses. */
static PetscErrorCode recover(const recovery *how, double error[3])
{
  const double     par[2] = {4e4, 6e4};
  wring_mesh      *m      = recovery_mesh(how);
  wring_potential *g      = test_potential(m, &wring_law_neohookean, par);
  Vec              x;
  double          *xa, *mean, F[9], at[3];

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(g, &x));
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    if (how->axis < 0)
      bend(m->X + 3 * i, xa + 3 * i, F);
    else
      slide(how->axis, m->X + 3 * i, xa + 3 * i, F);
  }
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(PetscMalloc1(6 * m->n_local, &mean));
  PetscCall(wring_potential_recover_stress(g, x, mean));
  error[0] = error[1] = error[2] = 0;
  for (PetscInt i = 0; i < m->n_local; i++) {
    const double *const X      = m->X + 3 * i;
    double              tau[9] = {0}, depth = 1;
    if (how->axis < 0)
      bend(X, at, F);
    else
      slide(how->axis, X, at, F);
    add_law(&wring_law_neohookean, par, F, tau);
    for (int k = 0; k < 9; k++) tau[k] /= determinant(F);
    for (int c = 0; c < 3; c++) depth = fmin(depth, fmin(X[c], 1 - X[c]));
    const int surface = depth < 1e-9;
    error[surface]    = test_worse(error[surface], worst_of(1, mean + 6 * i, tau));
    for (int c = 3; c < 6; c++) error[2] = test_worse(error[2], fabs(mean[6 * i + c] - tau[3 * row[c] + column[c]]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, error, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscFree(mean));
  PetscCall(VecDestroy(&x));
  PetscCall(wring_potential_destroy(&g));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Of order 1, recovered stresses are of second order inside a regular mesh, where tets are on all sides, and of first at
  the surface; of order 2, of second order everywhere, also where edges are curved by the square of their length.
*/
static PetscErrorCode test_recovery(void)
{
  double coarse[3], fine[3];

  PetscFunctionBegin;
  PetscCall(recover(&(recovery){1, 0, -1, 4, 0, 0}, coarse));
  PetscCall(recover(&(recovery){1, 0, -1, 8, 0, 0}, fine));
  CHECK(coarse[0] > 3.2 * fine[0] && fine[0] > 0, "errors inside %g, %g Pa", coarse[0], fine[0]);
  CHECK(coarse[1] > 1.6 * fine[1] && coarse[1] < 2.4 * fine[1], "at the surface %g, %g Pa", coarse[1], fine[1]);
  for (int k = 0; k < 3; k++) {
    const int    points = k == 1 ? 14 : 4;
    const double curved = k == 2 ? 0.1 : 0;
    PetscCall(recover(&(recovery){2, points, -1, 3, 0, curved / 9}, coarse));
    PetscCall(recover(&(recovery){2, points, -1, 6, 0, curved / 36}, fine));
    for (int i = 0; i < 2; i++)
      CHECK(coarse[i] > 3.2 * fine[i] && fine[i] > 0, "order 2, case %d: errors %s %g, %g Pa", k,
            i ? "at the surface" : "inside", coarse[i], fine[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Linear stresses are exact at all vertices of straight tets of order 2. */
static PetscErrorCode test_linear_recovery(int points)
{
  double error[3];

  PetscFunctionBegin;
  for (int axis = 0; axis < 3; axis++) {
    PetscCall(recover(&(recovery){2, points, axis, 2, 0.3, 0}, error));
    CHECK(error[2] <= 1e-10 && error[1] > 1, "shear stresses are off by %g Pa along %d", error[2], axis);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same with a linear field given at points, in all components. */
static PetscErrorCode test_extrapolation(int points)
{
  wring_mesh                   *m    = recovery_mesh(&(recovery){2, points, 0, 2, 0.3, 0});
  const wring_quadrature *const rule = wring_mesh_quadrature(m);
  double                       *stress, *half[2], *weight, N[10];
  PetscInt                      v[10];

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(6 * m->tets.n * rule->n, &stress, 3 * m->n_local, &half[0], 3 * m->n_local, &half[1],
                         3 * m->n_local, &weight));
  for (PetscInt i = 0; i < m->tets.n * rule->n; i++) {
    const int n = wring_tet_vertices(m, i / rule->n, v);
    wring_tet_shape(n, rule->L[i % rule->n], N);
    for (int c = 0; c < 6; c++)
      for (int a = 0; a < n; a++) {
        const double *const X = m->X + 3 * v[a];
        stress[6 * i + c] += N[a] * (c - X[0] * c + X[1] * (2 + c) - X[2]);
      }
  }
  wring_add_at_vertices(m, stress, half[0], half[1], weight);
  for (PetscInt i = 0; i < 6 * m->n_local; i++) {
    const double *const X = m->X + 3 * (i / 6);
    const double        c = (double)(i % 6), V = weight[3 * (i / 6)];
    const double        sum = half[i % 6 / 3][3 * (i / 6) + i % 3];
    if (V > 0) CHECK(fabs(sum / V - (c - X[0] * c + X[1] * (2 + c) - X[2])) <= 1e-12, "a linear field is %g", sum / V);
  }
  PetscCall(PetscFree4(stress, half[0], half[1], weight));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void test_von_mises(void)
{
  const double pure[6] = {7, 7, 7, 0, 0, 0}, axial[6] = {0, -5, 0, 0, 0, 0},
               shear[3][6] = {{0, 0, 0, 2}, {1, 1, 1, 0, 2}, {0, 0, 0, 0, 0, -2}};
  CHECK(wring_von_mises(pure) == 0, "under pressure %g", wring_von_mises(pure));
  CHECK(fabs(wring_von_mises(axial) - 5) < 1e-14, "uniaxial %g", wring_von_mises(axial));
  for (int i = 0; i < 3; i++)
    CHECK(fabs(wring_von_mises(shear[i]) - 2 * sqrt(3)) < 1e-14, "shear %d: %g", i, wring_von_mises(shear[i]));
}

/* Vertex 0, moved through the body, inverts some of its tets. */
static PetscErrorCode test_inverted(const char *source)
{
  PetscInt64 count = 0;
  double    *xa;
  model      m;

  PetscFunctionBegin;
  PetscCall(model_create(source, wring_law_find("corotated"), PETSC_TRUE, &m));
  PetscCall(VecGetArray(m.b.x, &xa));
  for (PetscInt i = 0; i < m.b.mesh->n_owned; i++)
    for (int c = 0; c < 3; c++) xa[3 * i + c] += m.b.mesh->number.original[i] == 0 ? 0.6 : 0;
  PetscCall(VecRestoreArray(m.b.x, &xa));
  PetscCall(wring_potential_stress(m.b.g, m.b.x, m.F, m.stress));
  PetscCall(wring_potential_recover_stress(m.b.g, m.b.x, m.mean));
  for (PetscInt e = 0; e < m.b.mesh->tets.n; e++) {
    const int inverted = wring_volume_ratio(m.F + 9 * e) <= 0;
    count += inverted;
    for (int i = 0; i < 6; i++)
      CHECK(isnan(m.stress[6 * e + i]) == inverted, "%g with J %g", m.stress[6 * e + i],
            wring_volume_ratio(m.F + 9 * e));
  }
  for (PetscInt i = 0; i < m.b.mesh->n_local; i++)
    CHECK(m.b.mesh->number.original[i] != 0 || isnan(m.mean[6 * i]), "the mean at an inverted tet is %g",
          m.mean[6 * i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(count > 0, "nothing is inverted");
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const wring_law *law;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  test_von_mises();
  for (int i = 0; (law = wring_law_material(i)); i++) {
    if (law->n_par <= 16) PetscCall(test_patch(argv[1], law)); // the stress of tables: test_work
    PetscCall(test_work(argv[1], law));
    PetscCall(test_turned(argv[1], law));
  }
  PetscCall(test_recovery());
  PetscCall(test_linear_recovery(4));
  PetscCall(test_linear_recovery(14));
  PetscCall(test_extrapolation(4));
  PetscCall(test_extrapolation(14));
  PetscCall(test_inverted(argv[1]));
  PetscCall(PetscFinalize());
  return 0;
}
