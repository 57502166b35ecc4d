/* Private to src/term: a pass over the elements of a term, the one loop of evaluations and splittings. */
#pragma once
#include "term_impl.h"

/* The forces of a chunk, x and f private [vertices][4], and its sums. */
typedef void wring_chunk(const wring_term *t, PetscInt c, const double *x, double *f, double *sum);

/* Of the metric of masses: M_e (p_e - x_e) and |p_e - x_e|_M^2/2; the number of elements (mass.c). */
wring_chunk wring_mass_chunk, wring_count_chunk;

/*
  What a pass does with a block: from its z [3 q][WRING_LANES], p, of which the pass adds w G^T p to the forces, and
  sums over its lanes, which are added to sum [n_sum]. Weights of padded lanes are 0. Work that is no map of z does
  whole chunks.
*/
typedef struct {
  wring_chunk *chunk; // or NULL: map
  void (*map)(const wring_term *t, void *context, PetscInt block, wring_in z, double *sum, wring_out p);
  void     *context;
  PetscBool forces;  // false: p is not used, f may be NULL
  int       n_sum;   // at most WRING_MAX_SUMS
  double   *partial; // [n_sum][n_chunk] sums of the chunks
} wring_pass;

enum { WRING_MAX_SUMS = 2 };

/* Sum of w a over lanes in one order; padded lanes do not count even where a is infinite. */
static inline double wring_weighted_sum(const double *restrict w, const double *restrict a)
{
  double e[WRING_LANES];
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) e[l] = w[l] > 0 ? w[l] * a[l] : 0;
  return ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
}

/* Chunks whose elements touch owned vertices only; then, with ghosts of x, the others; then what chunks share. */
void wring_pass_interior(wring_term *t, const wring_pass *pass, const double *x, double *f);
void wring_pass_boundary(wring_term *t, const wring_pass *pass, const double *x, double *f);
void wring_pass_finish(wring_term *t, const wring_pass *pass, double *f, double *sum); // sum [n_sum] of both
