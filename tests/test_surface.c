/* ranks: 1 2 4 */
/*
  Sheets, surfaces and lines as terms on ranks: a flat sheet has no bending energy, a rolled one that of its curvature,
  an affine stretch that of its stretches; derivatives, momentum and sums over ranks of all of them together, with the
  skin of a box; edges of two triangles found across ranks; masses whose bits do not depend on the partition; load
  balance of a body with a large cloth.
*/
#include "distribute.h"
#include "refused.h"
#include <float.h>
#include <math.h>
#include <wring/io.h>
#include <wring/potential.h>

/* Triangles and hinges of a set in local numbers; the halo includes all their vertices. */
typedef struct {
  PetscInt  n, n_hinge;
  PetscInt *triangle, *hinge;
} surface;

static PetscErrorCode take_surface(wring_mesh *m, const char *set, surface *s)
{
  PetscFunctionBegin;
  PetscCall(wring_mesh_list_elements(m, wring_names_find(&m->set.names, set), 3, &s->n, &s->triangle));
  PetscCall(wring_mesh_find_hinges(m, set, s->n, s->triangle, &s->n_hinge, &s->hinge));
  PetscCall(wring_mesh_extend_halo(m, 3 * s->n, s->triangle));
  PetscCall(wring_mesh_extend_halo(m, 4 * s->n_hinge, s->hinge));
  for (PetscInt i = 0; i < 3 * s->n; i++) s->triangle[i] = wring_mesh_local(m, s->triangle[i]);
  for (PetscInt i = 0; i < 4 * s->n_hinge; i++) s->hinge[i] = wring_mesh_local(m, s->hinge[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode drop_surface(surface *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->triangle));
  PetscCall(PetscFree(s->hinge));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A potential without terms; every vertex has 1 kg. */
static PetscErrorCode empty_potential(const wring_mesh *m, wring_potential **g)
{
  double *mass;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n_owned, &mass));
  for (PetscInt i = 0; i < m->n_owned; i++) mass[i] = 1;
  PetscCall(wring_potential_create(m, mass, NULL, g));
  PetscCall(PetscFree(mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef void place(const double X[3], double x[3]);

static PetscErrorCode set_positions(const wring_mesh *m, place *map, double noise, Vec x)
{
  double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    map(m->X + 3 * i, xa + 3 * i);
    for (int c = 0; c < 3; c++) {
      uint64_t state = 77 + 3 * (uint64_t)m->number.original[i] + (uint64_t)c;
      xa[3 * i + c] += noise * test_random(&state);
    }
  }
  PetscCall(VecRestoreArray(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void at_rest(const double X[3], double x[3])
{
  memcpy(x, X, 3 * sizeof *x);
}

static const double curvature = 1.7; // 1/m

/* Rolls the plane z = 0 about the y axis without changing lengths, then rotates it. */
static void rolled(const double X[3], double x[3])
{
  const double p[3] = {sin(curvature * X[0]) / curvature, X[1], (1 - cos(curvature * X[0])) / curvature};
  x[0] = p[1] + 3, x[1] = p[2] - 1, x[2] = p[0];
}

/* Rotated and translated without bending. */
static void turned(const double X[3], double x[3])
{
  const double c = cos(0.7), s = sin(0.7);
  x[0] = c * X[0] - s * X[1] + 5, x[1] = s * X[0] + c * X[1], x[2] = X[2] - 2;
}

/* Stretched by 1.3 and 0.8 along axes rotated by 0.4 in the plane. */
static void stretched(const double X[3], double x[3])
{
  const double c = cos(0.4), s = sin(0.4), u = 1.3 * (c * X[0] + s * X[1]), v = 0.8 * (c * X[1] - s * X[0]);
  x[0] = u, x[1] = X[2] + 1, x[2] = v;
}

/* ---- bending ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode bending_energy(PetscInt n, const wring_law *law, place *map, double *energy)
{
  const wring_box  box = {.size = {1, 1.2, 0}, .cells = {n, n, 0}};
  wring_mesh      *m;
  surface          s;
  wring_potential *g;
  wring_term      *t;
  wring_value      value;
  Vec              x;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  PetscCall(take_surface(m, "box", &s));
  PetscCall(empty_potential(m, &g));
  PetscCall(wring_term_create_hinges(m, "box", law, 2.5, s.n_hinge, s.hinge, &t));
  PetscCall(wring_potential_add_term(g, t));
  PetscCall(wring_potential_create_vec(g, &x));
  PetscCall(set_positions(m, map, 0, x));
  PetscCall(wring_potential_value(g, x, &value));
  *energy = value.elastic;
  PetscCall(VecDestroy(&x));
  PetscCall(wring_potential_destroy(&g));
  PetscCall(drop_surface(&s));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  k/2 kappa^2 A of a cylinder, up to O(1/n), because the bent edges at the border are missing. Fails if weights or areas
  are wrong.
*/
static PetscErrorCode check_bending(const wring_law *law)
{
  const double expected = 0.5 * 2.5 * curvature * curvature * 1.2;
  double       energy, last = INFINITY;

  PetscFunctionBegin;
  PetscCall(bending_energy(8, law, turned, &energy));
  CHECK(energy >= 0 && energy < 1e-24, "%s: a flat sheet has the energy %g", law->name, energy);
  for (PetscInt n = 8; n <= 64; n *= 2) {
    PetscCall(bending_energy(n, law, rolled, &energy));
    const double error = fabs(energy - expected) / expected;
    CHECK(error < 1.5 / (double)n && error < 0.6 * last, "%s: %d cells: energy %.8g, expected %.8g, error %g after %g",
          law->name, (int)n, energy, expected, error, last);
    last = error;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- membranes --------------------------------------------------------------------------------------------------- */

/* |A - B| / |B| of the Hessians with `how` and with a filter for all elements. */
static PetscErrorCode hessian_difference(wring_potential *g, Vec x, const wring_hessian_choice *how, wring_filter of,
                                         double *difference)
{
  Mat    A = NULL, B = NULL;
  double size;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian_with(g, x, how, &A));
  PetscCall(wring_potential_hessian(g, x, of, &B));
  PetscCall(MatNorm(B, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(A, -1, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(A, NORM_FROBENIUS, difference));
  *difference /= size;
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a filter for thin parts leaves out membranes under compression. Tets: test_newton.c. */
static PetscErrorCode check_thin(wring_potential *g, Vec x)
{
  const wring_hessian_choice thin = {.filter = WRING_FILTER_CLAMP, .thin = PETSC_TRUE};
  double                     clamped, none;

  PetscFunctionBegin;
  PetscCall(wring_potential_set_step(g, 1e3));
  PetscCall(hessian_difference(g, x, &thin, WRING_FILTER_CLAMP, &clamped));
  PetscCall(hessian_difference(g, x, &thin, WRING_FILTER_NONE, &none));
  CHECK(clamped == 0 && none > 1e-3, "a filter for thin parts: %g from all, %g from none", clamped, none);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every triangle of a jittered sheet has the same F: psi for the stretches 1.3 and 0.8 times the area, in closed form.
*/
static PetscErrorCode check_stretch(void)
{
  const wring_box        box    = {.size = {1, 1.2, 0}, .cells = {7, 5, 0}, .jitter = 0.3};
  const wring_law *const law[]  = {&wring_law_membrane_strain, &wring_law_membrane_strain_limit,
                                   &wring_law_membrane_area};
  const double           par[3] = {30, 0.9, 1.1};
  const double           psi[3] = {15 * (0.3 * 0.3 + 0.2 * 0.2), 15 * (0.2 * 0.2 + 0.1 * 0.1), 0};
  wring_mesh            *m;
  surface                s;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  PetscCall(take_surface(m, "box", &s));
  for (int i = 0; i < 3; i++) {
    wring_potential *g;
    wring_term      *t;
    wring_value      value;
    Vec              x;
    PetscCall(empty_potential(m, &g));
    PetscCall(wring_term_create_triangles(m, "box", law[i], par, s.n, s.triangle, &t));
    PetscCall(wring_potential_add_term(g, t));
    PetscCall(wring_potential_create_vec(g, &x));
    PetscCall(set_positions(m, stretched, 0, x));
    PetscCall(wring_potential_value(g, x, &value));
    CHECK(fabs(value.elastic - 1.2 * psi[i]) <= 1e-12, "%s: energy %.15g, expected %.15g", law[i]->name, value.elastic,
          1.2 * psi[i]);
    if (i < 2) PetscCall(check_thin(g, x));
    PetscCall(VecDestroy(&x));
    PetscCall(wring_potential_destroy(&g));
  }
  PetscCall(drop_surface(&s));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all terms on a box with a skin ------------------------------------------------------------------------------ */

/* A box of tets whose sides zmax and xmin are membranes with bending: hinges across ranks. */
static PetscErrorCode make_body(MPI_Comm comm, wring_mesh **m, wring_potential **g)
{
  const wring_box        box    = {.size = {2, 1, 1}, .cells = {6, 3, 3}, .jitter = 0.2};
  const wring_law *const law[]  = {&wring_law_membrane_strain, &wring_law_membrane_strain_limit,
                                   &wring_law_membrane_area};
  const double           par[3] = {30, 0.95, 1.05}, k = 50;
  surface                s[2];
  wring_term            *t;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(comm, &box, m));
  PetscCall(wring_mesh_list_elements(*m, wring_names_find(&(*m)->set.names, "zmax"), 3, &s[0].n, &s[0].triangle));
  PetscCall(wring_mesh_list_elements(*m, wring_names_find(&(*m)->set.names, "xmin"), 3, &s[1].n, &s[1].triangle));
  for (int i = 0; i < 2; i++) {
    PetscCall(wring_mesh_find_hinges(*m, "side", s[i].n, s[i].triangle, &s[i].n_hinge, &s[i].hinge));
    PetscCall(wring_mesh_extend_halo(*m, 3 * s[i].n, s[i].triangle));
    PetscCall(wring_mesh_extend_halo(*m, 4 * s[i].n_hinge, s[i].hinge));
  }
  PetscCall(empty_potential(*m, g));
  PetscCall(wring_term_create_tets(*m, 0, &wring_law_strain, &k, 0, NULL, &t));
  PetscCall(wring_potential_add_term(*g, t));
  for (int i = 0; i < 2; i++) {
    for (PetscInt j = 0; j < 3 * s[i].n; j++) s[i].triangle[j] = wring_mesh_local(*m, s[i].triangle[j]);
    for (PetscInt j = 0; j < 4 * s[i].n_hinge; j++) s[i].hinge[j] = wring_mesh_local(*m, s[i].hinge[j]);
    for (int l = 0; l < 3; l++) {
      PetscCall(wring_term_create_triangles(*m, "side", law[l], par, s[i].n, s[i].triangle, &t));
      PetscCall(wring_potential_add_term(*g, t));
    }
    PetscCall(wring_term_create_hinges(*m, "side", i ? &wring_law_bending_rigid : &wring_law_bending_isometric, 0.1,
                                       s[i].n_hinge, s[i].hinge, &t));
    PetscCall(wring_potential_add_term(*g, t));
    PetscCall(drop_surface(&s[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double value_at(wring_potential *g, Vec x, double step, Vec d)
{
  wring_value value;
  Vec         y;
  PetscCallAbort(PETSC_COMM_WORLD, VecDuplicate(x, &y));
  PetscCallAbort(PETSC_COMM_WORLD, VecWAXPY(y, step, d, x));
  PetscCallAbort(PETSC_COMM_WORLD, wring_potential_value(g, y, &value));
  PetscCallAbort(PETSC_COMM_WORLD, VecDestroy(&y));
  return value.elastic;
}

/* Compares grad E . d and d . H d with differences of the energy along d. */
static PetscErrorCode check_derivatives(wring_potential *g, Vec x)
{
  const double h = 1e-4;
  double       slope, curve;
  Vec          d, f, y;
  Mat          H = NULL;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(g, &d));
  PetscCall(VecDuplicate(d, &f));
  PetscCall(VecDuplicate(d, &y));
  PetscCall(set_positions(wring_potential_mesh(g), at_rest, 0, y));
  PetscCall(set_positions(wring_potential_mesh(g), at_rest, 1, d));
  PetscCall(VecAXPY(d, -1, y));
  PetscCall(wring_potential_set_target(g, x)); // no inertial force at x
  PetscCall(wring_potential_gradient(g, x, f));
  PetscCall(VecDot(f, d, &slope));
  const double at[4]      = {value_at(g, x, h, d), value_at(g, x, -h, d), value_at(g, x, 2 * h, d),
                             value_at(g, x, -2 * h, d)};
  const double difference = (8 * (at[0] - at[1]) - (at[2] - at[3])) / (12 * h);
  CHECK(fabs(slope - difference) <= 1e-6 * fabs(slope), "grad E . d = %.12g, differences %.12g", slope, difference);
  PetscCall(wring_potential_set_step(g, 1e9)); // nor masses in H
  PetscCall(wring_potential_hessian(g, x, WRING_FILTER_NONE, &H));
  PetscCall(MatMult(H, d, f));
  PetscCall(VecDot(f, d, &curve));
  const double second = (16 * (at[0] + at[1]) - (at[2] + at[3]) - 30 * value_at(g, x, 0, d)) / (12 * h * h);
  CHECK(fabs(curve - second) <= 1e-4 * fabs(curve), "d . H d = %.10g, differences %.10g", curve, second);
  PetscCall(MatDestroy(&H));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&f));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The forces of elements add up to zero, and so do their moments: no net force on a free body. */
static PetscErrorCode check_momentum(wring_potential *g, Vec x)
{
  const wring_mesh *const m = wring_potential_mesh(g);
  const double           *xa, *fa;
  double                  sum[7] = {0};
  Vec                     f;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(g, &f));
  PetscCall(wring_potential_gradient(g, x, f));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(f, &fa));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    const double *const p = xa + 3 * i, *const q = fa + 3 * i;
    for (int c = 0; c < 3; c++) {
      sum[c] += q[c];
      sum[3 + c] += p[(c + 1) % 3] * q[(c + 2) % 3] - p[(c + 2) % 3] * q[(c + 1) % 3];
      sum[6] += fabs(q[c]);
    }
  }
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(VecRestoreArrayRead(f, &fa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 7, MPI_DOUBLE, MPI_SUM, m->comm));
  for (int i = 0; i < 6; i++)
    CHECK(fabs(sum[i]) <= 1e-12 * sum[6], "force or moment %d is %g of %g", i, sum[i], sum[6]);
  PetscCall(VecDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if an element between ranks is lost or counted twice. */
static PetscErrorCode check_body(void)
{
  wring_mesh      *m, *alone;
  wring_potential *g, *one;
  wring_value      value, expected;
  Vec              x, y;

  PetscFunctionBegin;
  PetscCall(make_body(PETSC_COMM_WORLD, &m, &g));
  PetscCall(make_body(PETSC_COMM_SELF, &alone, &one));
  PetscCall(wring_potential_create_vec(g, &x));
  PetscCall(wring_potential_create_vec(one, &y));
  PetscCall(set_positions(m, at_rest, 0.08, x));
  PetscCall(set_positions(alone, at_rest, 0.08, y));
  PetscCall(wring_potential_set_target(g, x));
  PetscCall(wring_potential_value(g, x, &value));
  PetscCall(wring_potential_value(one, y, &expected));
  CHECK(fabs(value.elastic - expected.elastic) <= 1e-12 * expected.elastic, "energy %.15g, on one rank %.15g",
        value.elastic, expected.elastic);
  PetscCall(check_momentum(g, x));
  PetscCall(check_derivatives(g, x));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(wring_potential_destroy(&g));
  PetscCall(wring_potential_destroy(&one));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(wring_mesh_destroy(&alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- masses ------------------------------------------------------------------------------------------------------ */

/* Masses of a jittered sheet by original number; mass [n_global] on every rank. */
static PetscErrorCode lump_sheet(MPI_Comm comm, PetscInt *n, double **mass)
{
  const wring_box box = {.size = {0.7, 1.1, 0}, .cells = {9, 8, 0}, .jitter = 0.4};
  wring_mesh     *m;
  surface         s;
  wring_lumps     lumps = {.n = 0};
  double         *mine;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(comm, &box, &m));
  PetscCall(take_surface(m, "box", &s));
  lumps.n      = 3 * s.n;
  lumps.vertex = s.triangle;
  PetscCall(PetscMalloc2(lumps.n, &lumps.part, m->n_owned, &mine));
  for (PetscInt e = 0; e < s.n; e++) {
    const PetscInt *const v = s.triangle + 3 * e;
    double                B[4], area;
    wring_triangle_rest(m->X + 3 * v[0], m->X + 3 * v[1], m->X + 3 * v[2], B, &area);
    for (int a = 0; a < 3; a++) lumps.part[3 * e + a] = 0.3 * area / 3;
  }
  PetscCall(wring_mesh_lump_masses(m, WRING_MASS_DIAGONAL, NULL, &lumps, mine));
  *n = m->number.n_global;
  PetscCall(PetscCalloc1(*n, mass));
  for (PetscInt i = 0; i < m->n_owned; i++) (*mass)[m->number.original[i]] = mine[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, *mass, (PetscMPIInt)*n, MPI_DOUBLE, MPI_SUM, comm));
  PetscCall(PetscFree2(lumps.part, mine));
  PetscCall(drop_surface(&s));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_masses(void)
{
  PetscInt n, n_one;
  double  *mass, *one, sum = 0;

  PetscFunctionBegin;
  PetscCall(lump_sheet(PETSC_COMM_WORLD, &n, &mass));
  PetscCall(lump_sheet(PETSC_COMM_SELF, &n_one, &one));
  CHECK(n == n_one && !memcmp(mass, one, (size_t)n * sizeof *mass), "masses depend on the partition");
  for (PetscInt i = 0; i < n; i++) sum += mass[i];
  CHECK(fabs(sum - 0.3 * 0.7 * 1.1) <= 1e-15, "mass %.17g", sum);
  PetscCall(PetscFree(mass));
  PetscCall(PetscFree(one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- edges and partitions ---------------------------------------------------------------------------------------- */

/* A fan of three triangles about an edge is not a surface; a duplicate triangle is named in the message. */
static PetscErrorCode check_fan(void)
{
  const PetscInt   element[3][4] = {{0, 0, 1, 2}, {0, 1, 0, 3}, {0, 4, 0, 1}};
  wring_mesh_data *d             = NULL;
  wring_mesh      *m;
  PetscInt         n, n_hinge, *triangle, *hinge;
  const wring_box  box = {.size = {1, 1, 0}, .cells = {2, 2, 0}};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  for (int twice = 0; twice < 2; twice++) {
    if (rank == 0) {
      PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &d, &(wring_error){""}));
      d->n_set_element = 3;
      memcpy(d->set_element, element, sizeof element);
      if (twice) memcpy(d->set_element + 8, (PetscInt[]){0, 2, 0, 1}, 4 * sizeof(PetscInt));
    }
    PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &d, &m));
    if (twice) {
      CHECK_REFUSED(wring_mesh_list_elements(m, 0, 3, &n, &triangle),
                    "'xmin' has the triangle of vertices 0, 1, 2 twice", "");
    } else {
      PetscCall(wring_mesh_list_elements(m, 0, 3, &n, &triangle));
      CHECK_REFUSED(wring_mesh_find_hinges(m, "fan", n, triangle, &n_hinge, &hinge),
                    "fan: the edge of vertices 0 and 1 has three triangles, to vertices 2, 3 and 4",
                    "expected at most two");
      PetscCall(PetscFree(triangle));
    }
    PetscCall(wring_mesh_destroy(&m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Interior edges of a sheet: 3 n m + n + m edges minus 2 (n + m) on the border. */
static PetscErrorCode check_hinges(void)
{
  const wring_box box = {.size = {1, 1, 0}, .cells = {11, 7, 0}};
  wring_mesh     *m;
  surface         s;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  PetscCall(take_surface(m, "box", &s));
  PetscCallMPI(MPI_Allreduce(&s.n_hinge, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(n == 3 * 11 * 7 - 11 - 7, "%d edges between triangles", (int)n);
  PetscCall(drop_surface(&s));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ranks own nearly equal numbers of vertices if a body of 27 vertices has a cloth of 480 beside it. */
static PetscErrorCode check_balance(void)
{
  const wring_box  box = {.size = {1, 1, 1}, .cells = {2, 2, 2}};
  wring_mesh_data *d   = NULL;
  wring_mesh      *m;
  PetscInt         most, least;

  PetscFunctionBegin;
  if (wring_comm_rank(PETSC_COMM_WORLD) == 0) {
    PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &d, &(wring_error){""}));
    const PetscInt first = d->n_vertex;
    d->n_vertex += 480;
    PetscCall(PetscRealloc(3 * (size_t)d->n_vertex * sizeof *d->X, &d->X));
    for (PetscInt v = first; v < d->n_vertex; v++) {
      d->X[3 * v] = 1 + (double)(v % 24) / 24, d->X[3 * v + 1] = (double)(v / 24) / 24, d->X[3 * v + 2] = 1;
    }
  }
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &d, &m));
  PetscCallMPI(MPI_Allreduce(&m->n_owned, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(&m->n_owned, &least, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  CHECK(most - least <= 1, "ranks own %d to %d vertices", (int)least, (int)most);
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check_bending(&wring_law_bending_isometric));
  PetscCall(check_bending(&wring_law_bending_rigid));
  PetscCall(check_stretch());
  PetscCall(check_body());
  PetscCall(check_masses());
  PetscCall(check_fan());
  PetscCall(check_hinges());
  PetscCall(check_balance());
  PetscCall(PetscFinalize());
  return 0;
}
