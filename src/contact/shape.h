/* Private to src/contact: where the surface of a collider is nearest, in the collider's own frame. docs/theory.md (8.6) */
#pragma once
#include <wring/contact.h>

/*
  The tangent plane n.p = offset at the point of the surface nearest to p [m], n the unit normal out of the shape; returns the
  signed distance n.p - offset, < 0 inside. Where several points are equally near, one of them is taken. `inside` is not regarded.
*/
double wring_shape_nearest(const wring_collider *c, const double p[3], double n[3], double *offset);
