/*
  Vectors of vertices [n][3], components fastest. A vertex is read as four numbers, of which the last is ignored: every
  array has one spare number at its end. No read goes beyond the owned part while a message is being received into the
  rest.
*/
#pragma once
#include "base/sort.h"
#include <wring/base.h>
#if defined(__AVX__)
  #include <immintrin.h>
#endif

/*
  Loops and sums run over wring_strips(n) parts of n rows, each processed by one thread: the order of a sum does not
  depend on the number of threads.
*/
enum { WRING_SERIAL_BELOW = 2000 };

/* The threads that compute n rows with work arrays of their own. */
static inline int wring_row_threads(PetscInt n)
{
  return n > WRING_SERIAL_BELOW ? wring_max_threads() : 1;
}

typedef float  wring_float4 __attribute__((vector_size(16)));
typedef double wring_double4 __attribute__((vector_size(32)));
/* In arrays of double. A copy by memcpy becomes two of 16 bytes in gcc 12, which a load of 32 bytes has to wait for. */
typedef wring_double4 wring_double4_stored __attribute__((aligned(sizeof(double)), may_alias));

static inline wring_float4 wring_load_float(const float *x)
{
  wring_float4 v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}

/* Four floats at x as doubles. gcc 12 compiles the generic form to five instructions; AVX has one. */
static inline void wring_widen(const float *x, wring_double4 *v)
{
#if defined(__AVX__)
  *v = (wring_double4)_mm256_cvtps_pd(_mm_loadu_ps(x));
#else
  *v = __builtin_convertvector(wring_load_float(x), wring_double4);
#endif
}

/* Returns through a pointer: the calling convention for vectors of more than 16 bytes depends on AVX. */
static inline void wring_load_double(const double *x, wring_double4 *v)
{
  *v = *(const wring_double4_stored *)x;
}

/* *x: n numbers of `width` bytes and a spare one, all 0, touched first by the threads that will use them. PetscFree. */
PetscErrorCode wring_vec_create(size_t n, size_t width, void *x);

/* Sums of a b and of b b over n vertices, by component, on this rank. */
void wring_float_dots(PetscInt n, const float *a, const float *b, double ab[3], double bb[3]);
