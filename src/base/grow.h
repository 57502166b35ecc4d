/* Private to the library: tables that grow. */
#pragma once
#include <wring/base.h>

/* Reallocates *table for at least `needed` rows, doubling its size; the caller checks counts that come from a file. */
static inline PetscErrorCode wring_grow(PetscInt64 needed, PetscInt *room, size_t bytes, void *table)
{
  PetscFunctionBegin;
  if (needed <= *room) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(needed <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt64_FMT " entries of a table", needed);
  *room = (PetscInt)PetscMin(PetscMax(needed, 2 * (PetscInt64)*room + 64), PETSC_MAX_INT);
  PetscCall(PetscRealloc((size_t)*room * bytes, (void **)table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
