/* Crossings of triangles by vertices, found where their ways meet. */
#include "jumps.h"
#include "barrier/ccd.h"
#include "base/sort.h"
#include "base/vector3.h"
#include "broad.h"
#include "near.h"

static const double missed = 1e-3; // of their distance at the start: a vertex and a triangle that stay farther apart

/* A vertex that goes through a triangle. */
typedef struct {
  PetscInt vertex, body, way; // owned, local; of the triangle; 1 in, -1 out
} passage;

/* 1 in front of the triangle t + s d, s in [0, 1], behind it -1. */
static PetscInt side_of(const wring_seen *p, const wring_seen *t, double s)
{
  double at[4][3], u[3], v[3], n[3];
  for (int k = 0; k < 3; k++) {
    at[3][k] = p->x[k] + s * p->d[k];
    for (int a = 0; a < 3; a++) at[a][k] = t->x[3 * a + k] + s * t->d[3 * a + k];
  }
  wring_subtract3(at[1], at[0], u);
  wring_subtract3(at[2], at[0], v);
  wring_cross3(u, v, n);
  wring_subtract3(at[3], at[0], u);
  return wring_dot3(n, u) > 0 ? 1 : -1;
}

static PetscBool passes(const void *context, const wring_seen *p, const wring_seen *t, void *row, PetscInt *to)
{
  double x[3 * WRING_MOST_CORNERS], d[3 * WRING_MOST_CORNERS];
  (void)context;
  const PetscInt side = side_of(p, t, 0);
  if (p->body == t->body || side == side_of(p, t, 1)) return PETSC_FALSE;
  for (int k = 0; k < 3 * WRING_MOST_CORNERS; k++) {
    x[k] = k < 3 ? p->x[k] : t->x[k - 3];
    d[k] = k < 3 ? p->d[k] : t->d[k - 3];
  }
  if (wring_pair_bound(WRING_PAIR_POINT_TRIANGLE, x, d, 0, missed) >= 1) return PETSC_FALSE;
  *(passage *)row = (passage){p->home[0].index, t->body, side};
  *to             = p->home[0].rank;
  return PETSC_TRUE;
}

PetscErrorCode wring_jumps_count(const wring_mesh *m, const wring_skin *s, const double *from, const double *x,
                                 PetscInt64 *jumps)
{
  const wring_broad how = {.wanted = {{[2] = PETSC_TRUE}}, .size = sizeof(passage), .keep = passes};
  wring_simplex    *simplex;
  passage          *found;
  double           *d;
  PetscInt          n, n_simplex, last = -1;

  PetscFunctionBegin;
  *jumps = 0;
  PetscCall(PetscMalloc1(3 * (size_t)m->n_local, &d));
  wring_waxpy(3 * m->n_local, -1, from, x, d);
  PetscCall(wring_near_simplices(s, &n_simplex, &simplex));
  PetscCall(wring_broad_find(m, s, n_simplex, simplex, from, d, &how, &n, &found, NULL));
  PetscCall(wring_sort_rows(n, 3, sizeof *found, found, NULL));
  for (PetscInt i = 1; i < n; i++) { // out, then in: of one body, and not of a vertex that is counted
    const passage *const a = found + i - 1, *const b = found + i;
    if (a->vertex != b->vertex || a->body != b->body || a->way == b->way || b->vertex == last) continue;
    last = b->vertex;
    (*jumps)++;
  }
  PetscCall(PetscFree(found));
  PetscCall(PetscFree(simplex));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
