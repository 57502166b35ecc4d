/* Properties of a partition into any number of parts, which need not be that of ranks. */
#include "base/sort.h"
#include "slices.h"
#include "distribute.h"
#include "pieces.h"

/* The part that owns a vertex, and whether it is a corner of a tet. */
typedef struct {
  PetscInt owner, solid;
} corner;

/* Of lines and triangles, row [n][4] as in wring_mesh_data: found [n][3]; a line has its last vertex twice. */
static PetscErrorCode ask_corners(const wring_pieces *p, const wring_owners *o, PetscInt n, const PetscInt *row,
                                  corner *found)
{
  corner   *table;
  PetscInt *vertex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)p->slice->n, &table, 3 * (size_t)n, &vertex));
  for (PetscInt v = 0; v < p->slice->n; v++) table[v] = (corner){o->owner[v], o->start[v + 1] > o->start[v]};
  for (PetscInt i = 0; i < 3 * n; i++) {
    const PetscInt *const v = row + 4 * (size_t)(i / 3) + 1;
    vertex[i]               = v[i % 3] < 0 ? v[1] : v[i % 3];
  }
  PetscCall(wring_slices_fetch(p->slice, 3 * n, vertex, sizeof *table, table, found));
  PetscCall(PetscFree2(table, vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The touches, by vertex, of lines and triangles with a vertex outside the tets, which belong to the part of their
  lowest vertex: *got [*n]. Those on a solid are omitted, because their cost depends on the deck.
*/
static PetscErrorCode find_touches(const wring_pieces *p, const wring_owners *o, const wring_mesh_data *d, PetscInt *n,
                                   wring_vertex_part **got)
{
  PetscInt           n_list = 0;
  wring_vertex_part *list;
  corner            *found;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * (size_t)d->n_set_element, &found, 3 * (size_t)d->n_set_element, &list));
  PetscCall(ask_corners(p, o, d->n_set_element, d->set_element, found));
  for (size_t i = 0; i < (size_t)d->n_set_element; i++) {
    const PetscInt *const v       = d->set_element + 4 * i + 1;
    const corner *const   c       = found + 3 * i;
    const int             corners = v[2] < 0 ? 2 : 3;
    int                   lowest  = 0;
    if (c[0].solid && c[1].solid && c[2].solid) continue;
    for (int a = 1; a < corners; a++)
      if (v[a] < v[lowest]) lowest = a;
    for (int a = 0; a < corners; a++) list[n_list++] = (wring_vertex_part){v[a], c[lowest].owner};
  }
  PetscCall(wring_touches_match(p, n_list, list, n, got));
  PetscCall(PetscFree2(found, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts each pair of a vertex and a part once. */
static PetscErrorCode count_shared(const wring_pieces *p, const wring_owners *o, const wring_mesh_data *d,
                                   PetscInt64 *interface, PetscInt64 *ghosts)
{
  PetscInt           n = 0, parts = 0;
  wring_vertex_part *list;

  PetscFunctionBegin;
  PetscCall(find_touches(p, o, d, &n, &list));
  PetscCall(PetscRealloc((size_t)(n + o->start[p->slice->n]) * sizeof *list, &list));
  for (PetscInt v = 0; v < p->slice->n; v++)
    for (PetscInt i = o->start[v]; i < o->start[v + 1]; i++)
      list[n++] = (wring_vertex_part){p->slice->rstart + v, o->touching[i]};
  PetscCall(wring_sort_rows(n, 2, sizeof *list, list, NULL));
  for (PetscInt i = 0; i < n; i++) {
    const PetscBool same = (PetscBool)(i > 0 && list[i].vertex == list[i - 1].vertex);
    if (same && list[i].part == list[i - 1].part) continue;
    parts = same ? parts + 1 : 1;
    *interface += parts == 2;
    *ghosts += o->owner[list[i].vertex - p->slice->rstart] != list[i].part;
  }
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Edges of the graph between parts, counted twice. */
static PetscErrorCode count_cut(const wring_graph *g, const PetscInt *part, PetscInt64 *n)
{
  PetscInt *ghost_part;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->n_ghost, &ghost_part));
  PetscCall(wring_exchange_fetch(&g->x, sizeof *part, part, ghost_part));
  for (PetscInt v = 0; v < g->n; v++) {
    for (PetscInt i = g->start[v]; i < g->start[v + 1]; i++) {
      const PetscInt u = g->adjacent[i];
      *n += part[v] != (u < g->n ? part[u] : ghost_part[u - g->n]);
    }
  }
  PetscCall(PetscFree(ghost_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of the largest part. */
static PetscErrorCode find_largest(MPI_Comm comm, PetscInt n, const PetscInt *part, PetscInt n_part, PetscInt *most)
{
  PetscInt *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n_part, &count));
  for (PetscInt i = 0; i < n; i++) count[part[i]]++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, (PetscMPIInt)n_part, MPIU_INT, MPI_SUM, comm));
  *most = 0;
  for (PetscInt q = 0; q < n_part; q++) *most = PetscMax(*most, count[q]);
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a copy d of the slice. */
static PetscErrorCode assess(MPI_Comm comm, const wring_cut *c, wring_mesh_data *d, wring_mesh_cut *cut)
{
  PetscInt64   sum[3] = {0, 0, 0}; // cut faces, twice; interface vertices; ghosts
  PetscInt    *part;
  wring_pieces p;
  wring_owners o;
  wring_graph  g;

  PetscFunctionBegin;
  PetscCall(wring_pieces_create(comm, wring_cut_sections(c->n_part), d, &p));
  PetscCall(PetscMalloc1((size_t)p.n, &part));
  PetscCall(wring_pieces_dual(&p, PETSC_TRUE, &g));
  PetscCall(wring_graph_cut(&g, c, part));
  PetscCall(wring_owners_create(&p, c->n_part, part, &o));
  PetscCall(count_cut(&g, part, &sum[0]));
  PetscCall(count_shared(&p, &o, d, &sum[1], &sum[2]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_INT64, MPI_SUM, comm));
  *cut = (wring_mesh_cut){.cut_faces = sum[0] / 2, .interface_vertices = (PetscInt)sum[1], .ghosts = sum[2]};
  PetscCall(find_largest(comm, p.slice->n, o.owner, c->n_part, &cut->vertices_max));
  PetscCall(find_largest(comm, p.n, part, c->n_part, &cut->tets_max));
  PetscCall(wring_graph_destroy(&g));
  PetscCall(wring_owners_destroy(&o));
  PetscCall(wring_pieces_destroy(&p));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_assess_cut(MPI_Comm comm, const wring_cut *c, const wring_mesh_data *d, wring_mesh_cut *cut)
{
  wring_mesh_data slice = {0};

  PetscFunctionBegin;
  if (d) slice = *d;
  PetscCall(PetscMalloc1(4 * (size_t)slice.n_tet, &slice.tet));
  PetscCall(PetscMalloc1((size_t)slice.n_tet, &slice.region));
  if (d) PetscCall(PetscArraycpy(slice.tet, d->tet, 4 * d->n_tet));
  if (d) PetscCall(PetscArraycpy(slice.region, d->region, d->n_tet));
  PetscCall(assess(comm, c, &slice, cut)); // frees the copies
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_measure_cut(MPI_Comm comm, wring_partitioner partitioner, PetscInt n_part,
                                      const wring_mesh_data *d, wring_mesh_cut *cut)
{
  const wring_cut c = {.partitioner = partitioner, .n_part = n_part};

  PetscFunctionBegin;
  PetscCall(wring_mesh_assess_cut(comm, &c, d, cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}
