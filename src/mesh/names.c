#include "data.h"
#include <string.h>

PetscInt wring_names_find(const wring_names *names, const char *name)
{
  for (PetscInt i = 0; i < names->n; i++)
    if (!wring_ascii_compare(names->name[i], name)) return i;
  return -1;
}

PetscErrorCode wring_names_add(wring_names *names, const char *name, size_t length)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(names->n + 1) * sizeof *names->name, &names->name));
  PetscCall(PetscMalloc1(length + 1, &names->name[names->n]));
  PetscCall(PetscArraycpy(names->name[names->n], name, length));
  names->name[names->n++][length] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_names_copy(const wring_names *from, wring_names *to)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < from->n; i++) PetscCall(wring_names_add(to, from->name[i], strlen(from->name[i])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_names_clear(wring_names *names)
{
  PetscFunctionBegin;
  PetscCall(wring_words_destroy(names->n, &names->name));
  names->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_names_broadcast(MPI_Comm comm, wring_names *names)
{
  PetscInt n = names->n;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  PetscCallMPI(MPI_Bcast(&n, 1, MPIU_INT, 0, comm));
  if (rank) PetscCall(wring_names_clear(names));
  if (rank) PetscCall(PetscMalloc1((size_t)n, &names->name));
  names->n = n;
  for (PetscInt i = 0; i < n; i++) {
    PetscMPIInt bytes = rank ? 0 : (PetscMPIInt)strlen(names->name[i]) + 1;
    PetscCallMPI(MPI_Bcast(&bytes, 1, MPI_INT, 0, comm));
    if (rank) PetscCall(PetscMalloc1((size_t)bytes, &names->name[i]));
    PetscCallMPI(MPI_Bcast(names->name[i], bytes, MPI_CHAR, 0, comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
