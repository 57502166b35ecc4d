/*
  The tets of a refined or raised mesh, in place of the old ones: eight children of each, or one, which has the same
  corners and the midpoints of its edges.
*/
#include "refine.h"
#include "base/sort.h"
#include "mesh/distribute/order.h"

enum { CORNERS = WRING_TET_CORNERS, EDGES = WRING_TET_EDGES, POINTS = WRING_TET_POINTS };

/* Four children at the corners, four around the diagonal of the octahedron between them. */
static const int corner_child[CORNERS][4]  = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};
static const int diagonal_ring[3][CORNERS] = {{6, 7, 8, 5}, {4, 5, 9, 7}, {4, 6, 9, 8}}; // right-handed around it

const int wring_refine_diagonal[3][2] = {{4, 9}, {6, 8}, {7, 5}};

int wring_refine_child_points(const wring_refinement *r, PetscInt child, PetscInt v[POINTS])
{
  PetscInt p[POINTS];
  wring_refine_tet_points(r, child / r->children, r->children == 1 ? v : p);
  if (r->children == 1) return POINTS;
  const int d = r->tets.diagonal[child / r->children], c = (int)(child % r->children), k = c - CORNERS;
  for (int a = 0; a < CORNERS; a++) {
    if (c < CORNERS)
      v[a] = p[corner_child[c][a]];
    else if (a < 2)
      v[a] = p[wring_refine_diagonal[d][a]];
    else
      v[a] = p[diagonal_ring[d][(k + a - 2) % CORNERS]];
  }
  return CORNERS;
}

PetscErrorCode wring_refine_order_children(wring_refinement *r)
{
  const PetscInt n = r->children * r->m->tets.n;
  PetscInt       v[POINTS], *region, *boundary;
  uint64_t      *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &r->tets.order));
  PetscCall(PetscMalloc3((size_t)n, &region, (size_t)n, &boundary, (size_t)n, &key));
  wring_hilbert h = wring_hilbert_begin(r->point.low, r->point.side, key);
  for (PetscInt i = 0; i < n; i++) {
    const int points = wring_refine_child_points(r, i, v);
    region[i]        = r->m->tets.region[i / r->children];
    boundary[i]      = 0;
    for (int a = 0; a < points; a++) boundary[i] |= !wring_refine_owns(r, v[a]);
    wring_hilbert_add_tet(&h, r->point.X, v);
  }
  wring_hilbert_end(&h);
  PetscCall(wring_order_keys(n, key, r->tets.order));
  PetscCall(wring_order_tets(n, r->m->regions.n, region, boundary, r->tets.order, &r->tets.n_interior));
  PetscCall(PetscFree3(region, boundary, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_replace_tets(const wring_refinement *r, const PetscInt *global)
{
  wring_mesh *const m = r->m;
  const size_t      n = (size_t)r->children * (size_t)m->tets.n;
  PetscInt         *tet, *mid = NULL, *region, v[POINTS];
  PetscInt64       *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(CORNERS * n, &tet));
  if (r->children == 1) PetscCall(PetscMalloc1(EDGES * n, &mid));
  PetscCall(PetscMalloc1(n, &region));
  PetscCall(PetscMalloc1(n, &number));
  for (size_t i = 0; i < n; i++) {
    const PetscInt child = r->tets.order[i], e = child / r->children;
    wring_refine_child_points(r, child, v);
    for (size_t a = 0; a < CORNERS; a++) tet[CORNERS * i + a] = global[v[a]];
    for (size_t k = 0; mid && k < EDGES; k++) mid[EDGES * i + k] = global[v[CORNERS + k]];
    region[i] = m->tets.region[e];
    number[i] = r->children * m->tets.original[e] + child % r->children;
  }
  PetscCall(PetscFree(m->tets.corner));
  PetscCall(PetscFree(m->tets.mid));
  PetscCall(PetscFree(m->tets.region));
  PetscCall(PetscFree(m->tets.original));
  m->tets.corner     = tet;
  m->tets.mid        = mid;
  m->tets.region     = region;
  m->tets.original   = number;
  m->tets.n          = (PetscInt)n;
  m->tets.n_interior = r->tets.n_interior;
  m->tets.n_global *= r->children;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_replace_mesh(wring_refinement *r)
{
  PetscInt *global;

  PetscFunctionBegin;
  PetscCall(wring_refine_order_children(r));
  PetscCall(PetscMalloc1((size_t)r->point.n, &global));
  PetscCall(wring_refine_replace_vertices(r, global));
  PetscCall(wring_refine_replace_tets(r, global));
  PetscCall(PetscFree(global));
  PetscFunctionReturn(PETSC_SUCCESS);
}
