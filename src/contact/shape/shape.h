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
    .key = "centre", .type = WRING_REALS, .count = 3, .unit = "m", .help = "Centre of the shape at time 0."            \
  }
#define WRING_SHAPE_AXIS                                                                                               \
  {                                                                                                                    \
    .key = "axis", .type = WRING_REALS, .count = 3, .value = "0,0,1", .help = "Direction of the axis of the shape."    \
  }

/* The deck, the prefix of a collider's keys, such as "collider_ball_", and the shape's options. */
typedef struct {
  const wring_options *deck;
  const char          *prefix;
  const wring_option  *options;
} wring_shape_keys;

/* Read three numbers; a direction, as a frame, refused if it is 0; a number, multiplied by `factor`. Collective. */
PetscErrorCode wring_shape_read_triple(const wring_shape_keys *keys, const char *key, double v[3]);
PetscErrorCode wring_shape_read_axis(const wring_shape_keys *keys, const char *key, double frame[9]);
PetscErrorCode wring_shape_read_size(const wring_shape_keys *keys, const char *key, double factor, double *size);

/* e = the unit vector of (x, y), e_x for 0; returns the length. */
double wring_shape_radial(const double p[3], double e[2]);

/* n = a e + b e_z */
void wring_shape_compose(double a, double b, const double e[2], double n[3]);

/* wring_shape's `nearest` of the ball of this radius about (0, 0, z). */
double wring_shape_ball(double radius, double z, const double p[3], double n[3], double *offset);
