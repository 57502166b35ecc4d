/*
  Private to src/contact/barrier: parts of a surface near features of colliders. Serial and pure, as closest.h.
  docs/theory.md (9.25) to (9.27)
*/
#pragma once
#include "closest.h"
#include "contact/shape/poses.h"

/* The way of a collider, t in [0, 1]: its centre is shifted by t shift [m], and it turns by t turn [deg] about it. */
typedef struct {
  double shift[3], turn[3];
} wring_drift;

typedef struct {
  int                    part;     // of its contact: the number of the collider
  const wring_collider  *collider; // borrowed
  const wring_body_pose *pose;     // borrowed
  const wring_drift     *drift;    // borrowed
  double                 gap;      // m
  wring_feature          f;        // in the world
} wring_placed_feature;

void wring_feature_place(wring_placed_feature *at, const wring_feature *f); // sets at->f

/* Whether it has a distance from parts of so many corners; bare: of an edge, that it belongs to no triangle. */
PetscBool wring_feature_meets(const wring_placed_feature *f, int corners, PetscBool bare);

double wring_feature_sine2(const wring_placed_feature *f, const double *X); // wring_pair_sine2 with an edge X [2][3]

/* The distance [m] of a part x [corners][3], < 0 behind the surface, as far as the feature tells. */
double wring_feature_distance(const wring_placed_feature *f, int corners, const double *x);

/* The nearest point of the part is the sum of c[i] x[i]. */
void wring_feature_weights(const wring_placed_feature *f, int corners, const double *x, double *c);

/*
  psi [m] of the part, infinite if it touches; its gradient g [corners][3] and a semidefinite Hessian H
  [3 corners][3 corners] 1/m, either may be NULL. Returns the distance.
*/
double wring_feature_energy(const wring_placed_feature *f, int corners, double sine2, const double *x, double *psi,
                            double *g, double *H);

/* No corner x + t d moves farther [m] relative to the collider's material points, t in [0, 1]. */
double wring_drift_motion(const wring_placed_feature *f, int corners, const double *x, const double *d);

/* As wring_pair_bound: until this step the part x + t d keeps a fifth of its distance, or of the gap if it is less. */
double wring_feature_bound(const wring_placed_feature *f, int corners, const double *x, const double *d);
