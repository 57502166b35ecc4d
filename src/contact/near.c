/* Vertices against triangles, of the pairs whose boxes meet. */
#include "near.h"
#include "barrier/closest.h"
#include "base/sort.h"
#include "base/vector3.h"
#include "search/broad.h"
#include "triangle.h"

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* True if this pair of one body is too near at rest. A triangle without area is kept. */
static PetscBool near_at_rest(const wring_seen *p, const wring_seen *t, const wring_near_range *r)
{
  wring_touch u;
  if (p->body != t->body || !wring_touch_triangle(p->X, t->X, &u)) return PETSC_FALSE;
  const PetscBool behind = (PetscBool)(u.side <= 1e-6 * u.size);
  return (PetscBool)(u.distance <= r->front || (behind && u.distance <= r->behind));
}

static PetscBool keep(const void *context, const wring_seen *p, const wring_seen *t, void *row, PetscInt *to)
{
  const wring_near_range *const r    = context;
  wring_near *const             near = row;
  wring_touch                   u;
  for (int a = 0; a < 3; a++)
    if (p->original[0] == t->original[a]) return PETSC_FALSE;
  if (wring_touch_triangle(p->x, t->x, &u) && u.distance > r->reach) return PETSC_FALSE;
  if (near_at_rest(p, t, r)) return PETSC_FALSE;
  *to   = p->home[0].rank;
  *near = (wring_near){.vertex   = p->home[0].index,
                       .original = {t->original[0], t->original[1], t->original[2]},
                       .home     = {t->home[0], t->home[1], t->home[2]},
                       .body     = t->body};
  return PETSC_TRUE;
}

