/*
  Private to src/contact: the shapes of colliders.

    shapes.c      the list of shapes, and the keys that all colliders have
    shape.c       functions that several shapes use: keys of places and sizes, the nearest point of a ball
    shape_NAME.c  one file per shape: its keys, the nearest point of its surface, a ball that contains it

  A new shape is one file with a wring_shape and one line in shapes.c; tests/test_shapes.c tests it by what it declares.
  Motion, stiffness and the active set do not belong here: src/contact/colliders.c.
*/
#pragma once
#include <wring/contact.h>

/* Keys that several shapes have. */
#define WRING_SHAPE_CENTRE                                                                                             \
  {                                                                                                                    \
    "centre", WRING_REALS, .count = 3, .unit = "m", .help = "Centre of the shape at time 0."                           \
  }
#define WRING_SHAPE_AXIS                                                                                               \
  {                                                                                                                    \
    "axis", WRING_REALS, .count = 3, .value = "0,0,1", .help = "Direction of the axis of the shape."                   \
  }

/*
  wring_shape's `read` of these keys: the place (centre or point), the direction (axis or normal), refused if it is 0,
  and keys of one number each, which are size [0], [1], ... in the order of the table. Others are left out. Collective.
*/
PetscErrorCode wring_shape_read(const wring_options *deck, const char *prefix, wring_collider *c);

/* Keys of a rod: centre, axis, radius, length; `read` of a rod: size [1] is half the length. */
extern const wring_option wring_rod_keys[];
PetscErrorCode            wring_shape_read_rod(const wring_options *deck, const char *prefix, wring_collider *c);

/* e = the unit vector of (x, y), e_x for 0; returns the length. */
double wring_shape_radial(const double p[3], double e[2]);

/* n = a e + b e_z */
void wring_shape_compose(double a, double b, const double e[2], double n[3]);

/*
  Barriers see a circle as a regular polygon. Sets the features of side i, a corner and the segment from there to the
  next, at this distance from the axis and height, and of this radius; returns their number.
*/
enum { WRING_SHAPE_SIDES = 64 };
int wring_shape_side(int i, double distance, double height, double radius, wring_feature *feature);

/* wring_shape's `nearest` of the ball of this radius about (0, 0, z). */
double wring_shape_ball(double radius, double z, const double p[3], double n[3], double *offset);
