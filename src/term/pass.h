/* Private to src/term: a pass over the elements of a term, the loop that evaluations and splittings share. */
#pragma once
#include "term_impl.h"

/* The forces of a chunk, x and f private [vertices][4], and its sums. */
typedef void wring_chunk(const wring_term *t, PetscInt c, const double *x, double *f, double *sum);

/* In the metric of masses, M_e (p_e - x_e) and |p_e - x_e|_M^2/2; the number of elements at each vertex (mass.c). */
wring_chunk wring_mass_chunk, wring_count_chunk;

/*
  The work of a pass. From z [3 q][WRING_LANES] of a row, map computes p, of which the pass adds w G^T p to the forces,
  and sums over the lanes of the row, which it adds to sum [n_sum]. Weights of padded lanes are 0. Work that
  is not a map of z processes whole chunks.
*/
typedef struct {
  wring_chunk *chunk; // or NULL: map
  void (*map)(const wring_term *t, void *context, PetscInt row, wring_in z, double *sum, wring_out p);
  void     *context;
  PetscBool forces;  // false: p is not used, f may be NULL
  int       n_sum;   // at most WRING_MAX_SUMS
  double   *partial; // [n_sum][n_chunk] sums of the chunks
} wring_pass;

enum { WRING_MAX_SUMS = 2 };

/* The sum of w a over lanes in a fixed order; padded lanes are skipped, even if a is infinite. */
static inline double wring_weighted_sum(const double *restrict w, const double *restrict a)
{
  double e[WRING_LANES];
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) e[l] = w[l] > 0 ? w[l] * a[l] : 0;
  return ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
}

/*
  Runs the chunks whose elements touch owned vertices only; then, with ghosts of x, the others; then adds what chunks
  share.
*/
void wring_pass_interior(wring_term *t, const wring_pass *pass, const double *x, double *f);
void wring_pass_boundary(wring_term *t, const wring_pass *pass, const double *x, double *f);
void wring_pass_finish(wring_term *t, const wring_pass *pass, double *f, double *sum); // sum [n_sum] of both
