/* Crossings of triangles by vertices, and of edges, found where their ways meet. */
#include "jumps.h"
#include "barrier/ccd.h"
#include "base/sort.h"
#include "base/vector3.h"
#include "search/broad.h"
#include "corners.h"
#include "near.h"

static const double missed = 1e-3; // of their distance at the start: parts that stay farther apart

/* A vertex, or an edge from there, that goes through a part of a body. */
typedef struct {
  PetscInt vertex, end, body, way; // owned, local; original, -1: a vertex; of what is met; 1 in, -1 out
} passage;

enum { N = 3 * WRING_MOST_CORNERS };

/* 1 where the first of four corners x + s d, s in [0, 1], is in front of the others, counter-clockwise; else -1. */
static PetscInt side_of(const double x[N], const double d[N], double s)
{
  double at[N], u[3], v[3], n[3];
  for (int k = 0; k < N; k++) at[k] = x[k] + s * d[k];
  wring_subtract3(at + 6, at + 3, u);
  wring_subtract3(at + 9, at + 3, v);
  wring_cross3(u, v, n);
  wring_subtract3(at, at + 3, u);
  return wring_dot3(n, u) > 0 ? 1 : -1;
}

static PetscBool passes(const void *context, const wring_seen *a, const wring_seen *b, void *row, PetscInt *to)
{
  const wring_pair_kind   kind  = a->corners == 1 ? WRING_PAIR_POINT_TRIANGLE : WRING_PAIR_EDGE_EDGE;
  const wring_seen *const first = a->corners == 1 || a->body < b->body ? a : b, *const second = first == a ? b : a;
  double     x[N] = {0}, d[N] = {0};
  wring_foot foot;
  (void)context;
  if (a->body == b->body) return PETSC_FALSE;
  wring_join_seen(first, first->x, second, second->x, x);
  wring_join_seen(first, first->d, second, second->d, d);
  PetscInt way = side_of(x, d, 0);
  if (way == side_of(x, d, 1) || wring_pair_bound(kind, x, d, 0, missed) >= 1) return PETSC_FALSE;
  wring_pair_closest(kind, x, &foot);
  if (kind == WRING_PAIR_EDGE_EDGE) way = wring_dot3(foot.r, second->normal) > 0 ? 1 : -1;
  *(passage *)row = (passage){first->home[0].index, first->original[1], second->body, way};
  *to             = first->home[0].rank;
  return PETSC_TRUE;
}

/* edge [n]: normals at x. */
static PetscErrorCode set_normals(const wring_mesh *m, PetscInt n, wring_simplex *edge, const double *x)
{
  wring_corners c = {.mesh = m};
  PetscSFNode  *home;
  PetscInt     *place;
  double       *far;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(2 * (size_t)n, &home, 2 * (size_t)n, &place));
  for (PetscInt i = 0; i < 2 * n; i++) home[i] = edge[i / 2].beside[i % 2];
  PetscCall(wring_corners_build(m, 2 * n, home, place, &c));
  PetscCall(PetscMalloc1(3 * (size_t)c.n, &far));
  PetscCall(wring_corners_fetch(&c, m->forest.vector, x, far));
  for (PetscInt i = 0; i < n; i++) {
    double along[3], across[3];
    wring_subtract3(x + 3 * edge[i].vertex[1], x + 3 * edge[i].vertex[0], along);
    wring_subtract3(wring_corners_at(&c, place[2 * i], x, far), wring_corners_at(&c, place[2 * i + 1], x, far), across);
    wring_cross3(along, across, edge[i].normal);
  }
  PetscCall(PetscFree(far));
  PetscCall(PetscFree2(home, place));
  PetscCall(wring_corners_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_jumps_count(const wring_mesh *m, const wring_skin *s, PetscInt n_edge, const wring_simplex *edge,
                                 const double *from, const double *x, PetscInt64 *jumps)
{
  const wring_broad how = {.wanted = {{[2] = PETSC_TRUE}, {[1] = PETSC_TRUE}}, .size = sizeof(passage), .keep = passes};
  wring_simplex    *simplex;
  passage          *found, last = {-1, -1, -1, 0};
  double           *d;
  PetscInt          n, n_simplex;

  PetscFunctionBegin;
  *jumps = 0;
  PetscCall(PetscMalloc1(3 * (size_t)m->n_local, &d));
  wring_waxpy(3 * m->n_local, -1, from, x, d);
  PetscCall(wring_near_simplices(s, &n_simplex, &simplex));
  PetscCall(PetscRealloc(sizeof *simplex * ((size_t)n_simplex + (size_t)n_edge + 1), &simplex));
  PetscCall(PetscArraycpy(simplex + n_simplex, edge, n_edge));
  PetscCall(set_normals(m, n_edge, simplex + n_simplex, from));
  PetscCall(wring_broad_find(m, s, n_simplex + n_edge, simplex, from, d, &how, &n, &found, NULL));
  PetscCall(wring_sort_rows(n, 4, sizeof *found, found, NULL));
  for (PetscInt i = 1; i < n; i++) { // out, then in: of one body, and not of a part that is counted
    const passage *const a = found + i - 1, *const b = found + i;
    if (a->vertex != b->vertex || a->end != b->end || a->body != b->body || a->way == b->way) continue;
    if (b->vertex == last.vertex && b->end == last.end) continue;
    last = *b;
    (*jumps)++;
  }
  PetscCall(PetscFree(found));
  PetscCall(PetscFree(simplex));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
