/* Pairs of edges that push each other, as those of crossing rods. docs/theory.md (9.9b) */
#include "barrier/closest.h"
#include "base/vector3.h"
#include "pairs.h"
#include <math.h>

enum { SERIAL_BELOW = 256 };
static const double same_direction = 0.70710678118654752; // as of vertices

/* A pair of edges at x: 1 apart, -1 each on the inner side of the other, 0 neither. */
typedef struct {
  wring_foot foot;
  double     distance; // m; INFINITY: the closest points are not inside both
  int        side;
} crossing;

/* The place of corner a of the i-th pair of edges. */
static PetscInt place_of(const wring_pairs *p, PetscInt i, int a)
{
  const PetscInt *const more = p->place + 3 * p->n_near + (WRING_EDGES_CORNERS - 1) * i;
  return a == 0 ? p->cross[i].vertex : more[a - 1];
}

/* r . n over |r|, n the outward unit normal of an edge y [2][3] with the corners beside [2][3] it. */
static double align(const double *y, const double *beside, const wring_foot *foot)
{
  double along[3], across[3], n[3];
  wring_subtract3(y + 3, y, along);
  wring_subtract3(beside, beside + 3, across);
  wring_cross3(along, across, n);
  return wring_dot3(foot->r, n) / sqrt(wring_dot3(n, n) * foot->distance2);
}

static crossing cross(const wring_pairs *p, PetscInt i, const double *x)
{
  const double least = p->cross[i].own ? WRING_LEAST_ALIGNMENT : 0;
  crossing     c     = {.distance = INFINITY};
  double       y[3 * WRING_EDGES_CORNERS];
  for (int k = 0; k < 3 * WRING_EDGES_CORNERS; k++)
    y[k] = wring_corners_at(&p->far, place_of(p, i, k / 3), x, p->far_x)[k % 3];
  wring_pair_closest(WRING_PAIR_EDGE_EDGE, y, &c.foot);
  if (c.foot.n_free < 2 || !(c.foot.distance2 > 0)) return c;
  const double a = align(y, y + 12, &c.foot), b = align(y + 6, y + 18, &c.foot);
  c.distance = sqrt(c.foot.distance2);
  c.side     = a < -least && b > least ? 1 : a > least && b < -least ? -1 : 0;
  return c;
}

/* Whether a pair pushes; `nearest` is the nearest of the same edge and body. */
static PetscBool pushes(const wring_pairs *p, const crossing *c, const crossing *nearest)
{
  const double along = wring_dot3(c->foot.r, nearest->foot.r);
  if (c->side == 0 || c->side != nearest->side) return PETSC_FALSE;
  if (c->side > 0) return (PetscBool)(c->distance < p->thickness);
  return (PetscBool)(c->distance <= p->depth && along > same_direction * c->distance * nearest->distance);
}

static wring_pair pair_of(const wring_pairs *p, PetscInt i, const crossing *c)
{
  const wring_near_edges *const e    = p->cross + i;
  wring_pair                    pair = {.edges = PETSC_TRUE, .c = c->foot.c[0], .d = c->side * c->distance};
  pair.near.vertex = e->vertex, pair.near.body = e->body;
  for (int k = 0; k < 3; k++) {
    pair.near.original[k] = e->original[k];
    pair.near.home[k]     = e->home[k];
    pair.place[k]         = place_of(p, i, k + 1);
    pair.w[k]             = -c->foot.c[k + 1];
    pair.n[k]             = c->foot.r[k] / pair.d;
  }
  return pair;
}

PetscErrorCode wring_pairs_find_edges(wring_pairs *p, const double *x, PetscInt *n, wring_pair *pair)
{
  const wring_near_edges *const near = p->cross;
  crossing                     *c;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)p->n_cross, &c));
  *n = 0;
#pragma omp parallel for schedule(static, 64) if (p->n_cross > SERIAL_BELOW)
  for (PetscInt i = 0; i < p->n_cross; i++) c[i] = cross(p, i, x);
  for (PetscInt i = 0, begin = 0, best; i < p->n_cross; i++) {
    if (near[i].vertex != near[begin].vertex || near[i].original[0] != near[begin].original[0]) begin = i;
    best = i;
    for (PetscInt k = begin; k < p->n_cross && near[k].vertex == near[i].vertex; k++)
      if (near[k].original[0] == near[i].original[0] && near[k].body == near[i].body &&
          c[k].distance < c[best].distance)
        best = k;
    if (pushes(p, c + i, c + best)) pair[(*n)++] = pair_of(p, i, c + i);
  }
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
