/* ranks: 1 2 4 */
/*
  Curves of time, surfaces, loads and drag: curves at and between their points, normals and sums of pressure, and the
  path of a free body with loads and drag by every integrator, compared with the recursion for one particle.
*/
#include "body.h"
#include "refused.h"
#include <wring/load.h>

/* ---- curves ------------------------------------------------------------------------------------------------------ */

enum { N_ROW = 6 };
static const double row[N_ROW][4] = {{-1, 2, 0, 1}, {0.5, -1, 3, 1}, {0.7, 4, 3, -2},
                                     {2, 4, -5, 0}, {5, 0.25, 1, 1}, {5.5, 7, 0, 8}};

static PetscErrorCode make_curve(wring_curve_type type, PetscInt n, int width, const double *rows, wring_time_curve **c)
{
  wring_error e = {""};

  PetscFunctionBegin;
  PetscCall(wring_time_curve_create(type, "test.csv", n, width, rows, c, &e));
  CHECK(*c && !e.text[0], "%s", e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Every point is exact, also in a copy; constant outside; C1 everywhere. Fails if a slope is taken from the left only,
  or is missing at the ends.
*/
static PetscErrorCode test_points(void)
{
  const double eps = 1e-6;
  for (int type = WRING_CURVE_LINEAR; type <= WRING_CURVE_CUBIC; type++) {
    wring_time_curve *c, *copy;
    double            at[3], left[3], right[3], before[3], after[3];
    PetscCall(make_curve((wring_curve_type)type, N_ROW, 3, row[0], &c));
    PetscCall(wring_time_curve_copy(c, &copy));
    PetscCall(wring_time_curve_destroy(&c));
    for (int i = 0; i < N_ROW; i++) {
      const double t = row[i][0];
      wring_time_curve_at(copy, t, at);
      wring_time_curve_at(copy, t - eps, left);
      wring_time_curve_at(copy, t + eps, right);
      wring_time_curve_at(copy, t - 2 * eps, before);
      wring_time_curve_at(copy, t + 2 * eps, after);
      for (int k = 0; k < 3; k++) {
        CHECK(at[k] == row[i][1 + k], "type %d: point %d: %.17g", type, i, at[k]);
        CHECK(fabs(left[k] - at[k]) < 1e-4 && fabs(right[k] - at[k]) < 1e-4, "type %d: a jump at point %d", type, i);
        const double from = (left[k] - before[k]) / eps, to = (after[k] - right[k]) / eps;
        if (type == WRING_CURVE_CUBIC) CHECK(fabs(from - to) < 3e-4, "kink at point %d: %g, %g", i, from, to);
      }
    }
    wring_time_curve_at(copy, -1e300, at);
    CHECK(at[0] == row[0][1], "before: %g", at[0]);
    wring_time_curve_at(copy, 1e300, at);
    CHECK(at[2] == row[N_ROW - 1][3], "after: %g", at[2]);
    PetscCall(wring_time_curve_destroy(&copy));
  }
  return PETSC_SUCCESS;
}

/*
  Straight lines between points. A parabola is exact in pieces whose ends are both interior points; uniform weights of
  the slopes fail.
*/
static PetscErrorCode test_between(void)
{
  static const double time[5] = {0, 1, 1.5, 4, 6};
  double              rows[5][2], v;
  wring_time_curve   *c;
  for (int i = 0; i < 5; i++) rows[i][0] = time[i], rows[i][1] = 3 * time[i] * time[i] - 2 * time[i] + 1;
  PetscCall(make_curve(WRING_CURVE_CUBIC, 5, 1, rows[0], &c));
  for (double t = 1; t <= 4; t += 0.125) {
    wring_time_curve_at(c, t, &v);
    CHECK(fabs(v - (3 * t * t - 2 * t + 1)) < 1e-13 * 40, "parabola at %g: %.17g", t, v);
  }
  PetscCall(wring_time_curve_destroy(&c));
  PetscCall(make_curve(WRING_CURVE_LINEAR, 5, 1, rows[0], &c));
  wring_time_curve_at(c, 5, &v);
  CHECK(fabs(v - 0.5 * (rows[3][1] + rows[4][1])) < 1e-13, "middle of a line: %.17g", v);
  PetscCall(wring_time_curve_destroy(&c));
  PetscCall(make_curve(WRING_CURVE_CUBIC, 1, 1, rows[2], &c));
  wring_time_curve_at(c, 5, &v);
  CHECK(v == rows[2][1], "one point: %g", v);
  PetscCall(wring_time_curve_destroy(&c));
  return PETSC_SUCCESS;
}

/* A time that does not increase is refused with its line, also one equal to the last. */
static PetscErrorCode test_faults(void)
{
  static const double back[3][2] = {{0, 1}, {1, 1}, {1, 2}};
  wring_time_curve   *c;
  wring_error         e = {""}, none = {""};
  PetscCall(wring_time_curve_create(WRING_CURVE_LINEAR, "f.csv", 3, 1, back[0], &c, &e));
  CHECK(!c && strstr(e.text, "f.csv:4: time 1 follows time 1"), "%s", e.text);
  PetscCall(wring_time_curve_create(WRING_CURVE_LINEAR, "f.csv", 0, 1, NULL, &c, &none));
  CHECK(!c && strstr(none.text, "f.csv: the curve has no points"), "%s", none.text);
  return PETSC_SUCCESS;
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static const char *const sides[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};

/* The sum of area times normal of triangles of local vertices, over all ranks, at rest. */
static void sum_areas(const wring_mesh *m, PetscInt n, const PetscInt *v, double area[3])
{
  area[0] = area[1] = area[2] = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *const at = v + WRING_FACE * i;
    const double         *a = m->X + 3 * at[0], *b = m->X + 3 * at[1], *c = m->X + 3 * at[2];
    for (int k = 0; k < 3; k++) {
      const int s = (k + 1) % 3, t = (k + 2) % 3;
      area[k] += 0.5 * ((b[s] - a[s]) * (c[t] - a[t]) - (b[t] - a[t]) * (c[s] - a[s]));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, area, 3, MPI_DOUBLE, MPI_SUM, m->comm);
}

/* All sides' triangles as local vertices; surface [6], freed by the caller. */
static PetscErrorCode find_sides(wring_mesh *m, PetscInt n[6], PetscInt *triangle[6])
{
  PetscFunctionBegin;
  for (int i = 0; i < 6; i++)
    PetscCall(wring_mesh_surface(m, wring_names_find(&m->set.names, sides[i]), PETSC_FALSE, &n[i], &triangle[i]));
  for (int i = 0; i < 6; i++) {
    for (PetscInt k = 0; k < WRING_FACE * n[i]; k++) {
      CHECK(triangle[i][k] >= 0 || k % WRING_FACE > 2, "a triangle of %s without corners", sides[i]);
      if (triangle[i][k] < 0) continue;
      triangle[i][k] = wring_mesh_local(m, triangle[i][k]);
      CHECK(triangle[i][k] >= 0, "a triangle of %s without its vertices", sides[i]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The sides of a box, 2 x 1 x 1 m, refined or not: the number of triangles is right, each occurs once, normals point
  outwards. Fails if a triangle is oriented by the file and not by its tet.
*/
static PetscErrorCode test_sides(PetscInt refine)
{
  const PetscInt cells[3] = {4, 3, 2}, split = refine ? 4 : 1;
  wring_mesh    *m = test_box(PETSC_COMM_WORLD, cells);
  PetscInt       n[6], *triangle[6];
  double         area[3];
  PetscCall(wring_mesh_refine(m, refine));
  PetscCall(find_sides(m, n, triangle));
  for (int i = 0; i < 6; i++) {
    const int      axis = i / 2;
    const PetscInt all  = 2 * cells[(axis + 1) % 3] * cells[(axis + 2) % 3] * split;
    PetscInt       sum;
    MPI_Allreduce(&n[i], &sum, 1, MPIU_INT, MPI_SUM, m->comm);
    CHECK(sum == all, "%s: %d triangles, expected %d", sides[i], (int)sum, (int)all);
    sum_areas(m, n[i], triangle[i], area);
    for (int k = 0; k < 3; k++) {
      const double expected = k == axis ? (i % 2 ? 1 : -1) * (axis == 0 ? 1. : 2.) : 0;
      CHECK(fabs(area[k] - expected) < 1e-14 * 10, "%s: area %d is %.17g", sides[i], k, area[k]);
    }
    PetscCall(PetscFree(triangle[i]));
  }
  PetscCall(wring_mesh_destroy(&m));
  return PETSC_SUCCESS;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static const wring_load_time always = {.until = INFINITY};

/*
  Pressure on all sides gives no net force and no moment for any shape; on one side, p times its area against its
  normal. At order 2 faces are curved by the displacement: fails if the rule is not of degree 4, or if the four flat
  parts of a face are loaded.
*/
static PetscErrorCode test_pressure(int order)
{
  const double   p = 7e3, eps = 1e-12;
  test_body      b = {.x = NULL};
  wring_loads   *all, *one;
  PetscInt       n[6], *triangle[6];
  double        *a, sum[6] = {0}, area[3], size = 0;
  const double  *mass;
  const PetscInt cells[3] = {4, 3, 2};
  double         par[8]   = {1e5};
  b.mesh                  = test_box(PETSC_COMM_WORLD, cells);
  if (order == 2) PetscCall(wring_mesh_raise(b.mesh));
  PetscCall(find_sides(b.mesh, n, triangle));
  b.g = test_potential(b.mesh, &wring_law_strain, par);
  PetscCall(wring_potential_create_vec(b.g, &b.x));
  test_displace(b.mesh, 0.1, 3, b.x);
  mass = wring_potential_mass(b.g);
  PetscCall(wring_loads_create(b.mesh, mass, mass, &all));
  PetscCall(wring_loads_create(b.mesh, mass, mass, &one));
  for (int i = 0; i < 6; i++) PetscCall(wring_loads_add_pressure(all, &always, p, n[i], triangle[i]));
  PetscCall(wring_loads_add_pressure(one, &always, p, n[1], triangle[1]));
  PetscCall(PetscCalloc1(3 * b.mesh->n_owned, &a));
  PetscCall(wring_loads_accelerate(all, 0, b.x, a));
  const double *x;
  PetscCall(VecGetArrayRead(b.x, &x));
  for (PetscInt i = 0; i < 3 * b.mesh->n_owned; i++) {
    const PetscInt v = i / 3, k = i % 3, s = 3 * v + (k + 1) % 3, t = 3 * v + (k + 2) % 3;
    sum[k] += mass[v] * a[i], size += fabs(mass[v] * a[i]);
    sum[3 + k] += mass[v] * (x[s] * a[t] - x[t] * a[s]);
  }
  PetscCall(VecRestoreArrayRead(b.x, &x));
  MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  CHECK(size > p, "no pressure: %g N", size);
  for (int k = 0; k < 6; k++) CHECK(fabs(sum[k]) < eps * size, "closed surface: %d is %g of %g N", k, sum[k], size);
  test_displace(b.mesh, 0, 0, b.x);
  PetscCall(PetscArrayzero(a, 3 * b.mesh->n_owned));
  PetscCall(wring_loads_accelerate(one, 0, b.x, a));
  for (int k = 0; k < 3; k++) sum[k] = 0;
  for (PetscInt i = 0; i < 3 * b.mesh->n_owned; i++) sum[i % 3] += mass[i / 3] * a[i];
  MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  sum_areas(b.mesh, n[1], triangle[1], area);
  for (int k = 0; k < 3; k++) CHECK(fabs(sum[k] + p * area[k]) < eps * p, "xmax: %d is %g N", k, sum[k]);
  CHECK(fabs(sum[0] + p) < eps * p, "xmax: %.17g N, expected %g", sum[0], -p);
  for (int i = 0; i < 6; i++) PetscCall(PetscFree(triangle[i]));
  PetscCall(PetscFree(a));
  PetscCall(wring_loads_destroy(&all));
  PetscCall(wring_loads_destroy(&one));
  PetscCall(test_body_destroy(&b));
  return PETSC_SUCCESS;
}

/*
  Totals on a box with 10 m^2: pressure on all sides has size p times the area and no sum; a force on the vertices of a
  side counts each once, whichever rank owns it, times its curve. Fails if ghosts are counted, or the curve is omitted.
*/
static PetscErrorCode test_totals(void)
{
  const double      p = 7e3, pull[3] = {3, -4, 12}, rows[2][2] = {{0, 1}, {1, 3}};
  const PetscInt    cells[3] = {4, 3, 2};
  wring_mesh       *m        = test_box(PETSC_COMM_WORLD, cells);
  wring_time_curve *curve;
  wring_loads      *l;
  wring_load_totals t;
  PetscInt          n[6], *triangle[6];
  double           *mass, *force;
  PetscCall(find_sides(m, n, triangle));
  PetscCall(make_curve(WRING_CURVE_LINEAR, 2, 1, rows[0], &curve));
  const PetscInt set = wring_names_find(&m->set.names, "xmax"), count = m->set.count[set];
  PetscCall(PetscMalloc2(m->n_owned, &mass, 3 * count, &force));
  for (PetscInt i = 0; i < m->n_owned; i++) mass[i] = 1;
  for (PetscInt i = 0; i < 3 * count; i++) force[i] = pull[i % 3] / 12; // 4 x 3 vertices
  PetscCall(wring_loads_create(m, mass, mass, &l));
  for (int i = 0; i < 6; i++) PetscCall(wring_loads_add_pressure(l, &always, p, n[i], triangle[i]));
  PetscCall(wring_loads_add_pressure(l, &(wring_load_time){.until = 0.1}, p, n[0], triangle[0]));
  PetscCall(wring_loads_add_forces(l, &(wring_load_time){curve, INFINITY}, count, m->set.vertex[set], force));
  PetscCall(wring_loads_total(l, 0.5, &t));
  CHECK(fabs(t.force_size - 26) < 1e-13 * 26, "size of forces: %.17g", t.force_size);
  CHECK(fabs(t.pressure_size - 10 * p) < 1e-13 * p, "size of pressure: %.17g", t.pressure_size);
  for (int k = 0; k < 3; k++) {
    CHECK(fabs(t.force[k] - 2 * pull[k]) < 1e-13 * 26, "force %d: %.17g", k, t.force[k]);
    CHECK(fabs(t.pressure[k]) < 1e-12 * p, "pressure %d: %.17g", k, t.pressure[k]);
  }
  PetscCall(wring_loads_total(l, 0, &t));
  CHECK(fabs(t.pressure[0] - p) < 1e-12 * p, "pressure on xmin too: %.17g", t.pressure[0]);
  for (int i = 0; i < 6; i++) PetscCall(PetscFree(triangle[i]));
  PetscCall(PetscFree2(mass, force));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscCall(wring_loads_destroy(&l));
  PetscCall(wring_mesh_destroy(&m));
  return PETSC_SUCCESS;
}

/*
  A flat face of order 2 has a third of its area at each middle and none at its corners; one with curved edges in its
  plane has the area inside of them, 1/2 + 2/3 of the height 0.1 of a parabola over the edge of length 1. Fails with
  parts of 1/12 and 1/4, or if middles are out of order.
*/
static void test_face(void)
{
  const PetscInt v[WRING_FACE] = {0, 1, 2, 3, 4, 5};
  double         x[18] = {0, 0, 2, 1, 0, 2, 0, 1, 2, 0.5, 0, 2, 0.5, 0.5, 2, 0, 0.5, 2}, share[6], S[6][3], sum = 0;
  CHECK(wring_face_shares(v, x, share) == 6 && wring_face_normals(v, x, S) == 6, "not of order 2");
  for (int a = 0; a < 6; a++) {
    const double expected = a < 3 ? 0 : 1. / 6;
    CHECK(fabs(share[a] - expected) < 1e-15, "share of vertex %d: %.17g", a, share[a]);
    CHECK(fabs(S[a][2] - expected) < 1e-15 && S[a][0] == 0 && S[a][1] == 0, "normal of vertex %d: %.17g", a, S[a][2]);
  }
  x[10] = -0.1;
  wring_face_shares(v, x, share);
  for (int a = 0; a < 6; a++) sum += share[a];
  CHECK(fabs(sum - (0.5 + 2. / 3 * 0.1)) < 1e-15, "area with a curved edge: %.17g", sum);
}

/* ---- a free body under loads and drag ---------------------------------------------------------------------------- */

/* A load that grows and ends, of the acceleration `pull`; drag with its own curve times `rate`. */
static const double pull[3] = {0.5, -3, 2}, rate = 1.7, load_end = 0.29, load_curve[2][2] = {{0, 0.5}, {0.4, 1.5}};
static const double drag_curve[2][2] = {{0, 1}, {0.6, 2}}, gravity[3] = {0, 0, -9.81};

static double load_at(double t)
{
  return t <= load_end + 1e-9 ? 0.5 + fmin(t, 0.4) / 0.4 : 0;
}

static double drag_at(double t)
{
  return rate * (1 + fmin(t, 0.6) / 0.6);
}

/* One particle: x, v after n steps; the formulas of docs/theory.md 6 written for one coordinate. */
static void march_particle(const char *rule, double h, int n, int c, double *x, double *v)
{
  const int midpoint = !strcmp(rule, "implicit_midpoint"), bdf2 = !strcmp(rule, "bdf2");
  const int early = !strcmp(rule, "symplectic_euler") || !strcmp(rule, "explicit_euler");
  double    x_ = 0, v_ = 0;
  for (int i = 0; i < n; i++) {
    const double t = h * i + (early ? 0 : midpoint ? h / 2 : h), d = drag_at(t);
    const double a = gravity[c] + load_at(t) * pull[c];
    double       x_new, v_new;
    if (midpoint) {
      v_new = (*v * (1 - h * d / 2) + h * a) / (1 + h * d / 2), x_new = *x + h * (*v + v_new) / 2;
    } else if (bdf2 && i > 0) {
      v_new = ((4 * *v - v_) / 3 + 2 * h / 3 * a) / (1 + 2 * h / 3 * d), x_new = (4 * *x - x_) / 3 + 2 * h / 3 * v_new;
    } else {
      v_new = (*v + h * a) / (1 + h * d), x_new = *x + h * (strcmp(rule, "explicit_euler") ? v_new : *v);
    }
    x_ = *x, v_ = *v, *x = x_new, *v = v_new;
  }
}

static PetscErrorCode march_body(test_body *b, wring_stepper *stepper, int n, wring_state *state)
{
  PetscBool changed;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    PetscCall(test_body_step(b, stepper, state, &changed));
    CHECK(changed, "step %d: drag has changed A", i);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_loads(const test_body *b, wring_loads **l)
{
  const double *const mass = wring_potential_mass(b->g);
  wring_time_curve   *load, *drag;
  PetscInt           *vertex;
  double             *force;

  PetscFunctionBegin;
  PetscCall(make_curve(WRING_CURVE_LINEAR, 2, 1, load_curve[0], &load));
  PetscCall(make_curve(WRING_CURVE_LINEAR, 2, 1, drag_curve[0], &drag));
  PetscCall(wring_loads_create(b->mesh, mass, mass, l));
  PetscCall(PetscMalloc2(b->mesh->n_owned, &vertex, 3 * b->mesh->n_owned, &force));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) vertex[i / 3] = i / 3, force[i] = mass[i / 3] * pull[i % 3];
  PetscCall(wring_loads_add_forces(*l, &(wring_load_time){load, load_end}, b->mesh->n_owned, vertex, force));
  for (PetscInt i = 0; i < b->mesh->n_owned; i++) force[i] = rate * mass[i];
  PetscCall(wring_loads_set_drag(*l, &(wring_load_time){drag, INFINITY}, force));
  PetscCall(PetscFree2(vertex, force));
  PetscCall(wring_time_curve_destroy(&load));
  PetscCall(wring_time_curve_destroy(&drag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const double v0[3] = {1, -0.5, 4};

static void throw_up(const double X[3], double v[3])
{
  (void)X;
  memcpy(v, v0, sizeof v0);
}

/* Every vertex moves like the particle. Fails if a load is taken at another time, or drag with a factor 1/2. */
static PetscErrorCode compare_with_particle(const test_body *b, const char *rule, double h, int n,
                                            const wring_state *state)
{
  const double *q, *v;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(state->q, &q));
  PetscCall(VecGetArrayRead(state->v, &v));
  for (int c = 0; c < 3; c++) {
    double x = 0, u = v0[c];
    march_particle(rule, h, n, c, &x, &u);
    for (PetscInt i = c; i < 3 * b->mesh->n_owned; i += 3) {
      CHECK(fabs(q[i] - b->mesh->X[i] - x) < 1e-10, "%s: x[%d] %.17g, expected %.17g", rule, c, q[i] - b->mesh->X[i],
            x);
      CHECK(fabs(v[i] - u) < 1e-9, "%s: v[%d] %.17g, expected %.17g", rule, c, v[i], u);
    }
  }
  PetscCall(VecRestoreArrayRead(state->v, &v));
  PetscCall(VecRestoreArrayRead(state->q, &q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block of 10 Pa: rounding errors do not grow for any rule with this step. */
static PetscErrorCode create_soft_body(test_body *b)
{
  const PetscInt cells[3] = {4, 2, 2};
  const double   par[1]   = {10};

  PetscFunctionBegin;
  *b = (test_body){.x = NULL};
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &b->o));
  b->mesh = test_box(PETSC_COMM_WORLD, cells);
  b->g    = test_potential(b->mesh, &wring_law_strain, par);
  PetscCall(wring_potential_create_vec(b->g, &b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_particle(const char *rule)
{
  const int      n = 8;
  test_body      b;
  wring_stepper *stepper;
  wring_loads   *loads;
  wring_state    state;
  PetscCall(create_soft_body(&b));
  PetscCall(test_set(b.o, "", "time_step=0.05 time_integrator=%s gravity=0,0,-9.81", rule));
  PetscCall(wring_stepper_create(b.g, b.o, &stepper));
  PetscCall(make_loads(&b, &loads));
  wring_stepper_set_loads(stepper, loads);
  PetscCall(test_state_create(&b, throw_up, &state));
  PetscCall(march_body(&b, stepper, n, &state));
  PetscCall(compare_with_particle(&b, rule, 0.05, n, &state));
  PetscCall(wring_loads_destroy(&loads));
  PetscCall(test_body_destroy_moving(&b, &stepper, &state));
  return PETSC_SUCCESS;
}

int main(int argc, char **argv)
{
  static const char *const rules[] = {"implicit_euler",        "implicit_midpoint", "bdf2",
                                      "linear_implicit_euler", "symplectic_euler",  "explicit_euler"};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_points());
  PetscCall(test_between());
  PetscCall(test_faults());
  PetscCall(test_sides(0));
  PetscCall(test_sides(1));
  PetscCall(test_pressure(1));
  PetscCall(test_pressure(2));
  test_face();
  PetscCall(test_totals());
  for (int i = 0; i < 6; i++) PetscCall(test_particle(rules[i]));
  PetscCall(PetscFinalize());
  return 0;
}
