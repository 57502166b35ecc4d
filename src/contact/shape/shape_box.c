/* size: half the edges. */
#include "contact/shape/shape.h"
#include <math.h>

static const wring_option options[] = {
  WRING_SHAPE_CENTRE,
  {"turn", WRING_REALS, .count = 3, .unit = "deg", .value = "0,0,0", .instead = "turn_rad",
   .help = "Rotation of a box from the coordinate axes: about this vector, by its length in degrees."},
  {"turn_rad", WRING_REALS, .count = 3, .unit = "rad", .instead = "turn",
   .help = "The same in radians, in the place of turn."},
  {"size", WRING_REALS, .count = 3, .unit = "m", .help = "Edges of a box."},
  {0},
};

static PetscErrorCode read_keys(const wring_options *deck, const char *prefix, wring_collider *c)
{
  double        turn[3];
  double *const size = c->size;

  PetscFunctionBegin;
  PetscCall(wring_shape_read(deck, prefix, c));
  PetscCall(wring_options_get_angles(deck, prefix, options, "turn", turn));
  wring_rotation(turn, 1, c->frame);
  PetscCall(wring_options_get_reals(deck, prefix, options, "size", size));
  if (!(size[0] > 0 && size[1] > 0 && size[2] > 0))
    WRING_REFUSE(wring_options_comm(deck), "%s: %ssize is %.6g,%.6g,%.6g, expected three lengths above 0",
                 wring_options_origin(deck, prefix, "size"), prefix, size[0], size[1], size[2]);
  for (int i = 0; i < 3; i++) size[i] /= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double nearest(const double size[3], const double p[3], double n[3], double *offset)
{
  double out[3], length = 0, least = -INFINITY;
  int    face = 0;
  for (int i = 0; i < 3; i++) {
    const double a = fabs(p[i]) - size[i];
    out[i]         = fmax(a, 0);
    length         = hypot(length, out[i]);
    face           = a > least ? i : face;
    least          = fmax(a, least);
  }
  *offset = 0;
  for (int i = 0; i < 3; i++) {
    const double part = length > 0 ? out[i] / length : i == face;
    n[i]              = p[i] < 0 ? -part : part;
    *offset += part * size[i];
  }
  return length > 0 ? length : least;
}

static double bound(const double size[3])
{
  return hypot(hypot(size[0], size[1]), size[2]);
}

static void set_corner(const double size[3], int corner, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = corner >> c & 1 ? size[c] : -size[c];
}

/* The six faces of the inside; the box, its eight corners and twelve edges. */
static int features(const double size[3], PetscBool inside, wring_feature *feature)
{
  int n = 0;
  for (int i = 0; i < 6 && inside; i++) {
    feature[n]            = (wring_feature){WRING_FEATURE_PLANE, .radius = -size[i / 2]};
    feature[n++].a[i / 2] = i % 2 ? 1 : -1;
  }
  if (inside) return n;
  feature[n++] = (wring_feature){.kind = WRING_FEATURE_SOLID};
  for (int i = 0; i < 8; i++) {
    feature[n] = (wring_feature){.kind = WRING_FEATURE_POINT};
    set_corner(size, i, feature[n++].a);
    for (int c = 0; c < 3; c++) {
      if (i >> c & 1) continue;
      feature[n] = (wring_feature){.kind = WRING_FEATURE_SEGMENT};
      set_corner(size, i, feature[n].a);
      set_corner(size, i | 1 << c, feature[n++].b);
    }
  }
  return n;
}

const wring_shape wring_shape_box = {"box", options, read_keys, nearest, bound, features};
