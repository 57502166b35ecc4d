/*
  Layer 1, base: curves of time through given points, constant before the first and after the last. docs/theory.md
  (3.7)
*/
#pragma once
#include <wring/base.h>

typedef enum {
  WRING_CURVE_LINEAR, // straight between points
  WRING_CURVE_CUBIC // C1: slopes of the parabola through three neighbours, 0 at both ends; may overshoot between points
} wring_curve_type;

enum { WRING_CURVE_WIDTH = 3 }; // largest number of values of a point

typedef struct wring_time_curve wring_time_curve;

/*
  row [n][1 + width]: time [s] and values of a point; copied. Times must increase and n must be at least 1; otherwise *c
  is NULL and e names the line of `file`, which is i + 2 for row i. No function here is collective.
*/
PetscErrorCode wring_time_curve_create(wring_curve_type type, const char *file, PetscInt n, int width,
                                       const double *row, wring_time_curve **c, wring_error *e);
PetscErrorCode wring_time_curve_copy(const wring_time_curve *c, wring_time_curve **copy); // NULL gives NULL
PetscErrorCode wring_time_curve_destroy(wring_time_curve **c);

void wring_time_curve_at(const wring_time_curve *c, double time, double *value); // value [width]
