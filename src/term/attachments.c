/* Springs of length zero to targets that move rigidly. docs/theory.md (3.5) */
#include "term_impl.h"
#include <math.h>

/* The target of element e among the parameters of its block. */
static void set_target(wring_term *t, PetscInt e, const double *target)
{
  const PetscInt position = term_position(t, e);
  double        *par      = t->par + (size_t)(position / WRING_LANES) * t->par_stride + position % WRING_LANES;
  for (int k = 0; k < 3; k++) par[(1 + k) * WRING_LANES] = target[k];
}

PetscErrorCode wring_term_create_attachments(const wring_mesh *mesh, const char *name, PetscInt n,
                                             const PetscInt *vertex, const double *stiffness, const double *target,
                                             const wring_motion *motion, wring_term **term)
{
  wring_term *t;

  PetscFunctionBegin;
  PetscCall(wring_term_create(mesh, name, &wring_law_attachment, 1, n, n, vertex, PETSC_FALSE, PETSC_TRUE, &t));
  PetscCall(PetscNew(&t->attachment));
  PetscCall(PetscMalloc1(3 * n, &t->attachment->target));
  PetscCall(PetscArraycpy(t->attachment->target, target, 3 * n));
  t->attachment->motion = *motion;
  for (PetscInt e = 0; e < n; e++) {
    const double *x = target + 3 * e;
    wring_term_set_par(t, e, (const double[]){stiffness[e], x[0], x[1], x[2]});
  }
  wring_term_pad(t);
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void move_targets(wring_term *t, double time)
{
  const wring_motion *m = &t->attachment->motion;
  const double        s = fmin(time, m->until);
  double              R[9], x[3];
  wring_rotation(m->spin, s, R);
  for (PetscInt e = 0; e < t->n; e++) {
    const double *X = t->attachment->target + 3 * e;
    for (int i = 0; i < 3; i++) {
      x[i] = m->centre[i] + s * m->velocity[i];
      for (int j = 0; j < 3; j++) x[i] += R[3 * i + j] * (X[j] - m->centre[j]);
    }
    set_target(t, e, x);
  }
  wring_term_pad(t);
}

/* Times are sums of steps: a release at 0.5 s is met by a step that ends there but for rounding. */
static PetscBool still_holds(const wring_motion *m, double end)
{
  return (PetscBool)(end <= m->release + 1e-9 * fabs(m->release));
}

static PetscBool moves(const wring_motion *m)
{
  for (int i = 0; i < 3; i++) {
    if (m->spin[i] != 0 || m->velocity[i] != 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void wring_term_set_time(wring_term *t, double time, double end, PetscBool *changed)
{
  *changed = PETSC_FALSE;
  if (!t->attachment) return;
  const wring_motion *m     = &t->attachment->motion;
  const PetscBool     holds = still_holds(m, end);
  *changed                  = (PetscBool)(holds != t->active);
  t->active                 = holds;
  if (holds && moves(m)) move_targets(t, time); // targets at rest keep their exact values
}
