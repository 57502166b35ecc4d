/*
  Springs of length zero to targets that move rigidly, and hard attachments to such targets. docs/theory.md (3.5),
  (3.10)
*/
#include "term_impl.h"
#include <math.h>
#include <string.h>

static PetscErrorCode create_motion(PetscInt n, const PetscInt *vertex, const double *target,
                                    const wring_motion *motion, attachment **a)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(a));
  PetscCall(PetscMalloc2(n, &(*a)->vertex, (size_t)3 * n, &(*a)->target));
  PetscCall(PetscArraycpy((*a)->vertex, vertex, n));
  PetscCall(PetscArraycpy((*a)->target, target, (size_t)3 * n));
  (*a)->n          = n;
  (*a)->components = WRING_XYZ;
  (*a)->motion     = *motion;
  PetscCall(wring_time_curve_copy(motion->path, &(*a)->motion.path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_attachments(const wring_mesh *mesh, const char *name, PetscInt n,
                                             const PetscInt *vertex, const double *stiffness, const double *target,
                                             const wring_motion *motion, wring_term **term)
{
  wring_term *t;

  PetscFunctionBegin;
  PetscCall(wring_term_create(mesh, name, &wring_law_attachment, 1, n, n, vertex, PETSC_TRUE, &t));
  PetscCall(create_motion(n, vertex, target, motion, &t->attachment));
  for (PetscInt e = 0; e < n; e++) {
    const double *x = target + 3 * e;
    wring_term_set_par(t, e, (const double[]){stiffness[e], x[0], x[1], x[2]});
  }
  wring_term_pad(t);
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_create_hard_attachments(const wring_mesh *mesh, const char *name, PetscInt n,
                                                  const PetscInt *vertex, const double *target,
                                                  const wring_motion *motion, wring_term **term)
{
  wring_term *t;

  PetscFunctionBegin;
  PetscCall(wring_term_create(mesh, name, &wring_law_attachment, 1, 0, 0, NULL, PETSC_TRUE, &t));
  PetscCall(create_motion(n, vertex, target, motion, &t->attachment));
  PetscCall(PetscMalloc1((size_t)3 * n, &t->attachment->place));
  PetscCall(PetscArraycpy(t->attachment->place, target, (size_t)3 * n));
  t->attachment->hard = PETSC_TRUE;
  *term               = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_destroy_attachment(attachment **a)
{
  PetscFunctionBegin;
  if (!*a) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_time_curve_destroy(&(*a)->motion.path));
  PetscCall(PetscFree2((*a)->vertex, (*a)->target));
  PetscCall(PetscFree((*a)->origin));
  PetscCall(PetscFree((*a)->shift));
  PetscCall(PetscFree((*a)->place));
  PetscCall(PetscFree(*a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_term_set_origin(wring_term *t, const double *x)
{
  attachment *const a = t->attachment;

  PetscFunctionBegin;
  if (!a || !a->motion.grows) PetscFunctionReturn(PETSC_SUCCESS);
  if (!a->origin) PetscCall(PetscMalloc1((size_t)3 * a->n, &a->origin));
  for (PetscInt e = 0; e < 3 * a->n; e++) a->origin[e] = x[3 * a->vertex[e / 3] + e % 3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_term_attached(const wring_term *t, const PetscInt **vertex)
{
  if (!t->attachment) return 0;
  *vertex = t->attachment->vertex;
  return t->attachment->n;
}

PetscInt wring_term_held(const wring_term *t, const PetscInt **vertex, const double **target)
{
  const attachment *const a = t->attachment;
  if (!a || !a->hard || !t->active) return 0;
  *vertex = a->vertex;
  *target = a->place;
  return a->n;
}

void wring_term_set_components(wring_term *t, unsigned components)
{
  t->attachment->components = components;
}

unsigned wring_term_components(const wring_term *t)
{
  return t->attachment ? t->attachment->components : WRING_XYZ;
}

PetscBool wring_term_is_hard(const wring_term *t)
{
  return (PetscBool)(t->attachment && t->attachment->hard);
}

void wring_motion_shift(const wring_motion *m, double time, double shift[3])
{
  const double s = fmin(time, m->until);
  for (int i = 0; i < 3; i++) shift[i] = s * m->velocity[i];
  if (m->path) wring_time_curve_at(m->path, s, shift);
}

static void move_targets(wring_term *t, double time)
{
  attachment *const   a = t->attachment;
  const wring_motion *m = &a->motion;
  double              R[9], shift[3], x[3], X[3];
  wring_rotation(m->spin, fmin(time, m->until), R);
  wring_motion_shift(m, time, shift);
  for (PetscInt e = 0; e < a->n; e++) {
    const double *const end = a->target + 3 * e, *const start = a->origin && time < 1 ? a->origin + 3 * e : NULL;
    for (int i = 0; i < 3; i++) X[i] = start ? start[i] + time * (end[i] - start[i]) : end[i];
    for (int i = 0; i < 3; i++) {
      x[i] = m->centre[i] + shift[i];
      for (int j = 0; j < 3; j++) x[i] += R[3 * i + j] * (X[j] - m->centre[j]);
    }
    if (a->hard) {
      for (int i = 0; i < 3 && a->shift; i++) x[i] += (a->fades ? fmax(0, 1 - time) : 1) * a->shift[3 * e + i];
      memcpy(a->place + 3 * e, x, sizeof x);
    } else {
      const PetscInt position = term_position(t, e);
      double *const  par      = t->par + (size_t)(position / WRING_LANES) * t->par_stride + position % WRING_LANES;
      for (int i = 0; i < 3; i++) par[(1 + i) * WRING_LANES] = x[i];
    }
  }
  if (!a->hard) wring_term_pad(t);
}

PetscErrorCode wring_term_hold_from(wring_term *t, const double *x, PetscBool fades)
{
  attachment *const a = t->attachment;

  PetscFunctionBegin;
  if (!a || !a->hard) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(a->shift));
  move_targets(t, 0);
  PetscCall(PetscMalloc1((size_t)3 * a->n, &a->shift));
  for (PetscInt e = 0; e < 3 * a->n; e++) a->shift[e] = x[3 * a->vertex[e / 3] + e % 3] - a->place[e];
  a->fades = fades;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times are sums of steps: the tolerance accepts a step that ends at the release time up to rounding. */
static PetscBool still_holds(const wring_motion *m, double end)
{
  return (PetscBool)(end <= m->release + 1e-9 * fabs(m->release));
}

PetscBool wring_term_holds(const wring_term *t, double end)
{
  return (PetscBool)(t->attachment && still_holds(&t->attachment->motion, end));
}

PetscBool wring_motion_moves(const wring_motion *m)
{
  if (m->path) return PETSC_TRUE;
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
  if (!holds || (!wring_motion_moves(m) && !t->attachment->origin && !t->attachment->shift))
    return; // targets at rest keep their exact values
  move_targets(t, t->attachment->hard ? end : time);
}
