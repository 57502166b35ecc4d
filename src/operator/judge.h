/*
  Private to the library: the outcome of a solve by PETSc. A KSPSolve whose solution is used as that of a system is
  followed by wring_solve_judge: after a failed factorisation PETSc itself fills the solution with Inf and continues.
  Inside a preconditioner (schwarz.c) the iteration around it is judged; solver/common/condition.c uses no solution.
*/
#pragma once
#include <petscksp.h>
#include <wring/operator.h>

typedef enum {
  WRING_SOLVE_REACHED,    // the tolerance or the requested number of iterations; always for a factor
  WRING_SOLVE_SHORT,      // max_it reached, or no progress: x is the last iterate
  WRING_SOLVE_SINGULAR,   // zero pivot, or a matrix or preconditioner that is not positive definite: x is not usable
  WRING_SOLVE_NOT_FINITE, // Inf or NaN in the iteration: x is not usable
} wring_solve_end;

/*
  Reports the outcome of the last KSPSolve of ksp. If a factor ran out of memory or its library failed, this is refused
  here in one line that begins with `who` ("operator", "solver 'newton'"), because no caller can continue. Collective.
*/
PetscErrorCode wring_solve_judge(KSP ksp, const char *who, wring_solve_end *end);

/*
  The negative pivots of ksp's factor, which MUMPS counts in a symmetric factor, except for those of a last front that
  all ranks share: ICNTL(13) = 1 excludes that. 0 for other libraries, which fail at the first. Collective.
*/
PetscErrorCode wring_solve_negative_pivots(KSP ksp, PetscInt *n);

/* The same for a factor without a KSP, after its numerical factorisation: REACHED or SINGULAR. Collective. */
PetscErrorCode wring_factor_judge(Mat F, const char *who, wring_solve_end *end);

/*
  Counts exchanges and reductions of the last KSPSolve of ksp as those of conjugate gradients, none for a factor alone.
  *products: with the matrix, which the caller counts. Not collective.
*/
PetscErrorCode wring_solve_count(KSP ksp, wring_phases *p, PetscInt64 *products);
