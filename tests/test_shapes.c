/*
  Every shape of the table, tested by its declarations: exact signed distance, its gradient, a ball that contains it.
*/
#include "shapes.h"

enum { N_TRIAL = 5, N_POINT = 400 };

static double distance(const wring_collider *c, const double p[3])
{
  double n[3], offset;
  return c->shape->nearest(c->size, p, n, &offset);
}

static double length_of(const double p[3])
{
  return hypot(hypot(p[0], p[1]), p[2]);
}

/*
  foot = p - d n; returns d. Fails if n is not a unit vector, the plane is wrong, or the foot is not on the surface.
*/
static double check_plane(const wring_collider *c, const double p[3], double n[3], double foot[3])
{
  const char *const name = c->shape->name;
  double            offset;
  const double      d = c->shape->nearest(c->size, p, n, &offset);
  CHECK(fabs(length_of(n) - 1) <= 1e-14, "%s at %g,%g,%g: |n| = %.17g", name, p[0], p[1], p[2], length_of(n));
  CHECK(fabs(n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - offset - d) <= 1e-14, "%s: the plane is off", name);
  for (int i = 0; i < 3; i++) foot[i] = p[i] - d * n[i];
  CHECK(fabs(distance(c, foot)) <= 1e-14, "%s at %g,%g,%g: the foot is %g m off the surface", name, p[0], p[1], p[2],
        distance(c, foot));
  return d;
}

/*
  Fails if n is not the gradient of the distance, or if the gradient is not a unit vector. p must not be on a medial
  axis.
*/
static void check_gradient(const wring_collider *c, const double p[3], const double n[3])
{
  const double h     = 1e-6;
  double       error = 0, norm = 0;
  for (int i = 0; i < 3; i++) {
    double to[3] = {p[0], p[1], p[2]}, from[3] = {p[0], p[1], p[2]};
    to[i] += h, from[i] -= h;
    const double slope = (distance(c, to) - distance(c, from)) / (2 * h);
    error              = test_worse(error, fabs(slope - n[i]));
    norm               = hypot(norm, slope);
  }
  CHECK(error <= 1e-4 && fabs(norm - 1) <= 1e-4, "%s: n is %g from the gradient, of norm %g", c->shape->name, error,
        norm);
}

/* Fails if the distance does not change sign at the foot, or is not linear from p to the foot. */
static void check_sides(const wring_collider *c, double d, const double n[3], const double foot[3])
{
  double beyond[3], half[3];
  for (int i = 0; i < 3; i++) {
    beyond[i] = foot[i] - copysign(1e-3, d) * n[i];
    half[i]   = foot[i] + 0.5 * d * n[i];
  }
  CHECK(distance(c, beyond) * d < 0, "%s: the same side on both sides of the surface", c->shape->name);
  CHECK(fabs(distance(c, half) - 0.5 * d) <= 1e-13, "%s: %g halfway, expected %g", c->shape->name, distance(c, half),
        0.5 * d);
}

/*
  Fails if the distance changes by more than |p - q|. Together with a foot at this distance on the surface, this means
  that no point of the surface is closer.
*/
static void check_lipschitz(const wring_collider *c, const double p[3], const double q[3])
{
  const double way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, change = distance(c, q) - distance(c, p);
  CHECK(fabs(change) <= length_of(way) + 1e-14, "%s: the distance changes by %g over %g m", c->shape->name, change,
        length_of(way));
}

/* Fails if a point of the surface is outside the ball, or if a point outside the ball is closer to the surface. */
static void check_bound(const wring_collider *c, const double p[3], double d, const double foot[3], double *farthest)
{
  if (!c->shape->bound) return;
  const double radius = c->shape->bound(c->size);
  CHECK(length_of(foot) <= radius + 1e-14, "%s: a point %g m from the centre, bound %g", c->shape->name,
        length_of(foot), radius);
  CHECK(d >= length_of(p) - radius - 1e-14, "%s: %g m from the centre, distance %g", c->shape->name, length_of(p), d);
  *farthest = fmax(*farthest, length_of(foot) / radius);
}

