/* Signed distances of shapes in closed form, axes along z. docs/theory.md (8.6) */
#include "shape.h"
#include <math.h>

/* e = the unit vector of (x, y), e_x for 0; returns the length. */
static double radial(const double p[3], double e[2])
{
  const double rho = hypot(p[0], p[1]);
  e[0]             = rho > 0 ? p[0] / rho : 1;
  e[1]             = rho > 0 ? p[1] / rho : 0;
  return rho;
}

/* n = a e + b e_z */
static void compose(double a, double b, const double e[2], double n[3])
{
  n[0] = a * e[0];
  n[1] = a * e[1];
  n[2] = b;
}

static double half_space(const double p[3], double n[3], double *offset)
{
  n[0] = n[1] = 0;
  n[2]        = 1;
  *offset     = 0;
  return p[2];
}

/* The points at `radius` from those of the segment from -half to half on the axis; a sphere for half = 0. */
static double capsule(double radius, double half, const double p[3], double n[3], double *offset)
{
  const double z = PetscClipInterval(p[2], -half, half);
  double       e[2], rho = radial(p, e), length = hypot(rho, p[2] - z);
  if (length > 0)
    compose(rho / length, (p[2] - z) / length, e, n);
  else
    compose(1, 0, e, n);
  *offset = n[2] * z + radius;
  return length - radius;
}

/* The points at `minor` from those of the circle of radius `major` about the axis. */
static double torus(double major, double minor, const double p[3], double n[3], double *offset)
{
  double       e[2], rho = radial(p, e);
  const double a = rho - major, length = hypot(a, p[2]);
  const double c = length > 0 ? a / length : 1;
  compose(c, length > 0 ? p[2] / length : 0, e, n);
  *offset = c * major + minor;
  return length - minor;
}

/* Inside the nearer of side and face; outside the nearest of side, face and edge. */
static double cylinder(double radius, double half, const double p[3], double n[3], double *offset)
{
  double       e[2], rho = radial(p, e);
  const double sign = p[2] < 0 ? -1 : 1, a = rho - radius, b = sign * p[2] - half;
  double       side = fmax(a, 0), face = fmax(b, 0), length = hypot(side, face);
  const double distance = length > 0 ? length : fmax(a, b);
  if (length == 0) {
    side = a >= b, face = a < b;
    length = 1;
  }
  side /= length, face /= length;
  compose(side, sign * face, e, n);
  *offset = side * radius + face * half;
  return distance;
}

/* half [3]: half the edges. */
static double box(const double half[3], const double p[3], double n[3], double *offset)
{
  double out[3], length = 0, least = -INFINITY;
  int    nearest = 0;
  for (int i = 0; i < 3; i++) {
    const double a = fabs(p[i]) - half[i];
    out[i]         = fmax(a, 0);
    length         = hypot(length, out[i]);
    nearest        = a > least ? i : nearest;
    least          = fmax(a, least);
  }
  *offset = 0;
  for (int i = 0; i < 3; i++) {
    const double part = length > 0 ? out[i] / length : i == nearest;
    n[i]              = p[i] < 0 ? -part : part;
    *offset += part * half[i];
  }
  return length > 0 ? length : least;
}

double wring_shape_nearest(const wring_collider *c, const double p[3], double n[3], double *offset)
{
  const double *const size = c->size;
  switch (c->shape) {
  case WRING_SPHERE:
    return capsule(size[0], 0, p, n, offset);
  case WRING_CAPSULE:
    return capsule(size[0], size[1], p, n, offset);
  case WRING_TORUS:
    return torus(size[0], size[1], p, n, offset);
  case WRING_CYLINDER:
    return cylinder(size[0], size[1], p, n, offset);
  case WRING_BOX:
    return box(size, p, n, offset);
  default:
    return half_space(p, n, offset);
  }
}
