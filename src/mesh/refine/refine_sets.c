/*
  Sets of a refined mesh: the old members and the midpoints of the edges of the sets' elements. The midpoint of another
  edge is not added even if both ends are in the set: the edge may cut a corner of the body.
*/
#include "base/grow.h"
#include "base/sort.h"
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
  The edges 01 12 20 of all elements of sets, which may be on any rank: *edge [set.n_element][3], freed by the caller;
  a line has the first one only. Places of edges that do not exist are -1. Collective.
*/
static PetscErrorCode find_edges(const wring_refinement *r, wring_edge **edge)
{
  const wring_mesh *const m = r->m;
  const size_t            n = 3 * (size_t)m->set.n_element;
  PetscInt               *at, count = 0;
  uint64_t               *key;
  wring_edge             *found;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, edge));
  for (size_t i = 0; i < n; i++) (*edge)[i] = (wring_edge){-1, -1};
  PetscCall(PetscMalloc3(n, &at, n, &key, n, &found));
  for (PetscInt i = 0; i < m->set.n_element; i++) {
    const PetscInt *const v = m->set.element + 4 * (size_t)i + 1;
    for (int k = 0; k < (v[2] < 0 ? 1 : 3); k++) {
      key[count]  = wring_edge_key(m->number.n_global, v[k], v[(k + 1) % 3]);
      at[count++] = 3 * i + k;
    }
  }
  PetscCall(wring_sort_keys(count, key, at));
  PetscCall(wring_edges_find(&r->edge.all, count, key, found));
  for (PetscInt i = 0; i < count; i++) (*edge)[at[i]] = found[i];
  PetscCall(PetscFree3(at, key, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mid [set.n_element][3]: the midpoints of edges 01 12 20, -1 of edges that are not refined or do not exist. */
static PetscErrorCode find_midpoints(const wring_refinement *r, PetscInt *mid, wring_members *s)
{
  const wring_mesh *const m = r->m;
  wring_edge             *edge;

  PetscFunctionBegin;
  PetscCall(find_edges(r, &edge));
  for (PetscInt i = 0; i < 3 * m->set.n_element; i++) {
    const PetscInt set = m->set.element[4 * (size_t)(i / 3)], number = m->number.n_global + edge[i].place;
    mid[i] = edge[i].place < 0 ? -1 : number;
    if (edge[i].place >= 0) PetscCall(add_member(s, set, number));
  }
  PetscCall(PetscFree(edge));
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
  wring_edge             *edge;

  PetscFunctionBegin;
  PetscCall(find_edges(r, &edge));
  PetscCall(PetscMalloc2(6 * (size_t)m->set.n_element, &r->free.end, 3 * (size_t)m->set.n_element, &r->free.is_line));
  r->free.n = 0;
  for (PetscInt i = 0; i < m->set.n_element; i++) {
    const PetscInt *const v = m->set.element + 4 * (size_t)i + 1;
    for (int k = 0; k < (v[2] < 0 ? 1 : 3); k++) {
      if (edge[3 * (size_t)i + (size_t)k].place >= 0) continue;
      r->free.is_line[r->free.n]       = (PetscBool)(v[2] < 0);
      r->free.end[2 * r->free.n]       = v[k];
      r->free.end[2 * r->free.n++ + 1] = v[(k + 1) % 3];
    }
  }
  PetscCall(PetscFree(edge));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_refine_find_members(const wring_refinement *r, PetscInt **mid, wring_members *s)
{
  const wring_mesh *const    m = r->m;
  const wring_middles *const t = &m->read.middles;

  PetscFunctionBegin;
  *s = (wring_members){0};
  for (PetscInt k = 0; k < m->set.names.n; k++)
    for (PetscInt i = 0; i < m->set.count[k]; i++)
      PetscCall(add_member(s, k, m->number.original[m->set.vertex[k][i]]));
  for (PetscInt k = 0; k < m->set.names.n; k++) {
    const PetscInt region = wring_names_find(&m->regions, m->set.names.name[k]);
    if (region >= 0) PetscCall(add_region(r, region, k, s));
  }
  PetscCall(PetscMalloc1(3 * (size_t)m->set.n_element, mid));
  PetscCall(find_midpoints(r, *mid, s));
  for (size_t i = 0; i < (size_t)t->n_member; i++) PetscCall(add_member(s, t->member[2 * i], t->member[2 * i + 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
