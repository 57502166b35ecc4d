/* Colliders in the world, and the parts of the surface near them. */
#include "obstacles.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

enum { SERIAL_BELOW = 256 };

/* ---- places ------------------------------------------------------------------------------------------------------ */

PetscBool wring_obstacles_place(wring_obstacles *o, double begin, double time, double part)
{
  wring_feature feature[WRING_MOST_FEATURES];
  PetscBool     moved = PETSC_FALSE;
  o->begin = begin, o->time = time;
  for (int c = 0, n = 0; c < o->set.n; c++) {
    const wring_collider *const of = o->set.collider + c;
    const wring_body_pose       at = wring_pose_between(of, begin, time, part);
    const int                   m  = of->shape->features(of->size, of->inside, feature);
    moved                          = (PetscBool)(moved || memcmp(&at, o->set.now + c, sizeof at) != 0);
    o->set.now[c]                  = at;
    for (int i = 0; i < m; i++, n++) wring_feature_place(o->feature + n, feature + i);
  }
  return moved;
}

PetscBool wring_obstacles_advance(wring_obstacles *o, double advance)
{
  PetscBool moves = PETSC_FALSE;
  for (int c = 0; c < o->set.n; c++) {
    wring_drift *const m = o->drift + c;
    wring_pose_way(o->set.collider + c, o->begin, o->time, advance, m->shift, m->turn);
    for (int k = 0; k < 3; k++) moves = (PetscBool)(moves || m->shift[k] != 0 || m->turn[k] != 0);
  }
  return moves;
}

void wring_obstacle_velocity(const wring_obstacles *o, const wring_placed_feature *f, const double point[3],
                             double velocity[3], double arm[3])
{
  const wring_body_pose begin = wring_pose_at(f->collider, o->begin), end = wring_pose_at(f->collider, o->time);
  double                local[3], from[3], to[3];
  wring_pose_to_local(f->pose, point, local);
  wring_pose_to_world(&begin, local, from);
  wring_pose_to_world(&end, local, to);
  wring_subtract3(point, f->pose->centre, arm);
  for (int k = 0; k < 3; k++) {
    const double way = to[k] - from[k] + (end.centre[k] - begin.centre[k]);
    velocity[k]      = o->time > o->begin ? way / (o->time - o->begin) : 0;
  }
}

/* ---- parts near colliders ---------------------------------------------------------------------------------------- */

double wring_obstacle_apart(const wring_placed_feature *f, int corners, const double *x)
{
  const double *const end       = f->f.kind == WRING_FEATURE_SEGMENT ? f->f.b : f->f.a;
  double              middle[3] = {0}, radius = 0, n[3], offset;
  for (int k = 0; k < 3 * corners; k++) middle[k % 3] += x[k] / corners;
  for (int i = 0; i < corners; i++) radius = fmax(radius, wring_distance3(x + 3 * i, middle));
  if (f->f.kind != WRING_FEATURE_POINT && f->f.kind != WRING_FEATURE_SEGMENT)
    return wring_pose_nearest(f->collider, f->pose, middle, n, &offset) - radius;
  for (int k = 0; k < 3; k++) n[k] = 0.5 * (f->f.a[k] + end[k]);
  return wring_distance3(middle, n) - 0.5 * wring_distance3(f->f.a, end) - f->f.radius - radius;
}

/*
  Adds to hit, unless it is NULL, the features to which a simplex may come as near; those of one collider follow each
  other. Returns their number.
*/
static PetscInt find_near(const wring_obstacles *o, const wring_simplex *s, const double *x, const double *d,
                          double margin, PetscInt simplex, wring_obstacle_hit *hit)
{
  double    corners[9], moves[9] = {0}, reach = 0;
  PetscBool near = PETSC_FALSE;
  PetscInt  n    = 0;
  wring_simplex_gather(s, x, corners);
  if (d) wring_simplex_gather(s, d, moves);
  for (int i = 0; i < o->n; i++) {
    const wring_placed_feature *const f = o->feature + i;
    if (i == 0 || f->part != f[-1].part) {
      reach = f->gap + margin + wring_drift_motion(f, s->corners, corners, moves);
      near  = (PetscBool) !(wring_obstacle_apart(f, s->corners, corners) > reach);
    }
    if (!near || !wring_feature_meets(f, s->corners, s->bare) || wring_obstacle_apart(f, s->corners, corners) > reach ||
        wring_feature_distance(f, s->corners, corners) > reach)
      continue;
    if (hit) hit[n] = (wring_obstacle_hit){simplex, i};
    n++;
  }
  return n;
}

PetscErrorCode wring_obstacles_find(const wring_obstacles *o, PetscInt n_simplex, const wring_simplex *simplex,
                                    const double *x, const double *d, double margin, PetscInt *n,
                                    wring_obstacle_hit **hit)
{
  PetscInt *end;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_simplex + 1, &end));
#pragma omp parallel for schedule(dynamic, 64) if (n_simplex > SERIAL_BELOW)
  for (PetscInt i = 0; i < n_simplex; i++) end[i + 1] = find_near(o, simplex + i, x, d, margin, i, NULL);
  for (PetscInt i = 0; i < n_simplex; i++) end[i + 1] += end[i];
  *n = end[n_simplex];
  PetscCall(PetscMalloc1((size_t)*n, hit));
#pragma omp parallel for schedule(dynamic, 64) if (n_simplex > SERIAL_BELOW)
  for (PetscInt i = 0; i < n_simplex; i++)
    if (end[i + 1] > end[i]) find_near(o, simplex + i, x, d, margin, i, *hit + end[i]);
  PetscCall(PetscFree(end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

void wring_obstacles_set_gap(wring_obstacles *o, double gap)
{
  for (int i = 0; i < o->n; i++) {
    const double own  = o->feature[i].collider->gap;
    o->feature[i].gap = own > 0 ? own : gap;
  }
}

PetscErrorCode wring_obstacles_create(wring_contact *contact, int n, const wring_collider *collider,
                                      wring_obstacles **out)
{
  wring_obstacles *o;
  wring_feature    feature[WRING_MOST_FEATURES];

  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  *out = o;
  PetscCall(wring_poses_create(contact, n, collider, &o->set));
  PetscCall(PetscCalloc2(n, &o->drift, n * WRING_MOST_FEATURES, &o->feature));
  for (int c = 0; c < n; c++) {
    const wring_collider *const of = o->set.collider + c;
    const int                   m  = of->shape->features ? of->shape->features(of->size, of->inside, feature) : 0;
    PetscCheck(m > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "collider '%s' has no features", of->name);
    for (int i = 0; i < m; i++)
      o->feature[o->n++] =
        (wring_placed_feature){.part = c, .collider = of, .pose = o->set.now + c, .drift = o->drift + c};
  }
  wring_obstacles_place(o, 0, 0, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_obstacles_destroy(wring_obstacles **o)
{
  PetscFunctionBegin;
  if (!*o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_poses_destroy(&(*o)->set));
  PetscCall(PetscFree2((*o)->drift, (*o)->feature));
  PetscCall(PetscFree(*o));
  PetscFunctionReturn(PETSC_SUCCESS);
}
