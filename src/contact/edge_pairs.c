/* Pairs of edges of two bodies that push each other, as those of crossing rods. docs/theory.md (9.9b) */
#include "barrier/closest.h"
#include "base/vector3.h"
#include "pairs.h"
#include <math.h>

static const double same_direction = 0.70710678118654752; // as of vertices

/* A pair of edges at x: 1 apart, -1 each on the inner side of the other, 0 neither. */
typedef struct {
  wring_foot foot;
  double     distance; // m; INFINITY: the closest points are not inside both
  int        side;
} crossing;

/* out [n_local][3] m^2: sums of the outward area vectors of the triangles at vertices, far_out [far.n][3]. */
static PetscErrorCode find_out(const wring_pairs *p, const double *x, double *out, double *far_out)
{
  const wring_mesh *const m = p->mesh;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < p->skin->n; t++) {
    const PetscInt *const v = p->skin->corner + 3 * t;
    double                a[3], b[3], area[3];
    wring_subtract3(x + 3 * v[1], x + 3 * v[0], a);
    wring_subtract3(x + 3 * v[2], x + 3 * v[0], b);
    wring_cross3(a, b, area);
    for (int k = 0; k < 9; k++) out[3 * v[k / 3] + k % 3] += area[k % 3];
  }
  PetscCall(PetscSFReduceBegin(m->forest.halo, m->forest.vector, out, out, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->forest.halo, m->forest.vector, out, out, MPI_SUM));
  PetscCall(wring_corners_fetch(&p->far, m->forest.vector, out, far_out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place of corner a of the i-th near pair. */
static PetscInt place_of(const wring_pairs *p, PetscInt i, int a)
{
  return a == 0 ? p->near[i].vertex : p->place[3 * i + a - 1];
}

static crossing cross(wring_pairs *p, PetscInt i, double *x, double *out, double *far_out)
{
  crossing c = {.distance = INFINITY};
  double   y[3 * WRING_MOST_CORNERS], sum[2][3] = {{0}, {0}};
  for (int k = 0; k < 3 * WRING_MOST_CORNERS; k++) {
    const PetscInt place = place_of(p, i, k / 3);
    y[k]                 = wring_corners_at(&p->far, place, x, p->far_x)[k % 3];
    sum[k / 6][k % 3] += wring_corners_at(&p->far, place, out, far_out)[k % 3];
  }
  wring_pair_closest(WRING_PAIR_EDGE_EDGE, y, &c.foot);
  if (c.foot.n_free < 2 || !(c.foot.distance2 > 0)) return c;
  const double a = wring_dot3(c.foot.r, sum[0]), b = wring_dot3(c.foot.r, sum[1]);
  c.distance = sqrt(c.foot.distance2);
  c.side     = a < 0 && b > 0 ? 1 : a > 0 && b < 0 ? -1 : 0;
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

static wring_pair pair_of(const wring_pairs *p, PetscInt near, const crossing *c)
{
  wring_pair pair = {.near = p->near[near], .c = c->foot.c[0], .d = c->side * c->distance};
  for (int k = 0; k < 3; k++) {
    pair.place[k] = place_of(p, near, k + 1);
    pair.w[k]     = -c->foot.c[k + 1];
    pair.n[k]     = c->foot.r[k] / pair.d;
  }
  return pair;
}

PetscErrorCode wring_pairs_find_edges(wring_pairs *p, const double *x, PetscInt *n, wring_pair *pair)
{
  const wring_near *const near = p->near + p->n_near;
  double                 *out, *far_out;
  crossing               *c;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(3 * (size_t)p->mesh->n_local, &out, 3 * (size_t)p->far.n, &far_out));
  PetscCall(PetscMalloc1((size_t)p->n_cross, &c));
  PetscCall(find_out(p, x, out, far_out));
  *n = 0;
  for (PetscInt i = 0; i < p->n_cross; i++) c[i] = cross(p, p->n_near + i, (double *)x, out, far_out);
  for (PetscInt i = 0, begin = 0, best; i < p->n_cross; i++) {
    if (near[i].vertex != near[begin].vertex || near[i].original[0] != near[begin].original[0]) begin = i;
    best = i;
    for (PetscInt k = begin; k < p->n_cross && near[k].vertex == near[i].vertex; k++)
      if (near[k].original[0] == near[i].original[0] && near[k].body == near[i].body &&
          c[k].distance < c[best].distance)
        best = k;
    if (pushes(p, c + i, c + best)) pair[(*n)++] = pair_of(p, p->n_near + i, c + i);
  }
  PetscCall(PetscFree(c));
  PetscCall(PetscFree2(out, far_out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
