/* Edges, boundary faces and components of a mesh, which slices share. */
#include "base/vector3.h"
#include "base/forest.h"
#include "base/sort.h"
#include "measure.h"
#include "mesh/refine/edges.h"
#include "mesh/surface/faces.h"

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* The ends of side i: six of each tet, then three of each line or triangle, of which those of a line repeat. */
static void side_ends(const wring_view *w, PetscInt i, PetscInt end[2])
{
  const PetscInt        of_tets = 6 * w->d->n_tet, j = i - of_tets;
  const PetscInt *const v = i < of_tets ? w->tet + 4 * (size_t)(i / 6) : w->lower + 4 * (size_t)(j / 3);
  const PetscInt        p = v[i < of_tets ? wring_tet_edge[i % 6][0] : j % 3];
  const PetscInt        q = v[i < of_tets ? wring_tet_edge[i % 6][1] : (j + 1) % 3];
  end[0]                  = PetscMin(p, q);
  end[1]                  = PetscMax(p, q);
}

/* The larger ends of sides by their smaller end, with repetitions; start [n_used + 2]. */
static void bucket_sides(const wring_view *w, PetscInt n, int64_t *start, PetscInt *larger)
{
  PetscInt end[2];
  for (PetscInt i = 0; i < n; i++) {
    side_ends(w, i, end);
    start[end[0] + 2]++;
  }
  for (PetscInt v = 0; v < w->n_used; v++) start[v + 2] += start[v + 1];
  for (PetscInt i = 0; i < n; i++) {
    side_ends(w, i, end);
    larger[start[end[0] + 1]++] = end[1];
  }
}

PetscErrorCode wring_view_list_edges(const wring_view *w, PetscBool lower, PetscInt *n, uint64_t **key)
{
  int64_t  *start;
  PetscInt *larger, all;

  PetscFunctionBegin;
  PetscCall(PetscIntCast(6 * (PetscInt64)w->d->n_tet + (lower ? 3 * (PetscInt64)w->d->n_set_element : 0), &all));
  PetscCall(PetscCalloc1((size_t)w->n_used + 2, &start));
  PetscCall(PetscMalloc1((size_t)all + 1, &larger)); // not NULL without sides
  bucket_sides(w, all, start, larger);
  *n = 0;
  for (PetscInt v = 0; v < w->n_used; v++) {
    PetscInt count = (PetscInt)(start[v + 1] - start[v]);
    PetscCall(wring_sort_unique(&count, larger + start[v]));
    PetscCall(PetscArraymove(larger + *n, larger + start[v], count));
    start[v] = *n; // of what is kept
    *n += count;
  }
  PetscCall(PetscMalloc1((size_t)*n, key));
  for (PetscInt v = 0, i = 0; v < w->n_used; v++)
    for (; i < (v + 1 < w->n_used ? start[v + 1] : *n); i++)
      (*key)[i] = wring_edge_key(w->slice->N, w->used[v], w->used[larger[i]]);
  PetscCall(PetscFree(larger));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds an edge between original numbers. */
static void measure_edge(const wring_view *w, PetscInt low, PetscInt high, wring_mesh_measures *m)
{
  const double *const x      = w->X + 3 * (size_t)wring_first_from(w->n_used, w->used, low);
  const double *const y      = w->X + 3 * (size_t)wring_first_from(w->n_used, w->used, high);
  const double        length = wring_distance3(x, y);
  m->edge_min                = PetscMin(m->edge_min, length);
  m->edge_max                = PetscMax(m->edge_max, length);
  m->edge_mean += length;
}

/* Each rank measures the edges that it owns. */
PetscErrorCode wring_view_measure_edges(const wring_view *w, wring_mesh_measures *m)
{
  PetscInt    n;
  uint64_t   *key;
  wring_edges g;
  wring_edge *edge;

  PetscFunctionBegin;
  if (m->n_tet == 0) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscMPIInt rank = wring_comm_rank(w->comm);
  PetscCall(wring_view_list_edges(w, PETSC_FALSE, &n, &key));
  PetscCall(wring_edges_create(w->comm, n, key, 0, &g));
  PetscCall(PetscMalloc1((size_t)n, &edge));
  PetscCall(wring_edges_find(&g, n, key, edge));
  m->edge_min = INFINITY;
  m->n_edge   = g.total;
  for (PetscInt i = 0; i < n; i++)
    if (edge[i].owner == rank)
      measure_edge(w, (PetscInt)(key[i] / (uint64_t)w->slice->N), (PetscInt)(key[i] % (uint64_t)w->slice->N), m);
  PetscCall(PetscFree(edge));
  PetscCall(PetscFree(key));
  PetscCall(wring_edges_destroy(&g));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->edge_min, 1, MPI_DOUBLE, MPI_MIN, w->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->edge_max, 1, MPI_DOUBLE, MPI_MAX, w->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->edge_mean, 1, MPI_DOUBLE, MPI_SUM, w->comm));
  m->edge_mean /= (double)m->n_edge;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The faces of this rank's tets that no other tet of any rank has. */
PetscErrorCode wring_view_count_boundary(const wring_view *w, wring_mesh_measures *m)
{
  PetscInt    n, *neighbour;
  PetscInt64 *other;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)w->d->n_tet, &neighbour));
  PetscCall(wring_faces_match(w->n_used, w->d->n_tet, w->tet, neighbour));
  PetscCall(wring_faces_match_ranks(w->slice, w->used, w->d->n_tet, w->tet, neighbour, &n, &other));
  PetscCall(PetscFree(neighbour));
  for (PetscInt i = 0; i < n; i++) m->n_boundary_face += other[i] < 0;
  PetscCall(PetscFree(other));
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
  label [n_used] of roots; mine [slice]: the least of each vertex.
*/
static PetscErrorCode exchange_labels(const wring_view *w, PetscInt *parent, PetscInt *label, PetscInt *mine,
                                      PetscBool *changed)
{
  PetscInt *sent, *got, different = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)w->n_used, &sent));
  for (PetscInt i = 0; i < w->n_used; i++) sent[i] = parent[i] < 0 ? PETSC_MAX_INT : label[wring_root(parent, i)];
  PetscCall(wring_exchange_send(&w->x, sizeof *sent, sent, &got));
  for (PetscInt i = 0; i < w->x.n_got; i++) mine[w->x.asked[i]] = PetscMin(mine[w->x.asked[i]], got[i]);
  PetscCall(wring_exchange_fetch(&w->x, sizeof *mine, mine, sent));
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
  PetscCall(PetscMalloc1((size_t)w->slice->n, &mine));
  for (PetscInt v = 0; v < w->slice->n; v++) mine[v] = PETSC_MAX_INT;
  unite_tets(w, parent);
  for (PetscInt i = 0; i < w->n_used; i++) label[i] = w->used[i];
  while (changed) PetscCall(exchange_labels(w, parent, label, mine, &changed));
  for (PetscInt v = 0; v < w->slice->n; v++) m->n_component += mine[v] == w->slice->rstart + v;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->n_component, 1, MPIU_INT64, MPI_SUM, w->comm));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree2(parent, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}
