/*
  Private to src/contact/barrier: pairs of simplices that are near each other, and simplices near colliders, on a way of
  the surface. docs/theory.md (9.20), (9.21)
*/
#pragma once
#include "contact/corners.h"
#include "contact/simplices.h"
#include "closest.h"
#include "obstacles.h"

/*
  Of simplices without a common corner, or of one and a feature; corners in the order of its kind, beyond them -1. First
  what pairs are sorted by.
*/
typedef struct {
  PetscInt    original[WRING_MOST_CORNERS], kind; // wring_pair_kind
  int         corners, first;                     // all, and those of the first body
  PetscBool   within;                             // both parts are of one body
  int         feature;                            // of a collider; -1: none
  PetscSFNode home[WRING_MOST_CORNERS];
  double      area;     // m^2: its weight
  double      sine2;    // of wring_pair_law
  double      distance; // m, where it was found
  double n[3]; // unit vector between the closest points where they were last needed; 0 if they touch, or of a feature
} wring_barrier_pair;

typedef struct {
  const wring_mesh   *mesh; // borrowed
  wring_skin         *skin;
  PetscInt            n_simplex, n_vertex;
  wring_simplex      *simplex;    // [n_simplex]
  PetscInt           *vertex;     // [n_vertex] owned vertices of simplices
  double              gap;        // m
  double              edge[2];    // m: the least and the mean edge at rest; 0: there is none
  PetscBool           bare;       // some simplex of some rank is bare
  double              margin;     // m
  PetscBool           self;       // pairs are looked for
  double              friction;   // coefficient
  double              slip_speed; // m/s
  wring_obstacles    *obstacles;  // owned; NULL: none
  PetscBool           searched;
  double             *seen, *sweep; // [n_vertex][3] m: the way of the last search is seen + t sweep, t in [0, 1]
  PetscInt            n;
  wring_barrier_pair *pair;  // [n] on the owner of its first corner, by original numbers
  PetscInt           *place; // [n][4]
  wring_corners       corners;
  double             *far_x, *far_d, *far_f; // [corners.n][3] of the last fetch; forces
} wring_barrier_pairs;

/* The simplices and lengths; the gap is to be set before the first search. Collective. */
PetscErrorCode wring_barrier_pairs_create(const wring_mesh *m, const wring_extra_sides *extra, wring_barrier_pairs **p);
PetscErrorCode wring_barrier_pairs_destroy(wring_barrier_pairs **p);
void           wring_barrier_pairs_set_gap(wring_barrier_pairs *p, double gap);

/*
  All pairs that come nearer than `reach` on the way x + t d, t in [0, 1], d NULL: at x; x and d [n_local][3], ghosts up
  to date. *pair [*n] is freed by PetscFree. Collective.
*/
PetscErrorCode wring_barrier_pairs_find(const wring_barrier_pairs *p, const double *x, const double *d, double reach,
                                        PetscInt *n, wring_barrier_pair **pair);

/*
  Makes the pairs complete: all that come nearer than the gap on the way from x to x + t d, t in [0, *most], while
  colliders go on by t `advance` of theirs; for d = NULL all that are nearer than twice the gap at x. *most <= 1: a
  longer way would meet too many; most may be NULL. Searches if colliders go on, or if the way has left that of the last
  search by more than half the margin, for d = NULL less the gap. Fetches far_x. Collective.
*/
PetscErrorCode wring_barrier_pairs_prepare(wring_barrier_pairs *p, const double *x, const double *d, double advance,
                                           double *most);

/* The corners [corners][3] of pair i at x, or of another field with its far values. */
void wring_barrier_pairs_gather(const wring_barrier_pairs *p, PetscInt i, const double *x, const double *far,
                                double *corners);
