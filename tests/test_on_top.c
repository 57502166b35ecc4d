/* ranks: 1 2 4 */
/*
  Terms on top of a material, on boxes: fibres, volume, strain_limit, and materials scaled per tet. Fails if fibres read
  another tet's direction, if a term or a scale is missing in a derivative, a matrix, a sweep or the energy per tet, or
  if a result depends on ranks or threads.
*/
#include "body.h"
#include <omp.h>

static const double h = 0.02;

typedef struct {
  MPI_Comm         comm;
  wring_options   *o;
  wring_mesh      *mesh;
  wring_potential *g;
  wring_term      *fibre; // borrowed
  double          *scale, *direction;
  Vec              x, y, grad, work;
} model;

/* For every tet a scale from 0.5 to 1.5 and a unit direction, both functions of its number in the file. */
static PetscErrorCode draw_fields(model *m)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m->mesh->tets.n, &m->scale, 3 * m->mesh->tets.n, &m->direction));
  for (PetscInt e = 0; e < m->mesh->tets.n; e++) {
    uint64_t state = 77 + (uint64_t)m->mesh->tets.original[e];
    double   r[9];
    m->scale[e] = 1 + 0.5 * test_random(&state);
    test_rotation(&state, r);
    for (int c = 0; c < 3; c++) m->direction[3 * e + c] = r[c];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The law, scaled by factor times the field, and all terms on top of it; one end is held. */
static PetscErrorCode model_create(MPI_Comm comm, const wring_law *law, const double *par, double factor, model *m)
{
  const PetscInt cells[3] = {6, 3, 3}; // 324 tets: several blocks, the last ones not full
  const double   still[3] = {0}, fibre[2] = {3e5, 1}, volume[3] = {2e5, 0.95, 1.05};
  const double   limit[3] = {4e5, 0.9, 1.15};
  wring_term    *t;
  PetscBool      changed;

  PetscFunctionBegin;
  *m = (model){.comm = comm, .mesh = test_box(comm, cells)};
  PetscCall(wring_options_create(comm, &m->o));
  PetscCall(draw_fields(m));
  for (PetscInt e = 0; e < m->mesh->tets.n; e++) m->scale[e] *= factor;
  m->g = test_masses(m->mesh, 1000);
  PetscCall(wring_term_create_tets(m->mesh, 0, law, par, 0, m->scale, &t));
  PetscCall(wring_potential_add_term(m->g, t));
  PetscCall(wring_term_create_fibres(m->mesh, 0, &wring_law_fibre, fibre, m->direction, &m->fibre));
  PetscCall(wring_potential_add_term(m->g, m->fibre));
  PetscCall(wring_term_create_tets(m->mesh, 0, &wring_law_strain_limit, limit, 0, NULL, &t));
  PetscCall(wring_potential_add_term(m->g, t));
  PetscCall(wring_term_create_tets(m->mesh, 0, &wring_law_volume, volume, 0, m->scale, &t));
  PetscCall(wring_potential_add_term(m->g, t));
  PetscCall(wring_potential_add_term(m->g, test_hold(m->mesh, "xmin", 1e6, still)));
  PetscCall(wring_potential_set_step(m->g, h));
  PetscCall(wring_potential_set_time(m->g, h, h, &changed));
  PetscCall(wring_potential_create_vec(m->g, &m->x));
  PetscCall(VecDuplicate(m->x, &m->y));
  PetscCall(VecDuplicate(m->x, &m->grad));
  PetscCall(VecDuplicate(m->x, &m->work));
  test_displace(m->mesh, 0.03, 1, m->y);
  PetscCall(wring_potential_set_target(m->g, m->y));
  PetscCall(wring_potential_set_start(m->g, m->y));
  test_displace(m->mesh, 0.04, 2, m->x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode model_destroy(model *m)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&m->x));
  PetscCall(VecDestroy(&m->y));
  PetscCall(VecDestroy(&m->grad));
  PetscCall(VecDestroy(&m->work));
  PetscCall(PetscFree2(m->scale, m->direction));
  PetscCall(wring_potential_destroy(&m->g));
  PetscCall(wring_mesh_destroy(&m->mesh));
  PetscCall(wring_options_destroy(&m->o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const double strain_par[1] = {1e5};

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/* grad . d and H d are the derivatives of g and of grad; too few elements are at a kink of the limits to matter. */
static PetscErrorCode test_derivatives(void)
{
  model m;
  Vec   d;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, &wring_law_strain, strain_par, 1, &m));
  PetscCall(VecDuplicate(m.x, &d));
  test_direction(m.mesh, 5, d);
  PetscCall(test_differences(m.g, m.x, d, "strain", 1e-7, 1e-6, 1e-5));
  PetscCall(VecDestroy(&d));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual of the global step is -grad g. Fails if a projection, k or weight does not belong to the energy. */
static PetscErrorCode test_residual(void)
{
  model     m;
  PetscReal size, off;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, &wring_law_strain, strain_par, 1, &m));
  PetscCall(wring_potential_gradient(m.g, m.x, m.grad));
  PetscCall(wring_potential_residual(m.g, m.x, m.work));
  PetscCall(VecNorm(m.grad, NORM_2, &size));
  PetscCall(VecAXPY(m.work, 1, m.grad));
  PetscCall(VecNorm(m.work, NORM_2, &off));
  CHECK(off <= 1e-12 * size, "r is off -grad g by %g of %g", off, size);
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static const double stretch[9] = {1.3, 0.1, 0, 0, 0.8, 0.2, 0.1, 0, 1.2};

/* x = F X, for which every energy is known. */
static void deform(const wring_mesh *mesh, Vec x)
{
  double *xa;
  PetscCallAbort(mesh->comm, VecGetArray(x, &xa));
  for (PetscInt i = 0; i < mesh->n_owned; i++) {
    const double *X = mesh->X + 3 * i;
    for (int c = 0; c < 3; c++)
      xa[3 * i + c] = stretch[3 * c] * X[0] + stretch[3 * c + 1] * X[1] + stretch[3 * c + 2] * X[2];
  }
  PetscCallAbort(mesh->comm, VecRestoreArray(x, &xa));
}

/* Energy density of a law at F = stretch. */
static double density_of(const wring_law *law, const double *values)
{
  WRING_ALIGNED double par[4][WRING_LANES], z[9][WRING_LANES], psi[WRING_LANES];
  for (int lane = 0; lane < WRING_LANES; lane++) {
    for (int i = 0; i < law->n_par; i++) par[i][lane] = values[i];
    for (int i = 0; i < 9; i++) z[i][lane] = stretch[i];
  }
  law->energy(law, (wring_in)par, (wring_in)z, psi);
  return psi[0];
}

/*
  For a uniform F the density of each tet is that of its laws, scaled where they are scaled, with fibres along this
  tet's own direction; and the sum of density times volume is the elastic energy without the attachment's.
*/
static PetscErrorCode test_densities(void)
{
  const double volume[3] = {2e5, 0.95, 1.05}, limit[3] = {4e5, 0.9, 1.15};
  model        m;
  double      *density, *J, B[9], V, sum = 0, all = 0;
  wring_value  value;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, &wring_law_strain, strain_par, 1, &m));
  deform(m.mesh, m.x);
  PetscCall(PetscMalloc2(m.mesh->tets.n, &density, m.mesh->tets.n, &J));
  PetscCall(wring_potential_cell_data(m.g, m.x, density, J));
  const double strain = density_of(&wring_law_strain, strain_par) + density_of(&wring_law_volume, volume);
  for (PetscInt e = 0; e < m.mesh->tets.n; e++) {
    const PetscInt *v       = m.mesh->tets.corner + 4 * e;
    const double   *d       = m.direction + 3 * e;
    double          squared = 0;
    for (int c = 0; c < 3; c++) {
      const double along = stretch[3 * c] * d[0] + stretch[3 * c + 1] * d[1] + stretch[3 * c + 2] * d[2];
      squared += along * along;
    }
    const double fibre    = 0.5 * 3e5 * (sqrt(squared) - 1) * (sqrt(squared) - 1);
    const double expected = m.scale[e] * strain + density_of(&wring_law_strain_limit, limit) + fibre;
    CHECK(fabs(density[e] - expected) <= 1e-10 * expected, "density %.15g, expected %.15g", density[e], expected);
    CHECK(fabs(J[e] - 1.25) <= 1e-12, "J is %.15g, expected 1.25", J[e]); // det F
    wring_tet_rest(m.mesh->X + 3 * v[0], m.mesh->X + 3 * v[1], m.mesh->X + 3 * v[2], m.mesh->X + 3 * v[3], B, &V);
    sum += V * density[e];
  }
  PetscCallMPI(MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, m.comm));
  PetscCall(wring_potential_value(m.g, m.x, &value));
  wring_term *const *terms;
  double             attachment = 0, mine = 0;
  const double      *xa;
  CHECK(wring_potential_terms(m.g, &terms) == 5, "terms");
  PetscCall(wring_potential_get_local(m.g, m.x, &xa));
  wring_pass_run(wring_term_pass(terms[4], WRING_VALUE), WRING_ALL, xa, NULL, &mine);
  PetscCall(VecRestoreArrayRead(m.x, &xa));
  PetscCallMPI(MPI_Allreduce(&mine, &attachment, 1, MPI_DOUBLE, MPI_SUM, m.comm));
  CHECK(fabs(all + attachment - value.elastic) <= 1e-11 * value.elastic, "%.15g by tet, %.15g in all", all + attachment,
        value.elastic);
  PetscCall(PetscFree2(density, J));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A material twice as stiff in every tet equals one with twice the modulus: fails if a matrix or a prox omits the scale.
