/* ranks: 1 2 4 */
/* Colliders: the energy of fixed contacts, which vertices are in contact, and solvers while contacts change. */
#include "body.h"
#include "refused.h"
#include "shapes.h"
#include "solver/lbfgs/lbfgs.h"

enum { MOST = 32 }; // colliders

/* ---- a body among colliders -------------------------------------------------------------------------------------- */

/* All shapes of the table, rotated, moving and around the body, and a sphere that contains it; *n colliders. */
static PetscErrorCode add_all(test_body *b, int *n)
{
  const double       place[][3] = {{0, 0, 0.1}, {2, 0, 0}, {1, 0.5, 0.5}, {0, 1, 1}, {2, 1, 0.5}, {1, 0, 1}};
  const wring_shape *shape;
  wring_collider     c[MOST];
  wring_contact     *contact;
  int                k = 0;

  PetscFunctionBegin;
  for (; k < MOST - 1 && (shape = wring_shape_at(k)); k++) {
    PetscCall(test_collider(shape, 1, &c[k]));
    memcpy(c[k].centre, place[k % 6], sizeof c[k].centre);
    wring_frame_of_axis(k ? (const double[]){1, k - 2, 0.5} : (const double[]){0, 0.1, 1}, c[k].frame);
    for (int i = 0; i < 3; i++) c[k].motion.velocity[i] = 0.3 * (i - 1), c[k].motion.spin[i] = 40 * (i - k);
    snprintf(c[k].name, sizeof c[k].name, "c%d", k);
  }
  PetscCall(test_collider(wring_shape_find("sphere"), 1, &c[k]));
  c[k].inside = PETSC_TRUE, c[k].size[0] = 1.1, c[k].centre[0] = 1;
  snprintf(c[k].name, sizeof c[k].name, "around");
  *n = k + 1;
  PetscCall(wring_colliders_create(b->mesh, *n, c, &contact));
  PetscCall(wring_potential_add_contact(b->g, contact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets q such that the vertices have come to x with this velocity. */
static PetscErrorCode set_start(const test_body *b, Vec x, double vx, double vy, double vz)
{
  const double v[3] = {vx, vy, vz}, h = wring_potential_step(b->g);
  double      *qa;
  Vec          q;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &q));
  PetscCall(VecCopy(x, q));
  PetscCall(VecGetArray(q, &qa));
  for (PetscInt i = 0; i < 3 * b->mesh->n_owned; i++) qa[i] -= h * v[i % 3];
  PetscCall(VecRestoreArray(q, &qa));
  PetscCall(wring_potential_set_start(b->g, q));
  PetscCall(VecDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if the energy of fixed contacts, its gradient and its Hessian are inconsistent, if an update that changes
  nothing reports a change, if contacts act before the first update, or if the reported forces are not minus the sum of
  the gradient.
*/
static PetscErrorCode test_energy(void)
{
  test_body            b;
  wring_value          without, with;
  wring_contact_change change, again;
  wring_contact_report report;
  double               force[3 * MOST], sum[3] = {0}, *ga;
  PetscBool            changed;
  int                  n_collider = 0;
  Vec                  x, d, grad[2];

  PetscFunctionBegin;
  PetscCall(test_body_create("corotated", 0.02, 0, &b));
  PetscCall(add_all(&b, &n_collider));
  PetscCall(wring_potential_set_time(b.g, 0.3, 0.3, &changed));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &d));
  test_displace(b.mesh, 0.05, 3, x);
  test_direction(b.mesh, 7, d);
  PetscCall(wring_potential_set_target(b.g, b.x));
  PetscCall(set_start(&b, x, 0, 0, 0));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDuplicate(x, &grad[i]));
    PetscCall(wring_potential_fused(b.g, x, i ? &with : &without, grad[i]));
    if (i == 0) PetscCall(wring_potential_update_contacts(b.g, x, PETSC_TRUE, &change));
  }
  CHECK(change.active > 50 && change.added == change.active, "%d contacts, %d new", (int)change.active,
        (int)change.added);
  CHECK(with.elastic > without.elastic && with.inertial == without.inertial, "elastic %g and %g", with.elastic,
        without.elastic);
  PetscCall(test_differences(b.g, x, d, "contacts", 1e-6, 1e-6, 1e-5));
  PetscCall(wring_potential_update_contacts(b.g, x, PETSC_FALSE, &again));
  CHECK(again.active == change.active && again.added + again.released + again.moved == 0, "%d new, %d gone, %d moved",
        (int)again.added, (int)again.released, (int)again.moved);
  PetscCall(wring_potential_measure_contact(b.g, 0, x, &report, force));
  CHECK(report.inside <= change.active && report.depth > 0.1, "%d inside, %g m", (int)report.inside, report.depth);
  PetscCall(VecAXPY(grad[1], -1, grad[0]));
  PetscCall(VecGetArray(grad[1], &ga));
  for (PetscInt i = 0; i < 3 * b.mesh->n_owned; i++) sum[i % 3] -= ga[i];
  PetscCall(VecRestoreArray(grad[1], &ga));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < n_collider; k++) sum[i] -= force[3 * k + i];
    CHECK(fabs(sum[i]) <= 1e-8 * change.active * 1e3, "forces along %d miss %g N", i, sum[i]);
  }
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&grad[i]));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A floor that cuts the body at z = 0.5 at time 0 and moves up at 1 m/s; springs of `hold` N/m attach the bottom to its
  rest position.
