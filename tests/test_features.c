/*
  Features of colliders, of every shape that has them, from outside and inside. Fails if the features of a triangle, its
  edges and corners miss a point of the triangle that is nearer to the surface; if an energy, its forces or its Hessian
  are wrong; if a part touches a collider on its way before the bound, while both move and turn, or the bound is far too
  short; if a shape that declares nothing is said to have features.
*/
#include "contact/barrier/barrier.h"
#include "base/vector3.h"
#include "contact/barrier/features.h"
#include "shapes.h"

enum { N_TRIAL = 300, MOST = WRING_MOST_FEATURES, GRID = 60 };
static const double gap = 0.05;

typedef struct {
  wring_collider       c;
  wring_body_pose      pose;
  wring_drift          drift;
  int                  n;
  wring_feature        own[MOST];
  wring_placed_feature feature[MOST];
} placed;

static void place(placed *p, double part)
{
  p->n    = p->c.shape->features ? p->c.shape->features(p->c.size, p->c.inside, p->own) : 0;
  p->pose = wring_pose_between(&p->c, 0, 1, part);
  wring_pose_way(&p->c, 0, 1, 1, p->drift.shift, p->drift.turn);
  for (int i = 0; i < p->n; i++) {
    p->feature[i] = (wring_placed_feature){.collider = &p->c, .pose = &p->pose, .drift = &p->drift, .gap = gap};
    wring_feature_place(p->feature + i, p->own + i);
  }
}

