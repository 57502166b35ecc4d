#include "hosts.h"

PetscErrorCode wring_hosts_split(MPI_Comm comm, PetscMPIInt each, MPI_Comm *host)
{
  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  if (each > 0)
    PetscCallMPI(MPI_Comm_split(comm, rank / each, rank, host));
  else
    PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_hosts_find(MPI_Comm comm, PetscMPIInt each, wring_hosts *h)
{
  MPI_Comm    node;
  PetscMPIInt leader = wring_comm_rank(comm);

  PetscFunctionBegin;
  PetscCall(wring_hosts_split(comm, each, &node));
  PetscCallMPI(MPI_Comm_rank(node, &h->rank));
  PetscCallMPI(MPI_Comm_size(node, &h->first));
  PetscCallMPI(MPI_Bcast(&leader, 1, MPI_INT, 0, node));
  PetscCallMPI(MPI_Comm_free(&node));
  h->with_first = (PetscBool)(leader == 0);
  h->n          = h->rank == 0;
  PetscCallMPI(MPI_Bcast(&h->first, 1, MPI_INT, 0, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &h->n, 1, MPI_INT, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
