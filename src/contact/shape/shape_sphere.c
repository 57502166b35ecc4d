/* size: radius. */
#include "contact/shape/shape.h"

static const wring_option options[] = {
  WRING_SHAPE_CENTRE,
  {"radius", WRING_REAL, .unit = "m", .range = "(0,inf)", .help = "Radius of a sphere, capsule or cylinder."},
  {0},
};

static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  return wring_shape_ball(size[0], 0, p, n, offset);
}

static double bound(const double size[3])
{
  return size[0];
}

static int features(const double size[3], PetscBool inside, wring_feature *feature)
{
  feature[0] = (wring_feature){inside ? WRING_FEATURE_TUBE : WRING_FEATURE_SOLID, .radius = inside ? size[0] : 0};
  feature[1] = (wring_feature){WRING_FEATURE_POINT, .radius = size[0]};
  return inside ? 1 : 2;
}

const wring_shape wring_shape_sphere = {"sphere", options, wring_shape_read, nearest, bound, features};
