/* ranks: 1 2 4
   Friction of a barrier as a part of g. Fails if forces are not the derivatives of its potential, or products, diagonal
   and matrix of its Hessian differ; if its forces do not sum to 0 between bodies, are not the coefficient times normal
   forces where all slips, or do work on the bodies; if it depends on ranks or on a rigid motion of the step; if what
   moves with a collider, or does not move, has friction; if normal forces are not those given last. */
#include "blocks_model.h"

static const double h = 0.01, coefficient = 0.3, gap = 0.03, slip_speed = 0.1;

static const wring_box boxes[2] = {{{1, 1, 0.5}, {3, 3, 1}, {0, 0, 0}, 0},
                                   {{0.63, 0.57, 0.5}, {3, 3, 1}, {0.171, 0.193, 0.52}, 0}};

enum { COLLIDERS = 3 };

typedef struct {
  model          m; // m.contact: the friction, the only contact of m.g
  wring_contact *barrier;
} slider;

/* Below, beside and above the boxes: features that are a plane, a solid with corners and edges, and a segment. */
static void set_colliders(const double velocity[3], const double spin[3], wring_collider c[COLLIDERS])
{
  static const char *const shape[]            = {"half_space", "box", "capsule"};
  static const double      centre[][3]        = {{0.5, 0.5, -0.02}, {1.22, 0.5, 0.25}, {0.31, 0.37, 1.243}};
  static const double      size[COLLIDERS][3] = {{0, 0, 0}, {0.2, 0.4, 0.1}, {0.003, 0.2, 0}};
  for (int i = 0; i < COLLIDERS; i++) {
    c[i] = (wring_collider){.shape    = wring_shape_find(shape[i]),
                            .frame    = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                            .friction = coefficient,
                            .motion   = {.until = INFINITY, .release = INFINITY}};
    snprintf(c[i].name, sizeof c[i].name, "%s", shape[i]);
    for (int k = 0; k < 3; k++) {
      c[i].centre[k] = centre[i][k], c[i].size[k] = size[i][k];
      c[i].motion.velocity[k] = velocity[k], c[i].motion.spin[k] = spin[k];
    }
  }
}

