/* ranks: 1 2 4 */
/* Projective dynamics in the metric of masses, docs/theory.md 5, compared with formulas for every element. */
#include "body.h"
#include "refused.h"

static const double h = 0.02;

/* A box with twelve springs across it, held at one end if requested; its target y is twisted and rough. */
static PetscErrorCode create(PetscBool held, test_body *m, Vec *y)
{
  PetscFunctionBegin;
  PetscCall(test_body_create("strain", h, 12, m));
  if (held) PetscCall(test_body_attach(m, "xmin", 1e6, test_twist));
  PetscCall(test_body_set_up_with(m, test_twist, 0.03, y));
  PetscCall(test_variant(m->o, "jacobi", "pd", "metric=mass"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

/* On this rank, [n_local]: positions, masses, and sums over elements: M (p - x), number of elements. */
typedef struct {
  const wring_mesh *mesh;
  const double     *x, *mass; // [n_local][3], mass three times
  double           *f, *count;
  double            energy; // sum |p - x|_M^2/2
} sums;

static void add(sums *s, PetscInt v, const double p[3])
{
  for (int c = 0; c < 3; c++) {
    const double d = p[c] - s->x[3 * v + c], m = s->mass[3 * v];
    s->f[3 * v + c] += m * d;
    s->count[3 * v + c] += 1;
    s->energy += 0.5 * m * d * d;
  }
}

/* R = the limit of (R + R^(-T))/2 from a matrix with positive determinant: its closest rotation. */
static void polar(double R[9])
{
  for (int it = 0; it < 100; it++) {
    double C[9], det = 0;
    for (int i = 0; i < 9; i++) {
      const int a = (i / 3 + 1) % 3, b = (i / 3 + 2) % 3, c = (i % 3 + 1) % 3, d = (i % 3 + 2) % 3;
      C[i] = R[3 * a + c] * R[3 * b + d] - R[3 * a + d] * R[3 * b + c];
    }
    for (int i = 0; i < 3; i++) det += R[i] * C[i];
    CHECK(det > 0, "an inverted tet");
    for (int i = 0; i < 9; i++) R[i] = (R[i] + C[i] / det) / 2;
  }
}

/* The rest tet, rotated by R about its centre of mass, which moves to that of x. */
static void add_tet(sums *s, const PetscInt v[4])
{
  double whole = 0, c[3] = {0}, C[3] = {0}, R[9] = {0}, p[3];
  for (int a = 0; a < 4; a++) whole += s->mass[3 * v[a]];
  for (int i = 0; i < 12; i++) {
    c[i % 3] += s->mass[3 * v[i / 3]] / whole * s->x[3 * v[i / 3] + i % 3];
    C[i % 3] += s->mass[3 * v[i / 3]] / whole * s->mesh->X[3 * v[i / 3] + i % 3];
  }
  for (int a = 0; a < 4; a++) {
    for (int i = 0; i < 9; i++)
      R[i] += s->mass[3 * v[a]] * (s->x[3 * v[a] + i / 3] - c[i / 3]) * (s->mesh->X[3 * v[a] + i % 3] - C[i % 3]);
  }
  polar(R);
  for (int a = 0; a < 4; a++) {
    for (int i = 0; i < 3; i++) {
      p[i] = c[i];
      for (int j = 0; j < 3; j++) p[i] += R[3 * i + j] * (s->mesh->X[3 * v[a] + j] - C[j]);
    }
    add(s, v[a], p);
  }
}

/* Both ends move along the spring, the lighter one further, until it is 1.5 m long. */
static void add_spring(sums *s, PetscInt a, PetscInt b)
{
  const double *x = s->x + 3 * a, *y = s->x + 3 * b, ma = s->mass[3 * a], mb = s->mass[3 * b];
  const double  length = sqrt(PetscSqr(x[0] - y[0]) + PetscSqr(x[1] - y[1]) + PetscSqr(x[2] - y[2]));
  double        p[3], q[3];
  for (int c = 0; c < 3; c++) {
    const double shift = (length - 1.5) / (ma + mb) * (x[c] - y[c]) / length;
    p[c] = x[c] - mb * shift, q[c] = y[c] + ma * shift;
  }
  add(s, a, p);
  add(s, b, q);
}

static void add_elements(sums *s)
{
  const wring_mesh *m    = s->mesh;
  const PetscInt    held = wring_names_find(&m->set.names, "xmin");
  double            target[3];
  for (PetscInt e = 0; e < m->tets.n; e++) add_tet(s, m->tets.corner + 4 * e);
  for (PetscInt i = 0; i < 12; i++) {
    const PetscInt a = wring_mesh_local(m, i);
    if (a >= 0 && a < m->n_owned) add_spring(s, a, wring_mesh_local(m, m->number.n_global - 1 - i));
  }
  for (PetscInt i = 0; i < m->set.count[held]; i++) {
    test_twist(m->X + 3 * m->set.vertex[held][i], target);
    add(s, m->set.vertex[held][i], target);
  }
}

/* M (y - x) + sum M_e (p_e - x_e), m_i (1 + n_i), and E_m, by the formulas. */
static PetscErrorCode by_hand(test_body *m, Vec x, Vec y, Vec mass, Vec f, Vec count, double *energy)
{
  sums          s   = {.mesh = m->mesh};
  const double *own = wring_potential_mass(m->g), *ya;
  Vec           local[2], sum[2] = {f, count};
  double       *a;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(mass, &a));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) a[i] = own[i / 3];
  PetscCall(VecRestoreArrayWrite(mass, &a));
  PetscCall(wring_potential_get_local(m->g, x, &s.x));
  PetscCall(wring_potential_get_local(m->g, mass, &s.mass));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecGhostGetLocalForm(sum[i], &local[i]));
    PetscCall(VecZeroEntries(local[i]));
    PetscCall(VecGetArray(local[i], i ? &s.count : &s.f));
  }
  add_elements(&s);
  PetscCall(VecGetArrayRead(y, &ya));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) {
    s.f[i] += own[i / 3] * (ya[i] - s.x[i]);
    s.count[i] += 1;
    s.energy += 0.5 * own[i / 3] * PetscSqr(ya[i] - s.x[i]);
  }
  PetscCall(VecRestoreArrayRead(y, &ya));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecRestoreArray(local[i], i ? &s.count : &s.f));
    PetscCall(VecGhostRestoreLocalForm(sum[i], &local[i]));
    PetscCall(VecGhostUpdateBegin(sum[i], ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecGhostUpdateEnd(sum[i], ADD_VALUES, SCATTER_REVERSE));
  }
  PetscCall(VecRestoreArrayRead(mass, &s.mass));
  PetscCall(VecRestoreArrayRead(x, &s.x));
  PetscCall(VecPointwiseMult(count, count, mass));
  *energy = s.energy / (h * h);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Fails if an element's nearest rest state, a mass, a count or the step differs from the formulas. */
