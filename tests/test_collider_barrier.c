/* ranks: 1 2 4
   Colliders by a barrier as a part of g. Fails if forces are not the derivatives of the energy or not those reported;
   if products, diagonal and matrix of the Hessian differ; if the energy depends on the ranks; if a bound, also of
   colliders that move, lets surfaces meet, or holds up what moves freely; if colliders do not go with the part of the
   way that is allowed; if a start that touches, is passed through or contains a collider is accepted. */
#include "blocks_model.h"

static const double stiffness = 1e5, gap = 0.03;

static const wring_box body[1] = {{{1, 1, 0.5}, {2, 2, 1}, {0, 0, 0}, 0}};

/* A collider 0.02 m from the body, that moves by `velocity` in a step of 1 s. */
static wring_collider collider(const char *shape, const double centre[3], const double size[3], double velocity)
{
  wring_collider c = {.shape  = wring_shape_find(shape),
                      .frame  = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .motion = {.velocity = {0, 0, velocity}, .until = INFINITY, .release = INFINITY}};
  snprintf(c.name, sizeof c.name, "%s", shape);
  for (int i = 0; i < 3; i++) c.centre[i] = centre[i], c.size[i] = size[i];
  return c;
}

/* Around the body; the needle is above the middle of a face, and so thin that it is between its vertices. */
static void set_colliders(wring_collider c[5])
{
  c[0]        = collider("half_space", (double[3]){0.5, 0.5, -0.02}, (double[3]){0, 0, 0}, 0);
  c[1]        = collider("sphere", (double[3]){-0.32, 0.4, 0.2}, (double[3]){0.3, 0, 0}, 0);
  c[2]        = collider("capsule", (double[3]){0.31, 0.17, 0.723}, (double[3]){0.003, 0.2, 0}, -0.5);
  c[3]        = collider("box", (double[3]){1.22, 0.5, 0.25}, (double[3]){0.2, 0.4, 0.1}, 0);
  c[4]        = collider("cylinder", (double[3]){0.5, 0.5, 0.3}, (double[3]){0.73, 0.6, 0}, 0);
  c[4].inside = PETSC_TRUE;
}

