/* Private to src/mesh: growing and sending wring_names. Names are copied; [n] entries, allocated by PetscMalloc. */
#pragma once
#include <wring/mesh.h>

PetscErrorCode wring_names_add(wring_names *names, const char *name, size_t length); // the new one gets number names->n
PetscErrorCode wring_names_copy(const wring_names *from, wring_names *to);           // to: zero before
PetscErrorCode wring_names_clear(wring_names *names);

/* From rank 0 to the others, where names is zero before. Collective. */
PetscErrorCode wring_names_broadcast(MPI_Comm comm, wring_names *names);
