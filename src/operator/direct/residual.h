/* Private to src/operator: b - A x for three right-hand sides [n][3], by the ranks of a team, and norms. */
#pragma once
#include "operator/aij.h"
#include "team.h"

typedef struct {
  double norm[3], largest[3]; // Euclidean norm, largest modulus; NaN if there is one
} wring_size;

/*
  Memory of the team for sums. Two halves are used in turn: a rank may begin the next sum while others still read the
  last.
*/
typedef struct {
  void *memory;
  int   strips; // of each rank
  int   turn;
} wring_residual_sums;

/* The strips of each rank for n rows in all, and the bytes of memory that they need. */
int    wring_sums_strips(const wring_team *t, PetscInt n);
size_t wring_sums_bytes(const wring_team *t, int strips);

/*
  v, b, x, r [n][3] are the same memory on all ranks of the team. b and v must be complete in the rows of this rank, x
  in all rows. On return r is complete, as is everything that any rank has written before. Collective.
*/
void wring_size_of(const wring_team *t, wring_residual_sums *sums, const wring_rows *A, const double *v,
                   wring_size *size);
void wring_residual(const wring_team *t, wring_residual_sums *sums, const wring_rows *A, const double *b,
                    const double *x, double *r, wring_size *size); // r = b - A x
