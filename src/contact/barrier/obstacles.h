/* Private to src/contact/barrier: colliders, and which parts of the surface are near them. docs/theory.md (9.25) */
#pragma once
#include "contact/simplices.h"
#include "features.h"

typedef struct {
  wring_poses           set;
  double                begin, time; // s: of the step
  wring_drift          *drift;       // [set.n] while steps are bounded
  int                   n;
  wring_placed_feature *feature; // [n] of all colliders, at set.now
} wring_obstacles;

/* At time 0. collider [n] must have features; they are copied, and contact->poses is set. Not collective. */
PetscErrorCode wring_obstacles_create(wring_contact *contact, int n, const wring_collider *collider,
                                      wring_obstacles **o);
PetscErrorCode wring_obstacles_destroy(wring_obstacles **o);

/* The gap of those colliders that have none of their own. */
void wring_obstacles_set_gap(wring_obstacles *o, double gap);

/*
  place: wring_contact_set_time; advance: the colliders move on by this part of the way while steps are bounded. Whether
  some collider moves by this.
*/
PetscBool wring_obstacles_place(wring_obstacles *o, double begin, double time, double part);
PetscBool wring_obstacles_advance(wring_obstacles *o, double advance);

/* The mean velocity [m/s] in the step of the collider's material at `point` now, and the arm [m] from its centre. */
void wring_obstacle_velocity(const wring_obstacles *o, const wring_placed_feature *f, const double point[3],
                             double velocity[3], double arm[3]);

/* A lower bound of the distance of a part x [corners][3] from a feature: that of a ball around it. */
double wring_obstacle_apart(const wring_placed_feature *f, int corners, const double *x);

typedef struct {
  PetscInt simplex;
  int      feature;
} wring_obstacle_hit;

/*
  The simplices [n_simplex] of this rank that may come nearer than the gap + margin to features on the way x + t d, t in
  [0, 1], d NULL: at x, while the colliders advance. *hit [*n] by simplex is freed by PetscFree. Not collective.
*/
PetscErrorCode wring_obstacles_find(const wring_obstacles *o, PetscInt n_simplex, const wring_simplex *simplex,
                                    const double *x, const double *d, double margin, PetscInt *n,
                                    wring_obstacle_hit **hit);
