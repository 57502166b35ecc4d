/* size: radius, half the length. */
#include "contact/shape/shape.h"
#include <math.h>

/* Inside: the nearer of side and face. Outside: the nearest of side, face and edge. */
static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  double       e[2], rho = wring_shape_radial(p, e);
  const double sign = p[2] < 0 ? -1 : 1, a = rho - size[0], b = sign * p[2] - size[1];
  double       side = fmax(a, 0), face = fmax(b, 0), length = hypot(side, face);
  const double distance = length > 0 ? length : fmax(a, b);
  if (length == 0) {
    side = a >= b, face = a < b;
    length = 1;
  }
  side /= length, face /= length;
  wring_shape_compose(side, sign * face, e, n);
  *offset = side * size[0] + face * size[1];
  return distance;
}

static double bound(const double size[3])
{
  return hypot(size[0], size[1]);
}

/* Outside: the cylinder, and corners and edges of a prism in it. Between the planes the inside is that of a capsule. */
static int features(const double size[3], PetscBool inside, wring_feature *feature)
{
  const double half = size[1];
  int          n    = 1;
  feature[0]        = (wring_feature){WRING_FEATURE_TUBE, .a = {0, 0, half}, .b = {0, 0, -half}, .radius = size[0]};
  for (int i = 1; i < 3 && inside; i++)
    feature[n++] = (wring_feature){WRING_FEATURE_PLANE, .a = {0, 0, i == 1 ? -1 : 1}, .radius = -half};
  if (inside) return n;
  feature[0] = (wring_feature){WRING_FEATURE_SOLID, .radius = size[0] * (1 - cos(PETSC_PI / WRING_SHAPE_SIDES))};
  for (int i = 0; i < WRING_SHAPE_SIDES; i++) {
    n += wring_shape_side(i, size[0], half, 0, feature + n);
    n += wring_shape_side(i, size[0], -half, 0, feature + n);
    const double *const a = feature[n - 1].a; // the corner at -half
    feature[n++]          = (wring_feature){WRING_FEATURE_SEGMENT, {a[0], a[1], -half}, {a[0], a[1], half}, 0};
  }
  return n;
}

const wring_shape wring_shape_cylinder = {"cylinder", wring_rod_keys, wring_shape_read_rod, nearest, bound, features};
