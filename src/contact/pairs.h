/*
  Private to src/contact: the pairs of a vertex and a triangle, and of two edges, of a surface that push each other at
  given positions. docs/theory.md (9.1) to (9.9)
*/
#pragma once
#include "corners.h"
#include "near.h"

/* Of one body: |cos| of the angle of n and what is outward, below which parts of its surface are neighbours in it. */
#define WRING_LEAST_ALIGNMENT 0.5

/* G x = c x_vertex - sum w_a x_corner[a], d = n . G x. */
typedef struct {
  wring_near near;
  PetscInt   place[3]; // of the corners: an owned vertex, or n_owned + an index of `far`
  PetscBool  edges;    // the vertex and corner 0, corners 1 and 2; else a vertex and a triangle, and c is 1
  double     c;
  double     w[3], n[3];
  double     d; // m, at the last update
} wring_pair;

typedef struct wring_pairs wring_pairs;

struct wring_pairs {
  const wring_mesh *mesh; // borrowed
  wring_skin       *skin;
  double            thickness, depth, margin; // m
  double            within;                   // m: distance up to which near pairs are complete
  double            behind;                   // m: of wring_near_range
  PetscInt          searches, updates;        // so far; of this solve
  double           *seen;                     // [skin->n_vertex][3] m: positions of the last search
  double           *rated;                    // [skin->n_vertex][3] m: positions of the last rating
  double            drift;                    // m: the largest motion of a vertex of any rank since then
  PetscInt          n_near;                   // pairs that may touch until a vertex has moved by half the margin
  wring_near       *near;                     // [n_near]
  double           *wait;                     // [n_near] m: a pair does not matter until the drift exceeds it
  PetscInt          n_run, *run;              // [n_run + 1] first near pair of each vertex that has one, and n_near
  PetscInt          longest;                  // near pairs of a vertex
  PetscInt         *place;                    // [n_near][3], then [n_cross][WRING_EDGES_CORNERS - 1]
  PetscInt          n_edge;                   // of this rank: edges of the surface that are no part of a flat face
  wring_simplex    *edge;                     // [n_edge]
  PetscInt          n_cross;                  // pairs of edges that may touch likewise
  wring_near_edges *cross;                    // [n_cross]
  wring_corners     far;                      // corners that other ranks own
  double           *far_x, *far_f;            // [far.n][3] m, N
  PetscInt          n_pair, room;
  wring_pair       *pair; // [n_pair] by vertex
  PetscInt          n_old, old_room;
  wring_pair       *old;     // [n_old] the previous pairs, with d at the new x; their places may be out of date
  wring_pairs      *watch;   // searches farther, for lost vertices, and has no pairs; NULL before the first count
  double           *counted; // [skin->n_vertex][3] m: positions of the last count; NULL before it
  PetscInt64        lost;    // found by it on this rank
};

PetscErrorCode wring_pairs_create(const wring_mesh *m, double thickness, double depth, wring_pairs **p); // collective
PetscErrorCode wring_pairs_destroy(wring_pairs **p);

/*
  Moves the pairs to `old` and finds those that touch at x [n_local][3], ghosts up to date. A vertex keeps the triangle
  of an old pair while it is above it, or nearly so; from the eleventh update of a solve on, pairs are kept and others
  are only added. first: the first update of a solve, which discards the old pairs. Collective.
*/
PetscErrorCode wring_pairs_update(wring_pairs *p, const double *x, PetscBool first);

/* Appends the pairs that touch at x; discards the old ones. Collective. */
PetscErrorCode wring_pairs_append(wring_pairs *p, const double *x);

/* Those of the n_cross pairs of edges that touch at x, pair [*n], with room for all; far_x is that of x. */
PetscErrorCode wring_pairs_find_edges(wring_pairs *p, const double *x, PetscInt *n, wring_pair *pair); // edge_pairs.c

/* far_x at x. Collective. */
PetscErrorCode wring_pairs_fetch(wring_pairs *p, const double *x);

/* n . G x of a pair [m]; far_x is that of x. */
double wring_pair_distance(const wring_pairs *p, const wring_pair *pair, const double *x);

/*
  Counts the vertices of this rank that are inside a body at x, deeper than depth and at most four times as deep: no
  pair pushes them out. Of their own body, only triangles count that they were in front of at rest. Leaves the pairs as
  they are. The first count searches; later ones only if a vertex was lost before, is deeper than depth among the near
  pairs of the last update or append, or has moved by more than depth since the last count: otherwise none can be lost.
  Collective.
*/
PetscErrorCode wring_pairs_count_lost(wring_pairs *p, const double *x, PetscInt64 *lost);
