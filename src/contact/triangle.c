/* The position of a point relative to a triangle: nearest point, distance, side, direction. */
#include "base/vector3.h"
#include "mesh/surface/nearest.h"
#include "triangle.h"
#include <math.h>

/* n is along p - c if c is on an edge or corner and p - c is not too short; otherwise it is the facet's normal. */
static void set_direction(const double r[3], PetscBool inside, wring_touch *u)
{
  const double sign = u->side < 0 ? -1 : 1;
  u->d              = u->side;
  for (int i = 0; i < 3; i++) u->n[i] = u->facet[i];
  if (inside || u->distance <= 1e-6 * u->size) return;
  u->d = sign * u->distance;
  for (int i = 0; i < 3; i++) u->n[i] = sign * r[i] / u->distance;
}

/* Sets edges, p from their corner, facet and size; false if the triangle has no area or a number is not finite. */
static PetscBool set_facet(const double p[3], const double t[9], double ab[3], double ac[3], double ap[3],
                           wring_touch *u)
{
  double normal[3];
  wring_subtract3(t + 3, t, ab);
  wring_subtract3(t + 6, t, ac);
  wring_subtract3(p, t, ap);
  wring_cross3(ab, ac, normal);
  const double twice = sqrt(wring_dot3(normal, normal));
  if (!(twice > 0) || !isfinite(twice) || !isfinite(wring_dot3(ap, ap))) return PETSC_FALSE;
  for (int i = 0; i < 3; i++) u->facet[i] = normal[i] / twice;
  u->size = sqrt(twice);
  return PETSC_TRUE;
}

PetscBool wring_touch_triangle(const double p[3], const double t[9], wring_touch *u)
{
  double ab[3], ac[3], ap[3], r[3];
  if (!set_facet(p, t, ab, ac, ap, u)) return PETSC_FALSE;
  const PetscBool inside = wring_nearest_weights(ab, ac, ap, u->w);
  for (int i = 0; i < 3; i++) r[i] = ap[i] - u->w[1] * ab[i] - u->w[2] * ac[i];
  u->distance  = sqrt(wring_dot3(r, r));
  u->side      = wring_dot3(r, u->facet);
  u->alignment = inside || u->distance == 0 ? 1 : PetscMin(1, fabs(u->side) / u->distance);
  set_direction(r, inside, u);
  return PETSC_TRUE;
}

PetscBool wring_touch_plane(const double p[3], const double t[9], double slack, wring_touch *u)
{
  double ab[3], ac[3], ap[3], across[3];
  if (!set_facet(p, t, ab, ac, ap, u)) return PETSC_FALSE;
  const double twice = u->size * u->size;
  wring_cross3(ap, ac, across);
  u->w[1] = wring_dot3(across, u->facet) / twice;
  wring_cross3(ab, ap, across);
  u->w[2] = wring_dot3(across, u->facet) / twice;
  u->w[0] = 1 - u->w[1] - u->w[2];
  u->side = u->d = wring_dot3(ap, u->facet);
  u->distance    = fabs(u->side);
  u->alignment   = 1;
  for (int i = 0; i < 3; i++) u->n[i] = u->facet[i];
  return (PetscBool)(PetscMin(u->w[0], PetscMin(u->w[1], u->w[2])) >= -slack);
}
