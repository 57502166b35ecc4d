/* The outcome of a solve by PETSc. */
#include "judge.h"
#include <string.h>

/* The library of a failed factor and its own status, for a message. */
static PetscErrorCode describe_factor(Mat F, char *text, size_t size)
{
  MatSolverType library;
  PetscInt      status;

  PetscFunctionBegin;
  PetscCall(MatFactorGetSolverType(F, &library));
  PetscCall(PetscSNPrintf(text, size, "the factor by %s", library));
  if (strcmp(library, MATSOLVERMUMPS)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMumpsGetInfog(F, 1, &status));
  PetscCall(PetscSNPrintf(text, size, "the factor by mumps, INFOG(1) = %" PetscInt_FMT, status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(PC pc, char *text, size_t size)
{
  Mat         F;
  PetscBool   factor, own;
  const char *name = NULL;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(text, "the preconditioner", size));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &own));
  if (own) PetscCall(PCShellGetName(pc, &name));
  if (name) PetscCall(PetscSNPrintf(text, size, "the factor by %s", name));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factor, PCLU, PCCHOLESKY, ""));
  if (!factor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(describe_factor(F, text, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode judge_failure(KSP ksp, const char *who, wring_solve_end *end)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)ksp);
  PCFailedReason own;
  PC             pc;
  char           what[80];

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &own));
  int failed = (int)own; // of any rank, because a solve inside a block may fail on one rank only
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm));
  PetscCall(describe(pc, what, sizeof what));
  if (failed == PC_FACTOR_OUTMEMORY) WRING_REFUSE(comm, "%s: out of memory in %s", who, what);
  if (failed == PC_FACTOR_OTHER) WRING_REFUSE(comm, "%s: %s has failed", who, what);
  *end = WRING_SOLVE_SINGULAR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solve_judge(KSP ksp, const char *who, wring_solve_end *end)
{
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *end = reason < 0 ? WRING_SOLVE_SHORT : WRING_SOLVE_REACHED;
  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC) *end = WRING_SOLVE_SINGULAR;
  if (reason == KSP_DIVERGED_NANORINF) *end = WRING_SOLVE_NOT_FINITE;
  if (reason == KSP_DIVERGED_PC_FAILED) PetscCall(judge_failure(ksp, who, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solve_negative_pivots(KSP ksp, PetscInt *n)
{
  enum { INFOG_NEGATIVE = 12 };
  MatSolverType  library;
  MatFactorError error;
  PetscBool      cholesky;
  PC             pc;
  Mat            F;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &cholesky));
  if (!cholesky) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(MatFactorGetSolverType(F, &library));
  if (!error && !strcmp(library, MATSOLVERMUMPS)) PetscCall(MatMumpsGetInfog(F, INFOG_NEGATIVE, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_factor_judge(Mat F, const char *who, wring_solve_end *end)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)F);
  MatFactorError error;
  char           what[80];

  PetscFunctionBegin;
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(describe_factor(F, what, sizeof what));
  if (error == MAT_FACTOR_OUTMEMORY) WRING_REFUSE(comm, "%s: out of memory in %s", who, what);
  if (error == MAT_FACTOR_OTHER) WRING_REFUSE(comm, "%s: %s has failed", who, what);
  *end = error == MAT_FACTOR_NOERROR ? WRING_SOLVE_REACHED : WRING_SOLVE_SINGULAR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- counts of work ---------------------------------------------------------------------------------------------- */

/* Reductions of conjugate gradients: r . z and p . A p, and a norm unless it is the first of them. */
PetscErrorCode wring_solve_count(KSP ksp, wring_phases *p, PetscInt64 *products)
{
  PetscBool   factor, guess;
  KSPNormType norm;
  PetscInt    iterations;

  PetscFunctionBegin;
  *products = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &factor));
  if (factor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetInitialGuessNonzero(ksp, &guess));
  PetscCall(KSPGetNormType(ksp, &norm));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  const int norms = norm == KSP_NORM_PRECONDITIONED || norm == KSP_NORM_UNPRECONDITIONED;
  *products       = (PetscInt64)iterations + guess;
  wring_count(p, WRING_WORK_EXCHANGES, *products);
  wring_count(p, WRING_WORK_REDUCTIONS, 1 + norms + (PetscInt64)iterations * (2 + norms));
  PetscFunctionReturn(PETSC_SUCCESS);
}
