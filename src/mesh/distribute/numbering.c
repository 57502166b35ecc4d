/* Original numbers: look-up, rows of tables sent to the owners, members of sets. */
#include "base/sort.h"
#include "slices.h"
#include "halo.h"

/* Owners write global numbers into slices by original number, from which all ranks read. */
PetscErrorCode wring_mesh_find_globals(const wring_mesh *m, PetscInt n, const PetscInt *original, PetscInt *global)
{
  PetscInt    n_slice, *slice;
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->forest.natural, &n_slice, NULL, NULL, NULL));
  PetscCall(PetscMalloc1((size_t)n_slice, &slice));
  PetscCall(PetscSFReduceBegin(m->forest.natural, MPIU_INT, m->number.global, slice, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(m->forest.natural, MPIU_INT, m->number.global, slice, MPI_REPLACE));
  PetscCall(PetscLayoutCreateFromSizes(m->comm, n_slice, m->number.n_global, 1, &layout));
  PetscCall(wring_slices_fetch(layout, n, original, sizeof *slice, slice, global));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(PetscFree(slice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_mesh_local(const wring_mesh *m, PetscInt original)
{
  PetscInt first = 0, last = m->n_local;
  while (first < last) {
    const PetscInt middle = first + (last - first) / 2, v = m->number.by_original[middle];
    if (m->number.original[v] == original) return v;
    if (m->number.original[v] < original)
      first = middle + 1;
    else
      last = middle;
  }
  return -1;
}

/* number [n], original ones on any rank, become the ranks that own these vertices. */
static PetscErrorCode find_owners(const wring_mesh *m, PetscInt n, PetscInt *number)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(wring_mesh_find_globals(m, n, number, number));
  PetscCall(PetscLayoutCreateFromSizes(m->comm, m->n_owned, m->number.n_global, 1, &layout));
  PetscCall(wring_slices_find_owners(layout, n, number));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_route_rows(const wring_mesh *m, PetscInt n_row, int width, const double *row,
                                     PetscInt *n_mine, double **mine)
{
  const size_t n = wring_comm_rank(m->comm) ? 0 : (size_t)n_row, w = (size_t)width;
  PetscInt    *order, *owner;
  uint64_t    *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &owner));
  for (size_t i = 0; i < n; i++) owner[i] = (PetscInt)row[i * w];
  PetscCall(find_owners(m, (PetscInt)n, owner));
  PetscCall(wring_exchange_rows(m->comm, (PetscInt)n, owner, w * sizeof *row, row, n_mine, mine));
  PetscCall(PetscFree(owner));
  PetscCall(PetscMalloc2((size_t)*n_mine, &key, (size_t)*n_mine, &order));
  for (size_t i = 0; i < (size_t)*n_mine; i++) key[i] = (uint64_t)(*mine)[i * w];
  PetscCall(wring_order_keys(*n_mine, key, order));
  PetscCall(wring_permute_rows(*n_mine, order, w * sizeof *row, mine));
  PetscCall(PetscFree2(key, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_send_to_owners(const wring_mesh *m, PetscInt n, int width, int column, const PetscInt *row,
                                         PetscInt *n_got, PetscInt **got)
{
  const size_t bytes = (size_t)width * sizeof *row;
  PetscInt    *owner;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &owner));
  for (PetscInt i = 0; i < n; i++) owner[i] = row[(size_t)i * (size_t)width + (size_t)column];
  PetscCall(find_owners(m, n, owner));
  PetscCall(wring_exchange_rows(m->comm, n, owner, bytes, row, n_got, got));
  PetscCall(PetscFree(owner));
  PetscCall(wring_sort_rows(*n_got, width, bytes, *got, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_fill_sets(wring_mesh *m, PetscInt n, const PetscInt *member)
{
  PetscInt *row, n_row = 0;

  PetscFunctionBegin;
  PetscCall(wring_mesh_send_to_owners(m, n, 2, 1, member, &n_row, &row));
  for (PetscInt s = 0, i = 0; s < m->set.names.n; s++) {
    const PetscInt first = i;
    while (i < n_row && row[2 * (size_t)i] == s) i++;
    m->set.count[s] = i - first;
    PetscCall(PetscRealloc((size_t)m->set.count[s] * sizeof *row, &m->set.vertex[s]));
    for (PetscInt k = first; k < i; k++) m->set.vertex[s][k - first] = wring_mesh_local(m, row[2 * (size_t)k + 1]);
    PetscCall(wring_sort_unique(&m->set.count[s], m->set.vertex[s]));
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}
