/*
  Friction as a potential of the slip in a step [Li et al. 2020], of normal forces, directions and points in contact
  that are given until they are set anew. docs/theory.md (9.28) to (9.30)
*/
#include "friction.h"
#include "base/vector3.h"
#include <math.h>

enum { SERIAL_BELOW = 256, CORNERS = WRING_MOST_CORNERS };

typedef struct {
  double       *q; // [n_owned][3] m
  PetscInt      n;
  wring_slip   *slip;  // [n]
  PetscInt     *place; // [n][CORNERS]
  wring_corners corners;
  double       *far_x, *far_u, *far_f, *far_q; // [corners.n][3]
  double       *psi, *f;                       // [n] J, [n][3] N: of each pair at the last x
} friction;

/* ---- one pair ---------------------------------------------------------------------------------------------------- */

/* psi(y) = y^2/e (1 - y/(3 e)) for y < e, y - e/3 beyond; [psi, psi'/y, psi''] of y = |u|. (9.29) */
static void smooth(double y, double e, double value[3])
{
  const double t = y / e;
  value[0]       = t < 1 ? y * t * (1 - t / 3) : y - e / 3;
  value[1]       = t < 1 ? (2 - t) / e : 1 / y;
  value[2]       = t < 1 ? (2 - 2 * t) / e : 0;
}

/* sum of c_i (x_i - q_i) over the corners of pair i. */
static void combine(const friction *d, PetscInt i, const double *x, const double *far_x, const double *q,
                    const double *far_q, double sum[3])
{
  const wring_slip *const s = d->slip + i;
  for (int k = 0; k < 3; k++) sum[k] = 0;
  for (int a = 0; a < s->corners; a++) {
    const PetscInt      place = d->place[CORNERS * i + a];
    const double *const of_x  = wring_corners_at(&d->corners, place, x, far_x);
    const double *const of_q  = wring_corners_at(&d->corners, place, q, far_q);
    for (int k = 0; k < 3; k++) sum[k] += s->c[a] * (of_x[k] - of_q[k]);
  }
}

/* The slip u of pair i at x, far_x that of x, and its length. */
static double slip_of(const friction *d, PetscInt i, const double *x, double u[3])
{
  const wring_slip *const s = d->slip + i;
  combine(d, i, x, d->far_x, d->q, d->far_q, u);
  wring_subtract3(u, s->way, u);
  const double along = wring_dot3(s->n, u);
  for (int k = 0; k < 3; k++) u[k] -= along * s->n[k];
  return sqrt(wring_dot3(u, u));
}

/* K [3][3] N/m = force [psi'/|u| (P - e e^T) + psi'' e e^T], e = u/|u|: semidefinite. (9.30) */
static void bend(const friction *d, PetscInt i, const double *x, double K[9])
{
  const wring_slip *const s = d->slip + i;
  double                  u[3], value[3];
  const double            y = slip_of(d, i, x, u);
  smooth(y, s->sticking, value);
  const double across = y > 0 ? (value[2] - value[1]) / (y * y) : 0;
  for (int k = 0; k < 9; k++) {
    const double P = (k % 4 == 0) - s->n[k / 3] * s->n[k % 3];
    K[k]           = s->force * (value[1] * P + across * u[k / 3] * u[k % 3]);
  }
}

/* ---- energy, forces, Hessian ------------------------------------------------------------------------------------- */

