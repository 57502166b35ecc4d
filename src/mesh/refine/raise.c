/*
  Raising to second order: each tet keeps its corners and gets the midpoints of its edges, as refinement makes them, and
  so do lines and triangles of sets.
*/
#include "refine.h"
#include "base/count.h"
#include "mesh/distribute/halo.h"
#include "mesh/distribute/order.h"

enum { CORNERS = 4, EDGES = 6, POINTS = WRING_REFINE_POINTS };

static const int edge_of_mid[EDGES] = {0, 3, 1, 2, 4, 5}; // 01 12 20 03 13 23 among 01 02 03 12 13 23

/* Once before the number of edges is known, and again after. */
static PetscErrorCode check_counts(const wring_refinement *r)
{
  const wring_mesh *const m     = r->m;
  wring_error             error = {""};

  PetscFunctionBegin;
  if (wring_count_fits(wring_count_plus(m->n_global, r->edges.total), 3, "mesh_order: 2", "vertices", &error))
    wring_count_fits(m->n_set_element, EDGES, "mesh_order: 2", "elements of the sets of a rank", &error);
  if ((uint64_t)m->n_global >> 32) wring_error_set(&error, "mesh_order: 2 is for at most 4294967295 vertices");
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* order [n_tet]: those with owned points first, as refinement orders children; r->n_interior. */
static PetscErrorCode order_tets(wring_refinement *r, PetscInt *order)
{
  const wring_mesh *const m = r->m;
  PetscInt                p[POINTS], *boundary;
  uint64_t               *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)m->n_tet, &boundary, (size_t)m->n_tet, &key));
  wring_hilbert h = wring_hilbert_begin(r->low, r->side, key);
  for (PetscInt e = 0; e < m->n_tet; e++) {
    wring_refine_tet_points(r, e, p);
    boundary[e] = 0;
    for (int a = 0; a < POINTS; a++) boundary[e] |= !wring_refine_owns(r, p[a]);
    wring_hilbert_add_tet(&h, r->X, p);
    r->n_interior += 1 - boundary[e];
  }
  wring_hilbert_end(&h);
  PetscCall(wring_order_tets(m->n_tet, key, m->regions.n, m->region, boundary, order));
  PetscCall(PetscFree2(boundary, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces the tets, in global numbers, as wring_mesh_join expects. */
static PetscErrorCode replace_tets(const wring_refinement *r, const PetscInt *order, const PetscInt *global)
{
  wring_mesh *const m = r->m;
  const size_t      n = (size_t)m->n_tet;
  PetscInt         *tet, *mid, *region, p[POINTS];
  PetscInt64       *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(CORNERS * n, &tet));
  PetscCall(PetscMalloc1(EDGES * n, &mid));
  PetscCall(PetscMalloc1(n, &region));
  PetscCall(PetscMalloc1(n, &number));
  for (size_t i = 0; i < n; i++) {
    wring_refine_tet_points(r, order[i], p);
    for (size_t a = 0; a < CORNERS; a++) tet[CORNERS * i + a] = global[p[a]];
    for (size_t k = 0; k < EDGES; k++) mid[EDGES * i + k] = global[p[CORNERS + edge_of_mid[k]]];
    region[i] = m->region[order[i]];
    number[i] = m->tet_original[order[i]];
  }
  PetscCall(PetscFree(m->tet));
  PetscCall(PetscFree(m->region));
  PetscCall(PetscFree(m->tet_original));
  m->tet          = tet;
  m->mid          = mid;
  m->region       = region;
  m->tet_original = number;
  m->n_interior   = r->n_interior;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode replace_mesh(wring_refinement *r)
{
  PetscInt *order, *global;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)r->m->n_tet, &order, (size_t)r->n_point, &global));
  PetscCall(order_tets(r, order));
  PetscCall(wring_refine_replace_vertices(r, global));
  PetscCall(replace_tets(r, order, global));
  PetscCall(PetscFree2(order, global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_raise(wring_refinement *r)
{
  wring_mesh *const m = r->m;
  wring_members     members;
  PetscInt         *mid;

  PetscFunctionBegin;
  PetscCall(check_counts(r));
  PetscCall(wring_refine_number_edges(r));
  PetscCall(check_counts(r));
  PetscCall(wring_refine_find_points(r));
  PetscCall(wring_refine_curve(r));
  PetscCall(wring_refine_check_folded(r));
  PetscCall(wring_refine_find_members(r, &mid, &members));
  PetscCall(wring_refine_values(r));
  PetscCall(replace_mesh(r));
  PetscCall(wring_refine_destroy(r));
  m->order    = 2;
  m->n_corner = m->n_global - (PetscInt)r->edges.total;
  m->set_mid  = mid;
  PetscCall(wring_mesh_join(m));
  if (m->order_read == 2) PetscCall(wring_refine_add_members(m, &m->middles, &members));
  PetscCall(wring_middles_clear(&m->middles));
  PetscCall(wring_refine_fill_sets(m, &members));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_raise(wring_mesh *m)
{
  wring_refinement r = {.m = m};

  PetscFunctionBegin;
  PetscCheck(m->order == 1, m->comm, PETSC_ERR_ARG_WRONGSTATE, "the mesh already has order %d", m->order);
  const PetscErrorCode status = wring_refine_raise(&r);
  PetscCall(wring_refine_destroy(&r));
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}
