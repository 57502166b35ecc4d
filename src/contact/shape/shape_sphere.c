/* size: radius. */
#include "contact/shape/shape.h"

static const wring_option options[] = {
  WRING_SHAPE_CENTRE,
  {.key = "radius", .type = WRING_REAL, .unit = "m", .range = "(0,inf)", .help = "Radius of a sphere."},
  {0},
};

static PetscErrorCode read_keys(const wring_options *deck, const char *prefix, wring_collider *c)
{
  const wring_shape_keys keys = {deck, prefix, options};

  PetscFunctionBegin;
  PetscCall(wring_shape_read_triple(&keys, "centre", c->centre));
  PetscCall(wring_shape_read_size(&keys, "radius", 1, &c->size[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  return wring_shape_ball(size[0], 0, p, n, offset);
}

static double bound(const double size[3])
{
  return size[0];
}

const wring_shape wring_shape_sphere = {"sphere", options, read_keys, nearest, bound};
