/*
  Private to src/mesh and src/contact: the nearest point of a triangle, by the Voronoi regions of its corners and edges
  [Ericson 2005, 5.1.5].
*/
#pragma once
#include "base/vector3.h"
#include <petscsys.h>

static inline void wring_set_weights3(double a, double b, double c, double w[3])
{
  w[0] = a, w[1] = b, w[2] = c;
}

/* Weights of the closest point from the edges ab, ac of the triangle and ap; true if it is in the interior. */
static inline PetscBool wring_nearest_weights(const double ab[3], const double ac[3], const double ap[3], double w[3])
{
  double bp[3], cp[3];
  wring_subtract3(ap, ab, bp);
  wring_subtract3(ap, ac, cp);
  const double d1 = wring_dot3(ab, ap), d2 = wring_dot3(ac, ap), d3 = wring_dot3(ab, bp), d4 = wring_dot3(ac, bp),
               d5 = wring_dot3(ab, cp), d6 = wring_dot3(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (d1 <= 0 && d2 <= 0)
    wring_set_weights3(1, 0, 0, w);
  else if (d3 >= 0 && d4 <= d3)
    wring_set_weights3(0, 1, 0, w);
  else if (d6 >= 0 && d5 <= d6)
    wring_set_weights3(0, 0, 1, w);
  else if (vc <= 0 && d1 >= 0 && d3 <= 0)
    wring_set_weights3(1 - d1 / (d1 - d3), d1 / (d1 - d3), 0, w);
  else if (vb <= 0 && d2 >= 0 && d6 <= 0)
    wring_set_weights3(1 - d2 / (d2 - d6), 0, d2 / (d2 - d6), w);
  else if (va <= 0 && d4 >= d3 && d5 >= d6)
    wring_set_weights3(0, 1 - (d4 - d3) / (d4 - d3 + d5 - d6), (d4 - d3) / (d4 - d3 + d5 - d6), w);
  else {
    wring_set_weights3(1 - (vb + vc) / (va + vb + vc), vb / (va + vb + vc), vc / (va + vb + vc), w);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
