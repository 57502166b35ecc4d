#include "data.h"
#include "deal.h"
#include "order.h"
#include <stdlib.h>

static PetscErrorCode gather_vertices(const wring_mesh *m, PetscInt **original, wring_mesh_data *d)
{
  PetscInt n;
  double  *X;

  PetscFunctionBegin;
  PetscCall(wring_collect_rows(m->comm, m->n_owned, m->original, sizeof(PetscInt), &n, original));
  PetscCall(wring_collect_rows(m->comm, m->n_owned, m->X, 3 * sizeof(double), &n, &X));
  for (PetscInt i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) d->X[3 * (*original)[i] + c] = X[3 * i + c];
  PetscCall(PetscFree(X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather_tets(const wring_mesh *m, wring_mesh_data *d)
{
  PetscInt    n, *tet, *region, *mine;
  PetscInt64 *number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)m->n_tet, &mine));
  for (size_t i = 0; i < 4 * (size_t)m->n_tet; i++) mine[i] = m->original[m->tet[i]];
  PetscCall(wring_collect_rows(m->comm, m->n_tet, mine, 4 * sizeof(PetscInt), &n, &tet));
  PetscCall(PetscFree(mine));
  PetscCall(wring_collect_rows(m->comm, m->n_tet, m->tet_original, sizeof(PetscInt64), &n, &number));
  PetscCall(wring_collect_rows(m->comm, m->n_tet, m->region, sizeof(PetscInt), &n, &region));
  for (PetscInt e = 0; e < n; e++) {
    PetscCall(PetscArraycpy(d->tet + 4 * number[e], tet + 4 * e, 4));
    d->region[number[e]] = region[e];
  }
  PetscCall(PetscFree(tet));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(region));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* original [n_vertex]: of every global number. */
static PetscErrorCode gather_sets(const wring_mesh *m, const PetscInt *original, wring_mesh_data *d)
{
  PetscInt n, *global, *mine;

  PetscFunctionBegin;
  if (d) PetscCall(PetscCalloc1((size_t)m->sets.n + 1, &d->set_start));
  for (PetscInt s = 0; s < m->sets.n; s++) {
    PetscCall(PetscMalloc1((size_t)m->set_count[s], &mine));
    for (PetscInt i = 0; i < m->set_count[s]; i++) mine[i] = m->begin + m->set_vertex[s][i];
    PetscCall(wring_collect_rows(m->comm, m->set_count[s], mine, sizeof(PetscInt), &n, &global));
    PetscCall(PetscFree(mine));
    if (!d) continue;
    for (PetscInt i = 0; i < n; i++) global[i] = original[global[i]];
    PetscCall(wring_sort_ints(n, global));
    d->set_start[s + 1] = d->set_start[s] + n;
    PetscCall(PetscRealloc((size_t)d->set_start[s + 1] * sizeof *d->set_vertex, &d->set_vertex));
    PetscCall(PetscArraycpy(d->set_vertex + d->set_start[s], global, n));
    PetscCall(PetscFree(global));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_rows(const void *a, const void *b)
{
  const PetscInt *const x = a, *const y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* Sorted: in an order that does not depend on the partition. */
static PetscErrorCode gather_set_elements(const wring_mesh *m, wring_mesh_data *d)
{
  PetscInt n, *row = NULL;

  PetscFunctionBegin;
  PetscCall(wring_collect_rows(m->comm, m->n_set_element, m->set_element, 4 * sizeof(PetscInt), &n, &row));
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  qsort(row, (size_t)n, 4 * sizeof *row, compare_rows);
  d->n_set_element = n;
  d->set_element   = row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_gather(const wring_mesh *m, wring_mesh_data **data)
{
  PetscInt   *original = NULL;
  PetscMPIInt rank;

  PetscFunctionBegin;
  *data = NULL;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  if (rank == 0) {
    PetscCall(wring_mesh_data_create(m->n_global, (PetscInt)m->n_tet_global, data));
    PetscCall(wring_names_copy(&m->regions, &(*data)->regions));
    PetscCall(wring_names_copy(&m->sets, &(*data)->sets));
  }
  PetscCall(gather_vertices(m, &original, *data));
  PetscCall(gather_tets(m, *data));
  PetscCall(gather_sets(m, original, *data));
  PetscCall(gather_set_elements(m, *data));
  PetscCall(PetscFree(original));
  PetscFunctionReturn(PETSC_SUCCESS);
}
