/*
  The condition number of a method's initial Hessian against the true one [Liu et al. 2017, table II]: conjugate
  gradients on H(x) with H_0 as preconditioner are Lanczos's iteration on H_0 H, whose coefficients give its extreme
  eigenvalues [Golub, Van Loan 2013, 11.3].
*/
#include "solver_impl.h"
#include <petscksp.h>

static PetscErrorCode apply_initial(PC pc, Vec b, Vec x)
{
  wring_solver *s;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(s->ops->precondition(s, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_ksp(wring_solver *s, Mat H, PetscInt max_it, KSP *ksp)
{
  const double enough = 1e-120; // close eigenvalues are found only long after the residual is at round-off
  PC           pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(s->comm, ksp));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetComputeSingularValues(*ksp, PETSC_TRUE));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(*ksp, enough, 0, PETSC_DEFAULT, max_it));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, s));
  PetscCall(PCShellSetApply(pc, apply_initial));
  PetscCall(KSPSetOperators(*ksp, H, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_lanczos(wring_solver *s, Mat H, PetscInt max_it, double *least, double *largest)
{
  const wring_mesh *const m = wring_potential_mesh(s->g);
  KSP                     ksp;
  KSPConvergedReason      reason;
  Vec                     b, x;
  double                 *a;

  PetscFunctionBegin;
  PetscCall(create_ksp(s, H, max_it, &ksp));
  PetscCall(MatCreateVecs(H, &x, &b));
  PetscCall(VecGetArrayWrite(b, &a)); // the same on any partition, and without a pattern: all eigenvectors are in b
  for (PetscInt i = 0; i < 3 * m->n_owned; i++)
    a[i] = wring_uniform(3 * (uint64_t)m->number.original[i / 3] + (uint64_t)(i % 3)) - 0.5;
  PetscCall(VecRestoreArrayWrite(b, &a));
  PetscCall(wring_potential_clear(s->g, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPComputeExtremeSingularValues(ksp, largest, least));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_NANORINF) *least = *largest = NAN;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_solver_condition(wring_solver *s, Vec x, PetscInt max_it, double *least, double *largest)
{
  Mat H = NULL;

  PetscFunctionBegin;
  if (!wring_solver_has_condition(s))
    WRING_REFUSE(s->comm, "solver '%s' has no initial Hessian, hence no condition number", s->name);
  s->current.known = PETSC_FALSE;
  s->start         = NULL;
  s->end.given     = PETSC_FALSE;
  PetscCall(wring_potential_update_contacts(s->g, x, PETSC_TRUE, NULL));
  if (s->ops->begin) PetscCall(s->ops->begin(s, x));
  PetscCall(wring_potential_hessian(s->g, x, WRING_FILTER_NONE, &H));
  PetscCall(run_lanczos(s, H, max_it, least, largest));
  if (s->end.given) *least = *largest = NAN;
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_solver_has_condition(const wring_solver *s)
{
  return (PetscBool)(s->ops->precondition && !s->inner);
}
