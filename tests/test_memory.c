/* ranks: 1 */
/*
  Freed memory returns to the system. Fails if a library that is loaded with PETSc forbids it, as SuperLU_DIST does in
  Debian 12, and wring_memory_return_freed is not called or does not undo that.
*/
#include "check.h"

#if defined(__has_feature)
  #define HAS_FEATURE(x) __has_feature(x)
#else
  #define HAS_FEATURE(x) 0
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !HAS_FEATURE(address_sanitizer)

/* Large blocks between small ones that stay. */
static PetscErrorCode check_blocks(void)
{
  enum { N = 64, LARGE = 1 << 20, SMALL = 1 << 10 };
  const double all = (double)N * LARGE, before = wring_resident_memory();
  char        *large[N], *small[N];

  PetscFunctionBegin;
  for (int i = 0; i < N; i++) {
    PetscCall(PetscMalloc1(LARGE, &large[i]));
    PetscCall(PetscMalloc1(SMALL, &small[i]));
    memset(large[i], 1, LARGE);
    memset(small[i], 1, SMALL);
  }
  CHECK(wring_resident_memory() - before > 0.9 * all, "%g bytes more of %g", wring_resident_memory() - before, all);
  for (int i = 0; i < N; i++) PetscCall(PetscFree(large[i]));
  CHECK(wring_resident_memory() - before < 0.1 * all, "%g bytes of %g remain", wring_resident_memory() - before, all);
  for (int i = 0; i < N; i++) PetscCall(PetscFree(small[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  wring_memory_return_freed();
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check_blocks());
  return PetscFinalize();
}

#else

int main(void)
{
  puts("skipped: needs glibc's allocator");
  return TEST_SKIPPED;
}

#endif
