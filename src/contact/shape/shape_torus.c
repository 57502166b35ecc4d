/* The points nearer than the tube's radius to a circle about the axis. size: radius of the circle, of the tube. */
#include "contact/shape/shape.h"
#include <math.h>

static const wring_option options[] = {
  WRING_SHAPE_CENTRE,
  WRING_SHAPE_AXIS,
  {"major_radius", WRING_REAL, .unit = "m", .range = "(0,inf)",
   .help = "Radius of the centre line of the tube of a torus."},
  {"minor_radius", WRING_REAL, .unit = "m", .range = "(0,inf)",
   .help = "Radius of the tube of a torus, less than major_radius."},
  {0},
};

static PetscErrorCode read_keys(const wring_options *deck, const char *prefix, wring_collider *c)
{
  PetscFunctionBegin;
  PetscCall(wring_shape_read(deck, prefix, c));
  if (c->size[1] >= c->size[0])
    WRING_REFUSE(wring_options_comm(deck), "%s: %sminor_radius is %.6g, expected less than major_radius, %.6g",
                 wring_options_origin(deck, prefix, "minor_radius"), prefix, c->size[1], c->size[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  double       e[2], rho = wring_shape_radial(p, e);
  const double a = rho - size[0], length = hypot(a, p[2]), c = length > 0 ? a / length : 1;
  wring_shape_compose(c, length > 0 ? p[2] / length : 0, e, n);
  *offset = c * size[0] + size[1];
  return length - size[1];
}

static double bound(const double size[3])
{
  return size[0] + size[1];
}

/* None of the inside, which is not convex. Outside: the torus, and a chain of capsules in it. */
static int features(const double size[3], PetscBool inside, wring_feature *feature)
{
  const double t   = tan(PETSC_PI / (2 * WRING_SHAPE_SIDES)),
               off = size[0] * t * t; // of the chain's axis from the circle
  int n            = 1;
  feature[0]       = (wring_feature){WRING_FEATURE_SOLID, .radius = 2 * off};
  for (int i = 0; i < WRING_SHAPE_SIDES && !inside; i++)
    n += wring_shape_side(i, size[0] + off, 0, fmax(size[1] - off, 0), feature + n);
  return inside ? 0 : n;
}

const wring_shape wring_shape_torus = {"torus", options, read_keys, nearest, bound, features};
