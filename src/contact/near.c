/* Vertices against triangles, of the pairs whose boxes meet. */
#include "near.h"
#include "broad.h"
#include "triangle.h"
#include <stdlib.h>

enum { SERIAL_BELOW = 512 }; // pairs; waking threads takes longer

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

static int compare_near(const void *pa, const void *pb)
{
  const wring_near *a = pa, *b = pb;
  for (int i = 0; i < 3; i++)
    if (a->original[i] != b->original[i]) return a->original[i] < b->original[i] ? -1 : 1;
  return 0;
}

/* Sorts by vertex, by counting, and those of a vertex by the triangle. */
static PetscErrorCode sort_near(PetscInt n_owned, PetscInt n, wring_near **near)
{
  PetscInt   *start, *at;
  wring_near *sorted;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_owned + 1, &start));
  PetscCall(PetscMalloc1((size_t)n_owned + 1, &at));
  PetscCall(PetscMalloc1((size_t)n, &sorted));
  for (PetscInt i = 0; i < n; i++) start[(*near)[i].vertex + 1]++;
  for (PetscInt v = 0; v < n_owned; v++) start[v + 1] += start[v];
  PetscCall(PetscArraycpy(at, start, n_owned + 1));
  for (PetscInt i = 0; i < n; i++) sorted[at[(*near)[i].vertex]++] = (*near)[i];
#pragma omp parallel for schedule(dynamic, 256) if (n > SERIAL_BELOW)
  for (PetscInt v = 0; v < n_owned; v++)
    if (start[v + 1] - start[v] > 1)
      qsort(sorted + start[v], (size_t)(start[v + 1] - start[v]), sizeof *sorted, compare_near);
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(at));
  PetscCall(PetscFree(*near));
  *near = sorted;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscCall(sort_near(m->n_owned, *n, near));
  PetscCall(drop_neighbours(s, n, *near));
  PetscFunctionReturn(PETSC_SUCCESS);
}
