/*
  From slices to a distributed mesh. Tets go from the slices to pieces of a curve, where they are partitioned, and from
  there to their parts; vertices, members of sets and their elements go from the slices to their owners.
*/
#include "distribute.h"
#include "base/sort.h"
#include "slices.h"
#include "halo.h"
#include "mesh/data.h"
#include "order.h"
#include "pieces.h"

/* ---- tets -------------------------------------------------------------------------------------------------------- */

/* The tets of the pieces go to their parts, with original numbers of vertices, and arrive in the order of the curve. */
static PetscErrorCode send_tets(wring_pieces *p, const PetscInt *part, wring_mesh *m)
{
  const PetscInt64 here = p->n;
  wring_exchange   x;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4 * p->n; i++) p->tet[i] = p->vertex[p->tet[i]];
  PetscCallMPI(MPI_Allreduce(&here, &m->tets.n_global, 1, MPIU_INT64, MPI_SUM, m->comm));
  PetscCall(wring_exchange_create(m->comm, p->n, part, &x));
  PetscCall(wring_exchange_move(&x, 4 * sizeof *p->tet, &p->tet));
  PetscCall(wring_exchange_move(&x, sizeof *p->region, &p->region));
  PetscCall(wring_exchange_move(&x, sizeof *p->number, &p->number));
  m->tets.n        = x.n_got;
  m->tets.corner   = p->tet;
  m->tets.region   = p->region;
  m->tets.original = p->number;
  p->tet = p->region = NULL;
  p->number          = NULL;
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m->tets.corner from original to global numbers. */
static PetscErrorCode renumber_tets(wring_mesh *m)
{
  PetscInt *vertex, *global, n;

  PetscFunctionBegin;
  PetscCall(wring_slices_compact(m->tets.n, m->tets.corner, &n, &vertex));
  PetscCall(PetscMalloc1((size_t)n, &global));
  PetscCall(wring_mesh_find_globals(m, n, vertex, global));
  for (PetscInt i = 0; i < 4 * m->tets.n; i++) m->tets.corner[i] = global[m->tets.corner[i]];
  PetscCall(PetscFree(global));
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Interior tets first, by region, in the order of the curve; they are in this order, and have local numbers. */
static PetscErrorCode order_tets(wring_mesh *m)
{
  PetscInt *order, *boundary;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)m->tets.n, &order, (size_t)m->tets.n, &boundary));
  for (PetscInt e = 0; e < m->tets.n; e++) {
    order[e]    = e;
    boundary[e] = 0;
    for (int a = 0; a < 4; a++) boundary[e] |= m->tets.corner[4 * e + a] >= m->n_owned;
  }
  PetscCall(wring_order_tets(m->tets.n, m->regions.n, m->tets.region, boundary, order, &m->tets.n_interior));
  PetscCall(wring_permute_rows(m->tets.n, order, 4 * sizeof *m->tets.corner, &m->tets.corner));
  PetscCall(wring_permute_rows(m->tets.n, order, sizeof *m->tets.region, &m->tets.region));
  PetscCall(wring_permute_rows(m->tets.n, order, sizeof *m->tets.original, &m->tets.original));
  PetscCall(PetscFree2(order, boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices arrive in the order of their numbers, and are put in that of the curve. */
static PetscErrorCode order_vertices(const wring_pieces *p, wring_mesh *m)
{
  uint64_t *key;
  PetscInt *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)m->n_owned, &key, (size_t)m->n_owned, &order));
  wring_hilbert h = wring_hilbert_begin(p->low, p->side, key);
  for (PetscInt v = 0; v < m->n_owned; v++) wring_hilbert_add(&h, m->X + 3 * (size_t)v);
  wring_hilbert_end(&h);
  PetscCall(wring_order_keys(m->n_owned, key, order));
  PetscCall(wring_permute_rows(m->n_owned, order, sizeof *m->number.original, &m->number.original));
  PetscCall(wring_permute_rows(m->n_owned, order, 3 * sizeof *m->X, &m->X));
  PetscCall(PetscFree2(key, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes d->X. */
static PetscErrorCode send_vertices(const wring_pieces *p, const wring_owners *o, wring_mesh_data *d, wring_mesh *m)
{
  const PetscInt first = p->slice->rstart;
  PetscInt      *number, end;
  wring_exchange x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_vertex, &number));
  for (PetscInt v = 0; v < d->n_vertex; v++) number[v] = first + v;
  PetscCall(wring_exchange_create(m->comm, d->n_vertex, o->owner, &x));
  PetscCall(wring_exchange_move(&x, sizeof *number, &number));
  PetscCall(wring_exchange_move(&x, 3 * sizeof *d->X, &d->X));
  m->n_owned         = x.n_got;
  m->number.original = number;
  m->X               = d->X;
  d->X               = NULL;
  PetscCall(wring_exchange_destroy(&x));
  PetscCallMPI(MPI_Scan(&m->n_owned, &end, 1, MPIU_INT, MPI_SUM, m->comm));
  m->number.begin    = end - m->n_owned;
  m->number.n_global = m->number.n_corner = p->slice->N;
  PetscCall(order_vertices(p, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Members of sets go to the owners of their vertices, lines and triangles to those of their first ones. */
static PetscErrorCode send_sets(const wring_mesh_data *d, wring_mesh *m)
{
  const PetscInt n = d->set_start ? d->set_start[d->sets.n] : 0;
  PetscInt      *row;

  PetscFunctionBegin;
  PetscCall(wring_mesh_send_to_owners(m, d->n_set_element, 4, 1, d->set_element, &m->set.n_element, &m->set.element));
  PetscCall(PetscCalloc1((size_t)m->set.names.n, &m->set.vertex));
  PetscCall(PetscCalloc1((size_t)m->set.names.n, &m->set.count));
  PetscCall(PetscMalloc1(2 * (size_t)n, &row));
  for (PetscInt s = 0; n > 0 && s < d->sets.n; s++) {
    for (PetscInt i = d->set_start[s]; i < d->set_start[s + 1]; i++) {
      row[2 * (size_t)i]     = s;
      row[2 * (size_t)i + 1] = d->set_vertex[i];
    }
  }
  PetscCall(wring_mesh_fill_sets(m, n, row));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

/* Tets and vertices of this rank: m->tets.corner has original numbers. */
static PetscErrorCode move(const wring_cut *c, wring_mesh_data *d, wring_mesh *m)
{
  wring_pieces p;
  wring_owners o;
  wring_graph  g;
  PetscInt    *part;

  PetscFunctionBegin;
  PetscCall(wring_pieces_create(m->comm, wring_cut_sections(c->n_part), d, &p));
  PetscCall(wring_pieces_dual(&p, wring_cut_needs_edges(c), &g));
  PetscCall(PetscMalloc1((size_t)p.n, &part));
  PetscCall(wring_graph_cut(&g, c, part));
  PetscCall(wring_graph_destroy(&g));
  PetscCall(wring_owners_create(&p, c->n_part, part, &o));
  PetscCall(send_tets(&p, part, m));
  PetscCall(PetscFree(part));
  PetscCall(send_vertices(&p, &o, d, m));
  PetscCall(wring_owners_destroy(&o));
  PetscCall(wring_pieces_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_distribute_cut(MPI_Comm comm, const wring_cut *c, wring_mesh_data **data, wring_mesh **mesh)
{
  wring_mesh *m;
  wring_error error = {""};

  PetscFunctionBegin;
  if (*data) wring_mesh_data_fits("mesh on one rank", (*data)->n_vertex, (*data)->n_tet, &error);
  PetscCall(wring_error_raise(comm, &error));
  PetscCall(PetscNew(&m));
  *mesh         = m;
  m->comm       = comm;
  m->tets.order = 1;
  if (!*data) PetscCall(PetscNew(data));
  PetscCall(wring_names_copy(&(*data)->regions, &m->regions));
  PetscCall(wring_names_copy(&(*data)->sets, &m->set.names));
  PetscCall(wring_names_broadcast(comm, &m->regions));
  PetscCall(wring_names_broadcast(comm, &m->set.names));
  m->read = (wring_read_order){PetscMax((*data)->order, 1), (*data)->middles};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &m->read.order, 1, MPI_INT, MPI_MAX, comm));
  (*data)->middles = (wring_middles){0};
  PetscCall(move(c, *data, m));
  PetscCallMPI(MPI_Type_contiguous(3, MPI_DOUBLE, &m->forest.vector));
  PetscCallMPI(MPI_Type_commit(&m->forest.vector));
  PetscCall(wring_mesh_build_natural(m));
  PetscCall(renumber_tets(m));
  PetscCall(wring_mesh_join(m));
  PetscCall(order_tets(m));
  PetscCall(send_sets(*data, m));
  PetscCall(wring_mesh_data_destroy(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_distribute(MPI_Comm comm, wring_partitioner partitioner, wring_mesh_data **data,
                                     wring_mesh **m)
{
  const wring_cut c = {.partitioner = partitioner, .n_part = wring_comm_size(comm)};

  PetscFunctionBegin;
  PetscCall(wring_mesh_distribute_cut(comm, &c, data, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_destroy(wring_mesh **mesh)
{
  wring_mesh *m = *mesh;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt s = 0; s < m->set.names.n; s++) PetscCall(PetscFree(m->set.vertex[s]));
  PetscCall(PetscFree(m->set.vertex));
  PetscCall(PetscFree(m->set.count));
  PetscCall(PetscFree(m->set.element));
  PetscCall(PetscFree(m->set.mid));
  PetscCall(wring_middles_clear(&m->read.middles));
  PetscCall(wring_names_clear(&m->set.names));
  PetscCall(wring_names_clear(&m->regions));
  PetscCall(PetscFree(m->tets.original));
  PetscCall(PetscFree(m->tets.region));
  PetscCall(PetscFree(m->tets.corner));
  PetscCall(PetscFree(m->tets.mid));
  PetscCall(PetscFree(m->X));
  PetscCall(PetscFree(m->number.original));
  PetscCall(PetscFree(m->number.by_original));
  PetscCall(PetscFree(m->number.global));
  PetscCall(PetscSFDestroy(&m->forest.halo));
  PetscCall(PetscSFDestroy(&m->forest.coordinates));
  PetscCall(PetscSFDestroy(&m->forest.natural));
  PetscCallMPI(MPI_Type_free(&m->forest.vector));
  PetscCall(PetscFree(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