/* psi and the gradient f of every pair by its slip. */
static PetscErrorCode evaluate(friction *d, const double *x)
{
  PetscFunctionBegin;
  PetscCall(wring_corners_fetch(&d->corners, d->corners.mesh->forest.vector, x, d->far_x));
#pragma omp parallel for schedule(static, 64) if (d->n > SERIAL_BELOW)
  for (PetscInt i = 0; i < d->n; i++) {
    double       u[3], value[3];
    const double y = slip_of(d, i, x, u);
    smooth(y, d->slip[i].sticking, value);
    d->psi[i] = d->slip[i].force * value[0];
    for (int k = 0; k < 3; k++) d->f[3 * i + k] = d->slip[i].force * value[1] * u[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode friction_add(wring_contact *contact, wring_work work, const double *x, double *f, double *energy)
{
  friction *const d = contact->data;

  PetscFunctionBegin;
  PetscCall(evaluate(d, x));
  if (work & WRING_VALUE) *energy += wring_pairwise_sum(d->n, d->psi);
  if (!(work & WRING_GRADIENT)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(d->far_f, 3 * d->corners.n));
  for (PetscInt i = 0; i < d->n; i++) {
    for (int a = 0; a < d->slip[i].corners; a++) {
      double *const at = wring_corners_at(&d->corners, d->place[CORNERS * i + a], f, d->far_f);
      for (int k = 0; k < 3; k++) at[k] += d->slip[i].c[a] * d->f[3 * i + k];
    }
  }
  PetscCall(wring_corners_add(&d->corners, d->corners.mesh->forest.vector, d->far_f, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c_a c_b K of pair i. */
static int hessian_of(const void *context, const double *x, PetscInt i, double *H, PetscInt *place)
{
  const friction *const   d = context;
  const wring_slip *const s = d->slip + i;
  const int               n = 3 * s->corners;
  double                  K[9];
  bend(d, i, x, K);
  for (int k = 0; k < n * n; k++) {
    const int row = k / n, column = k % n;
    H[k] = s->c[row / 3] * s->c[column / 3] * K[3 * (row % 3) + column % 3];
  }
  for (int a = 0; a < s->corners; a++) place[a] = d->place[CORNERS * i + a];
  return n;
}

static PetscErrorCode friction_find_blocks(wring_contact *contact, const double *x, wring_blocks *b)
{
  friction *const d = contact->data;

  PetscFunctionBegin;
  PetscCall(wring_corners_fetch(&d->corners, d->corners.mesh->forest.vector, x, d->far_x));
  *b = (wring_blocks){d->n, &d->corners, hessian_of, d};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode forget(friction *d)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(d->slip, d->place, d->psi, d->f));
  PetscCall(PetscFree4(d->far_x, d->far_u, d->far_f, d->far_q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_friction_set(wring_contact *contact, const double *q, PetscInt n, const wring_slip *slip)
{
  friction *const d = contact->data;
  const size_t    m = (size_t)n;
  PetscSFNode    *home;

  PetscFunctionBegin;
  PetscCall(forget(d));
  if (q) PetscCall(PetscArraycpy(d->q, q, 3 * contact->mesh->n_owned));
  d->n = n;
  PetscCall(PetscMalloc4(m, &d->slip, CORNERS * m, &d->place, m, &d->psi, 3 * m, &d->f));
  PetscCall(PetscArraycpy(d->slip, slip, n));
  PetscCall(PetscMalloc1(CORNERS * m, &home));
  for (PetscInt i = 0; i < CORNERS * n; i++) {
    const wring_slip *const s = d->slip + i / CORNERS;
    home[i]                   = i % CORNERS < s->corners ? s->home[i % CORNERS] : (PetscSFNode){.rank = -1};
  }
  PetscCall(wring_corners_build(contact->mesh, CORNERS * n, home, d->place, &d->corners));
  PetscCall(PetscFree(home));
  const size_t far = 3 * (size_t)d->corners.n;
  PetscCall(PetscMalloc4(far, &d->far_x, far, &d->far_u, far, &d->far_f, far, &d->far_q));
  PetscCall(wring_corners_fetch(&d->corners, contact->mesh->forest.vector, d->q, d->far_q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_friction_add_forces(wring_contact *contact, const double *x, double *force)
{
  friction *const d = contact->data;

  PetscFunctionBegin;
  PetscCall(evaluate(d, x));
  for (PetscInt i = 0; i < d->n; i++)
    for (int k = 0; k < 3 && d->slip[i].part >= 0; k++) force[3 * d->slip[i].part + k] -= d->f[3 * i + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode friction_measure_slip(wring_contact *contact, const double *x, const double *from,
                                            wring_slip_report *report, double *torque)
{
  friction *const d = contact->data;
  double          turn[3], way[3];

  PetscFunctionBegin;
  *report = (wring_slip_report){0};
  PetscCall(evaluate(d, x));
  if (!from) from = x; // also on a rank without vertices, where it is NULL in any case
  PetscCall(wring_corners_fetch(&d->corners, contact->mesh->forest.vector, from, d->far_u));
  report->potential = wring_pairwise_sum(d->n, d->psi);
  for (PetscInt i = 0; i < d->n; i++) {
    const double *const f = d->f + 3 * i;
    combine(d, i, x, d->far_x, from, d->far_u, way);
    report->work -= wring_dot3(f, way);
    report->force += sqrt(wring_dot3(f, f));
    wring_cross3(d->slip[i].arm, f, turn);
    for (int k = 0; k < 3 && torque && d->slip[i].part >= 0; k++) torque[3 * d->slip[i].part + k] -= turn[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode friction_destroy(wring_contact *contact)
{
  friction *const d = contact->data;

  PetscFunctionBegin;
  PetscCall(forget(d));
  PetscCall(wring_corners_destroy(&d->corners));
  PetscCall(PetscFree(d->q));
  PetscCall(PetscFree(contact->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The barrier is refused first where friction cannot be. */
static const char refusal[] = "friction of method barrier";

static const wring_contact_ops friction_ops = {
  .kind    = "friction",
  .refusal = {[WRING_CONTACT_ENERGY] = refusal, [WRING_CONTACT_SINGLE] = refusal, [WRING_CONTACT_PROJECTION] = refusal},
  .add     = friction_add,
  .find_blocks  = friction_find_blocks,
  .measure_slip = friction_measure_slip,
  .destroy      = friction_destroy,
};

PetscErrorCode wring_friction_create(const wring_contact *barrier, wring_phases *phases, wring_contact **contact)
{
  friction *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  PetscCall(PetscCalloc1(3 * (size_t)barrier->mesh->n_owned, &d->q));
  d->corners.phases = phases;
  PetscCall(wring_contact_create(barrier->mesh, &friction_ops, d, contact));
  (*contact)->poses = barrier->poses;
  PetscCall(wring_friction_set(*contact, NULL, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
