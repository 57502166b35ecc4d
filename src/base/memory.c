#define _POSIX_C_SOURCE 200809L
#include <wring/base.h>
#include <stdlib.h>
#include <string.h>

PetscErrorCode wring_blocks_create(size_t n, double **p)
{
  void *memory = NULL;

  PetscFunctionBegin;
  const size_t bytes = PetscMax(n, 1) * sizeof(double);
  PetscCheck(!posix_memalign(&memory, 64, bytes), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for %zu bytes", bytes);
  memset(memory, 0, bytes);
  *p = memory;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_blocks_destroy(double **p)
{
  free(*p);
  *p = NULL;
}
