/* The slices of a mesh as one whole mesh on rank 0, for files that one rank writes. */
#include "base/count.h"
#include "base/exchange.h"
#include "mesh/data.h"

/* The members of the whole sets ascend, because the blocks of vertices do. */
static PetscErrorCode collect_sets(MPI_Comm comm, wring_mesh_data *d)
{
  const PetscInt n_set = d->sets.n;
  PetscInt     **member, *count, all = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n_set, &member, (size_t)n_set, &count));
  for (PetscInt s = 0; s < n_set; s++) {
    count[s] = d->set_start[s + 1] - d->set_start[s];
    PetscCall(PetscMalloc1((size_t)count[s], &member[s]));
    PetscCall(PetscArraycpy(member[s], d->set_vertex + d->set_start[s], count[s]));
    PetscCall(wring_exchange_collect(comm, &count[s], sizeof(PetscInt), &member[s]));
    all += count[s];
  }
  PetscCall(PetscFree(d->set_vertex));
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

PetscErrorCode wring_mesh_collect(MPI_Comm comm, wring_mesh_data **data)
{
  wring_mesh_data *const d      = *data;
  PetscInt64             sum[3] = {d->n_vertex, d->n_tet, d->n_set_element};
  PetscMPIInt            rank, size;
  PetscInt               n     = d->n_tet;
  wring_error            error = {""};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_INT64, MPI_SUM, comm));
  if (wring_mesh_data_fits("the mesh on one rank", sum[0], sum[1], &error))
    wring_count_fits(sum[2], 4, "the mesh on one rank", "lines and triangles of sets", &error);
  PetscCall(wring_error_raise(comm, &error));
  PetscCall(wring_exchange_collect(comm, &n, sizeof *d->region, &d->region));
  PetscCall(wring_exchange_collect(comm, &d->n_vertex, 3 * sizeof *d->X, &d->X));
  PetscCall(wring_exchange_collect(comm, &d->n_tet, 4 * sizeof *d->tet, &d->tet));
  PetscCall(wring_exchange_collect(comm, &d->n_set_element, 4 * sizeof *d->set_element, &d->set_element));
  PetscCall(collect_sets(comm, d));
  if (rank) PetscCall(wring_mesh_data_destroy(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
