/* The points behind a plane: z < 0. */
#include "contact/shape/shape.h"

static const wring_option options[] = {
  {"point", WRING_REALS, .count = 3, .unit = "m", .help = "A point on the face of a half_space."},
  {"normal", WRING_REALS, .count = 3, .help = "Outward normal of a half_space, of any length."},
  {0},
};

static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  (void)size;
  n[0] = n[1] = 0;
  n[2]        = 1;
  *offset     = 0;
  return p[2];
}

static int features(const double size[3], PetscBool inside, wring_feature *feature)
{
  (void)size;
  (void)inside;
  feature[0] = (wring_feature){WRING_FEATURE_PLANE, .a = {0, 0, 1}};
  return 1;
}

const wring_shape wring_shape_half_space = {"half_space", options, wring_shape_read, nearest, NULL, features};
