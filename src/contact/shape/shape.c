#include "contact/shape/shape.h"
#include "base/vector3.h"
#include <math.h>
#include <string.h>

PetscErrorCode wring_shape_read(const wring_options *deck, const char *prefix, wring_collider *c)
{
  const wring_option *const table = c->shape->options;
  double                    axis[3];
  int                       n = 0;

  PetscFunctionBegin;
  for (const wring_option *k = table; k->key; k++) {
    if (strcmp(k->key, "centre") == 0 || strcmp(k->key, "point") == 0) {
      PetscCall(wring_options_get_reals(deck, prefix, table, k->key, c->centre));
    } else if (strcmp(k->key, "axis") == 0 || strcmp(k->key, "normal") == 0) {
      PetscCall(wring_options_get_reals(deck, prefix, table, k->key, axis));
      if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        WRING_REFUSE(wring_options_comm(deck), "%s: %s%s is 0,0,0, expected a direction",
                     wring_options_origin(deck, prefix, k->key), prefix, k->key);
      wring_frame_of_axis(axis, c->frame);
    } else if (k->type == WRING_REAL) {
      PetscCall(wring_options_get_real(deck, prefix, table, k->key, &c->size[n++]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_option wring_rod_keys[] = {
  WRING_SHAPE_CENTRE,
  WRING_SHAPE_AXIS,
  {"radius", WRING_REAL, .unit = "m", .range = "(0,inf)", .help = "Radius of a sphere, capsule or cylinder."},
  {"length", WRING_REAL, .unit = "m", .range = "(0,inf)", .help = "Length, of a capsule without its round ends."},
  {0},
};

PetscErrorCode wring_shape_read_rod(const wring_options *deck, const char *prefix, wring_collider *c)
{
  PetscFunctionBegin;
  PetscCall(wring_shape_read(deck, prefix, c));
  c->size[1] /= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The other columns: the unit vector across the axis nearest to the coordinate direction of the axis's smallest
  component, and their cross product.
*/
void wring_frame_of_axis(const double axis[3], double frame[9])
{
  const double length = sqrt(wring_dot3(axis, axis)), z[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  const int    i = fabs(z[0]) <= fabs(z[1]) && fabs(z[0]) <= fabs(z[2]) ? 0 : fabs(z[1]) <= fabs(z[2]) ? 1 : 2;
  double       x[3];
  for (int j = 0; j < 3; j++) x[j] = (i == j) - z[i] * z[j];
  const double across = sqrt(wring_dot3(x, x));
  for (int j = 0; j < 3; j++) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    frame[3 * j]     = x[j] / across;
    frame[3 * j + 1] = (z[k] * x[l] - z[l] * x[k]) / across;
    frame[3 * j + 2] = z[j];
  }
}

double wring_shape_radial(const double p[3], double e[2])
{
  const double rho = hypot(p[0], p[1]);
  e[0]             = rho > 0 ? p[0] / rho : 1;
  e[1]             = rho > 0 ? p[1] / rho : 0;
  return rho;
}

void wring_shape_compose(double a, double b, const double e[2], double n[3])
{
  n[0] = a * e[0];
  n[1] = a * e[1];
  n[2] = b;
}

int wring_shape_side(int i, double distance, double height, double radius, wring_feature *feature)
{
  feature[0] = (wring_feature){.kind = WRING_FEATURE_SEGMENT, .radius = radius};
  for (int k = 0; k < 2; k++) {
    const double angle = 2 * PETSC_PI * ((i + k) % WRING_SHAPE_SIDES) / WRING_SHAPE_SIDES;
    wring_shape_compose(distance, height, (const double[]){cos(angle), sin(angle)}, k == 0 ? feature->a : feature->b);
  }
  feature[1]      = feature[0];
  feature[1].kind = WRING_FEATURE_POINT;
  return 2;
}

double wring_shape_ball(double radius, double z, const double p[3], double n[3], double *offset)
{
  double e[2], rho = wring_shape_radial(p, e), length = hypot(rho, p[2] - z);
  if (length > 0)
    wring_shape_compose(rho / length, (p[2] - z) / length, e, n);
  else
    wring_shape_compose(1, 0, e, n);
  *offset = n[2] * z + radius;
  return length - radius;
}
