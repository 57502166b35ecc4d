/*
  Raising to second order: each tet keeps its corners and gets the midpoints of its edges, as refinement makes them, and
  so do lines and triangles of sets.
*/
#include "refine.h"
#include "base/count.h"
#include "mesh/distribute/halo.h"

/* Once before the number of edges is known, and again after. */
static PetscErrorCode check_counts(const wring_refinement *r)
{
  const wring_mesh *const m     = r->m;
  wring_error             error = {""};

  PetscFunctionBegin;
  if (wring_count_fits(wring_count_plus(m->n_global, r->edges.total), 3, "mesh_order: 2", "vertices", &error))
    wring_count_fits(m->n_set_element, WRING_TET_EDGES, "mesh_order: 2", "elements of the sets of a rank", &error);
  if ((uint64_t)m->n_global >> 32) wring_error_set(&error, "mesh_order: 2 is for at most 4294967295 vertices");
  PetscCall(wring_error_raise(m->comm, &error));
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
  PetscCall(wring_refine_replace_mesh(r));
  PetscCall(wring_refine_destroy(r));
  m->order    = 2;
  m->n_corner = m->n_global - (PetscInt)r->edges.total;
  m->set_mid  = mid;
  PetscCall(wring_mesh_join(m));
  if (m->order_read == 2) PetscCall(wring_refine_add_members(m, &m->middles, &members));
  PetscCall(wring_middles_clear(&m->middles));
  PetscCall(wring_mesh_fill_sets(m, members.n, members.member));
  PetscCall(PetscFree(members.member));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_raise(wring_mesh *m)
{
  wring_refinement r = {.m = m, .children = 1};

  PetscFunctionBegin;
  PetscCheck(m->order == 1, m->comm, PETSC_ERR_ARG_WRONGSTATE, "the mesh already has order %d", m->order);
  const PetscErrorCode status = wring_refine_raise(&r);
  PetscCall(wring_refine_destroy(&r));
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}
