/*
  Private to the library: factors through PETSc's interface to CHOLMOD and MUMPS, for every system that wring_operator
  does not solve itself (the methods of src/solver, linear_implicit_euler) and for the type petsc; and the one policy
  for MUMPS's workspace, which mumps.c shares. operator/judge.h reports how a solve ended.

  MUMPS estimates its workspace before it pivots. If the estimate is too small, the numerical factorisation fails with
  INFOG(1) = -8, -9, -17 or -20. It is then repeated with a larger ICNTL(14), the percentage added to the estimate.

  Files of this folder in reading order; each includes only those above it:
    factor.h       this file
    team.h         the threads of all ranks of a node: shared memory, a barrier
    residual.h     b - A x and its norms, computed by a team
    packed.h       a factor copied into single precision: packed.c copies it, packed_solve.c solves with it
    cholmod_names.h  CHOLMOD's names for both sizes of integers, its settings, PETSc's arrays as its matrix
    cholmod.c      type direct on one rank or one node: CHOLMOD, packed, refined
    cholmod_pc.c   CHOLMOD as a preconditioner, for matrices with three rows per vertex and many numeric factors
    mumps.c        type direct with a distributed factor: MUMPS
    worth.c        what a factor of H takes, from its shape and symbolic counts
  Iterations other than refinement do not belong here.
*/
#pragma once
#include <petscksp.h>
#include <wring/operator.h>

enum { WRING_MUMPS_ICNTL_WORKSPACE = 14, WRING_MUMPS_WORKSPACE = 40 }; // [percent] of the first factorisation

/*
  ICNTL(14) for the next attempt after one with `percent` ended with INFOG(1) = status; 0 if more workspace would not
  help, or if the largest has been tried.
*/
PetscInt wring_mumps_more_workspace(PetscInt status, PetscInt percent);

/* The library for a Cholesky factor on comm (CHOLMOD on one rank, MUMPS on several) or for LU (MUMPS). Static. */
MatSolverType wring_factor_library(MPI_Comm comm, MatFactorType type);

/*
  Makes pc a Cholesky factor by CHOLMOD of a seqaij matrix with both triangles. KSPSetUp analyses a new pattern and
  factors new values; a failure is pc's failed reason. *n of the second function: how many patterns were analysed.
*/
PetscErrorCode wring_cholmod_pc_set(PC pc);
PetscErrorCode wring_cholmod_pc_analyses(PC pc, PetscInt *n);

/*
  The symbolic analysis of a factor of this kind in ksp, whose operators are set: the first numeric factorisation then
  finds it. Does nothing for other factors, which analyse in their first set-up. Collective.
*/
PetscErrorCode wring_factor_analyse(KSP ksp);

/*
  Operations and numbers of the factor in ksp, after its set-up, of all ranks: 0 where it is no factor, or one that does
  not say. Collective.
*/
PetscErrorCode wring_factor_counts(KSP ksp, double *flops, double *entries);

/*
  Makes pc a Cholesky (MAT_FACTOR_CHOLESKY) or LU (MAT_FACTOR_LU) factor of A by that library; on one rank, by PETSc's
  own if that library is not available. Several ranks without MUMPS are refused in one line that begins with `who`.
  Collective.
*/
PetscErrorCode wring_factor_choose(PC pc, Mat A, MatFactorType type, const char *who);

/*
  Iterations of conjugate gradients with a V-cycle of H, a matrix with three rows for each of `graph` (AIJ, symmetric,
  any values): those of a solve, as the shape of the body lets expect, and those that take as long as a factor and its
  solve. The latter are counted by a symbolic analysis on rank 0, or estimated from a band in the order of Cuthill and
  McKee where the estimate is far above what is expected; INFINITY where the band is hopeless. harder: the factor by
  which the expected iterations exceed those that the shape alone suggests. Collective.
*/
PetscErrorCode wring_factor_worth(Mat graph, double harder, double *expected, double *factor);

/*
  A factor that a method keeps without a KSP. The caller sets all members but F before the first use; F is NULL then,
  and destroyed by the caller, also before a new pattern. PETSc does not repeat a factorisation in a MUMPS factor that
  has failed, so that F is created anew after a failure.
*/
typedef struct {
  MatSolverType library;
  MatFactorType type;
  PetscBool     counts;    // INFOG(12) of MUMPS, the number of negative pivots, is that of all fronts
  PetscInt      workspace; // ICNTL(14) of F
  Mat           F;
} wring_factor;

PetscErrorCode wring_factor_symbolic(wring_factor *f, Mat A); // needs only A's pattern; creates F. Collective.

/*
  The Cholesky factor of A, which has the pattern of the last one; again with more workspace if MUMPS needs it. *error
  is the final status, not an error of PETSc. If it is not MAT_FACTOR_NOERROR, INFOG may be read from f->F, but no solve
  is possible. Collective.
*/
PetscErrorCode wring_factor_numeric(wring_factor *f, Mat A, MatFactorError *error);

/*
  KSPSetUp, after KSPSetOperators and KSPSetFromOptions, with the same workspace policy if the preconditioner is a
  factor by MUMPS; a first factor keeps an ICNTL(14) that the user sets. wring_solve_judge reports a failed factor,
  after the solve. Collective.
*/
PetscErrorCode wring_factor_set_up(KSP ksp);
