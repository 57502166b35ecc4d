/* Predicts the memory of a factor or a hierarchy by PETSc. */
#include "operator/direct/factor.h"

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
  PetscCall(wring_factor_destroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory of coarse levels, interpolations and their computation, as a multiple of A's; measured on boxes. */
PetscErrorCode wring_multigrid_predict(Mat A, double *bytes)
{
  const double one_rank = 2.4, several = 4;
  PetscMPIInt  size;
  MatInfo      info;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *bytes = (size > 1 ? several : one_rank) * (sizeof(PetscScalar) + sizeof(PetscInt)) * info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}
