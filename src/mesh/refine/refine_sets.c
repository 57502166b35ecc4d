/*
  Sets of a refined mesh: the old members and the midpoints of the edges of the sets' elements. The midpoint of another
  edge is not added even if both ends are in the set: the edge may cut a corner of the body.
*/
#include "base/grow.h"
#include "refine.h"
#include "mesh/surface/faces.h"

static PetscErrorCode add_member(wring_members *s, PetscInt set, PetscInt original)
{
  PetscFunctionBegin;
  PetscCall(wring_grow((PetscInt64)s->n + 1, &s->room, 2 * sizeof *s->member, &s->member));
  s->member[2 * (size_t)s->n]       = set;
  s->member[2 * (size_t)s->n++ + 1] = original;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The set with the name of a region has all tets of the region. */
static PetscErrorCode add_region(const wring_refinement *r, PetscInt region, PetscInt set, wring_members *s)
{
  const wring_mesh *const m = r->m;
  char                   *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)r->edge.n, &mark));
  for (PetscInt e = 0; e < m->tets.n; e++)
    for (int k = 0; k < 6 && m->tets.region[e] == region; k++) mark[r->edge.of_tet[6 * e + k]] = 1;
  for (PetscInt j = 0; j < r->edge.n; j++)
    if (mark[j]) PetscCall(add_member(s, set, m->number.n_global + r->edge.found[j].place));
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lines and triangles ----------------------------------------------------------------------------------------- */

/*
  The places of the edges 01 12 20 of all elements of sets among all edges: *place [set.n_element][3], freed by the
  caller; a line has the first one only. Those of edges that do not exist are -1. Collective.
*/
static PetscErrorCode find_places(const wring_refinement *r, PetscInt **place)
{
  const wring_mesh *const m = r->m;
  const size_t            n = 3 * (size_t)m->set.n_element;
  uint64_t               *key;
  wring_edge             *found;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, place));
  PetscCall(PetscMalloc2(n, &key, n, &found));
  for (size_t i = 0; i < n; i++) {
    const PetscInt *const v = m->set.element + 4 * (i / 3) + 1;
    const size_t          k = v[2] < 0 ? 0 : i % 3;
    key[i]                  = wring_edge_key(m->number.n_global, v[k], v[(k + 1) % 3]);
  }
  PetscCall(wring_edges_find(&r->edge.all, (PetscInt)n, key, found));
  for (size_t i = 0; i < n; i++) (*place)[i] = i % 3 && m->set.element[4 * (i / 3) + 3] < 0 ? -1 : found[i].place;
  PetscCall(PetscFree2(key, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_cut_elements(wring_mesh *m, PetscInt **mid)
{
  PetscInt *child, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(16 * (size_t)m->set.n_element, &child));
  for (size_t i = 0; i < (size_t)m->set.n_element; i++)
    n += wring_set_element_cut(m->set.element + 4 * i, *mid + 3 * i, child + 4 * (size_t)n);
  PetscCall(PetscRealloc(4 * (size_t)n * sizeof *child, &child));
  PetscCall(PetscFree(m->set.element));
  m->set.element   = child;
  m->set.n_element = n;
  PetscCall(PetscFree(*mid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_find_free(wring_refinement *r)
{
  const wring_mesh *const m = r->m;
  PetscInt               *place;

  PetscFunctionBegin;
  PetscCall(find_places(r, &place));
  PetscCall(PetscMalloc2(6 * (size_t)m->set.n_element, &r->free.end, 3 * (size_t)m->set.n_element, &r->free.is_line));
  r->free.n = 0;
  for (PetscInt i = 0; i < m->set.n_element; i++) {
    const PetscInt *const v = m->set.element + 4 * (size_t)i + 1;
    for (int k = 0; k < (v[2] < 0 ? 1 : 3); k++) {
      if (place[3 * (size_t)i + (size_t)k] >= 0) continue;
      r->free.is_line[r->free.n]       = (PetscBool)(v[2] < 0);
      r->free.end[2 * r->free.n]       = v[k];
      r->free.end[2 * r->free.n++ + 1] = v[(k + 1) % 3];
    }
  }
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_find_members(const wring_refinement *r, PetscInt **mid, wring_members *s)
{
  const wring_mesh *const    m = r->m;
  const wring_middles *const t = &m->read.middles;

  PetscFunctionBegin;
  *s = (wring_members){0};
  for (PetscInt k = 0; k < m->set.names.n; k++)
    for (PetscInt i = 0; i < m->set.count[k]; i++) PetscCall(add_member(s, k, m->number.original[m->set.vertex[k][i]]));
  for (PetscInt k = 0; k < m->set.names.n; k++) {
    const PetscInt region = wring_names_find(&m->regions, m->set.names.name[k]);
    if (region >= 0) PetscCall(add_region(r, region, k, s));
  }
  PetscCall(find_places(r, mid));
  for (PetscInt i = 0; i < 3 * m->set.n_element; i++) {
    if ((*mid)[i] < 0) continue;
    (*mid)[i] += m->number.n_global;
    PetscCall(add_member(s, m->set.element[4 * (size_t)(i / 3)], (*mid)[i]));
  }
  for (size_t i = 0; i < (size_t)t->n_member; i++) PetscCall(add_member(s, t->member[2 * i], t->member[2 * i + 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
