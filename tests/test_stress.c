/* ranks: 1 2 */
/*
  Uniaxial stretch, simple shear and dilation, each followed by a rotation, compared with the stress of every material
  in closed form, derived by hand from its energy: the law alone, one tetrahedron, and a box whose inner forces must
  cancel. Fails if a factor of a stress, of (3.1) or of (3.2) is wrong. The laws' own code is not used here.
*/
#include "body.h"
#include "mesh/data.h"

enum { STRETCH, SHEAR, DILATION, N_KIND };

/*
  The parameters of test_set_material: E = 1e5 Pa, nu = 0.35, lambda + mu in stable_neohookean; the table of the spline
  has nu = 0.3.
*/
static const double mu = 1e5 / 2.7, lambda = 1e5 * 0.35 / (1.35 * 0.3), k = 1e5, quartic = 1e6;
static const double c10 = 1.5e4, c01 = 3e3, kappa = 1.1e5, spline_mu = 1e5 / 2.6,
                    spline_lambda = 1e5 * 0.3 / (1.3 * 0.4);

/* ---- closed forms ------------------------------------------------------------------------------------------------ */

/* P_11, P_22 = P_33 of F = diag(s, 1, 1). */
static void stretch_stress(const char *law, double s, double p[2])
{
  const double e = s - 1, above = fmax(e, 0), c_slope = (spline_lambda * log(s) - spline_mu) / s;
  const struct {
    const char *law;
    double      p[2];
  } all[] = {
    {"strain", {k * e, 0}},
    {"corotated", {(2 * mu + lambda) * e, lambda * e}},
    {"fixed_corotated", {(2 * mu + lambda) * e, lambda * e * s}},
    {"stvk", {(mu + lambda / 2) * (s * s * s - s), lambda / 2 * (s * s - 1)}},
    {"neohookean", {mu * (s - 1 / s) + lambda * log(s) / s, lambda * log(s)}},
    {"stable_neohookean", {(2 * mu + lambda) * e, mu * (1 - s) + (lambda + mu) * s * e}},
    {"mooney_rivlin",
     {4 * c10 / 3 * (cbrt(s) - pow(s, -5. / 3)) + 4 * c01 / 3 * (1 / cbrt(s) - pow(s, -7. / 3)) + kappa * e,
      2. / 3 * (1 - s * s) * (c10 * pow(s, -2. / 3) + c01 * pow(s, -4. / 3)) + kappa * s * e}},
    {"polynomial", {4 * quartic * e * e * e, 0}},
    {"spline", {spline_mu * (s + 10 * above * above) + c_slope, spline_mu + s * c_slope}},
  };
  p[0] = p[1] = NAN;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!strcmp(all[i].law, law)) memcpy(p, all[i].p, sizeof all[i].p);
  }
}

/* p of P = p I for F = s I. */
static double dilation_stress(const char *law, double s)
{
  const double e = s - 1, above = fmax(e, 0), J = s * s * s, volume = s * s * (J - 1);
  const struct {
    const char *law;
    double      p;
  } all[] = {
    {"strain", k * e},
    {"corotated", (2 * mu + 3 * lambda) * e},
    {"fixed_corotated", 2 * mu * e + lambda * volume},
    {"stvk", (mu + 1.5 * lambda) * s * (s * s - 1)},
    {"neohookean", mu * (s - 1 / s) + 3 * lambda * log(s) / s},
    {"stable_neohookean", mu * s * (1 - s) + (lambda + mu) * volume},
    {"mooney_rivlin", kappa * volume},
    {"polynomial", 4 * quartic * e * e * e},
    {"spline", spline_mu * (s + 10 * above * above) + s * s * (spline_lambda * log(J) - spline_mu) / J},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!strcmp(all[i].law, law)) return all[i].p;
  }
  return NAN;
}

