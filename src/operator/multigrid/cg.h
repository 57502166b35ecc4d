/*
  Conjugate gradients on three right-hand sides that share every pass over the matrix, each with coefficients of its
  own, with the cycle as preconditioner and one reduction an iteration. docs/theory.md (4.13)-(4.18)
*/
#pragma once
#include "cycle.h"
#include <wring/operator.h>

/* Vectors of the iteration, kept between solves. */
typedef struct {
  PetscInt     n, n_ghost;
  double      *r, *p, *s, *w; // [n][3]
  double      *ghost;         // [n_ghost][3] of p
  MPI_Datatype vertex;        // 3 doubles
  double      *part; // [n_part] room for partial sums of the dots with the solution, as many as were ever asked for
  size_t       n_part;
} wring_cg;

PetscErrorCode wring_cg_create(const wring_cycle *c, wring_cg **g);
PetscErrorCode wring_cg_destroy(wring_cg **g);
double         wring_cg_memory(const wring_cg *g); // bytes, this rank

/*
  What a solve from zero is given: |b|, about, 0 where it is not known; dots with x to find; *brought: they are found.
*/
typedef struct {
  double                     size;
  const wring_operator_dots *d;
  PetscBool                 *brought;
} wring_cg_zero;

/*
  A x = b, b and x [n][3], to |b - A x| <= rtol |b| for each component, in at most max_it iterations. x holds the first
  guess, unless `zero` is given (else NULL). A is the matrix of c's finest level. *reached PETSC_FALSE: out of
  iterations, or at what double precision can reach. Refuses what is not positive definite or not finite. Subnormal
  numbers are flushed to zero. Collective.
*/
PetscErrorCode wring_cg_solve(wring_cg *g, wring_cycle *c, Mat A, double rtol, PetscInt max_it, const double *b,
                              double *x, const wring_cg_zero *zero, PetscInt *iterations, PetscBool *reached);
