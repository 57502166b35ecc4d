/* Poses over time, and what every kind of colliders has. */
#include "contact/shape/poses.h"
#include "base/vector3.h"
#include <math.h>

/* ---- over time --------------------------------------------------------------------------------------------------- */

wring_body_pose wring_pose_between(const wring_collider *c, double begin, double time, double part)
{
  const double    until = c->motion.until, t = (1 - part) * fmin(begin, until) + part * fmin(time, until);
  double          from[3], to[3], R[9];
  wring_body_pose p = {{0}, {0}};
  wring_motion_shift(&c->motion, begin, from);
  wring_motion_shift(&c->motion, time, to);
  wring_rotation(c->motion.spin, t, R);
  for (int i = 0; i < 3; i++) {
    p.centre[i] = c->centre[i] + ((1 - part) * from[i] + part * to[i]);
    for (int j = 0; j < 9; j++) p.frame[3 * i + j % 3] += R[3 * i + j / 3] * c->frame[j];
  }
  return p;
}

wring_body_pose wring_pose_at(const wring_collider *c, double time)
{
  return wring_pose_between(c, time, time, 1);
}

void wring_pose_way(const wring_collider *c, double begin, double time, double part, double shift[3], double turn[3])
{
  const double t = fmin(time, c->motion.until) - fmin(begin, c->motion.until);
  double       from[3];
  wring_motion_shift(&c->motion, begin, from);
  wring_motion_shift(&c->motion, time, shift);
  for (int i = 0; i < 3; i++) shift[i] = part * (shift[i] - from[i]), turn[i] = part * t * c->motion.spin[i];
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

void wring_pose_to_local(const wring_body_pose *at, const double x[3], double local[3])
{
  for (int j = 0; j < 3; j++) {
    local[j] = 0;
    for (int i = 0; i < 3; i++) local[j] += at->frame[3 * i + j] * (x[i] - at->centre[i]);
  }
}

void wring_pose_to_world(const wring_body_pose *at, const double local[3], double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = wring_dot3(at->frame + 3 * i, local);
}

double wring_pose_nearest(const wring_collider *c, const wring_body_pose *at, const double x[3], double n[3],
                          double *offset)
{
  const double sign = c->inside ? -1 : 1;
  double       p[3], local[3];
  wring_pose_to_local(at, x, p);
  const double distance = c->shape->nearest(c->size, p, local, offset);
  wring_pose_to_world(at, local, n);
  for (int i = 0; i < 3; i++) n[i] *= sign;
  *offset *= sign;
  return isfinite(p[0] + p[1] + p[2]) ? sign * distance : NAN;
}

/* ---- of every kind of colliders ---------------------------------------------------------------------------------- */

/* Whether the way from x along a direction meets the ball around a collider or, if it is unbounded, ends inside it. */
static PetscBool lies_on_way(const wring_poses *p, int c, const double *direction, const double *x)
{
  const double *const centre  = p->now[c].centre;
  const double        from[3] = {centre[0] - x[0], centre[1] - x[1], centre[2] - x[2]};
  const double        along = wring_dot3(from, direction), square = wring_dot3(from, from), r = p->bound[c];
  const double        far = 1e6 * (sqrt(square) + 1);
  double              n[3], offset;
  if (!isinf(r)) return (PetscBool)(along > -r && square - along * along < r * r);
  const double end[3] = {x[0] + far * direction[0], x[1] + far * direction[1], x[2] + far * direction[2]};
  return (PetscBool)(wring_pose_nearest(&p->collider[c], &p->now[c], end, n, &offset) < 0);
}

void wring_colliders_mark_stopped(const wring_contact *contact, const double *direction, const double *x, char *mark)
{
  const wring_poses *p = contact->poses;
  for (int c = 0; c < p->n; c++) {
    const PetscBool moves = wring_motion_moves(&p->collider[c].motion);
    const PetscBool all   = (PetscBool)(!direction || p->collider[c].inside || moves);
    for (PetscInt v = 0; v < contact->mesh->n_owned; v++)
      if (all || lies_on_way(p, c, direction, x + 3 * v)) mark[v] = 1;
  }
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

/* The radius of a ball slightly larger than the shape, so that rounding excludes no contact. */
static double bound_of(const wring_collider *c)
{
  return c->inside || !c->shape->bound ? INFINITY : 1.000001 * c->shape->bound(c->size);
}

PetscErrorCode wring_poses_create(wring_contact *contact, int n, const wring_collider *collider, wring_poses *p)
{
  PetscFunctionBegin;
  contact->poses = p;
  p->n           = n;
  PetscCall(PetscCalloc3(n, &p->collider, n, &p->bound, n, &p->now));
  for (int c = 0; c < n; c++) {
    wring_collider *const to = &p->collider[c];
    *to                      = collider[c];
    PetscCheck(to->shape && (to->shape->bound || !to->inside), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "collider '%s': no shape, or `inside` with an unbounded shape", to->name);
    PetscCall(wring_time_curve_copy(collider[c].motion.path, &to->motion.path));
    p->bound[c] = bound_of(to);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_poses_destroy(wring_poses *p)
{
  PetscFunctionBegin;
  for (int c = 0; c < p->n; c++) PetscCall(wring_time_curve_destroy(&p->collider[c].motion.path));
  PetscCall(PetscFree3(p->collider, p->bound, p->now));
  PetscFunctionReturn(PETSC_SUCCESS);
}
