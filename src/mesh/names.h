/*
  Private to src/mesh: extending and broadcasting wring_names. Names are copied; [n] entries, allocated by PetscMalloc.
*/
#pragma once
#include <wring/mesh.h>

PetscErrorCode wring_names_add(wring_names *names, const char *name, size_t length); // the new name has number names->n
PetscErrorCode wring_names_copy(const wring_names *from, wring_names *to);           // to: zero on input
PetscErrorCode wring_names_clear(wring_names *names);

/* From rank 0 to the others, whose names are replaced. Collective. */
PetscErrorCode wring_names_broadcast(MPI_Comm comm, wring_names *names);
