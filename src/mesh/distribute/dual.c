/* The graph of the tets of pieces that share faces. */
#include "base/sort.h"
#include "mesh/surface/faces.h"
#include "pieces.h"

/* Writes the tets of other ranks into neighbour, as ghosts of g. */
static PetscErrorCode add_ghosts(const wring_pieces *p, PetscInt *neighbour, wring_graph *g)
{
  PetscInt64 *other;
  uint64_t   *key;
  PetscInt   *corner, border, n = 0;

  PetscFunctionBegin;
  PetscCall(wring_faces_match_ranks(p->slice, p->vertex, p->n, p->tet, neighbour, &border, &other));
  PetscCall(PetscMalloc2((size_t)border, &key, (size_t)border, &corner));
  for (PetscInt i = 0, k = 0; i < 4 * p->n; i++) {
    if (neighbour[i] >= 0 || other[k++] < 0) continue;
    key[n]      = (uint64_t)other[k - 1] / 4;
    corner[n++] = i;
  }
  PetscCall(PetscFree(other));
  PetscCall(wring_sort_keys(n, key, corner));
  PetscCall(PetscMalloc1((size_t)n, &g->ghost));
  for (PetscInt i = 0; i < n; i++) {
    if (i == 0 || key[i] != key[i - 1]) g->ghost[g->n_ghost++] = (PetscInt64)key[i];
    neighbour[corner[i]] = g->n + g->n_ghost - 1;
  }
  PetscCall(PetscFree2(key, corner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of tets become the edges and ghosts of g. */
static PetscErrorCode find_edges(const wring_pieces *p, wring_graph *g)
{
  PetscInt *neighbour, kept = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)p->n, &neighbour));
  PetscCall(wring_faces_match(p->n_vertex, p->n, p->tet, neighbour));
  PetscCall(add_ghosts(p, neighbour, g));
  PetscCall(PetscMalloc1((size_t)g->n + 1, &g->start));
  for (PetscInt i = 0; i < 4 * g->n; i++) { // drops the -1
    if (i % 4 == 0) g->start[i / 4] = kept;
    if (neighbour[i] >= 0) neighbour[kept++] = neighbour[i];
  }
  g->start[g->n] = kept;
  PetscCall(PetscRealloc((size_t)kept * sizeof *neighbour, &neighbour));
  g->adjacent = neighbour;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pieces_dual(const wring_pieces *p, PetscBool edges, wring_graph *g)
{
  PetscFunctionBegin;
  *g = (wring_graph){.comm = p->comm, .n = p->n, .number = p->number};
  if (edges)
    PetscCall(find_edges(p, g));
  else
    PetscCall(PetscCalloc1((size_t)g->n + 1, &g->start));
  PetscCall(wring_graph_join(g));
  const PetscMPIInt rank = wring_comm_rank(p->comm), size = wring_comm_size(p->comm);
  const PetscInt    first = (PetscInt)((PetscInt64)rank * p->n_section / size);
  const PetscInt    end   = (PetscInt)((PetscInt64)(rank + 1) * p->n_section / size);
  g->n_section            = end - first;
  PetscCall(PetscMalloc1((size_t)g->n_section + 1, &g->section));
  for (PetscInt c = first; c <= end; c++)
    g->section[c - first] = (PetscInt)(wring_section_begin(g->all, p->n_section, c) - g->begin);
  PetscFunctionReturn(PETSC_SUCCESS);
}
