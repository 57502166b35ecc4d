/*
  Private to src/contact: pairs of points, edges and triangles, and their closest points. docs/theory.md (9.13), (9.14)

  In reading order:
    closest.h     the kinds of pairs; the closest points of a pair
    ccd.h         how far the corners of a pair may move along straight lines
    barrier.h     the energy of a pair, its forces and a semidefinite Hessian
  These functions are serial and pure, and several threads may call them. Not here: which pairs there are, and weights.

  The corners of a pair are rows of x [corners][3] m, in the order of its kind. Numbers must be finite, edges and
  triangles may have no length or area.
*/
#pragma once

typedef enum {
  WRING_PAIR_POINT_POINT,    // p, q
  WRING_PAIR_POINT_EDGE,     // p, a, b
  WRING_PAIR_POINT_TRIANGLE, // p, a, b, c
  WRING_PAIR_EDGE_EDGE,      // a0, a1, b0, b1
  WRING_N_PAIR
} wring_pair_kind;

enum { WRING_MOST_CORNERS = 4 };

int wring_pair_corners(wring_pair_kind kind); // 2, 3, 4, 4
int wring_pair_first(wring_pair_kind kind);   // corners of the first body: 1, 1, 1, 2

/*
  The closest points, as r = sum of c[i] x[i]: from the second body to the first, c >= 0 sums to 1 over the corners of
  the first body and c <= 0 to -1 over those of the second. They are inside `n_free` = 0, 1 or 2 parameters: then
  dr/dt_j = sum of s[j][i] x[i] is not 0, and normal to r. (Point and point: 0; point inside an edge: 1; point inside a
  triangle, both points inside edges that are not parallel: 2.)
*/
typedef struct {
  double c[WRING_MOST_CORNERS]; // 0 beyond the corners
  double r[3];                  // m
  double distance2;             // |r|^2, m^2
  int    n_free;
  double s[2][WRING_MOST_CORNERS];
} wring_foot;

/*
  Exact over all regions up to round-off: c belongs to points of the two bodies, hence distance2 is never below the
  true value by more than round-off, and at most 1e-14 times the squared size of the pair above it. If several points
  are closest, one is chosen. The gradient of distance2 is 2 c[i] r. (9.14)
*/
void wring_pair_closest(wring_pair_kind kind, const double *x, wring_foot *foot);

/* Returns the distance |r| [m]; n is the unit vector along r, 0 if the distance is 0. */
double wring_foot_normal(const wring_foot *foot, double n[3]);

/*
  Where closest points are on the border of two regions up to round-off, they are found in either one, and planes normal
  to r need not separate the bodies. This makes r normal to one more edge: from the corner that has most of a closest
  point to that corner of the same body which is farthest beyond the plane through it. foot is that of x by
  wring_pair_closest; its c stays. Nothing changes if no corner is beyond, or r is normal to two edges already.
*/
void wring_pair_turn(wring_pair_kind kind, const double *x, wring_foot *foot);

/* The least n . (x_i - x_j), i of the first body and j of the second: the distance is no less, for any unit n. m. */
double wring_pair_width(wring_pair_kind kind, const double *x, const double n[3]);
