/*
  Private to the library: factors by PETSc's interface to CHOLMOD and MUMPS, for every system that wring_operator itself
  does not solve (the methods of src/solver, linear_implicit_euler) and for the type petsc; and the one policy for
  MUMPS's workspace, which mumps.c shares. How a solve ended is asked with operator/judge.h.

  MUMPS estimates its workspace before it pivots, and the numerical factorisation fails where the estimate was too
  small: INFOG(1) = -8, -9, -17 or -20. It is then repeated with a larger ICNTL(14), the percentage added to the
  estimate.

  Map of this folder, in reading order, each file including only those above it:
    factor.h       this one
    team.h         the threads of all ranks of a node: shared memory, a barrier
    residual.h     b - A x and its size, by a team
    packed.h       a factor copied into single precision: packed.c copies it, packed_solve.c solves with it
    cholmod.c      type direct on one rank or one node: CHOLMOD, packed, refined
    mumps.c        type direct in parts on all ranks: MUMPS
  Iterations other than refinement do not belong here.
*/
#pragma once
#include <petscksp.h>
#include <wring/operator.h>

enum { WRING_MUMPS_ICNTL_WORKSPACE = 14 };

/* ICNTL(14) of the first factorisation [percent]. */
enum { WRING_MUMPS_WORKSPACE = 40 };

/*
  ICNTL(14) for the next attempt after one at `percent` ended with INFOG(1) = status; 0 where more workspace would not
  help, or too much has been tried already.
*/
PetscInt wring_mumps_more_workspace(PetscInt status, PetscInt percent);

/* The library of a Cholesky factor on comm: CHOLMOD on one rank, MUMPS on several; of LU: MUMPS. Static string. */
PetscErrorCode wring_factor_library(MPI_Comm comm, MatFactorType type, MatSolverType *library);

/*
  Makes pc a Cholesky factor (MAT_FACTOR_CHOLESKY) or LU (MAT_FACTOR_LU) of A by that library, or by what this PETSc has
  on one rank; several ranks without MUMPS are refused in one line that begins with `who`. Collective.
*/
PetscErrorCode wring_factor_choose(PC pc, Mat A, MatFactorType type, const char *who);

/*
  A factor that a method keeps by itself, without a KSP. All but F is set by the caller before the first use; F is NULL
  then. PETSc does not repeat a factorisation in a factor by MUMPS that has failed, so that F is made anew after a
  failure.
*/
typedef struct {
  MatSolverType library;
  MatFactorType type;
  int           n_icntl;
  const PetscInt (*icntl)[2]; // [n_icntl] number and value of ICNTL of MUMPS, set before the symbolic phase; borrowed
  PetscInt workspace;         // ICNTL(14) of F
  Mat      F;
} wring_factor;

PetscErrorCode wring_factor_symbolic(wring_factor *f, Mat A); // needs A's pattern only; F is new. Collective.

/*
  Factors A, which has the pattern of the last one, again with more workspace where MUMPS asks for it. *error is what is
  left: no error of PETSc. Where it is not MAT_FACTOR_NOERROR, f->F may be asked for INFOG, not for solutions.
  Collective.
*/
PetscErrorCode wring_factor_numeric(wring_factor *f, Mat A, MatFactorError *error);
PetscErrorCode wring_factor_destroy(wring_factor *f); // also before a new pattern

/*
  KSPSetUp, after KSPSetOperators and KSPSetFromOptions, with the same workspace policy where the preconditioner is a
  factor by MUMPS, unless the user gives ICNTL(14). A factor that failed is left to wring_solve_judge, after the solve.
  Collective.
*/
PetscErrorCode wring_factor_set_up(KSP ksp);
