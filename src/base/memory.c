#define _POSIX_C_SOURCE 200809L
#include <wring/base.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
  #include <malloc.h>
#endif

enum { PAGE = 4096 };

/*
  SuperLU_DIST, which PETSc may load, sets M_MMAP_MAX to 0 and M_TRIM_THRESHOLD to -1 when it is loaded, so that no
  memory would ever return to the system: the temporary tables of a set-up would count until the end of a run.
*/
void wring_memory_return_freed(void)
{
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 1 << 16);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 24);
#endif
}

void wring_memory_trim(void)
{
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

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
