/*
  Conjugate gradients for three right-hand sides that share every pass over the matrix; each has its own coefficients.
  The preconditioner is the cycle; there is one reduction per iteration. docs/theory.md (4.13)-(4.18)
*/
#pragma once
#include "operator/multigrid/cycle.h"
#include "operator/operator_impl.h"

/* Vectors of the iteration, kept between solves. */
typedef struct {
  wring_phases  *phases; // borrowed, NULL: work is not counted
  PetscInt       n, n_ghost;
  double        *r, *p, *s, *w;     // [n][3]
  double        *ghost_r, *ghost_s; // [n_ghost][3] of r and s, which follow the same recurrences as on their owners
  wring_messages fetch;             // fills ghosts of r, w or p
  double        *part;              // [n_part] partial sums of the dot products with the solution; grows as needed
  size_t         n_part;
} wring_cg;

PetscErrorCode wring_cg_create(const wring_cycle *c, wring_cg **g); // borrows c. Collective.
PetscErrorCode wring_cg_destroy(wring_cg **g);
double         wring_cg_memory(const wring_cg *g); // bytes, this rank

/*
  Solves A x = b, b and x [n][3], to |b - A x| <= rtol |b| for each component, in at most max_it iterations. x holds the
  initial guess, unless `zero` is given (else NULL). A is the matrix of c's finest level. *reached PETSC_FALSE: max_it
  iterations, or the limit of double precision. Refuses a matrix that is not positive definite and numbers that are not
  finite. Subnormal numbers are flushed to zero. Collective.
*/
PetscErrorCode wring_cg_solve(wring_cg *g, wring_cycle *c, Mat A, double rtol, PetscInt max_it, const double *b,
                              double *x, const wring_operator_zero *zero, PetscInt *iterations, PetscBool *reached);
