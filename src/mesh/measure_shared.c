/* What slices of a mesh share: edges and faces meet on the owner of their lowest vertex; components. */
#include "base/forest.h"
#include "base/sort.h"
#include "measure.h"
#include "mesh/distribute/blocks.h"
#include "mesh/surface/faces.h"
#include <math.h>
#include <stdlib.h>

/* ---- edges ------------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt low, high; // original numbers
  double   length;
} edge;

/* The larger ends of the edges of all tets by their smaller end, with repetitions; start [n_used + 2]. */
static void bucket_edges(const wring_view *w, int64_t *start, PetscInt *larger)
{
  for (int fill = 0; fill < 2; fill++) {
    for (PetscInt e = 0; e < w->d->n_tet; e++) {
      const PetscInt *const v = w->tet + 4 * (size_t)e;
      for (int k = 0; k < 6; k++) {
        const PetscInt a = v[wring_tet_edge[k][0]], b = v[wring_tet_edge[k][1]];
        if (fill)
          larger[start[PetscMin(a, b) + 1]++] = PetscMax(a, b);
        else
          start[PetscMin(a, b) + 2]++;
      }
    }
    for (PetscInt v = 0; v < w->n_used && !fill; v++) start[v + 2] += start[v + 1];
  }
}

static double length_of(const double *x, const double *y)
{
  return sqrt(PetscSqr(x[0] - y[0]) + PetscSqr(x[1] - y[1]) + PetscSqr(x[2] - y[2]));
}

/* The edges of this rank's tets, each once, and the owners of their lower ends. Freed by the caller. */
static PetscErrorCode list_edges(const wring_view *w, PetscInt *n, edge **edges, PetscInt **to)
{
  int64_t  *start, end = 0;
  PetscInt *larger, *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)w->n_used + 2, &start));
  PetscCall(PetscMalloc1((size_t)w->n_used, &count));
  PetscCall(PetscMalloc1(6 * (size_t)w->d->n_tet, &larger));
  bucket_edges(w, start, larger);
  for (PetscInt v = 0; v < w->n_used; v++) {
    count[v] = (PetscInt)(start[v + 1] - start[v]);
    PetscCall(wring_sort_unique(&count[v], larger + start[v]));
    end += count[v];
  }
  PetscCall(PetscIntCast(end, n));
  PetscCall(PetscMalloc1((size_t)*n, edges));
  PetscCall(PetscMalloc1((size_t)*n, to));
  for (PetscInt v = 0, at = 0; v < w->n_used; v++) {
    for (PetscInt i = 0; i < count[v]; i++, at++) {
      const PetscInt u = larger[start[v] + i];
      (*to)[at]        = w->owner[v];
      (*edges)[at]     = (edge){w->used[v], w->used[u], length_of(w->X + 3 * (size_t)v, w->X + 3 * (size_t)u)};
    }
  }
  PetscCall(PetscFree(larger));
  PetscCall(PetscFree(count));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_edges(const void *pa, const void *pb)
{
  const edge *a = pa, *b = pb;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  return (a->high > b->high) - (a->high < b->high);
}

PetscErrorCode wring_view_measure_edges(const wring_view *w, wring_mesh_measures *m)
{
  PetscInt n = 0, *to, n_got;
  edge    *edges, *got;

  PetscFunctionBegin;
  if (m->n_tet == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(list_edges(w, &n, &edges, &to));
  PetscCall(wring_exchange_rows(w->comm, n, to, sizeof *edges, edges, &n_got, &got));
  PetscCall(PetscFree(edges));
  PetscCall(PetscFree(to));
  if (n_got) qsort(got, (size_t)n_got, sizeof *got, compare_edges);
  m->edge_min = INFINITY;
  for (PetscInt i = 0; i < n_got; i++) {
    if (i > 0 && compare_edges(got + i, got + i - 1) == 0) continue;
    m->edge_min = PetscMin(m->edge_min, got[i].length);
    m->edge_max = PetscMax(m->edge_max, got[i].length);
    m->edge_mean += got[i].length;
    m->n_edge++;
  }
  PetscCall(PetscFree(got));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->n_edge, 1, MPIU_INT64, MPI_SUM, w->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->edge_min, 1, MPI_DOUBLE, MPI_MIN, w->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->edge_max, 1, MPI_DOUBLE, MPI_MAX, w->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->edge_mean, 1, MPI_DOUBLE, MPI_SUM, w->comm));
  m->edge_mean /= (double)m->n_edge;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* The faces of this rank's tets that no other tet of any rank has. */
