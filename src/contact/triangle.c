/* The closest point of a triangle, by the Voronoi regions of its corners and edges [Ericson 2005, 5.1.5]. */
#include "base/vector3.h"
#include "triangle.h"
#include <math.h>

static void subtract(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static void set_weights(double a, double b, double c, double w[3])
{
  w[0] = a, w[1] = b, w[2] = c;
}

/* Weights of the closest point from the edges ab, ac of the triangle and ap; true if it is in the interior. */
static PetscBool find_weights(const double ab[3], const double ac[3], const double ap[3], double w[3])
{
  double bp[3], cp[3];
  subtract(ap, ab, bp);
  subtract(ap, ac, cp);
  const double d1 = wring_dot3(ab, ap), d2 = wring_dot3(ac, ap), d3 = wring_dot3(ab, bp), d4 = wring_dot3(ac, bp),
               d5 = wring_dot3(ab, cp), d6 = wring_dot3(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (d1 <= 0 && d2 <= 0)
    set_weights(1, 0, 0, w);
  else if (d3 >= 0 && d4 <= d3)
    set_weights(0, 1, 0, w);
  else if (d6 >= 0 && d5 <= d6)
    set_weights(0, 0, 1, w);
  else if (vc <= 0 && d1 >= 0 && d3 <= 0)
    set_weights(1 - d1 / (d1 - d3), d1 / (d1 - d3), 0, w);
  else if (vb <= 0 && d2 >= 0 && d6 <= 0)
    set_weights(1 - d2 / (d2 - d6), 0, d2 / (d2 - d6), w);
  else if (va <= 0 && d4 >= d3 && d5 >= d6)
    set_weights(0, 1 - (d4 - d3) / (d4 - d3 + d5 - d6), (d4 - d3) / (d4 - d3 + d5 - d6), w);
  else {
    set_weights(1 - (vb + vc) / (va + vb + vc), vb / (va + vb + vc), vc / (va + vb + vc), w);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

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

/* Sets facet and size; false if the triangle has no area. */
static PetscBool set_facet(const double ab[3], const double ac[3], wring_touch *u)
{
  double normal[3];
  wring_cross3(ab, ac, normal);
  const double twice = sqrt(wring_dot3(normal, normal));
  if (!(twice > 0) || !isfinite(twice)) return PETSC_FALSE;
  for (int i = 0; i < 3; i++) u->facet[i] = normal[i] / twice;
  u->size = sqrt(twice);
  return PETSC_TRUE;
}

PetscBool wring_touch_triangle(const double p[3], const double t[9], wring_touch *u)
{
  double ab[3], ac[3], ap[3], r[3];
  subtract(t + 3, t, ab);
  subtract(t + 6, t, ac);
  subtract(p, t, ap);
  if (!set_facet(ab, ac, u) || !isfinite(wring_dot3(ap, ap))) return PETSC_FALSE;
  const PetscBool inside = find_weights(ab, ac, ap, u->w);
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
  subtract(t + 3, t, ab);
  subtract(t + 6, t, ac);
  subtract(p, t, ap);
  if (!set_facet(ab, ac, u) || !isfinite(wring_dot3(ap, ap))) return PETSC_FALSE;
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
