/* Vertices against triangles, of the pairs whose boxes meet. */
#include "near.h"
#include "base/sort.h"
#include "broad.h"
#include "triangle.h"

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/*
  True if this pair of one body is too near at rest; *fair: the vertex was outside then. A triangle without area is
  kept.
*/
static PetscBool near_at_rest(const wring_seen *p, const wring_seen *t, const wring_near_range *r, PetscInt *fair)
{
  wring_touch u;
  *fair = 1;
  if (p->body != t->body || !wring_touch_triangle(p->X, t->X, &u)) return PETSC_FALSE;
  const PetscBool behind = (PetscBool)(u.side <= 1e-6 * u.size);
  *fair                  = !behind;
  return (PetscBool)(u.distance <= r->front || (behind && u.distance <= r->behind));
}

static PetscBool keep(const void *context, const wring_seen *p, const wring_seen *t, void *row, PetscInt *to)
{
  const wring_near_range *const r    = context;
  wring_near *const             near = row;
  PetscInt                      fair;
  for (int a = 0; a < 3; a++)
    if (p->original[0] == t->original[a]) return PETSC_FALSE;
  if (wring_triangle_distance(p->x, t->x) > r->reach || near_at_rest(p, t, r, &fair)) return PETSC_FALSE;
  *near = (wring_near){.vertex = p->home[0].index, .body = t->body, .fair = fair};
  for (int a = 0; a < 3; a++) {
    near->original[a] = t->original[a];
    near->home[a]     = t->home[a];
  }
  *to = p->home[0].rank;
  return PETSC_TRUE;
}

PetscErrorCode wring_near_simplices(const wring_skin *s, PetscInt *n, wring_simplex **simplex)
{
  PetscFunctionBegin;
  *n = s->n + s->n_vertex;
  PetscCall(PetscMalloc1((size_t)*n, simplex));
  for (PetscInt i = 0; i < s->n_vertex; i++) (*simplex)[i] = (wring_simplex){1, PETSC_FALSE, {s->vertex[i], -1, -1}, 0};
  for (PetscInt t = 0; t < s->n; t++) {
    const PetscInt *const v     = s->corner + 3 * t;
    (*simplex)[s->n_vertex + t] = (wring_simplex){3, PETSC_FALSE, {v[0], v[1], v[2]}, 0};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_pairs(const wring_mesh *m, const wring_skin *s, const double *x, const wring_near_range *r,
                                 PetscInt *n, wring_near **near, PetscInt64 *compared)
{
  const wring_broad how = {
    .reach = r->reach, .wanted = {{[2] = PETSC_TRUE}}, .size = sizeof **near, .context = r, .keep = keep};
  wring_simplex *simplex;
  PetscInt       n_simplex;

  PetscFunctionBegin;
  PetscCall(wring_near_simplices(s, &n_simplex, &simplex));
  PetscCall(wring_broad_find(m, s, n_simplex, simplex, x, NULL, &how, n, near, compared));
  PetscCall(PetscFree(simplex));
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
  PetscFunctionBegin;
  if (compared) *compared = 0;
  PetscCall(find_pairs(m, s, x, range, n, near, compared));
  PetscCall(wring_sort_rows(*n, 4, sizeof **near, *near, NULL));
  PetscCall(drop_neighbours(s, n, *near));
  PetscFunctionReturn(PETSC_SUCCESS);
}
