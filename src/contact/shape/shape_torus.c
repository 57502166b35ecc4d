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

const wring_shape wring_shape_torus = {"torus", options, read_keys, nearest, bound, NULL};
