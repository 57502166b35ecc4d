/*
  Private to src/operator: treatment of subnormal numbers as zero. Solutions that decay over many vertices become
  subnormal, and some processors take a hundred times as long for an operation on such numbers. Nothing is changed if
  the processor has no such mode.
*/
#pragma once
#include <wring/base.h>
#if defined(__SSE__)
  #include <xmmintrin.h>
#endif

/* For the calling thread: subnormal results and operands become zero from now on. Returns the argument for restore. */
static inline unsigned wring_subnormal_flush(void)
{
#if defined(__SSE__)
  const unsigned old = _mm_getcsr();
  _mm_setcsr(old | 0x8040u); // flush-to-zero for results, denormals-are-zero for operands
  return old;
#else
  return 0;
#endif
}

static inline void wring_subnormal_restore(unsigned old)
{
#if defined(__SSE__)
  _mm_setcsr(old);
#else
  (void)old;
#endif
}

/*
  The same for all threads of a parallel region, or for the calling thread alone where loops are too short to be shared.
  Restore gives all threads the mode that the calling thread had; the calling thread first, as libomp gives it back the
  mode with which it entered a parallel region when it leaves that region.
*/
static inline unsigned wring_subnormal_flush_all(PetscBool threaded)
{
  const unsigned old = wring_subnormal_flush();
#pragma omp parallel if (threaded)
  wring_subnormal_flush();
  return old;
}

static inline void wring_subnormal_restore_all(unsigned old, PetscBool threaded)
{
  wring_subnormal_restore(old);
#pragma omp parallel if (threaded)
  wring_subnormal_restore(old);
}
