/*
  Rank 0 partitions the whole mesh, orders it in global numbers and sends each rank its part; each rank then finds its
  ghosts.
*/
#include "mesh/data.h"
#include "deal.h"
#include "halo.h"
#include "base/sort.h"
#include "order.h"
#include "partition.h"
#include <stdlib.h>

/* The distribution, on rank 0; zero elsewhere. */
typedef struct {
  PetscMPIInt size;
  PetscInt   *tet_part, *vertex_part;        // freed after the orders are made
  PetscInt   *vertex_order, *tet_order;      // by part, then along the curve
  PetscInt   *vertex_start, *tet_start;      // [size + 1]
  PetscInt   *element_order, *element_start; // of sets; [size + 1]
  PetscInt   *counts;                        // [size][4] vertices, tets, interior tets, elements of sets
} plan;

static PetscErrorCode order_vertices(const wring_mesh_data *d, const double low[3], double side, plan *p)
{
  uint64_t *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &key));
  for (PetscInt v = 0; v < d->n_vertex; v++) key[v] = wring_hilbert_key(d->X + 3 * v, low, side);
  PetscCall(wring_order_keys(d->n_vertex, key, p->vertex_order));
  PetscCall(wring_sort_buckets(d->n_vertex, p->vertex_order, p->vertex_part, p->size, p->vertex_start));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_interior(const wring_mesh_data *d, const plan *p, PetscInt e)
{
  for (int a = 0; a < 4; a++)
    if (p->vertex_part[d->tet[4 * e + a]] != p->tet_part[e]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* By part, then in the order of wring_order_tets. */
static PetscErrorCode order_tets(const wring_mesh_data *d, const double low[3], double side, plan *p)
{
  uint64_t *key;
  PetscInt *boundary;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)d->n_tet, &key, (size_t)d->n_tet, &boundary));
  for (PetscInt e = 0; e < d->n_tet; e++) {
    key[e]      = wring_hilbert_key_of_tet(d->X, d->tet + 4 * e, low, side);
    boundary[e] = is_interior(d, p, e) ? 0 : 1;
    p->counts[4 * p->tet_part[e] + 2] += 1 - boundary[e];
  }
  PetscCall(wring_order_tets(d->n_tet, key, d->regions.n, d->region, boundary, p->tet_order));
  PetscCall(wring_sort_buckets(d->n_tet, p->tet_order, p->tet_part, p->size, p->tet_start));
  PetscCall(PetscFree2(key, boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_rows(const void *a, const void *b)
{
  const PetscInt *const x = a, *const y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* Elements of sets go to the part of their first vertex. They are sorted: which rank's slice had them is forgotten. */
static PetscErrorCode order_set_elements(const wring_mesh_data *d, plan *p)
{
  PetscInt *part;

  PetscFunctionBegin;
  if (d->n_set_element) qsort(d->set_element, (size_t)d->n_set_element, 4 * sizeof *d->set_element, compare_rows);
  PetscCall(PetscMalloc1((size_t)d->n_set_element, &part));
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    part[i]             = p->vertex_part[d->set_element[4 * (size_t)i + 1]];
    p->element_order[i] = i;
  }
  PetscCall(wring_sort_buckets(d->n_set_element, p->element_order, part, p->size, p->element_start));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_plan(const wring_mesh_data *d, plan *p)
{
  double low[3], high[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_tet, &p->tet_part));
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &p->vertex_part));
  PetscCall(wring_mesh_partition(d, p->size, p->tet_part, p->vertex_part));
  PetscCall(PetscMalloc1((size_t)d->n_tet, &p->tet_order));
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &p->vertex_order));
  PetscCall(PetscMalloc1((size_t)p->size + 1, &p->tet_start));
  PetscCall(PetscMalloc1((size_t)p->size + 1, &p->vertex_start));
  PetscCall(PetscMalloc1((size_t)d->n_set_element, &p->element_order));
  PetscCall(PetscMalloc1((size_t)p->size + 1, &p->element_start));
  PetscCall(PetscCalloc1(4 * (size_t)p->size, &p->counts));
  wring_bounds(d->n_vertex, d->X, low, high);
  PetscCall(order_vertices(d, low, wring_hilbert_side(low, high), p));
  PetscCall(order_tets(d, low, wring_hilbert_side(low, high), p));
  PetscCall(order_set_elements(d, p));
  for (PetscInt q = 0; q < p->size; q++) {
    p->counts[4 * q]     = p->vertex_start[q + 1] - p->vertex_start[q];
    p->counts[4 * q + 1] = p->tet_start[q + 1] - p->tet_start[q];
    p->counts[4 * q + 3] = p->element_start[q + 1] - p->element_start[q];
  }
  PetscCall(PetscFree(p->tet_part));
  PetscCall(PetscFree(p->vertex_part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_plan(plan *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->tet_order));
  PetscCall(PetscFree(p->vertex_order));
  PetscCall(PetscFree(p->tet_start));
  PetscCall(PetscFree(p->vertex_start));
  PetscCall(PetscFree(p->element_order));
  PetscCall(PetscFree(p->element_start));
  PetscCall(PetscFree(p->counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Converts tets and sets of the whole mesh to global numbers; set vertices are sorted again. */
static PetscErrorCode renumber(const plan *p, wring_mesh_data *d)
{
  PetscInt *global;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &global));
  for (PetscInt i = 0; i < d->n_vertex; i++) global[p->vertex_order[i]] = i;
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) d->tet[i] = global[d->tet[i]];
  for (PetscInt s = 0; s < d->sets.n; s++) {
    const PetscInt first = d->set_start[s], last = d->set_start[s + 1];
    for (PetscInt i = first; i < last; i++) d->set_vertex[i] = global[d->set_vertex[i]];
    PetscCall(wring_sort_ints(last - first, d->set_vertex + first));
  }
  PetscCall(PetscFree(global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode deal_counts(const plan *p, const wring_mesh_data *d, wring_mesh *m)
{
  PetscInt all[3] = {d ? d->n_vertex : 0, d ? d->n_tet : 0, d ? d->sets.n : 0}, mine[4], end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(all, 3, MPIU_INT, 0, m->comm));
  PetscCallMPI(MPI_Scatter(p->counts, 4, MPIU_INT, mine, 4, MPIU_INT, 0, m->comm));
  PetscCallMPI(MPI_Scan(mine, &end, 1, MPIU_INT, MPI_SUM, m->comm));
  m->n_global      = all[0];
  m->n_tet_global  = all[1];
  m->n_owned       = mine[0];
  m->n_tet         = mine[1];
  m->n_interior    = mine[2];
  m->n_set_element = mine[3];
  m->begin         = end - m->n_owned;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode deal_vertices(const plan *p, wring_mesh_data *d, wring_mesh *m)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)m->n_owned, &m->original));
  PetscCall(PetscMalloc1(3 * (size_t)m->n_owned, &m->X));
  PetscCall(
    wring_deal_rows(m->comm, p->vertex_start, NULL, p->vertex_order, sizeof(PetscInt), m->n_owned, m->original));
  PetscCall(
    wring_deal_rows(m->comm, p->vertex_start, p->vertex_order, d ? d->X : NULL, 3 * sizeof(double), m->n_owned, m->X));
  if (d) PetscCall(PetscFree(d->X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tets arrive with global vertex numbers. */
static PetscErrorCode deal_tets(const plan *p, wring_mesh_data *d, wring_mesh *m)
{
  PetscInt *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)m->n_tet, &m->tet));
  PetscCall(
    wring_deal_rows(m->comm, p->tet_start, p->tet_order, d ? d->tet : NULL, 4 * sizeof(PetscInt), m->n_tet, m->tet));
  if (d) PetscCall(PetscFree(d->tet));
  PetscCall(PetscMalloc1((size_t)m->n_tet, &m->region));
  PetscCall(
    wring_deal_rows(m->comm, p->tet_start, p->tet_order, d ? d->region : NULL, sizeof(PetscInt), m->n_tet, m->region));
  PetscCall(PetscMalloc1((size_t)m->n_tet, &m->tet_original));
  PetscCall(PetscMalloc1((size_t)m->n_tet, &number));
  PetscCall(wring_deal_rows(m->comm, p->tet_start, NULL, p->tet_order, sizeof(PetscInt), m->n_tet, number));
  for (PetscInt e = 0; e < m->n_tet; e++) m->tet_original[e] = number[e];
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank q owns the vertices [start[q], start[q + 1]) of a set, because their global numbers ascend. */
static void split_set(const plan *p, PetscInt n, const PetscInt *vertex, PetscInt *start, PetscInt *count)
{
  PetscInt i = 0;
  for (PetscMPIInt q = 0; q < p->size; q++) {
    start[q] = i;
    while (i < n && vertex[i] < p->vertex_start[q + 1]) i++;
    count[q] = i - start[q];
  }
  start[p->size] = i;
}