/*
  Fails if a property is violated at one of many points, if they are all inside or all outside, or if the ball is far
  too large.
*/
static PetscErrorCode check_shape(const wring_shape *shape, uint64_t seed)
{
  wring_collider c;
  double         n[3], foot[3], q[3] = {0}, farthest = 0;
  int            inside = 0;

  PetscFunctionBegin;
  PetscCall(test_collider(shape, seed, &c));
  const double far = shape->bound ? 1.3 * shape->bound(c.size) : 1;
  for (int k = 0; k < N_POINT; k++) {
    double p[3];
    for (int i = 0; i < 3; i++) p[i] = far * test_random(&seed);
    const double d = check_plane(&c, p, n, foot);
    check_gradient(&c, p, n);
    check_sides(&c, d, n, foot);
    check_lipschitz(&c, p, q);
    check_bound(&c, p, d, foot, &farthest);
    memcpy(q, p, sizeof q);
    inside += d < 0;
  }
  CHECK(inside > 0 && inside < N_POINT, "%s: %d of %d points inside", shape->name, inside, N_POINT);
  CHECK(!shape->bound || farthest > 0.9, "%s: its points reach %g of the bound", shape->name, farthest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a point with many closest points gets none of them, or a result that is not finite. */
static PetscErrorCode check_medial_axes(const wring_shape *shape)
{
  const double points[][3] = {{0, 0, 0}, {0, 0, 0.2}, {0, 0, -0.7}, {1, 0, 0}, {0, -1, 0}, {0.1, 0.1, 0.1}, {0, 0, 5}};
  wring_collider c;
  double         n[3], foot[3];

  PetscFunctionBegin;
  PetscCall(test_collider(shape, 1, &c));
  for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) check_plane(&c, points[i], n, foot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether p is inside, by definition; -1: no definition here. */
static int is_inside(const wring_collider *c, const double p[3])
{
  const double *s = c->size, rho = hypot(p[0], p[1]), z = fabs(p[2]);
  const char   *name = c->shape->name;
  if (!strcmp(name, "half_space")) return p[2] < 0;
  if (!strcmp(name, "sphere")) return hypot(rho, z) < s[0];
  if (!strcmp(name, "torus")) return hypot(rho - s[0], z) < s[1];
  if (!strcmp(name, "capsule")) return hypot(rho, fmax(0, z - s[1])) < s[0];
  if (!strcmp(name, "cylinder")) return rho < s[0] && z < s[1];
  if (!strcmp(name, "box")) return fabs(p[0]) < s[0] && fabs(p[1]) < s[1] && z < s[2];
  return -1;
}

/* Fails if a shape does not match its name, such as a cylinder with round ends. */
static PetscErrorCode check_definition(const wring_shape *shape)
{
  uint64_t       seed = 3;
  wring_collider c;

  PetscFunctionBegin;
  PetscCall(test_collider(shape, seed, &c));
  for (int k = 0; k < N_POINT; k++) {
    double p[3];
    for (int i = 0; i < 3; i++) p[i] = 1.5 * test_random(&seed);
    const int expected = is_inside(&c, p);
    CHECK(expected < 0 || expected == (distance(&c, p) < 0), "%s: %g,%g,%g is on the wrong side", shape->name, p[0],
          p[1], p[2]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if a frame is not a rotation, or if its third column is not along the axis. */
static void check_frames(void)
{
  uint64_t seed = 4;
  for (int k = 0; k < 50; k++) {
    double axis[3], F[9];
    for (int i = 0; i < 3; i++) axis[i] = k < 3 ? -2 * (i == k) : test_random(&seed);
    wring_frame_of_axis(axis, F);
    const double det =
      F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
    CHECK(fabs(det - 1) <= 1e-14, "determinant %g", det);
    for (int i = 0; i < 3; i++) {
      const double column[3] = {F[i], F[3 + i], F[6 + i]};
      CHECK(fabs(length_of(column) - 1) <= 1e-14, "column %d", i);
      CHECK(fabs(F[3 * i + 2] - axis[i] / length_of(axis)) <= 1e-15, "axis, component %d", i);
    }
  }
}

int main(int argc, char **argv)
{
  const wring_shape *shape;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int i = 0; (shape = wring_shape_at(i)); i++) {
    CHECK(wring_shape_find(shape->name) == shape, "%s is not found by its name", shape->name);
    for (uint64_t seed = 1; seed <= N_TRIAL; seed++) PetscCall(check_shape(shape, seed));
    PetscCall(check_medial_axes(shape));
    PetscCall(check_definition(shape));
  }
  CHECK(!wring_shape_find("cube"), "there is a shape cube");
  check_frames();
  PetscCall(PetscFinalize());
  return 0;
}
