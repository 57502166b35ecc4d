/* Factors through PETSc's interface: choice of the library, and MUMPS's workspace. */
#include "factor.h"
#include <stdio.h>
#include <string.h>

/* 1: no front is shared by all ranks. MUMPS does not count the negative pivots of such a front. */
enum { ICNTL_ROOT = 13 };

PetscInt wring_mumps_more_workspace(PetscInt status, PetscInt percent)
{
  const PetscInt    most        = 2560;               // 26 times the estimate
  static const char too_small[] = {-8, -9, -17, -20}; // integers, reals, send buffer, receive buffer
  for (size_t i = 0; i < sizeof too_small; i++)
    if (status == too_small[i] && percent < most)
      return PetscMin(2 * PetscMax(percent, WRING_MUMPS_WORKSPACE / 2), most);
  return 0;
}

MatSolverType wring_factor_library(MPI_Comm comm, MatFactorType type)
{
  return wring_comm_size(comm) == 1 && type == MAT_FACTOR_CHOLESKY ? MATSOLVERCHOLMOD : MATSOLVERMUMPS;
}

PetscErrorCode wring_factor_choose(PC pc, Mat A, MatFactorType type, const char *who)
{
  const MPI_Comm      comm    = PetscObjectComm((PetscObject)pc);
  const PetscMPIInt   size    = wring_comm_size(comm);
  const MatSolverType library = wring_factor_library(comm, type);
  PetscBool           available, own;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &own));
  if (own && type == MAT_FACTOR_CHOLESKY) {
    PetscCall(wring_cholmod_pc_set(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetFactorAvailable(A, library, type, &available));
  if (!available && size > 1)
    WRING_REFUSE(comm, "%s on %d ranks needs a PETSc with MUMPS, expected one rank", who, (int)size);
  PetscCall(PCSetType(pc, type == MAT_FACTOR_LU ? PCLU : PCCHOLESKY));
  if (available) PetscCall(PCFactorSetMatSolverType(pc, library));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- workspace --------------------------------------------------------------------------------------------------- */

/* *percent: the workspace of F; unchanged if F is not of MUMPS. */
static PetscErrorCode get_workspace(Mat F, PetscInt *percent)
{
  MatSolverType library;

  PetscFunctionBegin;
  PetscCall(MatFactorGetSolverType(F, &library));
  if (!strcmp(library, MATSOLVERMUMPS)) PetscCall(MatMumpsGetIcntl(F, WRING_MUMPS_ICNTL_WORKSPACE, percent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *more: the workspace for another attempt after F was factored with `percent`; 0 if there is to be none. */
static PetscErrorCode get_more_workspace(Mat F, PetscInt percent, PetscInt *more)
{
  PetscInt       status, used = 0;
  MatFactorError error;

  PetscFunctionBegin;
  *more = 0;
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(get_workspace(F, &used));
  if (error == MAT_FACTOR_NOERROR || used != percent) PetscFunctionReturn(PETSC_SUCCESS); // the user's
  PetscCall(MatMumpsGetInfog(F, 1, &status));
  *more = wring_mumps_more_workspace(status, percent);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- by itself --------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_factor_symbolic(wring_factor *f, Mat A)
{
  MatFactorInfo info;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&f->F));
  if (f->workspace == 0) f->workspace = WRING_MUMPS_WORKSPACE;
  PetscCall(MatGetFactor(A, f->library, f->type, &f->F));
  PetscCall(MatMumpsSetIcntl(f->F, WRING_MUMPS_ICNTL_WORKSPACE, f->workspace)); // of MUMPS only
  if (f->counts) PetscCall(MatMumpsSetIcntl(f->F, ICNTL_ROOT, 1));
  PetscCall(MatFactorInfoInitialize(&info));
  if (f->type == MAT_FACTOR_LU)
    PetscCall(MatLUFactorSymbolic(f->F, A, NULL, NULL, &info));
  else
    PetscCall(MatCholeskyFactorSymbolic(f->F, A, NULL, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_factor_numeric(wring_factor *f, Mat A, MatFactorError *error)
{
  PetscInt      more = f->workspace > 0 ? f->workspace : WRING_MUMPS_WORKSPACE;
  MatFactorInfo info;

  PetscFunctionBegin;
  PetscCall(MatFactorInfoInitialize(&info));
  *error = MAT_FACTOR_NOERROR;
  if (f->F) PetscCall(MatFactorGetError(f->F, error));
  PetscBool anew = (PetscBool)(!f->F || *error);
  for (; more > 0; anew = PETSC_TRUE) {
    f->workspace = more;
    if (anew) PetscCall(wring_factor_symbolic(f, A));
    PetscCall(MatCholeskyFactorNumeric(f->F, A, &info));
    PetscCall(MatFactorGetError(f->F, error));
    PetscCall(get_more_workspace(f->F, f->workspace, &more));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- as a preconditioner ----------------------------------------------------------------------------------------- */

/*
  The factor of a preconditioner, borrowed. If there is none yet, it is created with the prefix that PCSetUp would give
  it.
*/
static PetscErrorCode get_factor(PC pc, Mat *F)
{
  Mat         A;
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(MatSetOptionsPrefixFactor(A, prefix));
  PetscCall(PCFactorSetUpMatSolverType(pc));
  PetscCall(PCFactorGetMatrix(pc, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Sets a new factor F of pc up for MUMPS, before the symbolic phase, in which PETSc reads the user's options. A matrix
  that is known to be definite needs no count of negative pivots.
*/
static PetscErrorCode prepare(PC pc, Mat F, PetscInt percent)
{
  PetscBool cholesky, known, definite;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &cholesky));
  PetscCall(PCGetOperators(pc, NULL, &A));
  PetscCall(MatIsSPDKnown(A, &known, &definite));
  PetscCall(MatMumpsSetIcntl(F, WRING_MUMPS_ICNTL_WORKSPACE, percent));
  if (cholesky && !(known && definite)) PetscCall(MatMumpsSetIcntl(F, ICNTL_ROOT, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Keeps a factor that exists and has not failed, with its workspace. For another matrix or pattern PETSc would replace
  it by a factor with MUMPS's defaults; therefore it is replaced here. Its name records its matrix and pattern.
*/
static PetscErrorCode set_up_once(KSP ksp, PC pc, PetscInt percent, PetscInt *more)
{
  Mat              F, A, P;
  MatFactorError   error;
  PetscObjectId    id;
  PetscObjectState state;
  const char      *name = "";
  char             pattern[64];
  PetscBool        kept;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, &P));
  PetscCall(PetscObjectGetId((PetscObject)P, &id));
  PetscCall(MatGetNonzeroState(P, &state));
  snprintf(pattern, sizeof pattern, "pattern %lld of matrix %lld", (long long)state, (long long)id);
  PetscCall(get_factor(pc, &F));
  PetscCall(MatFactorGetError(F, &error));
  PetscCall(MatAssembled(F, &kept));
  if (kept) PetscCall(PetscObjectGetName((PetscObject)F, &name));
  if (error || (kept && strcmp(name, pattern) != 0)) {
    PetscCall(PetscObjectReference((PetscObject)A));
    PetscCall(PetscObjectReference((PetscObject)P));
    PetscCall(PCReset(pc));
    PetscCall(KSPSetOperators(ksp, A, P));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscCall(get_factor(pc, &F));
    kept = PETSC_FALSE;
  }
  if (!kept) PetscCall(prepare(pc, F, percent));
  PetscCall(KSPSetUp(ksp));
  PetscCall(get_factor(pc, &F));
  PetscCall(PetscObjectSetName((PetscObject)F, pattern));
  if (kept) PetscCall(get_workspace(F, &percent));
  PetscCall(get_more_workspace(F, percent, more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_factor_set_up(KSP ksp)
{
  PetscInt  more = WRING_MUMPS_WORKSPACE;
  PetscBool factor;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factor, PCLU, PCCHOLESKY, ""));
  if (!factor) {
    PetscCall(KSPSetUp(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  while (more > 0) PetscCall(set_up_once(ksp, pc, more, &more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { INFO_WORKSPACE = 15 }; // of MUMPS: megabytes that this rank is estimated to need
enum { TOUCHED = 1 };         // percent of workspace to estimate with: what a factor does not touch takes no memory

/*
  CHOLMOD: bytes per entry of the factor, including padded supernodes and the work on one; and bytes of the BLAS.
  Measured.
*/
static const double per_entry = 11.2, blas = 18e6;

PetscErrorCode wring_factor_predict(Mat A, MatSolverType library, MatFactorType type, double *bytes)
{
  PetscBool available, cholmod;
  PetscInt  megabytes;
  MatInfo   info;

  PetscFunctionBegin;
  *bytes = 0;
  PetscCall(PetscStrcmp(library, MATSOLVERCHOLMOD, &cholmod));
  PetscCall(MatGetFactorAvailable(A, library, type, &available));
  if (!available) PetscFunctionReturn(PETSC_SUCCESS);
  wring_factor f = {.library = library, .type = type, .workspace = TOUCHED};
  PetscCall(wring_factor_symbolic(&f, A));
  if (cholmod) {
    PetscCall(MatGetInfo(f.F, MAT_LOCAL, &info));
    *bytes = per_entry * info.nz_used + blas;
  } else {
    PetscCall(MatMumpsGetInfo(f.F, INFO_WORKSPACE, &megabytes));
    *bytes = 1e6 * (double)megabytes;
  }
  PetscCall(MatDestroy(&f.F));
  PetscFunctionReturn(PETSC_SUCCESS);
}
