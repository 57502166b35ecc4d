/*
  Private to src/solver: a solver's own linear system, with one row per vertex (x, y, z are three right-hand sides) or
  three, and the method by which it is solved.
*/
#pragma once
#include "operator/judge.h"
#include "solver_impl.h"
#include <petscksp.h>

typedef enum {
  WRING_LINEAR_AUTO,      // direct below 30000 vertices, else multigrid
  WRING_LINEAR_DIRECT,    // a Cholesky factor
  WRING_LINEAR_MULTIGRID, // conjugate gradients with smoothed aggregation that represents the six rigid motions
  WRING_LINEAR_JACOBI,    // conjugate gradients with Jacobi
  WRING_LINEAR_STEPS      // max_it steps of conjugate gradients with `pc`, from zero
} wring_linear_type;

typedef struct {
  const char       *prefix; // prefix of PETSc's options, borrowed
  wring_linear_type type;
  double            rtol;   // of multigrid and Jacobi; may change from solve to solve
  PetscBool         exact;  // rtol is of |b - A x|; otherwise of the norm with the preconditioner
  PetscBool         tells;  // the caller looks at `end`; otherwise a solve that fails ends that of the method
  PetscInt          max_it; // of steps
  PCType            pc;     // of steps: PCNONE, PCJACOBI or PCICC
  Mat               A;      // owned: symmetric positive definite
  KSP               ksp;
  PetscBool         singular; // A has no factor
  wring_solve_end   end;      // of the last solve
  wring_error       refusal;  // with `tells`: why there is no factor, if A is not the cause
  Vec               in, out;  // one component, if A has one row per vertex
} wring_linear;

/*
  To be called whenever A has new values. The preconditioner is built from P, which is A or a matrix of its shape;
  multigrid represents the rigid motions of the positions x. Collective.
*/
PetscErrorCode wring_linear_set_up(wring_solver *s, wring_linear *l, Mat P, Vec x);

/*
  x = A^{-1} b from zero; counts linear iterations, the largest number of the three components. b must not be x. A
  factor that runs out of memory is refused. If A is singular, or numbers are not finite, x is 0 and the solve has
  ended: end.given. With `tells` neither happens: `end` says SINGULAR for a factor with negative pivots too, and x is
  what the solver left; refusal.text is that of a library that failed. Collective.
*/
PetscErrorCode wring_linear_solve(wring_solver *s, wring_linear *l, Vec b, Vec x);

/* Estimates the bytes of this rank that set_up and solves take beyond l->A. Collective. */
PetscErrorCode wring_linear_predict(const wring_solver *s, const wring_linear *l, double *bytes);
PetscErrorCode wring_linear_destroy(wring_linear *l);