PetscErrorCode wring_view_count_boundary(const wring_view *w, wring_mesh_measures *m)
{
  PetscInt    n, *neighbour, *to;
  wring_face *face;
  PetscInt64 *other;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)w->d->n_tet, &neighbour));
  PetscCall(wring_faces_match(w->n_used, w->d->n_tet, w->tet, neighbour));
  PetscCall(wring_faces_list_border(w->d->n_tet, w->tet, neighbour, w->used, &n, &face));
  PetscCall(PetscFree(neighbour));
  PetscCall(PetscMalloc2((size_t)n, &to, (size_t)n, &other));
  for (PetscInt i = 0; i < n; i++) to[i] = face[i].v[0];
  PetscCall(wring_blocks_find_owners(w->block, n, to));
  PetscCall(wring_faces_match_ranks(w->comm, n, face, to, other));
  for (PetscInt i = 0; i < n; i++) m->n_boundary_face += other[i] < 0;
  PetscCall(PetscFree2(to, other));
  PetscCall(PetscFree(face));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->n_boundary_face, 1, MPIU_INT64, MPI_SUM, w->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- components -------------------------------------------------------------------------------------------------- */

/* parent [n_used]: the vertices of tets by components of this rank, whose roots are their lowest; -1 for others. */
static void unite_tets(const wring_view *w, PetscInt *parent)
{
  for (PetscInt i = 0; i < w->n_used; i++) parent[i] = -1;
  for (size_t i = 0; i < 4 * (size_t)w->d->n_tet; i++) parent[w->tet[i]] = w->tet[i];
  for (PetscInt e = 0; e < w->d->n_tet; e++) {
    const PetscInt *const v = w->tet + 4 * (size_t)e;
    for (int a = 1; a < 4; a++) wring_unite(parent, v[0], v[a]);
  }
}

/*
  Gives each component of a rank the least of the labels that other ranks have for its vertices; *changed: somewhere.
  label [n_used] of roots; mine [block]: the least of each vertex.
*/
static PetscErrorCode exchange_labels(const wring_view *w, PetscInt *parent, PetscInt *label, PetscInt *mine,
                                      PetscBool *changed)
{
  PetscInt *sent, *got, different = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)w->n_used, &sent));
  for (PetscInt i = 0; i < w->n_used; i++) sent[i] = parent[i] < 0 ? PETSC_MAX_INT : label[wring_root(parent, i)];
  PetscCall(wring_exchange_send(&w->x, sizeof *sent, sent, &got));
  for (PetscInt i = 0; i < w->x.n_got; i++) mine[w->asked[i]] = PetscMin(mine[w->asked[i]], got[i]);
  for (PetscInt i = 0; i < w->x.n_got; i++) got[i] = mine[w->asked[i]];
  PetscCall(wring_exchange_answer(&w->x, sizeof *got, got, sent));
  for (PetscInt i = 0; i < w->n_used; i++) {
    if (parent[i] < 0) continue;
    const PetscInt root = wring_root(parent, i);
    if (sent[i] >= label[root]) continue;
    label[root] = sent[i];
    different   = 1;
  }
  PetscCall(PetscFree(got));
  PetscCall(PetscFree(sent));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPIU_INT, MPI_MAX, w->comm));
  *changed = (PetscBool)(different != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many exchanges as slices follow each other in a component, and one. */
PetscErrorCode wring_view_count_components(const wring_view *w, wring_mesh_measures *m)
{
  PetscInt *parent, *label, *mine;
  PetscBool changed = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)w->n_used, &parent, (size_t)w->n_used, &label));
  PetscCall(PetscMalloc1((size_t)w->block->n, &mine));
  for (PetscInt v = 0; v < w->block->n; v++) mine[v] = PETSC_MAX_INT;
  unite_tets(w, parent);
  for (PetscInt i = 0; i < w->n_used; i++) label[i] = w->used[i];
  while (changed) PetscCall(exchange_labels(w, parent, label, mine, &changed));
  for (PetscInt v = 0; v < w->block->n; v++) m->n_component += mine[v] == w->block->rstart + v;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->n_component, 1, MPIU_INT64, MPI_SUM, w->comm));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree2(parent, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}
