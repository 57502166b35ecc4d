/* Distances, energies and bounds of steps of parts of a body near features of colliders. */
#include "features.h"
#include "barrier.h"
#include "base/vector3.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 3 * WRING_MOST_CORNERS, MOST_STEPS = 512 };
static const double kept = 0.2, near = 0.05; // as of pairs: self_barrier.c, ccd.c

/* ---- distances --------------------------------------------------------------------------------------------------- */

void wring_feature_place(wring_placed_feature *at, const wring_feature *f)
{
  at->f = *f;
  wring_pose_to_world(at->pose, f->a, at->f.a);
  wring_pose_to_world(at->pose, f->b, at->f.b);
  if (f->kind == WRING_FEATURE_PLANE) at->f.radius += wring_dot3(at->f.a, at->pose->centre);
  for (int k = 0; k < 3 && f->kind != WRING_FEATURE_PLANE; k++)
    at->f.a[k] += at->pose->centre[k], at->f.b[k] += at->pose->centre[k];
}

static PetscBool has_corners(const wring_placed_feature *f)
{
  return (PetscBool)(f->f.kind == WRING_FEATURE_POINT || f->f.kind == WRING_FEATURE_SEGMENT);
}

PetscBool wring_feature_meets(const wring_placed_feature *f, int corners, PetscBool bare)
{
  if (!has_corners(f)) return (PetscBool)(corners == 1);
  if (f->f.kind == WRING_FEATURE_SEGMENT) return (PetscBool)(corners == 2);
  return (PetscBool)(corners == 3 || (corners == 2 && bare));
}

/* The corners of the feature, then those of the part; *first of the former. A tube's are after the point. */
static wring_pair_kind join(const wring_placed_feature *f, int corners, const double *x, int *first, double *all)
{
  const PetscBool tube = (PetscBool)(f->f.kind == WRING_FEATURE_TUBE);
  *first               = f->f.kind == WRING_FEATURE_SEGMENT ? 2 : tube ? 0 : 1;
  double *const own    = all + (tube ? 3 : 0);
  memcpy(own, f->f.a, sizeof f->f.a);
  if (*first != 1) memcpy(own + 3, f->f.b, sizeof f->f.b);
  memcpy(all + 3 * *first, x, sizeof *x * 3 * (size_t)corners);
  if (*first == 2) return WRING_PAIR_EDGE_EDGE;
  return corners == 3 ? WRING_PAIR_POINT_TRIANGLE : WRING_PAIR_POINT_EDGE;
}

double wring_feature_sine2(const wring_placed_feature *f, const double *X)
{
  double all[MOST];
  int    first;
  if (f->f.kind != WRING_FEATURE_SEGMENT) return 0;
  join(f, 2, X, &first, all);
  return wring_pair_sine2(all);
}

/* The distance; the unit vector n from the feature to the part; of a tube the distance from its axis, 1 inside it. */
typedef struct {
  double distance, n[3], length;
  int    n_free;
} look;

static look look_from(const wring_placed_feature *f, int corners, const double *x)
{
  look       l = {.n_free = 0};
  double     all[MOST], offset;
  wring_foot foot;
  int        first;
  if (f->f.kind == WRING_FEATURE_PLANE) {
    memcpy(l.n, f->f.a, sizeof l.n);
    l.distance = wring_dot3(l.n, x) - f->f.radius;
    return l;
  }
  if (f->f.kind == WRING_FEATURE_SOLID) {
    l.distance = wring_pose_nearest(f->collider, f->pose, x, l.n, &offset);
    return l;
  }
  wring_pair_closest(join(f, corners, x, &first, all), all, &foot);
  l.length   = sqrt(foot.distance2);
  l.n_free   = foot.n_free;
  l.distance = first > 0 ? l.length - f->f.radius : f->f.radius - l.length;
  for (int k = 0; k < 3; k++) l.n[k] = l.length > 0 ? -foot.r[k] / l.length : k == 0;
  return l;
}

double wring_feature_distance(const wring_placed_feature *f, int corners, const double *x)
{
  return look_from(f, corners, x).distance;
}