/* P_11, P_12, P_21, P_22, P_33 of F = I + g e_1 e_2^T for laws in invariants; false for the others. */
static PetscBool shear_of_invariants(const char *law, double g, double p[5])
{
  const double g2 = g * g;
  const struct {
    const char *law;
    double      p[5];
  } all[] = {
    {"stvk",
     {(mu + lambda / 2) * g2, mu * g + (mu + lambda / 2) * g2 * g, mu * g, (mu + lambda / 2) * g2, lambda / 2 * g2}},
    {"neohookean", {0, mu * g, mu * g, 0, 0}},
    {"stable_neohookean", {0, mu * g, mu * g, 0, 0}},
    {"mooney_rivlin",
     {-2. / 3 * (c10 + 2 * c01) * g2, 2 * (c10 + c01) * g, 2 * (c10 + c01) * g + 2. / 3 * (c10 + 2 * c01) * g2 * g,
      -2. / 3 * (c10 + 2 * c01) * g2, 2. / 3 * (c01 - c10) * g2}},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (strcmp(all[i].law, law) != 0) continue;
    memcpy(p, all[i].p, sizeof all[i].p);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
  The same for laws in the rotation, R = [c s; -s c] with c = 2/t, s = g/t, t^2 = 4 + g^2, and S = R^T F = [c s; s s g +
  c] with the eigenvalues (t +- g)/2, whose E = S - I satisfies E^3 = (t - 2) S E.
*/
static void shear_of_rotation(const char *law, double g, double p[5])
{
  const double t = sqrt(4 + g * g), c = 2 / t, s = g / t, high = (t + fabs(g)) / 2, e = high - 1;
  const double v[2] = {s, high - c}, n = hypot(v[0], v[1]),
               u[2]   = {(c * v[0] + s * v[1]) / n, (c * v[1] - s * v[0]) / n};
  const double factor = 4 * quartic * (t - 2), extra = 10 * spline_mu * e * e / n;
  const struct {
    const char *law;
    double      p[5];
  } all[] = {
    {"strain", {k * (1 - c), k * (g - s), k * s, k * (1 - c), 0}},
    {"corotated",
     {2 * mu * (1 - c) + lambda * (t - 2) * c, 2 * mu * (g - s) + lambda * (t - 2) * s,
      2 * mu * s - lambda * (t - 2) * s, 2 * mu * (1 - c) + lambda * (t - 2) * c, lambda * (t - 2)}},
    {"fixed_corotated", {2 * mu * (1 - c), 2 * mu * (g - s), 2 * mu * s, 2 * mu * (1 - c), 0}},
    {"polynomial",
     {factor * (c - 1 + g * s), factor * (s + g * (s * g + c - 1)), factor * s, factor * (s * g + c - 1), 0}},
    {"spline",
     {extra * u[0] * v[0], spline_mu * g + extra * u[0] * v[1], spline_mu * g + extra * u[1] * v[0],
      extra * u[1] * v[1], 0}},
  };
  for (int i = 0; i < 5; i++) p[i] = NAN;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!strcmp(all[i].law, law)) memcpy(p, all[i].p, sizeof all[i].p);
  }
}

/* F and dpsi/dF for one kind of deformation. */
static void closed_form(const char *law, int kind, double a, double F[9], double P[9])
{
  double p[5] = {0};
  for (int i = 0; i < 9; i++) F[i] = i % 4 == 0, P[i] = 0;
  if (kind == STRETCH) {
    F[0] = a;
    stretch_stress(law, a, p);
    P[0] = p[0], P[4] = P[8] = p[1];
  } else if (kind == SHEAR) {
    F[1] = a;
    if (!shear_of_invariants(law, a, p)) shear_of_rotation(law, a, p);
    P[0] = p[0], P[1] = p[1], P[3] = p[2], P[4] = p[3], P[8] = p[4];
  } else {
    F[0] = F[4] = F[8] = a;
    P[0] = P[4] = P[8] = dilation_stress(law, a);
  }
}

/* b = Q a */
static void turn(const double Q[9], double a[9])
{
  double b[9] = {0};
  for (int i = 0; i < 27; i++) b[i / 3] += Q[3 * (i / 9) + i % 3] * a[3 * (i % 3) + i / 3 % 3];
  memcpy(a, b, sizeof b);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static void check_matrix(const wring_law *law, const char *where, int kind, const double ours[9], const double P[9])
{
  double size = 0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(P[i]));
  for (int i = 0; i < 9; i++) {
    CHECK(fabs(ours[i] - P[i]) <= 1e-10 * size, "%s, %s, kind %d: P[%d] is %.15g, not %.15g", law->name, where, kind, i,
          ours[i], P[i]);
  }
}

static void check_law(const wring_law *law, const double *par, int kind, const double F[9], const double P[9])
{
  WRING_ALIGNED double z[9][WRING_LANES], p[9][WRING_LANES], psi[WRING_LANES];
  double              *rows, ours[9];
  PetscCallAbort(PETSC_COMM_SELF, wring_blocks_create((size_t)law->n_par * WRING_LANES, &rows));
  for (int lane = 0; lane < WRING_LANES; lane++) {
    for (int i = 0; i < law->n_par; i++) rows[i * WRING_LANES + lane] = par[i];
    for (int i = 0; i < 9; i++) z[i][lane] = F[i];
  }
  law->fused(law, (wring_in)rows, (wring_in)z, psi, p);
  for (int i = 0; i < 9; i++) ours[i] = p[i][3];
  check_matrix(law, "law", kind, ours, P);
  wring_blocks_destroy(&rows);
}

