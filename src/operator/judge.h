/*
  Private to the library: how a solve by PETSc ended. Every KSPSolve of the library is followed by wring_solve_judge:
  PETSc itself fills the solution with Inf where a factor has failed, and goes on.
*/
#pragma once
#include <petscksp.h>
#include <wring/operator.h>

typedef enum {
  WRING_SOLVE_REACHED,    // the tolerance, or the number of steps asked for; a factor's solve
  WRING_SOLVE_SHORT,      // out of iterations, or no progress: x is the last iterate
  WRING_SOLVE_SINGULAR,   // zero pivot, or a matrix or preconditioner that is not positive definite: x is of no use
  WRING_SOLVE_NOT_FINITE, // Inf or NaN on the way: x is of no use
} wring_solve_end;

/*
  Reports the end of the last KSPSolve of ksp. A factor that ran out of memory, or whose library failed, is refused here
  in one line that begins with `who` ("operator", "solver 'newton'"): no caller can go on. Collective.
*/
PetscErrorCode wring_solve_judge(KSP ksp, const char *who, wring_solve_end *end);

/* The same for a factor without a KSP, after its numerical factorisation: reached, or singular. Collective. */
PetscErrorCode wring_factor_judge(Mat F, const char *who, wring_solve_end *end);
