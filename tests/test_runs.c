/* ranks: 1 2 4
   Colliders: runs of vertices are rejected by their balls, records are found and energies summed by threads. Compared
   with every vertex alone, by the formulas of docs/theory.md 8. */
#include "blocks.h"
#include "shapes.h"
#include "base/vector3.h"

enum { N_SCENE = 24, MOST = 16 };

static PetscMPIInt n_rank;

/* ---- random scenes ----------------------------------------------------------------------------------------------- */

typedef struct {
  int            n;
  wring_collider collider[MOST];
  double         time, h, far; // far: of everything from the origin
  double        *x, *q;        // [n_owned][3]
} scene;

static void random_vector(uint64_t *seed, double size, double v[3])
{
  for (int i = 0; i < 3; i++) v[i] = size * test_random(seed);
}

/* Half of the colliders move; some spin, some are containers. */
static PetscErrorCode make_collider(int i, double far, uint64_t *seed, wring_collider *c)
{
  const wring_shape *shape = wring_shape_at(i % 6);
  double             v[3];

  PetscFunctionBegin;
  PetscCall(test_collider(shape, *seed, c));
  for (int k = 0; k < 3; k++) c->size[k] *= 0.3;
  random_vector(seed, 0.7, v);
  for (int k = 0; k < 3; k++) c->centre[k] = far + 0.5 + v[k];
  test_rotation(seed, c->frame);
  if (i % 2) random_vector(seed, 3, c->motion.velocity);
  if (i % 4 == 1) random_vector(seed, 400, c->motion.spin);
  c->inside    = (PetscBool)(shape->bound && i % 5 == 4);
  c->stiffness = 1e3 * (i + 1);
  if (c->inside)
    for (int k = 0; k < 3; k++) c->size[k] *= 4;
  snprintf(c->name, sizeof c->name, "c%d", i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions by original number, so that they do not depend on the ranks. */
static PetscErrorCode make_scene(const wring_mesh *m, int number, scene *s)
{
  uint64_t seed = 77u * (uint64_t)number + 5;

  PetscFunctionBegin;
  *s = (scene){.n = 1 + number % 12, .time = 0.1, .h = 0.02, .far = number % 3 == 2 ? 3e4 : 0};
  for (int c = 0; c < s->n; c++) PetscCall(make_collider(number + c, s->far, &seed, &s->collider[c]));
  PetscCall(PetscMalloc2(3 * m->n_owned, &s->x, 3 * m->n_owned, &s->q));
  for (PetscInt i = 0; i < 3 * m->n_owned; i++) {
    uint64_t own = 1000003u * (uint64_t)m->number.original[i / 3] + (uint64_t)(i % 3) + 7919u * (uint64_t)number;
    s->x[i]      = s->far + m->X[i] + 0.02 * test_random(&own);
    s->q[i]      = s->x[i] - (number % 2 ? 0.01 : 0.1) * test_random(&own);
  }
  if (number == 3 && m->n_owned > 200) s->x[3 * 100] = NAN, s->x[3 * 150 + 1] = 1e7;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- every vertex alone ------------------------------------------------------------------------------------------ */

typedef struct {
  PetscInt64 inside, all; // contacts; contacts and watched vertices
  double     energy;      // J
} expectation;

/* (8.7): p and x = R F p + centre at a time. */
static void pose_of(const wring_collider *c, double time, double frame[9], double centre[3])
{
  double R[9];
  wring_rotation(c->motion.spin, time, R);
  for (int i = 0; i < 3; i++) {
    centre[i] = c->centre[i] + time * c->motion.velocity[i];
    for (int j = 0; j < 3; j++) {
      frame[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) frame[3 * i + j] += R[3 * i + k] * c->frame[3 * k + j];
    }
  }
}

/* (8.2) and (8.1) at the first update of a solve; a vertex without a position is in no contact. */
static void expect_vertex(const scene *s, const wring_collider *c, const double x[3], const double q[3], expectation *e)
{
  double now[9], before[9], centre[3], then[3], p[3], n[3], offset, u[3], along = 0;
  if (isnan(x[0])) return;
  pose_of(c, s->time, now, centre);
  pose_of(c, s->time - s->h, before, then);
  for (int j = 0; j < 3; j++) {
    p[j] = 0;
    for (int i = 0; i < 3; i++) p[j] += now[3 * i + j] * (x[i] - centre[i]);
  }
  const double sign = c->inside ? -1 : 1, d = sign * c->shape->nearest(c->size, p, n, &offset);
  for (int i = 0; i < 3; i++) {
    u[i] = wring_dot3(before + 3 * i, p) + then[i] - q[i];
    along += u[i] * sign * wring_dot3(now + 3 * i, n);
  }
  const PetscBool watched = (PetscBool)(d >= 0 && d < sqrt(wring_dot3(u, u)));
  const PetscBool inside  = (PetscBool)(d < 0 && !(d + along > 0));
  e->all += inside || watched;
  e->inside += inside;
  if (inside) e->energy += 0.5 * c->stiffness * d * d;
}

/*
  Fails if a ball is too small or a bound on the motion too low, so that a contact is lost, or if a run is searched
  twice.
*/
static PetscErrorCode check_update(const wring_mesh *m, int number, PetscInt64 total[2])
{
  scene                s;
  expectation          e = {0};
  wring_contact       *contact;
  wring_contact_change change;
  wring_contact_report report;
  double               energy = 0, force[3 * MOST] = {0};
  PetscInt64           inside[MOST], any           = 0;

  PetscFunctionBegin;
  PetscCall(make_scene(m, number, &s));
  PetscCall(wring_colliders_create(m, s.n, s.collider, &contact));
  PetscCall(wring_contact_set_time(contact, s.time, s.time, 1));
  PetscCall(wring_contact_update(contact, &(wring_contact_step){s.h, s.q}, s.x, PETSC_TRUE, &change));
  PetscCall(wring_contact_add(contact, WRING_VALUE, s.x, NULL, &energy));
  for (PetscInt i = 0; i < m->n_owned; i++)
    for (int c = 0; c < s.n; c++) expect_vertex(&s, &s.collider[c], s.x + 3 * i, s.q + 3 * i, &e);
  CHECK(change.active == e.inside && change.moved == e.all, "scene %d: %d contacts of %d, %d records of %d", number,
        (int)change.active, (int)e.inside, (int)change.moved, (int)e.all);
  CHECK(fabs(energy - e.energy) <= (s.far > 0 ? 1e-6 : 1e-11) * e.energy, "scene %d: %.15g J, expected %.15g", number,
        energy, e.energy);
  PetscCall(wring_contact_measure(contact, s.x, &report, force));
  wring_colliders_count(contact, s.x, inside);
  for (int c = 0; c < s.n; c++) any = PetscMax(any, inside[c]);
  CHECK(report.inside >= any, "scene %d: %d inside, %d in one collider", number, (int)report.inside, (int)any);
  total[0] += e.all;
  total[1] += s.n * m->n_owned;
  PetscCall(wring_contact_destroy(&contact));
  PetscCall(PetscFree2(s.x, s.q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Forces, then positions after a projection, then the energy and the counts of two updates. */
static PetscErrorCode run_all(const wring_mesh *m, int number, double *result)
{
  const PetscInt       n = 3 * m->n_owned;
  scene                s;
  wring_contact       *contact;
  wring_contact_change change[2];

  PetscFunctionBegin;
  PetscCall(make_scene(m, number, &s));
  PetscCall(wring_colliders_create(m, s.n, s.collider, &contact));
  PetscCall(wring_contact_set_time(contact, s.time, s.time, 1));
  PetscCall(PetscArrayzero(result, 2 * n + 9));
  PetscCall(wring_contact_update(contact, &(wring_contact_step){s.h, s.q}, s.x, PETSC_TRUE, &change[0]));
  for (PetscInt i = 0; i < n; i++) s.x[i] += 0.3 * (s.x[i] - s.q[i]);
  PetscCall(wring_contact_update(contact, &(wring_contact_step){s.h, s.q}, s.x, PETSC_FALSE, &change[1]));
  PetscCall(wring_contact_add(contact, WRING_VALUE | WRING_GRADIENT, s.x, result, &result[2 * n]));
  for (int i = 0; i < 2; i++) {
    result[2 * n + 1 + 4 * i] = (double)change[i].active;
    result[2 * n + 2 + 4 * i] = (double)change[i].added;
    result[2 * n + 3 + 4 * i] = (double)change[i].released;
    result[2 * n + 4 + 4 * i] = (double)change[i].moved;
  }
  PetscCall(wring_contact_project(contact, &(wring_contact_step){s.h, s.q}, s.x));
  PetscCall(PetscArraycpy(result + n, s.x, n));
  PetscCall(wring_contact_destroy(&contact));
  PetscCall(PetscFree2(s.x, s.q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if the order of a sum or of records depends on the number of threads, or if two threads write to one vertex. */
static PetscErrorCode check_threads(const wring_mesh *m, int number)
{
  const PetscInt size    = 6 * m->n_owned + 9;
  const int      threads = wring_max_threads();
  double        *one, *more;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(size, &one, size, &more));
  wring_set_threads(1);
  PetscCall(run_all(m, number, one));
  for (int n = 2; n <= 3; n++) {
    wring_set_threads(n);
    PetscCall(run_all(m, number, more));
    CHECK(!memcmp(one, more, (size_t)size * sizeof *one), "scene %d differs with %d threads", number, n);
  }
  wring_set_threads(threads);
  PetscCall(PetscFree2(one, more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const wring_box small = {{1, 1, 1}, {9, 9, 9}, {0, 0, 0}, 0.1}, large = {{1, 1, 1}, {29, 29, 29}, {0, 0, 0}, 0.1};
  wring_mesh     *m;
  PetscInt64      total[2] = {0};

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  MPI_Comm_size(PETSC_COMM_WORLD, &n_rank);
  m = test_blocks(PETSC_COMM_WORLD, 1, &small);
  for (int i = 0; i < N_SCENE; i++) PetscCall(check_update(m, i, total));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, total, 2, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(total[0] > total[1] / 20 && total[0] < total[1] / 2, "%d records of %d", (int)total[0], (int)total[1]);
  PetscCall(wring_mesh_destroy(&m));
  m = test_blocks(PETSC_COMM_WORLD, 1, &large); // each rank has enough vertices for threads
  if (n_rank <= 2)
    for (int i = 0; i < 8; i += 7) PetscCall(check_threads(m, i));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(PetscFinalize());
  return 0;
}