void wring_feature_weights(const wring_placed_feature *f, int corners, const double *x, double *c)
{
  double     all[MOST];
  wring_foot foot;
  int        first;
  c[0] = 1;
  if (!has_corners(f)) return;
  wring_pair_closest(join(f, corners, x, &first, all), all, &foot);
  for (int i = 0; i < corners; i++) c[i] = -foot.c[first + i];
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

/* Of a point; the Hessian of a tube's distance is -[1 - n n^T - z z^T]/length, z along it where it is straight. */
static double point_energy(const wring_placed_feature *f, const double *x, double *psi, double *g, double *H)
{
  const look          l = look_from(f, 1, x);
  const double *const a = f->f.a, *const e = f->f.b;
  double b[3], z[3];
  wring_barrier(l.distance, f->gap, b);
  *psi = b[0];
  wring_subtract3(e, a, z);
  const double straight = l.n_free > 0 ? 1 / wring_dot3(z, z) : 0, bow = l.length > 0 ? -b[1] / l.length : 0;
  for (int i = 0; i < 9; i++) {
    const double nn = l.n[i / 3] * l.n[i % 3];
    if (g && i < 3) g[i] = b[1] * l.n[i];
    if (H) H[i] = b[2] * nn + bow * ((i % 4 == 0) - nn - straight * z[i / 3] * z[i % 3]);
  }
  return l.distance;
}

double wring_feature_energy(const wring_placed_feature *f, int corners, double sine2, const double *x, double *psi,
                            double *g, double *H)
{
  double all[MOST], of_all[MOST], H_all[MOST * MOST];
  int    first;
  if (!has_corners(f)) return point_energy(f, x, psi, g, H);
  const wring_pair_law law = {join(f, corners, x, &first, all), f->gap, f->f.radius, sine2};
  const int            n = 3 * corners, skip = 3 * first, width = n + skip;
  const double         d = wring_pair_energy(&law, all, psi, g ? of_all : NULL, H ? H_all : NULL, NULL);
  if (g) memcpy(g, of_all + skip, sizeof *g * (size_t)n);
  for (int i = 0; i < n * n && H; i++) H[i] = H_all[width * (skip + i / n) + skip + i % n];
  return d;
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

/* Corner i at time t from the collider's centre, r, and its velocity v there relative to the collider, linear in t. */
static void follow(const wring_placed_feature *f, int i, const double *x, const double *d, double t, double r[3],
                   double v[3])
{
  const wring_drift *const m = f->drift;
  double                   turned[3];
  for (int k = 0; k < 3; k++) {
    v[k] = d[3 * i + k] - m->shift[k];
    r[k] = x[3 * i + k] - f->pose->centre[k] + t * v[k];
  }
  wring_cross3(m->turn, r, turned);
  for (int k = 0; k < 3; k++) v[k] -= PETSC_PI / 180 * turned[k];
}

/* (9.27): the largest of |v|, which is convex in t. */
double wring_drift_motion(const wring_placed_feature *f, int corners, const double *x, const double *d)
{
  double largest = 0, r[3], v[3];
  for (int i = 0; i < 2 * corners; i++) {
    follow(f, i / 2, x, d, i % 2, r, v);
    largest = fmax(largest, wring_dot3(v, v));
  }
  return sqrt(largest);
}

/* The distance at time t: the corners are turned back, and the collider stays. */
static double distance_at(const wring_placed_feature *f, int corners, const double *x, const double *d, double t)
{
  double back[9], at[9], r[3], v[3];
  wring_rotation(f->drift->turn, -t, back);
  for (int i = 0; i < 3 * corners; i++) {
    if (i % 3 == 0) follow(f, i / 3, x, d, t, r, v);
    at[i] = f->pose->centre[i % 3] + wring_dot3(back + 3 * (i % 3), r);
  }
  return wring_feature_distance(f, corners, at);
}

/* Rounding of distances [m]. */
static double error_of(const wring_placed_feature *f, int corners, const double *x, const double *d)
{
  double largest = 0;
  for (int i = 0; i < 3 * corners; i++)
    largest = fmax(largest, fabs(x[i]) + fabs(d[i]) + 2 * fabs(f->pose->centre[i % 3]) + fabs(f->drift->shift[i % 3]));
  return 64 * DBL_EPSILON * largest;
}

double wring_feature_bound(const wring_placed_feature *f, int corners, const double *x, const double *d)
{
  const double speed = wring_drift_motion(f, corners, x, d);
  double       t = 0, distance = wring_feature_distance(f, corners, x);
  if (speed == 0) return 1;
  const double most = fmin(distance, f->gap), width = kept * most + error_of(f, corners, x, d);
  for (int k = 0; k < MOST_STEPS && t < 1 && distance > width + near * (most - width); k++) {
    const double end = t + (distance - width) / speed;
    if (!(end > t)) return t;
    t        = fmin(end, 1);
    distance = distance_at(f, corners, x, d, t);
  }
  return t;
}
