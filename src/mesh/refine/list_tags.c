/* The file's numbers of vertices, by original number. */
#include "refine.h"
#include "base/exchange.h"

typedef struct {
  int64_t vertex, tag;
} tag_row;

/*
  The rows of m->read.middles, with the numbers that wring_mesh_raise would give; *n: the vertices of the raised mesh.
*/
static PetscErrorCode list_middles(wring_mesh *m, tag_row *row, PetscInt *n)
{
  const wring_middles *const t = &m->read.middles;
  wring_refinement           r = {.m = m};
  uint64_t                  *key;
  wring_edge                *found;

  PetscFunctionBegin;
  PetscCall(wring_refine_number_edges(&r));
  PetscCall(PetscMalloc2((size_t)t->n, &key, (size_t)t->n, &found));
  for (PetscInt i = 0; i < t->n; i++)
    key[i] = wring_edge_key(m->number.n_global, t->end[2 * (size_t)i], t->end[2 * (size_t)i + 1]);
  PetscCall(wring_edges_find(&r.edge.all, t->n, key, found));
  for (PetscInt i = 0; i < t->n; i++)
    row[i] = (tag_row){found[i].place < 0 ? -1 : (int64_t)m->number.n_global + found[i].place, t->tag[i]};
  *n = m->number.n_global + (PetscInt)r.edge.all.total;
  PetscCall(PetscFree2(key, found));
  PetscCall(wring_refine_destroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_list_tags(MPI_Comm comm, wring_mesh_data **data, PetscInt *n, int64_t **tag)
{
  const PetscInt corners = (*data)->n_vertex, middles = (*data)->middles.n;
  wring_mesh    *m;
  tag_row       *row;
  PetscInt       n_row = corners + middles, end;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n_row, &row));
  PetscCallMPI(MPI_Scan(&corners, &end, 1, MPIU_INT, MPI_SUM, comm));
  for (PetscInt v = 0, at = end - corners; v < corners; v++, at++)
    row[v] = (tag_row){at, (*data)->tag ? (*data)->tag[v] : at};
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_CURVE, data, &m));
  *n = m->number.n_global;
  if (m->read.order == 2) PetscCall(list_middles(m, row + corners, n));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(wring_exchange_collect(comm, &n_row, sizeof *row, &row));
  *tag = NULL;
  if (wring_comm_rank(comm)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)*n, tag));
  for (PetscInt v = 0; v < *n; v++) (*tag)[v] = -1;
  for (PetscInt i = 0; i < n_row; i++)
    if (row[i].vertex >= 0) (*tag)[row[i].vertex] = row[i].tag;
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}
