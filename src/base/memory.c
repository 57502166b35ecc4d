#define _POSIX_C_SOURCE 200809L
#include <wring/base.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

PetscErrorCode wring_blocks_create(size_t n, double **p)
{
  void *memory = NULL;

  PetscFunctionBegin;
  const size_t bytes = PetscMax(n, 1) * sizeof(double);
  PetscCheck(!posix_memalign(&memory, 64, bytes), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for %zu bytes", bytes);
  const PetscInt64 pages = (PetscInt64)((bytes + PAGE - 1) / PAGE);
#pragma omp parallel for schedule(static) if (pages > 64)
  for (PetscInt64 i = 0; i < pages; i++) {
    const size_t begin = (size_t)i * PAGE;
    memset((char *)memory + begin, 0, bytes - begin < PAGE ? bytes - begin : PAGE);
  }
  *p = memory;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_blocks_destroy(double **p)
{
  free(*p);
  *p = NULL;
}