/* The tet of four vertices, on rank 0. */
static wring_mesh *one_tet(void)
{
  static const double X[12] = {0.1, 0.2, 0, 1.3, 0, 0.1, 0, 0.9, 0.2, 0.3, 0.1, 1.1};
  wring_mesh_data    *data  = NULL;
  wring_mesh         *mesh;
  const PetscMPIInt   rank = wring_comm_rank(PETSC_COMM_WORLD);
  if (rank == 0) {
    PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_create(4, 1, &data));
    memcpy(data->X, X, sizeof X);
    for (int i = 0; i < 4; i++) data->tet[i] = i;
    data->region[0] = 0;
    PetscCallAbort(PETSC_COMM_SELF, wring_names_add(&data->regions, "one", 3));
    PetscCallAbort(PETSC_COMM_SELF, PetscCalloc1(1, &data->set_start));
  }
  PetscCallAbort(PETSC_COMM_WORLD, wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &data, &mesh));
  return mesh;
}

/* With x = F X: sum_a f_a X_a^T = V P, and there is no force on vertices inside the box. */
static PetscErrorCode check_mesh(const wring_law *law, const double *par, wring_mesh *mesh, double volume, int kind,
                                 const double F[9], const double P[9])
{
  wring_potential *g    = test_potential(mesh, law, par);
  double           V[9] = {0}, *a, size = 0;
  const double    *f;
  Vec              x, force;

  PetscFunctionBegin;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(P[i]));
  PetscCall(wring_potential_set_step(g, 1));
  PetscCall(wring_potential_create_vec(g, &x));
  PetscCall(VecDuplicate(x, &force));
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = 0; i < 3 * mesh->n_owned; i++) {
    const double *const X = mesh->X + 3 * (i / 3), *const row = F + 3 * (i % 3);
    a[i] = row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
  }
  PetscCall(VecRestoreArray(x, &a));
  PetscCall(wring_potential_set_target(g, x));
  PetscCall(wring_potential_gradient(g, x, force));
  PetscCall(VecGetArrayRead(force, &f));
  for (PetscInt i = 0; i < mesh->n_owned; i++) {
    const double *const X = mesh->X + 3 * i;
    const int           inside =
      X[0] > 0 && X[0] < 2 && X[1] > 0 && X[1] < 1 && X[2] > 0 && X[2] < 1 && mesh->number.n_global > 4;
    for (int c = 0; c < 9; c++) V[c] += f[3 * i + c / 3] * X[c % 3] / volume;
    for (int c = 0; c < 3 && inside; c++)
      CHECK(fabs(f[3 * i + c]) <= 1e-10 * size, "%s, kind %d: a force of %g inside", law->name, kind, f[3 * i + c]);
  }
  PetscCall(VecRestoreArrayRead(force, &f));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, V, 9, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  check_matrix(law, mesh->number.n_global > 4 ? "box" : "tet", kind, V, P);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&force));
  PetscCall(wring_potential_destroy(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Uses s and J at 0.5, 1.2 and 2, where the table of the spline has points and equals its formula. */
static PetscErrorCode check_material(const char *source, const wring_law *law, wring_mesh *box, wring_mesh *tet,
                                     double tet_volume)
{
  const double   amount[N_KIND][3] = {{0.5, 1.2, 2}, {0.05, 0.7, -1.3}, {cbrt(0.5), cbrt(1.2), cbrt(2)}};
  uint64_t       state             = 5;
  wring_options *o;
  double        *par, F[9], P[9], Q[9];

  PetscFunctionBegin;
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(test_set_material(o, law, source));
  PetscCall(PetscMalloc1(law->n_par, &par));
  PetscCall(law->set_par(law, o, "material_", "material_", par));
  for (int i = 0; i < 3 * N_KIND; i++) {
    closed_form(law->name, i / 3, amount[i / 3][i % 3], F, P);
    test_rotation(&state, Q);
    turn(Q, F);
    turn(Q, P);
    check_law(law, par, i / 3, F, P);
    PetscCall(check_mesh(law, par, tet, tet_volume, i / 3, F, P));
    PetscCall(check_mesh(law, par, box, 2, i / 3, F, P));
  }
  PetscCall(PetscFree(par));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt   cells[3] = {4, 3, 3};
  const wring_law *law;
  wring_mesh      *box, *tet;
  double           volume = 0;
  int              n      = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  box = test_box(PETSC_COMM_WORLD, cells);
  tet = one_tet();
  for (PetscInt i = 0; i < tet->tets.n; i++) {
    const PetscInt *v = tet->tets.corner + 4 * i;
    volume += fabs(wring_tet_det(tet->X + 3 * v[0], tet->X + 3 * v[1], tet->X + 3 * v[2], tet->X + 3 * v[3])) / 6;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &volume, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  for (int i = 0; (law = wring_law_material(i)); i++) {
    if (isnan(dilation_stress(law->name, 2))) continue; // no closed form here
    PetscCall(check_material(argc > 1 ? argv[1] : ".", law, box, tet, volume));
    n++;
  }
  CHECK(n == 9, "%d materials have closed forms", n);
  PetscCall(wring_mesh_destroy(&tet));
  PetscCall(wring_mesh_destroy(&box));
  PetscCall(PetscFinalize());
  return 0;
}