static PetscErrorCode deal_set(const plan *p, const wring_mesh_data *d, PetscInt s, wring_mesh *m)
{
  const PetscInt *vertex = d ? d->set_vertex + d->set_start[s] : NULL;
  PetscInt       *start = NULL, *count = NULL;

  PetscFunctionBegin;
  if (d) {
    PetscCall(PetscMalloc2((size_t)p->size + 1, &start, (size_t)p->size, &count));
    split_set(p, d->set_start[s + 1] - d->set_start[s], vertex, start, count);
  }
  PetscCallMPI(MPI_Scatter(count, 1, MPIU_INT, &m->set_count[s], 1, MPIU_INT, 0, m->comm));
  PetscCall(PetscMalloc1((size_t)m->set_count[s], &m->set_vertex[s]));
  PetscCall(wring_deal_rows(m->comm, start, NULL, vertex, sizeof(PetscInt), m->set_count[s], m->set_vertex[s]));
  for (PetscInt i = 0; i < m->set_count[s]; i++) m->set_vertex[s][i] -= m->begin;
  PetscCall(PetscFree2(start, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode deal_sets(const plan *p, const wring_mesh_data *d, wring_mesh *m)
{
  PetscFunctionBegin;
  if (d) {
    PetscCall(wring_names_copy(&d->regions, &m->regions));
    PetscCall(wring_names_copy(&d->sets, &m->sets));
  }
  PetscCall(wring_names_broadcast(m->comm, &m->regions));
  PetscCall(wring_names_broadcast(m->comm, &m->sets));
  PetscCall(PetscCalloc1((size_t)m->sets.n, &m->set_vertex));
  PetscCall(PetscCalloc1((size_t)m->sets.n, &m->set_count));
  for (PetscInt s = 0; s < m->sets.n; s++) PetscCall(deal_set(p, d, s, m));
  PetscCall(PetscMalloc1(4 * (size_t)m->n_set_element, &m->set_element));
  PetscCall(wring_deal_rows(m->comm, p->element_start, p->element_order, d ? d->set_element : NULL,
                            4 * sizeof(PetscInt), m->n_set_element, m->set_element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* Replaces the rows of all ranks by the whole table on rank 0, NULL elsewhere. */
static PetscErrorCode collect(MPI_Comm comm, PetscInt *n, size_t width, void *value)
{
  void *all;

  PetscFunctionBegin;
  PetscCall(wring_collect_rows(comm, *n, *(void **)value, width, n, &all));
  PetscCall(PetscFree(*(void **)value));
  *(void **)value = all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The members of the whole sets ascend, because the blocks of vertices do. */
static PetscErrorCode collect_sets(MPI_Comm comm, PetscInt n_set, wring_mesh_data *d)
{
  PetscInt **member, *count, all = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n_set, &member, (size_t)n_set, &count));
  for (PetscInt s = 0; s < n_set; s++) {
    const PetscInt first = d->set_start ? d->set_start[s] : 0, n = d->set_start ? d->set_start[s + 1] - first : 0;
    PetscCall(wring_collect_rows(comm, n, d->set_vertex + first, sizeof(PetscInt), &count[s], &member[s]));
    all += count[s];
  }
  PetscCall(PetscFree(d->set_start));
  PetscCall(PetscFree(d->set_vertex));
  PetscCall(PetscMalloc1((size_t)n_set + 1, &d->set_start));
  PetscCall(PetscMalloc1((size_t)all, &d->set_vertex));
  d->set_start[0] = 0;
  for (PetscInt s = 0; s < n_set; s++) {
    d->set_start[s + 1] = d->set_start[s] + count[s];
    PetscCall(PetscArraycpy(d->set_vertex + d->set_start[s], member[s], count[s]));
    PetscCall(PetscFree(member[s]));
  }
  PetscCall(PetscFree2(member, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole mesh on rank 0, NULL elsewhere. */
static PetscErrorCode collect_slices(MPI_Comm comm, wring_mesh_data **data)
{
  PetscMPIInt rank, size;
  PetscInt    n_set, n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (!*data) PetscCall(PetscNew(data));
  wring_mesh_data *const d = *data;
  n_set                    = d->sets.n;
  PetscCallMPI(MPI_Bcast(&n_set, 1, MPIU_INT, 0, comm));
  n = d->n_tet;
  PetscCall(collect(comm, &n, sizeof *d->region, &d->region));
  PetscCall(collect(comm, &d->n_vertex, 3 * sizeof *d->X, &d->X));
  PetscCall(collect(comm, &d->n_tet, 4 * sizeof *d->tet, &d->tet));
  PetscCall(collect(comm, &d->n_set_element, 4 * sizeof *d->set_element, &d->set_element));
  PetscCall(collect_sets(comm, n_set, d));
  if (rank) PetscCall(wring_mesh_data_destroy(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_distribute(MPI_Comm comm, wring_mesh_data **data, wring_mesh **mesh)
{
  wring_mesh_data *d = NULL;
  wring_mesh      *m;
  PetscMPIInt      rank;
  plan             p = {0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &p.size));
  PetscCall(PetscNew(&m));
  *mesh   = m;
  m->comm = comm;
  PetscCall(collect_slices(comm, data));
  if (rank == 0) {
    d = *data;
    PetscCall(make_plan(d, &p));
    PetscCall(renumber(&p, d));
  }
  PetscCall(deal_counts(&p, d, m));
  PetscCall(deal_vertices(&p, d, m));
  PetscCall(deal_tets(&p, d, m));
  PetscCall(deal_sets(&p, d, m));
  PetscCall(destroy_plan(&p));
  if (rank == 0) PetscCall(wring_mesh_data_destroy(data));
  PetscCallMPI(MPI_Type_contiguous(3, MPI_DOUBLE, &m->vector));
  PetscCallMPI(MPI_Type_commit(&m->vector));
  PetscCall(wring_mesh_build_natural(m));
  PetscCall(wring_mesh_join(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_destroy(wring_mesh **mesh)
{
  wring_mesh *m = *mesh;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt s = 0; s < m->sets.n; s++) PetscCall(PetscFree(m->set_vertex[s]));
  PetscCall(PetscFree(m->set_vertex));
  PetscCall(PetscFree(m->set_count));
  PetscCall(PetscFree(m->set_element));
  PetscCall(wring_names_clear(&m->sets));
  PetscCall(wring_names_clear(&m->regions));
  PetscCall(PetscFree(m->tet_original));
  PetscCall(PetscFree(m->region));
  PetscCall(PetscFree(m->tet));
  PetscCall(PetscFree(m->X));
  PetscCall(PetscFree(m->original));
  PetscCall(PetscFree(m->by_original));
  PetscCall(PetscFree(m->global));
  PetscCall(PetscSFDestroy(&m->halo));
  PetscCall(PetscSFDestroy(&m->coordinates));
  PetscCall(PetscSFDestroy(&m->natural));
  PetscCallMPI(MPI_Type_free(&m->vector));
  PetscCall(PetscFree(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
