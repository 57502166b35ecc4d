/* The graph of the tets of pieces that share faces. */
#include "base/sort.h"
#include "slices.h"
#include "mesh/surface/faces.h"
#include "pieces.h"

/* other [n]: the tet on the other side of each face, matched where its middle vertex is stored; -1: none. */
static PetscErrorCode match_border(const wring_pieces *p, PetscInt64 begin, PetscInt n, wring_face *face,
                                   PetscInt64 *other)
{
  PetscInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) {
    to[i] = face[i].v[1];
    face[i].place += 4 * begin;
  }
  PetscCall(wring_slices_find_owners(p->slice, n, to));
  PetscCall(wring_faces_match_ranks(p->comm, n, face, to, other));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes the tets of other ranks into neighbour, as ghosts of g, whose tets begin at this number. */
static PetscErrorCode add_ghosts(const wring_pieces *p, PetscInt64 begin, PetscInt *neighbour, wring_graph *g)
{
  PetscInt64 *other;
  uint64_t   *key;
  PetscInt   *corner, border, n = 0;
  wring_face *face;

  PetscFunctionBegin;
  PetscCall(wring_faces_list_border(p->n, p->tet, neighbour, p->vertex, &border, &face));
  PetscCall(PetscMalloc3((size_t)border, &other, (size_t)border, &key, (size_t)border, &corner));
  PetscCall(match_border(p, begin, border, face, other));
  for (PetscInt i = 0; i < border; i++) {
    if (other[i] < 0) continue;
    key[n]      = (uint64_t)other[i] / 4;
    corner[n++] = (PetscInt)(face[i].place - 4 * begin);
  }
  PetscCall(PetscFree(face));
  PetscCall(wring_sort_keys(n, key, corner));
  PetscCall(PetscMalloc1((size_t)n, &g->ghost));
  for (PetscInt i = 0; i < n; i++) {
    if (i == 0 || key[i] != key[i - 1]) g->ghost[g->n_ghost++] = (PetscInt64)key[i];
    neighbour[corner[i]] = g->n + g->n_ghost - 1;
  }
  PetscCall(PetscFree3(other, key, corner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of tets become the edges and ghosts of g. */
static PetscErrorCode find_edges(const wring_pieces *p, wring_graph *g)
{
  const PetscInt64 n = p->n;
  PetscInt        *neighbour, kept = 0;
  PetscInt64       end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&n, &end, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscCall(PetscMalloc1(4 * (size_t)p->n, &neighbour));
  PetscCall(wring_faces_match(p->n_vertex, p->n, p->tet, neighbour));
  PetscCall(add_ghosts(p, end - n, neighbour, g));
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