PetscErrorCode wring_near_simplices(const wring_skin *s, PetscInt *n, wring_simplex **simplex)
{
  PetscFunctionBegin;
  *n = s->n + s->n_vertex;
  PetscCall(PetscMalloc1((size_t)*n, simplex));
  for (PetscInt i = 0; i < s->n_vertex; i++)
    (*simplex)[i] = (wring_simplex){.corners = 1, .vertex = {s->vertex[i], -1, -1}};
  for (PetscInt t = 0; t < s->n; t++) {
    const PetscInt *const v     = s->corner + 3 * t;
    (*simplex)[s->n_vertex + t] = (wring_simplex){.corners = 3, .vertex = {v[0], v[1], v[2]}};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Corners of an edge, then those beside it. */
static PetscSFNode corner_of(const wring_seen *s, int i)
{
  return i < 2 ? s->home[i] : s->beside[i - 2];
}

/* Whether an end of one edge is an end of the other, or beside it. */
static PetscBool are_neighbours(const wring_seen *a, const wring_seen *b)
{
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      const PetscSFNode p = corner_of(a, i), q = corner_of(b, j);
      if ((i < 2 || j < 2) && p.rank == q.rank && p.index == q.index) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* The closest points of two edges, x [2][3] each. */
static void find_foot(const double *of_a, const double *of_b, wring_foot *foot)
{
  double x[12];
  for (int k = 0; k < 12; k++) x[k] = k < 6 ? of_a[k] : of_b[k - 6];
  wring_pair_closest(WRING_PAIR_EDGE_EDGE, x, foot);
}

/* near_at_rest of two edges. */
static PetscBool edges_near_at_rest(const wring_seen *a, const wring_seen *b, const wring_near_range *r)
{
  wring_foot foot;
  find_foot(a->X, b->X, &foot);
  const PetscBool front = (PetscBool)(wring_dot3(foot.r, a->normal) < 0 && wring_dot3(foot.r, b->normal) > 0);
  const double    least = front ? r->front : PetscMax(r->front, r->behind);
  return (PetscBool)(foot.distance2 <= least * least);
}

static PetscBool keep_edges(const void *context, const wring_seen *a, const wring_seen *b, void *row, PetscInt *to)
{
  const wring_near_range *const r    = context;
  wring_near_edges *const       near = row;
  const PetscBool               own  = (PetscBool)(a->body == b->body);
  const wring_seen *const first = a->body <= b->body ? a : b, *const second = first == a ? b : a;
  wring_foot foot;
  if (own && are_neighbours(a, b)) return PETSC_FALSE;
  find_foot(first->x, second->x, &foot);
  if (!(foot.distance2 <= r->reach * r->reach) || (own && edges_near_at_rest(a, b, r))) return PETSC_FALSE;
  *near = (wring_near_edges){.vertex   = first->home[0].index,
                             .original = {first->original[1], second->original[0], second->original[1]},
                             .body     = second->body,
                             .own      = own};
  for (int i = 1; i < WRING_EDGES_CORNERS; i++)
    near->home[i - 1] = i < 4 ? corner_of(i < 2 ? first : second, i % 2) : corner_of(i < 6 ? first : second, 2 + i % 2);
  *to = first->home[0].rank;
  return PETSC_TRUE;
}

/* The pairs of simplices that how->keep keeps, *near [*n] rows, sorted. */
static PetscErrorCode find(const wring_mesh *m, const wring_skin *s, PetscInt n_simplex, const wring_simplex *simplex,
                           const double *x, wring_broad *how, PetscInt *n, void *near, PetscInt64 *compared)
{
  const wring_near_range *const r = how->context;

  PetscFunctionBegin;
  how->reach  = r->reach;
  how->phases = r->phases;
  PetscCall(wring_broad_find(m, s, n_simplex, simplex, x, NULL, how, n, near, compared));
  PetscCall(wring_sort_rows(*n, 4, how->size, *(void **)near, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_near_find_edges(const wring_mesh *m, const wring_skin *s, PetscInt n_simplex,
                                     const wring_simplex *simplex, const double *x, const wring_near_range *range,
                                     PetscInt *n, wring_near_edges **near)
{
  wring_broad how = {.wanted = {[1] = {[1] = PETSC_TRUE}}, .size = sizeof **near, .context = range, .keep = keep_edges};

  PetscFunctionBegin;
  PetscCall(find(m, s, n_simplex, simplex, x, &how, n, near, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- at the owners of the vertices ------------------------------------------------------------------------------- */

/* True if a corner of the triangle is a neighbour of the surface's i-th vertex. */
static PetscErrorCode is_neighbour(const wring_skin *s, PetscInt i, const wring_near *p, PetscBool *yes)
{
  PetscInt place = -1;

  PetscFunctionBegin;
  for (int a = 0; a < 3 && place < 0; a++)
    PetscCall(
      PetscFindInt(p->original[a], s->ring_start[i + 1] - s->ring_start[i], s->ring + s->ring_start[i], &place));
  *yes = (PetscBool)(place >= 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode drop_neighbours(const wring_skin *s, PetscInt *n, wring_near *near)
{
  PetscInt  kept = 0;
  PetscBool drop = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt k = 0, i = 0; k < *n; k++) {
    while (s->vertex[i] < near[k].vertex) i++;
    PetscCall(is_neighbour(s, i, near + k, &drop));
    if (!drop) near[kept++] = near[k];
  }
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_near_find(const wring_mesh *m, const wring_skin *s, const double *x, const wring_near_range *range,
                               PetscInt *n, wring_near **near, PetscInt64 *compared)
{
  wring_broad    how = {.wanted = {{[2] = PETSC_TRUE}}, .size = sizeof **near, .context = range, .keep = keep};
  wring_simplex *simplex;
  PetscInt       n_simplex;

  PetscFunctionBegin;
  PetscCall(wring_near_simplices(s, &n_simplex, &simplex));
  PetscCall(find(m, s, n_simplex, simplex, x, &how, n, near, compared));
  PetscCall(PetscFree(simplex));
  PetscCall(drop_neighbours(s, n, *near));
  PetscFunctionReturn(PETSC_SUCCESS);
}