static PetscErrorCode model_create(MPI_Comm comm, model *m)
{
  wring_collider           c[5];
  const wring_barrier_body how = {.gap = gap, .n_collider = 5, .collider = c};

  PetscFunctionBegin;
  set_colliders(c);
  PetscCall(model_begin(comm, 1, body, m));
  PetscCall(wring_contact_create_barrier(m->mesh, &how, &m->contact));
  wring_barrier_set_stiffness(m->contact, stiffness);
  PetscCall(model_end(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_forces(model *m)
{
  double               slope = 0, here, sum[8], *f, force[15];
  wring_contact_report report;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->n_local, &f));
  PetscCall(contact_slope(m, 1e-7, updated_alone, &slope, &here, f));
  CHECK(here > 1, "the energy of the contacts is %g J", here);
  PetscCall(wring_potential_sum_ghosts(m->g, f));
  PetscCall(contact_sums(m, f, sum));
  CHECK(fabs(slope - sum[7]) <= 1e-5 * fabs(slope), "slope %.9g, by differences %.9g", sum[7], slope);
  PetscCall(wring_potential_measure_contact(m->g, 0, m->x, &report, force));
  for (int c = 0; c < 15; c++) sum[c % 3] += force[c];
  for (int c = 0; c < 5; c++)
    CHECK(fabs(force[3 * c]) + fabs(force[3 * c + 1]) + fabs(force[3 * c + 2]) > 1, "collider %d does not push", c);
  for (int c = 0; c < 3; c++) CHECK(fabs(sum[c]) <= 1e-10 * report.force, "force %d is not reported: %g", c, sum[c]);
  CHECK(report.pairs > 20 && report.least > 0.005 && report.least < 0.025, "%d pairs, %g m", (int)report.pairs,
        report.least);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode shift(model *m, double x, double y, double z)
{
  const double by[3] = {x, y, z};
  double      *d;

  PetscFunctionBegin;
  PetscCall(VecGetArray(m->d, &d));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) d[i] = by[i % 3];
  PetscCall(VecRestoreArray(m->d, &d));
  PetscCall(VecWAXPY(m->work, 1, m->x, m->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The least distance at x, where the start must be accepted. */
static PetscErrorCode least_distance(model *m, Vec x, double *least)
{
  wring_contact_report report;
  double               force[15];
  const double        *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(m->g, x, &xa));
  PetscCall(wring_contact_check(m->contact, xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(wring_potential_measure_contact(m->g, 0, x, &report, force));
  *least = report.least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_bound(model *m)
{
  const double way[4][3] = {{0, 0, 1}, {0, 0, -1}, {-2, 0.1, 0}, {3, 0, 0}}; // to the needle, floor, sphere and box
  double       bound, part, least;

  PetscFunctionBegin;
  for (int k = 0; k < 4; k++) {
    PetscCall(shift(m, way[k][0], way[k][1], way[k][2]));
    PetscCall(wring_potential_bound(m->g, m->x, m->d, &bound));
    CHECK(bound > 0 && bound < 0.025, "way %d is bounded by %g", k, bound);
    CHECK(wring_potential_stop(m->g) >= 0, "no vertex is named");
    PetscCall(wring_potential_advance(m->g, m->x, m->work, &part));
    PetscCall(least_distance(m, m->work, &least));
    CHECK(part > 0 && least > 1e-3 && least < 0.012, "way %d: part %g leads to %g m", k, part, least);
  }
  PetscCall(shift(m, 1e-3, 0, 0));
  PetscCall(wring_potential_bound(m->g, m->x, m->d, &bound));
  CHECK(isinf(bound), "a short way is bounded by %g", bound);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The needle goes 0.9 m down in a step, from 0.42 m above the body, through it. No search has seen it before. */
static PetscErrorCode check_motion(model *m)
{
  PetscBool changed;
  double    part, least, progress, energy, *f;

  PetscFunctionBegin;
  wring_potential_set_begin(m->g, -0.8);
  PetscCall(wring_potential_set_time(m->g, 1, 1, &changed));
  CHECK(wring_potential_progress(m->g) == 1, "colliders are not at the end of the step");
  PetscCall(wring_potential_set_progress(m->g, 0));
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->n_local, &f));
  PetscCall(updated_alone(m, m->x, &energy, f)); // of what is near there
  PetscCall(PetscFree(f));
  PetscCall(shift(m, 0, 0, 0));
  PetscCall(wring_potential_advance(m->g, m->x, m->work, &part));
  progress = wring_potential_progress(m->g);
  CHECK(part == progress && 0.9 * part > 0.36 && 0.9 * part < 0.42, "a needle goes on by %g of its way", part);
  PetscCall(least_distance(m, m->work, &least));
  PetscCall(wring_potential_advance(m->g, m->x, m->work, &part));
  CHECK(fabs(wring_potential_progress(m->g) - progress - part * (1 - progress)) < 1e-15, "not the rest of the way");
  CHECK(0.9 * wring_potential_progress(m->g) < 0.42, "the needle is at %g of its way", wring_potential_progress(m->g));
  PetscCall(least_distance(m, m->work, &least));
  CHECK(least > 1e-3 && least < 0.02, "the needle is stopped at %g m", least);
  PetscCall(wring_potential_set_time(m->g, 0, 0, &changed));
  test_direction(m->mesh, 2, m->d);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A floor goes down by 20 m and the body above it by 22 m, a longer way than one search covers: it meets the floor after
  a hundredth, unless the floor goes all of its way in the covered part.
*/
static PetscErrorCode check_long_way(void)
{
  const wring_collider     c    = collider("half_space", (double[3]){0, 0, -0.02}, (double[3]){0, 0, 0}, -20);
  const wring_barrier_body how  = {.gap = gap, .n_collider = 1, .collider = &c};
  wring_mesh              *mesh = test_blocks(PETSC_COMM_WORLD, 1, body);
  wring_contact           *contact;
  double                   bound, *d;
  PetscInt                 vertex;

  PetscFunctionBegin;
  PetscCall(wring_contact_create_barrier(mesh, &how, &contact));
  PetscCall(wring_contact_set_time(contact, 0, 1, 0));
  PetscCall(PetscCalloc1(3 * (size_t)mesh->n_local, &d));
  for (PetscInt v = 0; v < mesh->n_local; v++) d[3 * v + 2] = -22;
  PetscCall(wring_contact_bound(contact, mesh->X, d, 1, &bound, &vertex));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bound, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD));
  CHECK(bound > 0.005 && bound < 0.01, "a body that follows the floor is bounded by %g", bound);
  PetscCall(PetscFree(d));
  PetscCall(wring_contact_destroy(&contact));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A single vertex, which has no box around it, 1 m above a floor. Fails if it has no gap, or may not move. */
static PetscErrorCode check_point(void)
{
  const wring_collider     c    = collider("half_space", (double[3]){0, 0, -1}, (double[3]){0, 0, 0}, 0);
  const wring_barrier_body how  = {.n_collider = 1, .collider = &c};
  const double             d[3] = {0, 0, -1e-3};
  wring_mesh_data         *data = NULL;
  wring_mesh              *mesh;
  wring_contact           *contact;
  wring_barrier_sizes      sizes;
  double                   bound;
  PetscInt                 vertex;

  PetscFunctionBegin;
  if (wring_comm_rank(PETSC_COMM_WORLD) == 0) {
    PetscCall(wring_mesh_data_create(1, 0, &data));
    PetscCall(PetscCalloc1(1, &data->set_start));
    for (int i = 0; i < 3; i++) data->X[i] = 0;
  }
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &data, &mesh));
  PetscCall(wring_contact_create_barrier(mesh, &how, &contact));
  PetscCall(wring_barrier_measure(contact, &sizes));
  PetscCall(wring_contact_bound(contact, mesh->X, d, 0, &bound, &vertex));
  CHECK(sizes.gap > 0 && isinf(bound), "a vertex with the gap %g m is bounded by %g", sizes.gap, bound);
  PetscCall(wring_contact_destroy(&contact));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- starts ------------------------------------------------------------------------------------------------------ */

/* The message that the body at rest gets with one collider; an empty one if it is accepted. */
static PetscErrorCode check_start(const char *expected, const char *shape, const double centre[3], const double size[3])
{
  const wring_collider     c     = collider(shape, centre, size, 0);
  const wring_barrier_body how   = {.gap = gap, .n_collider = 1, .collider = &c};
  wring_mesh              *mesh  = test_blocks(PETSC_COMM_WORLD, 1, body);
  wring_error              error = {""};
  wring_contact           *contact;

  PetscFunctionBegin;
  PetscCall(wring_contact_create_barrier(mesh, &how, &contact));
  PetscCall(PetscPushErrorHandler(wring_error_catch, &error));
  const PetscErrorCode code = wring_contact_check(contact, mesh->X);
  PetscCall(PetscPopErrorHandler());
  CHECK((code != 0) == (expected != NULL) && (!expected || strstr(error.text, expected)), "%s: message '%s'", shape,
        error.text);
  PetscCall(wring_contact_destroy(&contact));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_starts(void)
{
  PetscFunctionBegin;
  PetscCall(check_start(NULL, "half_space", (double[3]){0, 0, -0.001}, (double[3]){0, 0, 0}));
  PetscCall(check_start("'half_space' and vertex 0 touch at the start", "half_space", (double[3]){0, 0, 0},
                        (double[3]){0, 0, 0}));
  PetscCall(check_start("'half_space' and vertex 0 pass through each other at the start", "half_space",
                        (double[3]){0, 0, 0.1}, (double[3]){0, 0, 0}));
  PetscCall(check_start("'capsule' and triangle", "capsule", (double[3]){0.3, 0.1, 0.5}, (double[3]){0.001, 0.2, 0}));
  PetscCall(check_start("'box' and edge", "box", (double[3]){0.25, 0.5, 0.5}, (double[3]){0.01, 1, 1.5}));
  PetscCall(check_start("'box' and triangle", "box", (double[3]){0.37, 0.12, 0.5}, (double[3]){0.01, 0.01, 0.2}));
  PetscCall(check_start("'sphere' is inside a body", "sphere", (double[3]){0.3, 0.1, 0.25}, (double[3]){0.01, 0, 0}));
  PetscCall(check_start("'box' is inside a body", "box", (double[3]){0.3, 0.1, 0.25}, (double[3]){0.01, 0.02, 0.01}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  model m;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(model_create(PETSC_COMM_WORLD, &m));
  PetscCall(check_motion(&m));
  PetscCall(check_forces(&m));
  PetscCall(check_contact_hessian(&m, PETSC_FALSE));
  PetscCall(check_alone(&m, model_create, 1e-12));
  PetscCall(check_bound(&m));
  PetscCall(model_destroy(&m));
  PetscCall(check_long_way());
  PetscCall(check_point());
  PetscCall(check_starts());
  PetscCall(PetscFinalize());
  return 0;
}
