#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "blocks.h"
#include "mesh/surface/faces.h"
#include "order.h"
#include "pieces.h"
#include <stdlib.h>

/* A face with one tet here, which may have another one elsewhere. */
typedef struct {
  PetscInt64 tet;       // in the order of the curve
  PetscInt   vertex[3]; // original numbers, ascending
} face;

typedef struct {
  PetscInt    n;
  face       *face;   // [n]
  PetscInt   *corner; // [n] 4 tet + the corner opposite
  PetscInt64 *other;  // [n] the tet on the other side, -1 if there is none
} border;

static PetscErrorCode find_border(const wring_pieces *p, PetscInt64 begin, const PetscInt *neighbour, border *b)
{
  PetscFunctionBegin;
  b->n = 0;
  for (PetscInt i = 0; i < 4 * p->n; i++) b->n += neighbour[i] < 0;
  PetscCall(PetscMalloc3((size_t)b->n, &b->face, (size_t)b->n, &b->corner, (size_t)b->n, &b->other));
  b->n = 0;
  for (PetscInt i = 0; i < 4 * p->n; i++) {
    if (neighbour[i] >= 0) continue;
    face *const f = b->face + b->n;
    f->tet        = begin + i / 4;
    for (int k = 0; k < 3; k++) f->vertex[k] = p->vertex[p->tet[i / 4 * 4 + wring_face_corner[i % 4][k]]];
    wring_sort3(f->vertex);
    b->corner[b->n++] = i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  to [n]: the rank that has the tets of the curve near the centre of each face. Both tets find the same one, since they
  add the same numbers in the same order.
*/
static PetscErrorCode find_meeting(const wring_pieces *p, const border *b, PetscInt *to)
{
  PetscInt   *vertex, n = 3 * b->n, at;
  double     *X;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(p->comm, &size));
  PetscCall(PetscMalloc1(3 * (size_t)b->n, &vertex));
  for (PetscInt i = 0; i < 3 * b->n; i++) vertex[i] = b->face[i / 3].vertex[i % 3];
  PetscCall(wring_sort_unique(&n, vertex));
  PetscCall(PetscMalloc1(3 * (size_t)n, &X));
  PetscCall(wring_blocks_fetch(p->block, n, vertex, 3 * sizeof *X, p->X, X));
  for (PetscInt i = 0; i < b->n; i++) {
    double centre[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
      PetscCall(PetscFindInt(b->face[i].vertex[k], n, vertex, &at));
      for (int c = 0; c < 3; c++) centre[c] += X[3 * at + c] / 3;
    }
    to[i] = wring_find_part(size, p->splitter, wring_hilbert_key(centre, p->low, p->side));
  }
  PetscCall(PetscFree(X));
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_vertices(const face *a, const face *b)
{
  for (int k = 0; k < 3; k++)
    if (a->vertex[k] != b->vertex[k]) return a->vertex[k] < b->vertex[k] ? -1 : 1;
  return 0;
}

static int compare_faces(const void *x, const void *y)
{
  const face *const *const a = x, *const *const b = y;
  const int order = compare_vertices(*a, *b);
  return order ? order : ((*a)->tet > (*b)->tet) - ((*a)->tet < (*b)->tet);
}

/* other [n] of the faces that meet on this rank. */
static PetscErrorCode match(PetscInt n, const face *f, PetscInt64 *other)
{
  const face **sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &sorted));
  for (PetscInt i = 0; i < n; i++) {
    sorted[i] = f + i;
    other[i]  = -1;
  }
  if (n) qsort(sorted, (size_t)n, sizeof *sorted, compare_faces);
  for (PetscInt i = 0; i + 1 < n; i++) {
    if (compare_vertices(sorted[i], sorted[i + 1])) continue;
    other[sorted[i] - f]     = sorted[i + 1]->tet;
    other[sorted[i + 1] - f] = sorted[i]->tet;
    i++;
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode meet(const wring_pieces *p, border *b)
{
  PetscInt      *to;
  face          *got;
  PetscInt64    *other;
  wring_exchange x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)b->n, &to));
  PetscCall(find_meeting(p, b, to));
  PetscCall(wring_exchange_create(p->comm, b->n, to, &x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(&x, sizeof *got, b->face, &got));
  PetscCall(PetscMalloc1((size_t)x.n_got, &other));
  PetscCall(match(x.n_got, got, other));
  PetscCall(wring_exchange_answer(&x, sizeof *other, other, b->other));
  PetscCall(PetscFree(other));
  PetscCall(PetscFree(got));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes the tets of other ranks into neighbour, as ghosts of g. */
static PetscErrorCode add_ghosts(const border *b, PetscInt *neighbour, wring_graph *g)
{
  uint64_t *key;
  PetscInt *corner, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)b->n, &key, (size_t)b->n, &corner));
  for (PetscInt i = 0; i < b->n; i++) {
    if (b->other[i] < 0) continue;
    key[n]      = (uint64_t)b->other[i];
    corner[n++] = b->corner[i];
  }
  PetscCall(wring_sort_keys(n, key, corner));
  PetscCall(PetscMalloc1((size_t)n, &g->ghost));
  for (PetscInt i = 0; i < n; i++) {
    if (i == 0 || key[i] != key[i - 1]) g->ghost[g->n_ghost++] = (PetscInt64)key[i];
    neighbour[corner[i]] = g->n + g->n_ghost - 1;
  }
  PetscCall(PetscFree2(key, corner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Drops the -1 from neighbour, which becomes g->adjacent. */
static PetscErrorCode compress(PetscInt *neighbour, wring_graph *g)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->n + 1, &g->start));
  for (PetscInt i = 0; i < 4 * g->n; i++) {
    if (i % 4 == 0) g->start[i / 4] = n;
    if (neighbour[i] >= 0) neighbour[n++] = neighbour[i];
  }
  g->start[g->n] = n;
  PetscCall(PetscRealloc((size_t)n * sizeof *neighbour, &neighbour));
  g->adjacent = neighbour;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cut_chunks(const wring_pieces *p, wring_graph *g)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(p->comm, &rank));
  PetscCallMPI(MPI_Comm_size(p->comm, &size));
  const PetscInt first = (PetscInt)((PetscInt64)rank * p->n_chunk / size);
  const PetscInt end   = (PetscInt)((PetscInt64)(rank + 1) * p->n_chunk / size);
  g->n_chunk           = end - first;
  PetscCall(PetscMalloc1((size_t)g->n_chunk + 1, &g->chunk));
  for (PetscInt c = first; c <= end; c++)
    g->chunk[c - first] = (PetscInt)(wring_chunk_begin(g->all, p->n_chunk, c) - g->begin);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of tets become the edges and ghosts of g. */
static PetscErrorCode find_edges(const wring_pieces *p, wring_graph *g)
{
  const PetscInt64 n = p->n;
  PetscInt        *neighbour, crowd[3];
  PetscInt64       end;
  border           b;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&n, &end, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscCall(PetscMalloc1(4 * (size_t)p->n, &neighbour));
  PetscCall(wring_faces_match(p->n_vertex, p->n, p->tet, neighbour, crowd));
  PetscCall(find_border(p, end - n, neighbour, &b));
  PetscCall(meet(p, &b));
  PetscCall(add_ghosts(&b, neighbour, g));
  PetscCall(PetscFree3(b.face, b.corner, b.other));
  PetscCall(compress(neighbour, g));
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
  PetscCall(cut_chunks(p, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}
