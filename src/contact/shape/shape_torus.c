/* The points nearer than the tube's radius to a circle about the axis. size: radius of the circle, of the tube. */
#include "contact/shape/shape.h"
#include <math.h>
#include <string.h>

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

/* Sides of the half circle around a section of the tube, on the side of the hole. */
enum { RIB = 32 };

/* Edges inside meet these. Faces need none: in the plane of a section a face lies between points of its edges. */
static int rib(const double size[3], const double e[2], wring_feature *feature)
{
  const double step = PETSC_PI / RIB, out = size[1] / cos(step / 2);
  for (int k = 0; k <= RIB + 1; k++) { // corners half a step off, and both ends
    const double angle = PETSC_PI / 2 + step * PetscClipInterval(k - 0.5, 0, RIB);
    const double far   = k == 0 || k > RIB ? size[1] : out;
    double       at[3];
    wring_shape_compose(size[0] + far * cos(angle), far * sin(angle), e, at);
    if (k <= RIB) memcpy(feature[k].a, at, sizeof at);
    if (k > 0) memcpy(feature[k - 1].b, at, sizeof at);
    if (k <= RIB) feature[k].kind = WRING_FEATURE_SEGMENT, feature[k].radius = 0;
  }
  return RIB + 1;
}

/* The torus. Outside: a chain of capsules in it. Inside: ribs around it, since edges may leave it towards the hole. */
static int features(const double size[3], PetscBool inside, wring_feature *feature)
{
  const double t    = tan(PETSC_PI / (2 * WRING_SHAPE_SIDES)),
               off  = size[0] * t * t; // of the chain's axis from the circle
  const double deep = size[1] / cos(PETSC_PI / (2 * RIB)) - size[1] + size[0] * (1 - cos(PETSC_PI / WRING_SHAPE_SIDES));
  int          n    = 1;
  feature[0]        = (wring_feature){WRING_FEATURE_SOLID, .radius = inside ? deep : 2 * off};
  for (int i = 0; i < WRING_SHAPE_SIDES; i++) {
    const double angle = 2 * PETSC_PI * i / WRING_SHAPE_SIDES, e[2] = {cos(angle), sin(angle)};
    if (inside)
      n += rib(size, e, feature + n);
    else
      n += wring_shape_side(i, size[0] + off, 0, fmax(size[1] - off, 0), feature + n);
  }
  return n;
}

const wring_shape wring_shape_torus = {"torus", options, read_keys, nearest, bound, features};