static PetscErrorCode make(const wring_shape *shape, PetscBool inside, uint64_t *seed, placed *p)
{
  double axis[3];

  PetscFunctionBegin;
  PetscCall(test_collider(shape, *seed, &p->c));
  p->c.inside = inside;
  for (int i = 0; i < 3; i++) {
    p->c.centre[i]          = test_random(seed);
    axis[i]                 = test_random(seed);
    p->c.motion.velocity[i] = 0.5 * test_random(seed);
    p->c.motion.spin[i]     = 40 * test_random(seed);
  }
  wring_frame_of_axis(axis, p->c.frame);
  place(p, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double signed_distance(const placed *p, const double x[3])
{
  double n[3], offset;
  return wring_pose_nearest(&p->c, &p->pose, x, n, &offset);
}

/* A triangle of this size whose first corner is up to twice the gap from the surface, on the allowed side. */
static void near_triangle(const placed *p, double size, uint64_t *seed, double x[9])
{
  double n[3], offset, at[3];
  for (int i = 0; i < 3; i++) at[i] = p->c.centre[i] + 1.5 * test_random(seed);
  const double d = wring_pose_nearest(&p->c, &p->pose, at, n, &offset), wanted = gap * (1 + test_random(seed));
  for (int i = 0; i < 9; i++) x[i] = at[i % 3] + (wanted - d) * n[i % 3] + (i < 3 ? 0 : size * test_random(seed));
}

/* Moves the last corners of the triangle to those that its first one has after a turn by 20 degrees about the axis. */
static void span_hole(const placed *p, double x[9])
{
  for (int k = 1; k < 3; k++) {
    double spin[3], R[9];
    for (int i = 0; i < 3; i++) spin[i] = (k == 1 ? 20 : -20) * p->c.frame[3 * i + 2];
    wring_rotation(spin, 1, R);
    for (int i = 0; i < 3; i++) {
      x[3 * k + i] = p->c.centre[i];
      for (int j = 0; j < 3; j++) x[3 * k + i] += R[3 * i + j] * (x[j] - p->c.centre[j]);
    }
  }
}

/* The least distance of parts of the triangle from features, and the feature and part (0-2 corners, 3-5 edges, 6). */
static double least_feature(const placed *p, const double x[9], int *feature, int *part)
{
  double least = INFINITY;
  for (int f = 0; f < p->n; f++) {
    for (int k = 0; k < 7; k++) {
      const int corners = k < 3 ? 1 : k < 6 ? 2 : 3;
      double    y[9];
      for (int i = 0; i < 3 * corners; i++) y[i] = x[(3 * k + i) % 9];
      if (!wring_feature_meets(p->feature + f, corners, PETSC_FALSE)) continue;
      const double d = wring_feature_distance(p->feature + f, corners, y);
      if (d < least) least = d, *feature = f, *part = k;
    }
  }
  return least;
}

/* The least signed distance of points of the triangle. */
static double least_sample(const placed *p, const double x[9])
{
  double least = INFINITY;
  for (int i = 0; i <= GRID; i++)
    for (int j = 0; i + j <= GRID; j++) {
      double       at[3];
      const double a = (double)i / GRID, b = (double)j / GRID;
      for (int k = 0; k < 3; k++) at[k] = x[k] + a * (x[3 + k] - x[k]) + b * (x[6 + k] - x[k]);
      least = fmin(least, signed_distance(p, at));
    }
  return least;
}

/* How deep in the collider what the barrier sees of its circles may be. */
static double deviation(const placed *p)
{
  return p->n > 0 && p->feature[0].f.kind == WRING_FEATURE_SOLID ? p->feature[0].f.radius : 0;
}

/* Returns whether the nearest part was an edge or the triangle itself. */
static int check_complete(const placed *p, const double x[9], double size)
{
  int          feature = 0, part = 0;
  const double sampled = least_sample(p, x), found = least_feature(p, x, &feature, &part);
  if (sampled <= 0.01) return 0; // it may pass through the collider
  CHECK(deviation(p) <= 1.3e-3 * (p->c.size[0] + p->c.size[1]), "a shape is %g m off", deviation(p));
  CHECK(found <= sampled + deviation(p) + 1e-12, "%s%s: features are %g m away, a point %g m", p->c.shape->name,
        p->c.inside ? " inside" : "", found, sampled);
  CHECK(found >= sampled - 4 * size / GRID, "%s%s: feature %d is %g m away, points %g m", p->c.shape->name,
        p->c.inside ? " inside" : "", feature, found, sampled);
  return part > 2;
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

static double energy_at(const wring_placed_feature *f, int corners, double sine2, const double *x, double *g)
{
  double psi;
  wring_feature_energy(f, corners, sine2, x, &psi, g, NULL);
  return psi;
}

/* The point of the weights is on the part, and as far from the feature as this is. */
static void check_weights(const wring_placed_feature *f, int corners, const double *x)
{
  double c[3] = {0}, at[3] = {0}, sum = 0, distance = wring_feature_distance(f, corners, x);
  wring_feature_weights(f, corners, x, c);
  for (int i = 0; i < 3 * corners; i++) at[i % 3] += c[i / 3] * x[i];
  for (int i = 0; i < corners; i++) sum += c[i];
  CHECK(fabs(sum - 1) <= 1e-12 && c[0] >= 0 && c[1] >= 0 && c[2] >= 0, "weights %g %g %g", c[0], c[1], c[2]);
  wring_placed_feature point = *f;
  if (corners == 1) return;
  if (f->f.kind == WRING_FEATURE_SEGMENT) point.f.kind = WRING_FEATURE_TUBE; // of a point: radius - distance
  const double found = f->f.kind == WRING_FEATURE_SEGMENT ? -wring_feature_distance(&point, 1, at)
                                                          : wring_distance3(at, f->f.a) - f->f.radius;
  CHECK(fabs(found - distance) <= 1e-9, "the nearest point is %g m away, not %g", found, distance);
}

/*
  Forces by differences of the energy. H is semidefinite, and no less than differences of the forces: it lacks negative
  parts only, but of a torus, which is not convex, others too; planes and tubes have none.
*/
static void check_derivatives(const placed *p, int feature, int corners, const double *x, uint64_t *seed)
{
  const wring_placed_feature *const f = p->feature + feature;
  const double                      e = 1e-7, sine2 = wring_feature_sine2(f, x);
  const PetscBool exact = (PetscBool)(f->f.kind == WRING_FEATURE_PLANE || f->f.kind == WRING_FEATURE_TUBE);
  double          g[9], H[81], psi, more[9], less[9], y[2][9], v[9], slope = 0, vHv = 0, vDv = 0, size = 0;
  const double    d = wring_feature_energy(f, corners, sine2, x, &psi, g, H);
  if (!(d > 0.1 * gap && d < 0.9 * gap)) return;
  check_weights(f, corners, x);
  for (int i = 0; i < 3 * corners; i++) {
    v[i]    = test_random(seed);
    y[0][i] = x[i] - e * v[i];
    y[1][i] = x[i] + e * v[i];
    slope += g[i] * v[i];
  }
  const double difference = energy_at(f, corners, sine2, y[1], more) - energy_at(f, corners, sine2, y[0], less);
  CHECK(fabs(difference / (2 * e) - slope) <= 1e-5 * (fabs(slope) + 0.1), "%s feature %d: slope %g, %g",
        p->c.shape->name, feature, slope, difference / (2 * e));
  for (int i = 0; i < 3 * corners; i++) {
    vDv += v[i] * (more[i] - less[i]) / (2 * e);
    for (int j = 0; j < 3 * corners; j++) {
      vHv += v[i] * H[3 * corners * i + j] * v[j];
      size = fmax(size, fabs(H[3 * corners * i + j]));
      CHECK(fabs(H[3 * corners * i + j] - H[3 * corners * j + i]) <= 1e-9 * size, "H is not symmetric");
    }
  }
  CHECK(vHv >= -1e-9 * size, "%s feature %d: v H v = %g", p->c.shape->name, feature, vHv);
  if (f->f.kind == WRING_FEATURE_SOLID && !strcmp(p->c.shape->name, "torus")) return;
  CHECK(vHv >= vDv - 1e-4 * (fabs(vDv) + size), "%s feature %d: H gives %g, differences %g", p->c.shape->name, feature,
        vHv, vDv);
  CHECK(!exact || fabs(vHv - vDv) <= 1e-4 * (fabs(vDv) + size), "%s feature %d: H gives %g, differences %g",
        p->c.shape->name, feature, vHv, vDv);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

/* Returns whether the part was stopped. */
static int check_bound(const placed *p, int feature, int corners, const double *x, double speed, uint64_t *seed)
{
  double               d[9], y[9];
  wring_body_pose      pose  = p->pose;
  wring_placed_feature now   = p->feature[feature];
  const double         start = wring_feature_distance(p->feature + feature, corners, x);
  now.pose                   = &pose;
  if (!(start > 1e-3)) return 0;
  for (int i = 0; i < 3 * corners; i++) d[i] = speed * test_random(seed);
  const double bound = wring_feature_bound(p->feature + feature, corners, x, d);
  const double least = 0.2 * fmin(start, gap);
  for (int k = 0; k <= 100; k++) {
    const double t = bound * k / 100;
    pose           = wring_pose_between(&p->c, 0, 1, t);
    wring_feature_place(&now, p->own + feature);
    for (int i = 0; i < 3 * corners; i++) y[i] = x[i] + t * d[i];
    const double here = wring_feature_distance(&now, corners, y);
    CHECK(here >= least, "%s feature %d: %g m away at %g of %g, less than %g m", p->c.shape->name, feature, here, t,
          bound, least);
    if (k == 100 && bound < 1)
      CHECK(here <= 1.3 * least, "%s%s feature %d: stopped at %g, %g m away", p->c.shape->name,
            p->c.inside ? " inside" : "", feature, t, here);
  }
  return bound < 1;
}

/* ---- every shape ------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_shape(const wring_shape *shape, PetscBool inside)
{
  uint64_t seed    = 7;
  placed   p       = {.n = 0};
  int      between = 0, stopped = 0, feature, part;

  PetscFunctionBegin;
  for (int trial = 0; trial < N_TRIAL; trial++) {
    const double size = trial % 3 == 0 ? 0.05 : trial % 3 == 1 ? 0.3 : 2;
    double       x[9];
    PetscCall(make(shape, inside, &seed, &p));
    near_triangle(&p, size, &seed, x);
    if (inside && trial % 3 == 2 && !strcmp(shape->name, "torus")) span_hole(&p, x);
    between += check_complete(&p, x, size);
    if (!(least_feature(&p, x, &feature, &part) > 0)) continue;
    for (int f = 0; f < p.n; f++) { // of many the nearest and some others
      if (p.n > 40 && f != feature && (f + trial) % 50) continue;
      for (int corners = 1; corners <= 3; corners++) {
        if (!wring_feature_meets(p.feature + f, corners, PETSC_TRUE)) continue;
        check_derivatives(&p, f, corners, x, &seed);
        stopped += check_bound(&p, f, corners, x, trial % 2 ? 0.1 : 1, &seed);
      }
    }
  }
  CHECK(p.n > 0, "%s has no features", shape->name);
  CHECK(stopped > 20, "%s: %d parts were stopped", shape->name, stopped);
  CHECK((inside && strcmp(shape->name, "torus")) || !shape->bound || between > 20,
        "%s: %d edges and triangles were nearest", shape->name, between);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A body that moves and turns with a box is not stopped. */
static PetscErrorCode check_carried(void)
{
  uint64_t seed = 3;
  placed   p, end;
  double   x[3], local[3], d[3], n[3], offset;

  PetscFunctionBegin;
  PetscCall(make(wring_shape_find("box"), PETSC_FALSE, &seed, &p));
  for (int i = 0; i < 3; i++) p.c.motion.spin[i] *= 0.1; // a chord that leaves the arc by less than the distance
  place(&p, 0);
  end = p;
  place(&end, 1);
  for (int i = 0; i < 3; i++) x[i] = p.c.centre[i] + 2;
  const double far = wring_pose_nearest(&p.c, &p.pose, x, n, &offset);
  for (int i = 0; i < 3; i++) x[i] -= (far - 0.02) * n[i];
  wring_pose_to_local(&p.pose, x, local);
  wring_pose_to_world(&end.pose, local, d);
  for (int i = 0; i < 3; i++) d[i] += end.pose.centre[i] - x[i];
  CHECK(wring_feature_bound(p.feature, 1, x, d) == 1, "a point that moves with a box is stopped");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const wring_shape *shape;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int i = 0; (shape = wring_shape_at(i)); i++)
    for (int inside = 0; inside <= (shape->bound != NULL); inside++) PetscCall(check_shape(shape, (PetscBool)inside));
  PetscCall(check_carried());
  PetscCall(PetscFinalize());
  return 0;
}
