/* Private to src/contact: the position of a point relative to a triangle. docs/theory.md (9.1), (9.2), (9.9) */
#pragma once
#include <wring/base.h>

/* Corners t [3][3] are counterclockwise as seen from outside. */
typedef struct {
  double w[3];      // barycentric weights of the closest point c, >= 0, sum 1
  double facet[3];  // unit normal of the triangle, outward
  double distance;  // |p - c| [m]
  double side;      // (p - c) . facet [m]: negative behind the triangle
  double n[3];      // unit, on the side of facet: along p - c, or facet if that has no direction
  double d;         // (p - c) . n [m]: distance with the sign of side
  double alignment; // |side| / distance in [0, 1]; 1 if p is on the triangle
  double size;      // square root of twice the area [m]
} wring_touch;

/* False if the triangle has no area or a number is not finite. */
PetscBool wring_touch_triangle(const double p[3], const double t[9], wring_touch *touch);

/*
  The same with the projection of p on the plane of the triangle instead of the closest point: its weights may be
  negative, n is facet and d is side. Also false if a weight is below -slack.
*/
PetscBool wring_touch_plane(const double p[3], const double t[9], double slack, wring_touch *touch);