*/
static PetscErrorCode test_scale(void)
{
  wring_term                   *more;
  static const wring_law *const laws[] = {&wring_law_corotated, &wring_law_stable_neohookean};
  const double                  par[2] = {1e5, 2e5}, twice[2] = {2e5, 4e5};
  model                         a, b;
  Mat                           H[2] = {NULL}, A[2] = {NULL};
  wring_value                   va, vb;
  PetscReal                     off, size;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(model_create(PETSC_COMM_WORLD, laws[i], par, 1, &a));
    PetscCall(model_create(PETSC_COMM_WORLD, laws[i], twice, 1, &b));
    PetscCall(wring_term_create_tets(a.mesh, 0, laws[i], par, 0, a.scale, &more));
    PetscCall(wring_potential_add_term(a.g, more));
    PetscCall(wring_potential_fused(a.g, a.x, &va, a.grad));
    PetscCall(wring_potential_fused(b.g, b.x, &vb, b.grad));
    CHECK(fabs(va.elastic - vb.elastic) <= 1e-12 * vb.elastic, "%.15g and %.15g J", va.elastic, vb.elastic);
    PetscCall(wring_potential_operator_matrix(a.g, 1, &A[0]));
    PetscCall(wring_potential_operator_matrix(b.g, 1, &A[1]));
    PetscCall(wring_potential_hessian(a.g, a.x, WRING_FILTER_CLAMP, &H[0]));
    PetscCall(wring_potential_hessian(b.g, b.x, WRING_FILTER_CLAMP, &H[1]));
    for (int k = 0; k < 2; k++) {
      Mat *const pair = k ? H : A;
      PetscCall(MatNorm(pair[1], NORM_FROBENIUS, &size));
      PetscCall(MatAXPY(pair[0], -1, pair[1], SAME_NONZERO_PATTERN));
      PetscCall(MatNorm(pair[0], NORM_FROBENIUS, &off));
      CHECK(off <= 1e-12 * size, "%s is off by %g of %g", k ? "H" : "A", off, size);
      for (int j = 0; j < 2; j++) PetscCall(MatDestroy(&pair[j]));
    }
    PetscCall(model_destroy(&a));
    PetscCall(model_destroy(&b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rigid motion of the body costs no energy beyond round-off and causes no force. */
static PetscErrorCode test_rigid(void)
{
  model    m;
  uint64_t state = 4;
  double   r[9], *xa, *f, value, energy = 0;

  PetscFunctionBegin;
  test_rotation(&state, r);
  PetscCall(model_create(PETSC_COMM_WORLD, &wring_law_strain, strain_par, 1, &m));
  wring_term *const *terms;
  wring_potential_terms(m.g, &terms);
  PetscCall(PetscMalloc2(3 * m.mesh->n_local, &xa, 3 * m.mesh->n_local, &f));
  for (PetscInt i = 0; i < 3 * m.mesh->n_local; i++) {
    const double *X = m.mesh->X + i / 3 * 3, *row = r + 3 * (i % 3);
    xa[i] = 0.3 + row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
    f[i]  = 0;
  }
  for (int i = 0; i < 4; i++) { // all but the attachment
    wring_pass_run(wring_term_pass(terms[i], WRING_VALUE | WRING_GRADIENT), WRING_ALL, xa, f, &value);
    energy += value;
  }
  CHECK(energy >= 0 && energy < 1e-20, "energy %g", energy);
  for (PetscInt i = 0; i < 3 * m.mesh->n_local; i++) CHECK(fabs(f[i]) < 1e-9, "force %g", f[i]);
  PetscCall(PetscFree2(xa, f));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Fibres as rows of a linear system: dC is the derivative of C along d. */
static PetscErrorCode test_rows(void)
{
  const double          eps = 1e-6;
  model                 m;
  wring_constraint_rows up, here;
  const double         *xa, *da;
  double               *moved;
  Vec                   d;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, &wring_law_strain, strain_par, 1, &m));
  PetscCall(VecDuplicate(m.x, &d));
  test_direction(m.mesh, 9, d);
  CHECK(!wring_term_no_rows(m.fibre), "fibres have no rows: %s", wring_term_no_rows(m.fibre));
  PetscCall(wring_constraint_rows_create(PETSC_COMM_WORLD, m.fibre, PETSC_FALSE, &up));
  PetscCall(wring_constraint_rows_create(PETSC_COMM_WORLD, m.fibre, PETSC_FALSE, &here));
  PetscCall(wring_potential_get_local(m.g, m.x, &xa));
  PetscCall(wring_potential_get_local(m.g, d, &da));
  PetscCall(PetscMalloc1(3 * m.mesh->n_local, &moved));
  for (PetscInt i = 0; i < 3 * m.mesh->n_local; i++) moved[i] = xa[i] + eps * da[i];
  wring_term_rows(m.fibre, xa, &here);
  wring_term_rows(m.fibre, moved, &up);
  CHECK(here.n == m.mesh->tets.n && here.m == 4, "%d rows", (int)here.n);
  for (PetscInt j = 0; j < here.n; j++) {
    double slope = 0;
    for (int i = 0; i < 12; i++) slope += here.dC[12 * j + i] * da[3 * here.vertex[4 * j + i / 3] + i % 3];
    CHECK(fabs((up.C[j] - here.C[j]) / eps - slope) < 2e-3, "dC is %g, expected %g", slope,
          (up.C[j] - here.C[j]) / eps);
  }
  PetscCall(VecRestoreArrayRead(d, &da));
  PetscCall(VecRestoreArrayRead(m.x, &xa));
  PetscCall(PetscFree(moved));
  PetscCall(wring_constraint_rows_destroy(&up));
  PetscCall(wring_constraint_rows_destroy(&here));
  PetscCall(VecDestroy(&d));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode solve(model *m, const char *name, PetscInt its, double rtol, Vec x, wring_outcome *outcome)
{
  wring_solver   *s;
  wring_operator *op;
  Mat             A = NULL;

  PetscFunctionBegin;
  PetscCall(wring_options_set(m->o, "operator_type", "direct", "test"));
  PetscCall(wring_operator_create(m->comm, m->o, NULL, &op));
  PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
  PetscCall(wring_operator_set_matrix(op, A));
  PetscCall(wring_solver_create(m->comm, m->g, op, NULL, &s));
  PetscCall(wring_solver_set_from_options(s, m->o, name));
  PetscCall(wring_solver_set_up(s));
  wring_solver_set_limits(s, its, rtol, 0, rtol > 0);
  PetscCall(VecCopy(m->y, x));
  PetscCall(wring_solver_solve(s, x, outcome));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(wring_operator_destroy(&op));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All methods that converge reach one minimiser; the iterates of the sweeps equal those on one rank. */
static PetscErrorCode test_solvers(void)
{
  static const char *const minimise[] = {"newton", "qn", "pd", "admm"}, *const sweep[] = {"xpbd", "pbd"};
  const double  rtol[] = {1e-9, 1e-9, 1e-7, 1e-7}, near[] = {0, 1e-7, 1e-6, 1e-6};
  model         m, one;
  wring_outcome outcome, alone;
  Vec           best, x;
  double        apart;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, &wring_law_strain, strain_par, 1, &m));
  PetscCall(model_create(PETSC_COMM_SELF, &wring_law_strain, strain_par, 1, &one));
  PetscCall(VecDuplicate(m.x, &best));
  PetscCall(VecDuplicate(one.x, &x));
  for (int i = 0; i < 4; i++) {
    PetscCall(solve(&m, minimise[i], 3000, rtol[i], i ? m.x : best, &outcome));
    CHECK(outcome.reason == WRING_CONVERGED || outcome.reason == WRING_AT_ROUND_OFF, "%s ends %s after %d iterations",
          minimise[i], wring_reason_name(outcome.reason), (int)outcome.iterations);
    if (i) PetscCall(test_distance(m.x, best, &apart));
    CHECK(i == 0 || apart < near[i], "%s is %g m from newton", minimise[i], apart);
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(solve(&m, sweep[i], 4, 0, m.x, &outcome));
    PetscCall(solve(&one, sweep[i], 4, 0, x, &alone));
    PetscCall(test_distance_to_one(m.mesh, m.x, one.mesh, x, INFINITY, &apart));
    CHECK(apart < 1e-12, "%s is %g m from its iterate on one rank", sweep[i], apart);
    CHECK(fabs(outcome.last.value.objective - alone.last.value.objective) <= 1e-11 * alone.last.value.objective,
          "%s: g differs", sweep[i]);
  }
  PetscCall(VecDestroy(&best));
  PetscCall(VecDestroy(&x));
  PetscCall(model_destroy(&one));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bitwise equal on 1 and 3 threads; equal up to rounding on any ranks. */
static PetscErrorCode test_ranks_and_threads(void)
{
  const int   before = omp_get_max_threads();
  model       m, one;
  wring_value value[2], alone;
  double      apart;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, &wring_law_strain, strain_par, 1, &m));
  PetscCall(model_create(PETSC_COMM_SELF, &wring_law_strain, strain_par, 1, &one));
  for (int i = 0; i < 2; i++) {
    omp_set_num_threads(1 + 2 * i);
    PetscCall(wring_potential_fused(m.g, m.x, &value[i], i ? m.work : m.grad));
  }
  omp_set_num_threads(before);
  PetscCall(test_distance(m.work, m.grad, &apart));
  CHECK(value[0].objective == value[1].objective && apart == 0, "threads: %g apart", apart);
  PetscCall(wring_potential_fused(one.g, one.x, &alone, one.grad));
  CHECK(fabs(value[0].elastic - alone.elastic) <= 1e-13 * alone.elastic, "ranks: %.17g, %.17g", value[0].elastic,
        alone.elastic);
  PetscCall(test_distance_to_one(m.mesh, m.grad, one.mesh, one.grad, INFINITY, &apart));
  CHECK(apart <= 1e-8, "ranks: forces are %g N apart", apart);
  PetscCall(model_destroy(&one));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables of tets ---------------------------------------------------------------------------------------------- */

/* Rows in any order, some tets without a row, on a refined mesh: each tet gets the row of its parent. */
static PetscErrorCode test_routing(void)
{
  const PetscInt cells[3] = {3, 2, 2}, n = 72;
  wring_mesh    *mesh = test_box(PETSC_COMM_WORLD, cells);
  double         row[72][3], *value;

  PetscFunctionBegin;
  for (PetscInt i = 0, k = 0; i < n; i++) {
    const PetscInt tet = i * 29 % n;
    if (tet == 5) continue;
    row[k][0] = (double)tet, row[k][1] = 10 * (double)tet, row[k][2] = -(double)tet;
    k++;
  }
  for (int times = 0; times < 2; times++) {
    if (times) PetscCall(wring_mesh_refine(mesh, 1));
    PetscCall(PetscMalloc1(2 * mesh->tets.n, &value));
    PetscCall(wring_mesh_route_tets(mesh, n, n - 1, 2, row[0], value));
    for (PetscInt e = 0; e < mesh->tets.n; e++) {
      const PetscInt mother = (PetscInt)(mesh->tets.original[e] / (times ? 8 : 1));
      if (mother == 5)
        CHECK(isnan(value[2 * e]), "tet 5 got %g", value[2 * e]);
      else
        CHECK(value[2 * e] == 10. * (double)mother && value[2 * e + 1] == -(double)mother, "tet %d got %g, %g",
              (int)mother, value[2 * e], value[2 * e + 1]);
    }
    PetscCall(PetscFree(value));
  }
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_derivatives());
  PetscCall(test_residual());
  PetscCall(test_densities());
  PetscCall(test_scale());
  PetscCall(test_rigid());
  PetscCall(test_rows());
  PetscCall(test_solvers());
  PetscCall(test_ranks_and_threads());
  PetscCall(test_routing());
  PetscCall(PetscFinalize());
  return 0;
}
