/* The points nearer than the radius to a segment on the axis. size: radius, half the length of the segment. */
#include "contact/shape/shape.h"

static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  return wring_shape_ball(size[0], PetscClipInterval(p[2], -size[1], size[1]), p, n, offset);
}

static double bound(const double size[3])
{
  return size[0] + size[1];
}

static int features(const double size[3], PetscBool inside, wring_feature *feature)
{
  static const wring_feature_kind kind[] = {WRING_FEATURE_SOLID, WRING_FEATURE_SEGMENT, WRING_FEATURE_POINT,
                                            WRING_FEATURE_POINT};
  for (int i = 0; i < 4; i++) {
    const double end = i == 3 ? -size[1] : size[1];
    feature[i]       = (wring_feature){kind[i], .a = {0, 0, end}, .b = {0, 0, -end}, .radius = size[0]};
  }
  feature[0].kind   = inside ? WRING_FEATURE_TUBE : WRING_FEATURE_SOLID;
  feature[0].radius = inside ? size[0] : 0;
  return inside ? 1 : 4;
}

const wring_shape wring_shape_capsule = {"capsule", wring_rod_keys, wring_shape_read_rod, nearest, bound, features};