static PetscErrorCode test_step(void)
{
  test_body     m;
  Vec           y, x, mass, hand[2], residual, diagonal;
  wring_value   value;
  wring_outcome outcome;
  double        distance, energy;

  PetscFunctionBegin;
  PetscCall(create(PETSC_TRUE, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &mass));
  PetscCall(VecDuplicate(y, &residual));
  PetscCall(VecDuplicate(y, &diagonal));
  for (int i = 0; i < 2; i++) PetscCall(VecDuplicate(y, &hand[i]));
  PetscCall(test_body_place(&m, test_twist, 0.05, x));
  PetscCall(by_hand(&m, x, y, mass, hand[0], hand[1], &energy));
  PetscCall(wring_potential_mass_residual(m.g, x, &value, residual));
  PetscCall(wring_potential_mass_diagonal(m.g, diagonal));
  PetscCall(test_distance(residual, hand[0], &distance));
  CHECK(distance <= 1e-12, "the residual is off by %g kg m", distance);
  PetscCall(test_distance(diagonal, hand[1], &distance));
  CHECK(distance <= 1e-10, "the diagonal is off by %g kg", distance);
  CHECK(fabs(value.objective - energy) <= 1e-12 * energy, "E_m is %g, not %g", value.objective, energy);
  PetscCall(VecPointwiseDivide(residual, hand[0], hand[1]));
  PetscCall(VecAXPY(residual, 1, x));
  PetscCall(test_body_solve(&m, "jacobi", 1, 0, x, &outcome));
  PetscCall(test_distance(x, residual, &distance));
  CHECK(distance <= 1e-13, "an iteration is off by %g m", distance);
  CHECK(outcome.last.linear_iterations == 0 && outcome.last.evaluations == 0, "it solves or evaluates");
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&mass));
  PetscCall(VecDestroy(&residual));
  PetscCall(VecDestroy(&diagonal));
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&hand[i]));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  E_m decreases in every iteration from a crumpled start with inverted tets, and at its minimiser a free body has the
  momentum of y. Fails if p_e is not the nearest rest state, or if an element's centre of mass moves.
*/
static PetscErrorCode test_descent(void)
{
  test_body     m;
  Vec           y, x, r;
  wring_value   value;
  wring_outcome outcome;
  double        last = INFINITY, drift;
  PetscReal     norm;

  PetscFunctionBegin;
  PetscCall(create(PETSC_FALSE, &m, &y));
  PetscCall(VecDuplicate(y, &x));
  PetscCall(VecDuplicate(y, &r));
  PetscCall(test_body_place(&m, test_twist, 0.5, x));
  for (int k = 0; k < 50; k++) {
    PetscCall(wring_potential_mass_residual(m.g, x, &value, r));
    CHECK(value.objective <= last * (1 + 1e-14), "E_m rises from %.17g to %.17g", last, value.objective);
    last = value.objective;
    PetscCall(test_body_solve(&m, "jacobi", 1, 0, x, &outcome));
  }
  PetscCall(test_body_solve(&m, "jacobi", 3000, 0, x, &outcome));
  PetscCall(wring_potential_mass_residual(m.g, x, &value, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK(norm <= 1e-11, "3000 iterations leave %g kg m", norm);
  PetscCall(test_drift(&m, x, y, &drift));
  CHECK(drift <= 1e-12, "momentum drifts by %g", drift);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if another metric is accepted, or a law whose nearest rest state is not known. */
static PetscErrorCode test_refusals(void)
{
  test_body     m;
  Vec           y;
  wring_solver *s;

  PetscFunctionBegin;
  PetscCall(create(PETSC_FALSE, &m, &y));
  PetscCall(wring_solver_create(PETSC_COMM_WORLD, m.g, NULL, NULL, &s));
  PetscCall(wring_options_set(m.o, "solver_pd_metric", "volume", "deck:3"));
  CHECK_REFUSED(wring_solver_set_from_options(s, m.o, "pd"), "solver_pd_metric", "expected one of element, mass");
  PetscCall(wring_solver_set_from_options(s, m.o, "jacobi")); // needs no operator
  PetscCall(wring_solver_set_up(s));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(test_body_destroy_with(&m, &y));
  PetscCall(test_body_create("corotated", h, 0, &m));
  CHECK_REFUSED(wring_potential_require_rest_pose(m.g, "pd"), "solver 'pd' cannot use material 'corotated'", "masses");
  PetscCall(test_body_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_step());
  PetscCall(test_descent());
  PetscCall(test_refusals());
  PetscCall(PetscFinalize());
  return 0;
}
