/* What tests share: a failed check says where, what and why, and ends the test on every rank. */
#pragma once
#include <wring/base.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                  \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                    \
    }                                                                                                                  \
  } while (0)

enum { TEST_SKIPPED = 77 }; // exit status that ctest reports as "Skipped"

/* A uniform number in (-1, 1) from a counter: the same on every machine, rank and run. */
static inline double test_random(uint64_t *state)
{
  *state += 0x9e3779b97f4a7c15u;
  uint64_t k = *state;
  k          = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
  k          = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
  return (double)((k ^ (k >> 31)) >> 11) / 4503599627370496.0 - 1;
}