static PetscErrorCode slider_create(MPI_Comm comm, PetscBool self, const double velocity[3], const double spin[3],
                                    slider *s)
{
  wring_collider           c[COLLIDERS];
  const wring_barrier_body how = {.self       = self,
                                  .gap        = gap,
                                  .friction   = coefficient,
                                  .slip_speed = slip_speed,
                                  .n_collider = self ? 0 : COLLIDERS,
                                  .collider   = c};

  PetscFunctionBegin;
  set_colliders(velocity, spin, c);
  PetscCall(model_begin(comm, 2, boxes, &s->m));
  PetscCall(wring_contact_create_barrier(s->m.mesh, &how, &s->barrier));
  wring_barrier_set_stiffness(s->barrier, 1e5);
  PetscCall(wring_barrier_create_friction(s->barrier, &s->m.contact));
  CHECK(s->m.contact && wring_contact_is_friction(s->m.contact), "there is no friction");
  PetscCall(model_end(&s->m));
  PetscCall(wring_contact_set_time(s->barrier, 0, h, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode slider_destroy(slider *s)
{
  PetscFunctionBegin;
  PetscCall(wring_contact_destroy(&s->barrier));
  PetscCall(model_destroy(&s->m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Normal forces at x, of a step from q; NULL: of the last one. */
static PetscErrorCode lag(slider *s, Vec x, Vec q)
{
  wring_contact_step step = {.h = h};
  const double      *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(s->m.g, x, &xa));
  if (q) PetscCall(VecGetArrayRead(q, &step.q));
  PetscCall(wring_contact_lag(s->barrier, &step, xa));
  if (q) PetscCall(VecRestoreArrayRead(q, &step.q));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_normal(slider *s, Vec x, double *normal)
{
  wring_contact_report report               = {.least = INFINITY};
  double               force[3 * COLLIDERS] = {0};
  const double        *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(s->m.g, x, &xa));
  PetscCall(wring_contact_measure(s->barrier, xa, &report, force));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(&report.force, normal, 1, MPI_DOUBLE, MPI_SUM, s->m.mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step of `part` times d from q = x - part d, so that parts stick and others slip --------------------------- */

static PetscErrorCode begin(slider *s, double part)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(s->m.work, -part, s->m.d, s->m.x));
  PetscCall(lag(s, s->m.x, s->m.work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_forces(slider *s, double part)
{
  model *const      m     = &s->m;
  double            slope = 0, here, sum[8], *f;
  wring_slip_report report;

  PetscFunctionBegin;
  PetscCall(begin(s, part));
  PetscCall(wring_potential_measure_slip(m->g, m->x, m->work, &report, NULL));
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->n_local, &f));
  PetscCall(contact_slope(m, 1e-7, contact_alone, &slope, &here, f));
  CHECK(here > 0 && fabs(here - report.potential) <= 1e-12 * here, "a potential of %g J is reported as %g", here,
        report.potential);
  PetscCall(contact_sums(m, f, sum));
  CHECK(fabs(slope - sum[7]) <= 1e-5 * sum[6] * part + 1e-5 * fabs(slope), "slope %.9g, by differences %.9g", sum[7],
        slope);
  CHECK(report.work < 0 && fabs(report.work + part * sum[7]) <= 1e-9 * fabs(report.work), "work %.9g J, not %.9g",
        report.work, -part * sum[7]);
  if (wring_contact_parts(m->contact) == 0)
    for (int c = 0; c < 3; c++) CHECK(fabs(sum[c]) <= 1e-12 * sum[6], "force %d is %g of %g N", c, sum[c], sum[6]);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d . H d by products, and by differences of forces: nothing is left out of H. */
static PetscErrorCode check_curvature(slider *s, double part)
{
  model *const  m      = &s->m;
  const double  eps    = 1e-7;
  double        sum[3] = {0}, change = 0, energy, *f;
  const double *xa, *da;

  PetscFunctionBegin;
  PetscCall(begin(s, part));
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->n_local, &f));
  for (int side = -1; side <= 1; side += 2) {
    PetscCall(VecWAXPY(m->work, side * eps, m->d, m->x));
    PetscCall(contact_alone(m, m->work, &energy, f));
    PetscCall(VecGetArrayRead(m->d, &da));
    for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) change += side * f[i] * da[i] / (2 * eps);
    PetscCall(VecRestoreArrayRead(m->d, &da));
  }
  PetscCall(wring_potential_get_local(m->g, m->x, &xa));
  PetscCall(wring_potential_get_local(m->g, m->d, &da));
  PetscCall(wring_contact_add_products(m->contact, xa, da, da, sum));
  PetscCall(VecRestoreArrayRead(m->d, &da));
  PetscCall(VecRestoreArrayRead(m->x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  CHECK(sum[0] > 0 && fabs(sum[0] - change) <= 1e-5 * sum[0], "d . H d is %.9g, by differences %.9g", sum[0], change);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where everything slips, Coulomb's law; where nothing moves, nothing. */
static PetscErrorCode check_sizes(slider *s)
{
  model *const      m = &s->m;
  double            normal;
  wring_slip_report report;

  PetscFunctionBegin;
  PetscCall(measure_normal(s, m->x, &normal));
  PetscCall(begin(s, 100));
  PetscCall(wring_potential_measure_slip(m->g, m->x, NULL, &report, NULL));
  CHECK(fabs(report.force - coefficient * normal) <= 1e-10 * normal, "friction %.12g N of normal forces %.12g N",
        report.force, normal);
  CHECK(report.work == 0, "work without a way");
  PetscCall(begin(s, 1e-4));
  PetscCall(wring_potential_measure_slip(m->g, m->x, NULL, &report, NULL));
  CHECK(report.force < 0.9 * coefficient * normal, "friction %g N of what hardly moves", report.force);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Normal forces follow x only when they are taken anew; the step stays. */
static PetscErrorCode check_renewal(slider *s)
{
  model *const m = &s->m;
  double       before, after, again, *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->n_local, &f));
  PetscCall(begin(s, 1e-3));
  PetscCall(contact_alone(m, m->x, &before, f));
  PetscCall(VecWAXPY(m->work, 1e-3, m->d, m->x));
  PetscCall(lag(s, m->work, NULL));
  PetscCall(contact_alone(m, m->x, &after, f));
  CHECK(fabs(after - before) > 1e-6 * before, "normal forces are those at another x: %.9g and %.9g J", before, after);
  PetscCall(lag(s, m->x, NULL));
  PetscCall(contact_alone(m, m->x, &again, f));
  CHECK(fabs(again - before) <= 1e-12 * before, "the same x has friction %.17g, then %.17g J", before, again);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- invariance -------------------------------------------------------------------------------------------------- */

/* y = R x + shift. */
static PetscErrorCode move(Vec x, const double turn[3], const double shift[3], Vec y)
{
  const double *from;
  double       *to, R[9];
  PetscInt      n;

  PetscFunctionBegin;
  wring_rotation(turn, 1, R);
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt i = 0; i < n; i++) {
    const double *const row = R + 3 * (i % 3), *const at = from + i - i % 3;
    to[i] = row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + shift[i % 3];
  }
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same step, turned and shifted; and a shift alone, which is no slip. */
static PetscErrorCode check_rigid(slider *s)
{
  static const double turn[3] = {40, -70, 20}, shift[3] = {3, -2, 1}, still[3] = {0, 0, 0};
  model *const        m = &s->m;
  double              before, after, *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->n_local, &f));
  PetscCall(begin(s, 1e-3));
  PetscCall(contact_alone(m, m->x, &before, f));
  PetscCall(move(m->work, turn, shift, m->grad));
  PetscCall(move(m->x, turn, shift, m->work));
  PetscCall(lag(s, m->work, m->grad));
  PetscCall(contact_alone(m, m->work, &after, f));
  CHECK(fabs(after - before) <= 1e-8 * before, "friction %.12g J, turned %.12g J", before, after);
  PetscCall(move(m->x, still, shift, m->work));
  PetscCall(lag(s, m->x, m->x));
  PetscCall(contact_alone(m, m->work, &after, f));
  CHECK(fabs(after) <= 1e-12 * before, "a shift has friction %g J", after);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bodies go with the half-space, whose centre is that of the motion. */
static PetscErrorCode check_carried(slider *s, const double velocity[3], const double spin[3])
{
  static const double centre[3] = {0.5, 0.5, -0.02};
  model *const        m         = &s->m;
  double              R[9], shift[3], torque[3 * COLLIDERS];
  const double        turn[3] = {h * spin[0], h * spin[1], h * spin[2]};
  wring_slip_report   report;

  PetscFunctionBegin;
  wring_rotation(turn, 1, R);
  for (int k = 0; k < 3; k++)
    shift[k] = centre[k] + h * velocity[k] - R[3 * k] * centre[0] - R[3 * k + 1] * centre[1] - R[3 * k + 2] * centre[2];
  PetscCall(move(m->x, turn, shift, m->work));
  PetscCall(lag(s, m->work, m->x));
  PetscCall(wring_potential_measure_slip(m->g, m->work, m->x, &report, torque));
  CHECK(sqrt(torque[0] * torque[0] + torque[1] * torque[1] + torque[2] * torque[2]) <= 1e-9, "torque %g %g %g N m",
        torque[0], torque[1], torque[2]);
  PetscCall(lag(s, m->x, m->x)); // what stays is dragged along by the half-space, and turned by it
  PetscCall(wring_potential_measure_slip(m->g, m->x, m->x, &report, torque));
  CHECK(report.force > 1 && torque[2] > 0.1, "what stays has friction %g N, torque %g N m", report.force, torque[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_ranks(slider *s, PetscBool self)
{
  static const double still[3] = {0, 0, 0};
  slider              one;
  double              together, alone, *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)s->m.mesh->number.n_global, &f));
  PetscCall(begin(s, 1e-3));
  PetscCall(contact_alone(&s->m, s->m.x, &together, f));
  PetscCall(slider_create(PETSC_COMM_SELF, self, still, still, &one));
  PetscCall(begin(&one, 1e-3));
  PetscCall(contact_alone(&one.m, one.m.x, &alone, f));
  CHECK(fabs(together - alone) <= 1e-12 * alone, "%.17g J on all ranks, %.17g J on one", together, alone);
  PetscCall(slider_destroy(&one));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const double still[3] = {0, 0, 0}, velocity[3] = {0.3, 0.1, 0}, spin[3] = {0, 0, 200};
  slider              s;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int self = 0; self < 2; self++) {
    PetscCall(slider_create(PETSC_COMM_WORLD, (PetscBool)self, still, still, &s));
    PetscCall(check_forces(&s, 1e-4));
    PetscCall(check_forces(&s, 2e-3));
    PetscCall(check_curvature(&s, 1e-4));
    PetscCall(check_curvature(&s, 5e-4));
    PetscCall(check_contact_hessian(&s.m, (PetscBool)self));
    PetscCall(check_contact_components(&s.m));
    PetscCall(check_sizes(&s));
    PetscCall(check_renewal(&s));
    PetscCall(check_ranks(&s, (PetscBool)self));
    if (self) PetscCall(check_rigid(&s));
    PetscCall(slider_destroy(&s));
  }
  PetscCall(slider_create(PETSC_COMM_WORLD, PETSC_FALSE, velocity, spin, &s));
  PetscCall(check_carried(&s, velocity, spin));
  PetscCall(slider_destroy(&s));
  PetscCall(PetscFinalize());
  return 0;
}
