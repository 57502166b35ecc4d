/*
  A collider shape: a disc with a round edge, the points closer than `rounding` to a flat disc normal to the axis. size:
  radius of the disc, rounding.
*/
#include "contact/shape/shape.h"
#include <math.h>

static const wring_option options[] = {
  WRING_SHAPE_CENTRE,
  WRING_SHAPE_AXIS,
  {"radius", WRING_REAL, .unit = "m", .range = "(0,inf)", .help = "Radius of the flat part of disc."},
  {"rounding", WRING_REAL, .unit = "m", .range = "(0,inf)", .help = "Radius of the edge of disc."},
  {0},
};

/* n is along p - c, where c = flat e is the closest point of the disc. */
static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  double       e[2], rho = wring_shape_radial(p, e);
  const double flat = fmin(rho, size[0]), length = hypot(rho - flat, p[2]);
  const double across = length > 0 ? (rho - flat) / length : 0, along = length > 0 ? p[2] / length : 1;
  wring_shape_compose(across, along, e, n);
  *offset = across * flat + size[1];
  return length - size[1];
}

static double bound(const double size[3])
{
  return size[0] + size[1];
}

const wring_shape wring_shape_disc = {"disc", options, wring_shape_read, nearest, bound, NULL};
