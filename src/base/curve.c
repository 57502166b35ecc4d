/* Curves of time: piecewise linear, or cubic Hermite pieces. docs/theory.md (3.7), (3.8) */
#include <wring/curve.h>

struct wring_time_curve {
  wring_curve_type type;
  PetscInt         n;
  int              width;
  double          *time;          // [n] s, increasing
  double          *value, *slope; // [n][width], 1/s; slope: of a cubic curve
};

static PetscErrorCode allocate(wring_curve_type type, PetscInt n, int width, wring_time_curve **c)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(c));
  **c = (wring_time_curve){.type = type, .n = n, .width = width};
  PetscCall(PetscCalloc3(n, &(*c)->time, n * width, &(*c)->value, n * width, &(*c)->slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slope of the parabola through three neighbours; the slopes of the first and last point stay 0. */
static void set_slopes(wring_time_curve *c)
{
  for (PetscInt i = 1; i + 1 < c->n; i++) {
    const double before = c->time[i] - c->time[i - 1], after = c->time[i + 1] - c->time[i];
    for (int k = 0; k < c->width; k++) {
      const double *const v = c->value + c->width * i + k;
      const double        a = (v[0] - v[-c->width]) / before, b = (v[c->width] - v[0]) / after;
      c->slope[c->width * i + k] = (after * a + before * b) / (before + after);
    }
  }
}

PetscErrorCode wring_time_curve_create(wring_curve_type type, const char *file, PetscInt n, int width,
                                       const double *row, wring_time_curve **c, wring_error *e)
{
  PetscFunctionBegin;
  *c = NULL;
  PetscCheck(width >= 1 && width <= WRING_CURVE_WIDTH, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A curve of %d values", width);
  if (n < 1) wring_error_set(e, "%s: the curve has no points, expected at least one", file);
  for (PetscInt i = 1; i < n; i++) {
    const double last = row[(1 + width) * (i - 1)], time = row[(1 + width) * i];
    if (!(time > last))
      wring_error_set(e, "%s:%" PetscInt_FMT ": time %g follows time %g, expected increasing times", file, i + 2, time,
                      last);
  }
  if (wring_failed(e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(allocate(type, n, width, c));
  for (PetscInt i = 0; i < n; i++) {
    (*c)->time[i] = row[(1 + width) * i];
    for (int k = 0; k < width; k++) (*c)->value[width * i + k] = row[(1 + width) * i + 1 + k];
  }
  set_slopes(*c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_time_curve_copy(const wring_time_curve *c, wring_time_curve **copy)
{
  PetscFunctionBegin;
  *copy = NULL;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(allocate(c->type, c->n, c->width, copy));
  PetscCall(PetscArraycpy((*copy)->time, c->time, c->n));
  PetscCall(PetscArraycpy((*copy)->value, c->value, c->n * c->width));
  PetscCall(PetscArraycpy((*copy)->slope, c->slope, c->n * c->width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_time_curve_destroy(wring_time_curve **c)
{
  PetscFunctionBegin;
  if (!*c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3((*c)->time, (*c)->value, (*c)->slope));
  PetscCall(PetscFree(*c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The piece that `time` lies in, between points i and i + 1; n >= 2 and time inside. */
static PetscInt find_piece(const wring_time_curve *c, double time)
{
  PetscInt low = 0, high = c->n - 1;
  while (high - low > 1) {
    const PetscInt middle = low + (high - low) / 2;
    if (c->time[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static double hermite(double s, double length, double a, double b, double slope_a, double slope_b)
{
  const double r = 1 - s;
  return a * (1 + 2 * s) * r * r + b * (1 + 2 * r) * s * s + length * s * r * (slope_a * r - slope_b * s);
}

void wring_time_curve_at(const wring_time_curve *c, double time, double *value)
{
  const int w = c->width;
  if (time <= c->time[0] || time >= c->time[c->n - 1]) {
    const double *const end = c->value + (time <= c->time[0] ? 0 : w * (c->n - 1));
    for (int k = 0; k < w; k++) value[k] = end[k];
    return;
  }
  const PetscInt      i      = find_piece(c, time);
  const double        length = c->time[i + 1] - c->time[i], s = (time - c->time[i]) / length;
  const double *const a = c->value + w * i, *const b = a + w;
  for (int k = 0; k < w; k++) {
    if (c->type == WRING_CURVE_CUBIC)
      value[k] = hermite(s, length, a[k], b[k], c->slope[w * i + k], c->slope[w * (i + 1) + k]);
    else
      value[k] = (1 - s) * a[k] + s * b[k];
  }
}