*/
static PetscErrorCode create_on_floor(double h, double stiffness, double hold, test_body *b)
{
  wring_collider floor;
  wring_contact *contact;

  PetscFunctionBegin;
  PetscCall(test_collider(wring_shape_find("half_space"), 1, &floor));
  PetscCall(test_body_create("corotated", h, 0, b));
  floor.motion.velocity[2] = 1;
  floor.centre[2]          = 0.5;
  floor.stiffness          = stiffness;
  if (hold > 0) PetscCall(test_body_attach(b, "zmin", hold, test_stay));
  PetscCall(wring_colliders_create(b->mesh, 1, &floor, &contact));
  PetscCall(wring_potential_add_contact(b->g, contact));
  PetscCall(test_body_set_up(b));
  PetscCall(wring_potential_set_target(b->g, b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if a vertex that leaves faster than the floor follows is held, if one on its way in is not held, if a held one
  is released before it is outside, or if one that is outside is still held.
*/
static PetscErrorCode test_separation(void)
{
  test_body            b;
  wring_contact_change change;
  Vec                  x;

  PetscFunctionBegin;
  PetscCall(create_on_floor(0.01, 1e4, 0, &b));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecCopy(b.x, x));
  PetscCall(set_start(&b, x, 0, 0, 200));
  PetscCall(wring_potential_update_contacts(b.g, x, PETSC_TRUE, &change));
  CHECK(change.active == 0, "%d vertices held that leave by 2 m a step", (int)change.active);
  PetscCall(set_start(&b, x, 5, 5, 0.9)); // the floor is faster
  PetscCall(wring_potential_update_contacts(b.g, x, PETSC_FALSE, &change));
  const PetscInt64 all = change.active;
  CHECK(all > 0 && change.added == all && change.released == 0, "%d of %d new", (int)change.added, (int)all);
  PetscCall(set_start(&b, x, 0, 0, 200));
  PetscCall(wring_potential_update_contacts(b.g, x, PETSC_FALSE, &change));
  CHECK(change.active == all && change.added + change.released == 0, "%d of %d left", (int)change.active, (int)all);
  PetscCall(VecShift(x, 0.25));
  PetscCall(wring_potential_update_contacts(b.g, x, PETSC_FALSE, &change));
  CHECK(change.active < all && change.released == all - change.active && change.added == 0, "%d of %d, %d gone",
        (int)change.active, (int)all, (int)change.released);
  const PetscInt64 rest = change.active;
  PetscCall(VecShift(x, 0.3));
  PetscCall(set_start(&b, x, 0, 0, 0)); // too slow to be considered
  PetscCall(wring_potential_update_contacts(b.g, x, PETSC_FALSE, &change));
  CHECK(change.active == 0 && change.released == rest, "%d held above the floor, %d of %d gone", (int)change.active,
        (int)change.released, (int)rest);
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

/* The body, squeezed flat at this height and at rest: above the floor it expands onto the floor. x_0 = y. */
static PetscErrorCode squeeze(test_body *b, double height, Vec x)
{
  double *xa;

  PetscFunctionBegin;
  PetscCall(VecCopy(b->x, x));
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < b->mesh->n_owned; i++)
    xa[3 * i + 2] = height + 0.6 * b->mesh->X[3 * i + 2] * (1 + 0.2 * b->mesh->X[3 * i]);
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(set_start(b, x, 0, 0, 0));
  PetscCall(wring_potential_set_target(b->g, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  double   last;
  PetscInt naive; // rows with a larger g than the one before
} watch;

static PetscErrorCode watch_row(void *context, const wring_iteration *it)
{
  watch *w = context;
  PetscFunctionBegin;
  if (it->iteration > 0 && it->value.objective > w->last * (1 + 1e-6)) w->naive++;
  w->last = it->value.objective;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if g rises between updates, if the jump at an update counts as a rise (some must occur, or the test has no
  meaning), or if the methods end at different points.
*/
static PetscErrorCode test_methods(void)
{
  static const char *const name[] = {"newton",       "qn",  "pncg",      "blocks",
                                     "trust_region", "vbd", "chebyshev", "gradient_descent"};
  test_body                b;
  wring_outcome            outcome;
  watch                    w     = {0};
  double                   least = 0, distance;
  Vec                      x, first;

  PetscFunctionBegin;
  PetscCall(create_on_floor(0.05, 1e6, 1e4, &b));
  PetscCall(test_variant(b.o, "blocks", "pncg", "precondition=jacobi"));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(VecDuplicate(b.x, &first));
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    PetscCall(squeeze(&b, 0.57, x));
    PetscCall(test_body_solve_seen(&b, name[i], i < 5 ? 200 : 60, 1e-9, watch_row, &w, x, &outcome));
    CHECK(!wring_reason_failed(outcome.reason) && outcome.rises.count == 0, "%s: %s, %d rises of up to %g", name[i],
          wring_reason_name(outcome.reason), (int)outcome.rises.count, outcome.rises.largest);
    if (i == 0) PetscCall(VecCopy(x, first));
    if (i == 0) least = outcome.last.value.objective;
    PetscCall(test_distance(x, first, &distance));
    CHECK(i > 4 || outcome.reason != WRING_MAX_IT, "%s: %d iterations", name[i], (int)outcome.iterations);
    CHECK(i > 4 ? outcome.last.value.objective <= 1.02 * least : distance <= 1e-5,
          "%s ends %g m from newton, g %.12g and %.12g", name[i], distance, outcome.last.value.objective, least);
  }
  CHECK(w.naive > 0, "no update raised g: the test shows nothing");
  PetscCall(VecDestroy(&first));
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if pairs are kept after the contacts they were made with. x_1 has contacts that x_0 has not: the pair is
  dropped, and the second step equals that of `history: 0`; if the floor is far away it does not.
*/
static PetscErrorCode test_history(void)
{
  const wring_contact_change none = {.active = 7, .moved = 7}, few = {.active = 9, .added = 1, .released = 1},
                             half = {.active = 8, .added = 3, .released = 2}, all = {.active = 5, .added = 5};
  test_body     b;
  wring_outcome outcome;
  Vec           x[2];
  double        distance;

  PetscFunctionBegin;
  CHECK(wring_lbfgs_pairs_to_keep(5, &none) == 5 && wring_lbfgs_pairs_to_keep(5, &few) == 4 &&
          wring_lbfgs_pairs_to_keep(5, &half) == 3 && wring_lbfgs_pairs_to_keep(5, &all) == 0 &&
          wring_lbfgs_pairs_to_keep(1, &few) == 1,
        "the window shrinks by another rule");
  for (int far = 0; far < 2; far++) {
    PetscCall(create_on_floor(0.01, 1e5, 0, &b));
    PetscCall(test_variant(b.o, "plain", "qn", "history=0"));
    for (int i = 0; i < 2; i++) {
      PetscCall(VecDuplicate(b.x, &x[i]));
      PetscCall(squeeze(&b, far ? 3 : 0.53, x[i]));
      PetscCall(test_body_solve(&b, i ? "plain" : "qn", 2, 0, x[i], &outcome));
    }
    PetscCall(test_distance(x[0], x[1], &distance));
    if (far)
      CHECK(distance > 1e-6, "without contact the pair makes no difference: the test shows nothing");
    else
      CHECK(distance <= 1e-12, "the step after new contacts is %g m from that without pairs", distance);
    for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&x[i]));
    PetscCall(test_body_destroy(&b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a sweep leaves a vertex below the floor, or if a solver without contacts accepts them. */
static PetscErrorCode test_projection(void)
{
  static const char *const sweeps[] = {"xpbd", "pbd", "rgc", "penalty"}, *const none[] = {"pd", "admm", "anderson",
                                                                                          "chebyshev", "compliant"};
  test_body            b;
  wring_outcome        outcome;
  wring_contact_report report;
  double               force[3];
  Vec                  x;

  PetscFunctionBegin;
  PetscCall(create_on_floor(0.01, 1e5, 0, &b));
  PetscCall(wring_options_set(b.o, "solver_chebyshev_line_search", "none", "test"));
  PetscCall(VecDuplicate(b.x, &x));
  for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++) {
    PetscCall(squeeze(&b, 0.1, x));
    PetscCall(test_body_solve(&b, sweeps[i], 3, 0, x, &outcome));
    PetscCall(wring_potential_measure_contact(b.g, 0, x, &report, force));
    CHECK(report.depth <= 1e-14, "%s leaves a vertex %g m inside", sweeps[i], report.depth);
  }
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    wring_solver *s;
    PetscCall(wring_solver_create(PETSC_COMM_WORLD, b.g, b.op, NULL, &s));
    PetscCall(wring_solver_set_from_options(s, b.o, none[i]));
    CHECK_REFUSED(wring_solver_set_up(s), "cannot use", "");
    PetscCall(wring_solver_destroy(&s));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices that jump over a collider -------------------------------------------------------------------------- */

enum { SAMPLES = 4000 };

/* Whether the way from p to q, in the frame of c, goes in and out at two sides of it, of which samples are inside. */
static PetscBool goes_through(const wring_collider *c, const double p[3], const double q[3])
{
  double n[2][3], offset;
  int    inside = 0;
  for (int k = 0; k <= SAMPLES; k++) {
    double at[3], m[3];
    for (int i = 0; i < 3; i++) at[i] = p[i] + (double)k / SAMPLES * (q[i] - p[i]);
    if (!(c->shape->nearest(c->size, at, m, &offset) < 0)) continue;
    if (k == 0 || k == SAMPLES) return PETSC_FALSE;
    memcpy(n[inside++ > 0], m, sizeof m);
    if (inside == 1) memcpy(n[1], m, sizeof m);
  }
  return (PetscBool)(inside > 0 && n[0][0] * n[1][0] + n[0][1] * n[1][1] + n[0][2] * n[1][2] < -sqrt(0.5));
}

/* The lost vertices after a step of 1 s of all vertices by `shift`, while the collider moves by `velocity`. */
static PetscErrorCode count_lost(const test_body *b, wring_collider c, const double velocity[3], const double shift[3],
                                 PetscInt64 *lost, PetscInt64 *expected)
{
  const PetscInt       n = b->mesh->n_owned;
  wring_contact       *contact;
  wring_contact_report report;
  PetscInt64           inside;
  double              *x, force[3];

  PetscFunctionBegin;
  memcpy(c.motion.velocity, velocity, sizeof c.motion.velocity);
  PetscCall(PetscMalloc1(3 * n, &x));
  PetscCall(wring_colliders_create(b->mesh, 1, &c, &contact));
  wring_colliders_count(contact, b->mesh->X, &inside);
  lost[0] = expected[0] = 0;
  for (PetscInt v = 0; v < n; v++) {
    const double *const X = b->mesh->X + 3 * v;
    double              p[3], q[3];
    for (int i = 0; i < 3; i++) {
      x[3 * v + i] = X[i] + shift[i];
      p[i]         = X[i] - c.centre[i];
      q[i]         = p[i] + shift[i] - velocity[i];
    }
    expected[0] += goes_through(&c, p, q);
  }
  PetscCall(wring_contact_set_time(contact, 1, 1, 1));
  PetscCall(wring_contact_measure(contact, x, &report, force));
  *lost = report.lost;
  PetscCall(wring_contact_measure(contact, x, &report, force));
  CHECK(report.lost == 0, "%s: a step without motion loses %d vertices", c.shape->name, (int)report.lost);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, lost, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, expected, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(wring_contact_destroy(&contact));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Fails if a vertex that goes through a collider in one step is not counted, with either of them moving, or if one is
  that passes beside it or across an edge of it: the way of each vertex is sampled. A half-space has no other side.
*/
static PetscErrorCode test_jumps(void)
{
  static const double still[3] = {0}, way[][3] = {{0, 0, -6}, {0.4, -5, 0.3}, {4, 0.3, -3}};
  const wring_shape  *shape;
  test_body           b;

  PetscFunctionBegin;
  PetscCall(test_body_create("corotated", 0.01, 0, &b));
  for (int k = 0; (shape = wring_shape_at(k)); k++) {
    PetscInt64 all = 0;
    for (int i = 0; i < 3; i++) {
      wring_collider c;
      PetscInt64     lost[2], expected[2];
      const double   half[3] = {-way[i][0] / 2, -way[i][1] / 2, -way[i][2] / 2};
      PetscCall(test_collider(shape, 1, &c));
      for (int j = 0; j < 3; j++) c.centre[j] = (j ? 0.45 : 1.05) - half[j] + 0.01 * i;
      PetscCall(count_lost(&b, c, still, way[i], &lost[0], &expected[0]));
      PetscCall(count_lost(&b, c, (const double[]){-way[i][0], -way[i][1], -way[i][2]}, still, &lost[1], &expected[1]));
      CHECK(lost[0] == expected[0] && lost[1] == expected[1] && lost[0] == lost[1],
            "%s, way %d: %d and %d vertices go through, expected %d and %d", shape->name, i, (int)lost[0], (int)lost[1],
            (int)expected[0], (int)expected[1]);
      all += lost[0];
    }
    CHECK(shape->bound ? all > 20 : all == 0, "%s: %d vertices go through", shape->name, (int)all);
  }
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if vertices that slide round a collider, by a ninth of a turn in a step, or come back, are taken for lost. */
static PetscErrorCode test_slides(void)
{
  const double       turn[3] = {0, 0, 40};
  const wring_shape *shape;
  test_body          b;
  double            *x, R[9];

  PetscFunctionBegin;
  PetscCall(test_body_create("corotated", 0.01, 0, &b));
  PetscCall(PetscMalloc1(3 * b.mesh->n_owned, &x));
  wring_rotation(turn, 1, R);
  for (int k = 0; (shape = wring_shape_at(k)); k++) {
    wring_collider       c;
    wring_contact       *contact;
    wring_contact_report report;
    PetscInt64           inside;
    double               force[3];
    PetscCall(test_collider(shape, 1, &c));
    PetscCall(wring_colliders_create(b.mesh, 1, &c, &contact));
    for (int step = 0; step < 4; step++) {
      for (PetscInt v = 0; v < b.mesh->n_owned; v++) {
        const double *const X = b.mesh->X + 3 * v, *const from = step ? x + 3 * v : X;
        double p[3], n[3], offset;
        for (int i = 0; i < 3; i++) {
          p[i] = from[i] - (step ? 0 : 0.5);
          if (step == 1 || step == 2) p[i] = R[3 * i] * from[0] + R[3 * i + 1] * from[1] + R[3 * i + 2] * from[2];
        }
        const double d = shape->nearest(c.size, p, n, &offset);
        for (int i = 0; i < 3; i++) x[3 * v + i] = p[i] - (d - (step < 3 ? 1e-9 : 0.05)) * n[i];
      }
      if (step == 0) wring_colliders_count(contact, x, &inside);
      PetscCall(wring_contact_measure(contact, x, &report, force));
      CHECK(report.lost == 0 && report.inside == 0, "%s, step %d: %d lost, %d inside", shape->name, step,
            (int)report.lost, (int)report.inside);
    }
    PetscCall(wring_contact_destroy(&contact));
  }
  PetscCall(PetscFree(x));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_blas_set_threads(1);
  PetscCall(test_energy());
  PetscCall(test_separation());
  PetscCall(test_methods());
  PetscCall(test_history());
  PetscCall(test_projection());
  PetscCall(test_jumps());
  PetscCall(test_slides());
  PetscCall(PetscFinalize());
  return 0;
}
